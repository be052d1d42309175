"""BVH: any channels are read, what is written reads back the same, our figures come out as they moved, bad files get
one sentence."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import BunrakuError, FormatError, InputError
from bunraku.formats import bvh
from bunraku.formats.bvh_motion import ORDERS, from_motion, load_bvh, to_motion
from bunraku.model.configuration import difference
from bunraku.motion import Motion
from motion_data import SHARED, clip

CLIPS = sorted(path.stem for path in (SHARED / "data" / "bvh").glob("*.bvh"))

SMALL = """HIERARCHY
ROOT hips
{
  OFFSET 1 2 3
  CHANNELS 6 Zposition Xposition Yposition Yrotation Xrotation Zrotation
  JOINT upper arm
  {
    OFFSET 0 10 0
    CHANNELS 2 Zrotation Xrotation
    JOINT hand
    {
      OFFSET 20 0 0
      CHANNELS 4 Yposition Zrotation Xrotation Zrotation
      End Site
      {
        OFFSET 5 0 0
      }
    }
  }
  JOINT peg
  {
    OFFSET 0 0 4
    CHANNELS 0
    End Site
    { OFFSET 0 0 1 }
  }
}
MOTION
Frames: 2
Frame Time: 0.04
0 0 0  0 0 0  0 0  0 0 0 0
300 100 200  90 0 0  90 0  7 0 90
 0
"""


def axis(name, degrees):
    """A rotation matrix about an axis of BVH."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    i, j = {"X": (1, 2), "Y": (2, 0), "Z": (0, 1)}[name]
    R = np.eye(3)
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


def world(x):
    """BVH's x y z as the world has them."""
    return np.array(x)[[2, 0, 1]]


def places(file, row):
    """Joint -> place by the format's own rules, in BVH axes: an independent way."""
    out, turn = {}, {}
    for k, j in enumerate(file.joints):
        p, R = np.array(j.offset, dtype=float), np.eye(3)
        for c, x in zip(j.channels, file.values[row, file.columns(k)]):
            if c.endswith("rotation"):
                R = R @ axis(c[0], x)
            elif k == 0:
                p["XYZ".index(c[0])] += x
            else:
                p["XYZ".index(c[0])] = x
        above = (np.zeros(3), np.eye(3)) if k == 0 else (out[file.joints[j.parent].name], turn[j.parent])
        out[j.name], turn[k] = above[0] + above[1] @ p, above[1] @ R
    return out


def check_places(file, motion, rows, scale):
    for row in rows:
        pose = bk.kinematics(motion.model, motion.q[row])
        for name, p in places(file, row).items():
            assert np.allclose(pose.pose(name)[0], scale * world(p), atol=1e-9), f"{name} in frame {row}"


def largest_turn(a, b):
    """Largest difference of two motions of one model [degrees]."""
    return np.degrees(np.abs(difference(a.model, a.q, b.q)).max())


def test_any_channels_in_any_order():
    file = bvh.parse(SMALL)
    assert [j.name for j in file.joints] == ["hips", "upper arm", "hand", "peg"] and file.values.shape == (2, 12)
    motion = to_motion(file, scale=0.1)
    assert motion.times.tolist() == [0.0, 0.04] and motion.model.nv == 6 + 3 + 4
    check_places(file, motion, (0, 1), 0.1)
    pose = bk.kinematics(motion.model, motion.q[1])  # by hand: a turn of 90 degrees about up, then 90 about BVH's z
    assert np.allclose(pose.pose("hips")[0], world([10.1, 20.2, 30.3]))
    assert np.allclose(pose.pose("peg")[0], world([10.5, 20.2, 30.3]))
    end = axis("Y", 90) @ axis("Z", 90) @ axis("X", 90) @ (0.5, 0, 0)
    assert np.allclose(pose.pose("hand end")[0] - pose.pose("hand")[0], world(end))


@pytest.mark.parametrize("seed", range(3))
def test_rotations_multiply_in_the_order_of_their_channels(seed):
    """Every channel at work at once, against the format's own rules."""
    file = bvh.parse(SMALL)
    file.values[:] = np.random.default_rng(seed).uniform(-120.0, 120.0, file.values.shape)
    check_places(file, to_motion(file, scale=0.1), (0, 1), 0.1)


