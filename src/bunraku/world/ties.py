"""Connections between bodies, made and cut while the world runs: rows of a table, no re-modelling (000, section 2; N1, N4).

The frame of a connection has world axes at the moment and place it is made, and is fixed to the first body from then on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bunraku.constraint.assemble import ACTIVE, PLACE_A, PLACE_B, SOFT, TURN_A, TURN_B
from bunraku.errors import InputError

if TYPE_CHECKING:
    from bunraku.world.world import World

NAMES = ("x", "y", "z", "rx", "ry", "rz")
Anchor = tuple[int, np.ndarray, np.ndarray]


@dataclass
class Connection:
    """A connection's number in the world and its limits. `active` tells whether it still holds; `force`, `torque` what it carried last."""

    number: int
    ties: Ties
    break_force: float
    break_torque: float
    broken: bool = False

    @property
    def active(self) -> bool:
        """Whether it holds."""
        return bool(self.ties.ints[self.number, ACTIVE])

    @property
    def force(self) -> np.ndarray:
        """Force [N] of the last step along x y z of the connection's frame, on the first body."""
        return self.ties.last[6 * self.number : 6 * self.number + 3].copy()

    @property
    def torque(self) -> np.ndarray:
        """Torque [N m] of the last step about x y z."""
        return self.ties.last[6 * self.number + 3 : 6 * self.number + 6].copy()


class Ties:
    """The table of connections; rows of cut ones are used again."""

    def __init__(self) -> None:
        self.ints = np.zeros((0, 4), dtype=np.int64)
        self.reals = np.zeros((0, 25))
        self.impulse = np.zeros(0)
        self.last = np.zeros(0)  # forces of the last step
        self.connections: dict[int, Connection] = {}

    @property
    def breakable(self) -> bool:
        """Whether any connection can break."""
        return any(c.active and min(c.break_force, c.break_torque) < np.inf for c in self.connections.values())

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What the step reads and writes."""
        return self.ints, self.reals, self.impulse

    def resize(self, n: int) -> None:
        """Room for n connections."""
        k = min(n, len(self.ints))
        ints, reals, impulse, last = (
            np.zeros((n, 4), dtype=np.int64),
            np.zeros((n, 25)),
            np.zeros(6 * n),
            np.zeros(6 * n),
        )
        ints[:k], reals[:k] = self.ints[:k], self.reals[:k]
        impulse[: 6 * k], last[: 6 * k] = self.impulse[: 6 * k], self.last[: 6 * k]
        self.ints, self.reals, self.impulse, self.last = ints, reals, impulse, last

    def make(
        self,
        world: World,
        a: Anchor,
        b: Anchor,
        at: Sequence[float] | None,
        axes: str,
        break_force: float,
        break_torque: float,
        compliance: float,
    ) -> Connection:
        """A new connection; raises InputError on bad axes or numbers."""
        mask = parse_axes(axes)
        point = a[1] if at is None else np.asarray(at, dtype=float)
        if point.shape != (3,) or not np.all(np.isfinite(point)):
            raise InputError(f"connect: `at` needs three finite numbers, got {at}.")
        if a[0] == b[0]:
            raise InputError("connect: both ends are on the same body.")
        if not break_force > 0 or not break_torque > 0 or not (np.isfinite(compliance) and compliance >= 0):
            raise InputError("connect: break_force and break_torque must be positive, compliance 0 or more.")
        free = np.flatnonzero(self.ints[:, ACTIVE] == 0)
        if len(free) == 0:
            self.resize(max(4, 2 * len(self.ints)))
            free = np.flatnonzero(self.ints[:, ACTIVE] == 0)
        k = int(free[0])
        self.ints[k] = 1, a[0], b[0], mask
        for (body, _, _), place, turn in ((a, PLACE_A, TURN_A), (b, PLACE_B, TURN_B)):
            p, R = body_pose(world, body)
            self.reals[k, place : place + 3] = R.T @ (point - p)
            self.reals[k, turn : turn + 9] = R.T.ravel()
        self.reals[k, SOFT] = compliance / world.dt
        self.impulse[6 * k : 6 * k + 6] = self.last[6 * k : 6 * k + 6] = 0.0
        connection = self.connections[k] = Connection(k, self, float(break_force), float(break_torque))
        return connection

    def cut(self, connection: Connection) -> None:
        """Let go."""
        if self.connections.get(connection.number) is connection:
            self.ints[connection.number, ACTIVE] = 0
            self.impulse[6 * connection.number : 6 * connection.number + 6] = 0.0

    def break_overloaded(self, world: World) -> None:
        """Read the forces of the last step and cut what was pulled too hard."""
        self.last[:] = self.impulse / world.dt
        for k, c in self.connections.items():
            if not self.ints[k, ACTIVE]:
                continue
            if np.linalg.norm(c.force) > c.break_force or np.linalg.norm(c.torque) > c.break_torque:
                self.ints[k, ACTIVE] = 0
                self.impulse[6 * k : 6 * k + 6] = 0.0
                c.broken = True


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
