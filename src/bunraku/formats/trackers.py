"""Motions as the trackers of humanoids read them: files that are trained on, field by field; none is a pickle.

    unitree-csv       a row a frame, no head: x y z, qx qy qz qw, joint angles [m, rad]; 30 frames a second; joints depth first
    beyondmimic-npz   fps (1,); joint_pos, joint_vel (n, j) [rad, rad/s]; body_pos_w (n, b, 3) [m], body_quat_w (n, b, 4) w x y z,
                      body_lin_vel_w, body_ang_vel_w (n, b, 3); all float32; 50 frames a second. Two orders are in use: "isaac", joints
                      and bodies breadth first, velocities of the bodies' centres of mass, as Isaac Lab's articulations have them; and
                      "mjcf", depth first, velocities of the bodies' origins, as mjlab reads them. joint_names, body_names say which
    gmr-npz           the fields of GMR's pickles: fps, root_pos (n, 3), root_rot (n, 4) x y z w, dof_pos (n, j), and joint_names;
                      30 frames a second; joints depth first
    mujoco-npz        time (n,), qpos (n, nq), qvel (n, nv) as MuJoCo has them (the free joint's linear velocity in the world, its
                      angular one in the body), joint_names, fps; any kinds of joints; every frame, or --fps

Joints are hinges and sliders (mujoco-npz: any), in the order named, or as `order` lists them. A body is what a joint moves,
with all that is fixed to it; b counts the base, which comes first. Positions are of the bodies' origins. Rates are central
differences. Sources: the loaders of unitree_rl_gym's data sets, BeyondMimic (csv_to_npz), mjlab, GMR and MuJoCo's
documentation of qpos and qvel. Checked in tests/formats/test_trackers.py.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError, closest
from bunraku.files import write_bytes, write_text
from bunraku.model.model import JointInfo, Model
from bunraku.model.rotations import quaternion
from bunraku.recording.motion import Motion

KINDS = {"unitree-csv": 30.0, "beyondmimic-npz": 50.0, "gmr-npz": 30.0, "mujoco-npz": None}
"""Kinds of files, and their frames a second where none are asked for; None: the motion's own."""
ORDERS = ("isaac", "mjcf")


def save_tracker(
    motion: Motion, path: str | Path, kind: str, *, fps: float | None = None, order: str | Sequence[str] | None = None
) -> Path:
    """Write a motion of a robot for a tracker [m, rad, m/s, rad/s]. kind: "unitree-csv", "beyondmimic-npz", "gmr-npz" or
    "mujoco-npz" (docs/recordings.md has their fields); fps: frames a second, the kind's own by default; order: of the
    joints, "isaac" (breadth first), "mjcf" (depth first), or their names."""
    if kind not in KINDS:
        raise InputError(f"export: there is no kind {kind!r}.{closest(kind, list(KINDS))}")
    rate = fps if fps is not None else KINDS[kind]
    if len(motion) < 2:
        raise InputError(f"export: {kind} needs two frames or more, and this motion has {len(motion)}.")
    if rate is not None:
        motion = motion.resampled(rate)
    model, q = motion.model, motion.q
    if not model.joints or model.joints[0].kind != "free":
        raise InputError(f"export: {kind} is for figures with a free base, which {model.name!r} has not.")
    rate = rate if rate is not None else (len(motion) - 1) / motion.duration
    if kind == "mujoco-npz":
        if order is not None:
            raise InputError("export: mujoco-npz has the order of MuJoCo's qpos; leave --order out.")
        names = [j.name for j in model.joints if j.nv]
        return npz(path, time=motion.times, qpos=q, qvel=motion.v, joint_names=np.array(names), fps=np.array(rate))
    joints = ordered(model, order if order is not None else "isaac" if kind == "beyondmimic-npz" else "mjcf", kind)
    names, angles = np.array([j.name for j in joints]), q[:, [j.iq for j in joints]]
    place, turn = q[:, :3], q[:, 3:7]
    if kind == "unitree-csv":
        rows = np.hstack([place, turn[:, [1, 2, 3, 0]], angles])
        return write_text(path, "".join(",".join(f"{x:.9g}" for x in row) + "\n" for row in rows))
    if kind == "gmr-npz":
        return npz(
            path, fps=np.array(rate), root_pos=place, root_rot=turn[:, [1, 2, 3, 0]], dof_pos=angles, joint_names=names
        )
    bodies = [1, *(j.body for j in ordered(model, "mjcf" if order == "mjcf" else "isaac", kind))]
    k = kinematics(model, q, motion.v)
    away = centres(model)[bodies] if order != "mjcf" else np.zeros((len(bodies), 3))
    R, twist = k.rotation[:, bodies], k.twist[:, bodies]
    moved = twist[..., :3] + np.cross(twist[..., 3:], np.einsum("nbij,bj->nbi", R, away))
    out = {
        "joint_pos": angles, "joint_vel": motion.v[:, [j.iv for j in joints]], "body_pos_w": k.position[:, bodies],
        "body_quat_w": quaternion(R), "body_lin_vel_w": moved, "body_ang_vel_w": twist[..., 3:],
    }  # fmt: skip
    links = {f.body: f.name for f in reversed(list(model.links))}
    return npz(
        path, fps=np.array([rate], dtype=np.float32), **{x: y.astype(np.float32) for x, y in out.items()},
        joint_names=names, body_names=np.array([links[b] for b in bodies]),
    )  # fmt: skip


