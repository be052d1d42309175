"""The stabiliser: pushes that servos do not survive, an estimate from sensors alone, plans and their phases."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.control import balance_arrays as b
from bunraku.control.walking_plan import COM, COM_RATE, FOOT, ZMP, swings_of
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
    seen = walker.stabiliser.estimate.seen
    assert np.abs(seen[b.COM : b.COM + 3] - walker.figure.com).max() < 2e-3
    rate = walker.figure.momentum / walker.model.mass
    assert np.abs(seen[b.COM_RATE : b.COM_RATE + 3] - rate).max() < 0.03


def test_it_believes_its_sensors(pattern):
    """An IMU that reads 0.02 rad too much about y: the true base leans by as much the other way, while the estimate sees it upright."""
    bias = (0.0, 0.02, 0.0)
    walker = Walker(pattern, stabiliser=True, sensors={"imu": {"bias": {"orientation": bias}}})
    walker.run(2.5)
    R = walker.figure.pose("pelvis")[1]
    lean = float(np.arctan2(R[0, 2], R[2, 2]))
    assert lean == pytest.approx(-0.02, abs=0.004) and walker.fell is None
    n = b.OF_BODY + 2 * b.BODY_SIZE + b.TURN
    assert abs(np.arctan2(walker.stabiliser.estimate.seen[n + 2], walker.stabiliser.estimate.seen[n + 8])) < 0.004


def test_the_law_of_one_period(pattern):
    """After any period: capture point, error, sum, pressure and force are those of the module text's equations, in NumPy from what was seen."""
    walker = Walker(pattern, bushes=True, stabiliser=True)
    s, k_f = walker.stabiliser, walker.stabiliser.room.w[b.B_FIGURE]
    feel, seen, row, ask = (s.room.w[k] for k in (b.B_FEEL, b.B_SEEN, b.B_ROW, b.B_ASK))
    walker.run(0.2)
    walker.world.push(walker.figure["trunk"], (120.0, 40.0, 0.0), 0.1)
    free = 0
    for _ in range(120):
        before = s.sum.copy()
        walker.world.step(4)
        com, rate = seen[b.COM : b.COM + 3], seen[b.COM_RATE : b.COM_RATE + 3]
        w = np.sqrt(9.80665 / (com[2] - row[ZMP + 2]))
        assert feel[b.CAPTURE : b.CAPTURE + 2] == pytest.approx(com[:2] + rate[:2] / w, abs=1e-12)
        error = feel[b.ERROR : b.ERROR + 2]
        assert s.sum == pytest.approx(np.clip((1 - 0.002) * before + 0.004 * error, -0.05, 0.05), abs=1e-15)
        force = k_f[b.MASS] * w**2 * (com[:2] - s.pressure)
        assert ask[b.FORCE : b.FORCE + 2] == pytest.approx(force, rel=1e-9, abs=1e-9)
        if s.moved is None and not s.stepping.offset.any():  # both feet where they are planned to be
            wanted = row[COM : COM + 2] + row[COM_RATE : COM_RATE + 2] / w
            assert error == pytest.approx(feel[b.CAPTURE : b.CAPTURE + 2] - wanted, abs=1e-12)
            p = row[ZMP : ZMP + 2] + 3.0 * error + s.sum + 0.3 * s.missed
            if np.abs(p - row[ZMP : ZMP + 2]).max() < 0.03:  # well inside the soles
                free += 1
                assert s.pressure == pytest.approx(p, abs=1e-12)
    assert free > 10
    assert walker.fell is None


def test_a_plan_has_the_patterns_feet_and_one_pendulum(pattern):
    """Soles and centre of mass are the pattern's; the zero-moment point of the plan is near the whole figure's own."""
    plan, fine = stabiliser_plan(pattern, 0.004), pattern.at_rate(0.004)
    assert np.allclose(plan.rows[:, FOOT : FOOT + 3], fine.sole_position[:, 0], atol=1e-9)
    assert np.allclose(plan.rows[:, COM : COM + 3], fine.com, atol=1e-5)
    assert [s[0] for s in plan.swings] == [0, 1]
    w = np.sqrt(9.80665 / plan.rows[:, COM + 2])
    capture = plan.rows[:, COM : COM + 2] + plan.rows[:, COM_RATE : COM_RATE + 2] / w[:, None]
    rate = np.gradient(capture, 0.004, axis=0)  # x' = w (x - p)
    inner = slice(10, -10)
    assert np.abs(rate - w[:, None] * (capture - plan.rows[:, ZMP : ZMP + 2]))[inner].max() < 0.01


def test_swings_are_found_in_contacts():
    """(side, lift, landing)."""
    contact = np.ones((10, 2), dtype=bool)
    contact[2:4, 1] = contact[6:8, 0] = False
    assert swings_of(contact) == ((1, 2, 4), (0, 6, 8))
