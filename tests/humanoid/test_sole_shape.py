"""The rectangle under a foot: as long as its shapes, as wide as the narrower end, in the frame of a body that may be
turned."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.humanoid.sole_shape import foot_on
from turns import matrix

TURN = (0.5, 0.5, -0.5, 0.5)


def foot(shapes, rotation=None):
    """(model, poses): a foot 0.1 m above the world's origin whose shapes are given in world axes."""
    R = np.eye(3) if rotation is None else matrix(rotation)
    fig = bk.Description("foot")
    for s in shapes:
        s.position, s.rotation = tuple(R.T @ (np.array(s.position) - [0, 0, 0.1])), R.T
    fig.add("foot", None, bk.free(), at=(0, 0, 0.1), rotation=rotation, mass=1.0, moments=(1, 1, 1), shapes=shapes)
    model = fig.build()
    return model, bk.kinematics(model, model.neutral())


@pytest.mark.parametrize("rotation", [None, TURN])
def test_as_wide_as_the_narrower_end(rotation):
    """Balls of 5 mm at x -0.05 (y ±0.03) and 0.12 (y from -0.02 to 0.04), z 0.02; one more higher up does not count."""
    places = [(-0.05, -0.03), (-0.05, 0.03), (0.12, -0.02), (0.12, 0.04)]
    balls = [bk.Shape("sphere", (0.005,), (x, y, 0.02)) for x, y in places]
    model, k = foot([*balls, bk.Shape("sphere", (0.005,), (0.3, 0.3, 0.03))], rotation)
    sole = foot_on(model, "foot", 0, k, {})
    assert np.allclose(sole.half, (0.085, 0.025))  # heel to toe; y from -0.02 to 0.03
    p, R = k.pose("foot")
    assert np.allclose(p + R @ sole.position, (0.035, 0.005, 0.015)) and np.allclose(R @ sole.rotation, np.eye(3))


def test_a_stated_sole_is_mirrored_and_a_thin_one_refused():
    model, k = foot([bk.Shape("capsule", (0.01, 0.05), (0, 0, 0.05))])
    stated = {"feet": {"sole": {"below": 0.1, "ahead": 0.03, "left": 0.02, "half": [0.1, 0.05]}}}
    left, right = (foot_on(model, "foot", side, k, stated) for side in (0, 1))
    assert np.allclose(left.position, (0.03, 0.02, -0.1)) and np.allclose(right.position, (0.03, -0.02, -0.1))
    with pytest.raises(InputError, match="cannot stand on that"):
        foot_on(model, "foot", 0, k, {})
