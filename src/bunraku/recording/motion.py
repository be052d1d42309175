"""Motion: how one figure moves: coordinates at times, nothing else. What a BVH file holds, and what a recording shows
of one of its figures.

Between two times q follows the rate that leads from one to the other: numbers go straight, quaternions by slerp
(bunraku.model.configuration).
Checked in tests/recording/test_motion.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bunraku.errors import InputError
from bunraku.model.configuration import difference, integrate
from bunraku.model.model import Model

MOST_FRAMES = 20_000_000


@dataclass(frozen=True, eq=False)
class Motion:
    """How one figure moves: times (n,) [s], rising; q (n, nq) as the model has it; `meta` says where it comes from."""

    model: Model
    times: np.ndarray
    q: np.ndarray
    meta: dict[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        t, q = np.asarray(self.times, dtype=float), np.asarray(self.q, dtype=float)
        if t.ndim != 1 or len(t) == 0 or not np.all(np.isfinite(t)) or np.any(np.diff(t) <= 0):
            raise InputError("motion: times must be one or more finite numbers that rise.")
        if q.shape != (len(t), self.model.nq) or not np.all(np.isfinite(q)):
            raise InputError(f"motion: q needs {len(t)} rows of {self.model.nq} finite numbers, got {q.shape}.")
        object.__setattr__(self, "times", t)
        object.__setattr__(self, "q", q)

    def __len__(self) -> int:
        return len(self.times)

    @property
    def duration(self) -> float:
        """From the first to the last time [s]."""
        return float(self.times[-1] - self.times[0])

    @property
    def v(self) -> np.ndarray:
        """(n, nv) [m/s, rad/s]: rates by differences, central inside and one-sided at the ends; zeros for a single instant."""
        out = np.zeros((len(self), self.model.nv))
        if len(self) > 1:
            rates = difference(self.model, self.q[:-1], self.q[1:]) / np.diff(self.times)[:, None]
            out[0], out[-1] = rates[0], rates[-1]
            out[1:-1] = 0.5 * (rates[:-1] + rates[1:])
        return out

    def at(self, times: float | Sequence[float] | np.ndarray) -> np.ndarray:
        """q at one time or at several, between its frames; outside it stays as at the nearer end."""
        return between(self.model, self.times, self.q, times)

    def resampled(self, fps: float) -> Motion:
        """The same at `fps` frames a second, from its first time on."""
        times = even_times(self.times, fps)
        return Motion(self.model, times, self.at(times), self.meta)


def even_times(times: np.ndarray, fps: float) -> np.ndarray:
    """Times 1/fps apart from the first to the last of `times`."""
    if not (np.isfinite(fps) and 0 < fps <= 1e6):
        raise InputError(f"fps {fps} is not a number above 0.")
    count = float(times[-1] - times[0]) * fps
    if not count < MOST_FRAMES:
        raise InputError(
            f"{count / fps:g} s at {fps:g} frames a second are more than {MOST_FRAMES} frames; take fewer."
        )
    return times[0] + np.arange(int(count + 1e-6) + 1) / fps


def bracket(times: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(k, s): the time lies at times[k] + s (times[k + 1] - times[k]), 0 <= s <= 1, ends kept."""
    if len(times) == 1:
        return np.zeros(wanted.shape, dtype=int), np.zeros(wanted.shape)
    k = np.clip(np.searchsorted(times, wanted, side="right") - 1, 0, len(times) - 2)
    return k, np.clip((wanted - times[k]) / (times[k + 1] - times[k]), 0.0, 1.0)


def between(model: Model, times: np.ndarray, q: np.ndarray, wanted: float | Sequence[float] | np.ndarray) -> np.ndarray:
    """q at the wanted times, along the shortest way between rows of q."""
    at = np.asarray(wanted, dtype=float)
    if not np.all(np.isfinite(at)):
        raise InputError(f"a time {wanted} is not a finite number.")
    k, s = bracket(times, at)
    start = np.asarray(q[k], dtype=float)
    rate = difference(model, start, np.asarray(q[np.minimum(k + 1, len(times) - 1)], dtype=float))
    return integrate(model, start, rate * s[..., None])
