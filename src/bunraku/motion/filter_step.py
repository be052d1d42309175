"""One step of the dynamics filter: what is asked of the whole-body problem (bunraku.control.whole_body) at a state.

    feet        go their ways, and soles that stand are held so that the next velocity brings them back to their places
    floor       its force and its moment about the centre of mass lead along the plan, by feedback
    attitude    of pelvis and trunk, and joint angles: as recorded, by feedback
inside friction cones, ranges of joints, torque limits, and distances of links (motion.apart). Forces are put into their
cones to the last digit, and what that changes is taken up by the base's acceleration (motion.equation.finish): what
comes out obeys mechanics whatever was asked.

The recorded q goes through cubic splines of its components (quaternions without jumps of sign, brought back to length
one); its rates are differences of two neighbouring steps, as the semi-implicit step has them: v_k = (q_k - q_{k-1}) /
dt on the group. Poses of feet are treated alike. Checked in tests/motion/test_filter_step.py and
tests/motion/test_filter.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from bunraku.control.whole_body import CONTACT_WEIGHT, Contact, Task, WholeBody
from bunraku.dynamics.functions import Kinematics, kinematics
from bunraku.humanoid.foot_loads import runs
from bunraku.model.configuration import continuous, difference, normalized
from bunraku.model.model import Model
from bunraku.model.rotations import (
    BACK,
    logarithm,
    multiply,
    quaternion,
    rotation_matrix,
    rotation_vector,
    without_jumps,
)
from bunraku.motion.apart import own_links
from bunraku.motion.com_plan import Begin
from bunraku.motion.equation import State, finish
from bunraku.motion.footing import Footing
from bunraku.motion.solved import Touch
from bunraku.motion.steering import Steering
from bunraku.recording.motion import Motion
from bunraku.walking.min_jerk import min_jerk
from bunraku.world.laststep import cross

HOLD, BOUND = 40.0, 100.0  # 1/s: how fast a sole goes back to its place; m/s^2: the most it is pulled with
FOOT, MASS, TURN, JOINT = 40.0, 10.0, 15.0, 20.0  # 1/s: feedback of feet, centre of mass, attitude, joints
W_FOOT, W_MASS, W_TURN, W_JOINT, W_FORCE = 1e4, 1e4, 22.0, 1.0, 1e-2
# s: around a stance a foot's way counts; of that, how much in mid-air, without and with flights
SOON, LOOSE = 0.15, (1.0, 0.05)
# 1/s: feedback of angular momentum; weight of its rate [1/(N m)^2], without and with flights
SPIN, W_SPIN = 5.0, (1.0, 5.0)
ROOM = 0.05  # s: how soon a joint may be at the end of its range
PUSH_OFF = 0.04  # s before a flight: feet that come off too early are not held back
LATE = 0.004  # m: what is higher does not touch yet
TURNING = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])  # weights of a task that only turns
UP, GRIP = (0.0, 0.0, 1.0), 0.95  # of the floor: its normal; what is used of its friction
CONES = 0.3  # see WholeBody: forces leave their cones by micronewtons


@dataclass(frozen=True, eq=False)
class Reference:
    """times (n,), q (n, nq), v and a (n, nv)."""

    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


@dataclass(frozen=True, eq=False)
class PosePath:
    """Of a body: place (n, 3), turn wxyz (n, 4), twist and its rate (n, 6), linear and angular, world axes."""

    place: np.ndarray
    turn: np.ndarray
    twist: np.ndarray
    rate: np.ndarray


@dataclass(frozen=True, eq=False)
class Attitude:
    """Wanted rotations (n, 3, 3) and angular velocities (n, 3) of a link."""

    link: str
    body: int
    rotation: np.ndarray
    omega: np.ndarray

    def task(self, k: int, kin: Kinematics, rate: float, most: float, weight: float) -> Task:
        """Keep the link there in row k, by feedback [1/s] of at most so many rad/s^2."""
        off = rotation_vector(self.rotation[k] @ kin.rotation[self.body].T)
        asked = np.clip(2 * rate * (self.omega[k] - kin.twist[self.body, 3:]) + rate**2 * off, -most, most)
        return Task(self.link, np.concatenate([np.zeros(3), asked]), weight=weight * TURNING)


class FilterStep:
    """The steps of a motion at times `at`, one after the other; `paths` are the ways of the feet."""

    def __init__(self, motion: Motion, steer: Steering, at: np.ndarray, friction: float, strength: float) -> None:
        self.motion, self.model, self.steer, self.at = motion, motion.model, steer, at
        self.friction, self.strength = friction, strength
        rate = (len(motion) - 1) / motion.duration
        frame = np.round((at - motion.times[0]) * rate).astype(int)
        self.frame = np.clip(frame, 0, len(motion) - 1)  # recorded frames that say what touches
        self.ref = reference_of(self.model, motion.times, motion.q, at)
        self.turns = attitudes(self.model, kinematics(self.model, self.ref.q, self.ref.v))
        self.firm = np.array([firmness(f, 1.0 / rate, LOOSE[steer.flies]) for f in steer.feet])
        self.leaving = before_flights(steer.feet, round(PUSH_OFF * rate))
        self.body = WholeBody(self.model, cone_part=CONES)
        self.see_feet()

    def see_feet(self) -> None:
        """The ways of the feet, which may have moved."""
        self.paths = [pose_path(self.motion.times, f.position, f.rotation, self.at) for f in self.steer.feet]

    def solve(self, k: int, state: State, now: Begin) -> tuple[np.ndarray, np.ndarray, list[Touch]]:
        """(accelerations, torques, touches) at step k; `now` is the state of the whole figure."""
        model, q, v, ref, plan = self.model, state.q, state.v, self.ref, self.steer.now
        tasks: list[Task] = []
        contacts: list[Contact] = []
        for n in range(len(self.steer.feet)):
            self._foot(k, n, state.kin, tasks, contacts)
        tasks += [x.task(k, state.kin, TURN, 300.0, W_TURN) for x in self.turns]
        place, rate, acc = plan.at(self.at[k])
        turning, spin = plan.spin(self.at[k])
        push = model.mass * (acc + 2 * MASS * (rate - now.rate) + MASS**2 * (place - now.com) - model.gravity)
        moment = spin + SPIN * (turning - now.momentum)
        momentum = {a: (float(push[a]), W_MASS / model.mass**2) for a in range(3)}
        momentum |= {3 + a: (float(moment[a]), W_SPIN[self.steer.flies]) for a in range(3)}
        posture = ref.a[k] + 2 * JOINT * (ref.v[k] - v) + JOINT**2 * difference(model, q, ref.q[k])
        low, high = limits(model, q, v)
        found = self.body.solve(
            q, v, tasks=tasks, contacts=contacts, posture=posture[6:], posture_weight=W_JOINT,
            momentum=momentum if contacts else None, bounds=(low[6:], high[6:]), apart=own_links(model).bounds(state.kin),
            force_weight=W_FORCE, torque_limits=self.strength,
        )  # fmt: skip
        forces, touching = in_cones(found.forces, self.friction), []
        for link in dict.fromkeys(c.link for c in contacts):
            rows, body = [n for n, c in enumerate(contacts) if c.link == link], model.frame(link).body
            points = np.array([contacts[n].point for n in rows]) @ state.kin.rotation[body].T
            touching.append(Touch(link, state.kin.position[body] + points, forces[rows]))
        a, tau = finish(state, found.a, [(model.frame(t.link).body, t.points, t.forces) for t in touching])
        return a, tau, touching

    def _foot(self, k: int, n: int, kin: Kinematics, tasks: list[Task], contacts: list[Contact]) -> None:
        """What foot n shall do at step k, and its points that touch."""
        frame, foot, path = int(self.frame[k]), self.steer.feet[n], self.paths[n]
        b, link = foot.foot.body, foot.foot.link
        R, at, turn, twist = rotation_matrix(path.turn[k]), kin.position[b], kin.rotation[b], kin.twist[b]
        off = np.concatenate([path.place[k] - at, rotation_vector(R @ turn.T)])
        asked = np.clip(path.rate[k] + 2 * FOOT * (path.twist[k] - twist) + FOOT**2 * off, -500.0, 500.0)
        firm = float(self.firm[n, frame])
        tasks.append(Task(link, asked, weight=firm))
        touching = [x for x in foot.points(frame) if at[2] + turn[2] @ x < LATE]
        share = self.motion.model.mass * float(np.linalg.norm(self.model.gravity)) * self.steer.share[n, frame]
        leaves, dt = bool(self.leaving[frame]), float(self.at[1] - self.at[0])
        for point in touching:
            arm = turn @ point
            speed = twist[:3] + cross(twist[3:], arm)
            error = at + arm - (path.place[k] + R @ point)
            bias = kin.bias[b, :3] + cross(kin.bias[b, 3:], arm) + cross(twist[3:], cross(twist[3:], arm))
            # half of bias: along v, q moves the point on a curve, by dt speed + dt^2 bias / 2
            wanted = np.clip(-(speed + HOLD * error) / dt, -BOUND, BOUND) + 0.5 * bias
            near, weight = (0.0, 0.0, share / len(touching)), firm if leaves else CONTACT_WEIGHT
            contacts.append(Contact(link, point, UP, GRIP * self.friction, wanted, weight, near, leaves))


def in_cones(forces: np.ndarray, friction: float) -> np.ndarray:
    """Forces (n, 3) on a level floor, those outside of their friction cones put into them."""
    up = np.maximum(forces[:, 2:], 0.0)
    size = np.linalg.norm(forces[:, :2], axis=1, keepdims=True)
    return np.hstack([forces[:, :2] * np.minimum(1.0, (1.0 - 1e-9) * friction * up / np.maximum(size, 1e-300)), up])


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


def attitudes(model: Model, kin: Kinematics) -> list[Attitude]:
    """Of the base, and of a trunk where there is one, in the rows of a motion."""
    names = [model.joints[0].link, *(f.name for f in model.links if f.name in ("trunk", "torso"))]
    rows = [(name, model.frame(name).body) for name in names]
    return [Attitude(name, b, kin.rotation[:, b], kin.twist[:, b, 3:]) for name, b in rows]


def limits(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of accelerations that keep hinges and sliders in their ranges: their rate may use up the room in ROOM."""
    low, high = np.full(model.nv, -1e6), np.full(model.nv, 1e6)
    for j in model.joints:
        if j.nv == 1:
            room = q[j.iq] - model.lower[j.iv], model.upper[j.iv] - q[j.iq]
            low[j.iv] = np.clip((-room[0] / ROOM - v[j.iv]) / 0.01, -1e6, 1e4)
            high[j.iv] = np.clip((room[1] / ROOM - v[j.iv]) / 0.01, -1e4, 1e6)
    return low, np.maximum(high, low)


def reference_of(model: Model, times: np.ndarray, q: np.ndarray, at: np.ndarray) -> Reference:
    """A motion at other times."""
    out = normalized(model, CubicSpline(times, continuous(model, q))(np.clip(at, times[0], times[-1])))
    dt = np.diff(at)[:, None]
    v = difference(model, out[:-1], out[1:]) / dt
    v = np.vstack([v[:1], v])
    return Reference(at, out, v, np.gradient(v, at, axis=0))


def pose_path(times: np.ndarray, place: np.ndarray, rotation: np.ndarray, at: np.ndarray) -> PosePath:
    """A body's poses at other times."""
    now = np.clip(at, times[0], times[-1])
    spline = CubicSpline(times, place)
    turns = CubicSpline(times, without_jumps(quaternion(rotation)))(now)
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    w = logarithm(multiply(turns[1:], turns[:-1] * BACK)) / np.diff(at)[:, None]
    w = np.vstack([w[:1], w])
    twist = np.hstack([spline(now, 1), w])
    return PosePath(spline(now), turns, twist, np.hstack([spline(now, 2), np.gradient(w, at, axis=0)]))
