"""The time table of a walk: when each foot stands and swings, where the zero-moment point is, how high the ground
counts.

Standing for `start` s, then for each step `single` s on one foot, with `double` s on both between two steps, then
standing for `end` s. The zero-moment point is in the middle of the sole that carries, and goes to the next one while
both stand, along the minimum-jerk polynomial; it leaves the middle between the feet in the last `shift` s of the first
standing and returns there in the first `shift` s of the last one. The ground counts as high as the lower foot, and
changes while one foot swings (`level`): so the leg behind reaches its foot up to the moment it leaves it, on stairs up
and down. The figure heads where its feet do on the mean of a step's time, so that it turns evenly around a bend:
turning anew with each step would ask a lone sole for more moment about the vertical than friction gives. Checked in
tests/walking/test_zmp_reference.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.errors import InputError
from bunraku.walking.foot_paths import StepPlan, foot_paths
from bunraku.walking.min_jerk import min_jerk


@dataclass(frozen=True, eq=False)
class TimeTable:
    """n samples: times [s]; step (n): number of the step that is under way or comes next; contact (n, 2); position (n,
    2, 3), rotation (n, 2, 3, 3), yaw (n, 2) of the soles; heading (n) of the figure; zmp (n, 3); load (n, 2) share of
    the weight; level (n): height of the ground [m]; dip (n): how far the hips are below their highest, of a stiff leg's
    arc [m]; still: seconds of standing at both ends."""

    times: np.ndarray
    step: np.ndarray
    contact: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    yaw: np.ndarray
    heading: np.ndarray
    zmp: np.ndarray
    load: np.ndarray
    level: np.ndarray
    dip: np.ndarray
    still: tuple[float, float]


def time_table(walk: StepPlan, *, start: float, end: float, shift: float, dt: float) -> TimeTable:
    """See the module text; all in s."""
    begin, steps, single, double, lift = walk.begin, walk.steps, walk.single, walk.double, walk.lift
    for name, x in (("single", single), ("double", double), ("shift", shift), ("lift", lift), ("dt", dt)):
        if not (np.all(np.isfinite(x)) and np.all(np.asarray(x) > 0)):
            raise InputError(f"walking_pattern: {name} {np.min(x):g} must be above 0.")
    if dt > 0.02 or double.min(initial=1.0) < 2 * dt or single.min(initial=1.0) < 10 * dt:
        raise InputError(
            f"walking_pattern: dt {dt} s is too coarse for steps of {single.min(initial=1.0):g} s and {double.min(initial=1.0):g} s; at most 0.02 s."
        )
    if start < shift + 0.3 or end < shift + 0.3:
        raise InputError(
            f"walking_pattern: start {start} s and end {end} s must each be {shift + 0.3:g} s or more: shift {shift} s and 0.3 s of rest."
        )
    n_steps = len(steps)
    total = start + float(single.sum() + double[:-1].sum()) + end
    times = dt * np.arange(int(np.ceil(total / dt - 1e-9)) + 1)
    begins = start + np.concatenate([[0.0], np.cumsum(single + double)[:-1]]) if n_steps else np.zeros(0)
    position, rotation, yaw, contact = foot_paths(walk, times, begins)
    feet = [np.array(begin[0].position, dtype=float), np.array(begin[1].position, dtype=float)]
    zmp = np.tile(0.5 * (feet[0] + feet[1]), (len(times), 1))
    load = np.full((len(times), 2), 0.5)
    level = np.full(len(times), min(feet[0][2], feet[1][2]))
    step = np.clip(np.searchsorted(begins + single, times, side="right"), 0, max(n_steps - 1, 0))
    at, share = zmp[0].copy(), 0.5  # where p is; share of the left foot
    leaves = start - shift
    for s, t, one in zip(steps, begins, single):
        carry = feet[1 - s.side]
        x = min_jerk((times - leaves) / (t - leaves))
        rows = times > leaves
        zmp[rows] = at + x[rows, None] * (carry - at)
        goal = 1.0 if s.side == 1 else 0.0
        load[rows, 0] = share + x[rows] * (goal - share)
        at, share, leaves = carry.copy(), goal, t + one
        before = min(feet[0][2], feet[1][2])
        feet[s.side] = np.array(s.position, dtype=float)
        after = min(feet[0][2], feet[1][2])
        level[times > t] = before + min_jerk((times[times > t] - t) / one) * (after - before)
    rows = times > leaves
    x = min_jerk((times[rows] - leaves) / shift)
    if n_steps:
        zmp[rows] = at + x[:, None] * (0.5 * (feet[0] + feet[1]) - at)
        load[rows, 0] = share + x * (0.5 - share)
    load[:, 0] = np.clip(load[:, 0], 0.0, 1.0)  # of rounding
    load[:, 1] = 1.0 - load[:, 0]
    beat = float((single + double).max(initial=0.0))
    heading = running_mean(yaw.mean(axis=1), min(beat, 1.8 * min(start, end)) / dt)
    return TimeTable(
        times, step, contact, position, rotation, yaw, heading, zmp, load, level, dips(walk, times, begins),
        (start - shift, end - shift),
    )  # fmt: skip


def running_mean(x: np.ndarray, samples: float) -> np.ndarray:
    """Each value as the mean of those around it, a window of some samples; the ends go on as they are."""
    half = max(int(samples / 2), 0)
    whole = np.concatenate([np.full(half, x[0]), x, np.full(half, x[-1])])
    sums = np.concatenate([[0.0], np.cumsum(whole)])
    return (sums[2 * half + 1 :] - sums[: len(x)]) / (2 * half + 1)


def dips(walk: StepPlan, times: np.ndarray, begins: np.ndarray) -> np.ndarray:
    """(n,) [m]: how far a stiff leg's hip is below its highest, d^2 / (8 leg) for feet d apart in the middle of each
    support on both of them, 0 in the middle of each swing, minimum-jerk between."""
    feet, single, middles = list(walk.begin), walk.single, begins + 0.5 * walk.single
    out = np.zeros(len(times))
    for k, s in enumerate(walk.steps[:-1]):
        feet[s.side] = s
        apart = np.array(feet[0].position[:2]) - np.array(feet[1].position[:2])
        ahead = float(apart @ [np.cos(s.yaw), np.sin(s.yaw)])
        low = 0.5 * (begins[k] + single[k] + begins[k + 1])
        down, up = (times - middles[k]) / (low - middles[k]), (times - low) / (middles[k + 1] - low)
        out += ahead**2 / (8.0 * walk.leg) * (min_jerk(down) - min_jerk(up))
    return out
