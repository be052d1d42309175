"""Robots on stage, and every contact model: they stand, follow a drag and stay up; what cannot be choreographed says so
in one sentence."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.humanoid.opening_pose import lowest, on_stage
from robots import robot

HANDS = {"human": "left_hand", "simple_humanoid": "l_wrist", "talos_reduced": "wrist_left_ft_tool_link"}


def figure(name):
    return bk.human() if name == "human" else bk.load(robot(name), root="free")


@pytest.mark.parametrize("contact", ["pgs", "virtual_link", "penalty"])
@pytest.mark.parametrize("name", list(HANDS))
def test_a_hand_is_dragged_and_the_figure_stays_up(name, contact):
    c = bk.Choreography(figure(name), contact=contact)
    assert abs(lowest(c.model, c.figure.q.copy())) < 1e-6  # soles on the floor
    c.run(0.2)
    com = c.figure.com
    drag = c.drag(HANDS[name])
    drag.to(drag.target + np.array([0.08, 0.0, 0.06]))
    c.run(0.8)
    assert c.report.state == "standing" and c.report.supports == 2
    assert c.violations[0].metres < 0.03 and abs(c.figure.com - com).max() < 0.03
    weight = c.model.mass * 9.80665
    assert abs(c.figure.ground_reaction[2] / weight - 1.0) < 0.05


@pytest.mark.parametrize("contact", ["pgs", "penalty"])
def test_a_foot_leaves_the_floor_when_it_is_dragged(contact):
    c = bk.Choreography(contact=contact)
    drag = c.drag("left_foot")
    drag.to(drag.target + np.array([0.0, 0.0, 0.08]))
    c.run(2.5)
    assert c.report.state == "standing" and c.figure.pose("left_foot")[0][2] > 0.12


def test_robots_stand_as_they_walk():
    model, q = on_stage(figure("talos_reduced"))
    assert {s.kind for s in model.shapes if s.role != "visual"} == {"box"} and len(q) == model.nq
    k = bk.kinematics(model, q)
    feet = [k.pose(f"leg_{side}_6_link")[0] for side in ("left", "right")]
    assert abs(bk.centre_of_mass(model, q)[:2] - np.mean(feet, axis=0)[:2]).max() < 0.05
    moved = bk.Choreography(figure("talos_reduced"), at=(1.0, 2.0)).figure.q
    assert np.allclose(moved[:2], (1.0, 2.0)) and np.array_equal(moved[2:], q[2:])


def test_what_cannot_be_choreographed_says_so():
    with pytest.raises(InputError, match="no joint that moves"):
        bk.Choreography(bk.sphere(0.1))
    with pytest.raises(InputError, match="no shape that touches"):
        bk.Choreography(bk.load(robot("human"), meshes=False, root="free"))
