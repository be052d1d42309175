"""Footing: when and where the feet of a recorded motion stand, found from height and speed, and foot trajectories that stand there exactly.

Heel and toe of each sole (the hind and the fore edge) touch from the moment they are lower than LOW[0] above the lowest they come near it and
slower than SLOW[0], until they are higher than LOW[1] or faster than SLOW[1] (hysteresis); shorter touches and gaps than BRIEF are dropped. A foot
that stands alone stands flat; in double support it may roll: on its heel after landing, on its toe before it leaves.

Each stance gets one level place: the median of the sole's middle and heading. `feet_paths` makes the reference of a foot: fixed there (rolled by the
recorded pitch about the edge that touches), and in the air the recorded pose, led to and from the stances by smooth blends, so that a foot lands
and leaves without speed. Checked in tests/motion/test_footing.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import minimum_filter1d

from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError
from bunraku.model.build import quaternion
from bunraku.model.configuration import exponential, logarithm, multiply
from bunraku.model.description import rotation_matrix
from bunraku.motion.motion import Motion
from bunraku.motion.paths import smooth
from bunraku.motion.touching import Sole, soles

LOW = (0.035, 0.06)  # m
SLOW = (0.45, 0.8)  # m/s
BRIEF = 0.06  # s
NEAR = 0.6  # s: how far the lowest height of a foot is looked for
BLEND = 0.15  # s
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
    edges, found = {}, soles(motion.model)
    for s in found:
        corners = k.position[:, s.body, None] + np.einsum("nij,kj->nki", k.rotation[:, s.body], s.corners)
        for name, pair in (("heel", HEEL), ("toe", TOE)):
            edges[s.link, name] = edge_touches(corners[:, list(pair)].mean(axis=1), corners[:, :, 2].min(axis=1), dt)
    feet = []
    for s in found:
        heel, toe = edges[s.link, "heel"], edges[s.link, "toe"]
        both = tidy(heel | toe, round(BRIEF / dt))
        others = np.any([edges[x.link, e] for x in found if x.link != s.link for e in ("heel", "toe")], axis=0)
        alone = both & ~others if len(found) > 1 else both
        heel, toe = (heel & both) | alone, (toe & both) | alone
        neither = both & ~heel & ~toe
        heel, toe = heel | neither, toe | neither
        heel, toe = one_roll(both, heel, toe)
        stances = tuple(stance(k, s, a, b, heel, toe) for a, b in runs(both))
        feet.append(feet_path(k, s, heel, toe, stances, dt))
    return tuple(feet)


def edge_touches(middle: np.ndarray, lowest: np.ndarray, dt: float) -> np.ndarray:
    """Whether an edge touches, by height and speed with hysteresis."""
    floor = minimum_filter1d(lowest, 2 * round(NEAR / dt) + 1)
    height = middle[:, 2] - np.maximum(floor, -0.05)
    speed = np.linalg.norm(np.gradient(middle, dt, axis=0), axis=1)
    out, on = np.zeros(len(middle), dtype=bool), bool(height[0] < LOW[0] and speed[0] < SLOW[0])
    for n in range(len(out)):
        low = height[n] < LOW[1 if on else 0]
        on = bool(low and speed[n] < SLOW[1 if on else 0])
        out[n] = on
    return tidy(out, round(BRIEF / dt))


def runs(x: np.ndarray) -> list[tuple[int, int]]:
    """[first, end) of every stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], x.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2])]


def tidy(x: np.ndarray, brief: int) -> np.ndarray:
    """Short gaps filled, then short touches dropped, except at both ends of the motion."""
    out = x.copy()
    for wanted in (False, True):
        for a, b in runs(out == wanted):
            if b - a < brief and a > 0 and b < len(x):
                out[a:b] = not wanted
    return out


def one_roll(both: np.ndarray, heel: np.ndarray, toe: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """In each stance at most heel - flat - toe: an edge may stand alone only at its end of the stance."""
    heel, toe = heel.copy(), toe.copy()
    for a, b in runs(both):
        flat = np.flatnonzero(heel[a:b] & toe[a:b])
        if len(flat) == 0:
            heel[a:b] = toe[a:b] = True
            continue
        first, last = a + flat[0], a + flat[-1]
        heel[first : last + 1] = toe[first : last + 1] = True
        heel[a:first] = True  # landing on the toe alone is taken for flat
        toe[last:b] = True
    return heel, toe


def stance(k, s: Sole, first: int, end: int, heel: np.ndarray, toe: np.ndarray) -> Stance:  # type: ignore[no-untyped-def]
    """Where a foot stands: medians over the frames in which it stands flat."""
    rows = np.arange(first, end)
    rows = rows[heel[first:end] & toe[first:end]]
    middle = k.position[rows, s.body] + k.rotation[rows, s.body] @ s.middle
    ahead = k.rotation[rows, s.body, :, 0]
    heading = np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))
    return Stance(first, end, np.median(middle[:, :2], axis=0), float(np.median(heading)))


