"""Parts of what pins, drags and limits want: the turn to an attitude, how a limit is approached, vectors held short."""

import numpy as np
import pytest

from bunraku.choreography.feedback import FASTEST, SLOW, SOON, clipped, most_towards, turn_error
from bunraku.kernel.entry import entry
from bunraku.kernel.vec import ld3, ld9, st3
from turns import about, matrix


@entry("D D D")
def turning(R, goal, out):
    """`turn_error` into out (3)."""
    st3(out, 0, turn_error(ld9(R, 0), ld9(goal, 0)))
    return 0


@entry("D d D")
def shortened(x, most, out):
    """`clipped` into out (3)."""
    st3(out, 0, clipped(ld3(x, 0), most))
    return 0


@entry("d d")
def towards(gap, rate):
    """`most_towards`."""
    return most_towards(gap, rate)


@pytest.mark.parametrize("angle", [1e-3, 0.3, 1.5, 3.0])
def test_a_turn_error_leads_from_one_attitude_to_the_other(angle):
    """Along the axis of goal R', in world axes, twice the sine of half the angle long."""
    axis, out = np.array([2.0, -1.0, 2.0]) / 3.0, np.zeros(3)
    turn = about(axis, angle)
    R = matrix((0.5, 0.1, -0.7, 0.3))
    turning.call(R.ravel().copy(), (turn @ R).ravel().copy(), out)
    assert np.allclose(out, 2 * np.sin(angle / 2) * axis, atol=1e-9)


def test_vectors_are_held_short():
    out = np.zeros(3)
    for x, wanted in (((3.0, 0.0, 4.0), (0.6, 0.0, 0.8)), ((0.3, 0.0, 0.4), (0.3, 0.0, 0.4))):
        shortened.call(np.array(x), 1.0, out)
        assert np.allclose(out, wanted)


@pytest.mark.parametrize(("gap", "rate"), [(0.5, 3.0), (0.02, 0.1), (0.3, -2.0), (0.1, 0.0)])
def test_a_limit_is_approached_and_never_passed(gap, rate):
    """With the largest acceleration that is allowed, SOON g'' + g' + SLOW g = 0: it comes near as exp(-k t), k the
    smaller root of SOON k^2 - k + SLOW = 0 (about SLOW), and stays before it."""
    dt, time = 1e-4, 0.0
    while time < 1.0:
        rate += dt * towards.call(float(gap), float(rate))
        gap -= dt * rate
        time += dt
        assert gap > -1e-9
        if time == pytest.approx(0.7, abs=dt / 2):
            early = gap
    k = (1.0 - np.sqrt(1.0 - 4.0 * SLOW * SOON)) / (2.0 * SOON)
    assert gap == pytest.approx(early * np.exp(-k * (time - 0.7)), rel=0.02)
    assert towards.call(1e3, 0.0) == FASTEST and towards.call(-1e3, 0.0) == -FASTEST
