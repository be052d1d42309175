"""Footing: where the feet of a recorded motion stand, and foot trajectories that stand there exactly.

When they do is found by bunraku.motion.contact_times. A foot may roll on its toe before it leaves, and on its heel
after landing while the other foot stands, too; it may turn on the middle of its toe edge.

Each stance gets one level place: the median of the sole's middle and heading. Stances of a foot that turns in between
have one toe in common (the median again). `feet_paths` makes the reference of a foot: fixed there (rolled by the
recorded pitch about the edge that touches, turned by the recorded heading about the toe), and in the air the recorded
pose, moved and turned by a polynomial that takes up what the stances before and after are off in place and rate, so
that a foot lands and leaves without speed. Where it would go through a foot that stands, it goes round it
(`feet_apart`). `moved` puts stances elsewhere. Checked in tests/motion/test_footing.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from scipy.ndimage import gaussian_filter1d

from bunraku.dynamics.functions import Kinematics, centroidal, kinematics
from bunraku.errors import InputError
from bunraku.humanoid.foot import HEEL, TOE, Foot, feet_of
from bunraku.humanoid.foot_loads import runs
from bunraku.model.rotations import about, exponential, rotation_matrix, rotation_vector
from bunraku.motion.com_plan import calm
from bunraku.motion.contact_times import (
    BRIEF,
    drop_haste,
    edge_touches,
    ground_what_cannot_fly,
    leave_together,
    one_roll,
    pivots,
    tidy,
)
from bunraku.motion.touch_times import touch_times
from bunraku.recording.motion import Motion
from bunraku.walking.min_jerk import min_jerk

FALLING = 8.0  # Hz: what the centre of mass falls with is heard up to here
SETTLE = 0.2  # s
EASE = 10.0  # frames in which a roll begins and ends
TWIST = 2.0  # frames over which the heading of a foot that turns is smoothed
CLEAR, DETOUR = 0.015, 0.12  # m: between soles; the most a foot goes round


@dataclass(frozen=True, eq=False)
class Stance:
    """A foot on the floor from frame `first` to before frame `end`: the place of its sole's middle (x, y) [m] and its
    heading [rad]. Where it turns on its toe, `turns` are its headings at every frame of the motion, and place and
    heading those at `first`."""

    first: int
    end: int
    place: np.ndarray
    heading: float
    turns: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Footing:
    """What one foot does in a motion: heel, toe (n,) whether they touch; its stances; its reference: position (n, 3)
    and rotation (n, 3, 3) of its body; pivot (n,): whether it turns on the middle of its toe edge (none at all: it
    never does)."""

    foot: Foot
    heel: np.ndarray
    toe: np.ndarray
    stances: tuple[Stance, ...]
    position: np.ndarray
    rotation: np.ndarray
    pivot: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))

    @property
    def touches(self) -> np.ndarray:
        """(n,): whether it stands."""
        return self.heel | self.toe

    def points(self, k: int) -> np.ndarray:
        """Points (m, 3) of the sole that touch in frame k, in the body's frame."""
        if len(self.pivot) and self.pivot[k]:
            return self.foot.toe[None]
        return self.foot.corners[[*(HEEL if self.heel[k] else ()), *(TOE if self.toe[k] else ())]]

    def corners(self, k: int) -> np.ndarray:
        """Points (m, 3) that touch in frame k, at the reference."""
        return self.position[k] + self.points(k) @ self.rotation[k].T


