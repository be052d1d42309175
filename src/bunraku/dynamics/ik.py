"""Inverse kinematics: a configuration that brings one or several frames where they are wanted, within joint limits.

Minimises  sum_t w_t |e_t(q)|^2 + r |q - q_rest|^2  by a damped Gauss-Newton method (Levenberg-Marquardt) with steps in
v-space. e is the frame's position error [m] and, where asked for, its rotation vector error times `length` [m]. Limits
of hinges and sliders are bounds on the step, kept by an active set; a ball's swing and twist are kept by walking along
the limit, and at last by pulling the pose back to it. The damping adapts, so that singular and unreachable targets stay
bounded and the result is the nearest pose found. Checked in tests/dynamics/test_ik.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bunraku.dynamics.functions import frame_jacobian, kinematics
from bunraku.dynamics.work import Work
from bunraku.errors import InputError
from bunraku.model.configuration import difference, integrate
from bunraku.model.limits import clamp_balls, swing_twist_rates
from bunraku.model.model import Model
from bunraku.model.rotations import logarithm, rotation_matrix


@dataclass
class Target:
    """Where a frame should be: a position [m], a rotation (3x3 or wxyz), or both, in the world; `weight` against other
    targets."""

    frame: str
    position: Sequence[float] | np.ndarray | None = None
    rotation: np.ndarray | Sequence[float] | None = None
    weight: float = 1.0


@dataclass(frozen=True)
class Pose:
    """What inverse_kinematics finds: q, whether every target was met, the largest errors left [m, rad], and the number
    of iterations."""

    q: np.ndarray
    reached: bool
    position_error: float  # m
    rotation_error: float  # rad
    iterations: int


def inverse_kinematics(
    model: Model,
    targets: Target | Sequence[Target],
    q: np.ndarray | None = None,
    *,
    fixed: Sequence[str] = (),
    rest: np.ndarray | None = None,
    rest_weight: float = 0.0,
    length: float = 0.3,
    tolerance: float = 1e-8,
    iterations: int = 200,
    work: Work | None = None,
) -> Pose:
    """A configuration that brings frames to their targets within joint limits, found from the start `q` (the neutral
    pose by default). `fixed` names joints that must not move; `rest` is a
    posture to stay near with `rest_weight` [m^2/rad^2]; `length` [m] converts rotation errors; `tolerance` is in m and,
    over `length`, in rad."""
    wanted = [targets] if isinstance(targets, Target) else list(targets)
    if not wanted:
        raise InputError("inverse_kinematics: there is no target.")
    if not all(isinstance(t, Target) for t in wanted):
        raise InputError(
            f"inverse_kinematics: {targets!r} is no Target; write e.g. Target('left_hand', (0.4, 0.3, 1))."
        )
    goals = [_goal(model, t) for t in wanted]
    q = np.array(model.neutral() if q is None else q, dtype=float)
    if q.shape != (model.nq,):
        raise InputError(f"q has shape {q.shape}; this figure needs ({model.nq},).")
    rest = q if rest is None else np.asarray(rest, dtype=float)
    movable = np.ones(model.nv, dtype=bool)
    for name in fixed:
        movable[model.joint(name).v] = False
    q = _inside(model, q)
    error, J = _errors(model, q, goals, length, work)
    cost = _cost(model, error, q, rest, rest_weight)
    damping, k = 1e-3, 0
    for k in range(1, iterations + 1):  # noqa: B007 - its last value is reported
        if np.abs(error).max(initial=0.0) < tolerance and rest_weight == 0.0:
            break
        H = J.T @ J + rest_weight * np.eye(model.nv)
        g = J.T @ error + rest_weight * difference(model, q, rest)
        for _ in range(30):
            damped = H + damping * (np.diag(np.diag(H)) + 1e-9 * np.eye(model.nv))
            step = _bounded_step(model, q, damped, g, movable)
            rows, gaps = _ball_limits(model, q, step)
            if len(gaps):  # walk along the limits that the step would cross
                stiff = 1e6 * float(np.trace(damped)) / model.nv
                step = _bounded_step(model, q, damped + stiff * rows.T @ rows, g + stiff * rows.T @ gaps, movable)
            trial = _inside(model, integrate(model, q, step))
            trial_error, trial_J = _errors(model, trial, goals, length, work)
            trial_cost = _cost(model, trial_error, trial, rest, rest_weight)
            if trial_cost <= cost:
                break
            damping *= 4.0
        else:
            break
        gain, small = cost - trial_cost, np.abs(step).max(initial=0.0) < 1e-12
        q, error, J, cost = trial, trial_error, trial_J, trial_cost
        damping = max(damping / 5.0, 1e-12)
        if small or gain <= 1e-16 * cost:
            break
    p, r = _largest(model, q, goals, work)
    return Pose(q, bool(p < max(tolerance, 1e-6) and r < max(tolerance, 1e-6) / length), p, r, k)


def _goal(model: Model, t: Target) -> tuple[Target, np.ndarray | None, np.ndarray | None]:
    model.frame(t.frame)
    p = None if t.position is None else np.asarray(t.position, dtype=float)
    R = None if t.rotation is None else rotation_matrix(t.rotation, f"target {t.frame!r}")
    if p is None and R is None:
        raise InputError(f"target {t.frame!r} has neither a position nor a rotation.")
    if p is not None and (p.shape != (3,) or not np.all(np.isfinite(p))):
        raise InputError(f"target {t.frame!r}: position needs three finite numbers.")
    return t, p, R


def _rotation_vector(R: np.ndarray) -> np.ndarray:
    from bunraku.model.rotations import quaternion

    return logarithm(quaternion(R))


def _errors(model, q, goals, length, work):  # type: ignore[no-untyped-def]
    """Weighted errors (target minus actual) and their Jacobian."""
    k = kinematics(model, q, work=work)
    rows, parts = [], []
    for t, p, R in goals:
        at, turn = k.pose(t.frame)
        J = frame_jacobian(model, q, t.frame, work=work)
        w = np.sqrt(t.weight)
        if p is not None:
            parts.append(w * (p - at))
            rows.append(w * J[:3])
        if R is not None:
            e = _rotation_vector(R @ turn.T)
            parts.append(w * length * e)
            rows.append(w * length * _left_inverse(e) @ J[3:])
    return np.concatenate(parts), np.vstack(rows)


def _left_inverse(e: np.ndarray) -> np.ndarray:
    """Inverse of the left Jacobian of rotations at the rotation vector e: how log(R) changes as R is turned from the
    left.

    1 - [e]/2 + (1/t^2 - (1 + cos t)/(2 t sin t)) [e]^2, t = |e|; here the minus of the error's own sign is left to the
    caller.
    """
    t = float(np.linalg.norm(e))
    E = np.array([[0.0, -e[2], e[1]], [e[2], 0.0, -e[0]], [-e[1], e[0], 0.0]])
    k = 1.0 / 12.0 if t < 1e-4 else 1.0 / t**2 - (1.0 + np.cos(t)) / (2.0 * t * max(np.sin(t), 1e-9))
    return np.eye(3) + 0.5 * E + k * E @ E


def _cost(model, error, q, rest, rest_weight):  # type: ignore[no-untyped-def]
    extra = rest_weight * float(np.sum(difference(model, q, rest) ** 2)) if rest_weight else 0.0
    return float(error @ error) + extra


def _bounded_step(model, q, H, g, movable):  # type: ignore[no-untyped-def]
    """Minimise step' H step / 2 - g' step with lower <= q + step <= upper: an active set on the few bounds that bite."""
    low, high = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
    for j in model.joints:
        if j.nv and j.ranged:
            low[j.v], high[j.v] = model.lower[j.v] - q[j.q], model.upper[j.v] - q[j.q]
    step = np.zeros(model.nv)
    free = movable.copy()
    for _ in range(model.nv + 1):
        idx = np.flatnonzero(free)
        if idx.size == 0:
            break
        right = g[idx] - H[np.ix_(idx, ~free)] @ step[~free]
        step[idx] = np.linalg.solve(H[np.ix_(idx, idx)], right)
        over = free & ((step > high) | (step < low))
        if not over.any():
            break
        step[over] = np.clip(step, low, high)[over]
        free &= ~over
    return step


def _ball_limits(model: Model, q: np.ndarray, step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows n and gaps d with n . step = d on every swing or twist limit that the step would cross."""
    rows, gaps = [], []
    for j in model.joints:
        if j.kind != "ball":
            continue
        value, gradient = swing_twist_rates(q[j.q])
        for k, low, high in ((0, -np.inf, j.swing), (1, *j.twist)):
            ahead = value[k] + gradient[k] @ step[j.v]
            if ahead > high or ahead < low:
                row = np.zeros(model.nv)
                row[j.v] = gradient[k]
                rows.append(row)
                gaps.append((high if ahead > high else low) - value[k])
    return np.array(rows).reshape(-1, model.nv), np.array(gaps)


def _inside(model: Model, q: np.ndarray) -> np.ndarray:
    """q moved inside all limits."""
    q = clamp_balls(model, q)
    for j in model.joints:
        if j.nv and j.ranged:
            q[j.q] = np.clip(q[j.q], model.lower[j.v], model.upper[j.v])
    return q


def _largest(model, q, goals, work):  # type: ignore[no-untyped-def]
    k = kinematics(model, q, work=work)
    p_err = r_err = 0.0
    for t, p, R in goals:
        at, turn = k.pose(t.frame)
        if p is not None:
            p_err = max(p_err, float(np.linalg.norm(p - at)))
        if R is not None:
            r_err = max(r_err, float(np.linalg.norm(_rotation_vector(R @ turn.T))))
    return p_err, r_err
