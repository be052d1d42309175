"""The step as a problem of least squares: torques small and even, forces smooth, trunk upright, under mechanics.

Unknown are the coefficients of a spline (bunraku.gaits.step_spline) and the forces at the corners of the soles at its
nodes. Equations: six rows of inverse dynamics that no joint can give, at every node; edges that stand stay where they
are; the heel lands with no velocity. Inequalities: corner forces push and stay in their friction pyramids, ranges of the
coordinates, height of the swinging foot, load of a foot, knees. No recorded motion enters. Jacobians are exact:
rnea_derivatives, and sole_points. Checked in tests/gaits/test_step_problem.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse as scipy_sparse

from bunraku.dynamics.derivatives import rnea_derivatives
from bunraku.dynamics.functions import rnea
from bunraku.gaits import sole_points as sole
from bunraku.gaits.constrained_squares import Point
from bunraku.gaits.hinge_twin import Twin
from bunraku.gaits.step_plan import STANDS, StepPlan
from bunraku.gaits.step_spline import StepSpline

sparse: Any = scipy_sparse  # its types say less than they know
Sparse = Any
UNIT = 100.0  # N: of forces in the unknowns
GRAVITY = 9.80665
GENTLE = 0.07  # of a step, in which a corner takes up its load or leaves it
MOST = 0.8  # weights on a corner
CORNERS = 8  # four of the leading foot, four of the trailing one
FOOT = np.array([0, 0, 0, 0, 1, 1, 1, 1])
CORNER = np.array([0, 1, 2, 3, 0, 1, 2, 3])
WIDE = 3 * CORNERS
EFFORT = {
    "waist": 1.0,
    "hip y": 1.0,
    "hip x": 1.0,
    "hip z": 3.0,
    "knee": 1.0,
    "ankle y": 0.7,
    "ankle x": 1.5,
    "shoulder": 0.3,
    "elbow": 10.0,
}
RANGES = {
    "x": (-2, 2), "y": (-0.1, 0.1), "yaw": (-0.15, 0.15), "roll": (-0.1, 0.1), "pitch": (-0.06, 0.15),
    "waist z": (-0.3, 0.3), "waist x": (-0.15, 0.15), "waist y": (-0.12, 0.1),
    "hip y": (-0.61, 0.45), "hip x": (-0.25, 0.25), "hip z": (-0.2, 0.2), "ankle y": (-0.35, 0.45),
    "ankle x": (-0.25, 0.25), "shoulder y": (-0.7, 0.7), "elbow": (0.2, 0.7),
}  # fmt: skip


@dataclass
class StepProblem:
    """Of a twin and a plan; half the width and the whole length of a sole [m]."""

    twin: Twin
    plan: StepPlan
    half_width: float
    sole_length: float
    ends: tuple[np.ndarray, np.ndarray] | None = None  # of the spline, where the step is not periodic
    carry: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        p = self.plan
        self.spline = StepSpline(p.nodes, p.seconds, p.length, self.twin.mirror, self.ends)
        self.carry = sole.carriers(self.twin)
        self.n, self.N = self.spline.width, p.nodes
        self.mass = float(sum(link.inertia.mass for link in self.twin.model.description.links))
        stands = np.array([STANDS[a] + STANDS[b] for a, b in zip(p.leading, p.trailing)])
        self.free = np.flatnonzero(np.repeat(stands.ravel(), 3))  # forces that may act
        self.stands = stands
        self.spread = sparse.csr_matrix(
            (np.ones(len(self.free)), (self.free, np.arange(len(self.free)))), shape=(self.N * WIDE, len(self.free))
        )
        self.size = self.N * self.n + len(self.free)
        self._linear()

    @property
    def order(self) -> np.ndarray:
        """Unknowns node by node, from both ends to the middle: neighbours stay near, the first and the last node, which
        are neighbours, too, so that normal matrices are banded."""
        node = np.concatenate([np.repeat(np.arange(self.N), self.n), self.free // WIDE])
        return np.argsort(np.minimum(2 * node, 2 * (self.N - 1 - node) + 1), kind="stable")

    # -- unknowns -------------------------------------------------------------
    def parts(self, x: np.ndarray) -> tuple[np.ndarray, ...]:
        """Q, V, A (N, n) and forces (N, 8, 3) [N] of the unknowns."""
        c = x[: self.N * self.n]
        Q, V, A = ((S @ c + k).reshape(self.N, self.n) for S, k in self.spline.maps)
        return Q, V, A, UNIT * (self.spread @ x[self.N * self.n :]).reshape(self.N, CORNERS, 3)

    # -- rows that are linear in the unknowns ------------------------------------
    def _linear(self) -> None:
        """Residuals and inequalities that never change their Jacobians: constants `r0 + R0 x`, `h0 + H0 x`."""
        N, n, m = self.N, self.n, len(self.free)
        name, p = self.twin.index, self.plan
        (Sq, kq), _, (Sa, ka) = self.spline.maps
        none = sparse.csr_matrix((N * n, m))

        def chosen(columns: list[int], weights: list[float]) -> Sparse:
            """Rows sum w q[column] at every node."""
            return sparse.kron(
                sparse.eye(N), sparse.csr_matrix((weights, ([0] * len(columns), columns)), shape=(1, n)), format="csr"
            )

        rows: list[Sparse] = []
        constants: list[np.ndarray] = []

        def ask(matrix: Sparse, constant: np.ndarray) -> None:
            rows.append(matrix)
            constants.append(constant)

        joints = sparse.kron(sparse.eye(N), sparse.csr_matrix(np.eye(n)[6:]), format="csr")
        even = np.sqrt(2e-4 / N)
        ask(even * sparse.hstack([joints @ Sa, none[: N * (n - 6)]]), even * (joints @ ka))
        differ = sparse.diags([-np.ones(N), np.ones(N - 1)], [0, 1], shape=(N, N)).tocsr()[:-1]
        jerk = sparse.kron(differ, sparse.csr_matrix(np.eye(n)[6:]), format="csr")
        ask(even * sparse.hstack([jerk @ Sa, sparse.csr_matrix((jerk.shape[0], m))]), even * (jerk @ ka))
        for pair, weight in ((("pitch", "waist y"), 20), (("yaw", "waist z"), 5), (("roll", "waist x"), 20)):
            P = np.sqrt(weight / N) * chosen([name[i] for i in pair], [1.0, 1.0])
            ask(sparse.hstack([P @ Sq, sparse.csr_matrix((N, m))]), P @ kq)
        rest = np.sqrt(0.03 / N)
        for side in sole.SIDES:
            P = rest * chosen([name[f"{side}_shoulder y"]], [1.0])
            ask(sparse.hstack([P @ Sq, sparse.csr_matrix((N, m))]), P @ kq)
            P = rest * chosen([name[f"{side}_elbow"]], [1.0])
            ask(sparse.hstack([P @ Sq, sparse.csr_matrix((N, m))]), P @ kq - rest * 0.35)
        smooth = np.sqrt(2e-2 * N / 100)
        F = smooth * sparse.kron(differ, sparse.eye(WIDE), format="csr") @ self.spread
        ask(sparse.hstack([sparse.csr_matrix((F.shape[0], N * n)), F]), np.zeros(F.shape[0]))
        if p.kind == "step":
            F = smooth * self._exchange() @ self.spread
            ask(sparse.hstack([sparse.csr_matrix((F.shape[0], N * n)), F]), np.zeros(F.shape[0]))
        self.R0, self.r0 = sparse.vstack(rows, format="csr"), np.concatenate(constants)
        rows, constants = [], []
        # ranges
        lower, upper = np.full(n, -0.6), np.full(n, 0.6)
        for key, (low, high) in RANGES.items():
            for i in (i for full, i in name.items() if full == key or full.endswith("_" + key)):
                lower[i], upper[i] = low, high
        leg = self.twin.figure.q0[2]
        lower[name["z"]], upper[name["z"]] = 0.83 * leg, 1.02 * leg
        low, high = np.tile(lower, (N, 1)), np.tile(upper, (N, 1))
        u = np.arange(N) / N
        for side in sole.SIDES:
            k = name[f"{side}_knee"]
            low[:, k], high[:, k] = p.knee[0], 1.25
        if p.kind == "step":
            k = name["left_knee"]
            high[0, k] = p.knee[1]
            high[u < 0.3, k] = np.minimum(high[u < 0.3, k], p.knee[2])
            high[(u >= 0.45) & (u < 0.7), k] = p.knee[3]
        ask(sparse.hstack([Sq, none]), kq - low.ravel())
        ask(sparse.hstack([-Sq, none]), high.ravel() - kq)
        # forces push, grow and fade gently, in pyramids, and no foot carries more than it may
        W = self.mass * GRAVITY / UNIT
        z = np.flatnonzero(self.free % 3 == 2)
        node_corner = {int(self.free[i]) // 3: int(i) for i in z}
        number = np.arange(m)
        P = sparse.csr_matrix((np.ones(len(z)), (np.arange(len(z)), z)), shape=(len(z), m))
        ask(sparse.hstack([sparse.csr_matrix((len(z), N * n)), P]), np.zeros(len(z)))
        ask(sparse.hstack([sparse.csr_matrix((len(z), N * n)), -P]), W * self._shares()[self.free[z] // 3])
        along = number[self.free % 3 != 2]
        up = np.array([node_corner[int(self.free[i]) // 3] for i in along])
        for s in (1.0, -1.0):
            rowsof = np.arange(len(along))
            P = sparse.csr_matrix(
                (
                    np.concatenate([np.full(len(along), s), np.full(len(along), p.friction)]),
                    (np.concatenate([rowsof, rowsof]), np.concatenate([along, up])),
                ),
                shape=(len(along), m),
            )
            ask(sparse.hstack([sparse.csr_matrix((len(along), N * n)), P]), np.zeros(len(along)))
        load = (
            sparse.kron(
                sparse.eye(N), sparse.csr_matrix(np.tile([0, 0, 1.0], 4)[None] @ np.eye(12, WIDE)), format="csr"
            )
            @ self.spread
        )
        ask(sparse.hstack([sparse.csr_matrix((N, N * n)), -load]), np.full(N, p.force * W))
        self.H0, self.h0 = sparse.vstack(rows, format="csr"), np.concatenate(constants)

    def _shares(self) -> np.ndarray:
        """(N * 8): most of the weight that a corner may carry: it grows from nothing where its edge comes down and fades
        to nothing where it lifts, so that no foot is thrown off the ground or onto it."""
        N, r = self.N, GENTLE * self.N * min(1.0, 0.6 / self.plan.seconds)
        share = np.zeros((N, CORNERS))
        lands = self.plan.kind != "start"  # a heel that comes down at the first node
        for i in range(CORNERS):
            on = np.flatnonzero(self.stands[:, i])
            for run in np.split(on, np.flatnonzero(np.diff(on) > 1) + 1) if len(on) else []:
                k = np.arange(N)
                rising = k - run[0] + 0.5 if run[0] > 0 or (lands and i < 2) else np.full(N, np.inf)
                falling = run[-1] + 0.5 - k if run[-1] < N - 1 else np.full(N, np.inf)
                here = np.clip(np.minimum(rising, falling) / r, 0.0, 1.0)
                share[run, i] = MOST * here[run]
        return share.ravel()

    def _exchange(self) -> Sparse:
        """Rows: what the trailing foot carries at the first node is what the leading one carried at the last, mirrored;
        and the heel begins with no load."""
        N = self.N
        out = np.zeros((12, N * WIDE))
        sign = (1.0, -1.0, 1.0)
        for i, (trail, lead) in enumerate(((6, 3), (7, 2))):
            for d in range(3):
                out[3 * i + d, 3 * trail + d] = 1.0
                out[3 * i + d, (N - 1) * WIDE + 3 * lead + d] = -sign[d]
        out[6:, :6] = np.eye(6)
        return sparse.csr_matrix(out)

    # -- the problem --------------------------------------------------------------
    def __call__(self, x: np.ndarray, jacobians: bool = True) -> Point:
        """Residuals, equations and inequalities at x."""
        N, n, m = self.N, self.n, len(self.free)
        Q, V, A, F = self.parts(x)
        s = sole.soles(self.twin, Q, self.half_width, self.carry)
        arms = s.corners[:, FOOT, CORNER]  # (N, 8, 3)
        model = self.twin.model
        wrench = np.zeros((N, model.nb, 6))
        feet = [model.frame(f"{side}_foot").body for side in sole.SIDES]
        for f in (0, 1):
            on = f == FOOT
            wrench[:, feet[f], :3] = F[:, on].sum(axis=1)
            wrench[:, feet[f], 3:] = np.cross(arms[:, on], F[:, on]).sum(axis=1)
        tau = rnea(model, Q, V, A, wrench)
        weights = self._effort()
        c_value, c_rows = self._standing(s)
        h_value, h_rows = self._swinging(s)
        land, land_q, land_v = self._landing(s, V)
        r = np.concatenate([(tau[:, 6:] * weights).ravel(), self.r0 + self.R0 @ x])
        c = np.concatenate([0.01 * tau[:, :6].ravel(), c_value, land])
        h = np.concatenate([self.h0 + self.H0 @ x, h_value])
        if not jacobians:
            return Point(r, c, h, None, None, None)
        d = rnea_derivatives(model, Q, V, A, wrench)
        dq = d.dq.copy()
        # moments of the forces about the foot's origin turn with it
        for f in (0, 1):
            on = f == FOOT
            turn = s.angular[:, f]  # (N, n, 3)
            moved = np.cross(turn[:, :, None], arms[:, None, on])  # (N, n, corners, 3)
            moment = np.cross(moved, F[:, None, on]).sum(axis=2)  # (N, n, 3)
            dq -= np.einsum("kja,kia->kji", turn, moment)
        # columns of forces: -J' of each corner
        dF = np.zeros((N, n, WIDE))
        for i, (f, corner) in enumerate(zip(FOOT, CORNER)):
            place = s.origin[:, f] + s.corners[:, f, corner]
            J = s.columns[:, :, :3] * self.carry[f][:, None] + np.cross(s.angular[:, f], place[:, None])
            dF[:, :, 3 * i : 3 * i + 3] = -UNIT * J
        (Sq, _), (Sv, _), (Sa, _) = self.spline.maps
        full = blocks(dq) @ Sq + blocks(d.dv) @ Sv + blocks(d.dx) @ Sa
        forces = blocks(dF) @ self.spread
        whole = sparse.hstack([full, forces], format="csr")
        base = np.arange(N * n).reshape(N, n)
        R = sparse.vstack([sparse.diags(weights.ravel()) @ whole[base[:, 6:].ravel()], self.R0], format="csr")
        motion = lambda J: sparse.hstack([J @ Sq, sparse.csr_matrix((J.shape[0], m))], format="csr")  # noqa: E731
        landing = sparse.hstack([land_q @ Sq + land_v @ Sv, sparse.csr_matrix((len(land), m))], format="csr")
        C = sparse.vstack([0.01 * whole[base[:, :6].ravel()], motion(c_rows), landing], format="csr")
        H = sparse.vstack([self.H0, motion(h_rows)], format="csr")
        return Point(r, c, h, R, C, H)

    def _effort(self) -> np.ndarray:
        """(N, n - 6) weights of the torques."""
        out = [next(w for key, w in EFFORT.items() if key in name) for name in self.twin.names[6:]]
        return np.tile(np.sqrt(np.array(out) / self.N) / 50, (self.N, 1))

    def _standing(self, s: sole.Soles) -> tuple[np.ndarray, Sparse]:
        """Edges that stand: where they are, and level."""
        p, y = self.plan, self.plan.width / 2
        left = np.array([0.0, y, 0.0])
        ahead = np.array([self.sole_length, 0.0, 0.0])
        wanted = []  # (node, foot, component, value)
        for k, (a, b) in enumerate(zip(p.leading, p.trailing)):
            back = np.array([-p.behind(k), -y, 0.0])
            for f, what, place in ((0, a, left), (1, b, back)):
                if what == "-":
                    continue
                part, at = (0, place) if what in "hf" else (3, place + ahead)
                wanted += [(k, f, part + i, at[i]) for i in range(3)]
                wanted += [(k, f, 6, 0.0), (k, f, 8, 0.0)] + ([(k, f, 11, 0.0)] if what == "f" else [])
        return self._picked(s, wanted)

    def _swinging(self, s: sole.Soles) -> tuple[np.ndarray, Sparse]:
        """Edges that do not stand are above the ground, the swinging foot higher and on its side."""
        p = self.plan
        wanted = []
        for k, (a, b) in enumerate(zip(p.leading, p.trailing)):
            if a == "h":
                wanted.append((k, 0, 5, 0.0, 1))
            if a == "t":
                wanted.append((k, 0, 2, 0.0, 1))
            if b == "t":
                wanted.append((k, 1, 2, 0.0, 1))
            elif b == "-":
                up = p.lift(k)
                wanted += [(k, 1, 2, up, 1), (k, 1, 5, up, 1), (k, 1, 6, -0.15, 1), (k, 1, 6, 0.15, -1)]
                wanted += [(k, 1, i, -self.half_width - 0.005, -1) for i in (1, 4)]
        value, rows = self._picked(s, [w[:4] for w in wanted])
        sign = np.array([float(w[4]) for w in wanted])
        return sign * value, sparse.diags(sign) @ rows

    def _picked(self, s: sole.Soles, wanted: list[tuple[int, int, int, float]]) -> tuple[np.ndarray, Sparse]:
        """Values less what is wanted, and their rates by q of all nodes."""
        k, f, i = (np.array([w[j] for w in wanted], dtype=int) for j in range(3))
        value = s.value[k, f, i] - np.array([w[3] for w in wanted])
        J = s.J[k, f, i]  # (rows, n)
        columns = k[:, None] * self.n + np.arange(self.n)
        at = np.repeat(np.arange(len(k)), self.n)
        return value, sparse.csr_matrix((J.ravel(), (at, columns.ravel())), shape=(len(k), self.N * self.n))

    def _landing(self, s: sole.Soles, V: np.ndarray) -> tuple[np.ndarray, Sparse, Sparse]:
        """Velocity of the heel as it lands, and down of the toe as the sole becomes flat; their rates by q and by v."""
        flat = int(np.argmax(self.plan.leading == "f"))
        wanted = [(flat, 0, sole.TOE, slice(2, 3))]
        if self.plan.kind == "step":
            wanted.append((0, 0, sole.HEEL, slice(0, 3)))
        value, by_q, by_v = [], [], []
        for node, foot, part, axes in wanted:
            v, rate = sole.point_velocity(s, node, foot, part, V[node])
            value.append(0.3 * v[axes])
            place = sparse.csr_matrix(([1.0], ([0], [node])), shape=(1, self.N))
            by_q.append(sparse.kron(place, sparse.csr_matrix(0.3 * rate[axes])))
            by_v.append(sparse.kron(place, sparse.csr_matrix(0.3 * s.J[node, foot, part][axes])))
        return np.concatenate(value), sparse.vstack(by_q, format="csr"), sparse.vstack(by_v, format="csr")


def blocks(M: np.ndarray) -> Sparse:
    """Matrices (N, a, b) along a diagonal."""
    N, a, b = M.shape
    return sparse.bsr_matrix((M, np.arange(N), np.arange(N + 1)), shape=(N * a, N * b))
