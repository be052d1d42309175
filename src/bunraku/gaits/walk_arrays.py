"""What a figure that follows planned steps knows, as records in a Table, behind those of its whole-body problem.

World axes as the figure sees them (gaits.walking_sense), SI units; feet in the order left, right; six links count:
pelvis, trunk, heel and toe edge of the left foot, of the right foot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bunraku.control import whole_body_arrays as at
from bunraku.control.balance_arrays import ImuReading, WrenchReading
from bunraku.control.whole_body import CONTACT_WEIGHT
from bunraku.control.whole_body_arrays import WholeBodyProblem
from bunraku.kernel.record import (
    Record,
    inner,
    int_vector,
    many,
    mat3,
    matrix,
    pair,
    pairs,
    put,
    real,
    reals,
    ref,
    vec3,
    vec3s,
    vector,
    whole,
)
from bunraku.kernel.table import Table
from bunraku.model.model import Model

if TYPE_CHECKING:
    from bunraku.gaits.step_rows import StepRows
    from bunraku.humanoid.foot import Foot

LINKS = ("pelvis", "trunk", *(f"{side}_{edge}" for side in ("left", "right") for edge in ("heel", "toe")))
PELVIS, TRUNK = 0, 1  # of LINKS
STEP, START, STOP = 0, 1, 2  # kinds of steps
CORNERS = 4  # of a sole


class PlannedLink(Record):
    """Where a link shall be."""

    place = vec3()
    turn = mat3()
    rate = vec3()
    spin = vec3()
    change = vec3()
    spin_change = vec3()


class StepRow(Record):
    """A moment of a step: see gaits.step_rows.Rows."""

    com = vec3()
    com_rate = vec3()
    com_change = vec3()
    spin = vec3()
    spin_change = vec3()
    force = vec3s(8)  # N at the corners of the left sole, of the right one
    link = inner(PlannedLink, 6)


class StepFigures(Record):
    """What is planned of the step: gaits.step_plan.StepPlan, and how its rows lie."""

    kind = whole()
    first = whole()  # row of its beginning
    many = whole()  # rows from there to its end
    rows = whole()  # in all, of each leading side
    seconds = real()
    both = real()
    flat = real()
    heel_off = real()
    land = real()


class WalkNow(Record):
    """State of the tracker between two periods: side that leads, phase, whether the leading sole is flat and for how many
    periods its front edge was still, whether the foot of a stop is down; target [m] of the landing place; heading [rad]
    and its turn in this step; number of landings."""

    lead = whole()
    flat = whole()
    still = whole()
    closed = whole()
    landings = whole()
    phase = real()
    heading = real()
    turn = real()
    target = reals(2)


class Felt(Record):
    """State of what is felt: loads [N] (low-passed), the pressure in each sole [m], velocity and place of the base."""

    loads = reals(2)
    pressure = pairs(2)
    velocity = reals(3)
    place = reals(3)


class LinkSeen(Record):
    """A link as it is seen."""

    place = vec3()
    turn = mat3()
    rate = vec3()
    spin = vec3()


class LinkFrame(Record):
    """Where a link or an edge of a foot is in its body, and half of the edge's width."""

    place = vec3()
    axes = mat3()
    half = pair()  # of the sole: length, width


class Instant(Record):
    """This period: row of the plan, phase, how far the plan moves (1) or waits (0), how late the landing is [s]; shift of the
    plan to where the figure is; what is seen of the whole figure; what of the feet stands: 0 nothing, 1 heel edge,
    2 sole, 3 front edge."""

    row = whole()
    first = whole()  # number of the row among all rows
    stands = whole()
    behind = whole()
    phase = real()
    moves = real()
    late = real()
    shift = vec3()
    com = vec3()
    com_rate = vec3()
    spin = vec3()
    link = inner(LinkSeen, 6)


class WalkConstants(Record):
    """Of the figure, of the sensors' filters, and the gains of gaits.step_tracker."""

    period = real()
    weight = real()
    mass = real()
    gravity = vec3()
    pendulum = real()  # 1/s: w of the capture point
    keep_load = real()  # what a period keeps of the loads
    keep_velocity = real()
    capture = real()
    spin_damper = real()
    hold = real()
    posture = pair()
    body = pair()
    foot = pair()
    height = pair()
    weight_body = real()
    weight_foot = real()
    weight_edge = real()


