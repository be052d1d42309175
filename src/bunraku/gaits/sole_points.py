"""Where a foot is, and how that changes with the coordinates of a twin: heel, toe, axes; velocities of heel and toe.

Columns J (n, 6) of the single joints, linear part about the world's origin, give the rate of a point p on a body as
J_v + J_w x p for the joints that carry the body. Their own rates need the shallower joint i and the deeper one j of each
pair:  d/dq (dp/dq) = a_i x (a_j x (p - o_j)), and, where i slides, nothing. Checked in tests/gaits/test_sole_points.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.dynamics.functions import joint_jacobians, kinematics
from bunraku.gaits.hinge_twin import Twin
from bunraku.model import layout as at

HEEL, TOE, ACROSS, AHEAD = (slice(3 * i, 3 * i + 3) for i in range(4))
SIDES = ("left", "right")


@dataclass(frozen=True)
class Soles:
    """At N poses, for the left and the right foot: value (N, 2, 12) of heel, toe [m], axis across and axis ahead, its
    rates by coordinates J (N, 2, 12, n); corners (N, 2, 4, 3) [m] about the foot's origin; origin (N, 2, 3); angular
    columns of the joints that carry each foot (N, 2, n, 3); the columns of all joints (N, n, 6)."""

    value: np.ndarray
    J: np.ndarray
    corners: np.ndarray
    origin: np.ndarray
    angular: np.ndarray
    columns: np.ndarray


def carriers(twin: Twin) -> np.ndarray:
    """(2, n): whether a coordinate moves the left, the right foot."""
    model = twin.model
    out = np.zeros((2, model.nv), dtype=bool)
    by_body = {j.body: j.iv for j in model.joints}
    for f, side in enumerate(SIDES):
        body = model.frame(f"{side}_foot").body
        while body > 0:
            if body in by_body:
                out[f, by_body[body]] = True
            body = int(model.ints[body, at.PARENT])
    return out


def soles(twin: Twin, Q: np.ndarray, half_width: float, carry: np.ndarray) -> Soles:
    """Both feet at poses Q (N, n)."""
    k = kinematics(twin.model, Q)
    columns = joint_jacobians(twin.model, Q)
    N, n = Q.shape
    value, J = np.zeros((N, 2, 12)), np.zeros((N, 2, 12, n))
    corners, origin, angular = np.zeros((N, 2, 4, 3)), np.zeros((N, 2, 3)), np.zeros((N, 2, n, 3))
    for f, side in enumerate(SIDES):
        linear = columns[:, :, :3] * carry[f][:, None]
        turn = columns[:, :, 3:] * carry[f][:, None]
        R = k.pose(f"{side}_foot")[1]
        heel, toe = k.pose(f"{side}_heel")[0], k.pose(f"{side}_toe")[0]
        for part, point in ((HEEL, heel), (TOE, toe)):
            value[:, f, part] = point
            J[:, f, part] = np.swapaxes(linear + np.cross(turn, point[:, None]), 1, 2)
        for part, axis in ((ACROSS, R[:, :, 1]), (AHEAD, R[:, :, 0])):
            value[:, f, part] = axis
            J[:, f, part] = np.swapaxes(np.cross(turn, axis[:, None]), 1, 2)
        origin[:, f], angular[:, f] = k.pose(f"{side}_foot")[0], turn
        side_by = half_width * R[:, :, 1]
        for c, (end, s) in enumerate(((heel, -1), (heel, 1), (toe, -1), (toe, 1))):
            corners[:, f, c] = end + s * side_by - origin[:, f]
    return Soles(value, J, corners, origin, angular, columns)


def point_velocity(s: Soles, node: int, foot: int, part: slice, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Velocity (3,) of heel or toe at a node with rates v (n,), and its rates by the coordinates (3, n)."""
    turn = s.angular[node, foot]  # (n, 3), zero for sliders
    reach = s.J[node, foot, part].T  # (n, 3): a_j x (p - o_j)
    moved = reach * v[:, None]
    turned = turn * v[:, None]
    deeper = np.cumsum(moved[::-1], axis=0)[::-1]  # of joint i and those it carries
    shallower = np.cumsum(turned, axis=0) - turned
    rate = (np.cross(turn, deeper) + np.cross(shallower, reach)).T
    return reach.T @ v, rate
