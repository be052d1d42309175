"""A box on a plane as a contact problem for virtual links: the six rows of one region at the middle of its underside.

Its mass matrix and Jacobian are written here with NumPy; `bunraku.step.virtual_link` answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bunraku.step.virtual_link import link_hypotheses as vl
from bunraku.step.virtual_link.link_layout import Buffers, Region

G = 9.80665
SIZE, MASS = (0.4, 0.3, 0.2), 2.0
WEIGHT = MASS * G
MU_S, MU_D = 0.8, 0.6
STATES, MODES = ("none", "point", "line", "surface"), ("", "stick", "spin", "slip")
SOLE = np.array([[-0.095, -0.06], [0.095, -0.06], [0.095, 0.06], [-0.095, 0.06]])
REGIONS = {
    "point": np.zeros((1, 2)),
    "line": np.array([[-0.1, 0.0], [0.1, 0.0]]),
    "surface": np.array([[-0.2, -0.15], [0.2, -0.15], [0.2, 0.15], [-0.2, 0.15]]),
}


@dataclass(frozen=True)
class Answer:
    """What the hypotheses came to: a region's state and motion, its wrench and six accelerations, where it presses."""

    settled: bool
    state: str
    mode: str
    f: np.ndarray
    a: np.ndarray
    free: np.ndarray
    """accelerations without contact"""
    pv: np.ndarray
    d: float
    """m: mean distance of the region from pv"""
    centre: np.ndarray
    solves: int


def arm_rows(height: float) -> np.ndarray:
    """(6, 6): motion of the middle of the underside for the motion of the centre."""
    X = np.eye(6)
    X[0, 4], X[1, 3] = -height / 2, height / 2
    return X


def inertia(size: Sequence[float], mass: float) -> np.ndarray:
    """(6, 6) of a box about its centre."""
    x, y, z = size
    return np.diag([mass] * 3 + [mass / 12 * s for s in (y * y + z * z, x * x + z * z, x * x + y * y)])


def answer(
    region: np.ndarray,
    push: Sequence[float] | np.ndarray = (0,) * 6,
    twist: Sequence[float] | np.ndarray = (0,) * 6,
    *,
    impact: bool = False,
    size: Sequence[float] = SIZE,
    dt: float = 1e-3,
    mu: tuple[float, float] = (MU_S, MU_D),
    lift: float = 0.0,
) -> Answer:
    """Forces (or impulses) on a box that is pushed by a wrench at its centre and moves with a twist of it; lift [m/s2]:
    the corrective acceleration of (20b)."""
    M, J = inertia(size, MASS), arm_rows(size[2])
    v = J @ np.asarray(twist, float)
    a0 = J @ np.linalg.solve(M, np.asarray(push, float) - WEIGHT * np.eye(6)[2])
    K = J @ np.linalg.solve(M, J.T)
    c = np.array([-v[0] / dt, -v[1] / dt, lift, 0, 0, -v[5] / dt])
    given = Region()
    given.count, given.mu_s, given.mu_d = len(region), *mu
    for k, p in enumerate(region):
        given.vertex[k] = p
    b = Buffers(1)
    status = vl.impact(K, v, [given], b) if impact else vl.forces(K, a0, c, v, [given], dt, b)
    patch = b.patches[0]
    f = b.f.copy()
    pv = np.array([-f[4], f[3]]) / f[2] if f[2] > 0 else np.full(2, np.nan)
    return Answer(
        status == 0,
        STATES[patch.state],
        MODES[patch.mode],
        f,
        b.a.copy(),
        v if impact else a0,
        pv,
        float(patch.d),
        np.array(patch.centre),
        int(b.numbers.solves),
    )
