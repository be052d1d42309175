"""The walking program of the 1988 report JAERI-M 88-080, reproduced to its printed tables and done right.

Parts (one module each): cards and gaitfile (input), smooth (GAIT), report_model, report_integrator and report_shooting
(BIDYN as it was, mode `historical`), rigid_model, flow and shooting (the same walk as rigid mechanics, mode `exact`),
report_moments (MOMA), servo (SERVO), steps (many steps in a fixed frame, postures), library and stride (gaits),
checks, survey, listing and tables (output), twelve_body_model (the figure as a Model), walker_motion (a walk as a motion
of it), line_figure, walker_solids and plots (pictures). Begin with
`solved_walk.solve_walk(library.flat())`.

The package imports nothing by itself, so that cheap commands stay cheap; `bunraku.gait1988.solved_walk` and the others
are loaded when first used. Text for users: docs/gait.md. Checked in tests/gait1988/test_solved_walk.py.
"""

from bunraku import lazy as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
