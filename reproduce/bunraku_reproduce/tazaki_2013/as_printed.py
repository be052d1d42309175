"""The algorithm as the document prints it, in plain NumPy: frames at centres of mass, socket and plug, V = (v, ω) and A
in each body's own axes, (4) to (40). Slow and independent of the product, which works in world axes at the joints.

Joints turn about or slide along z of the socket (2.5.1, 2.5.2); a ball has either the printed angles about x, y, z
(2.5.3) or, as `turn`, a rotation matrix for q and its angular velocity in plug axes for rates.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import bunraku as bk
from bunraku.model.rotations import quaternion, skew

GRAVITY = np.array([0.0, 0.0, -9.80665])
RATES = {"hinge": 1, "slider": 1, "ball": 3, "turn": 3}


def X(R: np.ndarray, r: np.ndarray) -> np.ndarray:
    """The transform of section 1."""
    return np.block([[R.T, -R.T @ skew(r)], [np.zeros((3, 3)), R.T]])


def about(axis: int, angle: float) -> np.ndarray:
    """A turn about x, y or z."""
    c, s, (i, j) = np.cos(angle), np.sin(angle), [(1, 2), (2, 0), (0, 1)][axis]
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def centrifugal(w: np.ndarray, r: np.ndarray, v: np.ndarray, wr: np.ndarray) -> np.ndarray:
    """C_ab below (9): w of frame a; place, velocity and angular velocity of b in a."""
    return np.concatenate([(w @ r) * w - (w @ w) * r + 2 * np.cross(w, v), np.cross(w, wr)])


@dataclass
class Joint:
    """Where a joint stands for its q, its Jacobian J and J' q'."""

    R: np.ndarray
    r: np.ndarray
    J: np.ndarray
    Jv: np.ndarray


def joint(kind: str, q: Any, v: np.ndarray) -> Joint:
    """Sections 2.5.1 to 2.5.3."""
    none, J = np.zeros(3), np.zeros((6, RATES[kind]))
    if kind == "hinge":
        J[5, 0] = 1.0
        return Joint(about(2, q), none, J, np.zeros(6))
    if kind == "slider":
        J[2, 0] = 1.0
        return Joint(np.eye(3), np.array([0.0, 0.0, q]), J, np.zeros(6))
    if kind == "turn":
        J[3:] = q
        return Joint(q, none, J, np.zeros(6))
    (sy, sz), (cy, cz) = np.sin(q[1:]), np.cos(q[1:])
    J[3:] = [[cy * cz, -sz, 0], [cy * sz, cz, 0], [-sy, 0, 1]]
    by_y = np.array([[-sy * cz, 0, 0], [-sy * sz, 0, 0], [-cy, 0, 0]])
    by_z = np.array([[-cy * sz, -cz, 0], [cy * cz, -sz, 0], [0, 0, 0]])
    Jv = np.concatenate([none, (v[1] * by_y + v[2] * by_z) @ v])
    return Joint(about(2, q[2]) @ about(1, q[1]) @ about(0, q[0]), none, J, Jv)


@dataclass
class Body:
    """A body, its socket on the parent and its plug, each (rotation, place) in the frame of its body's centre."""

    parent: int
    kind: str = "hinge"
    socket: tuple[np.ndarray, np.ndarray] = (np.eye(3), np.zeros(3))
    plug: tuple[np.ndarray, np.ndarray] = (np.eye(3), np.zeros(3))
    mass: float = 1.0
    inertia: np.ndarray = field(default_factory=lambda: np.eye(3))


@dataclass
class Group:
    """Bodies whose joints share rates y, each q' = matrix y; a body without a gear is a group of its own (2.6, 2.7)."""

    members: list[int]
    matrix: dict[int, np.ndarray]


class Tree:
    """A tree on body 0, which floats: velocities and bias accelerations of a state (2.1, 2.2)."""

    def __init__(self, bodies: list[Body], q: list[Any], v: list[np.ndarray], V0: np.ndarray, R0: np.ndarray) -> None:
        self.bodies, self.v = bodies, v
        n = len(bodies)
        self.X: list[np.ndarray] = [np.eye(6)] * n
        self.J: list[np.ndarray] = [np.zeros((6, 0))] * n
        self.C: list[np.ndarray] = [np.zeros(6)] * n
        self.V, self.R = [V0] * n, [R0] * n  # R: to the world
        for c in range(1, n):
            b, p = bodies[c], bodies[c].parent
            (Rs, rs), (Rp, rp) = b.socket, b.plug
            at = joint(b.kind, q[c], v[c])
            back, Xjj, Xs = np.linalg.inv(X(Rp, rp)), X(at.R, at.r), X(Rs, rs)
            turn = X(at.R, np.zeros(3))
            self.X[c] = back @ Xjj @ Xs  # (12)
            self.J[c] = back @ turn @ at.J
            self.V[c] = self.X[c] @ self.V[p] + self.J[c] @ v[c]
            self.R[c] = self.R[p] @ Rs @ at.R @ Rp.T
            Vs, rel = Xs @ self.V[p], at.J @ v[c]
            none = np.zeros(3)
            Cs = centrifugal(self.V[p][3:], rs, none, none)
            Cj = centrifugal(Vs[3:], at.r, rel[:3], rel[3:])
            Cp = centrifugal(self.V[c][3:], rp, none, none)
            inner = Xjj @ X(Rs, none) @ Cs + turn @ Cj - X(Rp, none) @ Cp
            self.C[c] = back @ inner + back @ turn @ at.Jv  # (16)

    def inertia(self, i: int) -> np.ndarray:
        """(18)."""
        b = self.bodies[i]
        return np.block([[b.mass * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), b.inertia]])

    def bias(self, i: int) -> np.ndarray:
        """Z of (19): gyroscopic moment and weight."""
        b, w = self.bodies[i], self.V[i][3:]
        return -np.concatenate([b.mass * self.R[i].T @ GRAVITY, -np.cross(w, b.inertia @ w)])