class Walking(Record):
    """Everything, in one table."""

    problem = inner(WholeBodyProblem)
    imu = ref(ImuReading)
    read_q = vector()  # encoders
    read_v = vector()
    wrench = many(WrenchReading)
    iq = int_vector()  # where the encoders' values stand in q and v
    iv = int_vector()
    body = int_vector()  # (6) of the links
    frame = many(LinkFrame)  # (6)
    sole = many(LinkFrame)  # (2) where the pressure is told
    corner = matrix()  # (2, 4) of each sole's corners: how far they are to the left on their edge
    figure = ref(WalkConstants)
    felt = ref(Felt)
    now = ref(WalkNow)
    instant = ref(Instant)
    step = ref(StepFigures)
    rows = many(StepRow)  # those that lead with the left foot, then those with the right one
    plan_q = matrix()
    plan_v = matrix()
    plan_a = matrix()


class WalkRoom:
    """The arrays for one figure, in a table of their own; `w` has them by name."""

    def __init__(self, model: Model, feet: tuple[Foot, Foot], friction: float, force_weight: float) -> None:
        self.model = model
        self.table = Table(Walking.layout.slots)
        room = at.Room(model, self.table, contacts=2 * CORNERS, tasks=6)
        room.limit_torques()
        p = room.p
        for contact in p.contact:
            contact.friction, contact.radius, contact.weight = friction, -1.0, CONTACT_WEIGHT
            contact.normal = (0.0, 0.0, 1.0)
        p.settings.force_weight = force_weight
        infos = [model.frame(name) for name in LINKS]
        half = [(0.0, 0.0)] * 2 + [f.half for f in feet for _ in range(2)]
        self.w = put(
            Walking(self.table),
            body=np.array([i.body for i in infos], dtype=np.int64),
            frame=np.array([[*i.position, *i.rotation.ravel(), *h] for i, h in zip(infos, half)]),
            sole=np.array([[*f.position, *f.rotation.ravel(), *f.half] for f in feet]),
            corner=np.array([f.outline[:, 1] for f in feet], dtype=float),
            figure=WalkConstants(),
            felt=Felt(),
            now=WalkNow(),
            instant=Instant(),
            step=StepFigures(),
        )
        self.ready: dict[int, tuple[StepRows, tuple[np.ndarray, ...]]] = {}

    def wire(self, values: np.ndarray, iq: np.ndarray, iv: np.ndarray) -> None:
        """Where the instruments put what they read (IMU, positions, velocities, wrenches); its places in q and v."""
        imu, read_q, read_v, wrench = np.split(values, np.cumsum([7, len(iq), len(iv)]))
        put(self.w, imu=imu, read_q=read_q, read_v=read_v, wrench=wrench.reshape(2, 6))
        put(self.w, iq=iq.astype(np.int64), iv=iv.astype(np.int64))

    def follow(self, step: StepRows) -> None:
        """The step that is followed from now on."""
        rows, q, v, a = self._arrays(step)
        put(self.w, rows=rows, plan_q=q, plan_v=v, plan_a=a)
        s, plan = self.w.step, step.plan
        s.kind = ("step", "start", "stop").index(plan.kind)
        s.first, s.many, s.rows = step.first, step.many, len(q) // 2
        s.seconds, s.both, s.flat, s.heel_off, s.land = plan.seconds, plan.both, plan.flat, plan.heel_off, plan.land

    def _arrays(self, step: StepRows) -> tuple[np.ndarray, ...]:
        """A step's rows as the kernel reads them, made once."""
        if id(step) not in self.ready:
            both = []
            for r in step.of:
                links = [r.links[name] for name in LINKS]
                n = len(r.q)
                parts = [r.com, r.com_rate, r.com_change, r.spin, r.spin_change, r.forces.reshape(n, -1)]
                for link in links:
                    parts += [link.place, link.turn.reshape(n, 9), link.rate, link.change]
                both.append(np.concatenate(parts, axis=1))
            whole_of = lambda name: np.concatenate([getattr(r, name) for r in step.of])  # noqa: E731
            found = (np.concatenate(both), whole_of("q"), whole_of("v"), whole_of("a"))
            self.ready[id(step)] = step, tuple(np.ascontiguousarray(x, dtype=float) for x in found)
        return self.ready[id(step)][1]
