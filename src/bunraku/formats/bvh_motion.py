"""BVH as Motion, both ways: a skeleton becomes a description with a free root and ball joints, a figure's motion
becomes channels.

World axes x ahead, y left, z up are BVH's z, x, y. Reading: a joint with rotation channels is a ball, position channels
of other joints than the root are sliders, end sites are frames; a link gets capsules to see it by, and a nominal mass
of 1 kg, as BVH has none. Writing: the neutral pose is BVH's zero pose. With R0 the rotation of a link in it, G = R R0'
is how far the link has turned, and its channels are the angles of  G_parent' G , its offset  p - p_parent  in the
neutral pose; a joint whose link's origin moves against its parent gets position channels. Angles are those nearest to
the frame before: of the two solutions (a, b, c) and (a + pi, pi - b, c + pi), whole turns added. Read, written and read
again, the rotations agree to 1e-6 degrees. Checked in tests/formats/test_bvh.py.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.errors import FormatError, InputError, ModelError
from bunraku.formats.bvh import Bvh, BvhJoint, read, write
from bunraku.model.description import Description, Note, Shape, ball, free, slider
from bunraku.model.joint_kinds import KINDS
from bunraku.model.link_bodies import parents_first
from bunraku.model.model import Model
from bunraku.model.rotations import frame_along, multiply, quaternion_about
from bunraku.recording.motion import Motion

SCALE = 0.01  # m a unit of the file: centimetres
TO_WORLD, TO_BVH = [2, 0, 1], [1, 2, 0]  # x of the world is z of BVH …
AXES = {"X": 1, "Y": 2, "Z": 0}  # axis of BVH -> axis of the world
ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def load_bvh(path: str | Path, *, scale: float = SCALE) -> Motion:
    """The motion in a BVH file.

    scale: metres a unit of the file (0.01 where it is in centimetres; 0.056444 for the CMU collection).
    """
    bvh = read(path)
    try:
        return to_motion(bvh, scale=scale, name=Path(path).stem)
    except ModelError as error:
        raise FormatError(f"{Path(path).name}: {error}") from None


def save_bvh(
    motion: Motion, path: str | Path, *, order: str = "ZYX", scale: float = SCALE, fps: float | None = None
) -> Path:
    """Write a motion as a BVH file. order: of the rotation channels; scale: metres a unit of the file (0.01 writes
    centimetres); fps: frames a second, the motion's own by default."""
    return write(from_motion(motion, order=order, scale=scale, fps=fps), path)


def to_motion(bvh: Bvh, *, scale: float = SCALE, name: str = "figure") -> Motion:
    """A Motion of a skeleton of its own."""
    if not (np.isfinite(scale) and scale > 0):
        raise InputError(f"bvh: scale {scale} is not a number above 0.")
    names = unique([j.name for j in bvh.joints])
    model = skeleton(bvh, names, scale, name).build()
    q = np.tile(model.neutral(), (len(bvh.values), 1))
    for k, joint in enumerate(bvh.joints):
        values = bvh.values[:, bvh.columns(k)]
        turn = np.tile([1.0, 0.0, 0.0, 0.0], (len(values), 1))
        for channel, x in zip(joint.channels, values.T):
            axis = AXES[channel[0]]
            if channel.endswith("rotation"):
                turn = multiply(turn, quaternion_about(axis, np.radians(x)))
            elif k == 0:
                q[:, axis] = scale * (joint.offset["XYZ".index(channel[0])] + x)
            else:
                q[:, model.joint(f"{names[k]} {channel[0]}").iq] = scale * (x - joint.offset["XYZ".index(channel[0])])
        if k == 0:
            q[:, 3:7] = turn
        elif turns(joint):
            q[:, model.joint(names[k]).q] = turn
    return Motion(model, bvh.frame_time * np.arange(len(q)), q, {"source": "bvh", "frame_time": bvh.frame_time})


def turns(joint: BvhJoint) -> bool:
    """Whether it has rotation channels."""
    return any(c.endswith("rotation") for c in joint.channels)


def unique(names: list[str]) -> list[str]:
    """Names that differ: a second "hand" is "hand 2"."""
    out: list[str] = []
    for name in names:
        k, fresh = 2, name
        while fresh in out:
            fresh, k = f"{name} {k}", k + 1
        out.append(fresh)
    return out


def skeleton(bvh: Bvh, names: list[str], scale: float, name: str) -> Description:
    """The description of a BVH's skeleton."""
    out = Description(name=name)
    out.notes.append(Note("changed", "BVH has no masses; every link has 1 kg."))
    for k, joint in enumerate(bvh.joints):
        offset = scale * np.array(joint.offset)[TO_WORLD]
        moving = [slider(f"{names[k]} {c[0]}", np.eye(3)[AXES[c[0]]]) for c in joint.channels if c.endswith("position")]
        joints = [free(names[k])] if k == 0 else [*moving, *([ball(names[k])] if turns(joint) else [])]
        tips = [j.offset for j in bvh.joints if j.parent == k] + list(joint.ends)
        bones = [b for b in (bone(scale * np.array(t)[TO_WORLD]) for t in tips) if b is not None]
        parent = None if joint.parent < 0 else names[joint.parent]
        out.add(names[k], parent, joints, at=offset, mass=1.0, moments=(0.01, 0.01, 0.01), shapes=bones)
        for end in joint.ends:
            tip = unique([*names, *(f.name for f in out.frames), f"{names[k]} end"])[-1]
            out.frame(tip, names[k], scale * np.array(end)[TO_WORLD])
    return out


