"""Connections between bodies, made and cut while the world runs: rows of a table, no re-modelling (000, section 2; N1,
N4).

The frame of a connection has world axes at the moment and place it is made, and is fixed to the first body from then
on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bunraku.errors import InputError
from bunraku.kernel.table import Table
from bunraku.step import step_arrays as at
from bunraku.step.tie_rows import (
    ACTIVE,
    AXES,
    BODY_A,
    BODY_B,
    BROKEN,
    CONNECTION,
    DAMP,
    ENDLESS,
    MOST_FORCE,
    MOST_TORQUE,
    PLACE_A,
    PLACE_B,
    REST,
    SPRING,
    STIFF,
    TIE_COLUMNS,
    TURN_A,
    TURN_B,
)

if TYPE_CHECKING:
    from bunraku.world.world import World

NAMES = ("x", "y", "z", "rx", "ry", "rz")
Anchor = tuple[int, np.ndarray, np.ndarray]


@dataclass
class Connection:
    """A connection or spring of a world. `active` tells whether it still holds, `broken` whether it was pulled apart;
    `force` [N], `torque` [N m] what it carried last, in its own frame, on the first link."""

    number: int
    ties: Ties

    @property
    def active(self) -> bool:
        """Whether it holds."""
        return self.ties.connections.get(self.number) is self and bool(self.ties.ints[self.number, ACTIVE])

    @property
    def broken(self) -> bool:
        """Whether it was pulled harder than it bears."""
        return self.ties.connections.get(self.number) is self and bool(self.ties.ints[self.number, BROKEN])

    @property
    def break_force(self) -> float:
        """Force [N] above which it breaks."""
        return float(self.ties.reals[self.number, MOST_FORCE])

    @property
    def break_torque(self) -> float:
        """Torque [N m] above which it breaks."""
        return float(self.ties.reals[self.number, MOST_TORQUE])

    @property
    def force(self) -> np.ndarray:
        """Force [N] of the last step along x y z of the connection's frame, on the first body (a spring: its tension is
        -force[0])."""
        return self.ties.last[6 * self.number : 6 * self.number + 3].copy()

    @property
    def torque(self) -> np.ndarray:
        """Torque [N m] of the last step about x y z."""
        return self.ties.last[6 * self.number + 3 : 6 * self.number + 6].copy()


class Ties:
    """The table of connections; rows of cut ones are used again."""

    def __init__(self) -> None:
        self.connections: dict[int, Connection] = {}
        self.resized = True
        self._allot(0)

    def _allot(self, n: int) -> None:
        self.ints = np.zeros((n, 5), dtype=np.int64)
        self.reals = np.zeros((n, TIE_COLUMNS))
        self.impulse = np.zeros(6 * n)
        self.last = np.zeros(6 * n)  # forces of the last step
        self.resized = True  # the world's table must hear of the new arrays

    def put_into(self, table: Table) -> None:
        """Tell a table where the arrays are."""
        for number, array in (
            (at.TIE_INTS, self.ints),
            (at.TIE_REALS, self.reals),
            (at.TIE_IMPULSE, self.impulse),
            (at.TIE_LAST, self.last),
        ):
            table.put(number, array)
        self.resized = False

    def resize(self, n: int) -> None:
        """Room for n connections."""
        ints, reals, impulse, last = self.ints, self.reals, self.impulse, self.last
        k = min(n, len(ints))
        self._allot(n)
        self.ints[:k], self.reals[:k] = ints[:k], reals[:k]
        self.impulse[: 6 * k], self.last[: 6 * k] = impulse[: 6 * k], last[: 6 * k]

    def make(
        self,
        world: World,
        a: Anchor,
        b: Anchor,
        at: Sequence[float] | None,
        axes: str,
        break_force: float,
        break_torque: float,
        stiffness: float,
        damping: float,
    ) -> Connection:
        """A new connection; raises InputError on bad axes or numbers."""
        mask = parse_axes(axes)
        point = a[1] if at is None else _point(at, "connect: `at`")
        if a[0] == b[0]:
            raise InputError("connect: both ends are on the same body.")
        if not break_force > 0 or not break_torque > 0:
            raise InputError("connect: break_force and break_torque must be positive.")
        _check_spring("connect", stiffness, damping)
        return self._enter(
            world, CONNECTION, mask, (a, point), (b, point), stiffness, damping, 0.0, break_force, break_torque
        )

    def spring(
        self, world: World, a: Anchor, b: Anchor, at_a: Sequence[float] | None, at_b: Sequence[float] | None,
        stiffness: float, damping: float, rest: float | None, break_force: float,
    ) -> Connection:  # fmt: skip
        """A spring between two points."""
        ends = [x[1] if p is None else _point(p, "spring: a point") for x, p in ((a, at_a), (b, at_b))]
        if a[0] == b[0]:
            raise InputError("spring: both ends are on the same body.")
        _check_spring("spring", stiffness, damping)
        length = float(np.linalg.norm(ends[0] - ends[1])) if rest is None else float(rest)
        if not (np.isfinite(length) and length >= 0) or not break_force > 0:
            raise InputError("spring: rest must be 0 or more, break_force positive.")
        return self._enter(
            world, SPRING, 0, (a, ends[0]), (b, ends[1]), stiffness, damping, length, break_force, np.inf
        )

    def _enter(
        self, world: World, kind: int, mask: int, a: tuple[Anchor, np.ndarray], b: tuple[Anchor, np.ndarray],
        stiffness: float, damping: float, rest: float, force: float, torque: float,
    ) -> Connection:  # fmt: skip
        free = np.flatnonzero(self.ints[:, ACTIVE] == 0)
        if len(free) == 0:
            self.resize(max(4, 2 * len(self.ints)))
            free = np.flatnonzero(self.ints[:, ACTIVE] == 0)
        k = int(free[0])
        self.ints[k] = 0
        self.ints[k, ACTIVE], self.ints[k, AXES] = kind, mask
        for ((body, _, _), point), which, place, turn in ((a, BODY_A, PLACE_A, TURN_A), (b, BODY_B, PLACE_B, TURN_B)):
            p, R = body_pose(world, body)
            self.ints[k, which] = body
            self.reals[k, place : place + 3] = R.T @ (point - p)
            self.reals[k, turn : turn + 9] = R.T.ravel()
        self.reals[k, STIFF], self.reals[k, DAMP] = min(stiffness, ENDLESS), damping
        self.reals[k, REST] = rest
        self.reals[k, MOST_FORCE], self.reals[k, MOST_TORQUE] = min(force, ENDLESS), min(torque, ENDLESS)
        self.impulse[6 * k : 6 * k + 6] = self.last[6 * k : 6 * k + 6] = 0.0
        connection = self.connections[k] = Connection(k, self)
        return connection

    def cut(self, connection: Connection) -> None:
        """Let go."""
        if self.connections.get(connection.number) is connection:
            self.ints[connection.number, ACTIVE] = 0
            self.impulse[6 * connection.number : 6 * connection.number + 6] = 0.0


def _point(x: Sequence[float], what: str) -> np.ndarray:
    point = np.asarray(x, dtype=float)
    if point.shape != (3,) or not np.all(np.isfinite(point)):
        raise InputError(f"{what} needs three finite numbers, got {x}.")
    return point


def _check_spring(what: str, stiffness: float, damping: float) -> None:
    if not stiffness >= 0 or not (np.isfinite(damping) and damping >= 0) or stiffness + damping == 0:
        raise InputError(f"{what}: stiffness and damping must be 0 or more, and not both 0.")


def parse_axes(axes: str) -> int:
    """Bit mask of "x y rz", "xyz" or any other mixture."""
    words = axes.replace(",", " ").split()
    flat: list[str] = []
    for w in words:
        if w in NAMES:
            flat.append(w)
        elif set(w) <= {"x", "y", "z"}:
            flat += list(w)
        else:
            raise InputError(f"connect: axes {axes!r} has {w!r}; write any of x y z rx ry rz, with spaces between.")
    if not flat:
        raise InputError("connect: no axes given; write e.g. 'x y z'.")
    return sum(1 << NAMES.index(w) for w in set(flat))


def body_pose(world: World, body: int) -> tuple[np.ndarray, np.ndarray]:
    """(origin, rotation) of a body of the combined model."""
    from bunraku.dynamics.functions import kinematics

    k = kinematics(world.model, world.q)
    return k.position[body], k.rotation[body]
