"""Least squares under equations and inequalities, sparse: min 1/2 |r(x)|^2  with  c(x) = 0,  h(x) >= 0.

Augmented Lagrangian (Hestenes 1969, Powell 1969, Rockafellar 1973): with estimates y, z of the multipliers and a weight w,
    1/2 |r|^2 + w/2 |c + y/w|^2 + w/2 |max(0, z/w - h)|^2
is again a sum of squares, lessened by damped steps of Gauss and Newton (Levenberg, Marquardt), one sparse factorisation
each; then y += w c, z = max(0, z - w h), and w grows while the violation does not fall. Rows that cannot be met together
never stop it, which they do to interior points here. Checked in tests/gaits/test_constrained_squares.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_solve_banded, cholesky_banded
from scipy.sparse import diags

GROWTH = 4.0


@dataclass(frozen=True)
class Point:
    """What the problem is at x: residuals r, equations c, inequalities h, and their Jacobians (sparse, CSR)."""

    r: np.ndarray
    c: np.ndarray
    h: np.ndarray
    R: Any = None
    C: Any = None
    H: Any = None


@dataclass(frozen=True)
class Found:
    """x; cost 1/2 |r|^2; largest violation of c = 0 and h >= 0; steps taken; whether it settled."""

    x: np.ndarray
    cost: float
    violation: float
    steps: int
    settled: bool


@dataclass
class Multipliers:
    """y, z, and the weight w: see the module text."""

    y: np.ndarray
    z: np.ndarray
    w: float

    def merit(self, p: Point) -> float:
        """What steps lessen."""
        c, h = p.c + self.y / self.w, np.maximum(0.0, self.z / self.w - p.h)
        value = 0.5 * float(p.r @ p.r) + 0.5 * self.w * float(c @ c + h @ h)
        return value if np.isfinite(value) else np.inf

    def model(self, p: Point) -> tuple[np.ndarray, Any]:
        """Gradient of the merit, and Gauss and Newton's matrix."""
        c, h = p.c + self.y / self.w, self.z / self.w - p.h
        acts = (h > 0).astype(float)
        gradient = p.R.T @ p.r + self.w * (p.C.T @ c) - self.w * (p.H.T @ (acts * h))
        H = diags(acts) @ p.H
        return gradient, (p.R.T @ p.R + self.w * (p.C.T @ p.C + H.T @ H)).tocsr()

    def learn(self, p: Point) -> None:
        """Better estimates."""
        self.y = self.y + self.w * p.c
        self.z = np.maximum(0.0, self.z - self.w * p.h)


def least_squares(
    problem: Callable[[np.ndarray, bool], Point],
    x: np.ndarray,
    *,
    steps: int = 200,
    tolerance: float = 1e-6,
    weight: float = 10.0,
    order: np.ndarray | None = None,
    watch: Callable[[int, float, float], None] | None = None,
) -> Found:
    """problem(x, False) need not give Jacobians. `order`: of the unknowns, in which
    the normal matrix is banded. `watch` hears of every step, cost and violation."""
    p = problem(x, True)
    m = Multipliers(np.zeros(len(p.c)), np.zeros(len(p.h)), weight)
    order = np.arange(len(x)) if order is None else order
    damping, violation, last_cost, steps_here = 1e-3, np.inf, np.inf, 0
    for step in range(steps):
        if watch is not None:
            watch(step, 0.5 * float(p.r @ p.r), off(p))
        gradient, N = m.model(p)
        merit, lower = m.merit(p), np.inf
        band = banded(N, order)
        while damping < 1e8:
            dx = solved(band, damping, order, -gradient)
            q = problem(x + dx, False)
            lower = m.merit(q)
            hoped = -float(gradient @ dx) - 0.5 * float(dx @ (N @ dx))
            if lower < merit - 0.1 * hoped:
                damping = max(1e-9, damping * (0.2 if lower < merit - 0.6 * hoped else 1.0))
                break
            damping *= 5
        if lower < merit:
            x = x + dx
            p = problem(x, True)
        steps_here += 1
        if merit - lower < 0.01 * max(abs(merit), 1e-6) or steps_here > 12:
            now, cost = off(p), 0.5 * float(p.r @ p.r)
            if now < tolerance and abs(last_cost - cost) < 1e-3 * cost:
                return Found(x, cost, now, step + 1, True)
            m.learn(p)
            if now > 0.5 * violation:
                m.w = min(GROWTH * m.w, 1e7)
            violation, last_cost, steps_here, damping = min(now, violation), cost, 0, min(damping, 1e-2)
    return Found(x, 0.5 * float(p.r @ p.r), off(p), steps, False)


def banded(N: Any, order: np.ndarray) -> np.ndarray:
    """The lower band of a symmetric matrix whose rows and columns are taken in some order."""
    place = np.empty(len(order), dtype=int)
    place[order] = np.arange(len(order))
    entries = N.tocoo()
    row, column = place[entries.row], place[entries.col]
    below = row >= column
    row, column = row[below], column[below]
    band = np.zeros((int((row - column).max(initial=0)) + 1, len(order)))
    band[row - column, column] = entries.data[below]
    return band


def solved(band: np.ndarray, damping: float, order: np.ndarray, right: np.ndarray) -> np.ndarray:
    """(N + damping) x = right; more damping where rounding leaves N indefinite."""
    while True:
        damped = band.copy()
        damped[0] += damping
        try:
            factor = cholesky_banded(damped, lower=True, overwrite_ab=True, check_finite=False)
        except LinAlgError:
            damping = max(10 * damping, 1e-8)
            continue
        x = np.empty(len(right))
        x[order] = cho_solve_banded((factor, True), right[order], check_finite=False)
        return x


def off(p: Point) -> float:
    """The largest violation."""
    return float(max(np.abs(p.c).max(initial=0.0), (-p.h).max(initial=0.0)))
