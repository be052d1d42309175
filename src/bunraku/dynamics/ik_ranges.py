"""Ranges of joints in inverse kinematics: hard ones are never left, soft ones push back smoothly before they end.

Hard: hinges, sliders and universal joints have bounds on a step, kept by an active set (bunraku.dynamics.ik_step);
balls whose step would cross the end of their swing or twist are held on it by a stiff spring along its gradient, and at
last put back inside. Soft: a barrier  LIMIT zone^2 / 4 (excess / zone)^4  that begins a zone inside every end, so
smooth that a motion along it has no jerk in its joints. Both give a gradient g and a Hessian of movements: a diagonal
and, for balls, blocks 3x3. Checked in tests/dynamics/test_ik.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.model.limits import Balls, balls_of, clamp_balls, swing_twist, swing_twist_rates
from bunraku.model.model import Model

LIMIT = 3.0  # weight of a barrier
ZONE = 0.05  # rad: how far inside a range its barrier begins; at most a tenth of the range
STIFF = 1e6  # of the mean Hessian: the spring that holds a ball on its limit


@dataclass(frozen=True, eq=False)
class Block:
    """What a ball adds in some states: Hessian (k, 3, 3) and gradient (k, 3) at moving columns `first` to first + 3."""

    states: np.ndarray
    first: int
    hessian: np.ndarray
    gradient: np.ndarray


def barrier(excess: np.ndarray, zone: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """(slope, curvature) of the barrier."""
    x = excess / zone
    return LIMIT * zone * x**3, 3.0 * LIMIT * x**2


class Ranges:
    """Ranges of the moving degrees of freedom of a figure (moving: indices into v)."""

    def __init__(self, model: Model, moving: np.ndarray) -> None:
        self.model, self.size = model, len(moving)
        column = np.full(model.nv, -1)
        column[moving] = np.arange(len(moving))
        balls = balls_of(model)
        chosen = np.flatnonzero(column[balls.v[:, 0]] >= 0)
        self.balls = Balls(*(x[chosen] for x in balls))
        self.ball_columns = column[self.balls.v[:, 0]]
        plain = [j for j in model.joints if j.nv and j.ranged and column[j.iv] >= 0]
        self.iq = np.array([k for j in plain for k in range(j.iq, j.iq + j.nq)], dtype=int)
        dofs = np.array([k for j in plain for k in range(j.iv, j.iv + j.nv)], dtype=int)
        self.columns, self.low, self.high = column[dofs], model.lower[dofs], model.upper[dofs]

    def inside(self, q: np.ndarray) -> np.ndarray:
        """q (k, nq) moved inside all hard ranges."""
        q = clamp_balls(self.model, q)
        q[:, self.iq] = np.clip(q[:, self.iq], self.low, self.high)
        return q

    def room(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(least, largest) step (k, moving) that hard ranges of all but balls allow."""
        low, high = np.full((len(q), self.size), -np.inf), np.full((len(q), self.size), np.inf)
        low[:, self.columns], high[:, self.columns] = self.low - q[:, self.iq], self.high - q[:, self.iq]
        return low, high

    def held(self, q: np.ndarray, step: np.ndarray, stiff: np.ndarray) -> list[Block]:
        """Springs on the hard limits of balls that a step (k, moving) would cross; stiff (k,): the mean Hessian."""
        balls = self.balls
        value, rates = swing_twist_rates(q[:, balls.q])  # (k, balls, 2), (k, balls, 2, 3)
        low = np.column_stack([np.full(len(balls.swing), -np.inf), balls.least_twist])
        high = np.column_stack([balls.swing, balls.most_twist])
        turns = step[:, self.ball_columns[:, None] + np.arange(3)]
        ahead = value + np.einsum("kbij,kbj->kbi", rates, turns)
        crossed = (ahead > high) | (ahead < low)
        out = []
        for b in np.flatnonzero(crossed.any(axis=(0, 2))):
            states = np.flatnonzero(crossed[:, b].any(axis=1))
            on = crossed[states, b]
            gap = np.where(on, np.where(ahead[states, b] > high[b], high[b], low[b]) - value[states, b], 0.0)
            firm = STIFF * stiff[states, None] * on
            out.append(block(states, int(self.ball_columns[b]), rates[states, b], -firm * gap, firm))
        return out

    def soft(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[Block]]:
        """Gradient and diagonal Hessian (k, moving) of the barriers, and blocks of balls near their limits."""
        g, H = np.zeros((len(q), self.size)), np.zeros((len(q), self.size))
        zone = np.minimum(ZONE, 0.1 * (self.high - self.low))
        g[:, self.columns], H[:, self.columns] = barrier(excess(q[:, self.iq], self.low + zone, self.high - zone), zone)
        balls = self.balls
        swing, twist = swing_twist(q[:, balls.q])
        zone = np.minimum(ZONE, 0.1 * (balls.most_twist - balls.least_twist))
        over = np.maximum(swing - (balls.swing - ZONE), 0.0)
        turn = excess(twist, balls.least_twist + zone, balls.most_twist - zone)
        near, blocks = (over != 0.0) | (turn != 0.0), []
        for b in np.flatnonzero(near.any(axis=0)):
            states = np.flatnonzero(near[:, b])
            rates = swing_twist_rates(q[states][:, balls.q[b]])[1]
            both = barrier(over[states, b], ZONE), barrier(turn[states, b], zone[b])
            slope, bend = (np.column_stack(x) for x in zip(*both))
            blocks.append(block(states, int(self.ball_columns[b]), rates, slope, bend))
        return g, H, blocks


def excess(x: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """How far x is outside low … high, below 0 where it is too low."""
    return np.maximum(x - high, 0.0) + np.minimum(x - low, 0.0)


def block(states: np.ndarray, first: int, rates: np.ndarray, slope: np.ndarray, bend: np.ndarray) -> Block:
    """A ball's block from slopes and curvatures (k, 2) along its swing and twist, whose gradients are rates (k, 2, 3)."""
    hessian = np.einsum("kr,kri,krj->kij", bend, rates, rates)
    return Block(states, first, hessian, np.einsum("kr,kri->ki", slope, rates))
