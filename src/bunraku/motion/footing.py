"""Footing: when and where the feet of a recorded motion stand, found from height and speed, and foot trajectories that stand there exactly.

Heel and toe of each sole (the hind and the fore edge) touch from the moment they are lower than LOW[0] above the lowest they come near it and
slower than SLOW[0], until they are higher than LOW[1] or faster than SLOW[1] (hysteresis); shorter touches and gaps than BRIEF are dropped. A foot
may roll on its toe before it leaves, and on its heel after landing while the other foot stands, too. Where no foot seems to touch but the centre
of mass does not fall, the lowest edge does.

Each stance gets one level place: the median of the sole's middle and heading. `feet_paths` makes the reference of a foot: fixed there (rolled by the
recorded pitch about the edge that touches), and in the air the recorded pose, moved and turned by a polynomial that takes up what the stances before
and after are off in place and rate, so that a foot lands and leaves without speed. Where it would go through a foot that stands, it goes round it
(`feet_apart`). Checked in tests/motion/test_footing.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.ndimage import minimum_filter1d

from bunraku.dynamics.functions import centroidal, kinematics
from bunraku.errors import InputError
from bunraku.gait.min_jerk import min_jerk
from bunraku.model.configuration import exponential
from bunraku.model.description import rotation_matrix
from bunraku.motion.com_plan import calm
from bunraku.motion.motion import Motion
from bunraku.motion.paths import rotation_vector
from bunraku.motion.touching import Sole, soles

LOW = (0.02, 0.03)  # m
SLOW = (0.4, 0.5)  # m/s
PACE, FAST = (
    0.35,
    0.3,
)  # of the base's mean speed, where that is more; and how much higher a foot may be, a m/s of it above 1.5
SHAKE = (2.0, 1.0)  # times the median speed of a low foot: noise; m/s at the most
BRIEF = 0.08  # s
LEVEL = 0.12  # rad: a stance that is never flat but less tilted than this is taken for flat
NEAR = 0.6  # s: how far the lowest height of a foot is looked for
FALLING = 0.2  # of gravity: what falls slower does not fly
SETTLE = 0.2  # s
EASE = 10.0  # frames in which a roll begins and ends
CLEAR, DETOUR = 0.015, 0.12  # m: between soles; the most a foot goes round
HEEL, TOE = (0, 1), (2, 3)  # corners of a Sole


@dataclass(frozen=True, eq=False)
class Stance:
    """A foot on the floor from frame `first` to before frame `end`: the place of its sole's middle (x, y) [m] and its heading [rad]."""

    first: int
    end: int
    place: np.ndarray
    heading: float


@dataclass(frozen=True, eq=False)
class Foot:
    """One foot: its sole; heel, toe (n,) whether they touch; its stances; its reference: position (n, 3) and rotation (n, 3, 3) of the body."""

    sole: Sole
    heel: np.ndarray
    toe: np.ndarray
    stances: tuple[Stance, ...]
    position: np.ndarray
    rotation: np.ndarray

    @property
    def touches(self) -> np.ndarray:
        """(n,): whether it stands."""
        return self.heel | self.toe

    def corners(self, k: int) -> np.ndarray:
        """Corners (m, 3) that touch in frame k, at the reference."""
        use = [*(HEEL if self.heel[k] else ()), *(TOE if self.toe[k] else ())]
        return self.position[k] + self.sole.corners[use] @ self.rotation[k].T


