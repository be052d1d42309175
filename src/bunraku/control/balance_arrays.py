"""What a figure that keeps its balance knows, as records in a Table, behind those of its whole-body problem.

World axes, SI units; feet in the order left, right; the four bodies that count are the two feet, the base and the
trunk.
"""

from __future__ import annotations

import numpy as np

from bunraku.control import whole_body_arrays as at
from bunraku.control.walking_plan import PlanRow, Swing, WalkingPlan
from bunraku.control.whole_body import CONTACT_WEIGHT
from bunraku.control.whole_body_arrays import Range, WholeBodyProblem
from bunraku.humanoid.foot import Foot
from bunraku.kernel.record import (
    Record,
    inner,
    int_vector,
    many,
    mat3,
    mat3s,
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
)
from bunraku.kernel.table import Table
from bunraku.model.model import Model

LOOK = 0.06  # s: how far ahead joint limits are seen


class SoleFrame(Record):
    """A sole in its body's frame."""

    place = vec3()
    axes = mat3()
    half = pair()  # length, width


class Estimate(Record):
    """State of the estimate."""

    anchor = vec3s(2)  # where the ankles stand
    velocity = reals(3)  # of the base
    base = reals(3)  # its place
    share = reals(2)  # each foot's weight in the estimate
    keep = real()  # what a period keeps of the velocity
    period = real()  # s


class BodySeen(Record):
    """A body as it is seen."""

    place = vec3()
    turn = mat3()
    speed = vec3()
    omega = vec3()


class SoleSeen(Record):
    """A sole as it is seen."""

    place = vec3()
    speed = vec3()


class Seen(Record):
    """What the estimate found."""

    com = vec3()
    com_rate = vec3()
    spin = vec3()  # angular momentum about the centre of mass
    body = inner(BodySeen, 4)
    sole = inner(SoleSeen, 2)


class TurnsWanted(Record):
    """Rotations wanted of the four bodies."""

    of = mat3s(4)


class TwoTurns(Record):
    """Rotations of two bodies."""

    of = mat3s(2)


class Ask(Record):
    """What this period asks for."""

    force = vec3()  # N on the centre of mass
    part = reals(2)  # share of each foot
    least = reals(2)  # least share of each foot
    inside = pairs(2)  # pressure inside each foot
    shift = vec3()  # of the swinging foot
    shift_rate = vec3()
    rate = real()  # the clock's
    stands = reals(2)  # whether each foot stands
    swings = real()  # the foot that swings, or -1
    weight = real()  # N


class Springs(Record):
    """Springs, dampers and weights of bunraku.control.stabiliser.Gains."""

    body_spring = real()
    body_damper = real()
    foot_spring = real()
    foot_damper = real()
    pose_spring = real()
    pose_damper = real()
    hold_spring = real()
    hold_damper = real()
    settle = real()  # 1/s: damper of corners that stand, along the normal
    spin_damper = real()
    weigh_level = real()
    weigh_height = real()
    weigh_spin = real()
    weigh_body = real()
    weigh_foot = real()
    weigh_pose = real()
    weigh_share = real()


class ImuReading(Record):
    """What the IMU reads."""

    gyro = vec3()
    attitude = reals(4)


class WrenchReading(Record):
    """What a foot's sensor reads."""

    force = vec3()
    torque = vec3()


class Feel(Record):
    """State of the law."""

    sum = reals(2)  # m s: of the capture point's errors
    missed = reals(2)  # m: pressure asked for less pressure felt
    asked = reals(2)  # pressure asked for
    loads = reals(2)  # N of each foot, filtered
    touch = reals(2)  # N of each foot, as it is read
    felt = pairs(2)  # pressure inside each sole
    fresh = reals(2)  # whether each foot is
    planned = reals(2)  # height planned for it
    capture = reals(2)  # this period's capture point
    error = reals(2)  # of the capture point
    pendulum = real()  # 1/s: w = sqrt(g / height)


class StepState(Record):
    """State of stepping."""

    clock = real()  # s: time in the plan
    pace = real()  # of the clock
    waited = real()  # s for the ground
    lowered = real()  # m that a late foot was lowered
    raised = real()  # m above the planned height at which the swing began
    held = real()  # s that both feet were kept down
    swing = real()  # number of the swing in the air, or -1
    done = real()  # of the last one that ended, or -1
    standing = reals(2)  # whether each foot stands
    offset = pairs(2)  # of the feet
    start = pair()  # offset where the swing began
    target = pair()  # and where it shall end


