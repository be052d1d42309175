"""Random falls, and whether the figure gets up from them within twenty seconds and stays up for two.

    fall_trial(seed)       draws height (1.5 to 1.9 m), friction (0.5 to 1.2), and a fall: dropped in any orientation with
                           limbs anyhow, or pushed off its feet; three seconds later it may get up
Used by `bunraku bench choreography --falls`; checked in tests/bench/test_fall_trials.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import bunraku as bk
from bunraku.choreography.rising_frames import Pose, coordinates
from bunraku.errors import BunrakuError
from bunraku.humanoid.opening_pose import lowest
from bunraku.model.model import Model

LIMIT, LIES, STAYS = 20.0, 3.0, 2.0  # s
DROP, SPEED = 0.6, 0.7  # m above the floor; m/s of a throw
UP = 0.9  # of the standing height of the centre of mass


@dataclass(frozen=True)
class FallTrial:
    """One fall: its numbers, whether it was got up from, after how long [s], in how many tries."""

    seed: int
    kind: str
    height: float
    friction: float
    up: bool
    seconds: float
    tries: int
    end: str


def anyhow(model: Model, rng: np.random.Generator) -> np.ndarray:
    """A random pose in a random orientation, above the floor."""
    u = rng.uniform
    pose: Pose = {"waist": (u(-0.3, 0.6), u(-0.4, 0.4), u(-0.5, 0.5))}
    for side in ("l_", "r_"):
        pose[side + "hip"] = (u(-0.2, 1.6), u(-0.1, 0.6), u(-0.4, 0.4))
        pose[side + "knee"], pose[side + "elbow"] = u(0, 2), u(0, 2)
        pose[side + "shoulder"] = (u(-0.6, 2.2), u(0, 1.5), u(-0.8, 0.8))
    q = coordinates(model, pose)
    turn = rng.normal(size=4)
    q[3:7] = turn / np.linalg.norm(turn)
    q[2] = 0.0
    q[2] = DROP - lowest(model, q)
    return q


def fallen(seed: int, contact: str = "pgs") -> tuple[bk.Choreography, str, float, float]:
    """(choreography, kind, height, friction) of a random fall, lying."""
    rng = np.random.default_rng(seed)
    height, friction = float(rng.uniform(1.5, 1.9)), float(rng.uniform(0.5, 1.2))
    model = bk.human(height, 69.0 * (height / 1.7) ** 3 * float(rng.uniform(0.85, 1.15)))
    c = bk.Choreography(model, friction=friction, contact=contact, rises=False, steps=False)
    kind = "dropped" if rng.uniform() < 0.5 else "pushed"
    if kind == "dropped":
        c.figure.q[:] = anyhow(model, rng)
        c.figure.v[:3] = SPEED * rng.normal(size=3)
    else:
        c.run(0.2)
        a, size = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(1.5, 2.5)
        force = size * model.mass / 0.1 * np.array([np.cos(a), np.sin(a), 0.0])
        c.world.push(c.figure["trunk"], force.tolist(), 0.1)
        c.run(0.3)
    c.balance = False  # limbs give way
    c.run(LIES)
    c.balance = c.steps = True
    return c, kind, height, friction


def fall_trial(seed: int, contact: str = "pgs") -> FallTrial:
    """One of them."""
    c, kind, height, friction = fallen(seed, contact)
    begin, end, up = c.time, "", False
    least = UP * c.world.step_state.stance_height
    c.rises = True
    seconds = LIMIT
    try:
        while c.time < begin + LIMIT and not up:
            c.run(0.1)
            up = not c.rising and c.report.com[2] > least and c.report.state == "standing"
        seconds = c.time - begin
        c.run(STAYS)
        end = c.report.state
        up = up and end == "standing" and bool(c.report.com[2] > least)
    except BunrakuError as error:
        end, up = f"error: {error}", False
    return FallTrial(seed, kind, height, friction, up, seconds, int(c.world.rising_state.tries), end)


def fall_trials(
    first: int, count: int = 24, contact: str = "pgs", progress: Callable[[float], None] | None = None
) -> list[FallTrial]:
    """Falls of `count` seeds from `first` on."""
    out = []
    for k in range(count):
        out.append(fall_trial(first + k, contact))
        if progress is not None:
            progress((k + 1) / count)
    return out
