"""Persons measured on skeletons: lengths of captured skeletons to a millimetre, the same figure whatever the names, the
unit and the axis that is up; a clip fits the figure made from it without scaling, joint centre by joint centre."""

import re

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.errors import InputError
from bunraku.formats import bvh
from bunraku.formats.bvh import Bvh, BvhJoint
from bunraku.formats.bvh_motion import from_motion, load_bvh, to_motion
from bunraku.humanoid.opening_pose import on_stage
from bunraku.model.body_lengths import Measures, standard
from bunraku.motion.measure import measured
from bunraku.recording.motion import Motion
from motion_data import UNIT, captured, strange_walk, t_posed

SKELETONS = ("02_01", "05_13", "74_06", "83_28")
SIDES = ("Left", "Right")


def numbers(x: Measures):
    return np.concatenate([np.ravel(np.asarray(y, dtype=float)) for y in vars(x).values()])


def skeleton():
    """A clip of our own like a captured one: its names and unit, a T-pose first; other proportions than ours."""
    return t_posed(strange_walk(), UNIT)


def changed(file, name=lambda x: x, unit=1.0, turn=np.eye(3)):  # noqa: B008 - only read
    """The file with other names, lengths in another unit, its world turned by quarter turns."""
    joints, factor, letters = [], [], "XYZ"
    for j in file.joints:
        channels = []
        for c in j.channels:
            column = turn[:, letters.index(c[0])]
            new = int(np.abs(column).argmax())
            channels.append(letters[new] + c[1:])
            factor.append(column[new] * (unit if c.endswith("position") else 1.0))
        offset, *ends = (tuple((unit * turn @ np.array(x)).tolist()) for x in (j.offset, *j.ends))
        joints.append(BvhJoint(name(j.name), j.parent, offset, tuple(channels), tuple(ends)))
    return Bvh(joints, file.values * np.array(factor), file.frame_time)


def biovision(x):
    parts = {"UpLeg": "Hip", "Leg": "Knee", "Foot": "Ankle", "ToeBase": "Toe", "Arm": "Shoulder", "ForeArm": "Elbow"}
    parts["Hand"] = "Wrist"
    return {"Spine1": "Chest"}.get(x) or re.sub(r"^(Left|Right)(\w+)$", lambda m: m[1] + parts[m[2]], x)


def upper_lower(x):
    parts = {"UpLeg": "UpperLeg", "Leg": "LowerLeg", "Arm": "UpperArm", "ForeArm": "LowerArm"}
    return {"Spine1": "Spine"}.get(x) or re.sub(r"^(Left|Right)(\w+)$", lambda m: m[1] + parts.get(m[2], m[2]), x)


