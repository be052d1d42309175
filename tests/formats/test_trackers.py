"""Trackers' files read back: by NumPy with the documented fields, never a pickle; by MuJoCo, whose bodies are where the
recording has them; joints in the published orders of G1."""

import mujoco
import numpy as np
import pytest

import bunraku as bk
from bunraku.cli import main
from bunraku.errors import InputError
from bunraku.formats.bvh_motion import from_motion, to_motion
from bunraku.formats.trackers import save_tracker
from bunraku.motion.retarget import retarget
from bunraku.motion.solved import without_forces
from motion_data import strange_walk
from robots import robot

SIDES = ("left", "right")
ISAAC = [  # breadth first, as Isaac Lab has it
    *(f"{s}_hip_pitch" for s in SIDES), "waist_yaw", *(f"{s}_hip_roll" for s in SIDES), "waist_roll", *(f"{s}_hip_yaw" for s in SIDES),
    "waist_pitch",
    *(f"{s}_{x}" for x in ("knee", "shoulder_pitch", "ankle_pitch", "shoulder_roll", "ankle_roll", "shoulder_yaw", "elbow", "wrist_roll",
                           "wrist_pitch", "wrist_yaw") for s in SIDES),
]  # fmt: skip
MJCF = [
    *(f"{s}_{x}" for s in SIDES for x in ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")),
    "waist_yaw", "waist_roll", "waist_pitch",
    *(f"{s}_{x}" for s in SIDES for x in ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist_roll", "wrist_pitch", "wrist_yaw")),
]  # fmt: skip


@pytest.fixture(scope="module")
def walk():
    """Our walk on G1."""
    return retarget(to_motion(from_motion(strange_walk())), bk.load(robot("g1"), meshes=False, root="free"))


def fields(path):
    with np.load(path, allow_pickle=False) as data:
        return {x: data[x] for x in data.files}


def short(names):
    return [str(x).removesuffix("_joint") for x in names]


def test_unitree(walk, tmp_path):
    rows = np.loadtxt(save_tracker(walk, tmp_path / "x.csv", "unitree-csv"), delimiter=",")
    even = walk.resampled(30.0)
    assert rows.shape == (len(even), 7 + 29)
    assert np.allclose(rows[:, :3], even.q[:, :3], atol=1e-8)
    assert np.allclose(rows[:, [6, 3, 4, 5]], even.q[:, 3:7], atol=1e-8)
    for k, name in enumerate(MJCF):
        assert np.allclose(rows[:, 7 + k], even.q[:, walk.model.joint(f"{name}_joint").iq], atol=1e-8)


@pytest.mark.parametrize(("order", "names"), [(None, ISAAC), ("isaac", ISAAC), ("mjcf", MJCF)])
def test_beyondmimic(walk, tmp_path, order, names):
    """Joints by their names; velocities are derivatives of what they are of, to second order."""
    data = fields(save_tracker(walk, tmp_path / "x.npz", "beyondmimic-npz", fps=100.0, order=order))
    even, n = walk.resampled(100.0), len(data["joint_pos"])
    assert data["fps"].shape == (1,) and data["fps"][0] == 100 and short(data["joint_names"]) == names
    assert data["body_pos_w"].shape == (n, 30, 3) and data["body_quat_w"].shape == (n, 30, 4)
    assert all(data[x].dtype == np.float32 for x in data if not x.endswith("names"))
    k = bk.kinematics(walk.model, even.q)
    for b, name in enumerate(data["body_names"]):
        p, R = k.pose(str(name))
        assert np.allclose(data["body_pos_w"][:, b], p, atol=1e-5)
        assert np.allclose(bk.model.rotations.matrix(data["body_quat_w"][:, b].astype(float)), R, atol=1e-5)
    x = data["body_pos_w"].astype(float)
    if order != "mjcf":  # the centres of mass
        from bunraku.formats.trackers import centres

        bodies = [walk.model.body(str(name)) for name in data["body_names"]]
        x = x + np.einsum("nbij,bj->nbi", k.rotation[:, bodies], centres(walk.model)[bodies])
    rate = (x[2:] - x[:-2]) * 50.0
    assert np.abs(data["body_lin_vel_w"][1:-1] - rate).max() < 5e-3
    rate = (data["joint_pos"][2:] - data["joint_pos"][:-2]) * 50.0
    assert np.abs(data["joint_vel"][1:-1] - rate).max() < 1e-2


def test_gmr_and_an_order_of_ones_own(walk, tmp_path):
    names = [f"{x}_joint" for x in MJCF[::-1]]
    data = fields(save_tracker(walk, tmp_path / "x.npz", "gmr-npz", fps=60.0, order=names))
    even = walk.resampled(60.0)
    assert set(data) == {"fps", "root_pos", "root_rot", "dof_pos", "joint_names"} and data["fps"] == 60.0
    assert np.allclose(data["root_rot"][:, [3, 0, 1, 2]], even.q[:, 3:7]) and list(data["joint_names"]) == names
    assert np.allclose(data["dof_pos"][:, 0], even.q[:, walk.model.joint(names[0]).iq])


@pytest.mark.parametrize("who", ["g1", "human"])
def test_mujoco_replays_it(walk, tmp_path, who):
    """qpos in MuJoCo's own model of the figure: its bodies are where ours are; qvel leads from frame to frame."""
    motion = walk if who == "g1" else strange_walk()
    data = fields(save_tracker(motion, tmp_path / "x.npz", "mujoco-npz"))
    bk.save(motion.model, tmp_path / "robot.xml")
    m = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    d = mujoco.MjData(m)
    ours = bk.kinematics(motion.model, motion.q)
    assert data["qpos"].shape[1] == m.nq and data["qvel"].shape[1] == m.nv
    for k in range(5, len(motion) - 5, 40):
        d.qpos[:] = data["qpos"][k]
        mujoco.mj_kinematics(m, d)
        for b in range(1, m.nbody):
            name = m.body(b).name
            if any(f.name == name for f in motion.model.links):
                assert np.allclose(d.xpos[b], ours.pose(name)[0][k], atol=1e-9)
        gone = np.zeros(m.nv)
        h = motion.times[k + 1] - motion.times[k - 1]
        mujoco.mj_differentiatePos(m, gone, h, data["qpos"][k - 1], data["qpos"][k + 1])
        assert np.abs(gone - data["qvel"][k])[np.r_[0:3, 6 : m.nv]].max() < 0.05


def test_from_the_shell(walk, tmp_path, capsys):
    without_forces(walk).save(tmp_path / "walk.bkr", title="walk")
    for kind, end in (("unitree-csv", "csv"), ("beyondmimic-npz", "npz"), ("gmr-npz", "npz"), ("mujoco-npz", "npz")):
        out = tmp_path / f"{kind}.{end}"
        assert main(["export", str(tmp_path / "walk.bkr"), "--to", kind, "--out", str(out), "--fps", "50"]) == 0
        assert out.stat().st_size > 1000
    (tmp_path / "order.txt").write_text("\n".join(f"{x}_joint" for x in ISAAC))
    args = ["export", str(tmp_path / "walk.bkr"), "--to", "unitree-csv", "--out", str(tmp_path / "b.csv")]
    assert main([*args, "--order", str(tmp_path / "order.txt")]) == 0
    (tmp_path / "order.txt").write_text("left_knee_joint")
    capsys.readouterr()
    assert main([*args, "--order", str(tmp_path / "order.txt")]) == 2
    assert "each of the 29 joints once" in capsys.readouterr().err
    assert main(["export", str(tmp_path / "walk.bkr"), "--to", "csv", "--order", "isaac"]) == 2


def test_mistakes(walk, tmp_path):
    for motion, kind, options, words in (
        (strange_walk(), "unitree-csv", {}, "is a ball"), (walk, "gmr-pkl", {}, "no kind"), (walk, "gmr-npz", {"order": "alphabet"}, "neither isaac"),
        (walk, "mujoco-npz", {"order": "isaac"}, "leave --order out"),
        (bk.Motion(walk.model, walk.times[:1], walk.q[:1]), "gmr-npz", {}, "two frames"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=words):
            save_tracker(motion, tmp_path / "x", kind, **options)
    assert not list(tmp_path.iterdir())
