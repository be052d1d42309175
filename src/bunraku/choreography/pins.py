"""Pins and drags: links that are to stay where they are, or follow a target. They exert no force; see
bunraku.choreography.engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bunraku.errors import InputError
from bunraku.model.rotations import rotation_matrix

if TYPE_CHECKING:
    from bunraku.choreography.engine import Choreography

AXES = ("xyz", "pose")


@dataclass(eq=False)
class Pin:
    """A link that is to stay: `point` [m] of it (link's frame) at `target` [m], and with axes "pose" its rotation at
    `rotation` (3, 3). `place` is its number among pins and drags, -1 once released."""

    name: str
    link: str
    point: np.ndarray
    axes: str
    target: np.ndarray
    rotation: np.ndarray | None
    place: int
    owner: Choreography

    kind = "pin"

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
    given = np.asarray(x, dtype=float)
    if given.shape not in ((4,), (3, 3)) or not np.all(np.isfinite(given)) or not np.linalg.norm(given) > 1e-9:
        raise InputError(f"{what}: rotation needs a quaternion (w, x, y, z) or a 3x3 matrix.")
    return np.asarray(rotation_matrix(given), dtype=float)
