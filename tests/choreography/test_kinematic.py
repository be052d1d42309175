"""The kinematic comparator's parts: the turn from one attitude to another, and what stands on the floor."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.choreography.kinematic import standing_links, turn_vector
from bunraku.motion.requests import shortened
from turns import about, matrix


@pytest.mark.parametrize("angle", [1e-3, 0.3, 1.5, 3.0])
def test_a_turn_vector_leads_from_one_attitude_to_the_other(angle):
    """Along the axis of goal R', in world axes, twice the sine of half the angle long."""
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    turn = about(axis, angle)
    R = matrix((0.5, 0.1, -0.7, 0.3))
    assert np.allclose(turn_vector(R, turn @ R), 2 * np.sin(angle / 2) * axis, atol=1e-12)


def test_a_long_vector_is_shortened_and_a_short_one_is_not():
    assert np.allclose(shortened(np.array([3.0, 0.0, 4.0]), 1.0), [0.6, 0.0, 0.8])
    assert np.array_equal(shortened(np.array([0.3, 0.0, 0.4]), 1.0), [0.3, 0.0, 0.4])


def test_feet_stand_and_a_lifted_one_does_not():
    model = bk.human()
    q = model.neutral()
    assert {f.name for f in standing_links(model, q)} == {"left_foot", "right_foot"}
    q[model.joint("left_knee").iq] = 1.0
    assert {f.name for f in standing_links(model, q)} == {"right_foot"}
