"""Humanoids found in models: feet, soles, legs, stance; mapping files; models that cannot walk."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import BunrakuError, FormatError, InputError
from bunraku.humanoid.opening_pose import own_collisions
from bunraku.humanoid.parts import humanoid
from bunraku.model.description import Description, Shape, free, hinge
from robots import robot

NAMES = ("simple_humanoid", "talos_reduced", "g1")


@pytest.fixture(scope="module")
def walkers():
    return {"human": humanoid(bk.human()), **{n: humanoid(bk.load(robot(n))) for n in NAMES}}


def test_the_human_figure_needs_no_mapping(walkers):
    h = walkers["human"]
    assert not h.mapping and h.model.name == "human"
    assert [f.link for f in h.feet] == ["left_foot", "right_foot"] and h.trunk == "trunk"
    assert h.hands == ("left_hand", "right_hand")
    for f in h.feet:
        side = ("left", "right")[f.side]
        assert f.joints == (f"{side}_hip", f"{side}_knee", f"{side}_ankle")
        frame = h.model.frame(f"{side}_sole")
        assert np.allclose(f.position, frame.position) and np.allclose(f.rotation, np.eye(3))
        assert np.allclose(f.half, (0.095, 0.06))


def test_feet_of_small_spheres(walkers):
    # g1: spheres of 5 mm radius at x -0.05 and 0.12, y ±0.025 and ±0.03, z -0.03: the rectangle is as wide as the
    # narrower end
    for f in walkers["g1"].feet:
        assert np.allclose(f.half, (0.085, 0.025)) and len(f.joints) == 6


def test_feet_of_meshes_become_boxes(walkers):
    h = walkers["talos_reduced"]
    shapes = [s for s in h.model.shapes if s.role != "visual"]
    thigh = next(
        s for s in h.model.shapes if s.name == "leg_left_3_link stick 1"
    )  # what pictures show: from hip to knee
    assert thigh.kind == "capsule" and np.isclose(2 * thigh.size[1], 0.38, atol=0.01)
    assert {s.kind for s in shapes} == {"box"} and {s.link for s in shapes} == {f.link for f in h.feet}
    sole = h.model.frame("left_sole_link")  # the robot's own frame under its foot
    assert np.isclose(h.feet[0].position[2], sole.position[2], atol=1e-3)


def test_stances_stand(walkers):
    for h in walkers.values():
        q, m = h.stand, h.model
        k = bk.kinematics(m, q)
        for f in h.feet:
            p, R = k.pose(f.frame)
            assert abs(p[2]) < 1e-9 and np.allclose(R, np.eye(3), atol=1e-8)
            corners = p + f.outline @ R.T
            assert np.abs(corners[:, 2]).max() < 1e-8
        assert np.abs(bk.centre_of_mass(m, q)[:2]).max() < 1e-9  # above the middle of the soles
        assert not bk.joints_beyond_limits(m, q)
        base = k.rotation[m.joints[0].body]
        assert base[2, 2] > np.cos(0.02)  # upright


def mirrored(figure: str) -> Description:
    d = Description(name=figure)
    d.add("body", None, free(), mass=1.0, moments=(0.1, 0.1, 0.1))
    return d


def test_models_without_feet_say_so():
    arm = Description(name="arm")
    arm.add("upper", None, hinge("shoulder"), mass=1.0, moments=(0.1, 0.1, 0.1))
    ball_ = mirrored("ball")
    stool = mirrored("stool")
    for side, y in (("left", 0.2), ("right", -0.2)):
        shape = Shape("box", (0.1, 0.05, 0.02), (0, 0, -0.1))
        stool.add(
            side,
            "body",
            hinge(side + "_hip", (0, 1, 0)),
            at=(0, y, -0.5),
            mass=1.0,
            moments=(0.1, 0.1, 0.1),
            shapes=[shape],
        )
    for d, words in ((arm, "fixed base"), (ball_, "has no feet"), (stool, "degrees of freedom")):
        with pytest.raises(InputError, match=words):
            humanoid(d.build())


BAD = [
    ({"foot": {}}, "unknown key 'foot'"),
    ({"feet": {"left": "nothing", "right": "right_foot"}}, "no link or frame 'nothing'"),
    ({"feet": {"sole": {"half": [0.1]}}}, "half must be two lengths"),
    ({"joints": {"left_knee": {"lower": "a"}}}, "finite number"),
    ({"joints": {"knee": {"lower": 0}}}, "no joint 'knee'"),
    ({"stance": {"left_hip": 0.1}}, "only hinges and sliders"),
    ({"collisions": "none"}, "'all' or 'soles'"),
    ({"hands": ["left_hand"]}, "two names"),
    ({"walk": {"pace": 1}}, "unknown key 'pace'"),
    ({"feet": 3}, "must be a table"),
    ({"feet": {"sole": 3}}, "sole must be a table"),
    ({"feet": {"sole": {"half": [0.1, -0.1]}}}, "half must be two lengths"),
    ({"joints": {"left_knee": 3}}, "joints.left_knee must be a table"),
    ({"walk": {"apart": -0.1}}, "above 0"),
    ({"hands": [1, 2]}, "two names"),
    ({"trunk": "torso"}, "no link or frame 'torso'"),
]


@pytest.mark.parametrize("mapping, words", BAD, ids=[w for _, w in BAD])
def test_bad_mappings(mapping, words):
    with pytest.raises(BunrakuError, match=words):
        humanoid(bk.human(), mapping)


def test_a_mapping_file(tmp_path):
    file = tmp_path / "wide.toml"
    file.write_text(
        "[walk]\napart = 0.3\n[joints.left_knee]\nupper = 2.0\n[feet]\nsole = { below = 0.0663, ahead = 0.0, half = [0.05, 0.04] }\n"
    )
    h = humanoid(bk.human(), file)
    assert h.apart == 0.3 and h.model.joint("left_knee").upper == (2.0,)
    assert np.allclose(h.feet[1].position, (0.0, 0.0, -0.0663)) and np.allclose(h.feet[1].half, (0.05, 0.04))
    file.write_text("walk = ")
    with pytest.raises(FormatError, match=r"wide\.toml: not TOML"):
        humanoid(bk.human(), file)


def test_a_figure_stands_lower_than_upright():
    model = bk.human()
    q = bk.stand(model, lower=0.04)
    kin, com = bk.kinematics(model, q), bk.centre_of_mass(model, q)
    assert abs(kin.pose("left_sole")[0][2]) < 1e-9 and np.allclose(kin.pose("right_sole")[1], np.eye(3), atol=1e-9)
    assert np.abs(com[:2] - [0.03, 0.0]).max() < 1e-3 and com[2] == pytest.approx(
        bk.centre_of_mass(model, model.neutral())[2] - 0.04, abs=2e-3
    )


def test_links_touch_each_other_unless_they_are_meshes():
    assert own_collisions(bk.human())
    d = bk.human().description
    d.links[0].shapes.append(bk.Shape("cylinder", (0.1, 0.1)))
    assert not own_collisions(d.build())
