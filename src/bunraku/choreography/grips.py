"""Grips of a choreography: a hand that holds a thing, or another figure's hand, and carries force.

A grip is a connection of the world, made where hand and thing are at that moment; it bears what it is asked for, up to
its break force. The figures that take part know of it (bunraku.choreography.grip_loads). Distances to boxes, balls,
capsules and cylinders are exact, those to other shapes are to the boxes around them. Checked in
tests/choreography/test_grips.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bunraku.collision.mesh_hulls import hull_of_mesh
from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError
from bunraku.model.model import ShapeInfo
from bunraku.world.ties import Connection, RowFrame, row_frame

if TYPE_CHECKING:
    from bunraku.choreography.engine import Choreography
    from bunraku.model import Shape
    from bunraku.world.figure import Figure

REACH = 0.15  # m: from a hand's point to what it can grip
WHOLE, POINT = "x y z rx ry rz", "x y z"


@dataclass(eq=False)
class Grip:
    """A grip of `link` on `other`. `ends`: its rows among the grips of the world, one for each figure; none once it has
    ended."""

    name: str
    link: str
    other: str
    axes: str
    break_force: float
    break_torque: float
    connection: Connection
    ends: tuple[int, ...]
    owner: Choreography
    broken: bool = False

    @property
    def active(self) -> bool:
        """Whether it holds."""
        return bool(self.ends) and self.connection.active

    @property
    def force(self) -> np.ndarray:
        """Force [N] on `link` in the last step, world axes."""
        return self._frame().along @ self.connection.force if self.active else np.zeros(3)

    @property
    def torque(self) -> np.ndarray:
        """Moment [N m] on `link` at `place` in the last step, world axes."""
        return self._frame().along @ self.connection.torque if self.active else np.zeros(3)

    @property
    def place(self) -> np.ndarray:
        """Where it holds [m]."""
        return self._frame().point

    def _frame(self) -> RowFrame:
        ties, world = self.connection.ties, self.owner.world
        k = self.connection.number
        return row_frame(ties.kinds[k], ties.ties[k], kinematics(world.model, world.q))

    def release(self) -> None:
        """Let go; twice does no harm."""
        self.owner.release(self)

    def __repr__(self) -> str:
        state = "holds" if self.active else "broken" if self.broken else "released"
        return f"<grip {self.name!r}: {self.link} {state} {self.other}>"


def body_pose(figure: Figure, body: int) -> tuple[np.ndarray, np.ndarray]:
    """Where a body of a figure is, and how it is turned."""
    frame = figure.model.frame(figure.model.body_names[body])
    position, R = figure.pose(frame.name)
    turn = R @ frame.rotation.T
    return position - turn @ frame.position, turn


def gap_to(figure: Figure, link: str, point: np.ndarray) -> float:
    """Distance [m] of a point of the world from the shapes of a link; from its origin where it has none. 0 inside."""
    model = figure.model
    body = model.frame(link).body
    position, R = body_pose(figure, body)
    x = R.T @ (point - position)
    shapes = [s for s in model.shapes if s.body == body and s.role != "visual"]
    if not shapes:
        return float(np.linalg.norm(point - figure.pose(link)[0]))
    return min(gap_to_shape(s, s.rotation.T @ (x - s.position)) for s in shapes)


def gap_to_shape(s: ShapeInfo | Shape, x: np.ndarray) -> float:
    """Distance of a point x, in the shape's own axes, from a shape."""
    size = np.array(s.size)
    if s.kind == "sphere":
        return max(float(np.linalg.norm(x)) - size[0], 0.0)
    if s.kind == "capsule":
        return max(float(np.linalg.norm(x - [0, 0, np.clip(x[2], -size[1], size[1])])) - size[0], 0.0)
    if s.kind == "cylinder":
        away = np.array([np.hypot(x[0], x[1]) - size[0], abs(x[2]) - size[1]])
        return float(np.linalg.norm(np.maximum(away, 0.0)))
    middle, half = np.zeros(3), size
    if s.kind == "cone":
        half = np.array([size[0], size[0], size[1]])
    elif isinstance(s, ShapeInfo) and s.kind == "mesh":
        hull = hull_of_mesh(s.mesh, s.scale, s.link)[0]
        if hull is None:
            return float("inf")
        corners = np.asarray(hull.vertices) + hull.centre
        middle, half = 0.5 * (corners.min(0) + corners.max(0)), 0.5 * np.ptp(corners, axis=0)
    if len(half) != 3:
        return float("inf")
    return float(np.linalg.norm(np.maximum(np.abs(x - middle) - half, 0.0)))


def check_reach(link: str, other: str, gap: float, reach: float) -> None:
    """InputError where a hand is too far from what it shall grip."""
    if not (np.isfinite(reach) and reach > 0):
        raise InputError(f"grip {link!r}: reach {reach} is not a positive length.")
    if gap > reach:
        raise InputError(
            f"grip {link!r}: {other!r} is {gap:.2f} m away and a grip reaches {reach:g} m; drag the hand there first, "
            f"or give a longer reach=."
        )


def check_strength(link: str, break_force: float, break_torque: float) -> None:
    """InputError where a grip could bear nothing."""
    for name, x in (("break_force", break_force), ("break_torque", break_torque)):
        if not (isinstance(x, int | float) and x > 0):
            raise InputError(f"grip {link!r}: {name} {x!r} is not a positive number.")
