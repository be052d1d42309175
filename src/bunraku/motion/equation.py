"""The one equation of Nakamura & Yamane 2000, (11):  A a - Hc' fc - Hj' tj = -b ,  Hc a = -Hc_dot v + c , at one state,
and its weighted pseudo-inverse.

Known components are given one by one; the rest follows, in three levels, each exact before the next is heard:
  0  the motion of the contacts, Hc a = -Hc_dot v + c, with the rows of the free base solved for its acceleration beforehand,
     ab = Abb^-1 (Hcb' fc - bb - Abj aj), so that they hold to the last bit, whatever the rest asks for;
  1  requests, rows  R x = r  over x = (a, fc, tj), each with a weight: accelerations, torques, forces, end-link trajectories (22), (23);
  2  what is left: the smallest weighted deviation from preferred accelerations, forces and torques.
Torques are no unknowns: tj = rows of A a + b - Hc' fc. Redundant contact rows (straight knees, two soles) take the
solution of least norm; where level 1 would need joint accelerations beyond MOST, its pseudo-inverse is damped
(singularity-robust, Nakamura and Hanafusa 1986) by the least that keeps them within, so that singular and conflicting
requests stay bounded and all others are met exactly. Cost: O(nv^3), some SVDs of 40 columns. Checked in
tests/motion/test_equation.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bunraku.dynamics.functions import Kinematics, crba, frame_jacobian, kinematics, rnea
from bunraku.model.model import Model

RANK = 1e-10  # of the largest singular value: what counts as zero among contact rows
MOST = 1000.0  # rad/s^2 or m/s^2


@dataclass
class State:
    """A state with what the equation needs of it."""

    model: Model
    q: np.ndarray
    v: np.ndarray
    M: np.ndarray = field(init=False)
    b: np.ndarray = field(init=False)
    kin: Kinematics = field(init=False)
    base: np.ndarray = field(init=False)  # rows of v without a motor: of free joints
    driven: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        m = self.model
        self.M, self.b = crba(m, self.q), rnea(m, self.q, self.v, np.zeros(m.nv))
        self.kin = kinematics(m, self.q, self.v)
        free = [np.arange(j.iv, j.iv + j.nv) for j in m.joints if j.kind == "free"]
        self.base = np.concatenate(free) if free else np.zeros(0, dtype=int)
        self.driven = np.setdiff1d(np.arange(m.nv), self.base)

    def jacobian(self, frame: str) -> np.ndarray:
        """(6, nv) of a link or frame, world axes."""
        return frame_jacobian(self.model, self.q, frame)


@dataclass
class Rows:
    """Level 1: rows over a (n, nv), over fc (n, nc) and over the torques of driven joints (n, nj), what they should
    give, their weights."""

    nv: int
    nc: int
    nj: int
    a: list[np.ndarray] = field(default_factory=list)
    f: list[np.ndarray] = field(default_factory=list)
    tau: list[np.ndarray] = field(default_factory=list)
    wanted: list[float] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)

    def add(
        self,
        wanted: float,
        weight: float,
        *,
        a: np.ndarray | None = None,
        f: np.ndarray | None = None,
        tau: np.ndarray | None = None,
    ) -> None:
        """One row."""
        self.a.append(np.zeros(self.nv) if a is None else a)
        self.f.append(np.zeros(self.nc) if f is None else f)
        self.tau.append(np.zeros(self.nj) if tau is None else tau)
        self.wanted.append(float(wanted))
        self.weight.append(float(weight))

    def __len__(self) -> int:
        return len(self.wanted)


@dataclass(frozen=True)
class Preferred:
    """Level 2: (values, weights) of accelerations (nv), forces (nc) and torques (nj); weights are those of a sum of
    squares."""

    a: tuple[np.ndarray, np.ndarray]
    f: tuple[np.ndarray, np.ndarray]
    tau: tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Solution:
    """a (nv), fc (nc), torques (nv, zero for the base); `unmet` (n): what each request misses; `lost`: how many contact
    rows were redundant."""

    a: np.ndarray
    f: np.ndarray
    tau: np.ndarray
    unmet: np.ndarray
    lost: int


def solve(state: State, Hc: np.ndarray, hold: np.ndarray, rows: Rows, preferred: Preferred) -> Solution:
    """The weighted pseudo-inverse of (23); hold = -Hc_dot v + c. See the module text."""
    base, driven, M, b = state.base, state.driven, state.M, state.b
    nv, nc, nj = len(b), len(Hc), len(driven)
    # a = E y + e0 with y = (a of driven joints, fc)
    E, e0 = np.zeros((nv, nj + nc)), np.zeros(nv)
    E[driven, np.arange(nj)] = 1.0
    if len(base):
        inner = np.linalg.solve(
            M[np.ix_(base, base)], np.column_stack([-M[np.ix_(base, driven)], Hc[:, base].T, -b[base]])
        )
        E[base], e0[base] = inner[:, :-1], inner[:, -1]
    force = np.zeros((nc, nj + nc))
    force[np.arange(nc), nj + np.arange(nc)] = 1.0
    T = M[driven] @ E - Hc[:, driven].T @ force  # torques = T y + t0
    t0 = M[driven] @ e0 + b[driven]
    # level 2's weights are the metric of level 0's least norm
    scale = 1.0 / np.sqrt(
        np.concatenate([np.maximum(preferred.a[1][driven], 1e-12), np.maximum(preferred.f[1], 1e-12)])
    )
    liked = np.concatenate([preferred.a[0][driven], preferred.f[0]])
    y, space, lost = liked.copy(), np.diag(scale), 0
    if nc:
        U, s, Vt = np.linalg.svd((Hc @ E) * scale, full_matrices=True)
        rank = int(np.count_nonzero(s > RANK * s[0])) if len(s) else 0
        y = y + scale * (Vt[:rank].T @ ((U[:, :rank].T @ (hold - Hc @ e0 - Hc @ E @ y)) / s[:rank]))
        space, lost = scale[:, None] * Vt[rank:].T, nc - rank
    unmet = np.zeros(len(rows))
    if len(rows):
        R_a, R_f, R_t = np.array(rows.a), np.array(rows.f), np.array(rows.tau)
        R = R_a @ E + R_f @ force + R_t @ T
        r = np.array(rows.wanted) - R_a @ e0 - R_t @ t0
        share = np.sqrt(np.array(rows.weight))
        inner = share[:, None] * (R @ space)
        forced = np.any(R_f != 0.0, axis=1) | np.any(
            R_t != 0.0, axis=1
        )  # newtons against metres: such rows are made as long as the others
        size = np.where(forced, np.maximum(np.linalg.norm(inner, axis=1), 1e-300), 1.0)
        U, s, Vt = np.linalg.svd(inner / size[:, None], full_matrices=True)
        most = s[0] if len(s) and s[0] > 0 else 1.0
        rank = int(np.count_nonzero(s > RANK * most))
        asked = U[:, :rank].T @ (share / size * (r - R @ y))
        y = y + bounded(s[:rank], asked, space @ Vt[:rank].T, nj)
        space = space @ Vt[rank:].T
        unmet = r - R @ y
    if space.shape[1]:
        # the rest: smallest weighted deviation from what is preferred, over all three kinds
        stack = [E, force, T]
        want = [preferred.a[0] - e0, preferred.f[0], preferred.tau[0] - t0]
        root = [np.sqrt(w) for w in (preferred.a[1], preferred.f[1], preferred.tau[1])]
        left = np.vstack([w[:, None] * (G @ space) for w, G in zip(root, stack)])
        right = np.concatenate([w * (x - G @ y) for w, x, G in zip(root, want, stack)])
        y = y + space @ np.linalg.lstsq(left, right, rcond=1e-12)[0]
    a, f = E @ y + e0, y[nj:]
    tau = np.zeros(nv)
    tau[driven] = T @ y + t0
    return Solution(a, f, tau, unmet, lost)


def bounded(s: np.ndarray, asked: np.ndarray, V: np.ndarray, nj: int) -> np.ndarray:
    """V s / (s^2 + d^2) asked, with the least damping d that keeps the first nj entries within MOST."""

    def step(d: float) -> np.ndarray:
        return V @ (s / (s * s + d * d) * asked)

    out = step(0.0)
    if len(s) == 0 or np.abs(out[:nj]).max(initial=0.0) <= MOST:
        return out
    low, high = 1e-12 * s[0], s[0] * 1e6
    for _ in range(60):
        d = np.sqrt(low * high)
        out = step(d)
        low, high = (low, d) if np.abs(out[:nj]).max() <= MOST else (d, high)
    return step(high)


def finish(
    state: State, a: np.ndarray, touched: list[tuple[int, np.ndarray, np.ndarray]]
) -> tuple[np.ndarray, np.ndarray]:
    """(a, torques) that belong exactly to point forces [(body, points (m, 3), forces (m, 3)), …]: the base's
    acceleration follows from them and from the joints' a, the torques from all; what was rounded in sharing wrenches
    among points is taken up here."""
    model, base = state.model, state.base
    f_ext = np.zeros((model.nb, 6))
    for body, points, forces in touched:
        f_ext[body, :3] += forces.sum(axis=0)
        turn = (points - state.kin.position[body]).T @ forces  # sum of arm x force is its antisymmetric part
        f_ext[body, 3:] += [turn[1, 2] - turn[2, 1], turn[2, 0] - turn[0, 2], turn[0, 1] - turn[1, 0]]
    a = a.copy()
    if len(base):
        left = rnea(model, state.q, state.v, a, f_ext)[base]
        a[base] -= np.linalg.solve(state.M[np.ix_(base, base)], left)
    tau = rnea(model, state.q, state.v, a, f_ext)
    tau[base] = 0.0
    return a, tau
