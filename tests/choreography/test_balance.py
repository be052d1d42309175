"""What the balance of a choreographed figure asks of the floor, against the law written out, and without balance."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.choreography.balance import LOWEST, PUSH

GYRATION = 0.15  # m^2: inertia over mass, with which angular accelerations are weighed


def pushed(force=(60.0, -40.0, 0.0), **options):
    """A figure that stands on two feet and takes no step, a while after a push; and its problem."""
    c = bk.Choreography(**{"steps": False, **options})
    c.world.push(c.figure["trunk"], force, 0.1)
    c.step(150)
    return c, c.world.problem.p


def test_rates_of_momentum_are_those_of_the_law():
    c, p = pushed()
    seen, g, mass = c.world.seen, c.gains, c.model.mass
    assert seen.supports == 2
    com, rate, spin = (np.array(x) for x in (seen.com, seen.com_rate, seen.spin))
    soles = [c.figure.pose(f"{side}_sole")[0] for side in ("left", "right")]
    reference = np.array(seen.reference)
    assert reference == pytest.approx(np.mean(soles, axis=0)[:2], abs=2e-3)  # of the step's beginning
    w = np.sqrt(np.linalg.norm(c.model.gravity) / max(com[2], LOWEST))
    assert seen.pendulum == pytest.approx(w, rel=1e-3)
    w = seen.pendulum
    x = com[:2] + rate[:2] / w
    assert seen.capture == pytest.approx(x, abs=1e-12)
    assert np.abs(x - reference).max() > 5e-3  # the push is felt
    wanted = np.clip(w * w * (com[:2] - x - g.balance_gain * (x - reference)), -PUSH, PUSH)
    assert p.momentum.column("wanted")[:2] == pytest.approx(mass * wanted, rel=1e-9)
    assert p.momentum.column("wanted")[2] == 0.0
    assert p.momentum.column("wanted")[3:] == pytest.approx(-g.spin_gain * spin, rel=1e-9)
    weights = [g.balance_weight / mass**2] * 2 + [0.0] + [g.spin_weight / (GYRATION * mass) ** 2] * 3
    assert p.momentum.column("weight") == pytest.approx(weights, rel=1e-9)
    assert c.report.state == "standing"


def test_a_large_push_asks_for_no_more_than_the_bound():
    c, p = pushed((0.0, -900.0, 0.0))
    asked = np.abs(p.momentum.column("wanted")[:2]) / c.model.mass
    assert asked.max() == pytest.approx(PUSH, rel=1e-9)


def test_without_balance_the_floor_is_inert():
    c, p = pushed(balance=False)
    assert c.world.seen.supports > 0 and np.all(p.momentum.column("wanted") == 0.0)
    weight, mass = p.momentum.column("weight"), c.model.mass
    assert weight[:2] == pytest.approx(c.gains.inert_weight / mass**2) and weight[2] == 0.0
    assert weight[3:] == pytest.approx(c.gains.inert_weight / (GYRATION * mass) ** 2)


def test_in_the_air_nothing_is_asked_of_the_floor():
    c = bk.Choreography(at=(0.0, 0.0, 3.0))
    c.step(10)
    assert c.world.seen.supports == 0 and np.all(c.world.problem.p.momentum.rows == 0.0)
