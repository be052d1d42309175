"""Following: a recorded motion done by the figure itself in a plain World: base free, rigid contact, feedback; help
from outside only where asked.

    followed = follow(dynamics_filter(retarget(load_bvh("02_01.bvh"), human())))
    followed.fell, followed.error.max(), followed.help_impulse;   print(followed.text())

Every control period the whole-body problem (bunraku.control.whole_body) is solved at the world's present state for
torques that
    hold the soles that stand,  bring swinging feet along their way,  make the floor's force  m (c'' + 2 k (c_ref' - c') + k^2 (c_ref - c) - g),
    keep the attitude of pelvis and trunk,  and follow the joint angles,
each by feedback on the reference (bunraku.motion.lead), inside friction cones, torque limits and joint limits. The
world does with these torques what it always does. So the floor carries the figure by its feet alone, and what cannot be
done ends in a fall, which is told.

Help is a force and a moment on the base, PD towards the reference and limited, 0 by default. Its share is reported as
    impulse  int |F| dt / (m g T)      and      work  int |F.v + M.w| dt / int sum |tau_i v_i| dt .
Checked in tests/motion/test_follow.py.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from bunraku.control.whole_body import Contact, Task, WholeBody
from bunraku.dynamics.functions import Kinematics, centroidal, kinematics
from bunraku.errors import InputError
from bunraku.model.configuration import difference
from bunraku.model.model import Model
from bunraku.model.rotations import rotation_vector
from bunraku.motion.contact_times import tidy
from bunraku.motion.filter import FilterOptions
from bunraku.motion.filter_step import TURNING, limits
from bunraku.motion.lead import Lead, Source, lead_of, solved_of
from bunraku.motion.requests import shortened
from bunraku.recording.motion import Motion
from bunraku.world.laststep import cross
from bunraku.world.world import World

FOOT, MASS, TURN, JOINT = 25.0, 8.0, 12.0, 15.0  # 1/s: feedback of feet, centre of mass, attitude, joints
STICK = 30.0  # 1/s: how fast a sole that slips is stopped
W_FOOT, W_MASS, W_TURN, W_JOINT, W_FORCE = 1e4, 1e4, 30.0, 1.0, 1e-4
ON = (0.001, 0.004)  # m: a corner touches where it is lower in the reference, and lower in the world
CARRIED = 0.1  # of the weight: a corner that carries so much in the reference touches, however high it is there
FALL = 0.3  # m of the centre of mass from its reference
STEP, BRIEF = 0.001, 0.08  # s: of the world, about; shorter flights of a foot are no steps
HELP, TRUNK = 20.0, 2.0  # 1/s: how stiff help is; kg m^2 that its moment turns


@dataclass(frozen=True)
class Help:
    """Limits of what helps the base from outside: force [N] and moment [N m]."""

    force: float = 0.0
    moment: float = 0.0

    def __post_init__(self) -> None:
        if not (0.0 <= self.force < np.inf and 0.0 <= self.moment < np.inf):
            raise InputError(f"follow: help needs limits of 0 or more, got {self.force} N and {self.moment} N m.")


@dataclass(frozen=True, eq=False)
class Followed:
    """What the world did: times, q, v, com (n, …) at every control period; carried (n, feet) [N]: upward force on each
    foot; fell: time [s] or None; help_impulse, help_work: shares of help, its impulse of weight
    times time, its work of the joints'; work [J] of the joints;
    `lead` is what was followed, until `end` [s]."""

    lead: Lead
    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    com: np.ndarray
    carried: np.ndarray
    fell: float | None
    help_impulse: float
    help_work: float
    work: float
    end: float
    self_collision: bool

    @cached_property
    def _apart(self) -> np.ndarray:
        return np.abs(difference(self.lead.solved.model, self.lead.solved.q[: len(self.q)], self.q))

    @property
    def error(self) -> np.ndarray:
        """(n,): the largest difference of a joint from the reference [rad or m]."""
        return self._apart[:, 6:].max(axis=1)

    @property
    def base(self) -> np.ndarray:
        """(n,): distance of the base from the reference [m]."""
        return np.linalg.norm(self._apart[:, :3], axis=1)

    @property
    def com_error(self) -> np.ndarray:
        """(n,): distance of the centre of mass from the reference [m]."""
        return np.linalg.norm(self.com - self.lead.solved.com[: len(self.com)], axis=1)

    @property
    def motion(self) -> Motion:
        """What the figure did, as a motion."""
        return Motion(self.lead.solved.model, self.times, self.q, {"source": "follow"})

    @property
    def steps(self) -> int:
        """How often a foot came down after it had been in the air for BRIEF at least."""
        weight, brief = self.lead.solved.weight, round(BRIEF / self.lead.solved.dt)
        stands = [tidy(x > 0.02 * weight, brief) for x in self.carried.T]
        return sum(int(np.count_nonzero(~x[:-1] & x[1:])) for x in stands)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        both = {"joint_error_rad": self.error, "base_error_m": self.base, "com_error_m": self.com_error}
        return {
            "seconds": float(self.times[-1] - self.times[0]), "of_seconds": self.end - float(self.times[0]), "fell_s": self.fell,
            "steps": self.steps, "distance_m": float(np.linalg.norm((self.com[-1] - self.com[0])[:2])),
            **{name: {"rms": rms(x), "max": float(x.max())} for name, x in both.items()},
            "help_impulse": self.help_impulse, "help_work": self.help_work, "joint_work_J": self.work,
            "self_collision": self.self_collision,
        }  # fmt: skip

    def text(self) -> str:
        """Three lines."""
        d = self.as_dict()
        end = "to its end, upright" if self.fell is None else f"until it fell at {self.fell:.2f} s"
        share = f"{100 * self.help_impulse:.3g} % of the weight, {100 * self.help_work:.3g} % of the joints' work"
        aid = "no help from outside" if self.help_impulse == 0 else f"help from outside: {share}"
        return (
            f"followed {d['seconds']:.3g} of {d['of_seconds']:.3g} s {end}: {self.steps} steps, {d['distance_m']:.2f} m, {aid}\n"
            f"  joints within {self.error.max():.3f} rad (rms {rms(self.error):.3f}), base within {1000 * self.base.max():.0f} mm, "
            f"centre of mass within {1000 * self.com_error.max():.0f} mm\n"
            f"  work of the joints {self.work:.0f} J, self-collision {'on' if self.self_collision else 'off'}"
        )


def rms(x: np.ndarray) -> float:
    """Root mean square."""
    return float(np.sqrt(np.mean(x * x)))


def follow(
    source: Source,
    model: Model | None = None,
    *,
    help: Help | float = 0.0,
    contact: str = "pgs",
    friction: float | None = None,
    strength: float | None = None,
    self_collision: bool = True,
    seconds: float | None = None,
    record: str | Path | None = None,
    prepare: Callable[[World], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
    **filtering: Unpack[FilterOptions],
) -> Followed:
    """Let a figure follow a motion in a world of its own, by its own torques. source: a filtered or solved motion, or
    a Motion or Recording, which are made consistent first where they have no forces (`filtering`: options of
    dynamics_filter). model: the figure, that of the motion by default. contact: the contact model of the world.
    friction of the floor, and strength, what the figure's torque limits are multiplied with: those of the motion by
    default. help: limits, or a force [N] (its moment then 0.2 m times it). record: a file. prepare(world) may change
    the world before it starts."""
    if strength is not None and not 0 < strength < np.inf:
        raise InputError(f"follow: strength {strength} is not a number above 0.")
    if friction is not None and not 0 < friction < np.inf:
        raise InputError(f"follow: friction {friction} is not a number above 0.")
    given = {"strength": strength, "friction": friction}
    solved = solved_of(source, model, seconds, **{k: x for k, x in given.items() if x is not None}, **filtering)
    lead = lead_of(solved)
    aid = help if isinstance(help, Help) else Help(float(help), 0.2 * float(help))
    inner = max(1, round(solved.dt / STEP))
    world = World(solved.dt / inner, contact, gravity=tuple(solved.model.gravity))
    mu = solved.friction if friction is None else float(friction)
    world.add_ground(friction=mu)
    figure = world.add(solved.model, self_collision=self_collision)
    figure.q[:], figure.v[:] = solved.q[0], solved.v[0]
    strong = float(solved.meta.get("strength", 1.0)) if strength is None else strength
    if strong != 1.0:
        joints = [j for j in solved.model.joints if j.nv and j.kind != "free"]
        figure.servo(0.0, effort=strong * np.concatenate([solved.model.effort[j.v] for j in joints]))
    if prepare is not None:
        prepare(world)
    recording = nullcontext()
    if record is not None:
        recording = world.record(record, title="followed", precise=True, meta={"friction": mu})
    rows = len(solved) if seconds is None else min(len(solved), 1 + round(seconds / solved.dt))
    control, base = Follower(lead, mu, strong), solved.model.joints[0].link
    q, v, com = [figure.q.copy()], [figure.v.copy()], [solved.com[0]]
    carried, pushed, helped, work, fell = [], 0.0, 0.0, 0.0, None
    with recording:
        for k in range(rows - 1):
            figure.tau[:] = control.torques(k, q[-1], v[-1])
            if aid.force > 0 or aid.moment > 0:
                wrench = control.help(k, aid)
                world.push(figure[base], wrench[:3].tolist(), (inner - 0.1) * world.dt, wrench[3:].tolist())
                pushed += float(np.linalg.norm(wrench[:3])) * solved.dt
                helped += abs(float(wrench @ control.base_twist)) * solved.dt
            world.step(inner)
            q.append(figure.q.copy())
            v.append(figure.v.copy())
            com.append(centroidal(solved.model, q[-1]).com)
            work += float(np.abs(figure.applied * v[-1])[6:].sum()) * solved.dt
            carried.append(
                [sum(float(c.force[2]) for c in figure.contacts if c.bodies[0][1] == s.link) for s in lead.feet]
            )
            if not np.linalg.norm(com[-1] - solved.com[k + 1]) < FALL:
                fell = float(solved.times[k + 1])
                break
            if progress is not None:
                progress(k + 1, rows - 1)
    total = (len(q) - 1) * solved.dt
    return Followed(
        lead, solved.times[: len(q)], np.array(q), np.array(v), np.array(com), np.array([carried[0], *carried]), fell,
        pushed / (solved.weight * total), helped / max(work, 1e-9), work, float(solved.times[rows - 1]), self_collision,
    )  # fmt: skip


class Follower:
    """The controller: torques at a state for row k of a lead."""

    def __init__(self, lead: Lead, friction: float, strength: float = 1.0) -> None:
        self.lead, self.friction, self.strength = lead, friction, strength
        self.body = WholeBody(lead.solved.model)
        self.base_twist, self._base = np.zeros(6), (np.zeros(3), np.eye(3))
        corners = np.stack([s.corners for s in lead.feet])
        self.height = lead.place[:, :, None, 2] + np.einsum("nfj,fkj->nfk", lead.turn[:, :, 2], corners)

    def torques(self, k: int, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """See the module text."""
        lead, model = self.lead, self.lead.solved.model
        kin, whole = kinematics(model, q, v), centroidal(model, q, v)
        self.base_twist, self._base = kin.twist[1].copy(), (kin.position[1].copy(), kin.rotation[1].copy())
        tasks, contacts = [], []
        for n in range(len(lead.feet)):
            self._foot(k, n, kin, tasks, contacts)
        tasks += [x.task(k, kin, TURN, 100.0, W_TURN) for x in lead.attitudes]
        pull = 2 * MASS * (lead.com_rate[k] - whole.com_velocity) + MASS**2 * (lead.solved.com[k] - whole.com)
        push = model.mass * (lead.com_acc[k] + pull - model.gravity)
        posture = lead.a[k] + 2 * JOINT * (lead.solved.v[k] - v) + JOINT**2 * difference(model, q, lead.solved.q[k])
        low, high = limits(model, q, v)
        momentum = {a: (float(push[a]), W_MASS / model.mass**2) for a in range(3)} if contacts else None
        return self.body.solve(
            q, v, tasks=tasks, contacts=contacts, posture=np.clip(posture[6:], -500.0, 500.0), posture_weight=W_JOINT, momentum=momentum,
            bounds=(low[6:], high[6:]), force_weight=W_FORCE, torque_limits=self.strength,
        ).tau  # fmt: skip

    def _foot(self, k: int, n: int, kin: Kinematics, tasks: list[Task], contacts: list[Contact]) -> None:
        """What a foot shall do: corners that touch in the reference and in the world hold; a foot in the air goes its
        way, one on its edge turns."""
        lead, s = self.lead, self.lead.feet[n]
        p, R, twist = kin.position[s.body], kin.rotation[s.body], kin.twist[s.body]
        arms = s.corners @ R.T
        carries = (self.height[k, n] < ON[0]) | (lead.load[k, n] > CARRIED * lead.solved.weight)
        on = lead.stands[k, n] & carries & (p[2] + arms[:, 2] < ON[1])
        for c in np.flatnonzero(on):
            speed = twist[:3] + cross(twist[3:], arms[c])
            near = (0.0, 0.0, float(lead.load[k, n, c]))
            contacts.append(
                Contact(s.link, s.corners[c], friction=0.95 * self.friction, wanted=-STICK * speed, near=near)
            )
        if np.count_nonzero(on) < 3:
            off = np.concatenate([lead.place[k, n] - p, rotation_vector(lead.turn[k, n] @ R.T)])
            wanted = lead.rate[k, n] + 2 * FOOT * (lead.twist[k, n] - twist) + FOOT**2 * off
            weight = 0.01 * W_FOOT * TURNING if on.any() else np.full(6, W_FOOT)
            tasks.append(Task(s.link, np.clip(wanted, -300.0, 300.0), weight=weight))

    def help(self, k: int, most: Help) -> np.ndarray:
        """(6,) force and moment on the base, towards the reference."""
        lead, (p, R), twist, base = self.lead, self._base, self.base_twist, self.lead.attitudes[0]
        pull = HELP**2 * (lead.solved.q[k, :3] - p) + 2 * HELP * (lead.base_twist[k, :3] - twist[:3])
        turn = HELP**2 * rotation_vector(base.rotation[k] @ R.T) + 2 * HELP * (base.omega[k] - twist[3:])
        mass = lead.solved.model.mass
        return np.concatenate([shortened(mass * pull, most.force), shortened(TRUNK * turn, most.moment)])
