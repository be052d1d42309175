"""Bones of a skin and the weights of its vertices.

A bone lies at a joint, between the bodies a and b that it joins, turned `share` of the way from the attitude of a to that
of b (slerp). A limb's sections then turn one after the other as they pass the joint, and what is blended straight lies
between bones that differ by a fourth of the joint's turn: sections keep cos^2 of an eighth of it, where two bones would
lose all of it at half a turn ("candy wrapper"). Where a vertex lies along its limb gives its share: 0 before the joint,
1 behind it, rising smoothly over a zone about as long as the limb is thick. Checked in tests/draw/test_skin_bones.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.draw.skin_body import BODIES, PARENTS, SIDES, bind
from bunraku.model.body_2000 import HEIGHT
from bunraku.model.body_lengths import Measures
from bunraku.model.rotations import matrix, quaternion

SHARES = (0.25, 0.5, 0.75)
ZONES = {  # m before and behind the joint, at 1.7 m, over which a vertex passes from one body to the next
    "trunk": (0.075, 0.085), "head": (0.020, 0.050), "thigh": (0.050, 0.075), "shank": (0.045, 0.045),
    "foot": (0.035, 0.025), "upper_arm": (0.050, 0.080), "lower_arm": (0.036, 0.036),
}  # fmt: skip
SEAM = 0.02  # m to either side of the middle: where left and right leg share the seat
ARMPIT = (0.060, 0.115)  # m from the arm's axis: full and no part in its turns;
FREE = (0.150, 0.250, 0.060)  # m down the arm: up to there; and from there on so much farther out, as a thumb is

NAMES = [(a, a, 0.0) for a in BODIES] + [(PARENTS[b], b, s) for b in PARENTS for s in SHARES]
BONES = tuple((BODIES.index(a), BODIES.index(b), share) for a, b, share in NAMES)
"""(a, b, share) of every bone, bodies by their numbers in BODIES; first the bodies themselves."""


def bone_poses(places: np.ndarray, turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (…, bones, 3) and unit quaternions (…, bones, 4) of all bones from those of the bodies in BODIES."""
    a, b, share = (np.array(x) for x in zip(*BONES))
    return places[..., b, :], slerp(turns[..., a, :], turns[..., b, :], share)


def slerp(p: np.ndarray, q: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Between unit quaternions p and q (…, 4), the shorter way, the share (…) of it."""
    dot = np.sum(p * q, axis=-1)
    q = np.where(dot[..., None] < 0, -q, q)
    angle = np.arccos(np.clip(np.abs(dot), 0.0, 1.0))
    sine = np.sin(angle)
    near = sine < 1e-6
    safe = np.where(near, 1.0, sine)
    x = np.where(near, 1 - share, np.sin((1 - share) * angle) / safe)[..., None]
    y = np.where(near, share, np.sin(share * angle) / safe)[..., None]
    out = x * p + y * q
    return out / np.linalg.norm(out, axis=-1, keepdims=True)


def bind_bones(m: Measures) -> tuple[np.ndarray, np.ndarray]:
    """Places (bones, 3) and quaternions (bones, 4) in the pose that is meshed."""
    frames = bind(m)
    return bone_poses(np.array([frames[b][0] for b in BODIES]), np.array([quaternion(frames[b][1]) for b in BODIES]))


def matrices(places: np.ndarray, turns: np.ndarray, rest: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """(bones, 3, 4): from the pose that is meshed to this one."""
    R = matrix(turns) @ np.swapaxes(matrix(rest[1]), -1, -2)
    return np.concatenate([R, (places - np.einsum("kij,kj->ki", R, rest[0]))[..., None]], axis=-1)


def weights_of(m: Measures, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bones (n, 4) of points of the skin as meshed, and their weights, which sum to 1."""
    frames, L = bind(m), m.height / HEIGHT

    def beyond(body: str, direction: np.ndarray) -> np.ndarray:
        """How far behind the joint of a body, 0 … 1."""
        before, behind = ZONES[body.removeprefix(SIDES[0]).removeprefix(SIDES[1])]
        u = (points - frames[body][0]) @ direction / L
        return smooth((u + before) / (before + behind))

    dense = np.zeros((len(points), len(BONES)))
    up = np.array([0.0, 0.0, 1.0])
    legs = points[:, 2] < frames["pelvis"][0][2] + 0.055 * L
    spine = ~legs
    for side in SIDES:
        shoulder, turn = frames[side + "upper_arm"]
        axis = -turn[:, 2]
        from_joint = points - shoulder
        down = from_joint @ axis
        off = np.linalg.norm(from_joint - np.outer(down, axis), axis=1) / L
        farther = FREE[2] * smooth((down / L - FREE[0]) / (FREE[1] - FREE[0]))
        beside = smooth((off - farther - ARMPIT[0]) / (ARMPIT[1] - ARMPIT[0]))
        raised = beyond(side + "upper_arm", axis) * (1.0 - beside)
        arm = raised > 0
        spine, legs = spine & ~arm, legs & ~arm
        shares = {side + "upper_arm": raised, side + "lower_arm": beyond(side + "lower_arm", axis)}
        spread(dense, "trunk", shares, arm.astype(float))
    for k, side in enumerate(SIDES):
        axis = -frames[side + "thigh"][1][:, 2]
        middle = frames["pelvis"][0][1]
        mine = smooth(0.5 + 0.5 * (1 - 2 * k) * (points[:, 1] - middle) / (SEAM * L))
        shares = {side + x: beyond(side + x, axis) for x in ("thigh", "shank", "foot")}
        spread(dense, "pelvis", shares, legs * mine)
    spread(dense, "pelvis", {"trunk": beyond("trunk", up), "head": beyond("head", up)}, spine.astype(float))
    bones = np.argsort(-dense, axis=1, kind="stable")[:, :4]
    weights = np.take_along_axis(dense, bones, axis=1)
    return bones.astype(np.uint8), weights / weights.sum(axis=1, keepdims=True)


def spread(dense: np.ndarray, start: str, shares: dict[str, np.ndarray], weight: np.ndarray) -> None:
    """Add the weights of a chain of bodies: each vertex to the two bones next to its share of the last joint that it has
    reached."""
    ladder = [BODIES.index(start)]
    height = np.zeros(len(dense))
    for body, share in shares.items():
        first = len(BODIES) + list(PARENTS).index(body) * len(SHARES)
        ladder += [*range(first, first + len(SHARES)), BODIES.index(body)]
        height += share * (len(SHARES) + 1)
    low = np.minimum(height.astype(int), len(ladder) - 2)
    part = height - low
    number = np.array(ladder)
    here = np.arange(len(dense))
    np.add.at(dense, (here, number[low]), weight * (1 - part))
    np.add.at(dense, (here, number[low + 1]), weight * part)


def smooth(t: np.ndarray) -> np.ndarray:
    """0 below 0, 1 above 1, 3 t^2 - 2 t^3 between."""
    t = np.clip(t, 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def rounded_shares(weights: np.ndarray) -> np.ndarray:
    """Weights (n, 4) that sum to 1 as bytes that sum to 255, in the same order of size: what rounding down leaves goes
    to those that lost most by it, of equals to the first."""
    exact = 255 * weights.astype(float)
    exact *= 255 / exact.sum(axis=1, keepdims=True)
    out = np.floor(exact + 1e-9).astype(np.int64)
    rank = np.argsort(np.argsort(out - exact, axis=1, kind="stable"), axis=1, kind="stable")
    out += rank < (255 - out.sum(axis=1))[:, None]
    return out.astype("u1")
