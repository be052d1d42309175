"""The arrays of a figure that keeps its balance, by name: numbers in a Table, behind those of its whole-body problem (control.whole_body_arrays).

World axes, SI units; feet in the order left, right; the four bodies that count are the two feet, the base and the trunk.
"""

from __future__ import annotations

import numpy as np

from bunraku.control import whole_body_arrays as at
from bunraku.control.walking_plan import ROW, FootLike, WalkingPlan
from bunraku.control.whole_body import CONTACT_WEIGHT
from bunraku.kernel.table import Table
from bunraku.model.model import Model
from bunraku.step.step_arrays import number, places

B_BODY = number(at.AFTER)  # (4) bodies
B_FOOT = number(at.AFTER + 1)  # (2, FOOT_COLUMNS)
B_STATE = number(at.AFTER + 2)  # (STATE_SIZE) of the estimate
B_SEEN = number(at.AFTER + 3)  # (SEEN_SIZE) what the estimate found
B_ROW, B_TURNS = places(at.AFTER + 4, at.AFTER + 6)  # (ROW) of the plan; (36) rotations wanted of the four bodies
B_GOAL_Q, B_GOAL_V = places(at.AFTER + 6, at.AFTER + 8)  # posture
B_ASK = number(at.AFTER + 8)  # (ASK_SIZE) what this period asks for
B_SET = number(at.AFTER + 9)  # (SET_SIZE) gains
B_LIMIT = number(at.AFTER + 10)  # (nv, 2) of hinges and sliders, far where there is none
B_READ = number(
    at.AFTER + 11
)  # what the instruments read: gyro 3, attitude 4, positions and velocities of joints, wrench of each foot 6
B_IQ, B_IV = places(at.AFTER + 12, at.AFTER + 14)  # where the joints' positions and velocities stand in q and v
B_FEEL = number(at.AFTER + 14)  # (FEEL_SIZE) state of the law
B_STEP = number(at.AFTER + 15)  # (STEP_SIZE) state of stepping
B_FIGURE = number(at.AFTER + 16)  # (FIGURE_SIZE) constants of figure and law
P_ROWS, P_FEET, P_BODIES, P_Q, P_V = places(
    at.AFTER + 17, at.AFTER + 22
)  # the plan: (n, ROW), (n, 18), (n, 18), (n, nq), (n, nv)
P_SWINGS = number(at.AFTER + 22)  # (swings, 3) side, lift, landing
P_TIME = number(at.AFTER + 23)  # (1) s between the plan's rows
AFTER = at.AFTER + 24

# columns of B_FOOT: sole in the body's frame: place, axes row by row, half length and width
F_PLACE, F_AXES, F_HALF, FOOT_COLUMNS = 0, 3, 12, 14
# entries of B_STATE: places where the ankles stand; the base's velocity and place; each foot's weight in the estimate; what a period keeps of
# the velocity; the period
ANCHOR, VELOCITY, BASE, SHARE, KEEP, PERIOD, STATE_SIZE = 0, 6, 9, 12, 14, 15, 16
# entries of B_SEEN: centre of mass, its rate, spin about it; of each of four bodies place, rotation, velocity, angular velocity; of the soles
# place and velocity
COM, COM_RATE, SPIN, OF_BODY, OF_SOLE = 0, 3, 6, 9, 81
PLACE, TURN, SPEED, OMEGA, BODY_SIZE = 0, 3, 12, 15, 18
SEEN_SIZE = 93
# entries of B_ASK: force on the centre of mass (3); share of each foot; pressure inside each foot (2 x 2); shift of the swinging foot and its
# rate; clock's rate; whether each foot stands; the foot that swings, or -1; weight [N]
FORCE, PART, INSIDE, SHIFT, SHIFT_RATE, RATE, STANDS, SWINGS, WEIGHT, ASK_SIZE = 0, 3, 5, 9, 12, 15, 16, 18, 19, 20
# entries of B_SET: springs, dampers and weights of bunraku.control.stabiliser.Gains
(
    BODY_SPRING, BODY_DAMPER, FOOT_SPRING, FOOT_DAMPER, POSE_SPRING, POSE_DAMPER, HOLD_SPRING, HOLD_DAMPER, SPIN_DAMPER,
    WEIGH_LEVEL, WEIGH_HEIGHT, WEIGH_SPIN, WEIGH_BODY, WEIGH_FOOT, WEIGH_POSE, WEIGH_SHARE, SET_SIZE,
) = range(17)  # fmt: skip
# entries of B_FEEL: sum of the capture point's errors; pressure asked for less pressure felt; pressure asked for (2 each); load of each foot [N],
# filtered; pressure felt inside each sole (2 x 2); whether each foot is fresh, and the height planned for it; of this period: capture point, its
# error, w = sqrt(g / height)
SUM, MISSED, ASKED, LOADS, FELT, FRESH, PLANNED, CAPTURE, ERROR, PENDULUM, FEEL_SIZE = (
    0,
    2,
    4,
    6,
    8,
    12,
    14,
    16,
    18,
    20,
    21,
)
# entries of B_STEP: time in the plan, its rate; s waited for the ground, m that a late foot was lowered, s that both feet were kept down; numbers of
# the swing in the air and of the last one that ended, or -1; whether each foot stands; offsets of the feet (2 x 2), of the swing's start and target
CLOCK, PACE, WAITED, LOWERED, HELD, SWING, DONE, STANDING, OFFSET, START, TARGET, STEP_SIZE = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    9,
    13,
    15,
    17,
)
# entries of B_FIGURE: weight [N], mass, the heavier foot's mass; what a period keeps of the loads and of the missed pressure; Gains of the pressure,
# of the height, and lengths; reach of a step ahead, inwards, outwards; whether steps may move; reserve steps: 0 none, 1 there are, 2 they are walked
(
    HEAVY, MASS, FOOT_MASS, KEEP_LOAD, KEEP_MISSED, G_CAPTURE, G_INTEGRAL, G_PRESSURE, HEIGHT_SPRING, HEIGHT_DAMPER, LEAN, EDGE, REACH_AHEAD,
    REACH_NEAR, REACH_FAR, MAY_STEP, RESERVE, FIGURE_SIZE,
) = range(18)  # fmt: skip
LOOK = 0.06  # s: how far ahead joint limits are seen


