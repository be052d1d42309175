"""Sections 2.2, 2.3 and 3.1: the equation of motion of constrained chains, and how many unknowns may be given."""

from __future__ import annotations

import numpy as np

import bunraku as bk
from bunraku_reproduce.experiment import Experiment, part

FRAMES = {"standing": ("left_sole", "right_sole"), "bar": ("left_hand", "right_hand"), "air": ()}
ROWS = {"standing": 6, "bar": 3, "air": 0}  # of each frame
SHORT = 1e-9  # s


def tumbling(seed: int) -> tuple[bk.Model, np.ndarray, np.ndarray]:
    """(model, q, v) of the human figure, bent at random."""
    model, rng = bk.human(), np.random.default_rng(seed)
    bent = np.concatenate([np.zeros(6), 0.2 * rng.normal(size=model.nv - 6)])
    q = bk.integrate(model, model.neutral(), bent)
    for joint in ("left_knee", "right_knee", "left_elbow", "right_elbow"):  # within their ranges
        q[model.joint(joint).iq] = 0.6
    return model, q, rng.normal(size=model.nv)


def contact_rows(model: bk.Model, q: np.ndarray, case: str) -> np.ndarray:
    """H_C of soles that stand, or of hands on a bar."""
    rows = [bk.frame_jacobian(model, q, name)[: ROWS[case]] for name in FRAMES[case]]
    return np.vstack([np.zeros((0, model.nv)), *rows])


def turning(model: bk.Model, q: np.ndarray, v: np.ndarray, case: str) -> np.ndarray:
    """H_C_dot v, by differences of H_C v along the motion (fourth order)."""
    h = 1e-4
    at = [contact_rows(model, bk.integrate(model, q, v, k * h), case) @ v for k in (-2, -1, 1, 2)]
    return (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h)


