"""The arrays of a choreographed figure by name: numbers in the world's Table, behind those of its whole-body problem.

Pins and drags share one list of MOST_TASKS places; a place that is not used has KIND 0.
"""

from __future__ import annotations

from bunraku.control.whole_body_arrays import AFTER as BEFORE
from bunraku.step.step_arrays import number, places

P_INTS, P_REALS = places(BEFORE, BEFORE + 2)  # (tasks, INT_COLUMNS), (tasks, REAL_COLUMNS)
P_INFO = number(BEFORE + 2)  # (INFO_SIZE) integers
P_SET = number(BEFORE + 3)  # (SET_SIZE) numbers
P_GOAL = number(BEFORE + 4)  # (nq) desired joint values, coordinates like q
P_LIMITS = number(BEFORE + 5)  # (nj, 2) least and largest value of hinges and sliders
P_BALLS = number(BEFORE + 6)  # (balls, 3) largest swing, twist range
P_BALL_INTS = number(BEFORE + 7)  # (balls, 2) first of q, first joint DoF
P_SEEN = number(BEFORE + 8)  # (SEEN_SIZE) numbers that a step leaves to be read
AFTER = BEFORE + 9

# columns of P_INTS: what it is; its body; 1 where orientation counts; whether its body, a foot on the floor, may leave it
KIND, BODY, TURNED, SWING, INT_COLUMNS = range(5)
NONE, PIN, DRAG = 0, 1, 2  # KIND
PLANTED, WAITING, SWINGING = 0, 1, 2  # SWING
# columns of P_REALS: point in the body's frame, where it shall be, the body's rotation that is wanted (row by row), weight
AT, TARGET, TURN, WEIGHT, REAL_COLUMNS = 0, 3, 6, 15, 16
# entries of P_INFO: where the figure stands in the world's arrays; whether balance is kept; contacts of the last step; 1 with springy contacts
BODY_FIRST, Q_FIRST, V_FIRST, BALANCE, LAST_CONTACTS, FIGURE, SPRINGY, INFO_SIZE = range(8)
# entries of P_SET: gains; see bunraku.choreography.gains
(
    PIN_RATE,
    PIN_GAIN,
    PIN_SPEED,
    PIN_PULL,
    DRAG_RATE,
    DRAG_GAIN,
    DRAG_SPEED,
    DRAG_PULL,
    POSE_STIFFNESS,
    POSE_DAMPING,
    POSE_WEIGHT,
    CONTACT_WEIGHT,
    BALANCE_GAIN,
    BALANCE_WEIGHT,
    SPIN_GAIN,
    SPIN_WEIGHT,
    INERT_WEIGHT,
    FORCE_WEIGHT,
    FRICTION_PART,
    PATIENT,
    STIFFNESS,
    SET_SIZE,
) = range(22)
# entries of P_SEEN: centre of mass, its velocity, angular momentum, capture point, where it shall be, number of supporting links, w
COM, COM_RATE, SPIN, CAPTURE, REFERENCE, SUPPORTS, PENDULUM, SEEN_SIZE = 0, 3, 6, 9, 11, 13, 14, 15
