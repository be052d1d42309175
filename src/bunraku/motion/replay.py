"""Replay: a solved motion in a plain World, by its torques alone (open loop), or with light PD servos beside them.

The world has the same step, floor and figure, so what it does differently is contact: it solves for the forces itself.
Open loop nothing pulls the figure back, so errors grow as an inverted pendulum falls, e^(t / 0.3 s); with PD it
follows, and the PD's share of the torque,
    share = sum |applied - torques| / sum |applied| ,
says how much of the motion is the servos' own doing. Grips become connections, and what is only gripped does not
collide. Checked in tests/motion/test_replay.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.model.configuration import difference
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
) -> Replay:
    """Step a world with the torques of a motion; stiffness [N m/rad] and damping [N m s/rad] above 0 add servos that
    follow it.

    Grips hold the frames' points where the motion's first frame has them. self_collision False: links pass through each
    other, as in captured motions they often do a little.
    """
    world = solved.world(contact, gripped=False, self_collision=self_collision)
    figure, model = world.figures[0], solved.model
    for name in solved.grips:
        world.connect(figure[name], at=grip_point(solved, name).tolist(), axes="x y z")
    pd = stiffness > 0 or damping > 0
    steps = len(solved) - 1 if seconds is None else min(len(solved) - 1, round(seconds / solved.dt))
    if pd:
        figure.servo(stiffness, damping, effort=np.inf)
    q, v, own, total = [figure.q.copy()], [figure.v.copy()], 0.0, 0.0
    for k in range(1, steps + 1):
        figure.tau[:] = solved.torques[k]
        if pd:
            figure.target_q[:], figure.target_v[:] = solved.q[k], solved.v[k]
        world.step()
        q.append(figure.q.copy())
        v.append(figure.v.copy())
        applied = figure.applied
        own += float(np.abs(applied - solved.torques[k]).sum())
        total += float(np.abs(applied).sum())
    rows = np.array(q)
    apart = np.abs(difference(model, solved.q[: len(rows)], rows))
    free = model.joints[0].kind == "free"
    error, base = apart[:, 6 if free else 0 :].max(axis=1), apart[:, :3].max(axis=1) if free else np.zeros(len(rows))
    share = own / total if total > 0 else 0.0
    return Replay(solved.times[: len(rows)], rows, np.array(v), error, base, share)


def grip_point(solved: Solved, link: str) -> np.ndarray:
    """Where a link is gripped: its point in the first frame that has one."""
    numbers = [k for k, (name, _) in enumerate(solved.shapes) if name == link]
    patch = int(np.flatnonzero(np.isin(solved.frames.pair[:, 0], numbers))[0])
    return solved.frames.points[solved.frames.point_start[patch]].copy()
