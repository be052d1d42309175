"""What a fallen figure that gets up keeps: key frames, stages, and where it is. Used by bunraku.choreography.rising.

World axes, SI units; `IDLE` where it does not get up.
"""

from __future__ import annotations

from bunraku.kernel.record import Record, real, whole, wholes

IDLE, RISE = -1, 100  # stages besides those of the data: none, and the last one, from a squat to standing
# stages of key frames, in the order of bunraku.choreography.rising_frames
OPEN_FRONT, OPEN_BACK, ROLL, ROLL_MIRRORED, FREE_ARM, KNEES, SQUAT = 0, 1, 2, 3, 4, 7, 8
FREE_WAYS = 3  # stages that free an arm, from FREE_ARM on


class KeyFrame(Record):
    """A pose in the list of poses."""

    seconds = real()  # until it is reached
    stiff = real()  # part of the servos' stiffness


class FrameStage(Record):
    """Key frames one behind the other."""

    first = whole()
    count = whole()
    hold = real()  # s at the last one


class RisingParts(Record):
    """Bodies and joints that are looked at."""

    trunk = whole()
    arm = wholes(2)  # upper arms
    shank = wholes(2)
    shoulder = wholes(2)  # first coordinates of the shoulders in q
    size = real()  # of the figure, against human()


class RisingState(Record):
    """Where it is."""

    stage = whole()
    frame = whole()  # of the stage
    wanted = whole()  # 1: it shall get up now
    auto = whole()  # 1: it gets up by itself
    tries = whole()  # times it began from the start
    failed = whole()  # stages that did not lead where they should
    freed = whole()  # ways to free an arm that were tried
    driven = whole()  # 1: the servos are on
    clock = real()  # s in this frame
    low = real()  # s that it has been down
    height = real()  # of the centre of mass that is asked for while it rises
    began = real()  # s since it began
    ground = real()  # m: height of the lowest point that touches
