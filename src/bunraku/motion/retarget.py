"""Retargeting: a motion-capture skeleton's motion onto a figure, by joint names, scaled by leg length, smoothed and set
on the floor.

In a reference pose of the source (its first frame where that is a T-pose, else its zero pose) every link of the figure
is laid along its source bone by the smallest turn from the neutral pose, R_ref; from then on it turns as its source
joint does: R(t) = S(t) S(ref)' R_ref. A hinge (knee, elbow) bends by the angle between its two bones, and the link
above turns about itself so that the hinge's axis is across both; where they are nearly in line the axis of R(t) is
kept. Legs reach for the scaled place of the source's ankle, so that proportions do not make feet slide: cosine rule for
the knee. Figures of other joints than balls and hinges below them go by inverse kinematics (motion.retarget_ik).
Lengths scale by the leg (hip to knee to ankle), so the unit of the file does not matter. Smoothing: Butterworth, 4th
order, forwards and backwards (no delay), default 6 Hz after Winter; quaternions component by component. The floor: a
plane through the lowest corners of resting feet becomes z = 0 (captured floors often slope by a centimetre a metre),
and each foot is turned by one constant so that it rests level, as T-poses rarely have level feet. Checked in
tests/motion/test_retarget.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bunraku.dynamics.functions import Kinematics, kinematics
from bunraku.errors import InputError
from bunraku.humanoid.foot import feet_of
from bunraku.humanoid.skeletons import NEEDED, Bone, bones_of
from bunraku.model.configuration import normalized
from bunraku.model.limits import clamp
from bunraku.model.model import JointInfo, Model
from bunraku.model.rotations import exponential, matrix, multiply, quaternion, skew, without_jumps
from bunraku.motion.lowpass import lowpass
from bunraku.motion.retarget_ik import bone_scale, solve_frames
from bunraku.recording.motion import Motion

CUTOFF = 6.0  # Hz
LEVEL, UPRIGHT = 0.5, 0.97  # a T-pose: sine of the arms' slope at most, of the legs' at least
STRAIGHT = (0.1, 0.35)  # sines of a hinge's angle: below, its axis is kept; above, it is across both bones
SLOW = 0.25  # m/s: a foot rests
STEEP, MOST_TILT = 0.05, 0.6  # slope of a floor, turn of a foot [rad] that is put right


def retarget(
    source: Motion,
    model: Model,
    *,
    mapping: Mapping[str, str | Sequence[str]] | None = None,
    reference: str = "auto",
    cutoff: float | None = CUTOFF,
    floor: bool = True,
) -> Motion:
    """The motion of a skeleton, e.g. of a BVH file, as one of `model`. mapping: our links by the skeleton's joints,
    where they cannot be found. reference: "first" frame, "rest" (zero) pose, or "auto". cutoff [Hz], None for no
    smoothing. floor: put the feet level on it. `meta` of the result says scale, floor, what was clipped at joint
    limits."""
    names, bones = bones_of(model, source.model, mapping)
    by_link = {b.link: b for b in bones}
    if reference not in ("auto", "first", "rest"):
        raise InputError(f"retarget: reference {reference!r} is none of auto, first, rest.")
    rest = source.model.neutral()
    if reference == "auto":
        reference = "first" if names != "bunraku" and t_pose(source, by_link, source.q[0]) else "rest"
    first = reference == "first"
    if first and len(source) < 2:
        raise InputError("retarget: a single frame cannot be both reference and motion.")
    ref_q, rows = (source.q[0], slice(1, None)) if first else (rest, slice(None))
    now, ref = kinematics(source.model, source.q[rows]), kinematics(source.model, ref_q)
    place = {b.joint: now.pose(b.joint)[0] for b in bones}
    place |= {b.end: now.pose(b.end)[0] for b in bones if b.end}
    neutral = kinematics(model, model.neutral())
    turn: dict[str, np.ndarray] = {}
    for b in bones:
        home = neutral.pose(b.link)[1]
        along = lay(neutral, b, ref) @ home
        turn[b.link] = now.pose(b.joint)[1] @ ref.pose(b.joint)[1].T @ along
    if ours(model, by_link):
        scale = leg_length(neutral, {x: Bone(x, x, y) for x, y in LEGS}) / leg_length(ref, by_link)
        q = Fitting(model, by_link, place, turn, scale).fill()
    else:
        scale = bone_scale(model, ref, by_link)
        q = solve_frames(model, by_link, place, turn, scale)
    if cutoff is not None:
        q = smoothed(model, q, source.times[rows], cutoff)
    tilt = level_feet(model, q, source.times[rows]) if floor else {}
    q, clipped = inside(model, q)
    drop = floor_height(model, q, source.times[rows]) if floor else np.zeros(len(q))
    q[:, 2] -= drop
    meta = {
        "source": str(source.meta.get("title", source.model.name)), "names": names, "reference": reference, "scale": float(scale),
        "floor_m": [float(drop.min()), float(drop.max())], "feet_levelled_rad": tilt, "cutoff_Hz": cutoff, "clipped_rad": clipped,
    }  # fmt: skip
    return Motion(model, source.times[rows] - source.times[rows][0], q, meta)


def ours(model: Model, bones: Mapping[str, Bone]) -> bool:
    """Whether a figure is built and named like `human()`: balls, with hinges below them.

    Others go by inverse kinematics.
    """
    kinds = {j.link: j.kind for j in model.joints if j.nv}
    return (
        set(NEEDED) <= set(bones)
        and all(kinds.get(x, "fixed") in ("free", "ball", "hinge") for x in bones)
        and kinds["left_thigh"] == "ball"
    )


LEGS = (
    ("left_thigh", "left_shank"),
    ("left_shank", "left_foot"),
    ("right_thigh", "right_shank"),
    ("right_shank", "right_foot"),
)
ARMS = ("left_upper_arm", "right_upper_arm")


def t_pose(source: Motion, bones: Mapping[str, Bone], q: np.ndarray) -> bool:
    """Whether the upper arms are about horizontal and the legs upright."""
    k = kinematics(source.model, q)
    for link in (*ARMS, *(x for x, _ in LEGS)):
        b = bones.get(link)
        if b is None or not b.end:
            return False
        d = k.pose(b.end)[0] - k.pose(b.joint)[0]
        up = abs(d[2]) / np.linalg.norm(d)
        if (link in ARMS and up > LEVEL) or (link not in ARMS and up < UPRIGHT):
            return False
    return True


def lay(neutral: Kinematics, bone: Bone, ref: Kinematics) -> np.ndarray:
    """The smallest turn that lays a link of the neutral figure along its source bone in the reference pose; feet and
    links without an end stay as they are."""
    if not bone.end or bone.link.endswith("foot"):
        return np.eye(3)
    a, b = -neutral.pose(bone.link)[1][:, 2], ref.pose(bone.end)[0] - ref.pose(bone.joint)[0]
    b = b / np.linalg.norm(b)
    axis, c = np.cross(a, b), float(a @ b)
    if c < -1 + 1e-9:  # half a turn about an axis across the bone: x where it is not along x
        across = np.eye(3)[0 if abs(a[0]) < 0.9 else 1]
        u = unit(across - (across @ a) * a)
        return 2.0 * np.outer(u, u) - np.eye(3)
    K = skew(axis)
    return np.eye(3) + K + K @ K / (1 + c)


def leg_length(k: Kinematics, bones: Mapping[str, Bone]) -> float:
    """Hip to knee to ankle, mean of both sides."""
    total = 0.0
    for link, _ in LEGS:
        if link not in bones or not bones[link].end:
            raise InputError(f"retarget: the mapping lacks {link!r} with its end; legs give the scale.")
        total += float(np.linalg.norm(k.pose(bones[link].end)[0] - k.pose(bones[link].joint)[0]))
    if not total > 0:
        raise InputError("retarget: the source's legs have no length.")
    return 0.5 * total


@dataclass(eq=False)
class Fitting:
    """Frames of a figure that are being filled: place and turn of the source's joints by bone and link; `turn` changes
    where a hinge or a leg asks for it."""

    model: Model
    bones: Mapping[str, Bone]
    place: dict[str, np.ndarray]
    turn: dict[str, np.ndarray]
    scale: float

    def __post_init__(self) -> None:
        m = self.model
        self.links = {x.name: x for x in m.description.links}
        self.neutral, self.root = kinematics(m, m.neutral()), m.joints[0]
        if self.root.kind != "free" or self.root.link not in self.bones:
            raise InputError(f"retarget: figure {m.name!r} needs a free base that the mapping names.")
        self.angle: dict[str, np.ndarray] = {}  # of hinges
        self.q = np.tile(m.neutral(), (len(self.turn[self.root.link]), 1))

    def at_home(self, link: str) -> np.ndarray:
        """Place of a link in the neutral pose."""
        return self.neutral.pose(link)[0]

    def from_base(self, x: np.ndarray) -> np.ndarray:
        """(n, 3): where the base carries what is at x in the neutral pose, from its own place."""
        return self.turn[self.root.link] @ (self.neutral.pose(self.root.link)[1].T @ (x - self.at_home(self.root.link)))

    def fill(self) -> np.ndarray:
        """q (n, nq): the base, then every mapped joint, parents first."""
        model, q, turn, root, bones = self.model, self.q, self.turn, self.root, self.bones
        thighs = [f"{side}_thigh" for side in ("left", "right")]
        middle = np.mean([self.at_home(x) for x in thighs], axis=0)
        hips = [self.place[bones[x].joint] for x in thighs]
        q[:, root.iq : root.iq + 3] = self.scale * 0.5 * (hips[0] + hips[1]) - self.from_base(middle)
        upright = self.neutral.pose(root.link)[1].T @ matrix(model.neutral()[root.iq + 3 : root.iq + 7])
        q[:, root.iq + 3 : root.iq + 7] = steady(turn[root.link] @ upright)
        for j in model.joints:
            if j.nv == 0 or j.kind == "free" or j.link not in bones:
                continue
            parent = self.links[j.link].parent
            while parent is not None and parent not in turn:  # a link that nothing turns goes with its parent
                parent = self.links[parent].parent
            if parent is None:
                raise InputError(f"retarget: {j.link!r} hangs on nothing that is mapped.")
            if j.kind == "hinge" and j.link in self.angle:
                q[:, j.iq] = self.angle[j.link]
            elif j.kind == "ball":
                below = [
                    x
                    for x in model.joints
                    if x.kind == "hinge" and self.links[x.link].parent == j.link and x.link in bones
                ]
                if below and bones[j.link].end and bones[below[0].link].end:
                    self.bend(j, below[0])
                home = self.neutral.pose(parent)[1].T @ self.neutral.pose(j.link)[1]
                q[:, j.q] = steady(home.T @ np.swapaxes(turn[parent], -1, -2) @ turn[j.link])
            else:
                raise InputError(
                    f"retarget: joint {j.name!r} is a {j.kind}; only balls, and hinges below balls, are led by a "
                    "skeleton."
                )
        return q

    def bend(self, upper: JointInfo, hinge: JointInfo) -> None:
        """Two links and the hinge between them: z of both along their bones, the hinge's axis across."""
        one, two = self.bones[upper.link], self.bones[hinge.link]
        z1, z2 = (unit(self.place[b.joint] - self.place[b.end]) for b in (one, two))
        sign = float(np.sign(self.links[hinge.link].joints[0].axis[1])) or 1.0
        normal = sign * np.cross(z1, z2)
        sine = np.linalg.norm(normal, axis=1)
        share = np.clip((sine - STRAIGHT[0]) / (STRAIGHT[1] - STRAIGHT[0]), 0.0, 1.0)[:, None]
        y = self.turn[upper.link][:, :, 1]
        y = share * normal / np.maximum(sine, 1e-9)[:, None] + (1.0 - share) * y
        flex = np.arctan2(sign * np.einsum("ij,ij->i", np.cross(z1, z2), unit(y)), np.einsum("ij,ij->i", z1, z2))
        if hinge.link.endswith("shank"):  # the ankle goes where the source's is
            hip, knee, ankle = (self.at_home(x) for x in (upper.link, hinge.link, hinge.link.replace("shank", "foot")))
            l1, l2 = float(np.linalg.norm(knee - hip)), float(np.linalg.norm(ankle - knee))
            base = self.q[:, self.root.iq : self.root.iq + 3]
            d = self.scale * self.place[two.end] - (base + self.from_base(hip))
            length = np.clip(np.linalg.norm(d, axis=1), abs(l1 - l2) + 1e-6, 0.9995 * (l1 + l2))
            flex = np.pi - np.arccos(np.clip((l1 * l1 + l2 * l2 - length**2) / (2 * l1 * l2), -1.0, 1.0))
            up = -unit(d)
            y = unit(y - np.einsum("ij,ij->i", y, up)[:, None] * up)
            # of the thigh against the line, about y
            lean = -sign * np.arcsin(np.clip(l2 * np.sin(flex) / length, -1.0, 1.0))
            z1 = np.cos(lean)[:, None] * up + np.sin(lean)[:, None] * np.cross(y, up)
        y = unit(y - np.einsum("ij,ij->i", y, z1)[:, None] * z1)
        x = np.cross(y, z1)
        self.turn[upper.link] = np.stack([x, y, z1], axis=2)
        self.angle[hinge.link] = flex
        c, s = np.cos(sign * flex)[:, None], np.sin(sign * flex)[:, None]
        self.turn[hinge.link] = np.stack([c * x - s * z1, y, c * z1 + s * x], axis=2)


