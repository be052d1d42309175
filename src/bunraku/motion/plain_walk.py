"""A plain walk from footsteps: feet that step, a centre of mass that the soles can carry, arms that swing; a Motion for
examples and tests.

Feet stand flat and swing along bunraku.motion.paths.swing; the centre of mass is the nearest path to the middle between
the feet with the zero-moment point in the soles (motion.com_plan); the pose of each frame is the nearest to a standing
one with both (motion.settle). It is a motion without forces; the dynamics filter, or generation, makes it one with
forces. Checked in tests/motion/test_plain_walk.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.dynamics.functions import centroidal, kinematics
from bunraku.dynamics.ik import Target, inverse_kinematics
from bunraku.errors import InputError
from bunraku.humanoid.foot import Foot, feet_of
from bunraku.model.model import Model
from bunraku.model.rotations import exponential, multiply
from bunraku.motion.com_plan import course_of, planned
from bunraku.motion.footing import Footing, Stance
from bunraku.motion.paths import swing
from bunraku.motion.settle import settled
from bunraku.recording.motion import Motion

ARMS = 0.35  # rad: how far upper arms swing
ELBOWS, KNEES = 0.35, 0.25  # rad: of the standing pose


def walk_motion(
    model: Model,
    steps: int = 6,
    *,
    length: float = 0.35,
    single: float = 0.5,
    double: float = 0.16,
    height: float = 0.06,
    lower: float = 0.03,
    fps: float = 100.0,
) -> Motion:
    """A straight walk along x from standing to standing: `steps` steps of length [m], each with `single` [s] on one
    foot and `double` [s] on both; height [m]: of the swinging foot; lower [m]: how much lower than upright the figure
    walks."""
    if steps < 1 or not (length > 0 and single > 0 and double > 0 and fps > 0):
        raise InputError("walk_motion: steps must be 1 or more; length, single, double and fps above 0.")
    two = sorted(feet_of(model), key=lambda s: -float(kinematics(model, model.neutral()).position[s.body][1]))
    if len(two) != 2:
        raise InputError(f"walk_motion: {model.name!r} has {len(two)} feet; a walk needs two.")
    still = 0.6  # s standing at both ends
    times = np.arange(0.0, 2 * still + steps * (single + double), 1.0 / fps)
    rest = kinematics(model, model.neutral())
    feet = tuple(
        foot_path(s, side, rest, times, steps, length, single, double, height, still) for side, s in enumerate(two)
    )
    supports = [np.vstack([f.corners(k) for f in feet]) for k in range(len(times))]
    upright = centroidal(model, model.neutral()).com
    middle = np.mean([f.position + f.rotation @ f.foot.position for f in feet], axis=0)
    com = np.column_stack([middle[:, 0], np.zeros(len(times)), np.full(len(times), upright[2] - lower)])
    none = np.zeros((len(times), 3))
    plan = planned(course_of(times, com, none, supports, model.mass, float(np.linalg.norm(model.gravity)), margin=0.03))
    q = np.tile(bent(model), (len(times), 1))
    q[:, :3] += plan.spline(times) - upright
    apart = (feet[1].position - feet[0].position)[:, 0] / (2 * length)  # right ahead of left
    for name, sign in (("left_shoulder", -1.0), ("right_shoulder", 1.0)):
        arms = [j for j in model.joints if j.name == name and j.kind == "ball"]
        for j in arms:
            turn = exponential(np.outer(sign * ARMS * apart, [0.0, 1.0, 0.0]))
            q[:, j.q] = multiply(q[:, j.q], turn)
    return settled(Motion(model, times, q, {"title": "walk", "source": "footsteps"}), feet, plan.spline(times))


def stand(model: Model, lower: float = 0.03) -> np.ndarray:
    """q of a figure that stands upright on both soles, its centre of mass above their middle and `lower` [m] than
    upright, elbows and knees bent a little."""
    rest = kinematics(model, model.neutral())
    feet = tuple(
        Footing(s, np.ones(1, bool), np.ones(1, bool), (), rest.position[s.body][None], rest.rotation[s.body][None])
        for s in feet_of(model)
    )
    middle = np.mean([rest.position[s.body] + rest.rotation[s.body] @ s.position for s in feet_of(model)], axis=0)
    com = np.array([[middle[0], middle[1], centroidal(model, model.neutral()).com[2] - lower]])
    q = settled(Motion(model, np.zeros(1), bent(model)[None]), feet, com).q[0]
    targets = [Target(f.foot.link, f.position[0], f.rotation[0]) for f in feet]
    return inverse_kinematics(model, targets, q, tolerance=1e-12).q  # the last micrometres


def bent(model: Model) -> np.ndarray:
    """The neutral pose with knees and elbows a little bent."""
    q = model.neutral()
    for j in model.joints:
        if j.kind == "hinge" and j.nv:
            bent = ELBOWS if "elbow" in j.name else KNEES if "knee" in j.name else 0.0
            q[j.iq] = float(np.clip(q[j.iq] + bent, model.lower[j.iv], model.upper[j.iv]))
    return q


def foot_path(
    s: Foot, side: int, rest, times: np.ndarray, steps: int, length: float, single: float, double: float, height: float, still: float
) -> Footing:  # type: ignore[no-untyped-def]  # fmt: skip
    """One foot: side 0 takes the even steps, side 1 the odd ones; the first and the last step are half as long."""
    home, R = rest.position[s.body], rest.rotation[s.body]
    place, at = np.tile(home, (len(times), 1)), home.copy()
    up = np.zeros(len(times), dtype=bool)
    x = 0.0
    for n in range(steps):
        begin = still + n * (single + double) + double
        x_new = x if n == steps - 1 and steps > 1 else x + length  # the last step closes the feet
        if n % 2 == side:
            goal = np.array([home[0] + x_new, home[1], home[2]])
            way = swing(begin, begin + single, at, goal, height)
            for k in np.flatnonzero((times > begin + 1e-9) & (times < begin + single - 1e-9)):
                place[k], up[k] = way(times[k]), True
            place[times >= begin + single - 1e-9] = goal
            at = goal
        x = x_new
    turns = np.tile(R, (len(times), 1, 1))
    return Footing(s, ~up, ~up, (Stance(0, len(times), at[:2], 0.0),), place, turns)
