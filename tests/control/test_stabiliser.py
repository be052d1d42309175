"""The stabiliser: pushes that servos do not survive, an estimate from sensors alone, plans and their phases."""

import json
from pathlib import Path

import numpy as np
import pytest

import bunraku as bk
from bunraku.control.stabiliser import Gains
from bunraku.control.walking_plan import swings_of
from bunraku.humanoid.parts import humanoid
from bunraku.walking.footsteps import beside
from bunraku.walking.walker import Walker, stabiliser_plan
from bunraku.walking.walking_pattern import walking_pattern


@pytest.fixture(scope="module")
def pattern():
    """Four seconds of standing, then a step."""
    h = humanoid(bk.human())
    return walking_pattern(h, [beside(h, 0, 0.15, 0, 0), beside(h, 1, 0.15, 0, 0)], start=4.0, end=1.0)


def pushed(walker: Walker, size: float, degrees: float) -> Walker:
    """A push of `size` N s/kg in 0.1 s, and three seconds after it."""
    walker.run(0.2)
    force = size * walker.model.mass / 0.1
    way = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), 0.0])
    walker.world.push(walker.figure["trunk"], force * way, 0.1)
    return walker.run(3.0)


@pytest.mark.parametrize(("size", "degrees"), [(0.6, 0.0), (0.6, 90.0)])
def test_a_standing_figure_steps_out_of_a_push(pattern, size, degrees):
    """Servos alone fall."""
    assert pushed(Walker(pattern, bushes=True), size, degrees).fell is not None
    steady = pushed(Walker(pattern, bushes=True, stabiliser=True), size, degrees)
    assert steady.fell is None and np.abs(steady.figure.v).max() < 0.5


def test_the_estimate_is_the_truth_on_rigid_feet(pattern):
    """Without slip and rubber, odometry through the feet has the centre of mass and its rate."""
    walker = Walker(pattern, stabiliser=True)
    walker.run(4.5)  # one foot has swung and stands again
    seen = walker.stabiliser.seen
    assert np.abs(seen.com - walker.figure.com).max() < 2e-3
    rate = walker.figure.momentum / walker.model.mass
    assert np.abs(seen.com_rate - rate).max() < 0.03


def test_it_believes_its_sensors(pattern):
    """An IMU that reads 0.02 rad too much about y: the true base leans by as much the other way, while the estimate
    sees it upright."""
    bias = (0.0, 0.02, 0.0)
    walker = Walker(pattern, stabiliser=True, sensors={"imu": {"bias": {"orientation": bias}}})
    walker.run(2.5)
    R = walker.figure.pose("pelvis")[1]
    lean = float(np.arctan2(R[0, 2], R[2, 2]))
    assert lean == pytest.approx(-0.02, abs=0.004) and walker.fell is None
    turn = walker.stabiliser.seen.body[2].turn
    assert abs(np.arctan2(turn[2], turn[8])) < 0.004


def test_the_law_of_one_period(pattern):
    """After any period: capture point, error, sum, pressure and force are those of the module text's equations, in
    NumPy from what was seen."""
    walker = Walker(pattern, bushes=True, stabiliser=True)
    s, b = walker.stabiliser, walker.stabiliser.room.b
    walker.run(0.2)
    walker.world.push(walker.figure["trunk"], (120.0, 40.0, 0.0), 0.1)
    free = 0
    for _ in range(240):
        before = s.sum.copy()
        walker.world.step(2)
        com, rate, zmp = np.array(b.seen.com), np.array(b.seen.com_rate), np.array(b.row.zmp)
        w = np.sqrt(9.80665 / (com[2] - zmp[2]))
        assert b.feel.capture == pytest.approx(com[:2] + rate[:2] / w, abs=1e-12)
        error = b.feel.error
        assert s.sum == pytest.approx(np.clip((1 - 0.001) * before + 0.002 * error, -0.05, 0.05), abs=1e-15)
        force = b.figure.mass * w**2 * (com[:2] - s.pressure)
        assert np.array(b.ask.force[:2]) == pytest.approx(force, rel=1e-9, abs=1e-9)
        if s.moved is None and not s.stepping.offset.rows.any():  # both feet where they are planned to be
            wanted = np.array(b.row.com[:2]) + np.array(b.row.com_rate[:2]) / w
            assert error == pytest.approx(b.feel.capture - wanted, abs=1e-12)
            p = zmp[:2] + 3.0 * error + s.sum + 0.3 * s.missed
            if np.abs(p - zmp[:2]).max() < 0.03:  # well inside the soles
                free += 1
                assert s.pressure == pytest.approx(p, abs=1e-12)
    assert free > 10
    assert walker.fell is None


def test_a_state_of_version_0_1_is_taken_up(pattern):
    """Saved by version 0.1 in the middle of a reserve step: it is put back whole, and gives the torques of then with the
    gains and the period of then. They differ by 2 mN m, as the swinging foot's angular acceleration counts now, and
    `raised` was not known."""
    kept = json.loads((Path(__file__).parent / "stabiliser_0_1.json").read_text())
    old = Gains(foot=(600.0, 50.0), settle=0.0, rest=0.0)
    s = Walker(pattern, bushes=True, stabiliser=old, period=0.004).stabiliser
    s.restore(kept["state"])
    state = json.loads(json.dumps(s.state()))
    assert state["stepping"].pop("raised") == 0.0 and state["gains"].pop("settle") == state["gains"].pop("rest") == 0.0
    assert state == kept["state"]
    assert s.stepping.pace == kept["state"]["stepping"]["rate"] and s.stepping.swing == 1.0
    assert s.torques() == pytest.approx(kept["torques"], rel=1e-6, abs=3e-3)


def test_a_plan_has_the_patterns_feet_and_one_pendulum(pattern):
    """Soles and centre of mass are the pattern's; the zero-moment point of the plan is near the whole figure's own."""
    plan, fine = stabiliser_plan(pattern, 0.004), pattern.at_rate(0.004)
    com, com_rate, zmp = (plan.rows.column(name) for name in ("com", "com_rate", "zmp"))
    feet = plan.rows.column("foot")
    assert np.allclose(feet[..., :2], fine.sole_position[..., :2], atol=1e-9)
    assert np.allclose(feet[fine.contact, 2], fine.sole_position[fine.contact, 2], atol=1e-9)  # swings end softly
    assert np.allclose(com, fine.com, atol=1e-5)
    assert [s[0] for s in plan.swings] == [0, 1]
    w = np.sqrt(9.80665 / com[:, 2])
    capture = com[:, :2] + com_rate[:, :2] / w[:, None]
    rate = np.gradient(capture, 0.004, axis=0)  # x' = w (x - p)
    inner = slice(10, -10)
    assert np.abs(rate - w[:, None] * (capture - zmp[:, :2]))[inner].max() < 0.01


def test_swings_are_found_in_contacts():
    """(side, lift, landing)."""
    contact = np.ones((10, 2), dtype=bool)
    contact[2:4, 1] = contact[6:8, 0] = False
    assert swings_of(contact) == ((1, 2, 4), (0, 6, 8))
