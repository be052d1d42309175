"""When heels and toes of a motion without flights touch: both feet at once, by the most likely way through their states.

Each foot is in the air, on its heel, flat or on its toe, so that both may stand, as in every step of a walk: 16 states a
frame for two feet. A state costs, for every edge (heel or toe) that touches in it,
    (h / H)^2 + (v / v0)^2 - 1 ,  each square at most MOST,
with h the edge's height above the floor under this foot, v its speed, v0 the larger of V and a share FOLD of the highest it
has; the distance d of the zero-moment point that the motion needs from the hull of what touches,
    load ((d - NEAR) / WIDE)^2 ,  at most MOST ;
and AIR clip((load - 0.2) / 0.5) where nothing touches though the figure weighs, with load the vertical force it needs, of the
weight. Each change of an edge costs CHANGE, an odd one (from the air to the toe, from the toe to the heel) threefold. The
cheapest way is found by dynamic programming (Viterbi). The floor under a foot is the median of its own lowest point where
it is slow, so heels that dip in a recording raise no floor elsewhere.
What is heard of the motion: up to HEAR; zero-moment point up to 5 Hz, load up to 8 Hz. Against force plates such a rule is
right where heights and speeds alone lose double support, as toes of a figure's stiff soles are higher than a person's in
push-off. Checked in tests/motion/test_touch_times.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from bunraku.dynamics.functions import Kinematics, centroidal
from bunraku.humanoid.foot import HEEL, TOE, Foot
from bunraku.humanoid.foot_loads import runs
from bunraku.motion.lowpass import lowpass
from bunraku.recording.motion import Motion

H, V, FOLD, MOST = 0.025, 0.25, 0.22, 6.0  # m; m/s; of the highest speed; a square's largest cost
NEAR, WIDE = 0.01, 0.04  # m: from the hull
AIR, CHANGE = 24.0, 1.5  # a frame without touch under full load; a change at 120 frames a second
RATE = 120.0  # frames a second that costs are for
HEAR, HEAR_ZMP, HEAR_LOAD = 10.0, 5.0, 8.0  # Hz
STATES = ((False, False), (True, False), (True, True), (False, True))  # heel, toe: air, heel, flat, toe
ODD = {(0, 3), (3, 1), (1, 3), (1, 0)}  # changes that feet hardly make
SLOW, FAR, STEP = 0.12, 0.06, 0.06  # m/s; m: of the usual floor; s: a slow stretch
LIFT, SHAKES, BESIDE = 0.0015, 2.5, 0.06  # m; of the middle deviation of a resting edge's height; s
DIRECTIONS = 32  # in which hulls are seen


def touch_times(motion: Motion, k: Kinematics, feet: Sequence[Foot]) -> np.ndarray:
    """(2 feet, n): whether heel and toe of each foot touch, as edges of `contact_times` are numbered."""
    dt, n = motion.duration / (len(motion) - 1), len(motion)
    zmp, load = needed(motion, dt)
    angle = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    way = np.stack([np.cos(angle), np.sin(angle)])
    price, reach = np.zeros((len(feet), 2, n)), np.zeros((len(feet), 2, n, DIRECTIONS))
    heights = np.zeros((len(feet), 2, n))
    for i, f in enumerate(feet):
        corners = k.position[:, f.body, None] + np.einsum("nij,kj->nki", k.rotation[:, f.body], f.corners)
        corners = (
            lowpass(corners.reshape(n, -1), 1.0 / dt, HEAR).reshape(corners.shape) if 1.0 / dt > 2.5 * HEAR else corners
        )
        floor = floor_below(corners, dt)
        for e, pair in enumerate((HEEL, TOE)):
            x = corners[:, pair].mean(axis=1)
            speed = np.linalg.norm(np.gradient(x, dt, axis=0), axis=1)
            v0 = max(V, FOLD * float(np.percentile(speed, 95.0)))
            high = np.maximum(x[:, 2] - floor, 0.0)
            heights[i, e] = x[:, 2]
            price[i, e] = np.minimum((high / H) ** 2, MOST) + np.minimum((speed / v0) ** 2, MOST) - 1.0
            reach[i, e] = (corners[:, pair, :2] @ way).max(axis=1)
    combos = list(product(range(len(STATES)), repeat=len(feet)))
    cost = np.zeros((len(combos), n))
    for c, combo in enumerate(combos):
        on = [(i, e) for i, s in enumerate(combo) for e in (0, 1) if STATES[s][e]]
        if not on:
            cost[c] = AIR * np.clip((load - 0.2) / 0.5, 0.0, 1.0)
            continue
        hull = np.max([reach[i, e] for i, e in on], axis=0)
        away = np.maximum((zmp @ way - hull).max(axis=1) - NEAR, 0.0)
        cost[c] = sum(np.minimum(price[i, e], MOST) for i, e in on) + np.minimum((away / WIDE) ** 2, MOST) * np.clip(
            load, 0, 1
        )
    change = np.array([[sum(changes(a, b) for a, b in zip(x, y)) for y in combos] for x in combos])
    path = cheapest_way(cost, change / (RATE * dt))
    out = np.array([[STATES[combos[c][i]][e] for c in path] for i in range(len(feet)) for e in (0, 1)], dtype=bool)
    for i in range(len(feet)):
        stance = out[2 * i] | out[2 * i + 1]
        for e in (0, 1):
            closer(out[2 * i + e], stance, heights[i, e], dt)
    return out


def closer(touch: np.ndarray, stance: np.ndarray, height: np.ndarray, dt: float) -> None:
    """Each touch of an edge that begins or ends a stance (n,) without what is before it comes down and after it leaves;
    `touch` is changed.

    Feet land and leave softly, and the way through the states counts what is lower than H. An edge touches while it is
    no higher than LIFT, or SHAKES times what its height varies by, above where it rests in the middle of the touch, at
    most BESIDE from the ends."""
    for a, b in runs(touch):
        third = (b - a) // 3
        rest = height[a + third : b - third]
        if len(rest) < 3:
            continue
        level = float(np.median(rest))
        bar = level + max(LIFT, SHAKES * 1.4826 * float(np.median(np.abs(rest - level))))
        most = min(round(BESIDE / dt), third)
        first = next((x for x in range(a, a + most) if height[x] <= bar), a + most)
        last = next((x for x in range(b - 1, b - 1 - most, -1) if height[x] <= bar), b - 1 - most)
        if a > 0 and not stance[a - 1]:
            touch[a:first] = False
        if b < len(touch) and not stance[b]:
            touch[last + 1 : b] = False


def changes(a: int, b: int) -> float:
    """The price of going from one state of a foot to another."""
    return 0.0 if a == b else CHANGE * (3.0 if (a, b) in ODD else 1.0)


def cheapest_way(cost: np.ndarray, change: np.ndarray) -> np.ndarray:
    """(n,): the choices with the least sum of cost (choices, n) and change (from, to)."""
    total, back = cost[:, 0].copy(), np.zeros(cost.shape, dtype=np.int64)
    for k in range(1, cost.shape[1]):
        ways = total[:, None] + change
        back[:, k] = ways.argmin(axis=0)
        total = ways.min(axis=0) + cost[:, k]
    out = np.zeros(cost.shape[1], dtype=np.int64)
    out[-1] = int(total.argmin())
    for k in range(cost.shape[1] - 1, 0, -1):
        out[k - 1] = back[out[k], k]
    return out


def needed(motion: Motion, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """(zero-moment point on z = 0 (n, 2), vertical force of the weight (n,)) that a motion needs: with the centre of mass c,
    its acceleration and the angular momentum's rate L',  p = c - (c_z m a + (L'_y, -L'_x)) / f_z ."""
    whole, rate = centroidal(motion.model, motion.q, motion.v), 1.0 / dt
    g, mass = float(np.linalg.norm(motion.model.gravity)), motion.model.mass

    def heard(x: np.ndarray, cut: float) -> np.ndarray:
        return lowpass(x, rate, cut) if rate > 2.5 * cut and len(x) > 15 else x

    com, spin = heard(whole.com, HEAR_ZMP), heard(whole.angular, HEAR_ZMP)
    a = np.gradient(np.gradient(com, dt, axis=0), dt, axis=0)
    turn = np.gradient(spin, dt, axis=0)
    up = heard(whole.com[:, 2:], HEAR_LOAD)[:, 0]
    f = mass * (np.gradient(np.gradient(up, dt), dt) + g)
    carried = np.maximum(f, 0.2 * mass * g)
    x = com[:, 0] - (com[:, 2] * mass * a[:, 0] + turn[:, 1]) / carried
    y = com[:, 1] - (com[:, 2] * mass * a[:, 1] - turn[:, 0]) / carried
    return np.column_stack([x, y]), f / (mass * g)


def floor_below(corners: np.ndarray, dt: float) -> np.ndarray:
    """(n,): the height of the floor under a foot whose corners (n, 4, 3) are known: the median of its lowest point in each
    slow stretch, straight between them; stretches FAR from the usual one are none."""
    low = corners[:, :, 2].min(axis=1)
    speed = np.linalg.norm(np.gradient(corners.mean(axis=1), dt, axis=0), axis=1)
    found = [(a, b) for a, b in runs(speed < max(SLOW, float(np.percentile(speed, 12.0)))) if b - a >= STEP / dt]
    if not found:
        return np.full(len(low), float(np.percentile(low, 5.0)))
    height = np.array([float(np.median(low[a:b])) for a, b in found])
    middle = np.array([0.5 * (a + b) for a, b in found])
    keep = np.abs(height - np.median(height)) < FAR
    return np.interp(np.arange(len(low)), middle[keep], height[keep])
