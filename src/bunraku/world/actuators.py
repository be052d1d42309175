"""Actuators, tendons and gravity compensation of a figure's file, at work in a world.

The laws are those of bunraku.model.equipment. An actuator on one degree of freedom whose force is linear in q and v is a
servo of the step itself: implicit, and without a word of Python a step (torque = m f, so k = -bias1 m^2, d = -bias2
m^2). A motor is a constant torque until its control changes. All others (tendons over several joints, forces with
unequal limits, gains that depend on length), springs of tendons and gravity compensation (the gravity torques of the
compensated masses, rnea at rest) are evaluated before every step and held during it, as MuJoCo does with its actuators.
They come in addition to `figure.tau`, which stays the user's. Actuators are off until a control is set. Checked against
MuJoCo in tests/world/test_actuators.py.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bunraku.dynamics.functions import rnea
from bunraku.errors import InputError, UnknownName, closest
from bunraku.kernel.record import Many
from bunraku.model.description import Description, Inertia
from bunraku.model.equipment import Actuator, Tendon, moments
from bunraku.model.model import Model
from bunraku.step.step_arrays import Drive

if TYPE_CHECKING:
    from bunraku.world.figure import Figure
    from bunraku.world.world import World


@dataclass(frozen=True)
class Line:
    """A transmission in a model: length row @ q + offset over the `dofs` it moves (indices into v, and into q)."""

    row: np.ndarray
    offset: float
    dofs: np.ndarray
    places: np.ndarray

    @staticmethod
    def of(model: Model, thing: Actuator | Tendon) -> Line:
        """The transmission of an actuator or tendon."""
        row, offset = moments(model, thing.joints)
        dofs = np.flatnonzero(row)
        where = {j.iv: j.iq for j in model.joints if j.nv == 1}
        return Line(row[dofs], offset, dofs, np.array([where[int(d)] for d in dofs], dtype=int))

    def length(self, q: np.ndarray) -> float:
        """Its length at q."""
        return float(self.row @ q[self.places]) + self.offset

    def rate(self, v: np.ndarray) -> float:
        """How fast it changes."""
        return float(self.row @ v[self.dofs])


class Controls:
    """The actuators of a figure by name: `figure.controls["knee"] = 0.3` sets a control and switches all of them on,
    those without a control at 0; `off()` switches them off again. Controls stay until changed."""

    figure: Figure
    names: tuple[str, ...]

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self.actuators: tuple[Actuator, ...] = tuple(figure.model.description.actuators)
        self.names = tuple(a.name for a in self.actuators)
        self._lines = [Line.of(figure.model, a) for a in self.actuators]
        used = [int(d) for line in self._lines for d in line.dofs]
        self._simple = [_servo(a, line, used) for a, line in zip(self.actuators, self._lines)]

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __repr__(self) -> str:
        shown = ", ".join(f"{n}={x:.4g}" for n, x in zip(self.names, self.values))
        return f"<Controls of {self.figure.name!r}, {'on' if self.on else 'off'}: {shown}>"

    def __getitem__(self, name: str) -> float:
        return float(self._state[0, self._index(name)])

    def __setitem__(self, name: str, value: float) -> None:
        values = self.values
        values[self._index(name)] = value
        self.set(values)

    @property
    def on(self) -> bool:
        """Whether they act."""
        return bool(self._state.size and self._state[1, 0])

    @property
    def values(self) -> np.ndarray:
        """All controls, in the order of `names`."""
        return self._state[0].copy()

    @property
    def forces(self) -> np.ndarray:
        """What each gives at the present pose [N m or N along its transmission]; zeros while they are off."""
        q, v = self.figure.q, self.figure.v
        return np.array([self._force(k, q, v) for k in range(len(self))]) if self.on else np.zeros(len(self))

    def set(self, values: Sequence[float] | np.ndarray) -> None:
        """All controls at once."""
        u = np.asarray(values, dtype=float)
        if u.shape != (len(self),) or not np.all(np.isfinite(u)):
            raise InputError(f"controls: {self.figure.name!r} takes {len(self)} finite numbers, got {values}.")
        self._state[0], self._state[1] = u, 1.0
        self._switch()

    def off(self) -> None:
        """Let go: actuators act no more, their servos have no stiffness."""
        self._state[:] = 0.0
        self._switch()

    @property
    def _state(self) -> np.ndarray:
        """(2, n): controls, and whether they act: a view of the world's state."""
        return self.figure.world._controls[:, self.figure._control_slice]

    def _index(self, name: str) -> int:
        if name not in self.names:
            raise UnknownName(f"figure {self.figure.name!r} has no actuator {name!r}.{closest(name, self.names)}")
        return self.names.index(name)

    def _switch(self) -> None:
        """Servos of the step with their targets."""
        world, part = self.figure.world, self.figure.part
        drives: Many[Drive] = Many(Drive, world.drive[part.v])
        for k, (simple, line) in enumerate(zip(self._simple, self._lines)):
            if not simple:
                continue
            a, m, d = self.actuators[k], float(line.row[0]), int(line.dofs[0])
            kp, kd = -a.bias[1] * m * m, -a.bias[2] * m * m
            on = self.on
            drives.column("kp")[d], drives.column("kd")[d] = (kp, kd) if on else (0.0, 0.0)
            most = abs(m) * a.force[1] if on else self.figure.model.effort[d]
            drives.column("effort")[d] = min(most, 1e300)
            push = m * (a.gain[0] * self._clipped(k) + a.bias[0] + a.bias[1] * line.offset)
            if kp > 0:
                self.figure.target_q[line.places[0]], self.figure.target_v[d] = push / kp, 0.0
            else:
                self.figure.target_v[d] = push / kd

    def _clipped(self, k: int) -> float:
        low, high = self.actuators[k].control
        return min(max(float(self._state[0, k]), low), high)

    def _force(self, k: int, q: np.ndarray, v: np.ndarray) -> float:
        a, line = self.actuators[k], self._lines[k]
        l, rate = line.length(q), line.rate(v)
        gain = a.gain[0] + a.gain[1] * l + a.gain[2] * rate
        f = gain * self._clipped(k) + a.bias[0] + a.bias[1] * l + a.bias[2] * rate
        return min(max(f, a.force[0]), a.force[1])

    def add_torques(self, q: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
        """Torques of those that are not servos of the step, added to `out` (nv,)."""
        if self.on:
            for k, (simple, line) in enumerate(zip(self._simple, self._lines)):
                if not simple:
                    out[line.dofs] += line.row * self._force(k, q, v)

    @property
    def varying(self) -> bool:
        """Whether some of them must be evaluated at every step."""
        return self.on and any(
            not simple and (any(a.gain[1:]) or any(a.bias[1:])) for simple, a in zip(self._simple, self.actuators)
        )


def _servo(a: Actuator, line: Line, used: list[int]) -> bool:
    """Whether the step itself can do what an actuator does: see the module text."""
    alone = len(line.dofs) == 1 and used.count(int(line.dofs[0])) == 1
    pulls = a.bias[1] <= 0.0 and a.bias[2] <= 0.0 and a.bias[1] + a.bias[2] < 0.0
    return alone and pulls and not any(a.gain[1:]) and a.force[0] == -a.force[1]


class Passive:
    """Springs of tendons and gravity compensation of a figure, which always act."""

    def __init__(self, model: Model) -> None:
        d = model.description
        self._tendons = [(t, Line.of(model, t)) for t in d.tendons if t.stiffness or t.damping]
        self._carried = _carried(d) if any(link.gravcomp for link in d.links) else None

    @property
    def any(self) -> bool:
        """Whether there is something to do."""
        return bool(self._tendons) or self._carried is not None

    def add_torques(self, q: np.ndarray, v: np.ndarray, gravity: Sequence[float], out: np.ndarray) -> None:
        """Their torques, added to `out` (nv,)."""
        for t, line in self._tendons:
            l = line.length(q)
            stretch = l - min(max(l, t.rest[0]), t.rest[1])
            out[line.dofs] -= line.row * (t.stiffness * stretch + t.damping * line.rate(v))
        if self._carried is not None:
            if tuple(self._carried.gravity) != tuple(gravity):
                self._carried = self._carried.with_gravity(gravity)
            rest = np.zeros(len(v))
            out += rnea(self._carried, np.ascontiguousarray(q), rest, rest)


def _carried(d: Description) -> Model:
    """The same tree with the compensated part of every mass alone; armatures keep it regular and weigh nothing."""
    links = []
    for link in d.links:
        part = Inertia(link.gravcomp * float(link.inertia.mass), link.inertia.com, (0.0, 0.0, 0.0))
        links.append(replace(link, inertia=part, shapes=[], gravcomp=0.0))
    return replace(d, links=links, collide_pairs=[]).build(repair=True)


def equip(world: World, figure: Figure) -> None:
    """What the file of a figure that was added says beyond its links: gravity, controls, loops that it closes."""
    d = figure.model.description
    if d.states_gravity and not world._gravity_given:
        world.gravity, world._gravity_given = tuple(map(float, figure.model.gravity)), True
    first = world._controls.shape[1]
    figure._control_slice = slice(first, first + len(d.actuators))
    world._controls = np.pad(world._controls, ((0, 0), (0, len(d.actuators))))
    if d.actuators or figure._passive.any:
        world._equipped.append(figure)
    for closure in d.closures:
        made = world._ties.close(world, figure, closure)
        if made is not None:
            figure._closures[closure.name] = made.number


def act(world: World) -> bool:
    """Put the torques of all figures' equipment into the step; whether it must be asked again before the next one."""
    again = False
    for figure in world._equipped:
        part = figure.part
        out = world._also[part.v]
        out[:] = 0.0
        q, v = world.q[part.q], world.v[part.v]
        figure.controls.add_torques(q, v, out)
        figure._passive.add_torques(q, v, world.gravity, out)
        again = again or figure.controls.varying or figure._passive.any
    return again
