"""What acts in a scene while it runs: servos, springs, and events at their times. Each is a controller that can be saved and restored.

Servo: tau = K' (target - q) - D' v with K' = K / (1 + dt^2 K / I), D' = D / (1 + dt D / I), where I = 1 / (M^-1)_ii of the target pose is
the least inertia that the joint can feel. So dt^2 K' / I < 1 and dt D' / I < 1, which keeps a light free limb stable under any gains
(semi-implicit Euler needs dt^2 K' / I < 4 - 2 dt D' / I). Differences are on the group for balls; with a target of None it holds the pose
it first sees.
Spring: force along the line between two points, stiffness * (length - rest) + damping * length', applied for one step at a time.
Events: connections made and cut, and pushes begun, before the first step that starts at or after their time. Checked in tests/scene/test_scene.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.dynamics.functions import crba
from bunraku.model.configuration import difference
from bunraku.world.ties import Connection
from bunraku.world.world import LinkOf, World

ROUND = 1e-9  # s: a time that a sum of steps may miss


class Servo:
    """Stiffness [N m/rad or N/m] and damping on some degrees of freedom of a figure (indices into v), between two times; torques are bounded by
    `effort`, or by the model's own limits."""

    def __init__(
        self,
        figure: str,
        dofs: np.ndarray,
        stiffness: float,
        damping: float,
        target: np.ndarray | None = None,
        effort: float | None = None,
        times: tuple[float, float] = (0.0, np.inf),
    ) -> None:
        self.name = f"servo of {figure}"
        self.figure, self.dofs, self.stiffness, self.damping = figure, dofs, stiffness, damping
        self.gains: tuple[np.ndarray, np.ndarray] | None = None
        self.target, self.effort, self.times, self.on = target, effort, times, False

    def __call__(self, world: World) -> None:
        figure = world[self.figure]
        now = self.times[0] - ROUND <= world.time < self.times[1] - ROUND
        if now:
            if self.target is None:
                self.target = figure.q.copy()
            if self.gains is None:
                lightness = np.diag(np.linalg.inv(crba(figure.model, self.target)))[self.dofs]
                soft, damp = world.dt**2 * self.stiffness * lightness, world.dt * self.damping * lightness
                self.gains = self.stiffness / (1.0 + soft), self.damping / (1.0 + damp)
            error = difference(figure.model, figure.q, self.target)[self.dofs]
            torque = self.gains[0] * error - self.gains[1] * figure.v[self.dofs]
            limit = figure.model.effort[self.dofs] if self.effort is None else self.effort
            figure.tau[self.dofs] = np.clip(torque, -limit, limit)
        elif self.on:
            figure.tau[self.dofs] = 0.0
        self.on = now

    def state(self) -> dict[str, Any]:
        """Its target, and whether it acts."""
        return {"target": None if self.target is None else self.target.tolist(), "on": self.on}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a saved state."""
        self.target = None if state["target"] is None else np.array(state["target"], dtype=float)
        self.on, self.gains = bool(state["on"]), None


@dataclass
class Spring:
    """Between points of two links (or of a link and the world); points are in the links' axes, or the world's."""

    a: str
    b: str | None
    at_a: np.ndarray
    at_b: np.ndarray
    stiffness: float
    damping: float
    rest: float

    def __call__(self, world: World) -> None:
        (pa, va, ra), (pb, vb, rb) = self.end(world, self.a, self.at_a), self.end(world, self.b, self.at_b)
        along = pb - pa
        length = float(np.linalg.norm(along))
        if length < 1e-12:
            return
        along /= length
        force = (self.stiffness * (length - self.rest) + self.damping * float((vb - va) @ along)) * along
        world.push(link_of(world, self.a), force, world.dt, np.cross(ra, force))
        if self.b is not None:
            world.push(link_of(world, self.b), -force, world.dt, np.cross(rb, -force))

    @staticmethod
    def end(world: World, name: str | None, point: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(place, velocity, arm from the link's origin) of one end."""
        if name is None:
            return point, np.zeros(3), np.zeros(3)
        link = link_of(world, name)
        place, turn = link.figure.pose(link.name)
        velocity = link.figure.velocity(link.name)
        arm = turn @ point
        return place + arm, velocity[:3] + np.cross(velocity[3:], arm), arm

    def state(self) -> dict[str, Any]:
        """Nothing of its own."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing of its own."""


@dataclass(frozen=True)
class Tie:
    """A connection of the scene: `a`, `b` are figure.link (b None: the world); options as World.connect has them."""

    name: str
    a: str
    b: str | None
    options: dict[str, Any]
    begin: float
    end: float


@dataclass(frozen=True)
class Push:
    """A push of the scene."""

    on: str
    force: Sequence[float]
    torque: Sequence[float]
    begin: float
    seconds: float


class Events:
    """Makes and cuts connections, and begins pushes, at their times."""

    name = "events of the scene"

    def __init__(self, ties: Sequence[Tie], pushes: Sequence[Push]) -> None:
        self.ties, self.pushes = tuple(ties), tuple(pushes)
        todo = [(t.begin, 0, k) for k, t in enumerate(ties)] + [(p.begin, 2, k) for k, p in enumerate(pushes)]
        todo += [(t.end, 1, k) for k, t in enumerate(ties) if t.end < np.inf]
        self.order = sorted(todo)
        self.done = 0
        self.made: dict[int, int] = {}  # tie -> number of its connection

    def __call__(self, world: World) -> None:
        while self.done < len(self.order) and self.order[self.done][0] <= world.time + ROUND:
            _, what, k = self.order[self.done]
            self.done += 1
            if what == 0:
                tie = self.ties[k]
                b = None if tie.b is None else link_of(world, tie.b)
                number = world.connect(link_of(world, tie.a), b, **tie.options).number
                self.made = {j: n for j, n in self.made.items() if n != number} | {k: number}  # numbers are used again
            elif what == 1:
                connection = self.connection(world, k)
                if connection is not None:
                    world.disconnect(connection)
            else:
                push = self.pushes[k]
                world.push(link_of(world, push.on), push.force, push.seconds, push.torque)

    def connection(self, world: World, k: int) -> Connection | None:
        """The connection of tie k, once it is made."""
        return world.connections.get(self.made[k]) if k in self.made else None

    def state(self) -> dict[str, Any]:
        """How far it is, and which connection is whose."""
        return {"done": self.done, "made": [[k, n] for k, n in self.made.items()]}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a saved state."""
        self.done = int(state["done"])
        self.made = {int(k): int(n) for k, n in state["made"]}


def link_of(world: World, name: str) -> LinkOf:
    """The link called "figure.link", or a figure's first one."""
    figure, _, link = name.partition(".")
    return world[figure][link or world[figure].model.links[0].name]
