"""AMASS-style .npz files made by us: the same motion as the figure's, in both layouts; mistakes in one sentence each."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import BunrakuError
from bunraku.formats.amass import JOINTS, TO_OURS, load_amass
from bunraku.formats.clips import load_clip
from bunraku.model.rotations import rotation_vector
from bunraku.motion.captured import captured
from bunraku.motion.retarget import retarget
from motion_data import strange_walk

OURS = {"pelvis": "pelvis", "spine3": "trunk", "head": "head"}
for side_ in ("left", "right"):
    theirs, ours = ("hip", "knee", "ankle", "shoulder", "elbow"), ("thigh", "shank", "foot", "upper_arm", "lower_arm")
    OURS |= {f"{side_}_{a}": f"{side_}_{b}" for a, b in zip(theirs, ours)}


@pytest.fixture(scope="module")
def walk():
    """Rotation vectors of a walk of ours as AMASS has them: T-pose at zero, so arms are raised by a quarter turn."""
    m = strange_walk()
    k, n = bk.kinematics(m.model, m.q), len(m)
    turn = {}
    for joint, link in OURS.items():
        R = k.pose(link)[1]
        if "upper_arm" in link or "lower_arm" in link:
            a = np.pi / 2 * (1 if link.startswith("left") else -1)
            c, s = np.cos(a), np.sin(a)
            R = R @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]]).T  # zero: along y, not down
        turn[joint] = R
    poses = np.zeros((n, 156))
    parents = {"left_hip": "pelvis", "right_hip": "pelvis", "spine3": "pelvis", "head": "spine3"}
    for s in ("left", "right"):
        parents |= {
            f"{s}_knee": f"{s}_hip",
            f"{s}_ankle": f"{s}_knee",
            f"{s}_shoulder": "spine3",
            f"{s}_elbow": f"{s}_shoulder",
        }
    for i, joint in enumerate(JOINTS):
        if joint not in turn:
            continue
        R = turn[joint] if joint == "pelvis" else np.swapaxes(turn[parents[joint]], 1, 2) @ turn[joint]
        R = R @ TO_OURS if joint == "pelvis" else TO_OURS.T @ R @ TO_OURS
        poses[:, 3 * i : 3 * i + 3] = rotation_vector(R)
    return m, {
        "poses": poses,
        "trans": k.pose("pelvis")[0] - [0, 0, 0.3],
        "betas": np.zeros(16),
        "mocap_framerate": np.array(120.0),
    }


def test_it_does_what_the_figure_did(walk, tmp_path):
    m, data = walk
    np.savez(tmp_path / "walk_poses.npz", **data, gender=np.array("neutral"))
    source = load_clip(tmp_path / "walk_poses.npz")
    assert source.duration == pytest.approx(m.duration) and len(source) == len(m)
    seen, k = captured(source), bk.kinematics(m.model, m.q)
    for part in ("pelvis", "trunk", "left_thigh", "right_shank", "left_upper_arm", "right_lower_arm", "left_foot"):
        off = np.degrees(np.linalg.norm(seen.turn[part] - k.pose(part)[1], axis=(1, 2)).max() / np.sqrt(2))
        assert off < 1.0, (part, off)
    out = retarget(source, bk.human())
    assert max(out.meta["off_deg"].values()) < 6.0
    x = data["poses"]
    np.savez(
        tmp_path / "smplx.npz", root_orient=x[:, :3], pose_body=x[:, 3:66], trans=data["trans"], mocap_frame_rate=120.0
    )
    other = load_amass(tmp_path / "smplx.npz")
    assert np.abs(other.q - source.q).max() < 1e-12


def test_heights_of_shapes(walk, tmp_path):
    _, data = walk
    for beta, tall in ((0.0, 1.66), (1.5, 1.81), (-2.0, 1.46)):
        np.savez(tmp_path / "x.npz", **(data | {"betas": np.array([beta, 0.3])}))
        model = load_amass(tmp_path / "x.npz").model
        k = bk.kinematics(model, model.neutral())
        assert k.pose("head_top")[0][2] == pytest.approx(tall, rel=1e-6)


class Evil:
    def __reduce__(self):
        return (print, ("run",))


def test_mistakes(walk, tmp_path, capsys):
    _, data = walk
    path = tmp_path / "x.npz"
    bad = data["poses"].copy()
    bad[7, 3] = np.nan
    for change, words in (
        ({"poses": bad}, "frame 8 of"), ({"poses": data["poses"][:, :30]}, "not a motion of AMASS"),
        ({"trans": data["trans"][:5]}, "not a motion of AMASS"),
        ({"mocap_framerate": np.array(0.0)}, "mocap_framerate"), ({"poses": np.array([Evil()], dtype=object)}, "not an .npz file of numbers"),
    ):  # fmt: skip
        np.savez(path, **(data | change))
        with pytest.raises(BunrakuError, match=words) as error:
            load_clip(path)
        assert "\n" not in str(error.value)
    np.savez(path, betas=np.zeros(16))
    with pytest.raises(BunrakuError, match="it holds betas"):
        load_clip(path)
    path.write_bytes(b"PK\x03\x04 nonsense")
    with pytest.raises(BunrakuError, match=r"not an \.npz"):
        load_clip(path)
    path.write_bytes(b"something else")
    with pytest.raises(BunrakuError, match="neither a BVH"):
        load_clip(path)
    assert "run" not in capsys.readouterr().out