class BalanceRoom:
    """The arrays for one figure, in a table of their own."""

    def __init__(self, model: Model, feet: tuple[FootLike, FootLike], trunk: str, friction: float) -> None:
        self.table = Table(AFTER)
        self.problem = at.Room(model, self.table, contacts=8, tasks=3)
        w = self.problem.w
        w[at.W_CONTACT][:, at.C_MU], w[at.W_CONTACT][:, at.C_RADIUS] = friction, -1.0
        w[at.W_CONTACT][:, at.C_WEIGHT] = CONTACT_WEIGHT
        w[at.W_TURN][:, 3] = -at.FAR
        effort = np.minimum(model.effort[self.problem.first :], at.FAR)
        w[at.W_EFFORT][:, 0], w[at.W_EFFORT][:, 1] = -effort, effort
        w[at.W_SET][[at.TOLERANCE, at.CONE_PENALTY]] = 1e-9, 0.03
        w[at.W_COUNT][[at.ROUNDS, at.PATIENCE]] = 1, 25
        limit = np.tile([-at.FAR, at.FAR], (model.nv, 1))
        for j in model.joints:
            if j.nv and j.ranged:
                limit[j.v, 0], limit[j.v, 1] = (
                    np.maximum(model.lower[j.v], -at.FAR),
                    np.minimum(model.upper[j.v], at.FAR),
                )
        bodies = [f.body for f in feet] + [model.joints[0].body, model.body(trunk)]
        self.w = {
            B_BODY: np.array(bodies, dtype=np.int64),
            B_FOOT: np.array([[*f.position, *f.rotation.ravel(), *f.half] for f in feet], dtype=float),
            B_STATE: np.zeros(STATE_SIZE),
            B_SEEN: np.zeros(SEEN_SIZE),
            B_ROW: np.zeros(ROW),
            B_TURNS: np.zeros(36),
            B_GOAL_Q: model.neutral(),
            B_GOAL_V: np.zeros(model.nv),
            B_ASK: np.zeros(ASK_SIZE),
            B_SET: np.zeros(SET_SIZE),
            B_LIMIT: limit,
            B_FEEL: np.zeros(FEEL_SIZE),
            B_STEP: np.zeros(STEP_SIZE),
            B_FIGURE: np.zeros(FIGURE_SIZE),
            P_TIME: np.zeros(1),
        }
        for k, array in self.w.items():
            self.table.put(k, array)
        self.w.update(w)

    def wire(self, values: np.ndarray, iq: np.ndarray, iv: np.ndarray) -> None:
        """Where the instruments put what they read, and which coordinates it is."""
        for k, array in ((B_READ, values), (B_IQ, iq.astype(np.int64)), (B_IV, iv.astype(np.int64))):
            self.table.put(k, array)

    def follow(self, plan: WalkingPlan) -> None:
        """The plan that is followed from now on."""
        n = len(plan)
        turns = plan.foot_rotation.reshape(n, 18), plan.body_rotation.reshape(n, 18)
        for k, array in zip((P_ROWS, P_FEET, P_BODIES, P_Q, P_V), (plan.rows, *turns, plan.q, plan.v)):
            self.table.put(k, np.ascontiguousarray(array, dtype=float))
        self.table.put(P_SWINGS, np.array(plan.swings, dtype=np.int64).reshape(-1, 3))
        self.w[P_TIME][0] = plan.dt