class LawConstants(Record):
    """Constants of the figure, of the law and of the plan."""

    heavy = real()  # N
    mass = real()
    foot_mass = real()  # the heavier foot's
    keep_load = real()  # what a period keeps of the loads
    keep_missed = real()  # and of the missed pressure
    capture = real()  # gains of the pressure
    integral = real()
    pressure = real()
    height_spring = real()
    height_damper = real()
    lean = real()  # m beyond the soles
    edge = real()  # m of the soles that is not used
    rest = real()  # least share of the weight of a foot that stands beside the other
    reach_ahead = real()  # m of a step
    reach_near = real()
    reach_far = real()
    may_step = real()  # whether landing places may move
    reserve = real()  # steps: 0 none, 1 there are, 2 they are walked
    plan_dt = real()  # s between the plan's rows


class Balance(Record):
    """Everything, in one table."""

    problem = inner(WholeBodyProblem)
    body = int_vector()  # (4)
    foot = many(SoleFrame)
    state = ref(Estimate)
    seen = ref(Seen)
    row = ref(PlanRow)  # of now
    turns = ref(TurnsWanted)
    goal_q = vector()  # posture
    goal_v = vector()
    ask = ref(Ask)
    springs = ref(Springs)
    firm = vector()  # (nv): how much more than others a degree of freedom keeps its posture
    limit = many(Range)  # (nv) of hinges and sliders, far where there is none
    imu = ref(ImuReading)
    read_q = vector()  # encoders
    read_v = vector()
    wrench = many(WrenchReading)
    iq = int_vector()  # where the encoders' values stand in q and v
    iv = int_vector()
    feel = ref(Feel)
    step = ref(StepState)
    figure = ref(LawConstants)
    rows = many(PlanRow)  # the plan
    feet = many(TwoTurns)  # its feet
    bodies = many(TwoTurns)  # its base and trunk
    plan_q = matrix()
    plan_v = matrix()
    swings = many(Swing)


class BalanceRoom:
    """The arrays for one figure, in a table of their own; `b` has them by name."""

    def __init__(self, model: Model, feet: tuple[Foot, Foot], trunk: str, friction: float) -> None:
        self.table = Table(Balance.layout.slots)
        room = at.Room(model, self.table, contacts=8, tasks=3)
        room.limit_torques()
        p = room.p
        for contact in p.contact:
            contact.friction, contact.radius, contact.weight = friction, -1.0, CONTACT_WEIGHT
        limit = np.tile([-at.FAR, at.FAR], (model.nv, 1))
        for j in model.joints:
            if j.nv and j.ranged:
                limit[j.v, 0] = np.maximum(model.lower[j.v], -at.FAR)
                limit[j.v, 1] = np.minimum(model.upper[j.v], at.FAR)
        bodies = [f.body for f in feet] + [model.joints[0].body, model.body(trunk)]
        self.b = put(
            Balance(self.table),
            body=np.array(bodies, dtype=np.int64),
            foot=np.array([[*f.position, *f.rotation.ravel(), *f.half] for f in feet], dtype=float),
            state=Estimate(),
            seen=Seen(),
            row=PlanRow(),
            turns=TurnsWanted(),
            goal_q=model.neutral(),
            goal_v=np.zeros(model.nv),
            ask=Ask(),
            springs=Springs(),
            firm=np.ones(model.nv),
            limit=limit,
            feel=Feel(),
            step=StepState(),
            figure=LawConstants(),
        )

    def wire(self, values: np.ndarray, iq: np.ndarray, iv: np.ndarray) -> None:
        """Where the instruments put what they read (IMU, positions, velocities, wrenches); its places in q and v."""
        imu, read_q, read_v, wrench = np.split(values, np.cumsum([7, len(iq), len(iv)]))
        put(self.b, imu=imu, read_q=read_q, read_v=read_v, wrench=wrench.reshape(2, 6))
        put(self.b, iq=iq.astype(np.int64), iv=iv.astype(np.int64))

    def follow(self, plan: WalkingPlan) -> None:
        """The plan that is followed from now on."""
        n = len(plan)
        put(
            self.b,
            rows=plan.rows.rows,
            feet=np.ascontiguousarray(plan.foot_rotation, dtype=float).reshape(n, -1),
            bodies=np.ascontiguousarray(plan.body_rotation, dtype=float).reshape(n, -1),
            plan_q=np.ascontiguousarray(plan.q, dtype=float),
            plan_v=np.ascontiguousarray(plan.v, dtype=float),
            swings=np.array(plan.swings, dtype=np.int64).reshape(-1, 3),
        )
        self.b.figure.plan_dt = plan.dt