@part(
    "The equation of motion under constraints",
    section="2.3",
    how="bk.crba, bk.rnea, bk.aba; world.connect(…), connection.force",
    printed="A θ'' + b = τ (1); with constraint forces and motor torques A θ'' - Hc' τc - Hj' τj = -b, Hc θ'' "
    "= -Ḣc θ' (11); in the air (12); with "
    "torques given it is the simulator's (20), whose inverse has the blocks P, Q, R, S of (21).",
)
def equation(e: Experiment) -> None:
    model, q, v = tumbling(e.seed)
    rng = np.random.default_rng([e.seed, 1])
    A, b = bk.crba(model, q), bk.rnea(model, q, v, np.zeros(model.nv))
    tau = np.concatenate([np.zeros(6), 20 * rng.normal(size=model.nv - 6)])
    a = bk.aba(model, q, v, tau)
    size = np.abs(tau).max()
    e.zero(
        "eq-1",
        "(1)",
        "A θ'' + b - τ of forward dynamics in O(n), of the largest torque",
        np.abs(A @ a + b - tau).max() / size,
        tolerance=1e-9,
    )
    # in the air: the rows of the base give the total momentum its rate
    e.zero(
        "eq-12",
        "(12)",
        "in the air the six rows of the base bear nothing, of the weight",
        np.abs((A @ a + b)[:6]).max() / (model.mass * 9.80665),
        tolerance=1e-9,
    )
    H = contact_rows(model, q, "bar")
    v = v - np.linalg.solve(A, H.T) @ np.linalg.solve(H @ np.linalg.solve(A, H.T), H @ v)  # the hands are at rest
    b, bias = bk.rnea(model, q, v, np.zeros(model.nv)), turning(model, q, v, "bar")
    n, m = model.nv, len(H)
    matrix = np.block([[A, -H.T], [H, np.zeros((m, m))]])
    x = np.linalg.solve(matrix, np.concatenate([tau - b, -bias]))
    world = bk.World(dt=SHORT, integrator="rk4")
    figure = world.add(model, self_collision=False)
    world.q[:], world.v[:], world.tau[:] = q, v, tau
    hands = [world.connect(figure[name]) for name in FRAMES["bar"]]
    world.step()
    force = np.concatenate([c.force for c in hands])
    e.zero(
        "eq-20-forces",
        "(11), (20)",
        "hanging on a bar, torques given: forces of the hands against the dense solution, of the largest",
        np.abs(force - x[n:]).max() / np.abs(x[n:]).max(),
        tolerance=1e-6,
    )
    kept = bk.World(dt=1e-5, integrator="rk4")
    figure = kept.add(model, self_collision=False)
    kept.q[:], kept.v[:], kept.tau[:] = q, v, tau
    for name in FRAMES["bar"]:
        kept.connect(figure[name])
    kept.step()
    rate = (kept.v - v) / kept.dt
    e.zero(
        "eq-20-accelerations",
        "(20)",
        "and its 34 accelerations, of the largest (mean over 10 us)",
        np.abs(rate - x[:n]).max() / np.abs(x[:n]).max(),
        tolerance=1e-3,
    )
    e.zero(
        "eq-8",
        "(7), (8)",
        "acceleration of the constrained motions, Hc θ'' + Ḣc θ', of that without constraint",
        np.abs(H @ x[:n] + bias).max() / np.abs(H @ bk.aba(model, q, v, tau) + bias).max(),
        tolerance=1e-9,
    )
    power = float(force @ (H @ v))
    e.zero("eq-9", "(9)", "virtual work: power of the constraint forces", power, tolerance=1e-6, unit="W")
    B, inverse = H @ np.linalg.solve(A, H.T), np.linalg.inv(A)
    S = np.linalg.inv(B)
    P = inverse @ (np.eye(n) - H.T @ S @ H @ inverse)
    blocks = np.block([[P, inverse @ H.T @ S], [-S @ H @ inverse, S]])
    dense = np.linalg.inv(matrix)
    e.zero(
        "eq-21",
        "(21)",
        "P, Q, R, S against the dense inverse, of its largest entry",
        np.abs(blocks - dense).max() / np.abs(dense).max(),
        tolerance=1e-8,
    )


@part(
    "How many unknowns may be given",
    section="2.3",
    how="bk.crba, bk.frame_jacobian",
    printed="The solutions of (11) and (12) are a plane of N_J dimensions, N_J the number of driven joints: so "
    "many of accelerations, forces and "
    "torques may be given, and they decide the motion.",
)
def counting(e: Experiment) -> None:
    model, q, v = tumbling(e.seed)
    words = {"air": "in the air (12)", "bar": "both hands on a bar (11)", "standing": "both soles on the floor (11)"}
    motors = np.eye(model.nv)[6:]
    for case, text in words.items():
        H = contact_rows(model, q, case)
        m = len(H)
        matrix = np.block([[bk.crba(model, q), -H.T, -motors.T], [H, np.zeros((m, m)), np.zeros((m, len(motors)))]])
        free = matrix.shape[1] - np.linalg.matrix_rank(matrix)
        e.equal(f"nj/{case}", "2.3", f"dimensions of the solutions, {text}: N_J = 28", 28, free, tolerance=0)
    # the accelerations of the 28 joints given, in the air: torques follow; given back, so do the accelerations
    A, b = bk.crba(model, q), bk.rnea(model, q, v, np.zeros(model.nv))
    wanted = np.random.default_rng([e.seed, 2]).normal(size=28)
    base = np.linalg.solve(A[:6, :6], -b[:6] - A[:6, 6:] @ wanted)
    tau = A @ np.concatenate([base, wanted]) + b
    again = bk.aba(model, q, v, tau)
    e.zero(
        "nj/decides",
        "2.3",
        "28 accelerations given: torques follow, and these give the same motion, base and all",
        np.abs(again - np.concatenate([base, wanted])).max(),
        tolerance=1e-8,
        unit="rad/s2",
    )
