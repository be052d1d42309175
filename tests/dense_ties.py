"""Two rigid bodies and a constraint between them, solved densely with NumPy alone: the peer of connections.

A constraint is a function c(pose of a, pose of b) of positions; its Jacobian and c'' at zero acceleration are differences
of it, so that nothing of a connection's rows is used. Rates of a body are (velocity of the centre of mass, angular
velocity), world axes. Multipliers by (20) of Nakamura & Yamane 2000:
    M a - J' lam = f - b,   J a = -J_dot v
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Pose = tuple[np.ndarray, np.ndarray]  # place of the centre of mass, rotation
STENCIL = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))  # of sixth order
SECOND = ((1, 3 / 2), (2, -3 / 20), (3, 1 / 90))


def skew(w: np.ndarray) -> np.ndarray:
    """skew(w) y = w x y."""
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0.0]])


def turn(w: np.ndarray) -> np.ndarray:
    """Rotation by the vector w (Rodrigues)."""
    angle = float(np.linalg.norm(w))
    if angle < 1e-12:
        return np.eye(3) + skew(w)
    K = skew(w / angle)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def moved(pose: Pose, twist: np.ndarray, h: float) -> Pose:
    """A pose after the time h of a constant twist, world axes."""
    return pose[0] + h * twist[:3], turn(h * twist[3:]) @ pose[1]


@dataclass
class Body:
    """A body: its mass and moments of inertia about its own axes, pose and rates."""

    mass: float
    moments: np.ndarray
    pose: Pose
    rate: np.ndarray

    def inertia(self) -> np.ndarray:
        """(6, 6), world axes."""
        R = self.pose[1]
        out = np.zeros((6, 6))
        out[:3, :3], out[3:, 3:] = self.mass * np.eye(3), R @ np.diag(self.moments) @ R.T
        return out

    def force(self, gravity: np.ndarray) -> np.ndarray:
        """Weight and gyroscopic torque."""
        w, I = self.rate[3:], self.inertia()[3:, 3:]
        return np.concatenate([self.mass * gravity, -np.cross(w, I @ w)])

    def energy(self, gravity: np.ndarray) -> float:
        """Kinetic and potential [J]."""
        return float(0.5 * self.rate @ self.inertia() @ self.rate - self.mass * gravity @ self.pose[0])


Constraint = Callable[[Pose, Pose], np.ndarray]


def jacobian(c: Constraint, a: Pose, b: Pose, h: float = 3e-3) -> np.ndarray:
    """(rows, 12): rates of c for unit twists of a, then of b."""
    columns = []
    for k in range(12):
        e = np.eye(12)[k]
        ends = [(w, c(moved(a, e[:6], n * h), moved(b, e[6:], n * h)), c(moved(a, e[:6], -n * h), moved(b, e[6:], -n * h)))
                for n, w in STENCIL]  # fmt: skip
        columns.append(sum(w * (up - down) for w, up, down in ends) / h)
    return np.array(columns).T


def second(c: Constraint, a: Body, b: Body, h: float = 3e-3) -> np.ndarray:
    """c'' while both bodies keep their twists."""
    at = lambda t: c(moved(a.pose, a.rate, t), moved(b.pose, b.rate, t))  # noqa: E731
    return sum(w * (at(n * h) + at(-n * h) - 2 * at(0.0)) for n, w in SECOND) / h**2


@dataclass
class Dense:
    """Accelerations of both bodies and the wrench (force, torque about its centre of mass) of the constraint on each."""

    a: np.ndarray
    on_a: np.ndarray
    on_b: np.ndarray


def solve(c: Constraint, a: Body, b: Body, gravity: np.ndarray, fixed_b: bool = False) -> Dense:
    """The dense solution; fixed_b: b is the world."""
    J, bias = jacobian(c, a.pose, b.pose), second(c, a, b)
    M = np.zeros((12, 12))
    M[:6, :6], M[6:, 6:] = a.inertia(), b.inertia()
    f = np.concatenate([a.force(gravity), b.force(gravity)])
    if fixed_b:
        J, M, f = J[:, :6], M[:6, :6], f[:6]
    n, m = len(f), len(J)
    matrix = np.block([[M, -J.T], [J, np.zeros((m, m))]])
    x = np.linalg.solve(matrix, np.concatenate([f, -bias]))
    wrench = J.T @ x[n:]
    return Dense(x[:n], wrench[:6], wrench[6:] if not fixed_b else -wrench[:6])


def consistent(c: Constraint, a: Body, b: Body, fixed_b: bool = False) -> None:
    """Take from the rates what the constraint forbids."""
    J = jacobian(c, a.pose, b.pose)
    n = 6 if fixed_b else 12
    v = np.concatenate([a.rate, b.rate])[:n]
    v -= np.linalg.pinv(J[:, :n]) @ (J[:, :n] @ v)
    a.rate = v[:6]
    if not fixed_b:
        b.rate = v[6:]
