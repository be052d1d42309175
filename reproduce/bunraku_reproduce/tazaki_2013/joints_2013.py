"""Section 2.5: hinge, slider and ball; swing and twist, (27) to (29)."""

from __future__ import annotations

import numpy as np

import bunraku as bk
from bunraku.model.rotations import matrix, quaternion
from bunraku_reproduce.experiment import Experiment, part
from bunraku_reproduce.tazaki_2013.as_printed import about, joint, random_rotation

STEP = 1e-4


def turning(angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Angular velocity in socket axes, by differences of the ball's rotation (fourth order)."""

    def R(h: float) -> np.ndarray:
        return joint("ball", angles + h * rates, rates).R

    d = (R(-2 * STEP) - 8 * R(-STEP) + 8 * R(STEP) - R(2 * STEP)) / (12 * STEP)
    W = d @ R(0.0).T
    return np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2


@part(
    "Hinge, slider and ball",
    section="2.5.1 to 2.5.3",
    how="bk.hinge(name, axis), bk.slider(name, axis), bk.ball(name)",
    printed="A hinge about z of the socket, a slider along it, a ball by angles about x, y and z with its Jacobian.",
)
def kinds(e: Experiment) -> None:
    one = {"mass": 1.0, "moments": (1, 1, 1)}
    d = bk.Description("joints")
    d.add("h", None, bk.hinge("h", (0, 0, 1)), **one)
    d.add("s", None, bk.slider("s", (0, 0, 1)), **one)
    m = d.build()
    J = bk.joint_jacobians(m, np.array([0.7, 0.3]))
    for key, place, row, wanted in (
        ("hinge", "2.5.1", 0, [0, 0, 0, 0, 0, 1]),
        ("slider", "2.5.2", 1, [0, 0, 1, 0, 0, 0]),
    ):
        e.zero(
            f"joints/{key}",
            place,
            f"Jacobian of a {key}, (v, ω) in socket axes: {wanted}",
            np.abs(J[row] - wanted).max(),
            tolerance=1e-15,
        )
    rng = np.random.default_rng(e.seed)
    gaps, dets = [], []
    for _ in range(20):
        angles, rates = rng.uniform(-1.4, 1.4, 3), rng.normal(size=3)
        at = joint("ball", angles, rates)
        gaps.append(np.abs(at.J[3:] @ rates - turning(angles, rates)).max())
        dets.append(abs(np.linalg.det(at.J[3:]) - np.cos(angles[1])))
    e.zero(
        "joints/ball",
        "2.5.3",
        "Jacobian of the ball's angles against differences of Rz Ry Rx",
        max(gaps),
        tolerance=1e-9,
        unit="rad/s",
    )
    e.zero(
        "joints/singular", "2.5.3", "its determinant is cos q_y: it is lost at 90 degrees", max(dets), tolerance=1e-14
    )
    e.holds(
        "joints/quaternion",
        "2.5.3",
        "coordinates of a ball are the three angles",
        "a unit quaternion, rates are the angular velocity in child axes",
        False,
        reason="The printed angles have no Jacobian at q_y = 90 degrees; with a quaternion J = [0; R] is "
        "regular everywhere and J' q' = 0.",
    )


@part(
    "Swing and twist",
    section="2.5.3",
    how="bk.swing_twist(q); bk.ball(name, swing=, twist=)",
    printed="Swing is the angle between the z axes (27); (28) turns one z axis onto the other; twist is the "
    "angle that is then left between the x axes (29).",
)
def swing_and_twist(e: Experiment) -> None:
    rng = np.random.default_rng(e.seed)
    swing_gap, aligned, cosines, literal, signs, axis_gap = [], [], [], [], [], []
    for _ in range(200):
        R = random_rotation(rng)
        x, y, z = R[2]
        if z < -0.9:
            continue
        M = np.array(
            [[y * y / (1 + z) + z, -y * x / (1 + z), -x], [-y * x / (1 + z), x * x / (1 + z) + z, -y], [x, y, z]]
        )
        swing, twist = (float(a) for a in bk.swing_twist(quaternion(R)))
        swing_gap.append(abs(swing - np.arccos(np.clip(z, -1, 1))))
        aligned.append(max(np.abs(M @ R[2] - [0, 0, 1]).max(), np.abs(M @ M.T - np.eye(3)).max()))
        Rxx, Rxy, Rxz = R[0]
        right = (y * y * Rxx + (1 + z) * z * Rxx - y * x * Rxy - (1 + z) * x * Rxz) / (1 + z)
        printed = (y * y * Rxx + (1 + z) * z * Rxx - y * x * Rxy - (1 + z * x * Rxz)) / (1 + z)
        cosines.append(abs(right - np.cos(twist)))
        literal.append(abs(printed - np.cos(twist)))
        signs.append(twist)
        axis = quaternion(R)[1:]
        axis_gap.append(abs(swing - np.arccos(np.clip(axis[2] / np.linalg.norm(axis), -1, 1))))
    e.zero("swing/27", "(27)", "ours - arccos(R_zz)", max(swing_gap), tolerance=1e-7, unit="rad")
    e.zero(
        "swing/28",
        "(28)",
        "the matrix is a rotation and turns z of the socket onto z of the plug",
        max(aligned),
        tolerance=1e-12,
    )
    e.zero(
        "swing/29",
        "(29)",
        "cosine of our twist - (29) with the bracket closed: (1 + R_zz) R_zx R_xz",
        max(cosines),
        tolerance=1e-12,
    )
    e.equal(
        "swing/29-bracket",
        "(29)",
        "the same with the bracket as printed, 1 + R_zz R_zx R_xz: largest difference",
        0.0,
        max(literal),
        tolerance=1e-12,
        reason="A bracket is missing in print; with it the formula is the cosine of the twist.",
    )
    e.holds(
        "swing/29-sign",
        "(29)",
        "twist = arccos(…), never negative",
        f"from {min(signs):.2f} to {max(signs):.2f} rad",
        min(signs) >= 0,
        reason="An arc cosine loses the sense of the turn; ours is 2 atan2(q_z, q_w), so that a range may have "
        "two different ends.",
    )
    e.equal(
        "swing/words",
        "after (29)",
        "the swing is the angle between the axis of the rotation and z of the socket: largest difference",
        0.0,
        max(axis_gap),
        tolerance=1e-7,
        unit="rad",
        reason="The sentence contradicts (27): a turn of 90 degrees about x has its axis at 90 degrees from z "
        "whatever its angle. Ours is (27).",
    )
    turn = about(2, 0.4)
    ours = bk.swing_twist(quaternion(matrix(quaternion(about(0, 0.9) @ turn))))
    e.table(
        "swing/order",
        "2.5.3",
        "swing and twist of a turn about z by 0.4 rad, then about x by 0.9 rad",
        [0.9, 0.4],
        ours,
        tolerance=1e-12,
        unit="rad",
    )
