"""Random trees for the parts of Tazaki 2013: the printed algorithm and Bunraku's model of the same state, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

import bunraku as bk
from bunraku_reproduce.tazaki_2013.as_printed import (
    RATES,
    Articulated,
    Body,
    Group,
    Tree,
    describe,
    joint,
    random_body,
    random_rotation,
    state,
)

KINDS = ("hinge", "slider", "ball", "turn", "hinge", "slider", "turn", "hinge")


class Both:
    """A tree as printed and as Bunraku's model, in one random state. couplings: [(follower, leader, matrix), …] of
    bodies; groups follow from them, and so do the followers' rates."""

    def __init__(self, seed: int, parents: list[int], kinds: tuple[str, ...], couplings: Any = ()) -> None:
        rng = np.random.default_rng([seed, len(kinds), len(couplings)])
        self.bodies: list[Body] = [random_body(rng, -1, "hinge")]
        self.bodies += [random_body(rng, p, kind) for p, kind in zip(parents, kinds)]
        n = len(self.bodies)
        lead = {f: (l, np.atleast_2d(np.asarray(A, dtype=float))) for f, l, A in couplings}
        self.q: list[Any] = [None]
        for b in self.bodies[1:]:
            own = random_rotation(rng) if b.kind == "turn" else 0.5 * rng.normal(size=RATES[b.kind])
            self.q.append(own if b.kind in ("turn", "ball") else float(own[0]))
        v = [rng.normal(size=RATES[b.kind]) if c else np.zeros(0) for c, b in enumerate(self.bodies)]
        matrix: dict[int, tuple[int, np.ndarray]] = {c: (c, np.eye(len(v[c]))) for c in range(1, n) if c not in lead}
        while len(matrix) < n - 1:
            for f, (l, A) in lead.items():
                if f not in matrix and l in matrix:
                    matrix[f] = matrix[l][0], A @ matrix[l][1]
        for c, (l, A) in matrix.items():
            v[c] = A @ v[l]
        self.v = v
        self.V0, self.R0 = rng.normal(size=6), random_rotation(rng)
        self.groups = [
            Group([c for c in range(1, n) if matrix[c][0] == l], {c: A for c, (k, A) in matrix.items() if k == l})
            for l in range(1, n)
            if l not in lead
        ]
        self.tau = [rng.normal(size=g.matrix[g.members[0]].shape[1]) for g in self.groups]
        self.tree = Tree(self.bodies, self.q, v, self.V0, self.R0)
        self.printed = Articulated(self.tree, self.groups, self.tau)
        d = describe(self.bodies)
        for f, (l, A) in lead.items():
            if A.shape == (1, 1):
                d.gear(f"j{f}", f"j{l}", A[0, 0], self.q[f] - A[0, 0] * self.q[l])
            else:
                d.couple(f"j{f}", f"j{l}", A)
        self.model = d.build()
        self.x, self.rates = state(self.model, self.bodies, self.q, v, self.V0, self.R0)
        self.torque = np.zeros(self.model.nv)
        for g, t in zip(self.groups, self.tau):
            c = next(c for c in g.members if c not in lead)
            b, at = self.bodies[c], joint(self.bodies[c].kind, self.q[c], v[c])
            if b.kind in ("ball", "turn"):  # dual to q': to the angular velocity in child axes
                t = np.linalg.solve((b.plug[0] @ at.R.T @ at.J[3:]).T, t)
            self.torque[self.model.joint(f"j{c}").v] = t

    def turned(self, c: int, six: np.ndarray) -> np.ndarray:
        """A twist or acceleration of body c in world axes."""
        return np.concatenate([self.tree.R[c] @ six[:3], self.tree.R[c] @ six[3:]])

    def velocity_gap(self) -> float:
        """Largest difference between printed and our velocities, of the largest."""
        k = bk.kinematics(self.model, self.x, self.rates)
        ours = np.array([k.velocity(f"b{c}") for c in range(len(self.bodies))])
        printed = np.array([self.turned(c, V) for c, V in enumerate(self.tree.V)])
        return float(np.abs(ours - printed).max() / np.abs(ours).max())

    def accelerations(self, a: np.ndarray) -> np.ndarray:
        """Of all bodies, ours, for v' = a: world axes."""
        k = bk.kinematics(self.model, self.x, self.rates)
        names = [f"b{c}" for c in range(len(self.bodies))]
        return np.array([bk.frame_jacobian(self.model, self.x, n) @ a + k.bias_acceleration(n) for n in names])

    def acceleration_gap(self) -> float:
        """Largest difference between printed and our accelerations after forward dynamics, of the largest."""
        ours = self.accelerations(bk.aba(self.model, self.x, self.rates, self.torque))
        printed = np.array([self.turned(c, A) for c, A in enumerate(self.printed.A)])
        return float(np.abs(ours - printed).max() / np.abs(ours).max())

    def responses(self) -> np.ndarray:
        """dA_j for dF_i of all pairs of bodies (n, n, 6, 6), bodies' own axes, by the product's recursion."""
        n = len(self.bodies)
        frames = [f"b{c}" for c in range(n) for _ in range(6)]
        wrenches = np.vstack([np.kron(np.eye(2), R).T for R in self.tree.R])
        K = bk.delassus(self.model, self.x, frames, wrenches)
        return K.reshape(n, 6, n, 6).transpose(0, 2, 1, 3)


def plain(seed: int) -> Both:
    """A tree with every joint of section 2.5."""
    return Both(seed, [0, 1, 1, 2, 0, 5, 3, 7], KINDS)
