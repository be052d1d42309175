"""What feet carry: sums of forces, centres of pressure, states and margins of a figure that squats on its soles; hulls
in closed form."""

import numpy as np
import pytest

from bunraku.errors import InputError
from bunraku.humanoid.foot import feet_of
from bunraku.humanoid.foot_loads import foot_loads, hull_margin, runs
from squatting import record_squat

SQUARE = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])


@pytest.fixture(scope="module")
def squat(tmp_path_factory):
    with record_squat(tmp_path_factory.mktemp("squat") / "squat.bkr") as r:
        yield r, foot_loads(r, feet_of(r.figure().model))


def test_both_feet_carry_all_of_the_ground_reaction(squat):
    r, loads = squat
    assert np.allclose(loads.force.sum(axis=1), r.forces[1:, 0], atol=1e-9 * loads.weight)
    assert np.all(loads.other == 0.0)


def test_centres_of_pressure_make_the_zero_moment_point(squat):
    r, loads = squat
    up = loads.force[..., 2]
    both = (up[..., None] * loads.cop).sum(axis=1) / up.sum(axis=1)[:, None]
    assert np.allclose(both[:, :2], r.zmp[1:, 0, :2], atol=1e-6)  # both soles lie in the ground: friction has no arm


def test_soles_stand_flat_and_hold_the_pressure(squat):
    r, loads = squat
    assert np.all(loads.state[10:] == 3)
    assert np.abs(loads.corners[10:, :, :, 2]).max() < 1e-3
    assert np.all(np.abs(loads.local(loads.cop)[10:]) <= loads.half + 1e-6)
    margin = loads.margin(r.zmp[1:, 0])
    assert np.all(margin[10:] > 0.02) and np.all(margin <= 0.095 + 1e-6)  # half a sole's length


def test_margins_in_closed_form():
    corners = np.concatenate([SQUARE, SQUARE + np.array([4.0, 0.0])])[None].repeat(4, axis=0)
    on = np.ones((4, 8), dtype=bool)
    on[2, 4:] = False  # the second square in the air
    on[3] = False
    points = np.array([(2.0, 0.5), (5.5, 0.0), (2.0, 0.0), (0.0, 0.0)])
    assert hull_margin(corners, on, points)[:3] == pytest.approx([0.5, -0.5 + 0.0, -1.0])
    assert np.isnan(hull_margin(corners, on, points)[3])


def test_two_feet_are_wanted(squat):
    r, _ = squat
    with pytest.raises(InputError, match="1 feet; wanted two"):
        foot_loads(r, feet_of(r.figure().model)[:1])


def test_runs():
    assert runs(np.array([True, False, True, True])) == [(0, 1), (2, 4)] and runs(np.zeros(3, dtype=bool)) == []
