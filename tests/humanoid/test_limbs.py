"""Hips, knees, elbows and wrists of robots as they come: joints by geometry, lengths, which way they face."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.humanoid.limbs import body_of
from robots import robot

KNOWN = {  # knee and elbow of the left side, read in the files; whether the robot faces -x
    "simple_humanoid": ("LLEG_KNEE", "LARM_ELBOW", False), "g1": ("left_knee_joint", "left_elbow_joint", False),
    "talos_reduced": ("leg_left_4_joint", "arm_left_4_joint", False), "romeo_small": ("LKneePitch", "LElbowYaw", False),
    "icub": ("l_knee", "l_elbow", True),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_knees_and_elbows_of_robots(name):
    knee, elbow, backwards = KNOWN[name]
    body = body_of(bk.load(robot(name), root="free"))
    joints = {j.body: j.name for j in body.model.joints if j.nv}
    assert joints[body.legs[0].middle.body] == knee and joints[body.arms[0].middle.body] == elbow
    assert (body.facing[0, 0] < 0) == backwards
    k = bk.kinematics(body.model, body.model.neutral())
    for pair in (body.legs, body.arms):
        one, two = pair
        assert np.allclose(one.lengths, two.lengths, rtol=1e-3)
        assert np.sign(k.pose(one.top)[0][1]) == (-1 if backwards else 1) == -np.sign(k.pose(two.top)[0][1])
    assert k.pose(body.trunk)[0][2] >= k.pose(body.legs[0].top)[0][2]


def test_our_own_figure():
    body = body_of(bk.human())
    assert body.leg == pytest.approx(0.491 * 1.7, rel=1e-9)
    assert body.arms[0].lengths == pytest.approx((0.317, 0.278), abs=1e-3)


def test_a_robot_without_legs():
    with pytest.raises(InputError, match=r"no feet|free one"):
        body_of(bk.sphere(0.1))
