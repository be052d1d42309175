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
moved), `unmet` (a request missed), `breaks` (a grip carries more than it holds).

Several figures and things move together where a World is given: contacts then hold links against links of any trees
(bunraku.motion.holding), whose loops close through them. N_J counts over all trees. Checked in
tests/motion/test_generate.py, tests/motion/test_several_trees.py and by examples/generate_*.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bunraku.errors import InputError
from bunraku.model.configuration import difference, integrate
from bunraku.model.description import Shape
from bunraku.model.limits import joints_beyond_limits
from bunraku.model.model import Model
from bunraku.motion.equation import Preferred, Rows, Solution, State, finish, solve
from bunraku.motion.holding import Held, hold_now, rows_of, touch
from bunraku.motion.requests import Contact, Requests, Trajectory
from bunraku.motion.solved import GROUND, Hold, Solved, assemble
from bunraku.motion.trees import Trees
from bunraku.world.world import World

FLAGS = ("pull", "cone", "sole", "torque", "limit", "impact", "unmet", "breaks")
FIRM = 1e4  # weight of a force at its bound, beside requests of weight 1
MISSED = 1e-3  # of 1 + the request: more is flagged
ARM = 0.04  # m: a moment weighs as much as its force at this arm
WEIGHTS = {"acceleration": 1.0, "force": 1e-4, "torque": 1e-5}


def generate(
    what: Model | World,
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
    fixed: Sequence[Shape] | None = None,
    stiffness: float = 60.0,
    bound: float = 300.0,
    progress: Callable[[int, int], None] | None = None,
) -> Solved:
    """Generate a motion with its torques and forces from contacts, trajectories and known components; what they leave
    open follows from the equation of motion. What contacts or joints cannot do is flagged, frame by frame.

    what: a figure; or a World, whose figures and things move together, joined by contacts between their links: names
    are "ann.left_hand", a thing's name stands for its first link, the world's state is the start, its shapes are fixed.

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
    trees = Trees.of(what)
    model = trees.model
    if isinstance(what, World):
        start = (what.q.copy(), what.v.copy()) if start is None else start
        fixed = tuple(f.shape for f in what._fixed) if fixed is None else fixed
    fixed = (GROUND,) if fixed is None else tuple(fixed)
    q, v = beginning(model, start)
    requests = Requests(trees, contacts, known or {}, trajectories, bound)
    share = spread(model, {**WEIGHTS, **(weights or {})})
    home, flags = q.copy(), {name: np.zeros(steps + 1, dtype=bool) for name in FLAGS}
    held: dict[int, Held] = {}
    holds: dict[int, Hold] = {}
    out_q, out_v, out_tau, touches = [q], [v], [np.zeros(model.nv)], [[]]
    for k in range(steps):
        t = k * dt
        state = State(model, q, v)
        flags["impact"][k + 1] = hold_now(trees, state, contacts, held, t, dt)
        holds |= {i: h.hold for i, h in held.items()}
        active = list(held.values())
        Hc, hold = rows_of(state, active, dt, stiffness, bound)
        rows = requests.rows(state, active, Hc, t)
        numbers = np.concatenate([np.zeros(0, dtype=int), *(h.contact.numbers for h in active)])
        x = within_most(state, Hc, hold, rows, liked(state, home, posture, share, numbers), active)
        touching, where = [], 0
        for h in active:
            n = len(h.contact.numbers)
            wrench = np.zeros(6)
            wrench[h.contact.numbers] = x.f[where : where + n]
            where += n
            touching.append(touch(trees, state, h, wrench, friction, flags, k + 1))
        pairs = [(model.body(x.link), x.points, x.forces) for x in touching]
        pairs += [(model.body(x.other), x.points, -x.forces) for x in touching if x.other]
        a, tau = finish(state, x.a, pairs)
        flags["unmet"][k + 1] = bool(np.any(np.abs(x.unmet) > MISSED * (1.0 + np.abs(np.array(rows.wanted)))))
        flags["torque"][k + 1] = bool(np.any(np.abs(tau) > model.effort * (1 + 1e-9)))
        v = v + dt * a
        q = integrate(model, q, v, dt)
        if not np.all(np.isfinite(q)) or np.abs(v).max() > 1e4:
            raise InputError(
                f"generate: at t={t:.3f} s the motion runs away ({np.abs(v).max():.3g} m/s or rad/s); ask for less, or give a smaller dt."
            )
        flags["limit"][k + 1] = bool(joints_beyond_limits(model, q, 1e-3))
        out_q.append(q)
        out_v.append(v)
        out_tau.append(tau)
        touches.append(touching)
        if progress is not None:
            progress(k + 1, steps)
    grips = tuple(sorted({trees.link_of(trees.frame(c.frame, "contact")) for c in contacts if c.grip}))
    meta = {"made by": "generate", "given": requests.given, "N_J": requests.driven}
    return assemble(
        model, dt, np.array(out_q), np.array(out_v), np.array(out_tau), touches,
        fixed=fixed, friction=friction, grips=grips, holds=tuple(holds[i] for i in sorted(holds)),
        figures=() if trees.alone else trees.figures, flags=flags, meta=meta,
    )  # fmt: skip


def within_most(
    state: State, Hc: np.ndarray, hold: np.ndarray, rows: Rows, preferred: Preferred, held: Sequence[Held]
) -> Solution:
    """The solution whose contact forces keep within what each contact says is its most: those beyond are asked for at
    their bounds, until none is left; for at most as many turns as there are components."""
    x = solve(state, Hc, hold, rows, preferred)
    most = np.concatenate([np.zeros(0), *(h.contact.most for h in held)])
    given: set[int] = set()
    for _ in range(len(most)):
        beyond = [int(i) for i in np.flatnonzero(np.abs(x.f) > most * (1 + 1e-6)) if int(i) not in given]
        if not beyond:
            break
        for i in beyond:
            rows.add(float(np.sign(x.f[i]) * most[i]), FIRM, f=np.eye(rows.nc)[i])
        given.update(beyond)
        x = solve(state, Hc, hold, rows, preferred)
    return x


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
