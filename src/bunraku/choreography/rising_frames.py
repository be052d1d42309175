"""The key frames along which a fallen figure gets up, for any figure with a person's joints.

Their numbers were searched for in simulation alone (bunraku.choreography.rising_search, `bunraku getup`), over frictions of
the floor and heights of the figure at once, and lie in rising_frames.json; the poses that lay a fallen figure straight
are written down here. A pose names angles [rad]: hips (ahead, out, turned out), shoulders (raised, out), waist (bent
ahead, to the left, turned), knees, elbows, ankles (toes up). Checked in tests/choreography/test_rising.py.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.choreography.rising_arrays import IDLE, FrameStage, KeyFrame, RisingParts, RisingState
from bunraku.kernel.record import Many, flat, zeros
from bunraku.model.limits import clamp_balls
from bunraku.model.model import Model
from bunraku.model.rotations import multiply, quaternion_about

DATA = Path(__file__).with_name("rising_frames.json")
STIFF = {
    "waist": 1500.0,
    "neck": 150.0,
    "hip": 1500.0,
    "knee": 1200.0,
    "ankle": 800.0,
    "shoulder": 500.0,
    "elbow": 300.0,
}
HINGES = ("knee", "elbow")
HEIGHT, MASS = 1.7, 69.0  # m, kg: of the figure for which STIFF is
Pose = dict[str, Any]
LIE: Pose = {"shoulder": (0, 0.15), "elbow": 0.1}
FLAT: Pose = {"shoulder": (0, 0.9), "elbow": 0.1, "hip": (0, 0.12), "ankle": -0.2}
WIDE: Pose = {"shoulder": (0, 1.6), "waist": -0.3}
APART = {
    True: {"shoulder": (0, 0.9), "elbow": 0.1, "hip": (0, 0.35), "knee": 1.5},
    False: {"shoulder": (0, 0.9), "elbow": 0.1, "hip": (0.7, 0.35), "knee": 1.3},
}
FREE: tuple[Pose, ...] = (
    {"shoulder": (1.2, 0.1), "elbow": 0.3, "waist": -0.4, "hip": (0, 0.3)},
    {"shoulder": (0.2, 2.6), "waist": -0.5, "hip": (0, 0.3)},
    {"shoulder": (1.5, 0.3), "elbow": 0.1, "hip": (0.3, 0.3), "knee": 0.5},
)
ARMS: Pose = {"shoulder": (0, 0.9), "elbow": 0.1}
# (pose, seconds, part of the stiffness)
Frames = list[tuple[Pose, float, float]]


def can_rise(model: Model) -> bool:
    """Whether a figure has the joints that the key frames name."""
    joints = {j.name: j.kind for j in model.joints}
    wanted = {"waist": "ball", "neck": "ball"}
    for side in ("left_", "right_"):
        wanted |= {
            side + name: "hinge" if name in HINGES else "ball" for name in ("hip", "knee", "ankle", "shoulder", "elbow")
        }
    links = {f.name for f in model.links}
    bodies = {side + name for side in ("left_", "right_") for name in ("upper_arm", "shank")} | {"trunk"}
    return all(joints.get(name) == kind for name, kind in wanted.items()) and bodies <= links


def three(value: Any) -> tuple[float, float, float]:
    """Up to three angles."""
    given = np.atleast_1d(np.asarray(value, dtype=float))
    a, b, c = [*given.tolist(), 0.0, 0.0][:3]
    return a, b, c


def turned_by(ahead: float, aside: float, along: float) -> np.ndarray:
    """A ball's quaternion: about y, then x, then z."""
    return multiply(multiply(quaternion_about(1, ahead), quaternion_about(0, aside)), quaternion_about(2, along))


def coordinates(model: Model, pose: Pose) -> np.ndarray:
    """q of a pose; names without a side hold for both, "l_" and "r_" before a name for one."""
    q = model.neutral()
    for name, value in pose.items():
        if name in ("waist", "neck"):
            bent, left, turn = three(value)
            q[model.joint(name).q] = turned_by(bent, -left, turn)
            continue
        sides = {"l_": ("left_",), "r_": ("right_",)}.get(name[:2], ("left_", "right_"))
        plain = name[2:] if len(sides) == 1 else name
        for side in sides:
            j, sign = model.joint(side + plain), 1.0 if side == "left_" else -1.0
            if plain in HINGES:
                q[j.q] = np.clip(value, j.lower, j.upper)
            else:
                up, out, turn = three(value)
                q[j.q] = turned_by(-up, sign * out, sign * turn)
    return clamp_balls(model, q)


def even(row: list[float]) -> tuple[Pose, float]:
    """(pose, seconds) of a row of nine numbers: both sides alike."""
    waist, hip, knee, ankle, raised, out, elbow, hip_out, seconds = row
    bent = {"waist": waist, "neck": float(np.clip(0.5 * waist, 0.0, 0.5)), "hip": (hip, hip_out), "knee": knee}
    return {**bent, "ankle": ankle, "shoulder": (raised, out), "elbow": elbow}, seconds


