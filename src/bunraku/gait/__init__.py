"""The walking program of the 1988 report JAERI-M 88-080: reproduced to its printed tables, and done right.

Stages (one module each): cards and gaitfile (input), smooth (GAIT), report_model, report_integrator and
report_shooting (BIDYN as it was, mode `historical`), rigid_model, flow and shooting (the same walk as rigid
mechanics, mode `exact`), report_moments (MOMA), servo (SERVO), steps and posture (many steps in a fixed frame),
library and stride (gaits), checks, survey, listing and export (output), figure_model (the figure as a Model). Begin
with `walk.solve_walk(library.flat())`.

This package imports nothing by itself, so that cheap commands stay cheap. Text for users: docs/gait.md.
"""
