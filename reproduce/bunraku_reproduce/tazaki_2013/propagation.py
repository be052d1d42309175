"""Sections 1 and 2.1 to 2.2: velocities and accelerations from frame to frame, (4) to (16)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bunraku.model.rotations import exponential, matrix
from bunraku_reproduce.experiment import Experiment, part
from bunraku_reproduce.tazaki_2013.as_printed import X, centrifugal, joint, random_rotation
from bunraku_reproduce.tazaki_2013.random_trees import Both, plain

STEP = 1e-3  # s, of central differences of fourth order

Path = Callable[[float], tuple[np.ndarray, np.ndarray]]


def path(seed: int) -> Path:
    """(R, r) of a frame that moves smoothly."""
    rng = np.random.default_rng(seed)
    R, a, b = random_rotation(rng), rng.normal(size=(3, 3)), rng.normal(size=(3, 3))

    def at(t: float) -> tuple[np.ndarray, np.ndarray]:
        powers = np.array([t, t * t, np.sin(t)])
        return R @ matrix(exponential(a @ powers)), b @ powers + b[0]

    return at


def derivative(f: Callable[[float], np.ndarray]) -> np.ndarray:
    """At 0."""
    h = STEP
    return (f(-2 * h) - 8 * f(-h) + 8 * f(h) - f(2 * h)) / (12 * h)


def rates(at: Path, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """(velocity, angular velocity) of a path, in the axes that it is written in."""
    R = at(t)[0]
    W = derivative(lambda s: at(t + s)[0]) @ R.T
    return derivative(lambda s: at(t + s)[1]), np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2


def local(at: Path, t: float = 0.0) -> np.ndarray:
    """V of a frame, in its own axes."""
    v, w = rates(at, t)
    R = at(t)[0]
    return np.concatenate([R.T @ v, R.T @ w])


def local_acceleration(at: Path) -> np.ndarray:
    """A of a frame: derivatives of velocity and angular velocity, in its own axes."""
    R = at(0.0)[0]
    a = derivative(lambda t: rates(at, t)[0])
    return np.concatenate([R.T @ a, R.T @ derivative(lambda t: rates(at, t)[1])])


@part(
    "Two frames that move",
    section="1",
    how="from bunraku_reproduce.tazaki_2013 import as_printed",
    printed="The transform X(R, r) with its product (5) and inverse (6); velocity (4) and acceleration (9) of a "
    "frame b that moves in a frame a.",
)
def frames(e: Experiment) -> None:
    rng = np.random.default_rng(e.seed)
    (Ra, Rb), (ra, rb) = (random_rotation(rng), random_rotation(rng)), rng.normal(size=(2, 3))
    e.zero(
        "frames/5",
        "(5)",
        "X(Ra, ra) X(Rb, rb) - X(Rb Ra, rb + Rb ra)",
        np.abs(X(Ra, ra) @ X(Rb, rb) - X(Rb @ Ra, rb + Rb @ ra)).max(),
        tolerance=1e-13,
    )
    e.zero(
        "frames/6",
        "(6)",
        "X(R, r)⁻¹ - X(R', -R' r)",
        np.abs(np.linalg.inv(X(Ra, ra)) - X(Ra.T, -Ra.T @ ra)).max(),
        tolerance=1e-13,
    )
    a, ab = path(e.seed), path(e.seed + 1)

    def b(t: float) -> tuple[np.ndarray, np.ndarray]:  # (1)
        (R, r), (Rr, rr) = a(t), ab(t)
        return R @ Rr, r + R @ rr

    (R, r), (v, w) = ab(0.0), rates(ab)
    Va = local(a)
    V = X(R, r) @ Va + X(R, np.zeros(3)) @ np.concatenate([v, w])
    e.zero(
        "frames/4",
        "(2) to (4)",
        "velocity of frame b against differences of its path",
        np.abs(V - local(b)).max(),
        tolerance=1e-9,
        unit="m/s, rad/s",
    )
    rel = np.concatenate([derivative(lambda t: rates(ab, t)[0]), derivative(lambda t: rates(ab, t)[1])])
    A = X(R, r) @ local_acceleration(a) + X(R, np.zeros(3)) @ (centrifugal(Va[3:], r, v, w) + rel)
    e.zero(
        "frames/9",
        "(7) to (9)",
        "acceleration of frame b against second differences",
        np.abs(A - local_acceleration(b)).max(),
        tolerance=1e-7,
        unit="m/s2, rad/s2",
    )


@part(
    "From body to body",
    section="2.1, 2.2",
    figure="2",
    how="k = bk.kinematics(model, q, v); k.velocity(link), bk.frame_jacobian(model, q, link) @ a + "
    "k.bias_acceleration(link)",
    printed="Through socket and plug: V_c = X_cp V_p + J_c q' (12) and A_c = X_cp A_p + C_pc + J_c q'' (15), C "
    "from (16).",
)
def bodies(e: Experiment) -> None:
    gaps, others = [], []
    for seed in range(e.seed, e.seed + 5):
        both = plain(seed)
        gaps.append(both.velocity_gap())
        rng = np.random.default_rng(seed)
        a = rng.normal(size=both.model.nv)
        ours = both.accelerations(a)
        A = [np.zeros(6)] * len(both.bodies)
        A[0] = np.concatenate([both.R0.T @ a[:3], a[3:6]])
        for c, b in enumerate(both.bodies[1:], 1):
            qdd = own_acceleration(both, c, a)
            A[c] = both.tree.X[c] @ A[b.parent] + both.tree.C[c] + both.tree.J[c] @ qdd
        printed = np.array([both.turned(c, x) for c, x in enumerate(A)])
        others.append(np.abs(ours - printed).max() / np.abs(ours).max())
    e.zero(
        "bodies/12",
        "(10) to (12)",
        "velocities of 9 bodies in 5 random trees, ours against the printed formula, of the largest",
        max(gaps),
        tolerance=1e-12,
    )
    e.zero("bodies/15", "(13) to (16)", "accelerations for given q'', of the largest", max(others), tolerance=1e-12)


def own_acceleration(both: Both, c: int, a: np.ndarray) -> np.ndarray:
    """q'' of the printed joint for our v' = a: for the ball's angles, from J q'' + J' q' = the angular acceleration."""
    b, own = both.bodies[c], a[both.model.joint(f"j{c}").v]
    if b.kind != "ball":
        return own
    at = joint(b.kind, both.q[c], both.v[c])
    Rp, w = b.plug[0], at.J[3:] @ both.v[c]
    # our rate is Rp R' J q'; d/dt of J q' = R Rp' v is R Rp' v' + w x w
    return np.linalg.solve(at.J[3:], at.R @ Rp.T @ own + np.cross(w, w) - at.Jv[3:])
