"""Connections between bodies, made and cut while the world runs: rows of a table, no re-modelling (Nakamura & Yamane
2000, section 2).

The frame of a connection stands where and as it is made: at a point of the world, along the world's axes or turned by a
rotation against them. From then on either body carries it along; rows, forces and torques are along the axes that the
first body carries. Checked in tests/world/.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.errors import InputError
from bunraku.kernel.record import Many, flat, load, put, zeros
from bunraku.model.rotations import matrix, quaternion, rotation_matrix
from bunraku.step.step_arrays import Step, Tie, TieKind
from bunraku.step.tie_rows import CONNECTION, ENDLESS, SPRING

if TYPE_CHECKING:
    from bunraku.dynamics.functions import Kinematics
    from bunraku.model.equipment import Closure
    from bunraku.world.figure import Figure
    from bunraku.world.world import World

NAMES = ("x", "y", "z", "rx", "ry", "rz")
Anchor = tuple[int, np.ndarray, np.ndarray]


@dataclass
class Connection:
    """A connection or spring of a world. `active` tells whether it still holds, `broken` whether it was pulled apart;
    `force` [N], `torque` [N m] what it carried last, on the first link, along the axes of its frame that the first link
    carries; where one turning axis is tied, `torque` is about the axis square to both free ones (of a universal joint)."""

    number: int
    ties: Ties

    def __repr__(self) -> str:
        """What it ties, whether it holds, and what it carries."""
        if self.ties.connections.get(self.number) is not self:
            return f"<connection {self.number}, cut>"
        kind = self.ties.kinds[self.number]
        tied = int(kind.axes) | int(kind.rates)
        axes = " ".join(name for k, name in enumerate(NAMES) if tied >> k & 1)
        what = "spring" if int(kind.active) == SPRING else f"connection along {axes}"
        state = "holds" if self.active else "broken" if self.broken else "cut"
        carried = f"{np.linalg.norm(self.force):.4g} N, {np.linalg.norm(self.torque):.4g} N m"
        return f"<{what}, number {self.number}: {state}{', ' + carried if self.active else ''}>"

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


@dataclass(frozen=True)
class Ways:
    """What a connection ties, as a user gives it: see `World.connect`."""

    axes: str | None
    velocity_axes: str = ""
    rotation: Any = None
    restitution: float | Mapping[str, float] = 0.0
    radius: float = 0.0

    def masks(self) -> tuple[int, int]:
        """(axes, axes whose rates alone are tied) as bit masks."""
        rates = parse_axes(self.velocity_axes) if self.velocity_axes else 0
        axes = 0 if self.axes is None and rates else parse_axes("x y z" if self.axes is None else self.axes)
        for k, name in enumerate(NAMES):
            if axes & rates & 1 << k:
                raise InputError(
                    f"connect: {name!r} is in axes and in velocity_axes; an axis ties its position or its rate alone."
                )
        return axes, rates

    def put_into(self, law: Tie) -> tuple[int, int]:
        """Check all, write restitution and radius into a law; returns the masks."""
        axes, rates = self.masks()
        soft = law.stiff < ENDLESS
        if rates and soft:
            raise InputError("connect: velocity_axes are rigid; leave compliance out, or make a second connection.")
        r = _number(self.radius)
        if not 0 <= r < np.inf:
            raise InputError(f"connect: radius {self.radius!r} is not a length of 0 or more.")
        if r > 0 and not rates & 7:
            raise InputError("connect: radius is of what rolls; name velocity_axes too, e.g. 'x y'.")
        law.radius = r
        given = self.restitution
        each = (
            given if isinstance(given, Mapping) else {n: given for k, n in enumerate(NAMES) if (axes | rates) >> k & 1}
        )
        for name, value in each.items():
            if name not in NAMES or not (axes | rates) >> NAMES.index(name) & 1:
                tied = " ".join(n for k, n in enumerate(NAMES) if (axes | rates) >> k & 1)
                raise InputError(
                    f"connect: restitution names axis {name!r}, which is not tied; write some of {tied!r}."
                )
            if not 0 <= _number(value) <= 1:
                raise InputError(f"connect: restitution {value!r} of axis {name!r} is not between 0 and 1.")
            law.restitution[NAMES.index(name)] = float(value)
        if soft and np.any(law.restitution):
            raise InputError("connect: restitution is of rigid connections; leave compliance or restitution out.")
        return axes, rates


@dataclass(frozen=True)
class RowFrame:
    """Where the rows of a connection are, in the world: `along` and `about` have the directions of forces and torques as
    columns, `point` is where forces act, `touch` where those do whose axes tie rates alone."""

    along: np.ndarray
    about: np.ndarray
    point: np.ndarray
    touch: np.ndarray


def row_frame(kind: TieKind, tie: Tie, poses: Kinematics) -> RowFrame:
    """The rows of a connection at the poses of all bodies."""
    a, b = int(kind.body_a), int(kind.body_b)
    F, E = (poses.rotation[i] @ np.reshape(turn, (3, 3)) for i, turn in ((a, tie.turn_a), (b, tie.turn_b)))
    xa, xb = (poses.position[i] + poses.rotation[i] @ np.array(p) for i, p in ((a, tie.place_a), (b, tie.place_b)))
    about, turns = F, int(kind.axes) >> 3
    if turns in (1, 2, 4):  # bunraku.step.universal
        k = turns.bit_length() - 1
        i, j = (k + 1) % 3, (k + 2) % 3
        d = np.cross(F[:, i], E[:, j])
        over = tie.stiff < ENDLESS and F[:, i] @ E[:, i] + F[:, j] @ E[:, j] < 0
        about = F.copy()
        about[:, k] = (-d if over else d) / max(float(np.linalg.norm(d)), 1e-9)
    return RowFrame(F, about, xb, xb - tie.radius * F[:, 2] if tie.radius > 0 else xa)


class Ties:
    """The table of connections; rows of cut ones are used again."""

    def __init__(self) -> None:
        self.connections: dict[int, Connection] = {}
        self.resized = True
        self.unborn = False  # some have restitution that their first step is to see
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
        self, world: World, ends: tuple[Anchor, Anchor], at: Sequence[float] | None, ways: Ways, law: Tie
    ) -> Connection:
        """A new connection of a law (`law_of`); raises InputError on bad axes or numbers."""
        masks = ways.put_into(law)
        R = None if ways.rotation is None else matrix(quaternion(rotation_matrix(ways.rotation, "connect: rotation")))
        point = ends[0][1] if at is None else _point(at, "connect: `at`")
        if ends[0][0] == ends[1][0]:
            raise InputError("connect: both ends are on the same body.")
        if not law.most_force > 0 or not law.most_torque > 0:
            raise InputError("connect: break_force and break_torque must be positive.")
        _check_spring("connect", law)
        self.unborn = self.unborn or bool(np.any(law.restitution))
        return self._enter(world, (CONNECTION, *masks), ends, (point, point), law, R)

    def close(self, world: World, figure: Figure, closure: Closure) -> Connection | None:
        """A loop of a figure's file: the frame of one link on that of another, wherever they are now. None where both are
        one body."""
        sides = [
            (closure.link, closure.place, closure.rotation),
            (closure.other, closure.other_place, closure.other_rotation),
        ]
        ends: list[Anchor] = []
        frames: dict[str, np.ndarray] = {}
        for side, (link, place, rotation) in zip("ab", sides):
            turn, point, body = rotation_matrix(rotation), np.asarray(place, dtype=float), 0
            if link is not None:
                info = figure.model.frame(link)
                body = figure.part.body + info.body if info.body else 0
                point, turn = info.position + info.rotation @ point, info.rotation @ turn
            ends.append((body, np.zeros(3), np.eye(3)))
            frames |= {f"place_{side}": point, f"turn_{side}": turn.ravel()}
        if ends[0][0] == ends[1][0]:
            return None
        made = self.make(world, (ends[0], ends[1]), (0.0, 0.0, 0.0), Ways(closure.axes), law_of(np.inf, 0.0))
        load(self.ties[made.number], frames)
        return made

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
        return self._enter(world, (SPRING, 0, 0), ends, (points[0], points[1]), law)

    def _enter(
        self,
        world: World,
        what_it_is: tuple[int, int, int],
        ends: tuple[Anchor, Anchor],
        points: tuple[np.ndarray, ...],
        law: Tie,
        R: np.ndarray | None = None,
    ) -> Connection:
        """A row of the table: what it is (kind, axes, rates), on which bodies, at which points of the world, and how its
        frame is turned there."""
        free = np.flatnonzero(self.kinds.column("active") == 0)
        if len(free) == 0:
            self.resize(max(4, 2 * len(self.ints)))
            free = np.flatnonzero(self.kinds.column("active") == 0)
        k = int(free[0])
        what = self.kinds[k]
        what.active, what.axes, what.rates = what_it_is
        what.broken = 0
        what.body_a, what.body_b = ends[0][0], ends[1][0]
        for side, end, point in zip("ab", ends, points):
            place, turn = in_body(world, end[0], point)
            load(law, {f"place_{side}": place, f"turn_{side}": turn.ravel() if R is None else (turn @ R).ravel()})
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


def _number(x: Any) -> float:
    """x, or NaN where it is no number."""
    try:
        return float(x)
    except (TypeError, ValueError):
        return np.nan


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
    """A point of the world and the world's axes (columns) in the frame of a body of the combined model."""
    from bunraku.dynamics.functions import kinematics

    k = kinematics(world.model, world.q)
    R = k.rotation[body]
    return R.T @ (point - k.position[body]), R.T