def test_read_written_and_read_again_is_the_same():
    file = bvh.parse(SMALL)
    again = bvh.parse(file.text())
    assert again.joints == file.joints and np.array_equal(again.values, file.values)
    assert again.frame_time == file.frame_time


def test_joints_may_stand_in_any_order_behind_their_parents():
    """A file names them branch by branch; each keeps its own channels."""
    joint, turns = bvh.BvhJoint, ("Zrotation", "Yrotation", "Xrotation")
    level = [joint("hips", -1, channels=("Xposition", *turns)), joint("arm", 0, (1, 0, 0), turns), joint("leg", 0, (0, -1, 0), turns),
             joint("hand", 1, (2, 0, 0), turns[:1]), joint("foot", 2, (0, -2, 0), turns[:2])]  # fmt: skip
    file = bvh.Bvh(level, np.arange(26.0).reshape(2, 13), 0.01)
    again = bvh.parse(file.text())
    assert [j.name for j in again.joints] == ["hips", "arm", "hand", "leg", "foot"]
    for k, j in enumerate(file.joints):
        n = [x.name for x in again.joints].index(j.name)
        assert np.array_equal(again.values[:, again.columns(n)], file.values[:, file.columns(k)])


@pytest.mark.parametrize("order", ORDERS)
def test_motion_of_a_human_there_and_back(order):
    fig = bk.human()
    rng = np.random.default_rng(3)
    q = np.array([bk.random_configuration(fig, rng) for _ in range(40)])
    motion = Motion(fig, 0.02 * np.arange(40), q)
    file = bvh.parse(from_motion(motion, order=order).text())
    back = to_motion(file)
    pose, now = bk.kinematics(fig, q), bk.kinematics(back.model, back.q)
    for link in fig.links:
        assert np.allclose(pose.pose(link.name)[0], now.pose(link.name)[0], atol=1e-9)  # nine places of a centimetre
    again = to_motion(bvh.parse(from_motion(back, order=order).text()))
    assert largest_turn(back, again) < 1e-6 and np.allclose(back.times, again.times)


def test_angles_stay_together_and_survive_the_pole():
    """A turn through the pole of the middle angle, twice round: no jump larger than the motion itself."""
    fig = bk.human()
    angle = np.linspace(0, 4 * np.pi, 401)
    q = np.tile(fig.neutral(), (401, 1))
    q[:, 3], q[:, 5] = np.cos(angle / 2), np.sin(angle / 2)
    file = from_motion(Motion(fig, 0.01 * np.arange(401), q))
    assert np.abs(np.diff(file.values[:, 3:6], axis=0)).max() < 180.0 + 1e-9
    back = to_motion(bvh.parse(file.text()))
    R, R2 = bk.kinematics(fig, q).pose("pelvis")[1], bk.kinematics(back.model, back.q).pose("pelvis")[1]
    assert np.abs(R - R2).max() < 1e-8


def test_sliders_and_anchors_get_position_channels():
    d = bk.Description("machine")
    d.add("base", None, bk.free("root"), mass=1, moments=(1, 1, 1))
    d.add("drawer", "base", bk.slider("pull", (1, 0, 0)), at=(0, 0, 0.3), mass=1, moments=(1, 1, 1))
    d.add("door", "base", bk.hinge("swing", (0, 0, 1), anchor=(0, 0.4, 0)), at=(0.5, 0, 0), mass=1, moments=(1, 1, 1))
    model = d.build()
    rng = np.random.default_rng(0)
    q = np.array([bk.random_configuration(model, rng) for _ in range(10)])
    back = to_motion(bvh.parse(from_motion(Motion(model, 0.1 * np.arange(10), q)).text()))
    pose, now = bk.kinematics(model, q), bk.kinematics(back.model, back.q)
    for name in ("base", "drawer", "door"):
        assert np.allclose(pose.pose(name)[0], now.pose(name)[0], atol=1e-9)


