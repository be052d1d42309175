"""Yamane & Nakamura 2002, Fig. 2: standing on both feet, one hand dragged down: the hips go to the other side.

Kinematics alone does not move them.
"""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts

DOWN = 0.3  # m


def dragged(hand, **options):
    """(way of the pelvis [m], the hand's distance from its target [m]) after a second in which the target goes down."""
    c = bk.Choreography(**options)
    before = c.figure.pose("pelvis")[0]
    d = c.drag(hand)
    start, parts = d.target.copy(), 25
    for k in range(parts):
        d.to(start - [0.0, 0.0, DOWN * (k + 1) / parts])
        c.run(1.0 / parts)
    c.run(0.1)
    assert c.report.state == "standing"
    return c.figure.pose("pelvis")[0] - before, c.violations[0].metres


@pytest.mark.parametrize(("hand", "side"), [("left_hand", -1.0), ("right_hand", 1.0)])
@asserts("2002/fig2/hips", "2002/fig2/down", "2002/fig2/standing")
def test_hips_go_to_the_other_side(hand, side):
    way, off = dragged(hand, balance=False)
    assert side * way[1] > 0.010 and off < 0.02  # y is left


@pytest.mark.parametrize("hand", ["left_hand", "right_hand"])
@asserts("2002/fig2/kinematic", "2002/fig2/kinematic-down")
def test_without_dynamics_they_stay(hand):
    way, off = dragged(hand, dynamics=False, dt=0.004)
    assert np.linalg.norm(way) < 1e-3 and off < 0.02


@asserts("2002/fig2/mirror")
def test_both_hands_are_mirror_images():
    left, right = (dragged(hand, balance=False)[0] for hand in ("left_hand", "right_hand"))
    assert left == pytest.approx(right * [1, -1, 1], abs=1e-3)


@asserts("2002/fig2/while")
def test_the_time_of_it():
    """The target goes down by 0.3 m in a second: the hips have gone 10 mm to the right before 0.2 s, and are there all the
    while; 0.09 m at 1.1 s."""
    c = bk.Choreography(balance=False)
    start, d = c.figure.pose("pelvis")[0][1], c.drag("left_hand")
    high, right = d.target.copy(), []
    for k in range(110):
        d.to(high - [0.0, 0.0, DOWN * min((k + 1) / 100, 1.0)])
        c.run(0.01)
        right.append(start - c.figure.pose("pelvis")[0][1])
    assert 0.08 < next(0.01 * (k + 1) for k, x in enumerate(right) if x > 0.01) < 0.2
    assert min(right[20:]) > 0.01 and right[-1] == pytest.approx(0.09, abs=0.01)
