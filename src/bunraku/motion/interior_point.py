"""Quadratic programs whose inequalities may give way: min 1/2 x'Px - g'x + HARD/2 sum max(0, A x - upper)^2, sparse, by
an interior-point method.

With slacks w and multipliers lam the optimum is where
    P x - g + A'lam = 0 ,   A x - lam / HARD + w = upper ,   w lam = 0 ,   w, lam >= 0 ;
Mehrotra (1992): Newton's steps towards w lam = mu, a predictor with mu = 0 that says how far mu can go, and a
corrector, with one factorisation of P + A' D A,  D = lam / (w + lam / HARD),  for both. It is always solvable;
equations are pairs of inequalities. Some 20 steps, whatever the number of inequalities that act (methods that go from
one active set to the next take hundreds here, where a path runs along its limits). Checked in
tests/motion/test_interior_point.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import diags
from scipy.sparse.linalg import splu

HARD = 1e6
STEPS, FIRST, DONE = 60, 0.01, 1e-10  # steps at most; where slacks and multipliers begin; what counts as solved


def penalised(P: Any, g: np.ndarray, A: Any, upper: np.ndarray, x: np.ndarray) -> np.ndarray:
    """min 1/2 x'Px - g'x + HARD/2 sum max(0, A x - upper)^2, from x on: Mehrotra's (1992) interior-point method,
    predictor and corrector, on A x - lam / HARD + w = upper,  P x - g + A'lam = 0,  w lam -> 0  with  w, lam > 0;  one
    sparse factorisation a step."""
    rows = np.flatnonzero(np.isfinite(upper))
    A, upper = A.tocsr()[rows], upper[rows]
    w = np.maximum(np.abs(upper - A @ x), FIRST)
    lam = np.full(len(upper), FIRST)
    for _ in range(STEPS):
        dual, primal, gap = P @ x - g + A.T @ lam, A @ x - lam / HARD + w - upper, w @ lam / max(1, len(w))
        if gap < DONE and np.abs(dual).max() < DONE and np.abs(primal).max(initial=0.0) < DONE:
            break
        D = lam / (w + lam / HARD)
        factor = splu((P + A.T @ diags(D) @ A).tocsc())

        def step(target: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            off = primal + (target - w * lam) / lam  # noqa: B023
            dx = factor.solve(-dual - A.T @ (D * off))  # noqa: B023
            dlam = D * (A @ dx + off)  # noqa: B023
            return dx, dlam, (target - w * lam - w * dlam) / lam  # noqa: B023

        _, dlam, dw = step(np.zeros(len(w)))
        size = min(longest(lam, dlam), longest(w, dw))
        aim = gap * ((w + size * dw) @ (lam + size * dlam) / max(1e-300, w @ lam)) ** 3
        dx, dlam, dw = step(aim - dw * dlam)
        size = 0.995 * min(longest(lam, dlam), longest(w, dw))
        x, lam, w = x + size * dx, lam + size * dlam, w + size * dw
    return x


def longest(x: np.ndarray, dx: np.ndarray) -> float:
    """The longest step up to 1 that keeps x + step dx positive."""
    down = dx < 0
    return float(min(1.0, np.min(-x[down] / dx[down], initial=1.0)))
