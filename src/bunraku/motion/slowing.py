"""Slowing: a motion made to last longer where it cannot be done, and there only.

Pace (n,) says how long each frame lasts, of its own time: 1 where nothing changes. Slower, a kick needs a quarter of the
angular momentum at half the speed, and what was a jump becomes a rise that feet can carry. `slower` multiplies the pace
around a time by STEP, from BEFORE until AFTER it, with ramps on both sides; `stretched` makes the motion of a pace;
`told` says in words where and by how much. Checked in tests/motion/test_slowing.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.humanoid.foot_loads import runs
from bunraku.recording.motion import Motion
from bunraku.walking.min_jerk import min_jerk

STEP = 1.45  # times slower than before, each time
BEFORE, AFTER, RAMP = 1.0, 0.4, 0.3  # s: of the recording
TOLD = 1.01  # less is not worth a word


def slower(times: np.ndarray, pace: np.ndarray, time: float, most: float) -> np.ndarray:
    """The pace (n,) made slower around a time [s], at most `most` times the recording's."""
    away = np.maximum(time - BEFORE - times, times - time - AFTER)
    inside = 1.0 - min_jerk(np.clip(away / RAMP, 0.0, 1.0))
    return np.maximum(pace, np.minimum(pace * (1.0 + (STEP - 1.0) * inside), most))


def lasting(times: np.ndarray, pace: np.ndarray) -> np.ndarray:
    """(n,): when the frames of a paced motion come [s]; the first comes when it came."""
    return times[0] + np.concatenate([[0.0], np.cumsum(0.5 * (pace[1:] + pace[:-1]) * np.diff(times))])


def stretched(motion: Motion, pace: np.ndarray) -> Motion:
    """The motion at a pace; the same object where nothing is slower."""
    if np.all(pace == 1.0):
        return motion
    return Motion(motion.model, lasting(motion.times, pace), motion.q, motion.meta)


def told(times: np.ndarray, pace: np.ndarray) -> list[dict[str, float]]:
    """Each slowed part: from, to [s of the recording], and how many times as long its slowest frame lasts."""
    return [
        {"from_s": float(times[a]), "to_s": float(times[b - 1]), "times": float(pace[a:b].max())}
        for a, b in runs(pace > TOLD)
    ]
