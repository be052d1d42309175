"""What a figure that takes steps keeps: its soles, the numbers of the law, the step it is taking, and steps to come.

World axes, SI units; headings are angles [rad] about z. Used by bunraku.choreography.stepping.
"""

from __future__ import annotations

from bunraku.kernel.record import Record, inner, mat3, pair, pairs, real, vec3, whole

STAND, SHIFT, SWING = 0, 1, 2  # what a stepper does
MOST_CORNERS = 24  # points whose hull is the support
MOST_PLANNED = 256  # steps to come


class SoleShape(Record):
    """A foot's sole in the frame of its body."""

    body = whole()
    place = vec3()  # the sole's middle
    turn = mat3()
    half = pair()  # m
    out = real()  # 1: left, -1: right


class UprightLink(Record):
    """A link that is upright while the figure steps: its rotation where the figure is headed along x."""

    body = whole()
    turn = mat3()


class StepGains(Record):
    """The numbers of bunraku.choreography.step_gains.StepGains."""

    size = real()
    apart = real()
    quick = real()
    slow = real()
    trigger = real()
    beyond = real()
    clear = real()
    ahead = real()
    back = real()
    near = real()
    wide = real()
    stride = real()
    aside = real()
    turn_out = real()
    turn_in = real()
    far = real()
    enough = real()
    swing_weight = real()
    upright_weight = real()
    height_weight = real()
    margin = real()
    legs = real()
    shift_gain = real()
    lift_error = real()
    drag_part = real()
    crouch = real()


class FootSeen(Record):
    """A foot as it is now."""

    place = vec3()  # of its sole's middle
    yaw = real()
    level = real()  # the z of its sole's normal
    touching = real()  # points of it that touch
    free = real()  # 1: no pin or drag holds it


class StrideState(Record):
    """Where a stepper is."""

    mode = whole()  # STAND, SHIFT or SWING
    side = whole()  # the foot that swings
    quick = whole()  # 1: it catches a fall
    last = whole()  # the foot that swung last
    taken = whole()  # steps taken
    queue = whole()  # planned steps that are done
    planned = whole()  # planned steps in all
    wanted = whole()  # 1: the next slow step is chosen
    clock = real()  # s
    began = real()  # when the swing or the shift began
    seconds = real()  # of this swing
    cool = real()  # no slow step before
    still = real()  # how long nothing has pulled
    heading = real()  # of the figure: between its feet
    start = vec3()  # of the swing
    start_yaw = real()
    goal = vec3()  # where the foot shall land
    goal_yaw = real()
    end = pair()  # where the capture point shall be when it lands
    stance_height = real()  # of the centre of mass above the soles, standing
    place = pair()  # where the figure wants to be, between its feet
    place_yaw = real()
    foot = inner(FootSeen, 2)
    corner = pairs(MOST_CORNERS)
    edge = pairs(MOST_CORNERS)
    corners = whole()
    edges = whole()


class PlannedStep(Record):
    """A step to come."""

    side = whole()
    place = vec3()
    yaw = real()


class LimbReach(Record):
    """How far a drag may be from where its limb begins before the figure steps."""

    root = vec3()  # where the limb begins, standing: ahead, left of the feet's middle, up from the soles
    length = real()  # m; 0: it asks for no step
