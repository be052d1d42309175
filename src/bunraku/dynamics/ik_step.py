"""One step of inverse kinematics for many states at once: Newton's, over rows that have a weight or hold exactly.

Minimise over the step s of each state
    1/2 sum_i w_i (e_i - J_i s)^2 + 1/2 s' H s + g' s     with  low <= s <= high ,
where H, of everything but the rows, is a diagonal with some 3x3 blocks, so that its inverse costs nothing. With the
rows' forces y_i = w_i (e_i - J_i s)
    (J H^-1 J' + 1/w) y = e + J H^-1 g ,   s = H^-1 (J' y - g) :
one system as large as there are rows; 1/w = 0 makes a row exact. Bounds are kept by an active set: what would cross one
is put on it, and the rest is solved again. Checked in tests/dynamics/test_ik.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bunraku.dynamics.ik_ranges import Block

SINGULAR = 1e-14  # of a trace: keeps a straight leg, or a ball on its limit, from dividing by zero


@dataclass(eq=False)
class Quadratic:
    """The problem of k states, see the module text: J (k, m, nm), e (k, m), weight w (m,), diagonal H and gradient g
    (k, nm), both without the blocks."""

    J: np.ndarray
    e: np.ndarray
    weight: np.ndarray
    H: np.ndarray
    g: np.ndarray
    blocks: list[Block]

    def stiffness(self) -> np.ndarray:
        """(k, nm): the diagonal of the whole Hessian, exact rows left out."""
        return np.einsum("kij,i->kj", self.J * self.J, np.where(np.isinf(self.weight), 0.0, self.weight)) + self.H

    def damped(self, damping: np.ndarray) -> Quadratic:
        """The same with a damping (k,), as a share of the diagonal of the whole Hessian."""
        return replace(self, H=self.H + damping[:, None] * (self.stiffness() + 1e-9))

    def step(self) -> np.ndarray:
        """(k, nm), without bounds."""
        return self._solved(1.0 / self.H, self.e)

    def bounded_step(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """(k, nm) with bounds (k, nm)."""
        step = self.step()
        held = np.zeros(step.shape, dtype=bool)
        for _ in range(step.shape[1]):
            over = ~held & ((step > high) | (step < low))
            rows = np.flatnonzero(over.any(axis=1))
            if len(rows) == 0:
                break
            held |= over
            part, on = self.part(rows), held[rows]
            put = np.where(on, np.clip(step[rows], low[rows], high[rows]), 0.0)
            rest = part._solved(np.where(on, 0.0, 1.0 / part.H), part.e - (part.J @ put[:, :, None])[:, :, 0])
            step[rows] = np.where(on, put, rest)
        return step

    def part(self, rows: np.ndarray) -> Quadratic:
        """The problem of some states."""
        number = np.full(len(self.J), -1)
        number[rows] = np.arange(len(rows))
        blocks = []
        for b in self.blocks:
            has = number[b.states] >= 0
            blocks.append(Block(number[b.states[has]], b.first, b.hessian[has], b.gradient[has]))
        return Quadratic(self.J[rows], self.e[rows], self.weight, self.H[rows], self.g[rows], blocks)

    def _solved(self, inverse: np.ndarray, e: np.ndarray) -> np.ndarray:
        """The step for an inverse (k, nm) of the diagonal and errors e."""
        J, g = self.J, self.g.copy()
        JH = J * inverse[:, None]
        solved = []
        for b in self.blocks:
            at = slice(b.first, b.first + 3)
            g[b.states, at] += b.gradient
            least = self.H[b.states, at] + SINGULAR * np.trace(b.hessian, axis1=1, axis2=2)[:, None]
            block = np.linalg.inv(b.hessian + least[:, :, None] * np.eye(3))
            JH[b.states, :, at] = J[b.states, :, at] @ block
            solved.append((b.states, at, block))
        K = JH @ np.swapaxes(J, 1, 2)
        m = np.arange(K.shape[1])
        K[:, m, m] += 1.0 / self.weight + SINGULAR * np.trace(K, axis1=1, axis2=2)[:, None]
        y = np.linalg.solve(K, e[:, :, None] + JH @ g[:, :, None])
        gH = g * inverse
        for states, at, block in solved:
            gH[states, at] = np.einsum("kij,kj->ki", block, g[states, at])
        return (np.swapaxes(JH, 1, 2) @ y)[:, :, 0] - gH