def unit(x: np.ndarray) -> np.ndarray:
    """Rows of length one."""
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12)


def steady(R: np.ndarray) -> np.ndarray:
    """Quaternions (n, 4) of rotations (n, 3, 3) without jumps of sign."""
    return without_jumps(quaternion(R))


def smoothed(model: Model, q: np.ndarray, times: np.ndarray, cutoff: float) -> np.ndarray:
    """q low-passed forwards and backwards; evenly spaced frames."""
    steps = np.diff(times)
    rate = 1.0 / float(steps.mean()) if len(steps) else 0.0
    if len(q) < 16 or not cutoff > 0:
        return q
    if cutoff >= 0.45 * rate:
        return q
    return normalized(model, lowpass(q, rate, cutoff))


def inside(model: Model, q: np.ndarray) -> tuple[np.ndarray, dict[str, float]]:
    """(q moved inside all joint limits, joint -> the most it was moved [rad or m])."""
    out = clamp(model, q)
    moved: dict[str, float] = {}
    for j in model.joints:
        if j.nv and j.kind != "free":
            gap = float(np.abs(out[:, j.q] - q[:, j.q]).max()) * (2.0 if j.kind == "ball" else 1.0)
            if gap > 1e-9:
                moved[j.name] = gap
    return out, moved


