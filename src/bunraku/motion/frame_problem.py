"""One frame of the dynamics filter: joint accelerations and floor forces together, nearest to what is asked for, with
the equation of motion exact.

    min  sum weight |row y - wanted|^2     over y = (accelerations of the joints, shares s >= 0 of the edges of the friction pyramids)
The base is eliminated, ab = Abb^-1 (Jb' f - bb - Abj aj) with f = G s, so that whatever comes out obeys mechanics; a
pyramid of EDGES edges lies inside its cone. Eliminating aj too leaves a problem in s >= 0 alone (at most 8 corners
times EDGES), solved exactly by the active-set method of Lawson and Hanson (1974), started from the set of the frame
before. Bounds of joints, limits of torques and the distances of links that come near each other (motion.apart) are
quadratic penalties, far above all goals, met by semi-smooth Newton steps, AGAIN at most. Cost about 2 ms, all NumPy.
Checked in tests/motion/test_frame_problem.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from bunraku.dynamics.functions import frame_jacobian
from bunraku.model.rotations import skew
from bunraku.motion.apart import Bound
from bunraku.motion.equation import State

EDGES = 4
AGAIN = 25
W_HOLD, W_FORCE, W_BOUND, W_TORQUE, W_APART = 1e6, 1e-2, 1e4, 1e3, 1e4


@dataclass(frozen=True)
class Corner:
    """A point of a body that touches the floor (normal z): point [m] in the body's frame, wanted: its acceleration less
    J_dot v [m/s^2]; near [N]: the upward force that is preferred; firm: the weight of its acceleration."""

    link: str
    body: int
    point: np.ndarray
    wanted: np.ndarray
    near: float = 0.0
    firm: float = W_HOLD


@dataclass(frozen=True)
class Goal:
    """Rows J a = wanted (J_dot v taken off) with a weight each."""

    J: np.ndarray
    wanted: np.ndarray
    weight: np.ndarray


@dataclass
class FrameProblem:
    """Solves frame after frame; keeps which edges pressed in the last one."""

    friction: float
    strength: float = 1.0  # of the torque limits
    pressing: dict[tuple[str, int], np.ndarray] = field(default_factory=dict)

    def solve(
        self,
        state: State,
        goals: list[Goal],
        corners: list[Corner],
        push: tuple[np.ndarray, float],
        posture: tuple[np.ndarray, np.ndarray],
        bounds: tuple[np.ndarray, np.ndarray],
        apart: Sequence[Bound] = (),
        spin: tuple[np.ndarray, np.ndarray, float] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """(a (nv), forces (corners, 3)). push: wanted sum of the floor's forces [N], its weight; posture: wanted
        accelerations of the joints, their weights; bounds: least and largest accelerations of the joints; apart: what
        keeps links from each other; spin: centre of mass, wanted moment of the floor's forces about it [N m], its
        weight."""
        base, driven, M, b = state.base, state.driven, state.M, state.b
        nj, ns = len(driven), EDGES * len(corners)
        edges = pyramid(self.friction)
        G = np.zeros((3 * len(corners), ns))
        for k in range(len(corners)):
            G[3 * k : 3 * k + 3, EDGES * k : EDGES * (k + 1)] = edges.T
        J = np.vstack([np.zeros((0, len(b))), *(point_jacobian(state, c) for c in corners)])
        inner = np.linalg.solve(
            M[np.ix_(base, base)], np.column_stack([-M[np.ix_(base, driven)], J[:, base].T @ G, -b[base]])
        )
        E, e0 = np.zeros((len(b), nj + ns)), np.zeros(len(b))
        E[base], e0[base] = inner[:, :-1], inner[:, -1]
        E[driven, np.arange(nj)] = 1.0
        rows, wanted, weight = [], [], []
        for x in goals:
            rows.append(x.J @ E)
            wanted.append(x.wanted - x.J @ e0)
            weight.append(x.weight)
        if corners:
            rows.append(J @ E)
            wanted.append(np.concatenate([c.wanted for c in corners]) - J @ e0)
            weight.append(np.repeat([c.firm for c in corners], 3))
            total = np.zeros((3, nj + ns))
            total[:, nj:] = G.reshape(len(corners), 3, ns).sum(axis=0)
            rows.append(total)
            wanted.append(push[0])
            weight.append(np.full(3, push[1]))
            if spin is not None:
                points = np.array([state.kin.position[c.body] + state.kin.rotation[c.body] @ c.point for c in corners])
                moment = np.zeros((3, nj + ns))
                moment[:, nj:] = np.einsum("kij,kjs->is", skew(points - spin[0]), G.reshape(len(corners), 3, ns))
                rows.append(moment)
                wanted.append(spin[1])
                weight.append(np.full(3, spin[2]))
            forces = np.zeros((len(G), nj + ns))
            forces[:, nj:] = G
            rows.append(forces)
            wanted.append(np.array([x for c in corners for x in (0.0, 0.0, c.near)]))
            weight.append(np.full(len(G), W_FORCE))
        eye = np.eye(nj + ns)[:nj]
        rows.append(eye)
        wanted.append(posture[0])
        weight.append(posture[1])
        R, r, w = np.vstack(rows), np.concatenate(wanted), np.concatenate(weight)
        H, g = R.T @ (w[:, None] * R), R.T @ (w * r)
        torque = M[driven] @ E
        torque[:, nj:] -= J[:, driven].T @ G
        rest, effort = M[driven] @ e0 + b[driven], self.strength * state.model.effort[driven]
        pairs = np.array([x.row for x in apart]).reshape(-1, len(b))
        C = np.vstack([eye, torque, pairs @ E])  # rows of inequalities, their limits, their weights
        low = np.concatenate([bounds[0], -effort - rest, [x.least for x in apart] - pairs @ e0])
        high = np.concatenate([bounds[1], effort - rest, np.full(len(pairs), np.inf)])
        firm = np.concatenate([np.full(nj, W_BOUND), np.full(nj, W_TORQUE), np.full(len(pairs), W_APART)])
        start = np.concatenate(
            [np.zeros(0, dtype=bool), *(self.pressing.get((c.link, n), ALL) for n, c in enumerate(corners))]
        )
        y = limited(H, g, nj, start, C, low, high, firm)
        self.pressing = {(c.link, n): y[nj + EDGES * n : nj + EDGES * (n + 1)] > 0 for n, c in enumerate(corners)}
        return E @ y + e0, (G @ y[nj:]).reshape(-1, 3)


ALL = np.ones(EDGES, dtype=bool)


def pyramid(friction: float) -> np.ndarray:
    """(EDGES, 3): edges of a pyramid inside the friction cone about z, each with 1 upwards."""
    angle = 2 * np.pi * (np.arange(EDGES) + 0.5) / EDGES
    mu = friction * (1.0 - 1e-9)
    return np.column_stack([mu * np.cos(angle), mu * np.sin(angle), np.ones(EDGES)])


def point_jacobian(state: State, c: Corner) -> np.ndarray:
    """(3, nv) of a corner."""
    J = frame_jacobian(state.model, state.q, c.link)
    arm = state.kin.rotation[c.body] @ c.point
    cross = np.array([[0.0, -arm[2], arm[1]], [arm[2], 0.0, -arm[0]], [-arm[1], arm[0], 0.0]])
    return J[:3] - cross @ J[3:]


def mixed(H: np.ndarray, g: np.ndarray, free: int, start: np.ndarray) -> np.ndarray:
    """min 1/2 y'H y - g'y with y[free:] >= 0: the free ones are eliminated, the rest by `not_negative`."""
    A = cho_factor(H[:free, :free] + 1e-9 * np.eye(free))
    X = cho_solve(A, np.column_stack([H[:free, free:], g[:free]]))
    S = H[free:, free:] - H[free:, :free] @ X[:, :-1]
    s = not_negative(0.5 * (S + S.T), g[free:] - H[free:, :free] @ X[:, -1], start)
    return np.concatenate([X[:, -1] - X[:, :-1] @ s, s])


def limited(
    H: np.ndarray,
    g: np.ndarray,
    free: int,
    start: np.ndarray,
    C: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    firm: np.ndarray,
) -> np.ndarray:
    """min 1/2 y'H y - g'y + 1/2 sum firm (how far C y is outside low … high)^2 with y[free:] >= 0, by semi-smooth
    Newton steps with a line search: rows beyond their limits act, those that came back do not, and the cost never
    rises."""

    def outside(y: np.ndarray) -> np.ndarray:
        value = C @ y
        return np.maximum(value - high, 0.0) + np.minimum(value - low, 0.0)

    def cost(y: np.ndarray, over: np.ndarray) -> float:
        return float(0.5 * y @ (H @ y) - g @ y + 0.5 * (firm * over) @ over)

    y = mixed(H, g, free, start)
    over = outside(y)
    best = cost(y, over)
    for _ in range(AGAIN):
        rows = np.flatnonzero(np.abs(over) > 1e-6)
        if len(rows) == 0:
            break
        D, limit = C[rows], np.where(over < 0, low, high)[rows]
        step = mixed(H + D.T @ (firm[rows, None] * D), g + D.T @ (firm[rows] * limit), free, y[free:] > 0) - y
        for size in (1.0, 0.5, 0.25, 0.1):
            new = y + size * step
            beyond = outside(new)
            now = cost(new, beyond)
            if now < best:
                break
        else:
            break
        gain, best, y, over = best - now, now, new, beyond
        if gain <= 1e-9 * (1.0 + abs(best)):
            break
    return y


def not_negative(S: np.ndarray, d: np.ndarray, start: np.ndarray) -> np.ndarray:
    """min 1/2 s'S s - d's with s >= 0 (Lawson and Hanson), started from the entries that may be positive."""
    n = len(d)
    if n == 0:
        return np.zeros(0)
    S = S + (1e-12 * float(np.trace(S)) / n + 1e-15) * np.eye(n)
    on = start.copy()
    x = np.zeros(n)
    while on.any():  # a first set whose solution is positive
        y = np.linalg.solve(S[np.ix_(on, on)], d[on])
        if y.min() > 0:
            x[on] = y
            break
        on[np.flatnonzero(on)[y <= 0]] = False
    tolerance = 1e-10 * (np.abs(d).max() + 1e-30)
    for _ in range(6 * n):
        slope = d - S @ x
        slope[on] = -np.inf
        new = int(np.argmax(slope))
        if not slope[new] > tolerance:
            break
        on[new] = True
        while True:
            y = np.zeros(n)
            y[on] = np.linalg.solve(S[np.ix_(on, on)], d[on])
            bad = on & (y <= 0)
            if not bad.any():
                x = y
                break
            step = float((x[bad] / np.maximum(x[bad] - y[bad], 1e-300)).min())
            x = x + min(step, 1.0) * (y - x)
            on &= x > 1e-14 * max(1e-30, float(np.abs(x).max()))
            x[~on] = 0.0
            if not on.any():
                break
    return x