def find_feet(motion: Motion) -> tuple[Foot, ...]:
    """All feet of a motion with even frames."""
    if len(motion) < 8:
        raise InputError("footing: needs eight frames or more.")
    dt = motion.duration / (len(motion) - 1)
    k = kinematics(motion.model, motion.q)
    edges, lowest, found = {}, {}, soles(motion.model)
    pace = float(np.mean(np.linalg.norm(np.gradient(k.position[:, 1, :2], dt, axis=0), axis=1)))  # of the base
    for s in found:
        corners = k.position[:, s.body, None] + np.einsum("nij,kj->nki", k.rotation[:, s.body], s.corners)
        for name, pair in (("heel", HEEL), ("toe", TOE)):
            lowest[s.link, name] = corners[:, list(pair), 2].mean(axis=1)
            edges[s.link, name] = edge_touches(
                corners[:, list(pair)].mean(axis=1), corners[:, :, 2].min(axis=1), dt, pace
            )
    ground_what_cannot_fly(motion, edges, lowest)
    touching: list[tuple[np.ndarray, np.ndarray]] = []
    stances: list[list[Stance]] = []
    for s in found:
        heel, toe = edges[s.link, "heel"], edges[s.link, "toe"]
        both = tidy(heel | toe, round(BRIEF / dt))
        others = np.any([edges[x.link, e] for x in found if x.link != s.link for e in ("heel", "toe")], axis=0)
        alone = both & ~others if len(found) > 1 else both
        heel, toe = heel & both, (toe & both) | (alone & heel)
        neither = both & ~heel & ~toe
        heel, toe = heel | neither, toe | neither
        heel, toe = one_roll(both, heel, toe, np.arcsin(np.clip(k.rotation[:, s.body, 2, 0], -1.0, 1.0)))
        touching.append((heel, toe))
        stances.append([stance(k, s, a, b, heel, toe) for a, b in runs(both)])
    places_apart(found, stances)
    return feet_apart(
        [feet_path(k, s, heel, toe, tuple(at), dt) for s, (heel, toe), at in zip(found, touching, stances)]
    )


def places_apart(found: tuple[Sole, ...], stances: list[list[Stance]]) -> None:
    """Places of feet that stand at the same time keep CLEAR: both go half of what is missing to their sides. Changes `stances`."""
    for n, m in combinations(range(len(found)), 2):
        for i, a in enumerate(stances[n]):
            for j, b in enumerate(stances[m]):
                if a.first >= b.end or b.first >= a.end:
                    continue
                a, b = stances[n][i], stances[m][j]
                mine, theirs = (
                    at + s.corners @ R.T
                    for s, (R, at) in zip((found[n], found[m]), map(level_pose, (found[n], found[m]), (a, b)))
                )
                lacks = min(DETOUR, CLEAR - separation(mine[:, :2], theirs[:, :2]))
                if lacks > 0:
                    left = np.array([-np.sin(b.heading), np.cos(b.heading)])
                    side = float(np.sign(left @ (a.place - b.place))) or 1.0
                    stances[n][i] = Stance(a.first, a.end, a.place + 0.5 * side * lacks * left, a.heading)
                    stances[m][j] = Stance(b.first, b.end, b.place - 0.5 * side * lacks * left, b.heading)


def feet_apart(feet: list[Foot]) -> tuple[Foot, ...]:
    """Feet whose soles, seen from above, keep CLEAR: a foot in the air goes round one that stands, by a smooth hump across."""
    out = []
    for n, foot in enumerate(feet):
        place = foot.position.copy()
        for a, b in runs(~foot.touches):
            s = (np.arange(a, b) - a + 1.0) / (b - a + 1.0)
            hump = 64.0 * (s * (1.0 - s)) ** 3
            for other in (x for m, x in enumerate(feet) if m != n):
                need, across, away = np.zeros(b - a), [], []
                for i in range(b - a):
                    mine = place[a + i] + foot.sole.corners @ foot.rotation[a + i].T
                    theirs = other.position[a + i] + other.sole.corners @ other.rotation[a + i].T
                    across.append((theirs[1] - theirs[0])[:2])
                    away.append(mine.mean(axis=0)[:2] - theirs.mean(axis=0)[:2])
                    if other.touches[a + i]:
                        need[i] = max(0.0, CLEAR - separation(mine[:, :2], theirs[:, :2]))
                most = min(DETOUR, float(np.max(need / np.maximum(hump, 0.2))))
                side = float(np.sign(np.median(np.einsum("ij,ij->i", across, away)))) or 1.0
                left = np.mean(across, axis=0) / np.linalg.norm(np.mean(across, axis=0))
                place[a:b, :2] += side * most * hump[:, None] * left
        out.append(Foot(foot.sole, foot.heel, foot.toe, foot.stances, place, foot.rotation))
    return tuple(out)


def separation(a: np.ndarray, b: np.ndarray) -> float:
    """The distance of two rectangles (4, 2) (corners as a Sole has them) along the best of their sides; negative where they overlap."""
    best = -np.inf
    for r in (a, b):
        for side in (r[1] - r[0], r[2] - r[0]):
            u = side / max(float(np.linalg.norm(side)), 1e-12)
            x, y = a @ u, b @ u
            best = max(best, float(max(x.min() - y.max(), y.min() - x.max())))
    return best