@asserts("2000/subject/lengths")
def test_our_own_figure_is_measured_as_it_was_made():
    for height, mass in ((1.7, 69.0), (1.6, 60.0), (1.85, 92.0)):
        found = measured(bk.walk_motion(bk.human(height, mass), steps=1))
        assert found.scale == 1.0 and found.names == "bunraku"
        assert np.abs(numbers(found.measures) - numbers(standard(height))).max() < 1e-12
        again = bk.human(like=bk.walk_motion(bk.human(height, mass), steps=1), mass=mass)
        was = bk.human(height, mass)
        q = bk.random_configuration(was, np.random.default_rng(3))
        assert np.allclose(bk.crba(again, q), bk.crba(was, q), rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", SKELETONS)
def test_lengths_of_captured_skeletons(name):
    """Within a millimetre (they are the same to rounding) of the offsets in the file, read here by themselves."""
    file = bvh.read(captured(name))
    offset = {j.name: UNIT * np.array(j.offset) for j in file.joints}
    model = bk.human(like=captured(name), mass=71.5)
    k = bk.kinematics(model, model.neutral())
    assert model.mass == pytest.approx(71.5, rel=1e-12)
    for side in SIDES:
        s = side.lower()
        for a, b, joint in (
            (f"{s}_thigh", f"{s}_shank", "Leg"), (f"{s}_shank", f"{s}_foot", "Foot"), (f"{s}_upper_arm", f"{s}_lower_arm", "ForeArm"),
        ):  # fmt: skip
            length = np.linalg.norm(k.pose(a)[0] - k.pose(b)[0])
            assert abs(length - np.linalg.norm(offset[side + joint])) < 1e-6, (joint, length)
        hand = np.linalg.norm(k.pose(f"{s}_hand")[0] - k.pose(f"{s}_lower_arm")[0])
        height = k.pose("head_top")[0][2]
        assert abs(hand - 0.03 * height / 1.7 - np.linalg.norm(offset[f"{side}Hand"])) < 1e-4
    width = np.linalg.norm(k.pose("left_thigh")[0] - k.pose("right_thigh")[0])
    assert abs(width - np.linalg.norm(offset["LeftUpLeg"] - offset["RightUpLeg"])) < 1e-6
    toes = [np.linalg.norm(offset[f"{s}ToeBase"]) for s in SIDES]
    ahead = (k.pose("left_toe")[0] - k.pose("left_foot")[0])[0]
    assert 0.6 * np.mean(toes) < ahead <= np.mean(toes) + 1e-9  # what of the foot is level
    lowest = min(k.pose(f"{s.lower()}_sole")[0][2] for s in SIDES)
    assert lowest == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", ["own", *SKELETONS])
def test_a_clip_fits_the_figure_made_from_it(name):
    """The reference pose (a T-pose, legs straight), retargeted: every joint centre within a millimetre of its own."""
    file = skeleton() if name == "own" else bvh.read(captured(name))
    file.values = file.values[[0, 0, 0, 1]]  # the reference, then itself
    source = to_motion(file, scale=UNIT)
    found, figure = measured(source), bk.human(like=source)
    assert found.scale == pytest.approx(1.0, rel=1e-12)
    out = bk.retarget(source, figure, cutoff=None, floor=False)
    assert out.meta["reference"] == "first" and out.meta["scale"] == pytest.approx(1.0, abs=1e-9)
    theirs, ours = bk.kinematics(source.model, source.q[1]), bk.kinematics(figure, out.q[0])
    assert len(found.joints) == 12
    for link, joint in found.joints.items():
        assert np.linalg.norm(ours.pose(link)[0] - theirs.pose(joint)[0]) < 1e-3, (link, joint)


@pytest.mark.parametrize("name", ["own", "02_01"])
def test_ankles_and_elbows_of_a_whole_clip_are_met(name):
    file = skeleton() if name == "own" else bvh.read(captured(name))
    source = to_motion(file, scale=UNIT)
    figure = bk.human(like=source)
    out = bk.retarget(source, figure, cutoff=None, floor=False)
    theirs, ours = bk.kinematics(source.model, source.q[1:]), bk.kinematics(figure, out.q)
    for side in SIDES:
        for link, joint in (("foot", "Foot"), ("shank", "Leg")):
            apart = ours.pose(f"{side.lower()}_{link}")[0] - theirs.pose(side + joint)[0]
            assert np.linalg.norm(apart, axis=1).max() < 5e-3


STYLES = {
    "cmu": lambda x: x, "prefix": lambda x: f"mixamorig:{x}", "biovision": biovision, "upper and lower": upper_lower,
}  # fmt: skip
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": UNIT}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("unit", UNITS)
def test_the_same_figure_whatever_names_and_unit(style, unit, tmp_path):
    wanted = numbers(measured(to_motion(skeleton(), scale=UNIT)).measures)
    path = bvh.write(changed(skeleton(), STYLES[style], UNIT / UNITS[unit]), tmp_path / "clip.bvh")
    found = measured(load_bvh(path))
    assert 0.01 * found.scale == pytest.approx(UNITS[unit], rel=1e-9)
    assert np.abs(numbers(found.measures) - wanted).max() < 1e-6  # the file has nine places


TURNS = {  # what is up: z, as Blender writes it (its figures look to -y); z, looking to x; x
    "z up": [[1, 0, 0], [0, 0, -1], [0, 1, 0]], "z up, sideways": [[0, 0, 1], [1, 0, 0], [0, 1, 0]], "x up": [[0, 1, 0], [0, 0, 1], [1, 0, 0]],
}  # fmt: skip


@pytest.mark.parametrize("up", TURNS)
def test_the_same_figure_and_motion_whatever_axis_is_up(up):
    turn = np.array(TURNS[up], dtype=float)
    assert np.linalg.det(turn) == 1.0
    was, file = to_motion(skeleton(), scale=UNIT), to_motion(changed(skeleton(), turn=turn), scale=UNIT)
    assert np.abs(numbers(measured(file).measures) - numbers(measured(was).measures)).max() < 1e-9
    figure = bk.human(like=was)
    one, two = bk.retarget(was, figure), bk.retarget(file, figure)
    assert np.abs(bk.difference(figure, one.q, two.q)).max() < 1e-6


def test_a_given_height_scales_all_lengths():
    own = measured(to_motion(skeleton(), scale=UNIT)).measures
    for height in (0.9, 1.75):
        scaled = measured(to_motion(skeleton(), scale=3.3), height).measures
        assert scaled.height == height
        assert np.allclose(numbers(scaled), numbers(own) * height / own.height, rtol=1e-9)
        model = bk.human(height, like=to_motion(skeleton(), scale=3.3))
        assert bk.kinematics(model, model.neutral()).pose("head_top")[0][2] == pytest.approx(height, rel=1e-9)


def test_the_mass_of_a_person():
    clip = to_motion(skeleton(), scale=UNIT)
    tall = measured(clip).measures.height
    assert bk.human(like=clip).mass == pytest.approx(69.0 * (tall / 1.7) ** 2, rel=1e-12)
    for mass in (40.0, 120.0):
        assert bk.human(mass=mass, like=clip).mass == pytest.approx(mass, rel=1e-12)
    paper = bk.human(like=clip, body="2000")  # section 5 of the paper: the subject's lengths, the table's masses
    assert paper.mass == pytest.approx(69.0, rel=1e-12)
    plain = {x.name: x for x in bk.describe_human().links}
    for link in paper.description.links:
        assert np.array_equal(link.inertia.matrix(), plain[link.name].inertia.matrix())


def without(file, *names):
    """The file without some joints and all that they carry."""
    gone, keep = set(), []
    for k, j in enumerate(file.joints):
        if j.name in names or j.parent in gone:
            gone.add(k)
        else:
            keep.append(k)
    columns = [c for k in keep for c in range(file.values.shape[1])[file.columns(k)]]
    number = {k: n for n, k in enumerate(keep)}
    number[-1] = -1
    joints = [
        BvhJoint(j.name, number[j.parent], j.offset, j.channels, j.ends) for k, j in enumerate(file.joints) if k in keep
    ]
    return Bvh(joints, file.values[:, columns], file.frame_time)


@pytest.mark.parametrize(
    ("gone", "sentence"),
    [
        (("Head",), "has no head"),
        (("Spine1",), "has no spine"),
        (("LeftArm",), "has no left shoulder"),
        (("RightForeArm",), "has no right elbow"),
        (("LeftHand",), "has nothing at the end of 'LeftForeArm'"),
        (("LeftFoot",), "are neither those of the CMU collection nor ours"),
    ],
)
def test_a_skeleton_that_lacks_a_part(gone, sentence):
    with pytest.raises(InputError, match=sentence) as error:
        bk.human(like=to_motion(without(skeleton(), *gone)))
    assert str(error.value).startswith("human: ") and "\n" not in str(error.value)


def test_a_skeleton_that_is_no_person():
    with pytest.raises(InputError, match=r"tall, and in no unit between 1 and 2\.4 m"):
        bk.human(like=to_motion(changed(skeleton(), unit=1e4)))
    sideways = skeleton()
    sideways.values[:, 4] += 90.0  # its root looks to the side
    with pytest.raises(InputError, match="does not stand upright and face along z"):
        bk.human(like=to_motion(sideways))
    with pytest.raises(InputError, match="no BVH file and no motion"):
        bk.human(like=3)  # type: ignore[arg-type]


def test_a_person_with_uneven_legs_stands_on_both_soles():
    """Both thigh and shank of the left leg are longer: the walker's stance and the opening pose of a choreography have
    flat soles on the floor, and the lengths are the skeleton's."""
    clip = skeleton()
    for j in clip.joints:
        if j.name in ("LeftLeg", "LeftFoot"):
            j.offset = (1.03 * j.offset[0], 1.03 * j.offset[1], 1.03 * j.offset[2])
    model = bk.human(like=to_motion(clip, scale=UNIT))
    assert model.joint("left_knee").link == "left_shank"
    home = bk.kinematics(model, model.neutral())
    thighs = [np.linalg.norm(home.pose(f"{s}_shank")[0] - home.pose(f"{s}_thigh")[0]) for s in ("left", "right")]
    assert thighs[0] == pytest.approx(1.03 * thighs[1], rel=1e-6)
    for q in (bk.stand(model, lower=0.05), on_stage(model)[1]):
        k = bk.kinematics(model, q)
        for side in ("left", "right"):
            p, R = k.pose(f"{side}_sole")
            assert abs(p[2]) < 1e-6 and np.abs(R[2] - [0, 0, 1]).max() < 1e-6


def test_a_renamed_export_of_ours_is_the_same_as_the_motion():
    motion = Motion(strange_walk().model, strange_walk().times[:2], strange_walk().q[:2])
    a, b = measured(motion), measured(to_motion(from_motion(motion)))
    assert np.abs(numbers(a.measures) - numbers(b.measures)).max() < 1e-9
