"""Motion generation with the one equation (Nakamura & Yamane 2000, 3.2): some of accelerations, torques, contact forces
and end-link trajectories are given, the rest follows, and the motion with its torques and forces comes out together: no
second run of forward dynamics.

    motion = generate(human(), seconds=1.0, contacts=[Contact("left_sole"), Contact("right_sole")],
                      trajectories=[Trajectory("left_hand", waypoints([(0, here), (0.8, there)])), Trajectory("com", position=…)],
                      known={"torque": {"neck": 0.0}})
    motion.save("reach.bkr");  motion.flags["pull"];  replay(motion)

At every step: (11) with the contacts' rows, (22), (23) with feedback on positions and rates, both bounded; then v += dt
a, q along v (semi-implicit Euler, as World steps). A contact holds its frame where it was when it began: c makes Hc(q)
(v + dt a) = -w (its error), so that positions do not drift and nothing slips in the world's sense. What inequalities
(24), (25) forbid is not prevented but flagged, frame by frame: `pull`, `cone`, `sole` (centre of pressure outside),
besides `torque` (beyond the model's effort), `limit` (beyond a joint's range), `impact` (a contact began while it
moved), `unmet` (a request missed). Checked in tests/motion/test_generate.py and by examples/generate_*.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.errors import InputError
from bunraku.humanoid.foot import Foot, box_foot
from bunraku.humanoid.touching import corner_forces, point_forces
from bunraku.model.configuration import difference, integrate
from bunraku.model.description import Shape
from bunraku.model.limits import within_limits
from bunraku.model.model import Model
from bunraku.motion.equation import Preferred, State, finish, solve
from bunraku.motion.requests import Contact, Requests, Trajectory
from bunraku.motion.solved import GROUND, Solved, Touch, assemble

FLAGS = ("pull", "cone", "sole", "torque", "limit", "impact", "unmet")
MOVING = 0.02  # m/s or rad/s: a contact that begins faster is an impact
MISSED = 1e-3  # of 1 + the request: more is flagged
ARM = 0.04  # m: a moment weighs as much as its force at this arm
WEIGHTS = {"acceleration": 1.0, "force": 1e-4, "torque": 1e-5}


@dataclass
class Held:
    """A contact that holds: where, and what touches there."""

    contact: Contact
    position: np.ndarray
    rotation: np.ndarray
    foot: Foot | None


def generate(
    model: Model,
    *,
    seconds: float,
    dt: float = 0.001,
    contacts: Sequence[Contact] = (),
    known: Mapping[str, Mapping[str, Any]] | None = None,
    trajectories: Sequence[Trajectory] = (),
    weights: Mapping[str, float] | None = None,
    start: tuple[np.ndarray, np.ndarray] | np.ndarray | None = None,
    posture: tuple[float, float] = (40.0, 12.0),
    friction: float = 0.8,
    fixed: Sequence[Shape] = (GROUND,),
    stiffness: float = 60.0,
    bound: float = 300.0,
    progress: Callable[[int, int], None] | None = None,
) -> Solved:
    """Generate a motion with its torques and forces from contacts, trajectories and known components; what they leave
    open follows from the equation of motion. What contacts or joints cannot do is flagged, frame by frame.

    known: {"acceleration" | "torque": {joint: value}, "force": {contact's frame: six values, NaN where unknown}}; a
    value is a number, one a degree of freedom (NaN: unknown), or a function of t. weights: of {"acceleration", "force",
    "torque"} or of single joints in what nothing asks for. start: q, or (q, v); the neutral pose at rest by default.
    posture: stiffness [1/s^2] and damping [1/s] with which joints that nothing moves stay at the starting pose; (0, 0)
    for the bare pseudo-inverse. stiffness: w [1/s] of the contacts' feedback. bound [m/s^2 or rad/s^2]: the most that
    feedback asks for.
    """
    steps = round(seconds / dt) if np.isfinite(seconds) and np.isfinite(dt) and dt > 0 else 0
    if steps < 1 or not 0 < dt <= 0.1:
        raise InputError(f"generate: {seconds} s in steps of {dt} s is no motion; give seconds >= dt, 0 < dt <= 0.1.")
    q, v = beginning(model, start)
    requests = Requests(model, contacts, known or {}, trajectories, stiffness, bound)
    share = spread(model, {**WEIGHTS, **(weights or {})})
    home, flags, held = q.copy(), {name: np.zeros(steps + 1, dtype=bool) for name in FLAGS}, {}
    out_q, out_v, out_tau, touches = [q], [v], [np.zeros(model.nv)], [[]]
    for k in range(steps):
        t = k * dt
        state = State(model, q, v)
        began = hold_now(state, contacts, held, t, dt)
        flags["impact"][k + 1] = began
        active = list(held.values())
        Hc, hold = requests.contact_rows(state, active, dt)
        rows = requests.rows(state, active, Hc, t)
        numbers = np.concatenate([np.zeros(0, dtype=int), *(h.contact.numbers for h in active)])
        x = solve(state, Hc, hold, rows, liked(state, home, posture, share, numbers))
        touching, where = [], 0
        for h in active:
            n = len(h.contact.numbers)
            wrench = np.zeros(6)
            wrench[h.contact.numbers] = x.f[where : where + n]
            where += n
            touching.append(touch(state, h, wrench, friction, flags, k + 1))
        pairs = [(model.frame(x.link).body, x.points, x.forces) for x in touching]
        a, tau = finish(state, x.a, pairs)
        flags["unmet"][k + 1] = bool(np.any(np.abs(x.unmet) > MISSED * (1.0 + np.abs(np.array(rows.wanted)))))
        flags["torque"][k + 1] = bool(np.any(np.abs(tau) > model.effort * (1 + 1e-9)))
        v = v + dt * a
        q = integrate(model, q, v, dt)
        if not np.all(np.isfinite(q)) or np.abs(v).max() > 1e4:
            raise InputError(
                f"generate: at t={t:.3f} s the motion runs away ({np.abs(v).max():.3g} m/s or rad/s); ask for less, or give a smaller dt."
            )
        flags["limit"][k + 1] = bool(within_limits(model, q, 1e-3))
        out_q.append(q)
        out_v.append(v)
        out_tau.append(tau)
        touches.append(touching)
        if progress is not None:
            progress(k + 1, steps)
    grips = tuple(sorted({link_of(model, c.frame) for c in contacts if c.grip}))
    meta = {"made by": "generate", "given": requests.given, "N_J": requests.driven}
    return assemble(
        model, dt, np.array(out_q), np.array(out_v), np.array(out_tau), touches,
        fixed=tuple(fixed), friction=friction, grips=grips, flags=flags, meta=meta,
    )  # fmt: skip


def beginning(model: Model, start: Any) -> tuple[np.ndarray, np.ndarray]:
    """(q, v) to start from."""
    pair = start if isinstance(start, tuple) else (start, None)
    q = model.neutral() if pair[0] is None else np.array(pair[0], dtype=float)
    v = np.zeros(model.nv) if pair[1] is None else np.array(pair[1], dtype=float)
    if q.shape != (model.nq,) or v.shape != (model.nv,) or not np.all(np.isfinite(q)) or not np.all(np.isfinite(v)):
        raise InputError(f"generate: start needs q with {model.nq} finite numbers, or (q, v) with {model.nv} for v.")
    return q, v


def spread(model: Model, weights: Mapping[str, float]) -> dict[str, Any]:
    """Weights of every degree of freedom."""
    for name, x in weights.items():
        if not (np.isfinite(x) and x >= 0):
            raise InputError(f"generate: weight {x} of {name!r} is not a number of 0 or more.")
        if name not in WEIGHTS:
            model.joint(name)
    a = np.full(model.nv, float(weights["acceleration"]))
    for name, x in weights.items():
        if name not in WEIGHTS:
            a[model.joint(name).v] = x
    return {"acceleration": a, "force": float(weights["force"]), "torque": float(weights["torque"])}


def liked(
    state: State, home: np.ndarray, posture: tuple[float, float], share: dict[str, Any], axes: np.ndarray
) -> Preferred:
    """What is preferred where nothing is asked: the starting pose at rest, small forces near the middle of the soles,
    small torques."""
    nj, nc = len(state.driven), len(axes)
    a = posture[0] * difference(state.model, state.q, home) - posture[1] * state.v
    a[state.base] = 0.0
    weight = share["acceleration"].copy()
    weight[state.base] = 0.0
    return Preferred(
        (a, weight),
        (np.zeros(nc), share["force"] * np.where(axes < 3, 1.0, ARM**-2)),
        (np.zeros(nj), np.full(nj, share["torque"])),
    )


def hold_now(state: State, contacts: Sequence[Contact], held: dict[int, Held], t: float, dt: float) -> bool:
    """Begin and end contacts; whether one began with a velocity."""
    impact = False
    for k, c in enumerate(contacts):
        active = c.begin <= t + 1e-9 * dt and t < c.end - 1e-9 * dt
        if active and k not in held:
            p, R = state.kin.pose(c.frame)
            place = p if c.at is None else np.asarray(c.at, dtype=float)
            presses = len(c.numbers) == 6 and not c.grip
            foot = box_foot(state.model, link_of(state.model, c.frame)) if presses else None
            held[k] = Held(c, place, R if c.rotation is None else c.rotation, foot)
            impact |= bool(np.abs((state.jacobian(c.frame) @ state.v)[c.numbers]).max(initial=0.0) > MOVING)
        elif not active:
            held.pop(k, None)
    return impact


def link_of(model: Model, frame: str) -> str:
    """The link that carries a frame."""
    info = model.frame(frame)
    if info.is_link:
        return frame
    return next(f.link for f in model.description.frames if f.name == frame)


def touch(state: State, h: Held, wrench: np.ndarray, friction: float, flags: dict[str, np.ndarray], k: int) -> Touch:
    """The points that carry a contact's wrench, and the flags they raise."""
    kin, link = state.kin, link_of(state.model, h.contact.frame)
    p = kin.pose(h.contact.frame)[0]
    if h.foot is not None:
        R, at = kin.rotation[h.foot.body], kin.position[h.foot.body]
        corners = at + h.foot.corners @ R.T
        middle = corners.mean(axis=0)
        about = wrench.copy()
        about[3:] += np.cross(p - middle, wrench[:3])
        points, forces = corners, corner_forces(corners, middle, about)
    else:
        points, forces = point_forces(p, wrench)
    if not h.contact.grip:
        f = forces.sum(axis=0)
        tolerance = 1e-9 * (1.0 + float(np.abs(wrench).max()))
        flags["pull"][k] |= bool(f[2] < -tolerance)
        flags["sole"][k] |= bool(f[2] >= -tolerance and forces[:, 2].min() < -tolerance)
        across = np.linalg.norm(forces[:, :2], axis=1)
        flags["cone"][k] |= bool(np.any(across > friction * np.maximum(forces[:, 2], 0.0) + tolerance))
    return Touch(link, points, forces, h.contact.fixed)