def ground_what_cannot_fly(
    motion: Motion, edges: dict[tuple[str, str], np.ndarray], lowest: dict[tuple[str, str], np.ndarray]
) -> None:
    """Where nothing touches but the centre of mass does not fall as it must in the air, the lowest edge touches. Changes `edges`."""
    rate = np.gradient(
        np.gradient(calm(motion.times, centroidal(motion.model, motion.q).com[:, 2], 3.0), motion.times), motion.times
    )
    air = ~np.any(list(edges.values()), axis=0)
    for a, b in runs(air):
        if float(np.mean(rate[a:b])) > -FALLING * float(np.linalg.norm(motion.model.gravity)):
            edges[min(lowest, key=lambda x: float(np.mean(lowest[x][a:b])))][a:b] = True


def edge_touches(middle: np.ndarray, lowest: np.ndarray, dt: float, pace: float) -> np.ndarray:
    """Whether an edge touches, by height and speed with hysteresis; the faster the figure goes, and the more the recording shakes, the more a
    foot that stands may seem to move."""
    low = [x * (1.0 + FAST * max(0.0, pace - 1.5)) for x in LOW]
    floor = minimum_filter1d(lowest, 2 * round(NEAR / dt) + 1)
    height = middle[:, 2] - np.maximum(floor, -0.05)
    speed = np.linalg.norm(np.gradient(middle, dt, axis=0), axis=1)
    shaking = min(SHAKE[1], SHAKE[0] * float(np.median(speed[height < low[0]]))) if np.any(height < low[0]) else 0.0
    slow = [max(x, PACE * pace, shaking * x / SLOW[0]) for x in SLOW]
    out, on = np.zeros(len(middle), dtype=bool), bool(height[0] < low[0] and speed[0] < slow[0])
    for n in range(len(out)):
        on = bool(height[n] < low[1 if on else 0] and speed[n] < slow[1 if on else 0])
        out[n] = on
    return tidy(out, round(BRIEF / dt))