def ordered(model: Model, order: str | Sequence[str], kind: str) -> list[JointInfo]:
    """The joints of a robot, without its base, in an order."""
    joints = [j for j in model.joints if j.nv and j.kind != "free"]
    for j in joints:
        if not j.traits.one_axis:
            raise InputError(
                f"export: {kind} holds one angle a joint, and {j.name!r} of {model.name!r} is a {j.kind}; write mujoco-npz, or bvh."
            )
    if isinstance(order, str) and order not in ORDERS:
        raise InputError(f"export: order {order!r} is neither isaac nor mjcf, nor a list of joints.")
    if not isinstance(order, str):
        by_name = {j.name: j for j in joints}
        if sorted(order) != sorted(by_name):
            odd = next((x for x in order if x not in by_name), None) or next(x for x in by_name if x not in order)
            raise InputError(
                f"export: the order must name each of the {len(by_name)} joints once; {odd!r} is "
                f"{'missing' if odd in by_name else 'unknown'}.{'' if odd in by_name else closest(odd, list(by_name))}"
            )
        return [by_name[x] for x in order]
    if order == "mjcf":
        return joints
    from bunraku.model.layout import PARENT

    above = {j.body: int(model.ints[j.body, PARENT]) for j in model.joints if j.nv}

    queue, out = [1], []
    while queue:  # breadth first, children in the order of the file
        body = queue.pop(0)
        here = [j for j in joints if above[j.body] == body]
        out += here
        queue += [j.body for j in here]
    return out


def centres(model: Model) -> np.ndarray:
    """(nb, 3): centres of mass of the bodies from their origins, in their axes."""
    total, sums = np.zeros(model.nb), np.zeros((model.nb, 3))
    info = {f.name: f for f in model.links}
    for link in model.description.links:
        if link.inertia is None or not link.inertia.mass > 0:
            continue
        f = info[link.name]
        total[f.body] += link.inertia.mass
        sums[f.body] += link.inertia.mass * (f.position + f.rotation @ np.asarray(link.inertia.com))
    return sums / np.maximum(total, 1e-12)[:, None]


def npz(path: str | Path, **fields: np.ndarray) -> Path:
    """Write arrays whole or not at all; names are text of fixed length, so that nothing is pickled."""
    data = io.BytesIO()
    np.savez_compressed(data, **fields)  # pyright: ignore[reportArgumentType] - no field has a name of its options
    return write_bytes(path, data.getvalue())
