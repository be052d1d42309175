"""What happens in a scene at its times: connections and springs made and cut, servos switched on and off, pushes begun.

One controller, `Events`, does it all, before the first step that starts at or after each time. What it did is part of
the world's state; what it knows besides – how far it is, and which connection is whose – it gives to snapshots and
files. Checked in tests/scene/test_scene.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.world.figure import LinkOf
from bunraku.world.ties import Connection
from bunraku.world.world import World

ROUND = 1e-9  # s: a time that a sum of steps may miss


@dataclass(frozen=True)
class Tie:
    """A connection or a spring: `a`, `b` are figure.link (None: the world); options as World.connect or World.spring
    has them."""

    name: str
    a: str | None
    b: str | None
    options: dict[str, Any]
    spring: bool = False
    begin: float = 0.0
    end: float = np.inf

    def start(self, world: World) -> Connection:
        """Make it."""
        a, b = (None if x is None else link_of(world, x) for x in (self.a, self.b))
        make: Any = world.spring if self.spring else world.connect
        return make(a, b, **self.options)


@dataclass(frozen=True)
class Servo:
    """Servos on joints of a figure: options as Figure.servo has them; without a target they hold the pose in which they
    begin."""

    figure: str
    joints: tuple[str, ...]
    options: dict[str, Any]
    begin: float = 0.0
    end: float = np.inf

    def start(self, world: World) -> None:
        """Switch on."""
        world[self.figure].servo(joints=self.joints, **self.options)

    def stop(self, world: World) -> None:
        """Let the joints go limp."""
        world[self.figure].servo(0.0, 0.0, joints=self.joints)


@dataclass(frozen=True)
class Push:
    """A force and torque, world axes, on a link's origin for some seconds."""

    on: str
    force: Sequence[float]
    torque: Sequence[float]
    seconds: float
    begin: float = 0.0
    end: float = np.inf

    def start(self, world: World) -> None:
        """Begin; the world ends it."""
        world.push(link_of(world, self.on), self.force, self.seconds, self.torque)


class Events:
    """Starts and stops the acts of a scene at their times."""

    name = "events of the scene"

    def __init__(self, acts: Sequence[Tie | Servo | Push]) -> None:
        self.acts = tuple(acts)
        starts = [(act.begin, 1, k) for k, act in enumerate(acts)]
        self.order = sorted(starts + [(act.end, 0, k) for k, act in enumerate(acts) if act.end < np.inf])
        self.done = 0
        self.made: dict[int, int] = {}  # act -> number of its connection

    def __call__(self, world: World) -> None:
        while self.done < len(self.order) and self.order[self.done][0] <= world.time + ROUND:
            _, begins, k = self.order[self.done]
            self.done += 1
            act = self.acts[k]
            if not begins:
                self.stop(world, k)
            elif isinstance(act, Tie):
                number = act.start(world).number
                self.made = {j: n for j, n in self.made.items() if n != number} | {k: number}  # numbers are used again
            else:
                act.start(world)

    def stop(self, world: World, k: int) -> None:
        """End act k."""
        act, connection = self.acts[k], self.connection(world, k)
        if connection is not None:
            world.disconnect(connection)
        elif isinstance(act, Servo):
            act.stop(world)

    def connection(self, world: World, k: int) -> Connection | None:
        """The connection of act k, once it is made."""
        return world.connections.get(self.made[k]) if k in self.made else None

    def connections(self, world: World) -> list[tuple[str, Connection]]:
        """The scene's connections and springs that were made, with their names."""
        found = [(act.name, self.connection(world, k)) for k, act in enumerate(self.acts) if isinstance(act, Tie)]
        return [(name, c) for name, c in found if c is not None]

    def state(self) -> dict[str, Any]:
        """How far it is, and which connection is whose."""
        return {"done": self.done, "made": [[k, n] for k, n in self.made.items()]}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a saved state."""
        self.done = int(state["done"])
        self.made = {int(k): int(n) for k, n in state["made"]}


def link_of(world: World, name: str) -> LinkOf:
    """The link called "figure.link"."""
    figure, _, link = name.partition(".")
    return world[figure][link]
