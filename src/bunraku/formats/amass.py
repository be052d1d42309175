"""Motions of the AMASS collection and its like: NumPy .npz files of joint angles of a body of 22 joints.

    poses (n, 156), or fewer with the body first: rotation vectors of pelvis, 21 joints of the body, and hands; or, as SMPL-X
    has it, root_orient (n, 3) and pose_body (n, 63); trans (n, 3) [m]; betas: the shape; mocap_framerate (or mocap_frame_rate)

The zero pose is a T, its axes y up, z ahead, x left; the world is z up. The licensed body model is not needed and not
used: joints are those of a skeleton of our own, whose lengths are fractions of the height (Drillis and Contini) in a
T-pose; the height is 1.66 m and 0.1 m more for each unit of the first number of the shape. Joint angles are therefore
those of the file, and places are within what bodies differ by. Nothing in the file is executed: arrays alone are read,
no pickle. Checked in tests/formats/test_amass.py.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

from bunraku.errors import BunrakuError, FormatError
from bunraku.files import cannot_be_read, check_unpacked
from bunraku.formats.npz import MISTAKES, member
from bunraku.model.body_2000 import (
    ANKLE,
    HIP,
    HIP_HALF,
    KNEE,
    LOWER_ARM,
    NECK,
    SHOULDER,
    SHOULDER_HALF,
    UPPER_ARM,
    WAIST,
)
from bunraku.model.description import Description, Note, ball, free
from bunraku.model.rotations import exponential, matrix, quaternion
from bunraku.recording.motion import Motion

JOINTS = (
    "pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2", "left_ankle", "right_ankle", "spine3", "left_toes",
    "right_toes", "neck", "left_collar", "right_collar", "head", "left_shoulder", "right_shoulder", "left_elbow", "right_elbow", "left_wrist",
    "right_wrist",
)  # fmt: skip
PARENTS = (-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19)
USED = ("poses", "root_orient", "pose_body", "trans", "betas", "mocap_framerate", "mocap_frame_rate", "fps")
TALL, TALLER = 1.66, 0.1  # m: a mean body, and what the first number of the shape adds
TO_OURS = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # x ahead, y left, z up from y up, z ahead


def load_amass(path: str | Path) -> Motion:
    """The motion in an .npz file of AMASS, of a skeleton of our own; see the module text."""
    data = fields(path)
    name = Path(path).name

    def wrong(what: str) -> FormatError:
        return FormatError(
            f"{name}: not a motion of AMASS ({what}); it needs poses (n, 66 or more) or root_orient and pose_body, and trans (n, 3)."
        )

    if "root_orient" in data and "pose_body" in data and "poses" not in data:
        parts = [data["root_orient"], data["pose_body"]]
        if any(x.ndim != 2 or len(x) != len(parts[0]) for x in parts):
            raise wrong("root_orient and pose_body do not fit together")
        poses = np.hstack(parts)
    elif "poses" in data:
        poses = data["poses"]
    else:
        raise wrong(f"it holds {', '.join(sorted(data)[:6]) or 'nothing'}")
    trans = data.get("trans")
    if (
        poses.ndim != 2
        or poses.shape[1] < 3 * len(JOINTS)
        or len(poses) == 0
        or trans is None
        or trans.shape != (len(poses), 3)
    ):
        raise wrong(f"poses {poses.shape}, trans {None if trans is None else trans.shape}")
    poses, trans = poses[:, : 3 * len(JOINTS)].astype(float), trans.astype(float)
    if not (np.all(np.isfinite(poses)) and np.all(np.isfinite(trans))):
        row = int(np.argmin(np.isfinite(np.hstack([poses, trans])).all(axis=1)))
        raise FormatError(f"{name}: frame {row + 1} of {len(poses)} has numbers that are not finite.")
    rate = next(
        (
            float(np.ravel(data[x])[0])
            for x in ("mocap_framerate", "mocap_frame_rate", "fps")
            if x in data and data[x].size
        ),
        0.0,
    )
    if not 0 < rate <= 10_000:
        raise FormatError(f"{name}: mocap_framerate is missing or not a number of frames a second.")
    shape = np.ravel(data.get("betas", np.zeros(1))).astype(float)
    first = float(shape[0]) if shape.size and np.isfinite(shape[0]) else 0.0
    model = skeleton(Path(path).stem, float(np.clip(TALL + TALLER * first, 1.2, 2.2))).build()
    q = np.tile(model.neutral(), (len(poses), 1))
    turns = matrix(exponential(poses.reshape(len(poses), -1, 3)))
    q[:, :3] += trans - model.neutral()[:3]
    q[:, 3:7] = quaternion(turns[:, 0] @ TO_OURS.T)
    for k, joint in enumerate(JOINTS[1:], 1):
        q[:, model.joint(joint).q] = quaternion(TO_OURS @ turns[:, k] @ TO_OURS.T)
    return Motion(model, np.arange(len(poses)) / rate, q, {"source": "amass", "title": Path(path).stem})


def fields(path: str | Path) -> dict[str, np.ndarray]:
    """The arrays that are used, without unpickling anything."""
    try:
        with zipfile.ZipFile(path) as file:
            check_unpacked(file, path)
            wanted = [i for i in file.infolist() if i.filename.removesuffix(".npy") in USED]
            return {i.filename.removesuffix(".npy"): member(file.read(i), "fiu") for i in wanted}
    except BunrakuError:
        raise
    except OSError as error:
        raise cannot_be_read(path, error) from None
    except (*MISTAKES, zipfile.BadZipFile) as error:
        raise FormatError(f"{path}: not an .npz file of numbers ({error}).") from None


def skeleton(name: str, tall: float) -> Description:
    """The 22 joints in a T-pose, facing x, and the ends of feet, head and hands."""
    out, at = Description(name=name), {}
    at["pelvis"] = (0.0, 0.0, HIP + 0.02)
    at["spine1"], at["spine2"], at["spine3"] = (0.0, 0.0, WAIST), (0.0, 0.0, WAIST + 0.08), (0.0, 0.0, WAIST + 0.12)
    at["neck"], at["head"] = (0.0, 0.0, NECK), (0.0, 0.0, NECK + 0.05)
    for side, y in (("left", 1.0), ("right", -1.0)):
        for joint, z in (("hip", HIP), ("knee", KNEE), ("ankle", ANKLE)):
            at[f"{side}_{joint}"] = (0.0, y * HIP_HALF, z)
        at[f"{side}_toes"] = (0.075, y * HIP_HALF, 0.01)
        at[f"{side}_collar"] = (0.0, y * 0.04, SHOULDER)
        for joint, x in (("shoulder", 0.0), ("elbow", UPPER_ARM), ("wrist", UPPER_ARM + LOWER_ARM)):
            at[f"{side}_{joint}"] = (0.0, y * (SHOULDER_HALF + x), SHOULDER)
    out.notes.append(Note("changed", "AMASS has no masses; every link has 1 kg."))
    for joint, up in zip(JOINTS, PARENTS):
        place = tall * np.array(at[joint])
        parent = None if up < 0 else JOINTS[up]
        offset = place - (0.0 if up < 0 else tall * np.array(at[JOINTS[up]]))
        out.add(
            joint, parent, [free(joint) if up < 0 else ball(joint)], at=offset, mass=1.0, moments=(0.01, 0.01, 0.01)
        )
    for end, joint, offset in (
        ("left_tip", "left_toes", (0.05, 0, 0)), ("right_tip", "right_toes", (0.05, 0, 0)), ("head_top", "head", (0, 0, 0.1)),
        ("left_fingers", "left_wrist", (0, 0.08, 0)), ("right_fingers", "right_wrist", (0, -0.08, 0)),
    ):  # fmt: skip
        out.frame(end, joint, tall * np.array(offset, dtype=float))
    return out
