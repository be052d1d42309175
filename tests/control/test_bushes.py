"""Rubber bushes: weight and inertia stay, deflections are load / stiffness, bad input is told."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.control.bushes import MOUNT, NAMES, Bushes, bushes
from bunraku.world import World

FEET = ("left_foot", "right_foot")
G = 9.80665


@asserts("2007/bushes/axes", "2007/bushes/mass")
def test_the_figure_weighs_and_turns_as_before():
    """Mass, centre of mass and the locked figure's inertia (the base's six rows of the mass matrix) are those of the
    rigid figure."""
    rigid = bk.human()
    soft = bushes(rigid, FEET).build()
    assert soft.nv == rigid.nv + 6 and sum(j.name.endswith(NAMES) for j in soft.joints) == 6
    a, b = bk.crba(rigid, rigid.neutral())[:6, :6], bk.crba(soft, soft.neutral())[:6, :6]
    assert np.allclose(a, b, atol=1e-10)
    assert np.allclose(bk.centre_of_mass(soft, soft.neutral()), bk.centre_of_mass(rigid, rigid.neutral()), atol=1e-12)


@asserts("2007/bushes/sink")
def test_bushes_sink_and_turn_by_load_over_stiffness():
    """At rest: k z = weight above the rubber on each foot, k a = moment that the bush carries about the ankle."""
    rubber = Bushes(stiffness=2e5, turning_stiffness=2500.0, turning_damping=200.0)
    soft = bushes(bk.human(), FEET, rubber).build()
    world = World()
    world.add_ground()
    figure = world.add(soft)
    figure.servo(
        8000.0, 300.0, joints=[j.name for j in soft.joints if j.nv and j.kind != "free" and not j.name.endswith(NAMES)]
    )
    sensor = world.add_sensor("force_torque", at=figure["left_foot"])
    world.push(figure["trunk"], force=(25.0, 0.0, 0.0), seconds=10.0)
    world.run(5.0)
    assert np.abs(figure.v).max() < 1e-5  # at rest: load of inertia below 1e-5 of the weight
    below = 2 * (1 - MOUNT) * 2.0  # kg: two feet, less their mounts
    sink, pitch = (float(figure.q[soft.joint(f"left_foot_{what}").iq]) for what in ("bush_z", "bush_pitch"))
    assert sink == pytest.approx(0.5 * (soft.mass - below) * G / 2e5, rel=1e-3)  # cos of the lean: 1e-4
    assert abs(pitch) > 1e-3 and 2500.0 * pitch == pytest.approx(-sensor.torque[1], rel=1e-3)


@pytest.mark.parametrize("turn", [(1, 0, 0, 0), (0.5, 0.5, 0.5, 0.5), (0.6, -0.3, 0.5, 0.1), (0.1, 0.9, 0.2, -0.4)])
@pytest.mark.parametrize("legs", [(1, 0, 0, 0), (0.8, 0.1, -0.5, 0.3)])
def test_bushes_give_way_up_left_and_ahead_however_the_foots_frame_is_turned(turn, legs):
    """Columns of the foot's Jacobian at rest, world axes, at the ankle: (0, 0, 1; 0), (0; 0, 1, 0), (0; 1, 0, 0), for
    feet whose frames, and those of the shanks above, are turned, with an ankle beside the frame's origin."""
    fig = bk.Description("robot")
    ankle = np.array([0.02, -0.05, 0.03])
    fig.add("trunk", None, bk.free(), at=(0, 0, 1.0), mass=20.0, moments=(1, 1, 1))
    for side, y in (("left", 0.1), ("right", -0.1)):
        fig.add(f"{side}_shank", "trunk", bk.hinge(f"{side}_hip", (0, 1, 0)), at=(0, y, -0.5), rotation=legs, mass=3.0,
                moments=(0.1, 0.1, 0.1))  # fmt: skip
        joint = bk.hinge(f"{side}_ankle", (0, 1, 0), anchor=ankle)
        fig.add(
            f"{side}_foot", f"{side}_shank", joint, at=(0, 0, -0.3), rotation=turn, mass=1.0, moments=(0.1, 0.1, 0.1)
        )
    soft = bushes(fig, FEET).build()
    q = soft.neutral()
    for foot in FEET:
        J, R = bk.frame_jacobian(soft, q, foot), bk.kinematics(soft, q).pose(foot)[1]
        arm = R @ ankle  # from the foot's origin to its ankle
        for what, linear, angular in (
            ("bush_z", (0, 0, 1), (0, 0, 0)), ("bush_pitch", (0, 0, 0), (0, 1, 0)), ("bush_roll", (0, 0, 0), (1, 0, 0)),
        ):  # fmt: skip
            column = J[:, soft.joint(f"{foot}_{what}").iv]
            assert np.allclose(column[3:], angular, atol=1e-12)
            assert np.allclose(column[:3] + np.cross(column[3:], arm), linear, atol=1e-12)


def test_default_rubber_is_scaled_by_the_weight():
    """Twice the mass: twice the stiffness; the same height."""
    one, two = (bushes(bk.human(mass=m), FEET).build() for m in (50.0, 100.0))
    for what in ("bush_z", "bush_pitch", "bush_roll"):
        k = [m.stiffness[m.joint(f"right_foot_{what}").iv] for m in (one, two)]
        assert k[1] == pytest.approx(2 * k[0])


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (lambda: bushes(bk.human(), ("left_foott",)), "left_foot"),
        (lambda: bushes(bk.human(), ("pelvis",)), "hangs on no joint"),
        (lambda: bushes(bk.human(), ("left_foot", "left_foot")), "one body"),
        (lambda: Bushes(stiffness=-1.0), "above 0"),
        (lambda: Bushes(damping=float("nan")), "0 or more"),
    ],
)
def test_bad_input(act, says):
    """One sentence each."""
    with pytest.raises(bk.BunrakuError, match=says):
        act()
