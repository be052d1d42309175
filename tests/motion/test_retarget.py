"""Retargeting: our own export comes back, a T-posed skeleton of other names and size gives the pose it was made from,
captured ankles are met."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError, UnknownName
from bunraku.formats.bvh_motion import from_motion, load_bvh, to_motion
from bunraku.humanoid.skeletons import Bone
from bunraku.model.rotations import exponential, multiply
from bunraku.motion import Motion, retarget
from bunraku.motion.retarget_links import lay
from bunraku.motion.set_down import smoothed
from motion_data import UNIT, clip, t_posed, walk
from robots import robot


def test_our_own_export_comes_back():
    motion = walk()
    back = retarget(to_motion(from_motion(motion)), motion.model, cutoff=None, floor=False)
    assert (
        back.meta["names"] == "bunraku"
        and back.meta["reference"] == "rest"
        and back.meta["scale"] == pytest.approx(1.0)
    )
    assert np.abs(bk.difference(motion.model, motion.q, back.q)).max() < 1e-6


def test_a_skeleton_of_another_size_and_other_names_gives_the_same_pose():
    motion = walk()
    source = to_motion(t_posed(motion, 0.013), scale=0.07)
    back = retarget(source, motion.model, cutoff=None, floor=False)
    assert back.meta["names"] == "cmu" and back.meta["reference"] == "first" and len(back) == len(motion)
    assert back.meta["scale"] == pytest.approx(0.013 / 0.07, rel=1e-6)
    apart = np.abs(bk.difference(motion.model, motion.q, back.q))
    assert apart[:, :6].max() < 1e-6
    legs = [motion.model.joint(f"{s}_{j}").v for s in ("left", "right") for j in ("hip", "knee", "ankle")]
    assert max(apart[:, v].max() for v in legs) < 1e-5
    kin, was = bk.kinematics(motion.model, back.q), bk.kinematics(motion.model, motion.q)
    for hand in ("left_hand", "right_hand"):
        assert np.linalg.norm(kin.pose(hand)[0] - was.pose(hand)[0], axis=1).max() < 2e-3


class Poses:
    """Places and attitudes by name, as `kinematics` gives them."""

    def __init__(self, **poses):
        self.poses = poses

    def pose(self, name):
        return self.poses[name]


@pytest.mark.parametrize("turn", [0.0, 0.4, 2.0, np.pi - 1e-3, np.pi])
@pytest.mark.parametrize("way", [(0, 0, 1), (1, 0, 0), (0, 1, 0), (-1, 0, 0), (0.6, -0.48, 0.64), (-0.3, 0.4, -0.866)])
def test_a_link_is_laid_along_its_bone_by_the_smallest_turn(way, turn):
    """L a = b for any two directions, L a rotation by the angle between them (trace 1 + 2 cos); opposite ones, too."""
    z = np.array(way) / np.linalg.norm(way)
    x = np.cross(z, [0.48, 0.6, -0.64])
    x /= np.linalg.norm(x)
    home = np.column_stack([x, np.cross(z, x), z])  # the link's z is `way`: its bone goes to -z
    a, across = -z, home @ [np.cos(0.7), np.sin(0.7), 0.0]
    b = np.cos(turn) * a + np.sin(turn) * across
    neutral, ref = Poses(arm=(np.zeros(3), home)), Poses(top=(np.ones(3),), tip=(np.ones(3) + 0.3 * b,))
    L = lay(neutral, Bone("arm", "top", "tip"), ref)
    assert np.allclose(L @ a, b, atol=1e-7) and np.trace(L) == pytest.approx(1 + 2 * np.cos(turn), abs=1e-7)
    assert np.allclose(L @ L.T, np.eye(3), atol=1e-6) and np.linalg.det(L) > 0


def test_smoothing_takes_noise_away_and_leaves_slow_motion():
    model = bk.human()
    t = np.arange(400) / 100
    q = np.tile(model.neutral(), (400, 1))
    knee = model.joint("left_knee").iq
    slow = 0.5 + 0.3 * np.sin(2 * np.pi * 1.0 * t)
    q[:, knee] = slow + np.random.default_rng(0).normal(0, 0.02, 400)
    out = smoothed(model, q, t, 6.0)
    inside = slice(30, -30)
    assert np.std((out[:, knee] - slow)[inside]) < 0.5 * 0.02 and np.allclose(np.linalg.norm(out[:, 3:7], axis=1), 1.0)
    assert np.array_equal(smoothed(model, q, t, 60.0), q)  # beyond what 100 Hz can show


def test_a_sloping_floor_and_tilted_feet_are_put_right():
    motion = walk()
    q = motion.q.copy()
    q[:, 2] += 0.05 + 0.02 * q[:, 0]
    j = motion.model.joint("left_ankle")
    q[:, j.q] = multiply(q[:, j.q], np.broadcast_to(exponential(np.array([0.0, 0.15, 0.0])), (len(q), 4)))
    back = retarget(to_motion(from_motion(Motion(motion.model, motion.times, q))), motion.model, cutoff=None)
    kin = bk.kinematics(motion.model, back.q)
    sole = kin.pose("left_sole")
    assert abs(np.median(sole[0][:40, 2])) < 3e-3 and abs(np.median(sole[0][-40:, 2])) < 3e-3
    assert back.meta["feet_levelled_rad"]["left_foot"] == pytest.approx(0.15, abs=0.02)
    assert np.median(sole[1][:40, 2, 2]) > 0.9999


@pytest.mark.parametrize("name", ["own", "02_01", "09_01", "05_13"])
def test_captured_clips_follow_their_ankles(name, tmp_path):
    source = load_bvh(clip(name, tmp_path), scale=UNIT)
    model = bk.human()
    motion = retarget(source, model, cutoff=None, floor=False)
    assert motion.meta["names"] == "cmu" and motion.meta["reference"] == "first" and len(motion) == len(source) - 1
    assert 0.9 < motion.meta["scale"] < 1.1
    kin, was = bk.kinematics(model, motion.q), bk.kinematics(source.model, source.q[1:])
    limited = set(motion.meta["clipped_rad"]) & {"left_hip", "left_knee", "right_hip", "right_knee"}
    for ours, theirs in (("left_foot", "LeftFoot"), ("right_foot", "RightFoot")):
        off = np.linalg.norm(kin.pose(ours)[0] - motion.meta["scale"] * was.pose(theirs)[0], axis=1)
        assert np.median(off) < 2e-3 and (off.max() < 0.02 or limited)
    assert motion.q[:, model.joint("left_knee").iq].min() >= 0.0


def test_a_robot_with_a_mapping_goes_by_inverse_kinematics():
    model = bk.load(robot("g1"), meshes=False, root="free")
    mapping = {"pelvis": "pelvis", "torso_link": "trunk"}
    for side in ("left", "right"):
        links = (f"{side}_hip_roll_link", f"{side}_knee_link", f"{side}_ankle_roll_link")
        mapping |= dict(zip(links, (f"{side}_thigh", f"{side}_shank", f"{side}_foot")))
    whole = walk()
    part = Motion(whole.model, whole.times[70:130], whole.q[70:130])  # the first step of the left foot
    out = retarget(to_motion(from_motion(part)), model, mapping=mapping, cutoff=None)
    hip, knee, ankle = (bk.kinematics(model, model.neutral()).pose(x)[0] for x in links)
    leg = np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee)
    assert out.meta["scale"] == pytest.approx(leg / (0.491 * 1.7), rel=1e-9)
    ours, theirs = bk.kinematics(model, out.q), bk.kinematics(part.model, part.q)
    left, right = ours.pose("left_ankle_roll_link"), ours.pose("right_ankle_roll_link")
    went = out.meta["scale"] * theirs.pose("left_foot")[0]
    assert np.abs(np.ptp(left[0], axis=0) - np.ptp(went, axis=0)).max() < 0.01
    assert np.ptp(right[0], axis=0).max() < 0.01 and left[1][:, 2, 2].min() > 0.999
    bend = part.q[:, part.model.joint("left_knee").iq]
    assert np.abs(out.q[:, model.joint("left_knee_joint").iq] - bend).max() < 0.1
    with pytest.raises(InputError, match="free base"):
        retarget(to_motion(from_motion(part)), model, mapping={"left_knee_link": "left_shank"})


def test_mistakes():
    model, motion = bk.human(), walk()
    source = to_motion(from_motion(motion))
    with pytest.raises(InputError, match="neither those of the CMU"):
        retarget(Motion(bk.sphere(0.1), np.zeros(1), bk.sphere(0.1).neutral()[None]), model)
    with pytest.raises(InputError, match="reference"):
        retarget(source, model, reference="second")
    with pytest.raises(InputError, match="no joint of the source"):
        retarget(source, model, mapping={"pelvis": "hips"})
    with pytest.raises(UnknownName, match="tail"):
        retarget(source, model, mapping={"tail": "pelvis"})
