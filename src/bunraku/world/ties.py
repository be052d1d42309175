"""Connections between bodies, made and cut while the world runs: rows of a table, no re-modelling (Nakamura & Yamane
2000, section 2).

The frame of a connection has world axes at the moment and place it is made, and is fixed to the first body from then
on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bunraku.errors import InputError
from bunraku.kernel.record import Many, flat, load, put, zeros
from bunraku.step.step_arrays import Step, Tie, TieKind
from bunraku.step.tie_rows import CONNECTION, ENDLESS, SPRING

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
        return self.ties.connections.get(self.number) is self and bool(self.ties.kinds[self.number].active)

    @property
    def broken(self) -> bool:
        """Whether it was pulled harder than it bears."""
        return self.ties.connections.get(self.number) is self and bool(self.ties.kinds[self.number].broken)

    @property
    def break_force(self) -> float:
        """Force [N] above which it breaks."""
        return float(self.ties.ties[self.number].most_force)

    @property
    def break_torque(self) -> float:
        """Torque [N m] above which it breaks."""
        return float(self.ties.ties[self.number].most_torque)

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
        self.ints, self.reals = zeros(TieKind, n), zeros(Tie, n)
        self.impulse = np.zeros(6 * n)
        self.last = np.zeros(6 * n)  # forces of the last step
        self.resized = True  # the world's table must hear of the new arrays

    @property
    def kinds(self) -> Many[TieKind]:
        """What every connection is."""
        return Many(TieKind, self.ints)

    @property
    def ties(self) -> Many[Tie]:
        """Numbers of every connection."""
        return Many(Tie, self.reals)

    def put_into(self, step: Step) -> None:
        """Tell a step where the arrays are."""
        put(step, tie_kinds=self.ints, ties=self.reals, tie_impulse=self.impulse, tie_last=self.last)
        self.resized = False

    def resize(self, n: int) -> None:
        """Room for n connections."""
        ints, reals, impulse, last = self.ints, self.reals, self.impulse, self.last
        k = min(n, len(ints))
        self._allot(n)
        self.ints[:k], self.reals[:k] = ints[:k], reals[:k]
        self.impulse[: 6 * k], self.last[: 6 * k] = impulse[: 6 * k], last[: 6 * k]

    def make(
        self, world: World, ends: tuple[Anchor, Anchor], at: Sequence[float] | None, axes: str, law: Tie
    ) -> Connection:
        """A new connection of a law (`law_of`); raises InputError on bad axes or numbers."""
        mask = parse_axes(axes)
        point = ends[0][1] if at is None else _point(at, "connect: `at`")
        if ends[0][0] == ends[1][0]:
            raise InputError("connect: both ends are on the same body.")
        if not law.most_force > 0 or not law.most_torque > 0:
            raise InputError("connect: break_force and break_torque must be positive.")
        _check_spring("connect", law)
        return self._enter(world, CONNECTION, mask, ends, (point, point), law)

    def spring(
        self,
        world: World,
        ends: tuple[Anchor, Anchor],
        at: Sequence[Sequence[float] | None],
        rest: float | None,
        law: Tie,
    ) -> Connection:
        """A spring between two points."""
        points = [x[1] if p is None else _point(p, "spring: a point") for x, p in zip(ends, at)]
        if ends[0][0] == ends[1][0]:
            raise InputError("spring: both ends are on the same body.")
        _check_spring("spring", law)
        law.rest = float(np.linalg.norm(points[0] - points[1])) if rest is None else float(rest)
        if not (np.isfinite(law.rest) and law.rest >= 0) or not law.most_force > 0:
            raise InputError("spring: rest must be 0 or more, break_force positive.")
        return self._enter(world, SPRING, 0, ends, (points[0], points[1]), law)

    def _enter(
        self, world: World, kind: int, mask: int, ends: tuple[Anchor, Anchor], points: tuple[np.ndarray, ...], law: Tie
    ) -> Connection:
        free = np.flatnonzero(self.kinds.column("active") == 0)
        if len(free) == 0:
            self.resize(max(4, 2 * len(self.ints)))
            free = np.flatnonzero(self.kinds.column("active") == 0)
        k = int(free[0])
        what = self.kinds[k]
        what.active, what.axes, what.broken = kind, mask, 0
        what.body_a, what.body_b = ends[0][0], ends[1][0]
        for side, end, point in zip("ab", ends, points):
            place, turn = in_body(world, end[0], point)
            load(law, {f"place_{side}": place, f"turn_{side}": turn})
        self.reals[k] = flat(law)
        self.impulse[6 * k : 6 * k + 6] = self.last[6 * k : 6 * k + 6] = 0.0
        connection = self.connections[k] = Connection(k, self)
        return connection

    def cut(self, connection: Connection) -> None:
        """Let go."""
        if self.connections.get(connection.number) is connection:
            self.kinds[connection.number].active = 0
            self.impulse[6 * connection.number : 6 * connection.number + 6] = 0.0


def _point(x: Sequence[float], what: str) -> np.ndarray:
    point = np.asarray(x, dtype=float)
    if point.shape != (3,) or not np.all(np.isfinite(point)):
        raise InputError(f"{what} needs three finite numbers, got {x}.")
    return point


def law_of(stiffness: float, damping: float, break_force: float = np.inf, break_torque: float = np.inf) -> Tie:
    """Numbers of a connection without its places; infinite ones stand for what is rigid and never breaks."""
    law = Tie()
    law.stiff, law.damp = min(stiffness, ENDLESS), damping
    law.most_force, law.most_torque = min(break_force, ENDLESS), min(break_torque, ENDLESS)
    return law


def _check_spring(what: str, law: Tie) -> None:
    if not law.stiff >= 0 or not (np.isfinite(law.damp) and law.damp >= 0) or law.stiff + law.damp == 0:
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


def in_body(world: World, body: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A point of the world and the world's axes, row by row, in the frame of a body of the combined model."""
    from bunraku.dynamics.functions import kinematics

    k = kinematics(world.model, world.q)
    R = k.rotation[body]
    return R.T @ (point - k.position[body]), R.T.ravel()
