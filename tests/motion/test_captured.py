"""One motion in ten skeletons: other rest poses, bone axes, units, up axes, names, rotation orders and added joints,
drawn anew each time, give the same motion within a degree; what a person does is what the skeleton was made from."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.formats import bvh
from bunraku.formats.bvh import Bvh
from bunraku.formats.bvh_motion import from_motion, to_motion
from bunraku.motion.captured import captured
from bunraku.motion.person_points import mean_turn
from bunraku.motion.retarget import retarget
from draws import fresh_seed
from motion_data import UNIT, strange_walk, t_posed
from motion_data import captured as clip_of
from skeleton_styles import KINDS, rewritten

CLIPS = ("02_01", "05_13", "12_01", "16_20", "23_14", "60_01_first_6s", "74_06", "83_28")


def apart(a, b):
    """The most a link is turned against its like [deg]."""
    one, two = (bk.kinematics(m.model, m.q) for m in (a, b))
    most = 0.0
    for f in a.model.links:
        R = np.swapaxes(one.pose(f.name)[1], 1, 2) @ two.pose(f.name)[1]
        most = max(most, float(np.degrees(np.arccos(np.clip(0.5 * (np.trace(R, axis1=1, axis2=2) - 1), -1, 1))).max()))
    return most


def sources():
    """Walks of our own: with a T-pose first, without one, as this package exports it."""
    posed = t_posed(strange_walk(), UNIT)
    plain = Bvh(posed.joints, posed.values[1:], posed.frame_time)
    return {"T-pose": posed, "no T-pose": plain, "export": from_motion(strange_walk())}


@pytest.mark.parametrize("which", ["T-pose", "no T-pose", "export"])
def test_ten_skeletons_give_one_motion(which):
    src, seed = sources()[which], fresh_seed()
    wanted = retarget(to_motion(src), bk.human(), cutoff=None)
    for kind in KINDS:
        out = retarget(to_motion(rewritten(src, seed, kind)), bk.human(), cutoff=None)
        assert apart(wanted, out) < 1.0, (kind, seed)
        feet = [bk.kinematics(m.model, m.q).pose("left_foot")[0] for m in (wanted, out)]
        assert np.abs(np.ptp(feet[0], axis=0) - np.ptp(feet[1], axis=0)).max() < 0.005, (kind, seed)


@pytest.mark.parametrize("name", CLIPS)
def test_captured_clips_in_other_skeletons(name):
    """The T-pose that is their first frame says which way they face; without it, axes of the file are y up."""
    src, seed = bvh.read(clip_of(name)), fresh_seed()
    wanted = retarget(to_motion(src, scale=UNIT), bk.human(), cutoff=None)
    assert wanted.meta["reference"] == "first" and max(wanted.meta["off_deg"][x] for x in ("pelvis", "trunk")) < 5.0
    for kind in ("axes", "rest", "random"):
        assert apart(wanted, retarget(to_motion(rewritten(src, seed, kind)), bk.human(), cutoff=None)) < 1.0, (
            kind,
            seed,
        )


def test_what_a_person_does_is_what_the_skeleton_was_made_from():
    """Attitudes of our own walk, read back from a skeleton that lies along x, are those of the figure."""
    motion = strange_walk()
    seen = captured(to_motion(rewritten(from_motion(motion), 3, "axes")))
    k = bk.kinematics(motion.model, motion.q)
    for part in (
        "pelvis",
        "trunk",
        "head",
        "left_thigh",
        "right_shank",
        "left_upper_arm",
        "right_lower_arm",
        "left_foot",
    ):
        off = np.linalg.norm(seen.turn[part] - k.pose(part)[1], axis=(1, 2)) / np.sqrt(2)
        assert np.degrees(off.max()) < 1.0, part


def test_a_mean_of_rotations():
    from scipy.spatial.transform import Rotation

    C = Rotation.random(random_state=1)
    around = Rotation.from_rotvec(0.3 * np.random.default_rng(2).normal(size=(4000, 3)))
    assert (Rotation.from_matrix(mean_turn((C * around).as_matrix())).inv() * C).magnitude() < 0.02


def test_a_mapping_says_what_is_left():
    """Exchanged by name: the figure walks with its sides exchanged, which geometry alone would not do."""
    src = from_motion(strange_walk())
    for j in src.joints:
        j.name = "x" + j.name[::-1]
    found = captured(to_motion(src)).joints
    assert found["left_thigh"] == "x" + "left_thigh"[::-1]
    with pytest.raises(InputError, match="no joint of the source"):
        retarget(to_motion(src), bk.human(), mapping={"left_thigh": "hip"})
    out = retarget(to_motion(src), bk.human(), mapping={"left_thigh": found["left_thigh"]})
    assert out.meta["names"] == "given"


def test_a_skeleton_that_stands_still_without_feet_is_asked_about():
    src = from_motion(bk.walk_motion(bk.human(), 1))
    src.values[:] = src.values[0]
    for column in range(3, src.values.shape[1]):
        src.values[:, column] = 0.0
    for j in src.joints:
        j.ends, j.name = (), "j" + str(abs(hash(j.name)) % 997)
    with pytest.raises(InputError, match=r"left and right of|which way is up|is no person") as error:
        retarget(to_motion(src), bk.human())
    assert "--mapping" in str(error.value) and "\n" not in str(error.value)
