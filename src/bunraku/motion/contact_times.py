"""Contact times: when heel and toe of a recorded figure's feet touch, when it flies, and when a foot turns on its toe.

Heel and toe of each sole (the hind and the fore edge) touch from the moment they are lower than LOW[0] above the lowest
they come near it and slower than SLOW[0], until they are higher than LOW[1] or faster than SLOW[1] (hysteresis);
shorter touches and gaps than BRIEF are dropped.

Where no edge touches by that, the centre of mass decides. In flight it falls: of each such stretch the part in which it
gains most speed beyond that of half a free fall, sum (-z'' - g/2) dt, is a flight if the gain is FALL or more. In all
other frames something must carry, the edge with the least height + LATE speed, with a price SWITCH for going from one
edge to another (dynamic programming, from the edges that touch before and to those that touch after). So the push-off
of a runner, whose toes are longer than the figure's, counts until the body falls. Feet that leave for a flight, or
land, within TOGETHER of each other do so at once.

While another foot stands all the time, a touch shorter than HASTE is a tap that carries nothing, and a gap shorter than
HASTE after which an edge is where it was, within STILL, is no step: both come from noise.

A foot that stands and whose heading changes by TURNED or more, faster than TURNING, turns on the middle of its toe edge
meanwhile. Heights in m, z up. Checked in tests/motion/test_contact_times.py.
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import minimum_filter1d

from bunraku.humanoid.foot_loads import runs

LOW = (0.02, 0.03)  # m
SLOW = (0.4, 0.5)  # m/s
# of the base's mean speed, where that is more; and how much higher a foot may be, a m/s of it above 1.5
PACE, FAST = 0.35, 0.3
SHAKE = (2.0, 1.0)  # times the median speed of a low foot: noise; m/s at the most
BRIEF = 0.08  # s
LEVEL = 0.12  # rad: a stance that is never flat but less tilted than this is taken for flat
NEAR, HIGH = 0.6, 0.1  # s: how far the lowest height of a foot is looked for; m: which is not more than this
FALL = 0.2  # m/s
LATE, SWITCH = 0.03, 0.3  # s: a metre a second of an edge counts as so many metres of height; m
TOGETHER = 0.05  # s
HASTE, STILL = 0.2, 0.05  # s, m
TURNING, TURNED = (1.5, 1.0), 0.8  # rad/s: from which on, until when; rad


def edge_touches(middle: np.ndarray, lowest: np.ndarray, dt: float, pace: float) -> np.ndarray:
    """Whether an edge touches, by height and speed with hysteresis; the faster the figure goes, and the more the
    recording shakes, the more a foot that stands may seem to move."""
    low = [x * (1.0 + FAST * max(0.0, pace - 1.5)) for x in LOW]
    floor = minimum_filter1d(lowest, 2 * round(NEAR / dt) + 1)
    height = middle[:, 2] - np.clip(floor, -0.05, HIGH)
    speed = np.linalg.norm(np.gradient(middle, dt, axis=0), axis=1)
    shaking = min(SHAKE[1], SHAKE[0] * float(np.median(speed[height < low[0]]))) if np.any(height < low[0]) else 0.0
    slow = [max(x, PACE * pace, shaking * x / SLOW[0]) for x in SLOW]
    out, on = np.zeros(len(middle), dtype=bool), bool(height[0] < low[0] and speed[0] < slow[0])
    for n in range(len(out)):
        on = bool(height[n] < low[1 if on else 0] and speed[n] < slow[1 if on else 0])
        out[n] = on
    return tidy(out, round(BRIEF / dt))


def ground_what_cannot_fly(
    touches: np.ndarray, middle: np.ndarray, fall: np.ndarray, dt: float, gravity: float
) -> None:
    """See the module text.

    touches (edges, n) is changed; middle (edges, n, 3): places of the edges; fall (n): z'' of the centre of mass.
    """
    cost = middle[:, :, 2] + LATE * np.linalg.norm(np.gradient(middle, dt, axis=1), axis=2)
    for a, b in runs(~np.any(touches, axis=0)):
        gain = (-fall[a:b] - 0.5 * gravity) * dt
        begin, end, most = best_stretch(gain)
        if most < FALL:
            begin = end = b - a  # no flight: carried all the time
        before = touches[:, a - 1] if a > 0 else np.ones(len(touches), dtype=bool)
        after = touches[:, b] if b < touches.shape[1] else np.ones(len(touches), dtype=bool)
        free = np.ones(len(touches), dtype=bool)
        for first, last, left, right in (
            (a, a + begin, before, after if end == b - a and begin == end else free),
            (a + end, b, free, after),
        ):
            if last > first:
                chosen = cheapest(cost[:, first:last], np.where(left, 0.0, SWITCH), np.where(right, 0.0, SWITCH))
                touches[chosen, np.arange(first, last)] = True


def leave_together(touches: np.ndarray, dt: float) -> None:
    """Feet that leave for a flight, or come back from it, within TOGETHER of each other do so at once.

    touches (feet, n) is changed.
    """
    for a, b in runs(~np.any(touches, axis=0)):
        near = round(TOGETHER / dt)
        for foot in touches:
            if a and foot[max(0, a - near) : a].any():
                foot[a - 1 - int(np.argmax(foot[:a][::-1])) : a] = True
            if b < len(foot) and foot[b : b + near].any():
                foot[b : b + 1 + int(np.argmax(foot[b:]))] = True


def drop_haste(touches: np.ndarray, edges: np.ndarray, dt: float) -> None:
    """See the module text. touches (feet, n) is changed; edges (feet, 2, n, 2): middles of heels and toes from above."""
    brief, near = round(HASTE / dt), max(1, round(BRIEF / dt))
    for n, foot in enumerate(touches):
        others = np.any(np.delete(touches, n, axis=0), axis=0)
        for stands in (True, False):
            for a, b in runs(foot == stands):
                if a == 0 or b == len(foot) or b - a >= brief or not others[a - 1 : b + 1].all():
                    continue
                moved = edges[n, :, b : b + near].mean(axis=1) - edges[n, :, max(0, a - near) : a].mean(axis=1)
                if stands or np.linalg.norm(moved, axis=1).min() < STILL:
                    foot[a:b] = not stands


def best_stretch(gain: np.ndarray) -> tuple[int, int, float]:
    """(first, end, sum) of the stretch with the largest sum (Kadane)."""
    best, now, begin = (0, 0, 0.0), 0.0, 0
    for n, x in enumerate(gain):
        if now <= 0.0:
            now, begin = 0.0, n
        now += float(x)
        if now > best[2]:
            best = (begin, n + 1, now)
    return best


def cheapest(cost: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """(n,): the way through cost (choices, n) with the least sum, SWITCH for each change, `first` and `last` (choices)
    for its ends."""
    total, back = cost[:, 0] + first, np.zeros(cost.shape, dtype=int)
    for n in range(1, cost.shape[1]):
        other = int(np.argmin(total))
        back[:, n] = np.where(total <= total[other] + SWITCH, np.arange(len(total)), other)
        total = np.minimum(total, total[other] + SWITCH) + cost[:, n]
    out = np.zeros(cost.shape[1], dtype=int)
    out[-1] = int(np.argmin(total + last))
    for n in range(len(out) - 1, 0, -1):
        out[n - 1] = back[out[n], n]
    return out


def pivots(heading: np.ndarray, dt: float) -> np.ndarray:
    """(n,): frames of a stance in which the foot turns; heading (n) [rad], without jumps."""
    out = np.zeros(len(heading), dtype=bool)
    if len(heading) < 3:
        return out
    rate, on = np.gradient(heading, dt), False
    for n, x in enumerate(np.abs(rate)):
        on = bool(x > TURNING[1 if on else 0])
        out[n] = on
    out = tidy(out, round(BRIEF / dt))
    for a, b in runs(out):
        out[a:b] = abs(heading[b - 1] - heading[a]) >= TURNED
    return out


def tidy(x: np.ndarray, brief: int) -> np.ndarray:
    """Short gaps filled, then short touches dropped, these not at both ends of the motion, where more may have been."""
    out = x.copy()
    for wanted in (False, True):
        for a, b in runs(out == wanted):
            inside = a > 0 and b < len(x)
            if b - a < brief and (inside or (not wanted and b - a < len(x))):
                out[a:b] = not wanted
    return out


def one_roll(both: np.ndarray, heel: np.ndarray, toe: np.ndarray, pitch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """In each stretch of `both` at most heel - flat - toe: an edge may stand alone only at its end of the stance."""
    heel, toe = heel.copy(), toe.copy()
    for a, b in runs(both):
        flat = np.flatnonzero(heel[a:b] & toe[a:b])
        if len(flat) == 0 and np.median(np.abs(pitch[a:b])) < LEVEL:
            heel[a:b] = toe[a:b] = True
            continue
        if len(flat) == 0:  # on one edge all the time, that which touches longer
            on_heel = np.count_nonzero(heel[a:b]) > np.count_nonzero(toe[a:b])
            heel[a:b], toe[a:b] = on_heel, not on_heel
            continue
        first, last = a + flat[0], a + flat[-1]
        heel[first : last + 1] = toe[first : last + 1] = True
        heel[a:first] = True  # landing on the toe alone is taken for flat
        toe[last:b] = True
    return heel, toe
