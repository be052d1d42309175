"""A choreography with strict levels (Yamane & Nakamura 2002): pins hold whatever joint values are desired."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts


def hand_off(priority):
    """How far a pinned hand leaves its place [m] at the most while joint values that move it are desired."""
    c = bk.Choreography(priority=priority, steps=False)
    c.pin("left_hand")
    c.pose({"left_elbow": 2.2, "left_shoulder": [0.8, 0.0, -0.6, 0.0]})
    worst = 0.0
    for _ in range(50):
        c.run(0.02)
        worst = max(worst, c.violations[0].metres)
    assert c.report.state == "standing"
    return worst


def test_a_pin_does_not_see_what_joints_are_desired():
    strict, weighed = hand_off("2002"), hand_off("weights")
    assert strict < 1e-4 and strict < 0.7 * weighed


def test_a_drag_arrives_and_the_figure_stands():
    c = bk.Choreography(priority="2002")
    drag, pin = c.drag("left_hand"), c.pin("right_hand", axes="pose")
    drag.to(drag.target + np.array([0.1, 0.1, -0.2]))
    c.pose({"right_knee": 0.5})
    c.run(2.0)
    found = {v.item: v for v in c.violations}
    assert found[drag].metres < 1e-3 and found[pin].metres < 1e-3 and c.report.state == "standing"


def test_pins_that_contradict_give_way_smoothly():
    c = bk.Choreography(priority="2002")
    at = c.figure.pose("left_hand")[0]
    a, b = (c.pin("left_hand", at=at + np.array([0.1, 0.0, z])) for z in (0.2, 0.3))
    c.run(2.0)
    found = {v.item: v.metres for v in c.violations}
    assert found[a] + found[b] == pytest.approx(0.1, abs=0.01)
    assert np.abs(c.figure.v).max() < 0.05 and c.report.state == "standing"


@asserts("2002/priority/singular")
def test_an_arm_that_is_stretched_out_is_calm():
    """Near the singular pose, a target just within reach: the figure comes to rest there."""
    c = bk.Choreography(priority="2002")
    c.drag("left_hand").to(c.figure.pose("left_hand")[0] + [0.0, 0.6, 0.3])
    c.run(3.0)
    assert c.violations[0].metres < 1e-4 and np.abs(c.figure.v).max() < 0.05 and c.report.state == "standing"
    assert c.figure.q[c.model.joint("left_elbow").iq] < 0.2  # hardly bent


def test_a_score_keeps_the_priority(tmp_path):
    c = bk.Choreography(priority="2002")
    c.pin("left_hand")
    c.pose({"left_elbow": 1.0})
    c.run(0.2)
    score = bk.Score.load(c.score.save(tmp_path / "s.toml", c.time))
    again = bk.Choreography.perform(score)
    assert again.priority == "2002" and np.array_equal(again.figure.q, c.figure.q)
    other = bk.Choreography.perform(score, priority="weights")
    assert not np.array_equal(other.figure.q, c.figure.q)