def uneven(row: list[float], mirrored: bool = False) -> tuple[Pose, float]:
    """(pose, seconds) of a row of eighteen numbers, each side its own; mirrored: the sides exchanged."""
    x = [float(v) for v in row]
    sides = ("r_", "l_") if mirrored else ("l_", "r_")
    sign = -1.0 if mirrored else 1.0
    pose: Pose = {"waist": (x[0], sign * x[1], sign * x[2])}
    for k, side in enumerate(sides):
        pose[side + "hip"] = tuple(x[3 + 3 * k : 6 + 3 * k])
        pose[side + "knee"] = x[9 + k]
        pose[side + "shoulder"] = tuple(x[11 + 2 * k : 13 + 2 * k])
        pose[side + "elbow"] = x[15 + k]
    return pose, x[17]


@cache
def searched() -> dict[str, Any]:
    """The numbers that the search found."""
    return json.loads(DATA.read_text(encoding="utf-8"))


def opening(prone: bool) -> Frames:
    """From any lying pose to the straight one; on the front with toes pointed, so that they are never tucked under."""
    toes = {"ankle": -0.6} if prone else {}
    return [({**APART[prone], **toes}, 0.8, 0.6), ({**FLAT, **toes}, 0.6, 0.6), ({**LIE, **toes}, 0.4, 1.0)]


def after_roll() -> Frames:
    """Arms out and legs apart."""
    return [({**ARMS, "hip": (0, 0.4), "knee": 1.2, "ankle": -0.6}, 0.6, 1.0)]


def stages(found: dict[str, Any]) -> list[tuple[Frames, float]]:
    """(key frames, hold [s]) of the stages, in the order of bunraku.choreography.rising_arrays."""
    rolls = [[*((*uneven(row, mirrored), 1.0) for row in found["roll"]), *after_roll()] for mirrored in (False, True)]
    frees: list[Frames] = [[(pose, 0.6, 1.0), (WIDE, 0.5, 1.0), (FLAT, 0.4, 1.0), (LIE, 0.4, 1.0)] for pose in FREE]
    return [
        (opening(True), 0.3),
        (opening(False), 0.3),
        *((roll, 0.05) for roll in rolls),
        *((frames, 0.05) for frames in frees),
        ([(*even(row), 1.0) for row in found["knees"]], 0.25),
        ([(*even(row), 1.0) for row in found["squat"]], 0.1),
    ]


def rising_arrays(model: Model, found: dict[str, Any] | None = None, *, height: float) -> dict[str, np.ndarray]:
    """What kernels read; height [m]: of the figure. Nothing for figures without a person's joints."""
    if not can_rise(model):
        return no_rising(model)
    all_stages = stages(searched() if found is None else found)
    size, strength = height / HEIGHT, height / HEIGHT * model.mass / MASS
    rows = [frame for frames, _ in all_stages for frame in frames]
    poses = np.array([coordinates(model, pose) for pose, _, _ in rows])
    keys, chain, first = zeros(KeyFrame, len(rows)), zeros(FrameStage, len(all_stages)), 0
    for key, (_, seconds, stiff) in zip(Many(KeyFrame, keys), rows):
        key.seconds, key.stiff = max(float(seconds), 0.15) * size**0.5, stiff
    for stage, (frames, hold) in zip(Many(FrameStage, chain), all_stages):
        stage.first, stage.count, stage.hold = first, len(frames), hold
        first += len(frames)
    gains = np.zeros(model.nv)
    for j in model.joints:
        if j.nv and j.kind != "free":
            gains[j.iv : j.iv + j.nv] = (
                strength * STIFF[j.name.split("_")[-1]] if j.name.split("_")[-1] in STIFF else 0.0
            )
    parts = RisingParts()
    parts.trunk, parts.size = model.frame("trunk").body, size
    for k, side in enumerate(("left_", "right_")):
        parts.arm[k], parts.shank[k] = model.frame(side + "upper_arm").body, model.frame(side + "shank").body
        parts.shoulder[k] = model.joint(side + "shoulder").iq
    return {
        "rising_pose": poses,
        "rising_frame": keys,
        "rising_stage": chain,
        "rising_stiff": gains,
        "rising_parts": flat(parts),
    }


def no_rising(model: Model) -> dict[str, np.ndarray]:
    """What kernels read of a figure that cannot get up."""
    return {
        "rising_pose": np.zeros((0, model.nq)),
        "rising_frame": zeros(KeyFrame, 0),
        "rising_stage": zeros(FrameStage, 0),
        "rising_stiff": np.zeros(model.nv),
        "rising_parts": flat(RisingParts()),
    }


def rising_kept(model: Model, auto: bool) -> dict[str, np.ndarray]:
    """What snapshots keep."""
    state = RisingState()
    state.stage, state.auto = IDLE, auto
    return {"rising": flat(state), "rising_from": model.neutral()}
