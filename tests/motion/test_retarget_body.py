"""Motions on robots as they come, without a mapping: directions of arms within 10 degrees, pelvis and trunk within 5."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.formats.bvh_motion import from_motion, load_bvh, to_motion
from bunraku.humanoid.parts import humanoid
from bunraku.model.limits import clamp
from bunraku.motion.retarget import retarget
from motion_data import UNIT, clip, strange_walk
from robots import robot

ROBOTS = ("simple_humanoid", "g1", "talos_reduced", "romeo_small", "icub")
ARMS = ("left_upper_arm", "left_lower_arm", "right_upper_arm", "right_lower_arm")
LEGS = ("left_thigh", "left_shank", "right_thigh", "right_shank")
# what a robot cannot: romeo's waist has one hinge and its elbows do not stretch, iCub's shoulders hardly go back (its file)
LIMITS = {"romeo_small": (6.5, 20.0), "icub": (5.0, 25.0)}


def loaded(name):
    return bk.load(robot(name), root="free", meshes=name != "g1")


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("which", ["own", "02_01", "12_01"])
def test_directions_on_robots(name, which, tmp_path):
    out = retarget(load_bvh(clip(which, tmp_path), scale=UNIT), loaded(name))
    off, (body, arms) = out.meta["off_deg"], LIMITS.get(name, (5.0, 10.0))
    assert max(off["pelvis"], off["trunk"]) < body
    assert max(off[x] for x in ARMS) < arms
    assert max(off[x] for x in LEGS) < 12.0
    assert np.abs(clamp(out.model, out.q) - out.q).max() < 1e-9


@pytest.mark.parametrize("name", ["g1", "talos_reduced"])
def test_resting_feet_rest_on_the_floor(name):
    """Feet of our own walk stand still on a robot, too: slips of a sole while the person's foot rests."""
    walk = strange_walk()
    out = retarget(to_motion(from_motion(walk)), loaded(name), cutoff=None)
    theirs, ours = bk.kinematics(walk.model, walk.q), bk.kinematics(out.model, out.q)
    for side, foot in zip(("left", "right"), humanoid(out.model).feet):
        still = np.linalg.norm(np.gradient(theirs.pose(f"{side}_foot")[0], walk.times, axis=0), axis=1) < 1e-3
        speed = np.linalg.norm(np.gradient(ours.pose(foot.frame)[0], out.times, axis=0), axis=1)
        assert still.sum() > 50 and np.median(speed[still]) < 0.01 and np.percentile(speed[still], 90) < 0.05
        assert np.abs(ours.pose(foot.frame)[0][still, 2]).max() < 0.02


def test_the_same_robot_in_both_formats_does_the_same(tmp_path):
    """G1 as URDF and, written by us, as MJCF."""
    model = bk.load(robot("g1"), meshes=False, root="free")
    bk.save(model, tmp_path / "g1.xml")
    source = to_motion(from_motion(strange_walk()))
    one, two = retarget(source, model), retarget(source, bk.load(tmp_path / "g1.xml"))
    assert np.abs(one.q - two.q).max() < 1e-3
