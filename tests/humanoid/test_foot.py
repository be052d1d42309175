"""Feet: their soles in closed form, found by name and box, and found again in another model of the same figure."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.control.bushes import Bushes, bushes
from bunraku.errors import InputError
from bunraku.humanoid.foot import Foot, box_foot, feet_in, feet_of
from bunraku.humanoid.parts import humanoid
from bunraku.model.rotations import exponential, rotation_matrix


def test_corners_are_the_outline_in_the_body():
    turn = rotation_matrix(exponential(np.array([0.0, 0.0, 0.5 * np.pi])))  # ahead is the body's y
    foot = Foot(1, "plate", 3, np.array([0.1, 0.2, -0.05]), turn, np.array([0.12, 0.04]))
    assert np.allclose(foot.outline[0], [-0.12, -0.04, 0.0])
    wanted = [(0.14, 0.08, -0.05), (0.06, 0.08, -0.05), (0.14, 0.32, -0.05), (0.06, 0.32, -0.05)]
    assert np.allclose(foot.corners, wanted)  # heel right, heel left, toe right, toe left
    assert np.allclose(foot.heel, [0.1, 0.08, -0.05]) and np.allclose(foot.toe, [0.1, 0.32, -0.05])
    assert foot.name == "right sole" and foot.frame.body == 3 and np.array_equal(foot.frame.rotation, turn)


def test_feet_of_the_human():
    left, right = feet_of(bk.human())
    assert (left.link, right.link) == ("left_foot", "right_foot") and (left.side, right.side) == (0, 1)
    assert np.allclose(np.ptp(left.corners, axis=0), [0.19, 0.12, 0.0])
    assert np.all(left.corners[2:, 0] > left.corners[:2, 0]) and left.corners[1, 1] > left.corners[0, 1]
    with pytest.raises(InputError, match="foot"):
        feet_of(bk.sphere(0.1))
    assert feet_of(bk.sphere(0.1), missing=True) == () and box_foot(bk.human(), "left_thigh") is None


def test_both_ways_of_finding_feet_agree():
    """By name and box, and by the two lowest ends of the tree."""
    for a, b in zip(feet_of(bk.human()), humanoid(bk.human()).feet):
        assert (a.side, a.link, a.body) == (b.side, b.link, b.body)
        assert np.allclose(a.corners, b.corners, atol=1e-12)


def test_the_same_foot_on_a_body_that_is_turned():
    """The same figure with another joint above the foot: its body's frame lies along the joint's axis, and the sole is
    found where it was."""
    models = []
    for joint in (bk.ball("ankle"), bk.hinge("ankle", (1, 2, -1), anchor=(0.02, 0.0, 0.05))):
        fig = bk.Description("leg")
        fig.add("shank", None, bk.free(), at=(0, 0, 0.5), mass=2.0, moments=(0.1, 0.1, 0.1))
        sole = bk.Shape("box", (0.1, 0.05, 0.02), (0.03, 0.01, -0.04))
        fig.add("left_foot", "shank", joint, at=(0, 0, -0.4), mass=1.0, moments=(0.1, 0.1, 0.1), shapes=[sole])
        models.append(fig.build())
    one, other = models
    foot = box_foot(one, "left_foot")
    (again,) = feet_in(other, (foot,), one)
    assert np.abs(other.frame("left_foot").rotation - np.eye(3)).max() > 0.1  # turned, indeed
    poses = [bk.kinematics(m, m.neutral()).pose(f.frame) for m, f in ((one, foot), (other, again))]
    assert np.allclose(poses[0][0], poses[1][0], atol=1e-12) and np.allclose(poses[0][1], poses[1][1], atol=1e-12)
    assert np.allclose(poses[0][0], (0.03, 0.01, 0.04))


def test_the_same_feet_in_a_model_with_bushes():
    h = humanoid(bk.human())
    rubber = bushes(h.model, ("left_foot", "right_foot"), Bushes()).build()
    stiff, soft = bk.kinematics(h.model, h.model.neutral()), bk.kinematics(rubber, rubber.neutral())
    for a, b in zip(h.feet, feet_in(rubber, h.feet, h.model)):
        assert b.body != a.body and b.joints == a.joints
        for x, y in zip(stiff.pose(a.frame), soft.pose(b.frame)):
            assert np.allclose(x, y, atol=1e-12)