def find_feet(motion: Motion) -> tuple[Footing, ...]:
    """What all feet do in a motion with even frames."""
    if len(motion) < 8:
        raise InputError("footing: needs eight frames or more.")
    dt = motion.duration / (len(motion) - 1)
    k = kinematics(motion.model, motion.q)
    found = feet_of(motion.model)
    pace = float(np.mean(np.linalg.norm(np.gradient(k.position[:, 1, :2], dt, axis=0), axis=1)))  # of the base
    touch, middle = np.zeros((2 * len(found), len(motion)), dtype=bool), np.zeros((2 * len(found), len(motion), 3))
    for n, f in enumerate(found):
        corners = k.position[:, f.body, None] + np.einsum("nij,kj->nki", k.rotation[:, f.body], f.corners)
        for edge, pair in enumerate((HEEL, TOE)):
            middle[2 * n + edge] = corners[:, pair].mean(axis=1)
            touch[2 * n + edge] = edge_touches(middle[2 * n + edge], corners[:, :, 2].min(axis=1), dt, pace)
    height = calm(motion.times, centroidal(motion.model, motion.q).com[:, 2], FALLING)
    fall = np.gradient(np.gradient(height, motion.times), motion.times)
    ground_what_cannot_fly(touch, middle, fall, dt, float(np.linalg.norm(motion.model.gravity)))
    stands = np.array([tidy(touch[2 * n] | touch[2 * n + 1], round(BRIEF / dt)) for n in range(len(found))])
    drop_haste(stands, middle[:, :, :2].reshape(len(found), 2, len(motion), 2), dt)
    leave_together(stands, dt)
    turning = any(pivots(headings(k, f)[0][a:b], dt).any() for f, on in zip(found, stands) for a, b in runs(on))
    if stands.any(axis=0).all() and not turning:  # nothing flies, none turns: both feet at once, so that both may stand
        touch = touch_times(motion, k, found)
        stands = np.array([tidy(touch[2 * n] | touch[2 * n + 1], round(BRIEF / dt)) for n in range(len(found))])
        drop_haste(stands, middle[:, :, :2].reshape(len(found), 2, len(motion), 2), dt)
    touching: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    stances: list[list[Stance]] = []
    for n, f in enumerate(found):
        heel, toe = touch[2 * n], touch[2 * n + 1]
        both = stands[n]
        others = np.delete(touch, [2 * n, 2 * n + 1], axis=0).any(axis=0)
        alone = both & ~others if len(found) > 1 else both
        heel, toe = heel & both, (toe & both) | (alone & heel)
        neither = both & ~heel & ~toe
        heel, toe = heel | neither, toe | neither
        heading, pitch = headings(k, f)
        pivot = np.zeros(len(motion), dtype=bool)
        for a, b in runs(both):
            pivot[a:b] = pivots(heading[a:b], dt)
        heel, toe = one_roll(both & ~pivot, heel & ~pivot, toe | pivot, pitch)
        for a, b in runs(both & ~pivot):
            if a > 0 and pivot[a - 1] and heel[a]:
                toe[a:b] |= heel[a:b]  # from its toe it comes down flat
        touching.append((heel, toe, pivot))
        stances.append(
            [x for a, b in runs(both) for x in stretch(k, f, a, b, heel, toe, pivot, gaussian_filter1d(heading, TWIST))]
        )
    places_apart(found, stances)
    return feet_apart([feet_path(k, f, *on, tuple(at), dt) for f, on, at in zip(found, touching, stances)])


def headings(k: Kinematics, f: Foot) -> tuple[np.ndarray, np.ndarray]:
    """(heading without jumps, pitch with toes up positive) (n,) of a foot [rad]."""
    ahead = k.rotation[:, f.body] @ f.rotation[:, 0]
    return np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0])), np.arcsin(np.clip(ahead[:, 2], -1.0, 1.0))


def moved(motion: Motion, feet: Sequence[Footing], shifts: Sequence[np.ndarray]) -> tuple[Footing, ...]:
    """The feet with every stretch of stances elsewhere: shifts, for each foot (stretches, 2) [m]."""
    k, dt = kinematics(motion.model, motion.q), motion.duration / (len(motion) - 1)
    out = []
    for f, shift in zip(feet, shifts):
        at = tuple(replace(st, place=st.place + shift[n]) for st, n in zip(f.stances, stretches(f.stances)))
        out.append(feet_path(k, f.foot, f.heel, f.toe, f.pivot, at, dt))
    return feet_apart(out)


def stretches(stances: Sequence[Stance]) -> list[int]:
    """The number of the stretch that every stance belongs to: those that follow each other without a gap stand on the
    same toe."""
    out: list[int] = []
    for n, st in enumerate(stances):
        out.append(out[-1] + (st.first != stances[n - 1].end) if n else 0)
    return out


def places_apart(found: tuple[Foot, ...], stances: list[list[Stance]]) -> None:
    """Places of feet that stand at the same time keep CLEAR: both go half of what is missing to their sides.

    Changes `stances`.
    """
    for n, m in combinations(range(len(found)), 2):
        for i in range(len(stances[n])):
            for j in range(len(stances[m])):
                a, b = stances[n][i], stances[m][j]
                if a.first >= b.end or b.first >= a.end:
                    continue
                mine, theirs = (
                    at + f.corners @ R.T
                    for f, (R, at) in ((f, level_pose(f, x)) for f, x in ((found[n], a), (found[m], b)))
                )
                lacks = min(DETOUR, CLEAR - separation(mine[:, :2], theirs[:, :2]))
                if lacks > 0:
                    left = np.array([-np.sin(b.heading), np.cos(b.heading)])
                    side = float(np.sign(left @ (a.place - b.place))) or 1.0
                    for which, at, way in ((n, i, 0.5), (m, j, -0.5)):
                        group = stretches(stances[which])
                        for x in np.flatnonzero(np.array(group) == group[at]):
                            st = stances[which][x]
                            stances[which][x] = replace(st, place=st.place + way * side * lacks * left)