def resting(motion_speed: np.ndarray, height: np.ndarray) -> np.ndarray:
    """Frames in which a point is slow and low."""
    low = height < np.percentile(height, 50.0) + 0.02
    return low & (motion_speed < max(SLOW, float(np.percentile(motion_speed, 8.0))))


def level_feet(model: Model, q: np.ndarray, times: np.ndarray) -> dict[str, float]:
    """Turn each foot by one constant so that it is level while it rests (a T-pose rarely has level feet); returns foot
    -> angle [rad]. Changes q."""
    k, out = kinematics(model, q, Motion(model, times, q).v), {}
    for s in feet_of(model, missing=True):
        j = next((x for x in model.joints if x.link == s.link and x.kind == "ball"), None)
        if j is None or len(q) < 8:
            continue
        speed = np.linalg.norm(np.gradient(k.position[:, s.body], times, axis=0), axis=1)
        w = k.twist[:, s.body, 3:]
        rows = resting(speed, k.position[:, s.body, 2]) & (
            np.linalg.norm(w, axis=1) < max(1.0, float(np.percentile(np.linalg.norm(w, axis=1), 15.0)))
        )
        if np.count_nonzero(rows) < 8:
            continue
        up = np.median(k.rotation[rows, s.body, 2, :], axis=0)  # the world's z in the foot
        up = up / np.linalg.norm(up)
        angle = float(np.arccos(np.clip(up[2], -1.0, 1.0)))
        if 1e-6 < angle < MOST_TILT:
            axis = np.array([-up[1], up[0], 0.0]) / np.hypot(up[0], up[1])
            c = exponential(angle * axis)
            q[:, j.q] = multiply(q[:, j.q], np.broadcast_to(c, (len(q), 4)))
            out[s.link] = angle
    return out


