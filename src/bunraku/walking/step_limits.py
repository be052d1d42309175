"""Which footsteps a figure can take: each step's pose with both soles down is looked for before a walk is planned.

A step is possible where the soles do not overlap and poses exist (bunraku.humanoid.walking_ik) with both soles in
place, the centre of mass at AT of the way between them, no leg beyond its length, hips no lower than CROUCH of the leg
above the lower foot, and all joints in their ranges. For an impossible one the part of it that is too much (ahead,
aside, turn, height) is found by leaving parts out, and how much of it would do by halving. Checked in
tests/walking/test_footsteps.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bunraku.dynamics.functions import centroidal
from bunraku.errors import InputError
from bunraku.humanoid.foot import SIDES
from bunraku.humanoid.parts import Humanoid
from bunraku.humanoid.walking_ik import walking_poses
from bunraku.model.rotations import about, multiply, quaternion_about
from bunraku.walking.foot_paths import sole_frames
from bunraku.walking.footsteps import Footstep, standing

AT, STEPPED_AT = (0.25, 0.5, 0.75), (0.4, 0.5, 0.6)  # on stairs a heel rises beyond
STRETCH, CROUCH = 0.985, 0.62  # of a leg's length
GAP = 0.005  # m between soles
STEPPED = 0.05  # m: soles whose heights differ by more are on two stairs


def feet_poses(pairs: Sequence[tuple[Footstep, Footstep]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(positions (n, 2, 3), yaws (n, 2), rotations (n, 2, 3, 3)) of pairs of feet."""
    position = np.array([[f.position for f in p] for p in pairs])
    yaw = np.array([[f.yaw for f in p] for p in pairs])
    yaw[:, 1] = yaw[:, 0] + (yaw[:, 1] - yaw[:, 0] + np.pi) % (2 * np.pi) - np.pi
    normal = np.array([[f.normal for f in p] for p in pairs])
    rotation = np.stack([sole_frames(yaw[:, s], normal[:, s]) for s in (0, 1)], axis=1)
    return position, yaw, rotation


def possible(h: Humanoid, pairs: Sequence[tuple[Footstep, Footstep]]) -> np.ndarray:
    """(n,) bool: for pairs of (left, right) feet, whether the figure can stand so; see the module text. Soles that
    overlap are not looked at here."""
    position, yaw, rotation = (np.repeat(x, len(AT), axis=0) for x in feet_poses(pairs))
    stepped = np.abs(position[:, 0, 2] - position[:, 1, 2]) > STEPPED
    at = np.where(stepped, np.tile(STEPPED_AT, len(pairs)), np.tile(AT, len(pairs)))
    heading = yaw.mean(axis=1)
    turn = about(2, heading)
    stand_com = centroidal(h.model, h.stand).com
    com = position[:, 0] + at[:, None] * (position[:, 1] - position[:, 0])
    level = position[:, :, 2].min(axis=1)
    hips = h.hips(h.stand) - stand_com
    height = np.full(len(at), stand_com[2])
    for f, length in zip(h.feet, h.legs):
        hip = com + np.einsum("nij,j->ni", turn, hips[f.side])
        ankle = position[:, f.side] - np.einsum("nij,j->ni", rotation[:, f.side] @ f.rotation.T, f.position)
        across = np.sum((hip[:, :2] - ankle[:, :2]) ** 2, axis=1)
        top = ankle[:, 2] + np.sqrt(np.maximum((STRETCH * length) ** 2 - across, 0.0)) - hips[f.side, 2]
        height = np.minimum(height, top - level)
    low = height + hips[:, 2].min() < CROUCH * min(h.legs)
    com[:, 2] = level + np.maximum(height, 0.5 * stand_com[2])
    q = np.tile(h.stand, (len(at), 1))
    q[:, 3:7] = multiply(quaternion_about(2, heading), q[:, 3:7])
    q[:, :3] = com + np.einsum("nij,j->ni", turn, h.stand[:3] - stand_com)
    poses = walking_poses(h, q, q, position, rotation, com, iterations=25)
    bad = low | (poses.sole_error.max(axis=1) > 1e-6) | (poses.com_error > 1e-6) | (poses.beyond.max(axis=1) > 1e-6)
    return ~bad.reshape(-1, len(AT)).any(axis=1)


