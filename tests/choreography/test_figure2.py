"""Document 004, Fig. 2: standing on both feet, one hand dragged down: the hips go to the other side.

Kinematics alone does not move them.
"""

import numpy as np
import pytest

import bunraku as bk

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
def test_hips_go_to_the_other_side(hand, side):
    way, off = dragged(hand, balance=False)
    assert side * way[1] > 0.010 and off < 0.02  # y is left


@pytest.mark.parametrize("hand", ["left_hand", "right_hand"])
def test_without_dynamics_they_stay(hand):
    way, off = dragged(hand, dynamics=False, dt=0.004)
    assert np.linalg.norm(way) < 1e-3 and off < 0.02


def test_both_hands_are_mirror_images():
    left, right = (dragged(hand, balance=False)[0] for hand in ("left_hand", "right_hand"))
    assert left == pytest.approx(right * [1, -1, 1], abs=1e-3)