def feet_path(k, s: Sole, heel: np.ndarray, toe: np.ndarray, stances: tuple[Stance, ...], dt: float) -> Foot:  # type: ignore[no-untyped-def]
    """A foot with its reference."""
    n = len(heel)
    p, R = k.position[:, s.body].copy(), k.rotation[:, s.body].copy()
    pitch = np.arcsin(np.clip(R[:, 2, 0], -1.0, 1.0))  # toe up
    out_p, out_R = p.copy(), R.copy()
    for i, st in enumerate(stances):
        before = 0 if i == 0 else stances[i - 1].end
        after = n if i + 1 == len(stances) else stances[i + 1].first
        head = min(round(BLEND / dt), max(1, (st.first - before) // 2))
        tail = min(round(BLEND / dt), max(1, (after - st.end) // 2))
        flat = np.flatnonzero(heel[st.first : st.end] & toe[st.first : st.end]) + st.first
        for n_ in range(max(before, st.first - head), min(after, st.end + tail)):
            share = 1.0
            if n_ < st.first:
                share = float(smooth(1.0 - (st.first - n_) / head))
            elif n_ >= st.end:
                share = float(smooth(1.0 - (n_ - st.end + 1) / tail))
            turn, edge = 0.0, s.middle
            if n_ < flat[0] and heel[st.first] and not toe[st.first]:
                ramp = float(smooth(min(1.0, (flat[0] - n_) / max(1, flat[0] - st.first))))
                turn, edge = max(pitch[n_], 0.0) * ramp, s.corners[list(HEEL)].mean(axis=0)
            elif n_ > flat[-1] and toe[st.end - 1] and not heel[st.end - 1]:
                ramp = float(smooth(min(1.0, (n_ - flat[-1]) / max(1, st.end - 1 - flat[-1]))))
                turn, edge = min(pitch[n_], 0.0) * ramp, s.corners[list(TOE)].mean(axis=0)
            level, at = level_pose(s, st)
            rolled = level @ about_y(-turn)
            where = at + level @ edge - rolled @ edge
            if share >= 1.0:
                out_p[n_], out_R[n_] = where, rolled
            else:
                out_p[n_] = (1.0 - share) * p[n_] + share * where
                out_R[n_] = between_turns(R[n_], rolled, share)
    lift_swing(s, heel | toe, out_p, out_R, dt)
    return Foot(s, heel, toe, stances, out_p, out_R)


def level_pose(s: Sole, st: Stance) -> tuple[np.ndarray, np.ndarray]:
    """(rotation, position) of the body when its sole stands level at a stance's place on z = 0."""
    c, n = np.cos(st.heading), np.sin(st.heading)
    R = np.array([[c, -n, 0.0], [n, c, 0.0], [0.0, 0.0, 1.0]])
    return R, np.array([*st.place, 0.0]) - R @ s.middle


def about_y(angle: float) -> np.ndarray:
    """Rotation about y."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def between_turns(A: np.ndarray, B: np.ndarray, share: float) -> np.ndarray:
    """From rotation A towards B."""
    a, b = quaternion(A), quaternion(B)
    step = logarithm(multiply(a * np.array([1.0, -1.0, -1.0, -1.0]), b))
    return rotation_matrix(multiply(a, exponential(share * step)))


def lift_swing(s: Sole, stands: np.ndarray, p: np.ndarray, R: np.ndarray, dt: float) -> None:
    """Raise a foot in the air where the reference dips below the floor, by one smooth hump a swing."""
    lowest = (p[:, None] + np.einsum("nij,kj->nki", R, s.corners))[:, :, 2].min(axis=1)
    for a, b in runs(~stands):
        inside = b - a > 2
        at = (np.arange(a, b) - a + 1) / (b - a + 1)
        hump = 64.0 * (at * (1.0 - at)) ** 3
        if a == 0 or b == len(p):
            hump = np.ones(b - a) if not inside else np.maximum(hump, smooth(at) if a > 0 else smooth(1.0 - at))
        need = np.maximum(0.004 * hump - lowest[a:b], 0.0) / np.maximum(hump, 0.05)
        p[a:b, 2] += need.max(initial=0.0) * hump
