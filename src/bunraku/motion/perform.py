"""Performing: a world does a solved motion by itself, with its torques and, if wanted, light servos beside them.

A `Performer` is a controller of a World whose figures are those of the motion and which begins as it does. Before every
step it gives the motion's torques to the motors and its coordinates to the servos; grips become connections, made and
cut at their times. When the motion is over the figures stay as they were at its end. What the servos do of it,
    share = sum |applied - torques| / sum |applied| ,
it counts as it goes. What it knows goes with snapshots. Checked in tests/motion/test_replay.py and
tests/motion/test_several_trees.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bunraku.errors import InputError, UnknownName, closest
from bunraku.motion.solved import Solved
from bunraku.world.ties import Connection
from bunraku.world.world import World


class Performer:
    """See the module text. stiffness [N m/rad] and damping [N m s/rad] above 0: servos follow the motion; servos: the
    figures that they lead, all by default."""

    name = "performer of a motion"

    def __init__(
        self, solved: Solved, stiffness: float = 0.0, damping: float = 0.0, servos: Sequence[str] | None = None
    ) -> None:
        self.solved, self.stiffness, self.damping = solved, stiffness, damping
        self.servos = None if servos is None else tuple(servos)
        self.grips = [h for h in solved.holds if h.grip]
        self.head = "" if solved.figures else f"{solved.model.name}."
        self.made: dict[int, int] = {}  # grip -> number of its connection
        self.done, self.own, self.total = 0, 0.0, 0.0

    @property
    def led(self) -> bool:
        """Whether servos help."""
        return self.stiffness > 0 or self.damping > 0

    @property
    def share(self) -> float:
        """Of the servos in all torque so far."""
        return self.own / self.total if self.total > 0 else 0.0

    def join(self, world: World) -> None:
        """Switch servos on, and be one of the world's controllers."""
        names = [f.name for f in world.figures]
        for name in self.servos or ():
            if name not in names:
                raise UnknownName(f"replay: the motion has no figure {name!r}.{closest(name, names)}")
        if abs(world.dt - self.solved.dt) > 1e-12:
            raise InputError(f"replay: the motion has steps of {self.solved.dt:g} s, the world of {world.dt:g} s.")
        for figure in world.figures if self.led else ():
            motors = any(j.nv and j.kind != "free" for j in figure.model.joints)
            if motors and (self.servos is None or figure.name in self.servos):
                figure.servo(self.stiffness, self.damping, effort=np.inf)
        world.add_controller(self)

    def __call__(self, world: World) -> None:
        self.count(world)
        k = min(round(world.time / world.dt), len(self.solved) - 2)
        self.hold(world, k * world.dt)
        world.tau[:] = self.solved.torques[k + 1]
        if self.led:
            world.target_q[:], world.target_v[:] = self.solved.q[k + 1], self.solved.v[k + 1]
        self.done = k + 1

    def count(self, world: World) -> None:
        """Count the torques of the step that was done last."""
        if self.done:
            self.own += float(np.abs(world.applied - self.solved.torques[self.done]).sum())
            self.total += float(np.abs(world.applied).sum())
            self.done = 0

    def hold(self, world: World, t: float) -> None:
        """Make and cut connections before the step that begins at t."""
        late = t + 0.5 * world.dt
        for k, h in enumerate(self.grips):
            if h.begin <= late < h.end and k not in self.made:
                tie = world.connect(
                    None if h.other is None else self.head + h.other, self.head + h.link,
                    at=h.place.tolist(), axes=h.axes, rotation=h.rotation,
                    break_force=h.break_force, break_torque=h.break_torque,
                )  # fmt: skip
                self.made = {j: n for j, n in self.made.items() if n != tie.number} | {k: tie.number}
            elif late >= h.end and self.made.get(k, -1) >= 0:
                world.disconnect(world.connections[self.made[k]])
                self.made[k] = -1

    def connections(self, world: World) -> list[tuple[str, Connection]]:
        """Its grips that are made, with the names of what is gripped."""
        known = world.connections
        return [(self.grips[k].link, known[n]) for k, n in self.made.items() if n in known]

    def state(self) -> dict[str, Any]:
        """What it knows."""
        made = [[k, n] for k, n in self.made.items()]
        return {"made": made, "done": self.done, "own": self.own, "total": self.total}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a saved state."""
        self.made = {int(k): int(n) for k, n in state["made"]}
        self.done, self.own, self.total = int(state["done"]), float(state["own"]), float(state["total"])