def floor_height(model: Model, q: np.ndarray, times: np.ndarray) -> np.ndarray:
    """(n,): the height of the floor below the base: a plane through the lowest corners of resting feet, its slope at
    most STEEP."""
    k = kinematics(model, q)
    low = []
    if not feet_of(model, missing=True):  # no boxes below its feet: the lowest origin of a link
        return np.full(len(q), float(np.percentile(k.position[:, 1:, 2].min(axis=1), 5.0)))
    for s in feet_of(model):
        corners = k.position[:, s.body, None] + np.einsum("nij,kj->nki", k.rotation[:, s.body], s.corners)
        if len(q) < 8:
            low.append(corners.reshape(-1, 3))
            continue
        speed = np.linalg.norm(np.gradient(corners.mean(axis=1), times, axis=0), axis=1)
        rows = resting(speed, corners[:, :, 2].min(axis=1))
        low.append(np.take_along_axis(corners, corners[:, :, 2].argmin(axis=1)[:, None, None], axis=1)[rows, 0])
    points = np.concatenate(low)
    if len(points) == 0:
        return np.full(len(q), q[:, 2].min())
    middle = points[:, :2].mean(axis=0)
    A = np.column_stack([np.ones(len(points)), points[:, :2] - middle])
    ridge = np.diag([0.0, 0.02, 0.02]) * len(points)  # metres squared of spread that a slope must show to be believed
    x = np.linalg.solve(A.T @ A + ridge + 1e-9 * np.eye(3), A.T @ points[:, 2])
    slope = float(np.hypot(x[1], x[2]))
    x[1:] *= min(1.0, STEEP / slope) if slope > 0 else 1.0
    level = x[0] + (q[:, :2] - middle) @ x[1:]
    own = x[0] + (points[:, :2] - middle) @ x[1:]
    return level + float(np.median(points[:, 2] - own))
