"""A recorded motion as a reference at every step: coordinates, rates and accelerations by cubic splines, for whoever
follows it.

q goes through cubic splines of its components (quaternions without jumps of sign, brought back to length one), rates
are differences of two neighbouring steps, as the semi-implicit step has them: v_k = (q_k - q_{k-1}) / dt on the group.
Poses of single bodies are treated alike. Checked in tests/motion/test_filter.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from bunraku.model.configuration import continuous, difference, normalized
from bunraku.model.model import Model
from bunraku.model.rotations import BACK, logarithm, multiply, quaternion, without_jumps


@dataclass(frozen=True, eq=False)
class Reference:
    """times (n,), q (n, nq), v and a (n, nv)."""

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


@dataclass(frozen=True, eq=False)
class PosePath:
    """Of a body: place (n, 3), turn wxyz (n, 4), twist and its rate (n, 6), linear and angular, world axes."""

    place: np.ndarray
    turn: np.ndarray
    twist: np.ndarray
    rate: np.ndarray


def reference_of(model: Model, times: np.ndarray, q: np.ndarray, at: np.ndarray) -> Reference:
    """A motion at other times."""
    out = normalized(model, CubicSpline(times, continuous(model, q))(np.clip(at, times[0], times[-1])))
    dt = np.diff(at)[:, None]
    v = difference(model, out[:-1], out[1:]) / dt
    v = np.vstack([v[:1], v])
    return Reference(at, out, v, np.gradient(v, at, axis=0))


def pose_path(times: np.ndarray, place: np.ndarray, rotation: np.ndarray, at: np.ndarray) -> PosePath:
    """A body's poses at other times."""
    now = np.clip(at, times[0], times[-1])
    spline = CubicSpline(times, place)
    turns = CubicSpline(times, without_jumps(quaternion(rotation)))(now)
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    w = logarithm(multiply(turns[1:], turns[:-1] * BACK)) / np.diff(at)[:, None]
    w = np.vstack([w[:1], w])
    twist = np.hstack([spline(now, 1), w])
    return PosePath(spline(now), turns, twist, np.hstack([spline(now, 2), np.gradient(w, at, axis=0)]))
