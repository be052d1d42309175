"""Reports of walks: work is energy, noise is what was put in, landings and ways of made-up feet, a figure that
collapses has fallen."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from bunraku.cli.common import plain
from bunraku.dynamics.functions import kinematics
from bunraku.humanoid.foot import feet_of
from bunraku.humanoid.foot_loads import FootLoads
from bunraku.walking.walk_report import landed, noise_alone, off_places, phases, walk_report, way
from squatting import record_squat

WEIGHT = 700.0


def made_up(force=None, steps=4, length=0.3):
    """Feet that take turns every half second, each swing moving one `length` beyond the other foot."""
    t = np.arange(1, 1000 * (steps + 2) // 2 + 1) * 1e-3
    n = len(t)
    place, state = np.zeros((n, 2, 3)), np.full((n, 2), 3)
    place[:, 0, 1], place[:, 1, 1] = 0.1, -0.1
    for k in range(steps):
        begin, side = 0.5 * (k + 1) + 0.1, k % 2
        swing = (t > begin) & (t < begin + 0.4)
        state[swing, side] = 0
        place[t >= begin + 0.4, side, 0] = (k + 1) * length
        place[swing, side, 0] = (k + 0.5) * length
    up = np.where(state > 0, 1.0, 0.0) * WEIGHT / (state > 0).sum(axis=1)[:, None] if force is None else force(t, state)
    forces = np.zeros((n, 2, 3))
    forces[..., 2] = up
    turn = np.tile(np.eye(3), (n, 2, 1, 1))
    return FootLoads(t, forces, place.copy(), state, place, turn, np.full((2, 2), 0.1), WEIGHT, np.zeros(n))


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    with record_squat(tmp_path_factory.mktemp("squat") / "squat.bkr") as r:
        yield walk_report(r, feet_of(r.figure().model)), r


def test_the_work_of_the_joints_is_the_change_of_energy(report):
    """Soles that stick do no work, the push does; semi-implicit Euler errs by O(dt) of the work that is done: 1 % here."""
    found, r = report
    f = r.figure()
    place = kinematics(f.model, r.q[:, f.part.q].astype(float)).pose("trunk")[0]
    pushed = 40.0 * float(place[250, 1] - place[200, 1])
    assert r.energy[-1, 0] - r.energy[0, 0] < -20.0  # J
    assert sum(found.work) + pushed == pytest.approx(
        r.energy[-1, 0] - r.energy[0, 0], abs=0.01 * (found.work[0] - found.work[1])
    )


def test_a_squat_is_no_walk(report):
    data = report[0].summary()
    assert data["falls"] == 0 and data["steps"] == 0 and data["distance_m"] < 0.01
    assert data["support_share"]["double"] == pytest.approx(1.0, abs=0.02)
    assert [p["newtons"] for p in data["pushes"]] == [pytest.approx(40.0)]
    assert data["pushes"][0]["begin_s"] == pytest.approx(0.2) and data["pushes"][0]["end_s"] == pytest.approx(0.25)
    json.dumps(plain(data), allow_nan=False)


def test_one_that_collapses_has_fallen(tmp_path):
    with record_squat(tmp_path / "fall.bkr", servos=False, seconds=1.2) as r:
        found = walk_report(r, feet_of(r.figure().model))
    assert found.fell is not None and 0.2 < found.fell < 1.0
    assert found.summary()["falls"] == 1


def test_landings_and_the_way_between_them():
    loads = made_up()
    landings, (begin, end) = landed(loads, None)
    assert [side for _, side in landings] == [0, 1, 0, 1]
    assert [t for t, _ in landings] == pytest.approx([1.0, 1.5, 2.0, 2.5], abs=2e-3)
    assert (begin, end) == pytest.approx((0.6, 2.5), abs=2e-3)
    # middles between the soles: 0.5, 1.5, 2.5, 3.5 lengths ahead
    assert way(loads, landings, None) == pytest.approx(3.5 * 0.3)
    assert len(landed(loads, 1.7)[0]) == 2 and way(loads, landings[:2], 1.7) == pytest.approx(1.5 * 0.3)


@pytest.mark.parametrize(("hertz", "kept"), [(120.0, 1.0), (2.0, 0.0)])
def test_noise_is_what_was_put_in_above_the_cut(hertz, kept):
    """A Butterworth of order 2, forwards and back, passes 1 / (1 + (30/f)^4) of a sine; ends of a support are less
    exact."""
    loads = made_up(
        lambda t, state: np.where(state > 0, WEIGHT * (1 + 0.01 * np.sin(2 * np.pi * hertz * t))[:, None], 0.0)
    )
    most, rms = noise_alone(loads, None)
    assert rms == pytest.approx(kept * 0.01 / np.sqrt(2) / (1 + (30.0 / hertz) ** 4), abs=5e-4)
    assert most < 0.02


def test_places_at_the_end_against_the_pattern():
    loads = made_up()
    c, s = np.cos(0.1), np.sin(0.1)
    turned = np.tile(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]), (1, 2, 1, 1))
    pattern = SimpleNamespace(sole_position=loads.position[-1:] + np.array([0.03, 0.04, 1.0]), sole_rotation=turned)
    assert off_places(loads, pattern) == pytest.approx((0.05, 0.1))


def test_a_walker_that_lands_late_is_at_the_pattern_s_phase():
    t = np.arange(0.0, 3.01, 0.01)
    contact = np.ones((len(t), 2), dtype=bool)
    contact[(t > 0.5) & (t < 0.995), 0] = contact[(t > 1.5) & (t < 1.995), 1] = False
    pattern = SimpleNamespace(times=t, contact=contact)
    found = phases(np.array([0.0, 0.55, 1.1, 1.65, 2.2, 2.7]), 0.0, pattern, [(1.1, 0), (2.2, 1)])
    assert found == pytest.approx([0.0, 0.5, 1.0, 1.5, 2.0, 2.5])
    assert phases(np.array([0.5, 2.0]), 0.0, pattern, []) == pytest.approx([0.5, 2.0])
    assert phases(np.array([2.0]), 0.0, pattern, [(1.1, 1)]) == pytest.approx(
        [2.0]
    )  # the other foot: not the plan's landing
