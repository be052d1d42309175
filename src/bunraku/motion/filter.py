"""Dynamics filter: a recorded or imported motion in, the nearest physically consistent motion out, with ground
reaction, ZMP and torques.

    filtered = dynamics_filter(retarget(load_bvh("02_01.bvh"), human()))
    filtered.solved.save("walk.bkr");  print(filtered.text())

In order (after Yamane and Nakamura's dynamics filter, with a plan of the whole motion instead of a local one):
  1  arms that are inside the body come out (motion.apart);
  2  the feet: when and where they stand, fly and turn (motion.contact_times, motion.footing), and ways that land and leave without speed;
  3  the centre of mass and the angular momentum: the nearest path whose zero-moment point stays in the soles and which flies freely in the air, with
     stances that may move (motion.com_plan), made anew when the figure leaves it (motion.steering);
  4  step by step (motion.frame_problem), joint accelerations and floor forces together, with the equation of motion exact, forces
     in their cones, soles held, torques and distances of links within limits, that follow the feet, the paths of centre of mass and angular
     momentum, the recorded attitude of pelvis and trunk and the recorded joint angles, by feedback; then v += dt a, q along v, as World steps.
What comes out obeys mechanics by construction whatever went in; how far it had to move is measured. A figure that
cannot follow falls, physically. Checked in tests/motion/test_filter.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypedDict

import numpy as np

from bunraku.dynamics.functions import centroidal, kinematics
from bunraku.errors import InputError
from bunraku.model.configuration import difference, integrate
from bunraku.model.model import Model
from bunraku.model.rotations import rotation_matrix, rotation_vector
from bunraku.motion.apart import arms_outside, own_links
from bunraku.motion.com_plan import Begin, ComPlan
from bunraku.motion.contact_times import runs
from bunraku.motion.departure import Moved, how_far
from bunraku.motion.equation import State, finish
from bunraku.motion.footing import Footing, find_feet
from bunraku.motion.frame_problem import W_HOLD, Corner, FrameProblem, Goal
from bunraku.motion.reference import PosePath, Reference, pose_path, reference_of
from bunraku.motion.settle import rates, settled
from bunraku.motion.solved import Solved, Touch, assemble
from bunraku.motion.steering import Steering
from bunraku.recording.motion import MOST_FRAMES, Motion
from bunraku.walking.min_jerk import min_jerk
from bunraku.world.laststep import cross

HOLD, BOUND = 40.0, 100.0  # 1/s: how fast a sole goes back to its place; m/s^2: the most it is pulled with
FOOT, MASS, TURN, JOINT = 40.0, 10.0, 15.0, 20.0  # 1/s: feedback of feet, centre of mass, attitude, joints
W_FOOT, W_MASS, W_TURN, W_JOINT = 1e4, 1e4, 10.0, 1.0
# s: around a stance a foot's way counts; of that, how much in mid-air, without and with flights
SOON, LOOSE = 0.15, (1.0, 0.05)
# 1/s: feedback of angular momentum; weight of its rate [1/(N m)^2], without and with flights
SPIN, W_SPIN = 5.0, (1.0, 5.0)
ROOM = 0.05  # s: how soon a joint may be at the end of its range
PUSH_OFF = 0.04  # s before a flight: feet that come off too early are not held back
LATE = 0.004  # m: what is higher does not touch yet
FPS = 120.0  # at most, of what is planned
LOST, RUNAWAY = 0.15, 300.0  # m; m/s or rad/s


@dataclass(frozen=True, eq=False)
class Filtered:
    """The consistent motion `solved`, the recorded one, its feet, the plan of its centre of mass, and how far it moved
    [m, rad]; `text()` tells of it."""

    solved: Solved
    recorded: Motion
    feet: tuple[Footing, ...]
    plan: ComPlan
    moved: Moved

    @property
    def load(self) -> np.ndarray:
        """(n - 1,): vertical ground reaction of every step, of the weight."""
        return self.solved.ground_reaction[1:, 2] / self.solved.weight

    @property
    def lost(self) -> float | None:
        """The time [s] from which on it is farther than LOST from the planned path of its centre of mass: it fell, and
        the motion ends soon after; None where it never is."""
        apart = np.linalg.norm(self.solved.com - self.plan.spline(self.solved.times), axis=1)
        rows = np.flatnonzero(apart > LOST)
        if len(rows):
            return float(self.solved.times[rows[0]])
        end = float(self.solved.times[-1])
        return end if end < float(self.recorded.times[-1]) - 0.05 else None

    def stances(self) -> dict[str, list[tuple[float, float]]]:
        """Foot -> [(begin, end) of each time it stands, s]."""
        t, dt = self.recorded.times, self.recorded.duration / (len(self.recorded) - 1)
        return {f.foot.link: [(float(t[a]), float(t[b - 1] + dt)) for a, b in runs(f.touches)] for f in self.feet}

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


class FilterOptions(TypedDict, total=False):
    """Options of dynamics_filter that `follow` passes on."""

    dt: float
    load: tuple[float, float] | None
    margin: float
    strength: float


def dynamics_filter(
    motion: Motion,
    *,
    dt: float = 0.002,
    friction: float = 0.8,
    load: tuple[float, float] | None = None,
    margin: float = 0.015,
    strength: float = 1.0,
    progress: Callable[[int, int], None] | None = None,
) -> Filtered:
    """The nearest physically consistent motion to a recorded or imported one, with ground reaction, zero-moment point
    and torques. dt [s]: of its frames; friction of the floor; load: least and largest ground reaction planned, of the
    weight; by default (0.5, 1.6), where the motion has flights (0.05, 3.5). margin [m]: how far inside the soles the
    zero-moment point is planned. strength: what the torque limits of the figure are multiplied with."""
    model = motion.model
    if not model.joints or model.joints[0].kind != "free":
        raise InputError(f"filter: {model.name!r} has no free base; only what can fall needs a filter.")
    if not 0 < dt <= 0.02 or motion.duration < 10 * dt:
        raise InputError(f"filter: dt {dt} s must be above 0, at most 0.02 s, and a tenth of the motion at the most.")
    if not 0 < strength < np.inf:
        raise InputError(f"filter: strength {strength} is not a number above 0.")
    if motion.duration / dt > MOST_FRAMES:
        raise InputError(f"filter: {motion.duration:g} s in steps of {dt:g} s are more than {MOST_FRAMES} frames.")
    motion = even(motion)
    recorded, motion = motion, arms_outside(motion)
    steer = Steering(motion, find_feet(motion), load, margin, friction)
    near = settled(motion, steer.feet, steer.plan.spline(motion.times), 1)
    steps = round(motion.duration / dt)
    at = motion.times[0] + dt * np.arange(steps + 1)
    ref = reference_of(model, motion.times, motion.q, at)
    paths = [pose_path(motion.times, f.position, f.rotation, at) for f in steer.feet]
    frame = np.clip(
        np.round((at - motion.times[0]) / motion.duration * (len(motion) - 1)).astype(int), 0, len(motion) - 1
    )
    q, feet = near.q[0].copy(), steer.feet
    twists = [(f.foot.link, p.twist[0]) for f, p in zip(feet, paths)]
    v = rates(model, q, ref.v[0], twists, steer.plan.at(at[0])[1], steer.plan.spin(at[0])[0])
    problem, turns = FrameProblem(friction, strength), attitudes(model, ref)
    weight = model.mass * float(np.linalg.norm(model.gravity))
    firm = np.array([firmness(f, motion.duration / (len(motion) - 1), LOOSE[steer.flies]) for f in feet])
    leaving = before_flights(feet, round(PUSH_OFF * (len(motion) - 1) / motion.duration))
    out_q, out_v, out_tau, touches = [q], [v], [np.zeros(model.nv)], [[]]
    for k in range(steps):
        state, whole = State(model, q, v), centroidal(model, q, v)
        now = Begin(whole.com, whole.com_velocity, whole.angular)
        if k and frame[k] > frame[k - 1] and steer.leaves(now, at[k]):
            early = float(motion.times[frame[k]] - at[k])
            if steer.renew(int(frame[k]), replace(now, com=now.com + early * now.rate)):
                paths = [pose_path(motion.times, f.position, f.rotation, at) for f in steer.feet]
        feet = steer.feet
        a, tau, touching = one_step(
            problem, state, now, ref, feet, paths, turns, steer.now, weight * steer.share[:, frame[k]], firm[:, frame[k]],
            W_SPIN[steer.flies], bool(leaving[frame[k]]), k, int(frame[k]), dt,
        )  # fmt: skip
        v = v + dt * a
        q = integrate(model, q, v, dt)
        off = float(np.linalg.norm(centroidal(model, q).com - steer.plan.at(at[k + 1])[0]))
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
    return Filtered(solved, recorded, feet, steer.plan, how_far(model, recorded, solved))


def even(motion: Motion) -> Motion:
    """The motion with even frames, FPS a second where it has others or more."""
    steps = np.diff(motion.times)
    rate = 1.0 / float(steps.mean())
    if not rate >= 20.0:
        raise InputError(f"filter: {rate:.3g} frames a second are too few to tell what feet do; 20 or more are needed.")
    return motion if rate < 1.2 * FPS and np.ptp(steps) <= 1e-3 * steps.mean() else motion.resampled(FPS)


def firmness(foot: Footing, dt: float, loose: float) -> np.ndarray:
    """(n,): how much the way of a foot counts: all where it stands, less from SOON before and after on: `loose`."""
    stands = np.flatnonzero(foot.touches)
    if len(stands) == 0:
        return np.full(len(foot.touches), loose * W_FOOT)
    away = np.abs(np.arange(len(foot.touches))[:, None] - stands).min(axis=1) * dt
    return W_FOOT * np.maximum(loose, 1.0 - min_jerk(np.clip(away / SOON, 0.0, 1.0)))


def before_flights(feet: tuple[Footing, ...], frames: int) -> np.ndarray:
    """(n,): the last `frames` frames before each flight."""
    out = np.zeros(len(feet[0].touches), dtype=bool)
    for a, _ in runs(~np.any([f.touches for f in feet], axis=0)):
        out[max(0, a - frames) : a] = True
    return out


def one_step(
    problem: FrameProblem,
    state: State,
    now: Begin,
    ref: Reference,
    feet: tuple[Footing, ...],
    paths: list[PosePath],
    turns: list[Attitude],
    plan: ComPlan,
    share: np.ndarray,
    firm: np.ndarray,
    w_spin: float,
    leaves: bool,
    k: int,
    frame: int,
    dt: float,
) -> tuple[np.ndarray, np.ndarray, list[Touch]]:
    """(accelerations, torques, touches) at step k; `frame` is the recorded frame that says what touches; share [N] and
    firm: of every foot; w_spin: of angular momentum; leaves: whether feet may come off the floor."""
    model, q, v, kin = state.model, state.q, state.v, state.kin
    goals, corners = [], []
    for n, (foot, path) in enumerate(zip(feet, paths)):
        b, s = foot.foot.body, foot.foot
        R = rotation_matrix(path.turn[k])
        off = np.concatenate([path.place[k] - kin.position[b], rotation_vector(R @ kin.rotation[b].T)])
        asked = np.clip(path.rate[k] + 2 * FOOT * (path.twist[k] - kin.twist[b]) + FOOT**2 * off, -500.0, 500.0)
        goals.append(Goal(state.jacobian(s.link), asked - kin.bias_acceleration(s.link), np.full(6, firm[n])))
        touching = [x for x in foot.points(frame) if kin.position[b, 2] + kin.rotation[b, 2] @ x < LATE]
        for point in touching:
            arm = kin.rotation[b] @ point
            speed = kin.twist[b, :3] + cross(kin.twist[b, 3:], arm)
            error = kin.position[b] + arm - (path.place[k] + R @ point)
            corners.append(
                Corner(
                    s.link,
                    b,
                    point,
                    np.clip(-(speed + HOLD * error) / dt, -BOUND, BOUND),
                    share[n] / len(touching),
                    firm[n] if leaves else W_HOLD,
                )
            )
    place, rate, acc = plan.at(ref.times[k])
    turning, spin = plan.spin(ref.times[k])
    push = model.mass * (acc + 2 * MASS * (rate - now.rate) + MASS**2 * (place - now.com) - model.gravity)
    posture = ref.a[k] + 2 * JOINT * (ref.v[k] - v) + JOINT**2 * difference(model, q, ref.q[k])
    goals += [attitude(state, x, k) for x in turns]
    low, high = limits(model, q, v)
    weights = np.full(len(state.driven), W_JOINT)
    a, forces = problem.solve(
        state, goals, corners, (push, W_MASS / model.mass**2), (posture[state.driven], weights), (low[state.driven], high[state.driven]),
        own_links(model).bounds(q, kin), (now.com, spin + SPIN * (turning - now.momentum), w_spin),
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
    """Bounds of accelerations that keep hinges and sliders in their ranges: their rate may use up the room in ROOM."""
    low, high = np.full(model.nv, -1e6), np.full(model.nv, 1e6)
    for j in model.joints:
        if j.nv == 1:
            room = q[j.iq] - model.lower[j.iv], model.upper[j.iv] - q[j.iq]
            low[j.iv] = np.clip((-room[0] / ROOM - v[j.iv]) / 0.01, -1e6, 1e4)
            high[j.iv] = np.clip((room[1] / ROOM - v[j.iv]) / 0.01, -1e4, 1e6)
    return low, np.maximum(high, low)
