"""A step as a cubic spline that goes on mirrored: coordinates, rates and accelerations at its nodes are linear in it.

With coefficients c_k at N nodes a step of T seconds, h = T / N:
    q_k = (c_(k-1) + 4 c_k + c_(k+1)) / 6 ,   q'_k = (c_(k+1) - c_(k-1)) / 2h ,   q''_k = (c_(k-1) - 2 c_k + c_(k+1)) / h^2 .
The next step is this one with left and right exchanged, S metres on:  c_(k+N) = M c_k + S e_x. So no equation of
periodicity is left to be solved. A step that starts or stops a walk has coefficients before and after it that are known
instead (`ends`): those of standing, and those of the walk it leads into or comes from. Checked in tests/gaits/test_step_spline.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_matrix


@dataclass(frozen=True, eq=False)
class StepSpline:
    """nodes: N; seconds: T; length: S [m]; mirror: (place, sign) of the coordinates (Twin.mirror); ends: coefficients
    (K, n) before the first node, the last one nearest, and behind the last, the first one nearest."""

    nodes: int
    seconds: float
    length: float
    mirror: tuple[np.ndarray, np.ndarray]
    ends: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def width(self) -> int:
        """How many coordinates there are."""
        return len(self.mirror[0])

    @cached_property
    def maps(self) -> tuple[tuple[csr_matrix, np.ndarray], ...]:
        """(matrix, constant) of q, q' and q'' at the nodes, for coefficients in the order node, coordinate."""
        h = self.seconds / self.nodes
        before, here, after = self.shifted(-1), self.shifted(0), self.shifted(1)
        weights = ((1 / 6, 4 / 6, 1 / 6), (-0.5 / h, 0.0, 0.5 / h), (1 / h**2, -2 / h**2, 1 / h**2))
        return tuple(
            (
                csr_matrix(a * before[0] + b * here[0] + c * after[0]),
                a * before[1] + b * here[1] + c * after[1],
            )
            for a, b, c in weights
        )

    def shifted(self, by: int) -> tuple[csr_matrix, np.ndarray]:
        """(matrix, constant) of the coefficients `by` nodes on."""
        N, n = self.nodes, self.width
        place, sign = self.mirror
        rows, columns, values = [], [], []
        constant = np.zeros((N, n))
        for k in range(N):
            turns, at = divmod(k + by, N)
            if self.ends is not None and turns != 0:
                constant[k] = self.known(k + by)
                continue
            odd = turns % 2 != 0
            rows.append(k * n + np.arange(n))
            columns.append(at * n + (place if odd else np.arange(n)))
            values.append(sign if odd else np.ones(n))
            constant[k, 0] = turns * self.length
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return csr_matrix(entries, shape=(N * n, N * n)), constant.ravel()

    def known(self, k: int) -> np.ndarray:
        """The coefficients of node k before or behind the step, where they are given."""
        assert self.ends is not None
        before, after = self.ends
        return before[max(k + len(before), 0)] if k < 0 else after[min(k - self.nodes, len(after) - 1)]

    def at(self, coefficients: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, q', q'' (len(times), width) at any times [s], steps before and after it, too."""
        place, sign = self.mirror
        h = self.seconds / self.nodes
        u = np.asarray(times, dtype=float) / h
        first = np.floor(u).astype(int)
        s = (u - first)[:, None]
        near = []
        for by in (-1, 0, 1, 2):
            if self.ends is not None:
                before, after = self.ends
                every = np.concatenate([before, coefficients, after])
                near.append(every[np.clip(first + by + len(before), 0, len(every) - 1)])
                continue
            turns, at = np.divmod(first + by, self.nodes)
            c = coefficients[at]
            c = np.where((turns % 2 != 0)[:, None], sign * c[:, place], c)
            near.append(c + self.length * turns[:, None] * (np.arange(self.width) == 0))
        a, b, c, d = near
        q = ((1 - s) ** 3 * a + (3 * s**3 - 6 * s**2 + 4) * b + (-3 * s**3 + 3 * s**2 + 3 * s + 1) * c + s**3 * d) / 6
        v = (-((1 - s) ** 2) * a + (3 * s**2 - 4 * s) * b + (-3 * s**2 + 2 * s + 1) * c + s**2 * d) / (2 * h)
        acc = ((1 - s) * a + (3 * s - 2) * b + (-3 * s + 1) * c + s * d) / h**2
        return q, v, acc
