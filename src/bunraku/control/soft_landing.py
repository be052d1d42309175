"""Soft landing: how a swing of a stabiliser's plan ends, so that a foot touches the ground once and stays.

A planned foot comes to rest just on the ground. A real one gets there a little early or late, and faster than planned,
since feet, rubber and estimate are off by millimetres. So in a plan that is walked with sensors
    early    the foot's way down is hurried so that it would rest `SINKING` before its landing, a little above it
    sinks    from there on it sinks with SINK, over SLOWING; in the stabiliser it goes on sinking if the ground is late
    presses  meanwhile PRESS downwards is added to its acceleration: as soon as the ground holds it, it presses on it
             and does not come off before the next period, in which it is taken as standing
A sole that meets the ground with v gives it the impulse m v, with m of some kilograms: at 0.07 m/s a third of a newton
second, which is 1 ms with half of the weight. Only the heights of the swinging foot change, and their rates. What a
foot does from then on is in control.balance_kernel (`put_contacts`). World axes, SI units. Checked in
tests/control/test_soft_landing.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.control.foot_placement import SINK
from bunraku.control.walking_plan import WalkingPlan

SINKING = 0.04  # s before the planned landing in which a foot sinks
SLOWING = 0.02  # s over which it comes to that
PRESS = 1.5  # m/s^2 downwards meanwhile
FEWEST = 4  # rows on the way down below which a swing stays as it is


def soften_landings(plan: WalkingPlan) -> None:
    """Let all swings of a plan end so."""
    for side, lift, landing in plan.swings:
        soften(plan, side, lift, min(landing, len(plan) - 1))


def soften(plan: WalkingPlan, side: int, lift: int, landing: int) -> None:
    """One swing, between two of the plan's rows. One too short or too low for it stays as it is."""
    rows, dt = plan.rows, plan.dt
    z = rows.column("foot")[:, side, 2]
    top = lift + int(np.argmax(z[lift : landing + 1]))
    n = landing - top
    if n < FEWEST:
        return
    slow = max(n - round(SINKING / dt), n // 2)  # rows behind the top from which on it sinks
    times = dt * np.arange(n + 1)
    speed = SINK * np.clip(1.0 + (times - dt * slow) / SLOWING, 0.0, 1.0)
    sunk = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1])) * dt])
    height, depth = z[top] - z[landing], sunk[-1]
    if height < 2.0 * depth:
        return
    early = np.interp(np.minimum(times * n / slow, n * dt), times, z[top : landing + 1]) - z[landing]
    z[top : landing + 1] = z[landing] + early * (1.0 - depth / height) + (depth - sunk)
    swing = slice(lift, landing + 1)
    rate = np.gradient(z[swing], dt)
    acc = np.gradient(rate, dt)
    rate[-1], acc[-1] = -SINK, 0.0
    acc[top - lift + slow :] -= PRESS
    rows.column("foot_rate")[swing, side, 2], rows.column("foot_acc")[swing, side, 2] = rate, acc