def bone(to: np.ndarray) -> Shape | None:
    """A capsule from a link's origin to a point, to see it by."""
    length = float(np.linalg.norm(to))
    if length < 1e-6:
        return None
    radius = min(0.12 * length, 0.05)
    return Shape("capsule", (radius, 0.5 * length - radius), 0.5 * to, frame_along(to / length), role="visual")


def from_motion(motion: Motion, *, order: str = "ZYX", scale: float = SCALE, fps: float | None = None) -> Bvh:
    """A Motion as BVH with rotation channels in `order`; frames as they are (they must be even), or `fps` a second."""
    if order not in ORDERS:
        raise InputError(f"bvh: order {order!r} is none of {', '.join(ORDERS)}.")
    if not (np.isfinite(scale) and scale > 0):
        raise InputError(f"bvh: scale {scale} is not a number above 0.")
    if fps is not None:
        motion = motion.resampled(fps)
    steps = np.diff(motion.times)
    if len(steps) and np.ptp(steps) > 1e-3 * steps.mean():
        raise InputError("bvh: the frames are not evenly spaced; give fps.")
    model, links = motion.model, motion.model.description.links
    if [x.parent for x in links].count(None) != 1:
        raise InputError(f"bvh: {model.name!r} has more than one root; BVH has one.")
    ordered = [link.name for link in parents_first(links)]
    now, rest = kinematics(model, motion.q), kinematics(model, model.neutral())
    place, turned, home = [], [], []
    for x in ordered:
        (p, R), (p0, R0) = now.pose(x), rest.pose(x)
        place.append(p)
        turned.append(R @ R0.T)
        home.append(p0)
    joints, columns = [], []
    for k, name in enumerate(ordered):
        link = next(x for x in links if x.name == name)
        parent = ordered.index(link.parent) if link.parent is not None else -1
        above = turned[parent] if parent >= 0 else np.eye(3)
        offset = home[k] - home[parent] if parent >= 0 else np.zeros(3)
        shift = np.einsum("...ji,...j->...i", above, place[k] - place[parent]) if parent >= 0 else place[k]
        moves = parent < 0 or any(KINDS[j.kind].slide(j) or np.any(np.asarray(j.anchor) != 0) for j in link.joints)
        names = (*(f"{a}position" for a in "XYZ" if moves), *(f"{a}rotation" for a in order))
        ends = () if any(x.parent == name for x in links) else (tip(model, name, rest.pose(name)[1], scale),)
        joints.append(BvhJoint(name, parent, three(offset[TO_BVH] / scale), names, ends))
        if moves:
            columns.append(shift[:, TO_BVH] / scale)
        columns.append(np.degrees(angles(np.swapaxes(above, -1, -2) @ turned[k], order)))
    frame_time = float(steps.mean()) if len(steps) else float(motion.meta.get("frame_time", 1 / 30))
    return Bvh(joints, np.hstack(columns), frame_time)


def three(x: np.ndarray) -> tuple[float, float, float]:
    """Three numbers."""
    return float(x[0]), float(x[1]), float(x[2])


def tip(model: Model, link: str, turn: np.ndarray, scale: float) -> tuple[float, float, float]:
    """The end site of a link without children: its farthest frame, else 5 cm along z."""
    ends = [np.asarray(f.position, dtype=float) for f in model.description.frames if f.link == link]
    far = max(ends, key=lambda x: float(x @ x)) if ends else np.array([0.0, 0.0, 0.05])
    return three((turn @ far)[TO_BVH] / scale)


def angles(R: np.ndarray, order: str) -> np.ndarray:
    """(n, 3): a, b, c [rad] with R = R_i(a) R_j(b) R_k(c), the axes those of BVH named by `order`, nearest to those of
    the frame before.

    With e = 1 for a cyclic order, else -1:  R_ik = e sin b,  tan a = -e R_jk / R_kk ;  c from  R_i(a)' R , exact also
    where b nears 90 degrees.
    """
    i, j, k = (AXES[x] for x in order)
    e = 1.0 if (j - i) % 3 == 1 else -1.0
    b = np.arctan2(e * R[:, i, k], np.hypot(R[:, i, i], R[:, i, j]))
    a = np.arctan2(-e * R[:, j, k], R[:, k, k])
    row = np.cos(a)[:, None] * R[:, j] + e * np.sin(a)[:, None] * R[:, k]
    c = np.arctan2(e * row[:, i], row[:, j])
    one = np.stack([a, b, c], axis=1)
    other = np.stack([a + np.pi, np.pi - b, c + np.pi], axis=1)
    out = one.copy()
    for n in range(1, len(out)):
        steps = [(x[n] - out[n - 1] + np.pi) % (2 * np.pi) - np.pi for x in (one, other)]
        out[n] = out[n - 1] + min(steps, key=lambda s: float(np.abs(s).sum()))
    return out
