"""A choreographed figure as a record in the world's Table, after its whole-body problem.

Pins and drags share one list of MOST_TASKS places; a place that is not used has kind NONE. World axes, SI units.
"""

from __future__ import annotations

from bunraku.choreography.grip_arrays import GripEnd, GripFelt
from bunraku.choreography.rising_arrays import FrameStage, KeyFrame, RisingParts, RisingState
from bunraku.choreography.stepping_arrays import (
    LimbReach,
    PlannedStep,
    SoleShape,
    StepGains,
    StrideState,
    UprightLink,
)
from bunraku.control.whole_body_arrays import Range, WholeBodyProblem
from bunraku.kernel.record import (
    Record,
    inner,
    int_vector,
    many,
    mat3,
    matrix,
    pair,
    real,
    ref,
    vec3,
    vec3s,
    vector,
    whole,
)

NONE, PIN, DRAG = 0, 1, 2  # kinds
PLANTED, WAITING, SWINGING = 0, 1, 2  # whether a body on the floor, a foot, may leave it


class PinState(Record):
    """What a pin or drag is."""

    kind = whole()
    body = whole()
    turned = whole()  # 1 where orientation counts
    swing = whole()  # PLANTED, WAITING or SWINGING
    some = whole()  # 1 where it holds along some axes only, or along its own
    grip = whole()  # of a held thing: one more than the row of the grip that it is moved by; 0: none


class PinGoal(Record):
    """What a pin or drag wants."""

    at = vec3()  # the point in its body's frame
    target = vec3()  # where it should be
    turn = mat3()  # the body's rotation that is wanted
    weight = real()
    held = vec3()  # 1 for each axis along which its point is held, else 0
    turn_held = vec3()  # about which it is turned
    axis = vec3s(3)  # these axes
    own = vec3()  # of a held thing: the point in the thing's frame, and, as the step begins,
    place = vec3()  # where it is
    rate = vec3()
    turned = mat3()  # how the thing stands
    spin = vec3()


class HeldLink(Record):
    """A link that kinematics alone keeps where it stands."""

    body = whole()  # 0: none
    place = vec3()
    turn = mat3()


class DanceInfo(Record):
    """Where the figure stands in the world's arrays, and switches."""

    body_first = whole()
    q_first = whole()
    v_first = whole()
    balance = whole()  # whether it is kept
    last_contacts = whole()  # of the last step
    figure = whole()
    springy = whole()  # 1 with springy contacts
    kinematic = whole()  # 1: kinematics alone (choreography.kinematic_step)
    steps = whole()  # 1: it may step (choreography.stepping)
    holds = whole()  # 1: it holds something, or did (choreography.grip_loads)


class DanceGains(Record):
    """The numbers of bunraku.choreography.gains.Gains."""

    pin_rate = real()
    pin_gain = real()
    pin_speed = real()
    pin_pull = real()
    drag_rate = real()
    drag_gain = real()
    drag_speed = real()
    drag_pull = real()
    pose_stiffness = real()
    pose_damping = real()
    pose_weight = real()
    contact_weight = real()
    balance_gain = real()
    balance_weight = real()
    spin_gain = real()
    spin_weight = real()
    inert_weight = real()
    force_weight = real()
    friction_part = real()
    patience = real()
    cone_penalty = real()


class DanceSeen(Record):
    """What a step leaves to be read."""

    com = vec3()
    com_rate = vec3()
    spin = vec3()  # angular momentum about the centre of mass
    capture = pair()  # capture point
    reference = pair()  # where it should be
    supports = real()  # links that carry
    pendulum = real()  # 1/s: w = sqrt(g / height)
    lean = pair()  # m: of the point that is balanced from the centre of mass, where others pull


class BallRange(Record):
    """Limits of a ball joint [rad]."""

    swing = real()
    twist_least = real()
    twist_most = real()


class BallPlace(Record):
    """Where a ball joint stands."""

    q = whole()  # first of its coordinates
    dof = whole()  # first joint DoF


class Dance(Record):
    """Everything, in the world's table."""

    problem = inner(WholeBodyProblem)
    pin = many(PinState)
    aim = many(PinGoal)
    info = ref(DanceInfo)
    gains = ref(DanceGains)
    goal = vector()  # (nq) desired joint values
    limit = many(Range)  # (nj) of hinges and sliders
    ball = many(BallRange)
    ball_at = many(BallPlace)
    seen = ref(DanceSeen)
    stood = many(HeldLink)
    step = ref(StrideState)
    stepper = ref(StepGains)
    sole = many(SoleShape)  # (2) left, right; what follows is empty for figures that cannot step
    upright = many(UprightLink)
    planned = many(PlannedStep)
    limb = many(LimbReach)  # of each pin or drag
    leg = vector()  # (nj) 1: a leg's
    rising = ref(RisingState)
    rising_from = vector()  # (nq) where the servos' targets come from
    rising_pose = matrix()  # (poses, nq); none: it does not get up
    rising_frame = many(KeyFrame)
    rising_stage = many(FrameStage)
    rising_stiff = vector()  # (nv) N m/rad of the servos
    rising_parts = ref(RisingParts)
    grip = many(GripEnd)  # of all figures
    felt = many(GripFelt)
    own_inertia = matrix()  # (nb, 10) of bodies without what they hold
    others = int_vector()  # handles of the tables of further figures
