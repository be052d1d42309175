"""Walking: the program of the 1988 report JAERI-M 88-080, reproduced to its printed tables and done right; and walking patterns.

Stages (one module each): cards and gaitfile (input), smooth (GAIT), report_model, report_integrator and
report_shooting (BIDYN as it was, mode `historical`), rigid_model, flow and shooting (the same walk as rigid
mechanics, mode `exact`), report_moments (MOMA), servo (SERVO), steps and posture (many steps in a fixed frame),
library and stride (gaits), checks, survey, listing and export (output), figure_model (the figure as a Model). Begin
with `walk.solve_walk(library.flat())`.

Walking patterns are made by `walking_pattern.walking_pattern(figure, steps)` from `footsteps.footsteps("walk 3 m", figure)`; the stages are
humanoid, footsteps, pace, zmp_reference with foot_paths, com_preview, walking_ik, whole_zmp; terrain has stairs
and slopes, nineteen_steps the standard walk.

The package imports nothing by itself, so that cheap commands stay cheap; `bunraku.gait.walk` and the others are loaded
when first used. Text for users: docs/gait.md. Checked in tests/gait/test_walk.py.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bunraku.gait import checks, export, figure_model, gaitfile, library, servo, steps, stride, survey, walk

__all__ = [
    "checks",
    "export",
    "figure_model",
    "gaitfile",
    "library",
    "servo",
    "steps",
    "stride",
    "survey",
    "walk",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return importlib.import_module(f"bunraku.gait.{name}")
    raise AttributeError(f"module 'bunraku.gait' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
