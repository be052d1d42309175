"""How each part of a captured person is turned, by places of joints; bunraku.motion.captured says how it is found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.humanoid.anatomy import Anatomy, Limb
from bunraku.model.rotations import skew
from bunraku.motion.person_points import Points, at_joint, frame, lengths, mean_turn, trunk_line, unit
from bunraku.motion.set_down import resting

BENT = (0.1, 0.35)  # sines of a hinge's angle: below, the limb is straight; above, its plane counts fully
ENOUGH = 3.0  # frames of a bent limb, by weight, from which its axis is known
LEVEL, UPRIGHT = 0.5, 0.97  # a T-pose: sine of the arms' slope at most, of the legs' at least
ALONG = 0.18  # rad: a T-pose that faces an axis of the file by less than this faces it
STANDS = (0.35, 0.45)  # rad: legs against the trunk, the trunk against the vertical, in frames that stand
LEG = 0.83  # m: of a person; the speed of a resting foot is judged by it
RESTS = 0.1  # s: how long a foot must rest in all to be levelled by it
SOLE = 0.47  # rad: of the way from ankle to toe below the sole, where no foot ever rests


@dataclass(frozen=True, eq=False)
class Reference:
    """A pose in which pelvis, trunk and head are upright, and which way it faces."""

    points: Points
    heading: np.ndarray


def t_pose(one: Points, a: Anatomy) -> bool:
    """Whether the upper arms are about horizontal and the legs upright in a frame."""
    P = one.place[0]
    for pair, arms in ((a.legs, False), (a.arms, True)):
        for x in pair:
            for top, end in ((x.top, x.middle), (x.middle, x.end))[: 1 if arms else 2]:
                d = P[top] - P[end]
                slope = d[2] / max(float(np.linalg.norm(d)), 1e-12)
                if (arms and abs(slope) > LEVEL) or (not arms and slope < UPRIGHT):
                    return False
    return True


def standing(points: Points, a: Anatomy) -> np.ndarray:
    """(n,): how much a frame stands, 0 to 1: legs on the average in line with the trunk, the trunk upright."""
    P, trunk = points.place, unit(trunk_line(points, a))
    legs = unit(np.sum([unit(P[:, x.top] - P[:, x.end]) for x in a.legs], axis=0))
    bent = np.mean(
        [np.linalg.norm(P[:, x.top] - P[:, x.end], axis=1) / lengths(points, x).sum() for x in a.legs], axis=0
    )
    open_ = np.arccos(np.clip(np.einsum("ni,ni->n", trunk, legs), -1, 1))
    lean = np.arccos(np.clip(trunk[:, 2], -1, 1))
    return (
        np.clip(2 - 2 * open_ / STANDS[0], 0, 1)
        * np.clip(2 - 2 * lean / STANDS[1], 0, 1)
        * np.clip((bent - 0.85) / 0.08, 0, 1)
    )


def upright_in(ref: Reference, points: Points, a: Anatomy) -> dict[str, np.ndarray]:
    """Pelvis, trunk and head by a pose in which they are upright."""
    return {part: points.turn[:, k] @ ref.points.turn[0, k].T @ ref.heading for part, k in carriers(points, a).items()}


def upright_by(points: Points, a: Anatomy, weight: np.ndarray) -> dict[str, np.ndarray]:
    """Pelvis, trunk and head by hips, shoulders and the line between them in weighted frames."""
    P, line, out = points.place, trunk_line(points, a), {}
    across = {"pelvis": P[:, a.legs[0].top] - P[:, a.legs[1].top], "trunk": P[:, a.arms[0].top] - P[:, a.arms[1].top]}
    across["head"] = across["trunk"]
    for part, k in carriers(points, a).items():
        R = points.turn[:, k]
        out[part] = R @ mean_turn(np.swapaxes(R, 1, 2) @ frame(line, across[part]), weight)
    return out


def carriers(points: Points, a: Anatomy) -> dict[str, int]:
    """Which joints turn pelvis, trunk and head."""
    out = {"pelvis": a.pelvis, "trunk": a.chest}
    if a.head is not None:
        out["head"] = a.head if a.head in points.parents or points.parents[a.head] < 0 else points.parents[a.head]
    return out


def heading_of(ref: Points, a: Anatomy) -> np.ndarray:
    """The rotation about z by which a reference pose faces away from x; one that nearly faces along an axis does."""
    left = ref.place[0, a.legs[0].top] - ref.place[0, a.legs[1].top]
    angle = float(np.arctan2(-left[0], left[1]))
    nearest = 0.5 * np.pi * round(angle / (0.5 * np.pi))
    angle = nearest if abs(angle - nearest) < ALONG else angle
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def smallest_turn(b: np.ndarray) -> np.ndarray:
    """The smallest rotation from the vertical to a unit vector."""
    axis, c = np.cross([0.0, 0.0, 1.0], b), float(b[2])
    if c < -1 + 1e-9:
        return np.diag([1.0, -1.0, -1.0])
    K = skew(axis)
    return np.eye(3) + K + K @ K / (1 + c)


def limb_turns(
    points: Points, limb: Limb, sign: float, ref: Reference | None, body: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rotations (n, 3, 3) of both bones of a limb; see the module text. body: those of what it hangs on."""
    P = points.place
    z1, z2 = unit(P[:, limb.top] - P[:, limb.middle]), unit(P[:, limb.middle] - P[:, limb.end])
    normal = sign * np.cross(z1, z2)
    sine = np.linalg.norm(normal, axis=1)
    share = np.clip((sine - BENT[0]) / (BENT[1] - BENT[0]), 0.0, 1.0)
    k = points.parents[limb.middle]
    R = points.turn[:, k]
    if share.sum() > ENOUGH:
        bent = share > 0
        C = mean_turn(np.swapaxes(R[bent], 1, 2) @ frame(z1[bent], normal[bent]), share[bent])
    elif ref is not None:
        d = unit(ref.points.place[0, limb.top] - ref.points.place[0, limb.middle])
        C = ref.points.turn[0, k].T @ smallest_turn(d) @ ref.heading
    else:
        C = mean_turn(np.swapaxes(R, 1, 2) @ frame(z1, body[:, :, 1]))
    y = share[:, None] * normal / np.maximum(sine, 1e-9)[:, None] + (1.0 - share)[:, None] * (R @ C)[:, :, 1]
    one = frame(z1, y)
    return one, frame(z2, one[:, :, 1])