class Articulated:
    """Theorem 1 with gears: (22), (25), (26) of single joints are (38) to (40) of groups with one member."""

    def __init__(self, tree: Tree, groups: list[Group], tau: list[np.ndarray]) -> None:
        n = len(tree.bodies)
        self.tree, self.groups = tree, groups
        self.I, self.Z = [tree.inertia(i) for i in range(n)], [tree.bias(i) for i in range(n)]
        self.fold: list[tuple[Any, ...]] = []
        for group, t in zip(reversed(groups), reversed(tau)):  # groups stand parents first
            p = tree.bodies[group.members[0]].parent
            rates = group.matrix[group.members[0]].shape[1]
            at = {p: (np.eye(6), np.zeros(6), np.zeros((6, rates)))}
            for c in group.members:  # (32), (35): as if it hung on p
                Xp, Cp, Gp = at[tree.bodies[c].parent]
                x = tree.X[c]
                at[c] = x @ Xp, x @ Cp + tree.C[c], tree.J[c] @ group.matrix[c] + x @ Gp
            del at[p]
            D = sum(G.T @ self.I[c] @ G for c, (_, _, G) in at.items())
            U = np.sum([x.T @ self.I[c] @ G for c, (x, _, G) in at.items()], axis=0)
            u = t - sum(G.T @ (self.I[c] @ C + self.Z[c]) for c, (_, C, G) in at.items())
            moved = np.sum([x.T @ (self.I[c] @ C + self.Z[c]) for c, (x, C, _) in at.items()], axis=0)
            carried = np.sum([x.T @ self.I[c] @ x for c, (x, _, _) in at.items()], axis=0)
            self.I[p] = self.I[p] + carried - U @ np.linalg.solve(D, U.T)  # (25), (39)
            self.Z[p] = self.Z[p] + moved + U @ np.linalg.solve(D, u)  # (26), (40)
            self.fold.insert(0, (p, at, D, U, u))
        self.A: list[np.ndarray] = [np.zeros(6)] * n
        self.A[0] = -np.linalg.solve(self.I[0], self.Z[0])  # (17) with F_0 = 0
        self.rates: list[np.ndarray] = []
        for p, at, D, U, u in self.fold:
            a = np.linalg.solve(D, u - U.T @ self.A[p])  # (22), (38)
            self.rates.append(a)
            for c, (x, C, G) in at.items():
                self.A[c] = x @ self.A[p] + C + G @ a  # (15), (36)

    def T(self, k: int, c: int) -> np.ndarray:
        """T of section 2.8, of member c of group k."""
        _, at, D, U, _ = self.fold[k]
        return at[c][0] - at[c][2] @ np.linalg.solve(D, U.T)

    def S(self, k: int, c: int, d: int) -> np.ndarray:
        """S of section 2.8, between members c and d."""
        _, at, D, _, _ = self.fold[k]
        return at[c][2] @ np.linalg.solve(D, at[d][2].T)


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """Any."""
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return Q * np.linalg.det(Q)


def random_body(rng: np.random.Generator, parent: int, kind: str) -> Body:
    """A body with a joint anywhere; a ball's plug is straight, so that its rates are in child axes."""
    p, R = rng.uniform(0.02, 0.3, 3), random_rotation(rng)
    inertia = R @ np.diag([p[1] + p[2], p[0] + p[2], p[0] + p[1]]) @ R.T
    straight = np.eye(3) if kind == "turn" else random_rotation(rng)
    socket, plug = (random_rotation(rng), 0.3 * rng.normal(size=3)), (straight, 0.3 * rng.normal(size=3))
    return Body(parent, kind, socket, plug, rng.uniform(0.5, 3.0), inertia)


def describe(bodies: list[Body]) -> bk.Description:
    """The same tree for Bunraku: links b0 … at the centres of mass, joints j1 …; b0 is free."""
    d = bk.Description("printed")
    for c, b in enumerate(bodies):
        body = {"mass": b.mass, "moments": b.inertia}
        if c == 0:
            d.add("b0", None, bk.free(), **body)
            continue
        (Rs, rs), (Rp, rp) = b.socket, b.plug
        turn = Rs @ Rp.T
        kind = "ball" if b.kind == "turn" else b.kind
        one = bk.Joint(f"j{c}", kind, Rp[:, 2], anchor=rp)
        d.add(f"b{c}", f"b{b.parent}", one, at=rs - turn @ rp, rotation=turn, **body)
    return d


def state(
    model: bk.Model, bodies: list[Body], q: list[Any], v: list[np.ndarray], V0: np.ndarray, R0: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """q and v of the model: leaders and followers have theirs by name."""
    x, rates = model.neutral(), np.zeros(model.nv)
    x[:7] = [0, 0, 0, *quaternion(R0)]
    rates[:3], rates[3:6] = R0 @ V0[:3], V0[3:]
    for c, b in enumerate(bodies[1:], 1):
        j, Rp = model.joint(f"j{c}"), b.plug[0]
        at = joint(b.kind, q[c], v[c])
        if b.kind in ("ball", "turn"):
            x[j.q] = quaternion(Rp @ at.R @ Rp.T)
            own = Rp @ at.R.T @ at.J[3:] @ v[c]
        else:
            x[j.q], own = q[c], v[c]
        if j.nv:
            rates[j.v] = own
    return x, rates
