"""Replay: a solved motion in a plain World, by its torques alone (open loop), or with light PD servos beside them.

The world has the same step, floor and figure, so what it does differently is contact: it solves for the forces itself.
Open loop nothing pulls the figure back, so errors grow as an inverted pendulum falls, e^(t / 0.3 s); with PD it
follows, and the PD's share of the torque,
    share = sum |applied - torques| / sum |applied| ,
says how much of the motion is the servos' own doing. Grips become connections, made and cut at their times; fixed shapes
that are only gripped do not collide. Checked in tests/motion/test_replay.py and tests/motion/test_several_trees.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bunraku.model.configuration import difference
from bunraku.motion.perform import Performer
from bunraku.motion.solved import Solved


@dataclass(frozen=True, eq=False)
class Replay:
    """q, v (n, …) of the world; error (n): largest difference of a joint [rad or m]; base (n): of the base's position
    [m]; share of PD torque."""

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    error: np.ndarray
    base: np.ndarray
    share: float

    def within(self, seconds: float) -> float:
        """Largest joint error in the first seconds."""
        return float(self.error[self.times - self.times[0] <= seconds + 1e-9].max())


def replay(
    solved: Solved,
    *,
    seconds: float | None = None,
    contact: str = "pgs",
    stiffness: float = 0.0,
    damping: float = 0.0,
    self_collision: bool = True,
    servos: Sequence[str] | None = None,
) -> Replay:
    """Step a world with the torques of a motion; stiffness [N m/rad] and damping [N m s/rad] above 0 add servos that
    follow it.

    Grips become connections that are made and cut at their times. self_collision False: links pass through each
    other, as in captured motions they often do a little. servos: the figures that they lead, all by default.
    """
    world = solved.world(contact, gripped=False, self_collision=self_collision)
    model = solved.model
    performer = Performer(solved, stiffness, damping, servos)
    performer.join(world)
    steps = len(solved) - 1 if seconds is None else min(len(solved) - 1, round(seconds / solved.dt))
    q, v = [world.q.copy()], [world.v.copy()]
    for _ in range(steps):
        world.step()
        q.append(world.q.copy())
        v.append(world.v.copy())
    performer.count(world)
    rows = np.array(q)
    apart = np.abs(difference(model, solved.q[: len(rows)], rows))
    roots = [j.iv for j in model.joints if j.kind == "free"]
    places = [i + n for i in roots for n in range(3)]
    joints = np.setdiff1d(np.arange(model.nv), [i + n for i in roots for n in range(6)])
    error, base = (apart[:, which].max(axis=1, initial=0.0) for which in (joints, places))
    return Replay(solved.times[: len(rows)], rows, np.array(v), error, base, performer.share)