def test_frames_a_second():
    fig = bk.human()
    q = np.tile(fig.neutral(), (1001, 1))
    q[:, 0] = np.linspace(0, 1, 1001)
    file = from_motion(Motion(fig, 0.001 * np.arange(1001), q), fps=50)
    assert len(file.values) == 51 and file.frame_time == pytest.approx(0.02)
    assert np.allclose(file.values[:, 2], np.linspace(0, 100, 51))  # x ahead is BVH's z, in centimetres


@pytest.mark.parametrize("name", ["own", *(CLIPS or ["02_01"])])
def test_clips_there_and_back(name, tmp_path):
    """Of the CMU collection, where it is at hand, and one of our own that is like them."""
    path = clip(name, tmp_path)
    file = bvh.read(path)
    again = bvh.parse(file.text())
    assert again.joints == file.joints and np.abs(again.values - file.values).max() == 0.0
    motion = load_bvh(path, scale=0.056444)
    check_places(file, motion, (0, 1, len(motion) // 2, len(motion) - 1), 0.056444)
    back = to_motion(bvh.parse(from_motion(motion, scale=0.056444).text()), scale=0.056444, name=path.stem)
    assert back.model.nq == motion.model.nq and largest_turn(motion, back) < 1e-6
    heads = bk.kinematics(motion.model, motion.q).pose("Head")[0][:, 2]
    low = 1.1 if name == "23_14" else 1.2  # who squats there
    assert low < heads.mean() < 1.9  # m: a person upright, z up


BAD = {
    "empty": ("", "begins with HIERARCHY"),
    "other": ("<robot/>", "begins with HIERARCHY"),
    "no root": ("HIERARCHY\nMOTION\n", "'MOTION' is not expected"),
    "joint first": ("HIERARCHY\nJOINT a\n{\n", "outside the root"),
    "two roots": (SMALL.replace("MOTION", "ROOT b\n{ OFFSET 0 0 0 }\nMOTION"), "second ROOT"),
    "channel": (SMALL.replace("Zposition", "Wposition"), "x.bvh:5: there is no channel 'Wposition'"),
    "twice": (SMALL.replace("Zposition", "Xposition"), "stands twice"),
    "too many": (SMALL.replace("CHANNELS 6", "CHANNELS 7"), "from 0 to 6"),
    "offset": (SMALL.replace("OFFSET 1 2 3", "OFFSET 1 two 3"), "x.bvh:4: an offset 'two'"),
    "infinite": (SMALL.replace("OFFSET 1 2 3", "OFFSET 1 inf 3"), "'inf' is not a number"),
    "open": (SMALL[: SMALL.index("MOTION")], "ends too early"),
    "short": (SMALL.rstrip()[:-1], "2 frames of 12 channels need 24 numbers; there are 23"),
    "word": (SMALL.replace("300", "3OO"), "'3OO' among the frames"),
    "no frames": (SMALL[: SMALL.index("Frames")] + "Frames: 0\nFrame Time: 1\n", "no frames"),
    "time": (SMALL.replace("0.04", "0"), "frame time 0"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files(name, tmp_path):
    text, words = BAD[name]
    (tmp_path / "x.bvh").write_text(text)
    with pytest.raises(FormatError) as error:
        bvh.read(tmp_path / "x.bvh")
    assert words in str(error.value) and "\n" not in str(error.value)


def test_damaged_files_never_give_another_error():
    rng = np.random.default_rng(1)
    for k in range(0, len(SMALL), 7):
        for text in (SMALL[:k], SMALL[:k] + chr(rng.integers(33, 126)) + SMALL[k + 1 :]):
            try:
                to_motion(bvh.parse(text))
            except BunrakuError as error:
                assert "\n" not in str(error)


def test_options_that_make_no_sense():
    fig = bk.human()
    motion = Motion(fig, np.array([0, 0.1, 0.5]), np.tile(fig.neutral(), (3, 1)))
    for options, words in (({"order": "XYX"}, "order"), ({"scale": 0}, "scale"), ({}, "evenly"), ({"fps": 0}, "fps")):
        with pytest.raises(InputError, match=words):
            from_motion(motion, **options)
