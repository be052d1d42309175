"""The rows of inverse kinematics: how far frames and the centre of mass are from their targets, and how that changes.

For n states and m rows: errors (n, m), target minus actual, in metres (rotation vectors times a length), their
Jacobian (n, m, moving degrees of freedom), and one weight a row; infinite: the row shall hold exactly. The rotation
vector e of an error changes with the inverse of the left Jacobian of rotations at e, so that far turns converge as near
ones do. Checked in tests/dynamics/test_ik.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.dynamics.functions import centroidal, frame_jacobian, kinematics, momentum_matrix
from bunraku.dynamics.work import Work
from bunraku.errors import InputError
from bunraku.model.model import FrameInfo, Model
from bunraku.model.rotations import matrix, rotation_matrix, rotation_vector, skew

NEAR = 1e-4  # rad: errors below change as the frame turns


@dataclass
class Target:
    """Where a frame should be: a position [m], a rotation (3x3 or wxyz), or both, in the world, for all states or one a
    state; `weight` against other targets, infinite: exactly there."""

    frame: str | FrameInfo
    position: Sequence[float] | np.ndarray | None = None
    rotation: np.ndarray | Sequence[float] | None = None
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Goal:
    """A target of n states: position (n, 3) and rotation (n, 3, 3), None where it has none."""

    frame: FrameInfo
    position: np.ndarray | None
    rotation: np.ndarray | None
    weight: float


def goal_of(model: Model, t: Target, n: int) -> Goal:
    """A target, checked, for n states."""
    info = model.frame(t.frame) if isinstance(t.frame, str) else t.frame
    if t.position is None and t.rotation is None:
        raise InputError(f"target {info.name!r} has neither a position nor a rotation.")
    if not t.weight > 0.0:
        raise InputError(f"target {info.name!r}: weight {t.weight} must be above 0.")
    place = None if t.position is None else points_of(t.position, n, f"target {info.name!r}: position")
    return Goal(info, place, None if t.rotation is None else turns_of(t, n, info.name), t.weight)


def points_of(x: Any, n: int, what: str) -> np.ndarray:
    """(n, 3): one point for all states, or one a state."""
    p = np.asarray(x, dtype=float)
    if p.shape not in ((3,), (n, 3)) or not np.all(np.isfinite(p)):
        raise InputError(f"{what} needs three finite numbers.")
    return np.broadcast_to(p, (n, 3))


def turns_of(t: Target, n: int, name: str) -> np.ndarray:
    """(n, 3, 3): one rotation for all states, or one a state."""
    R = np.asarray(t.rotation, dtype=float)
    if R.shape == (n, 4) and n != 1:
        R = matrix(R / np.linalg.norm(R, axis=1, keepdims=True))
    elif R.shape != (n, 3, 3):
        R = rotation_matrix(t.rotation, f"target {name!r}")
    if not np.all(np.isfinite(R)):
        raise InputError(f"target {name!r}: rotation needs finite numbers.")
    return np.broadcast_to(R, (n, 3, 3))


class Rows:
    """See the module text. moving: indices into v."""

    def __init__(
        self,
        model: Model,
        goals: Sequence[Goal],
        com: tuple[np.ndarray, float] | None,
        length: float,
        moving: np.ndarray,
        work: Work | None,
    ) -> None:
        self.model, self.goals, self.com, self.length, self.moving, self.work = model, goals, com, length, moving, work
        counts = [(g.weight, 3 * ((g.position is not None) + (g.rotation is not None))) for g in goals]
        counts += [] if com is None else [(com[1], 3)]
        self.weight = np.concatenate([np.full(m, w) for w, m in counts])

    def errors(self, q: np.ndarray, at: np.ndarray) -> np.ndarray:
        """(k, m) at poses q (k, nq) of the states numbered `at` (k)."""
        k, parts = kinematics(self.model, q, work=self.work), []
        for g in self.goals:
            place, turn = k.pose(g.frame)
            if g.position is not None:
                parts.append(g.position[at] - place)
            if g.rotation is not None:
                parts.append(self.length * rotation_vector(g.rotation[at] @ np.swapaxes(turn, -1, -2)))
        if self.com is not None:
            parts.append(self.com[0][at] - centroidal(self.model, q, work=self.work).com)
        return np.concatenate(parts, axis=1)

    def jacobian(self, q: np.ndarray, errors: np.ndarray) -> np.ndarray:
        """(k, m, moving): how the errors shrink with movements."""
        parts, row = [], 0
        for g in self.goals:
            J = frame_jacobian(self.model, q, g.frame, work=self.work)
            if g.position is not None:
                parts.append(J[:, :3])
                row += 3
            if g.rotation is not None:
                e = errors[:, row : row + 3] / self.length
                far = np.flatnonzero(np.abs(e).max(axis=1) > NEAR)
                J[far, 3:] = left_inverse(e[far]) @ J[far, 3:]
                parts.append(self.length * J[:, 3:])
                row += 3
        if self.com is not None:
            parts.append(momentum_matrix(self.model, q, work=self.work)[:, :3] / self.model.mass)
        return np.concatenate(parts, axis=1)[:, :, self.moving]

    def largest(self, errors: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(n,) each: the largest distance [m] and turn [rad] of a frame from its target, and the distance [m] of the
        centre of mass."""
        size = np.linalg.norm(errors.reshape(len(errors), -1, 3), axis=2)
        kinds = [x for g in self.goals for x, has in (("p", g.position), ("r", g.rotation)) if has is not None]
        kinds += [] if self.com is None else ["c"]
        place, turn, com = (size[:, [k == kind for k in kinds]].max(axis=1, initial=0.0) for kind in "prc")
        return place, turn / self.length, com


def left_inverse(e: np.ndarray) -> np.ndarray:
    """Inverses (n, 3, 3) of the left Jacobian of rotations at rotation vectors e (n, 3): how log(R) changes as R is
    turned from the left.

    1 - [e]/2 + (1/t^2 - (1 + cos t)/(2 t sin t)) [e]^2, t = |e|; here with the sign of an error, target minus actual.
    """
    t = np.linalg.norm(e, axis=-1)
    far = np.maximum(t, 1e-4)
    k = 1.0 / far**2 - (1.0 + np.cos(far)) / (2.0 * far * np.maximum(np.sin(far), 1e-9))
    E = skew(e)
    return np.eye(3) + 0.5 * E + np.where(t < 1e-4, 1.0 / 12.0, k)[:, None, None] * E @ E
