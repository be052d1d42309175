"""Bunraku: human figures that move.

    import bunraku as bk
    fig = bk.human()
    a = bk.aba(fig, fig.neutral(), np.zeros(fig.nv), np.zeros(fig.nv))

Names are loaded when first used, so that `import bunraku` is quick and Numba is imported only where a kernel is called.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "bunraku.model": (
        "Description Frame Gear Inertia Joint Link Model Note Shape ball box capsule cylinder describe_human free helical hinge "
        "human slider sphere universal"
    ),
    "bunraku.model.configuration": "difference integrate random_configuration",
    "bunraku.model.limits": "swing_twist within_limits",
    "bunraku.dynamics": (
        "Pose Target Work aba aba_derivatives centre_of_mass centroidal crba delassus energy frame_jacobian inverse_kinematics "
        "joint_jacobians kinematics momentum_matrix rnea rnea_derivatives wrenches"
    ),
    "bunraku.world": "Connection StepDiverged World",
    "bunraku.choreography": "Choreography Score",
    "bunraku.formats": "describe load",
    "bunraku.errors": "BunrakuError FormatError InputError MissingExtra ModelError NoWalk UnknownName",
}
FOLDERS = (
    *(
        "kernel",
        "linalg",
        "model",
        "dynamics",
        "collision",
        "contact",
        "step",
        "world",
        "recording",
        "humanoid",
        "control",
    ),
    *("walking", "motion", "choreography", "formats", "scene", "draw", "viewer", "cli", "gait1988", "errors"),
)
_WHERE = {name: module for module, names in _HOME.items() for name in names.split()}
__all__ = sorted(_WHERE)  # pyright: ignore[reportUnsupportedDunderAll]

if TYPE_CHECKING:
    from bunraku.choreography.engine import Choreography  # noqa: F401
    from bunraku.choreography.score import Score  # noqa: F401
    from bunraku.dynamics import *  # noqa: F403
    from bunraku.errors import *  # noqa: F403
    from bunraku.formats import describe, load  # noqa: F401
    from bunraku.model import *  # noqa: F403
    from bunraku.model.configuration import difference, integrate, random_configuration  # noqa: F401
    from bunraku.model.limits import swing_twist, within_limits  # noqa: F401
    from bunraku.world import Connection, StepDiverged, World  # noqa: F401


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        value = getattr(importlib.import_module(_WHERE[name]), name)
        globals()[name] = value
        return value
    if name in FOLDERS:
        return importlib.import_module(f"bunraku.{name}")
    raise AttributeError(f"module 'bunraku' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