def feet_apart(feet: list[Footing]) -> tuple[Footing, ...]:
    """Feet whose soles, seen from above, keep CLEAR: a foot in the air goes round one that stands, by a smooth hump
    across."""
    out = []
    for n, foot in enumerate(feet):
        place = foot.position.copy()
        for a, b in runs(~foot.touches):
            s = (np.arange(a, b) - a + 1.0) / (b - a + 1.0)
            hump = 64.0 * (s * (1.0 - s)) ** 3
            for other in (x for m, x in enumerate(feet) if m != n):
                need, across, away = np.zeros(b - a), [], []
                for i in range(b - a):
                    mine = place[a + i] + foot.foot.corners @ foot.rotation[a + i].T
                    theirs = other.position[a + i] + other.foot.corners @ other.rotation[a + i].T
                    across.append((theirs[1] - theirs[0])[:2])
                    away.append(mine.mean(axis=0)[:2] - theirs.mean(axis=0)[:2])
                    if other.touches[a + i]:
                        need[i] = max(0.0, CLEAR - separation(mine[:, :2], theirs[:, :2]))
                most = min(DETOUR, float(np.max(need / np.maximum(hump, 0.2))))
                side = float(np.sign(np.median(np.einsum("ij,ij->i", across, away)))) or 1.0
                left = np.mean(across, axis=0) / np.linalg.norm(np.mean(across, axis=0))
                place[a:b, :2] += side * most * hump[:, None] * left
        out.append(replace(foot, position=place))
    return tuple(out)


def separation(a: np.ndarray, b: np.ndarray) -> float:
    """The distance of two rectangles (4, 2) (corners as a Foot has them) along the best of their sides; negative where
    they overlap."""
    best = -np.inf
    for r in (a, b):
        for side in (r[1] - r[0], r[2] - r[0]):
            u = side / max(float(np.linalg.norm(side)), 1e-12)
            x, y = a @ u, b @ u
            best = max(best, float(max(x.min() - y.max(), y.min() - x.max())))
    return best


def stretch(
    k: Kinematics, f: Foot, first: int, end: int, heel: np.ndarray, toe: np.ndarray, pivot: np.ndarray, heading: np.ndarray
) -> list[Stance]:  # fmt: skip
    """The stances from when a foot comes down until it leaves: one, or several with turns between them, all with the
    same toe."""
    parts = [(first + a, first + b) for on in (True, False) for a, b in runs(pivot[first:end] == on)]
    if not pivot[first:end].any():
        return [stance(k, f, first, end, heel, toe, heading)]
    parts.sort()
    toes = k.position[first:end, f.body] + k.rotation[first:end, f.body] @ f.toe
    at, arm, out = np.median(toes, axis=0)[:2], across(f, f.position - f.toe), []
    still = {a: float(np.median(heading[a:b])) for a, b in parts if not pivot[a]}
    for n, (a, b) in enumerate(parts):
        if not pivot[a]:
            out.append(Stance(a, b, at + turned(arm, still[a]), still[a]))
            continue
        begin = still[parts[n - 1][0]] - heading[a] if n else 0.0
        finish = still[b] - heading[b - 1] if b in still else 0.0
        u = min_jerk(np.clip((np.arange(len(heading)) - a) / max(1.0, b - 1.0 - a), 0.0, 1.0))
        turns = heading + (1.0 - u) * begin + u * finish
        out.append(Stance(a, b, at + turned(arm, turns[a]), float(turns[a]), turns))
    return out


def turned(x: np.ndarray, angle: float) -> np.ndarray:
    """A vector (2,) turned."""
    c, n = np.cos(angle), np.sin(angle)
    return np.array([c * x[0] - n * x[1], n * x[0] + c * x[1]])


def across(f: Foot, x: np.ndarray) -> np.ndarray:
    """A vector (3,) of the body's frame along the sole: (ahead, left)."""
    return (x @ f.rotation)[:2]