def runs(x: np.ndarray) -> list[tuple[int, int]]:
    """[first, end) of every stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], x.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2])]


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
    """In each stance at most heel - flat - toe: an edge may stand alone only at its end of the stance."""
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


def stance(k, s: Sole, first: int, end: int, heel: np.ndarray, toe: np.ndarray) -> Stance:  # type: ignore[no-untyped-def]
    """Where a foot stands: medians over the frames in which it stands flat."""
    rows = np.arange(first, end)
    flat = rows[heel[first:end] & toe[first:end]]
    edge = s.middle if len(flat) else s.corners[list(HEEL if heel[first] else TOE)].mean(axis=0)
    rows = flat if len(flat) else rows
    ahead = k.rotation[rows, s.body, :, 0]
    heading = float(np.median(np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))))
    at = np.median(k.position[rows, s.body] + k.rotation[rows, s.body] @ edge, axis=0)[:2]
    along = (s.middle - edge)[:2]
    c, n = np.cos(heading), np.sin(heading)
    return Stance(first, end, at + np.array([c * along[0] - n * along[1], n * along[0] + c * along[1]]), heading)


def feet_path(k, s: Sole, heel: np.ndarray, toe: np.ndarray, stances: tuple[Stance, ...], dt: float) -> Foot:  # type: ignore[no-untyped-def]
    """A foot with its reference."""
    n = len(heel)
    p, R = k.position[:, s.body].copy(), k.rotation[:, s.body].copy()
    pitch = np.arcsin(np.clip(R[:, 2, 0], -1.0, 1.0))  # toe up
    stand_p, stand_R = [], []
    for st in stances:  # each stance's pose at every frame, also beyond its ends
        at, turn = rolled(s, st, pitch, heel, toe)
        stand_p.append(at)
        stand_R.append(turn)
    out_p, out_R = p.copy(), R.copy()
    apart = [
        np.hstack([at - p, [rotation_vector(A @ B.T) for A, B in zip(turn, R)]]) for at, turn in zip(stand_p, stand_R)
    ]
    for a, b in runs(
        ~(heel | toe)
    ):  # in the air: moved and turned by what the stances before and after are off, in place and rate
        left = next((apart[i] for i, st in enumerate(stances) if st.end == a), None)
        right = next((apart[i] for i, st in enumerate(stances) if st.first == b), None)
        ends = [
            None if x is None else (x[f], (x[min(f + 1, n - 1)] - x[max(f - 1, 0)]) / 2)
            for x, f in ((left, a - 1), (right, min(b, n - 1)))
        ]
        still = [(x[0], 0.0 * x[0]) for x in ends if x is not None]
        if not still:
            continue
        (x0, v0), (x1, v1) = ends[0] or still[0], ends[1] or still[-1]
        span = b - a + 1.0
        u = ((np.arange(a, b) - a + 1.0) / span)[:, None]
        brief = min(1.0, SETTLE / (span * dt))  # rates are taken up in this share of the swing
        early, late = leave(np.minimum(u / brief, 1.0)), leave(np.minimum((1.0 - u) / brief, 1.0))
        shift = x0 + min_jerk(u) * (x1 - x0) + span * brief * (early * v0 - late * v1)
        out_p[a:b] += shift[:, :3]
        for f, w in zip(range(a, b), shift[:, 3:]):
            out_R[f] = rotation_matrix(exponential(w)) @ R[f]
    for st, at, turn in zip(stances, stand_p, stand_R):
        out_p[st.first : st.end], out_R[st.first : st.end] = at[st.first : st.end], turn[st.first : st.end]
    lift_swing(s, heel | toe, out_p, out_R, dt)
    return Foot(s, heel, toe, stances, out_p, out_R)


def leave(u: np.ndarray) -> np.ndarray:
    """A polynomial on 0 … 1 with rate 1 at 0, and value, rate and acceleration 0 at both ends otherwise: u - 6 u^3 + 8 u^4 - 3 u^5."""
    return u - u**3 * (6.0 - u * (8.0 - 3.0 * u))


def rolled(s: Sole, st: Stance, pitch: np.ndarray, heel: np.ndarray, toe: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Poses of a foot at every frame if it stood at a stance all the time: rolled on its heel before it is flat, on its toe after, by the
    recorded pitch."""
    n, flat = len(pitch), np.flatnonzero(heel[st.first : st.end] & toe[st.first : st.end]) + st.first
    level, at = level_pose(s, st)
    frames = np.arange(n)
    turn = np.zeros(n)
    if len(flat) == 0:
        turn += np.maximum(pitch, 0.0) if heel[st.first] else np.minimum(pitch, 0.0)
    if len(flat) and not toe[st.first]:
        near = min_jerk(np.clip((flat[0] - frames) / min(EASE, flat[0] - st.first + 1.0), 0.0, 1.0))
        turn += np.where(frames < flat[0], np.maximum(pitch - (1.0 - near) * pitch[flat[0]], 0.0) * near, 0.0)
    if len(flat) and not heel[st.end - 1]:
        near = min_jerk(np.clip((frames - flat[-1]) / min(EASE, st.end - flat[-1] + 1.0), 0.0, 1.0))
        turn += np.where(frames > flat[-1], np.minimum(pitch - (1.0 - near) * pitch[flat[-1]], 0.0) * near, 0.0)
    place, out = np.zeros((n, 3)), np.zeros((n, 3, 3))
    for f in frames:
        edge = s.corners[list(TOE if turn[f] < 0 else HEEL)].mean(axis=0)
        out[f] = level @ about_y(-turn[f])
        place[f] = at + level @ edge - out[f] @ edge
    return place, out


def level_pose(s: Sole, st: Stance) -> tuple[np.ndarray, np.ndarray]:
    """(rotation, position) of the body when its sole stands level at a stance's place on z = 0."""
    c, n = np.cos(st.heading), np.sin(st.heading)
    R = np.array([[c, -n, 0.0], [n, c, 0.0], [0.0, 0.0, 1.0]])
    return R, np.array([*st.place, 0.0]) - R @ s.middle


def about_y(angle: float) -> np.ndarray:
    """Rotation about y."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def lift_swing(s: Sole, stands: np.ndarray, p: np.ndarray, R: np.ndarray, dt: float) -> None:
    """Raise a foot in the air where the reference dips below the floor, by one smooth hump a swing."""
    lowest = (p[:, None] + np.einsum("nij,kj->nki", R, s.corners))[:, :, 2].min(axis=1)
    for a, b in runs(~stands):
        inside = b - a > 2
        at = (np.arange(a, b) - a + 1) / (b - a + 1)
        hump = 64.0 * (at * (1.0 - at)) ** 3
        if a == 0 or b == len(p):
            hump = np.ones(b - a) if not inside else np.maximum(hump, min_jerk(at) if a > 0 else min_jerk(1.0 - at))
        need = np.maximum(0.004 * hump - lowest[a:b], 0.0) / np.maximum(hump, 0.05)
        p[a:b, 2] += need.max(initial=0.0) * hump