def foot_turn(
    points: Points, limb: Limb, ref: Reference | None, shank: np.ndarray, step: float, leg: float, straight: bool
) -> np.ndarray:
    """Rotations (n, 3, 3) of a foot: level where it rests, along ankle and toe from above; straight: as in the reference,
    where it is level and straight ahead."""
    k = at_joint(points, limb.end, limb)
    R, ankle, tip = points.turn[:, k], points.place[:, limb.end], points.place[:, limb.tip]
    if straight and ref is not None:
        return R @ ref.points.turn[0, k].T @ ref.heading
    way, scale = tip - ankle, LEG / leg
    toe = float(np.linalg.norm(way, axis=1).mean()) > 0.05 * leg
    y = np.cross([0.0, 0.0, 1.0], way) if toe else shank[:, :, 1]
    if ref is not None and not toe:
        y = (R @ ref.points.turn[0, k].T @ ref.heading)[:, :, 1]
    if ref is not None and toe:
        y0 = np.cross([0.0, 0.0, 1.0], ref.points.place[0, limb.tip] - ref.points.place[0, limb.end])
        C = ref.points.turn[0, k].T @ frame(np.array([0.0, 0.0, 1.0]), y0)
    elif ref is not None:
        C = ref.points.turn[0, k].T @ ref.heading
    else:
        y1 = shank[:, :, 1]
        x = unit(way if toe else shank[:, :, 0])
        up = unit(np.cross(x, y1))
        x = np.cos(SOLE) * x + np.sin(SOLE) * up if toe else x
        C = mean_turn(np.swapaxes(R, 1, 2) @ frame(np.cross(x, y1), y1))
    if len(R) >= 8:
        speed = scale / step * np.linalg.norm(np.gradient(ankle, axis=0), axis=1)
        spin = np.linalg.norm(np.gradient(R, axis=0), axis=(1, 2)) / np.sqrt(2.0) / step
        rows = resting(speed, scale * ankle[:, 2]) & (spin < max(1.0, float(np.percentile(spin, 15.0))))
        if np.count_nonzero(rows) >= max(8, RESTS / step):
            C = usual_turn(np.swapaxes(R[rows], 1, 2) @ frame(np.tile([0.0, 0.0, 1.0], (int(rows.sum()), 1)), y[rows]))
    return R @ C


def usual_turn(R: np.ndarray) -> np.ndarray:
    """The mean of rotations (n, 3, 3) without those that are far from the others."""
    C = mean_turn(R)
    off = np.linalg.norm(R - C, axis=(1, 2))
    return mean_turn(R[off <= 2.0 * np.median(off) + 1e-9])
