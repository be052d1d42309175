"""Dynamics filter: a recorded or imported motion in, the nearest physically consistent motion out, with ground reaction, ZMP and torques.

    filtered = dynamics_filter(retarget(load_bvh("02_01.bvh"), human()))
    filtered.solved.save("walk.bkr");  print(filtered.text())

In order (after Yamane and Nakamura's dynamics filter, with a plan of the whole motion instead of a local one):
  1  arms that are inside the body come out (motion.apart);
  2  the feet: when and where they stand (motion.footing), and foot trajectories that land and leave without speed and keep clear of each other;
  3  the centre of mass and the angular momentum: the nearest path whose zero-moment point stays in the soles (motion.com_plan);
  4  step by step (motion.frame_problem), joint accelerations and floor forces together, with the equation of motion exact, forces
     in their cones, soles held, torques and distances of links within limits, that follow the feet, the paths of centre of mass and angular
     momentum, the recorded attitude of pelvis and trunk and the recorded joint angles, by feedback; then v += dt a, q along v, as World steps.
What comes out obeys mechanics by construction whatever went in; how far it had to move is measured. A figure that cannot follow falls, physically.
Checked in tests/motion/test_filter.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.dynamics.functions import centroidal, kinematics
from bunraku.errors import InputError
from bunraku.model.description import rotation_matrix
from bunraku.model.model import Model
from bunraku.motion.apart import arms_outside, own_links
from bunraku.motion.com_plan import ComPlan, plan_com
from bunraku.motion.equation import State, finish
from bunraku.motion.footing import HEEL, TOE, Foot, find_feet
from bunraku.motion.frame_problem import Corner, FrameProblem, Goal
from bunraku.motion.motion import Motion
from bunraku.motion.moved import Moved, how_far
from bunraku.motion.paths import rotation_vector
from bunraku.motion.reference import PosePath, Reference, pose_path, reference_of
from bunraku.motion.settle import rates, reach, settled
from bunraku.motion.solved import Solved, Touch, assemble
from bunraku.motion.stepping import stepper
from bunraku.world.laststep import cross

WALK, RUN = (0.5, 1.6), (0.05, 3.5)  # of the weight: what the ground may carry without and with flight
HOLD, BOUND = 40.0, 100.0  # 1/s: how fast a sole goes back to its place; m/s^2: the most it is pulled with
FOOT, MASS, TURN, JOINT = 40.0, 10.0, 15.0, 20.0  # 1/s: feedback of feet, centre of mass, attitude, joints
W_FOOT, W_MASS, W_TURN, W_JOINT = 1e4, 1e4, 10.0, 1.0
SPIN, W_SPIN = 5.0, 1.0  # 1/s: feedback of angular momentum; weight of its rate [1/(N m)^2]
FPS = 120.0  # at most, of what is planned
LOST, RUNAWAY = 0.15, 300.0  # m; m/s or rad/s


@dataclass(frozen=True, eq=False)
class Filtered:
    """The consistent motion, the recorded one, its feet, the plan of its centre of mass, and how far it moved."""

    solved: Solved
    recorded: Motion
    feet: tuple[Foot, ...]
    plan: ComPlan
    moved: Moved

    @property
    def load(self) -> np.ndarray:
        """(n - 1,): vertical ground reaction of every step, of the weight."""
        return self.solved.ground_reaction[1:, 2] / self.solved.weight

    @property
    def lost(self) -> float | None:
        """The time [s] from which on it is farther than LOST from the planned path of its centre of mass: it fell, and the motion ends soon after;
        None where it never is."""
        apart = np.linalg.norm(self.solved.com - self.plan.spline(self.solved.times), axis=1)
        rows = np.flatnonzero(apart > LOST)
        if len(rows):
            return float(self.solved.times[rows[0]])
        end = float(self.solved.times[-1])
        return end if end < float(self.recorded.times[-1]) - 0.05 else None

    def stances(self) -> dict[str, list[tuple[float, float]]]:
        """Foot -> [(begin, end) of each time it stands, s]."""
        t, dt = self.recorded.times, self.recorded.duration / (len(self.recorded) - 1)
        return {f.sole.link: [(float(t[s.first]), float(t[s.end - 1] + dt)) for s in f.stances] for f in self.feet}

    def text(self) -> str:
        """A short table."""
        load = f"ground reaction {self.load.min():.2f} to {self.load.max():.2f} of the weight"
        head = f"{len(self.recorded)} frames, {self.recorded.duration:.3g} s; {load}"
        feet = [
            f"  {name:<16} stands {', '.join(f'{a:.2f}-{b:.2f}' for a, b in times)} s"
            for name, times in self.stances().items()
        ]
        fell = [] if self.lost is None else [f"  it could not follow from {self.lost:.2f} s on, and fell"]
        return "\n".join([head, *feet, *fell, "moved by", *self.moved.lines()])


def dynamics_filter(
    motion: Motion,
    *,
    dt: float = 0.002,
    friction: float = 0.8,
    load: tuple[float, float] | None = None,
    margin: float = 0.015,
    progress: Callable[[int, int], None] | None = None,
) -> Filtered:
    """See the module text. load: least and largest ground reaction planned, of the weight; by default (0.5, 1.6), where the motion has flights
    (0.05, 3.5). margin [m]: how far inside the soles the zero-moment point is planned."""
    model = motion.model
    if not model.joints or model.joints[0].kind != "free":
        raise InputError(f"filter: {model.name!r} has no free base; only what can fall needs a filter.")
    if not 0 < dt <= 0.02 or motion.duration < 10 * dt:
        raise InputError(f"filter: dt {dt} s must be above 0, at most 0.02 s, and a tenth of the motion at the most.")
    motion = even(motion)
    recorded, motion = motion, arms_outside(motion)
    feet = find_feet(motion)
    plan, near = planned(motion, feet, load, margin)
    steps = round(motion.duration / dt)
    at = motion.times[0] + dt * np.arange(steps + 1)
    ref = reference_of(model, motion.times, motion.q, at)
    paths = [pose_path(motion.times, f.position, f.rotation, at) for f in feet]
    frame = np.clip(
        np.round((at - motion.times[0]) / motion.duration * (len(motion) - 1)).astype(int), 0, len(motion) - 1
    )
    q = near.q[0].copy()
    v = rates(model, q, ref.v[0], [(f.sole.link, p.twist[0]) for f, p in zip(feet, paths)], plan.at(at[0])[1])
    problem, move, turns = FrameProblem(friction), stepper(model), attitudes(model, ref)
    share = loads(feet, plan) * model.mass * float(np.linalg.norm(model.gravity))
    out_q, out_v, out_tau, touches = [q], [v], [np.zeros(model.nv)], [[]]
    for k in range(steps):
        state = State(model, q, v)
        a, tau, touching = one_step(problem, state, ref, feet, paths, turns, plan, share, k, int(frame[k]), dt)
        v = v + dt * a
        q = move.integrate(q, v, dt)
        off = float(np.linalg.norm(centroidal(model, q).com - plan.at(at[k + 1])[0]))
        if not (off < 2 * LOST and np.abs(v).max() < RUNAWAY):  # it falls: what was before is kept
            if k < 50:
                raise InputError(
                    "filter: the figure cannot follow the motion from its start; is its floor level, are its feet found?"
                )
            break
        out_q.append(q)
        out_v.append(v)
        out_tau.append(tau)
        touches.append(touching)
        if progress is not None:
            progress(k + 1, steps)
    meta: dict[str, Any] = {"made by": "dynamics filter", "source": str(motion.meta.get("source", model.name))}
    solved = assemble(
        model, dt, np.array(out_q), np.array(out_v), np.array(out_tau), touches, start=float(at[0]), friction=friction, meta=meta
    )  # fmt: skip
    return Filtered(solved, recorded, feet, plan, how_far(model, recorded, solved))


def even(motion: Motion) -> Motion:
    """The motion with even frames, FPS a second where it has others or more."""
    steps = np.diff(motion.times)
    rate = 1.0 / float(steps.mean())
    if not rate >= 20.0:
        raise InputError(f"filter: {rate:.3g} frames a second are too few to tell what feet do; 20 or more are needed.")
    return motion if rate < 1.2 * FPS and np.ptp(steps) <= 1e-3 * steps.mean() else motion.resampled(FPS)


def planned(
    motion: Motion, feet: tuple[Foot, ...], load: tuple[float, float] | None, margin: float
) -> tuple[ComPlan, Motion]:
    """(path of the centre of mass, the motion settled on it), in a few rounds: settling changes how fast the body turns and how far legs reach."""
    model = motion.model
    recorded = centroidal(model, motion.q).com
    supports = [np.vstack([f.corners(k) for f in feet]) for k in range(len(motion))]
    allowed = load or (RUN if any(len(s) == 0 for s in supports) else WALK)
    plan = plan_com(
        motion.times, recorded, centroidal(model, motion.q, motion.v).angular, supports, model.mass, float(np.linalg.norm(model.gravity)),
        load=allowed, margin=margin, highest=reach(motion, feet, recorded),
    )  # fmt: skip
    return plan, settled(motion, feet, plan.spline(motion.times), 1)


def loads(feet: tuple[Foot, ...], plan: ComPlan) -> np.ndarray:
    """(feet, n): what each foot should carry, of the weight: where the planned zero-moment point is between those that stand."""
    out = np.zeros((len(feet), len(plan.times)))
    for k in range(len(plan.times)):
        stand = [n for n, f in enumerate(feet) if f.touches[k]]
        share = np.full(len(stand), 1.0 / max(1, len(stand)))
        if len(stand) == 2:
            a, b = (feet[n].corners(k)[:, :2].mean(axis=0) for n in stand)
            second = float(np.clip((plan.zmp[k] - a) @ (b - a) / max(1e-9, float((b - a) @ (b - a))), 0.0, 1.0))
            share = np.array([1.0 - second, second])
        out[stand, k] = share * plan.load[k]
    return out


def one_step(
    problem: FrameProblem,
    state: State,
    ref: Reference,
    feet: tuple[Foot, ...],
    paths: list[PosePath],
    turns: list[Attitude],
    plan: ComPlan,
    share: np.ndarray,
    k: int,
    frame: int,
    dt: float,
) -> tuple[np.ndarray, np.ndarray, list[Touch]]:
    """(accelerations, torques, touches) at step k; `frame` is the recorded frame that says what touches."""
    model, q, v, kin = state.model, state.q, state.v, state.kin
    goals, corners = [], []
    for n, (foot, path) in enumerate(zip(feet, paths)):
        b, s = foot.sole.body, foot.sole
        R = rotation_matrix(path.turn[k])
        off = np.concatenate([path.place[k] - kin.position[b], rotation_vector(R @ kin.rotation[b].T)])
        asked = np.clip(path.rate[k] + 2 * FOOT * (path.twist[k] - kin.twist[b]) + FOOT**2 * off, -500.0, 500.0)
        goals.append(Goal(state.jacobian(s.link), asked - kin.bias_acceleration(s.link), np.full(6, W_FOOT)))
        touching = (*(HEEL if foot.heel[frame] else ()), *(TOE if foot.toe[frame] else ()))
        for corner in touching:
            arm = kin.rotation[b] @ s.corners[corner]
            speed = kin.twist[b, :3] + cross(kin.twist[b, 3:], arm)
            error = kin.position[b] + arm - (path.place[k] + R @ s.corners[corner])
            corners.append(
                Corner(
                    s.link,
                    b,
                    s.corners[corner],
                    np.clip(-(speed + HOLD * error) / dt, -BOUND, BOUND),
                    share[n, frame] / len(touching),
                )
            )
    now = centroidal(model, q, v)
    place, rate, acc = plan.at(ref.times[k])
    turning, spin = plan.spin(ref.times[k])
    push = model.mass * (acc + 2 * MASS * (rate - now.com_velocity) + MASS**2 * (place - now.com) - model.gravity)
    posture = ref.a[k] + 2 * JOINT * (ref.v[k] - v) + JOINT**2 * stepper(model).difference(q, ref.q[k])
    goals += [attitude(state, x, k) for x in turns]
    low, high = limits(model, q, v)
    weights = np.full(len(state.driven), W_JOINT)
    a, forces = problem.solve(
        state, goals, corners, (push, W_MASS / model.mass**2), (posture[state.driven], weights), (low[state.driven], high[state.driven]),
        own_links(model).bounds(q, kin), (now.com, spin + SPIN * (turning - now.angular[:2]), W_SPIN),
    )  # fmt: skip
    touching = []
    for link in dict.fromkeys(c.link for c in corners):
        rows = [n for n, c in enumerate(corners) if c.link == link]
        points = np.array(
            [kin.position[corners[n].body] + kin.rotation[corners[n].body] @ corners[n].point for n in rows]
        )
        touching.append(Touch(link, points, forces[rows]))
    a, tau = finish(state, a, [(model.frame(t.link).body, t.points, t.forces) for t in touching])
    return a, tau, touching


@dataclass(frozen=True, eq=False)
class Attitude:
    """Recorded rotations (n, 3, 3) and angular velocities (n, 3) of a link."""

    link: str
    body: int
    rotation: np.ndarray
    omega: np.ndarray


def attitudes(model: Model, ref: Reference) -> list[Attitude]:
    """Of the base, and of a trunk where there is one."""
    kin = kinematics(model, ref.q, ref.v)
    names = [model.joints[0].link, *(f.name for f in model.links if f.name in ("trunk", "torso"))]
    rows = [(name, model.frame(name).body) for name in names]
    return [Attitude(name, b, kin.rotation[:, b], kin.twist[:, b, 3:]) for name, b in rows]


def attitude(state: State, x: Attitude, k: int) -> Goal:
    """Keeps a link at its recorded attitude, in the world."""
    off = rotation_vector(x.rotation[k] @ state.kin.rotation[x.body].T)
    asked = np.clip(2 * TURN * (x.omega[k] - state.kin.twist[x.body, 3:]) + TURN**2 * off, -300.0, 300.0)
    return Goal(state.jacobian(x.link)[3:], asked - state.kin.bias_acceleration(x.link)[3:], np.full(3, W_TURN))


def limits(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of accelerations that keep hinges and sliders in their ranges: their rate may use up a twentieth of a second's room."""
    low, high = np.full(model.nv, -1e6), np.full(model.nv, 1e6)
    for j in model.joints:
        if j.kind in ("hinge", "slider") and j.nv:
            room = q[j.iq] - model.lower[j.iv], model.upper[j.iv] - q[j.iq]
            low[j.iv] = np.clip((-room[0] / 0.05 - v[j.iv]) / 0.01, -1e6, 1e4)
            high[j.iv] = np.clip((room[1] / 0.05 - v[j.iv]) / 0.01, -1e4, 1e6)
    return low, np.maximum(high, low)
