"""Pins and drags: links that are to stay where they are, or follow a target. They exert no force; see
bunraku.choreography.engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bunraku.errors import InputError
from bunraku.model.rotations import quaternion, rotation_matrix, rotation_vector

if TYPE_CHECKING:
    from bunraku.choreography.dancer import Dancer
    from bunraku.choreography.engine import Choreography
    from bunraku.choreography.grips import Grip
    from bunraku.world.figure import Figure

AXES = ("x", "y", "z", "rx", "ry", "rz")
"""Along and about which a pin may hold."""


@dataclass(eq=False)
class Pin:
    """A link that is to stay: `point` [m] of it (link's frame) at `target` [m], and where it is held about axes, as with
    axes "pose", its rotation at `rotation` (3, 3). `frame`: its own axes as a quaternion wxyz, None for the world's.
    `place` is its number among the pins and drags of the figure that moves it (`dancer`; by `grip` where it is a thing's),
    -1 once released. `figure` and `part` are its link in the world."""

    name: str
    link: str
    point: np.ndarray
    axes: str
    target: np.ndarray
    rotation: np.ndarray | None
    frame: tuple[float, ...] | None
    place: int
    owner: Choreography
    figure: Figure
    part: str
    weight: float
    dancer: Dancer | None = None
    grip: Grip | None = None

    kind = "pin"

    @property
    def held(self) -> np.ndarray:
        """(2, 3): along which of its axes it is held, and about which."""
        return np.reshape([name in named_axes(self.axes) for name in AXES], (2, 3))

    @property
    def along(self) -> np.ndarray:
        """(3, 3): its own axes as columns."""
        return np.eye(3) if self.frame is None else checked_rotation(self.kind, self.frame)

    def off(self, position: np.ndarray, R: np.ndarray) -> tuple[float, float]:
        """How far its point at a world position, and its link at rotation R, are from where they should be: metres and
        radians along what is held."""
        along, held = self.along, self.held
        turned = 0.0
        if self.rotation is not None:
            turned = float(np.linalg.norm((along.T @ rotation_vector(self.rotation @ R.T))[held[1]]))
        return float(np.linalg.norm((along.T @ (position - self.target))[held[0]])), turned

    @property
    def active(self) -> bool:
        """Whether it still acts."""
        return self.place >= 0

    def release(self) -> None:
        """End it; twice does no harm."""
        self.owner.release(self)

    def __repr__(self) -> str:
        at = ", ".join(f"{x:.3f}" for x in self.target)
        return f"<{self.kind} {self.name!r} {self.link} {self.axes} at ({at}){'' if self.active else ', released'}>"


@dataclass(eq=False, repr=False)
class Drag(Pin):
    """A link that follows a target [m], which `to` moves; see Pin."""

    kind = "drag"

    def to(self, position: Sequence[float] | np.ndarray, rotation: Any = None) -> None:
        """Move the target: `position` [m] of the point in the world; rotation (a quaternion wxyz or a matrix) of the
        link where axes is "pose"."""
        self.owner.move(self, position, rotation)


class Violation(NamedTuple):
    """How far a pin or drag is from where it should be: metres, and radians where its rotation is held."""

    item: Pin
    metres: float
    radians: float


def named_axes(axes: Any) -> tuple[str, ...]:
    """The names in "xyz", "pose", "xz" or "z rx ry", in the order of AXES; none where it is no such text."""
    if axes == "pose":
        return AXES
    words = axes.split() if isinstance(axes, str) else []
    names = [n for w in words for n in (w if w.strip("xyz") == "" else [w])]
    good = len(set(names)) == len(names) and set(names) <= set(AXES)
    return tuple(n for n in AXES if n in names) if good else ()


def checked_axes(what: str, axes: Any) -> str:
    """Axes as they are written: "xyz", "pose", or a choice."""
    names = named_axes(axes)
    if not names:
        raise InputError(
            f"{what}: axes {axes!r} is neither 'xyz' (position) nor 'pose' (position and orientation), nor a choice of "
            f"x, y, z, rx, ry, rz such as 'xz' or 'z rx ry'."
        )
    if names == AXES:
        return "pose"
    return " ".join(["".join(n for n in names if len(n) == 1), *(n for n in names if len(n) == 2)]).strip()


def checked_point(what: str, x: Any) -> np.ndarray:
    """Three finite numbers."""
    try:
        out = np.array(x, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what} needs three finite numbers, got {x!r}.") from None
    if out.shape != (3,) or not (np.abs(out) <= 1e6).all():
        raise InputError(f"{what} needs three finite numbers below 1e6, got {x!r}.")
    return out


def checked_rotation(what: str, x: Any) -> np.ndarray:
    """A rotation matrix from a quaternion wxyz or a matrix."""
    try:
        given = np.asarray(x, dtype=float)
    except (TypeError, ValueError):
        given = np.zeros(0)
    if given.shape not in ((4,), (3, 3)) or not np.all(np.isfinite(given)) or not np.linalg.norm(given) > 1e-9:
        raise InputError(f"{what}: rotation needs a quaternion (w, x, y, z) or a 3x3 matrix.")
    return np.asarray(rotation_matrix(given), dtype=float)


def own_axes(what: str, rotation: Any, R: np.ndarray) -> tuple[float, ...]:
    """Axes of a pin's own as a quaternion wxyz: given as one, as a matrix, or as "link", those of its link, R."""
    if isinstance(rotation, str) and rotation == "link":
        return tuple(quaternion(R).tolist())
    matrix = checked_rotation(what, rotation)
    given = np.asarray(rotation, dtype=float)
    return tuple((given if given.shape == (4,) else quaternion(matrix)).tolist())


def clean(R: np.ndarray) -> np.ndarray:
    """The rotation as its quaternion gives it back, so that a score that keeps quaternions repeats it bit for bit."""
    return checked_rotation("rotation", quaternion(R))