def overlap(h: Humanoid, left: Footstep, right: Footstep) -> bool:
    """Whether two soles on about the same height overlap, seen from above (separating axes of two rectangles)."""
    if abs(left.position[2] - right.position[2]) > STEPPED:
        return False
    corners, axes = [], []
    for f, s in zip(h.feet, (left, right)):
        R = about(2, s.yaw)[:2, :2]
        corners.append(f.outline[:, :2] @ R.T + np.array(s.position[:2]))
        axes += [R[:, 0], R[:, 1]]
    for axis in axes:
        a, b = corners[0] @ axis, corners[1] @ axis
        if a.max() + GAP < b.min() or b.max() + GAP < a.min():
            return False
    return True


def pair(support: Footstep, step: Footstep) -> tuple[Footstep, Footstep]:
    """(left, right)."""
    return (step, support) if step.side == 0 else (support, step)


def check_footsteps(h: Humanoid, steps: Sequence[Footstep], begin: tuple[Footstep, Footstep] | None = None) -> None:
    """InputError for the first step that cannot be taken, with what would do."""
    feet = list(standing(h) if begin is None else begin)
    pairs = [(feet[0], feet[1])]
    for s in steps:
        feet[s.side] = s
        pairs.append((feet[0], feet[1]))
    if not possible(h, pairs[:1])[0]:
        raise InputError(f"footsteps: {h.model.name!r} cannot stand where its feet are at first.")
    good = possible(h, pairs)
    for n, s in enumerate(steps, 1):
        if overlap(h, *pairs[n]):
            apart = sum(f.half[1] for f in h.feet) + GAP
            raise InputError(
                f"footsteps: step {n} of {len(steps)} puts the {SIDES[s.side]} sole of {h.model.name!r} on the other foot; "
                f"middles of soles side by side need {apart:.2f} m."
            )
        if not good[n]:
            raise InputError(f"footsteps: step {n} of {len(steps)}: " + too_much(h, pairs[n][1 - s.side], s))


def too_much(h: Humanoid, support: Footstep, step: Footstep) -> str:
    """Which part of an impossible step is too much, and how much of it would do."""
    c, s = np.cos(support.yaw), np.sin(support.yaw)
    d = np.array(step.position) - np.array(support.position)
    usual = h.apart * (1.0 if step.side == 0 else -1.0)
    turn = (step.yaw - support.yaw + np.pi) % (2 * np.pi) - np.pi
    parts = {
        "ahead": (float(c * d[0] + s * d[1]), 0.0, "m"),
        "aside": (float(-s * d[0] + c * d[1]), usual, "m"),
        "turn": (float(turn), 0.0, "rad"),
        "rise": (float(d[2]), 0.0, "m"),
    }

    def made(shares: dict[str, float]) -> Footstep:
        x = {k: rest + shares.get(k, 1.0) * (value - rest) for k, (value, rest, _) in parts.items()}
        p = np.array(support.position)
        p += np.array([c * x["ahead"] - s * x["aside"], s * x["ahead"] + c * x["aside"], x["rise"]])
        return Footstep(step.side, tuple(p), support.yaw + x["turn"], step.normal)

    def can(shares: dict[str, float]) -> bool:
        return bool(possible(h, [pair(support, made(shares))])[0])

    names = {
        "ahead": "ahead of" if parts["ahead"][0] >= 0 else "behind",
        "aside": "beside",
        "turn": "turned against",
        "rise": "above" if parts["rise"][0] >= 0 else "below",
    }
    other, figure = SIDES[support.side], repr(h.model.name)
    best, blamed = 0.0, ""
    for key in parts:
        low, high = 0.0, 1.0
        for _ in range(7 if can({key: 0.0}) else 0):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if can({key: middle}) else (low, middle)
        if low > best:
            best, blamed = low, key
    if blamed:
        value, rest, unit = parts[blamed]
        scale, unit = (1.0, "m") if unit == "m" else (180.0 / np.pi, "degrees")
        fits = np.floor(100.0 * scale * abs(rest + best * (value - rest))) / 100.0
        return f"{scale * abs(value):.2f} {unit} {names[blamed]} the {other} foot is too much for {figure}; {fits:g} {unit} would do."
    return (
        f"{abs(parts['ahead'][0]):.2f} m {names['ahead']}, {abs(parts['rise'][0]):.2f} m {names['rise']} and {np.degrees(abs(turn)):.0f} degrees "
        f"turned against the {other} foot are too much together for {figure}; make it smaller."
    )
