"""Quadratic programs whose inequalities may give way: min 1/2 x'Px - g'x + sum_i h_i(A_i x - upper_i), sparse, by an
interior-point method, where h(r) = 0 for r <= 0, HARD r^2 / 2 up to the slope `most`, and rises by `most` from there on.

Where an inequality gives way, it pulls with most_i and no more, however far it is from holding: what is impossible in one
part of a path moves the others little, as a penalty that is quadratic throughout does not. Where a multiplier below
most_i can hold it, it holds but for most_i / HARD. With slacks w, s >= 0 and multipliers lam, nu = most - lam >= 0 the
optimum is where
    P x - g + A'lam = 0 ,   A x - lam / HARD - s + w = upper ,   w lam = 0 ,   s nu = 0 ;
Mehrotra (1992): Newton's steps towards w lam = s nu = mu, a predictor with mu = 0 that says how far mu can go, and a
corrector, with one factorisation of P + A' D A,  1 / D = w / lam + s / nu + 1 / HARD,  for both. It is always solvable;
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
LEAST = 1e-13  # of what they may be: slacks and multipliers stay above


def giving_way(P: Any, g: np.ndarray, A: Any, upper: np.ndarray, most: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The optimum, from x on; upper (rows,): infinite where there is none; most (rows,): see the module text."""
    rows = np.flatnonzero(np.isfinite(upper))
    A, upper, most = A.tocsr()[rows], upper[rows], most[rows]
    over = A @ x - upper
    s, w = np.maximum(over, 0.0) + FIRST, np.maximum(-over, 0.0) + FIRST
    lam = np.minimum(FIRST, 0.5 * most)
    nu, pairs = most - lam, max(1, 2 * len(upper))
    for _ in range(STEPS):
        dual, primal = P @ x - g + A.T @ lam, A @ x - lam / HARD - s + w - upper
        gap = (w @ lam + s @ nu) / pairs
        if gap < DONE and np.abs(dual).max() < DONE and np.abs(primal).max(initial=0.0) < DONE:
            break
        D = 1.0 / (w / lam + s / nu + 1.0 / HARD)
        factor = splu((P + A.T @ diags(D) @ A).tocsc())

        def step(of_w: Any, of_s: Any) -> tuple[np.ndarray, ...]:
            w0, s0 = (of_w - w * lam) / lam, (of_s - s * nu) / nu  # noqa: B023
            off = primal + w0 - s0  # noqa: B023
            dx = factor.solve(-dual - A.T @ (D * off))  # noqa: B023
            dlam = D * (A @ dx + off)  # noqa: B023
            return dx, dlam, w0 - w / lam * dlam, s0 + s / nu * dlam  # noqa: B023

        _, dlam, dw, ds = step(0.0, 0.0)
        size = min(longest(lam, dlam), longest(nu, -dlam), longest(w, dw), longest(s, ds))
        after = ((w + size * dw) @ (lam + size * dlam) + (s + size * ds) @ (nu - size * dlam)) / pairs
        aim = gap * (after / max(gap, 1e-300)) ** 3
        dx, dlam, dw, ds = step(aim - dw * dlam, aim + ds * dlam)
        size = 0.995 * min(longest(lam, dlam), longest(nu, -dlam), longest(w, dw), longest(s, ds))
        x, w, s = x + size * dx, np.maximum(w + size * dw, LEAST), np.maximum(s + size * ds, LEAST)
        lam = np.clip(lam + size * dlam, LEAST * most, (1.0 - LEAST) * most)
        nu = np.maximum(most - lam, LEAST * most)
    return x


def longest(x: np.ndarray, dx: np.ndarray) -> float:
    """The longest step up to 1 that keeps x + step dx positive."""
    down = dx < 0
    return float(min(1.0, np.min(-x[down] / dx[down], initial=1.0)))