def stance(
    k: Kinematics, f: Foot, first: int, end: int, heel: np.ndarray, toe: np.ndarray, heading: np.ndarray
) -> Stance:
    """Where a foot stands: medians over the frames in which it stands flat."""
    rows = np.arange(first, end)
    flat = rows[heel[first:end] & toe[first:end]]
    edge = f.position if len(flat) else (f.heel if heel[first] else f.toe)
    rows = flat if len(flat) else rows
    ahead = float(np.median(heading[rows]))
    at = np.median(k.position[rows, f.body] + k.rotation[rows, f.body] @ edge, axis=0)[:2]
    return Stance(first, end, at + turned(across(f, f.position - edge), ahead), ahead)


def feet_path(
    k: Kinematics,
    foot: Foot,
    heel: np.ndarray,
    toe: np.ndarray,
    pivot: np.ndarray,
    stances: tuple[Stance, ...],
    dt: float,
) -> Footing:
    """A foot with its reference."""
    n = len(heel)
    p, R = k.position[:, foot.body].copy(), k.rotation[:, foot.body].copy()
    pitch = headings(k, foot)[1]
    stand_p, stand_R = [], []
    for st in stances:  # each stance's pose at every frame, also beyond its ends
        at, turn = rolled(foot, st, pitch, heel, toe)
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
    lift_swing(foot, heel | toe, out_p, out_R)
    return Footing(foot, heel, toe, stances, out_p, out_R, pivot)


def leave(u: np.ndarray) -> np.ndarray:
    """A polynomial on 0 … 1 with rate 1 at 0, and value, rate and acceleration 0 at both ends otherwise: u - 6 u^3 + 8
    u^4 - 3 u^5."""
    return u - u**3 * (6.0 - u * (8.0 - 3.0 * u))


def rolled(
    foot: Foot, st: Stance, pitch: np.ndarray, heel: np.ndarray, toe: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Poses of a foot at every frame if it stood at a stance all the time: rolled on its heel before it is flat, on its
    toe after, by the recorded pitch; on its toe where it turns."""
    if st.turns is not None:
        return pivoted(foot, st, pitch, heel)
    n, flat = len(pitch), np.flatnonzero(heel[st.first : st.end] & toe[st.first : st.end]) + st.first
    level, at = level_pose(foot, st)
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
        edge = foot.toe if turn[f] < 0 else foot.heel
        out[f] = level @ foot.rotation @ about(1, -turn[f]) @ foot.rotation.T
        place[f] = at + level @ edge - out[f] @ edge
    return place, out


def pivoted(foot: Foot, st: Stance, pitch: np.ndarray, heel: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Poses of a foot that turns on the middle of its toe edge, its heel raised as recorded, between stances that are
    flat or not."""
    assert st.turns is not None
    n, frames = len(pitch), np.arange(len(pitch))
    turn = np.minimum(pitch, 0.0)
    if st.first > 0 and heel[st.first - 1]:
        turn = turn * min_jerk(np.clip((frames - st.first + 1.0) / EASE, 0.0, 1.0))
    if st.end < n and heel[st.end]:
        turn = turn * min_jerk(np.clip((st.end - frames) / EASE, 0.0, 1.0))
    out = np.zeros((n, 3, 3))
    at = np.array([*(st.place + turned(across(foot, foot.toe - foot.position), st.heading)), 0.0])
    for f in frames:
        out[f] = about(2, st.turns[f]) @ about(1, -turn[f]) @ foot.rotation.T
    return at - out @ foot.toe, out


def level_pose(foot: Foot, st: Stance) -> tuple[np.ndarray, np.ndarray]:
    """(rotation, position) of the body when its sole stands level at a stance's place on z = 0."""
    R = about(2, st.heading) @ foot.rotation.T
    return R, np.array([*st.place, 0.0]) - R @ foot.position


def lift_swing(foot: Foot, stands: np.ndarray, p: np.ndarray, R: np.ndarray) -> None:
    """Raise a foot in the air where the reference dips below the floor, by one smooth hump a swing."""
    lowest = (p[:, None] + np.einsum("nij,kj->nki", R, foot.corners))[:, :, 2].min(axis=1)
    for a, b in runs(~stands):
        inside = b - a > 2
        at = (np.arange(a, b) - a + 1) / (b - a + 1)
        hump = 64.0 * (at * (1.0 - at)) ** 3
        if a == 0 or b == len(p):
            hump = np.ones(b - a) if not inside else np.maximum(hump, min_jerk(at) if a > 0 else min_jerk(1.0 - at))
        need = np.maximum(0.004 * hump - lowest[a:b], 0.0) / np.maximum(hump, 0.05)
        p[a:b, 2] += need.max(initial=0.0) * hump
