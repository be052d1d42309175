"""Rates of heel, toe and axes by differences; velocities and their rates, too."""

import pytest

from bunraku.gaits import sole_points as sole
from bunraku.gaits.gait import walking_twin
from draws import fresh_rng


@pytest.fixture(scope="module")
def twin():
    return walking_twin(1.7, 69.0)


def test_rates_by_differences(twin):
    carry = sole.carriers(twin)
    assert carry[:, :6].all() and carry.sum() == 2 * 12
    rng, h = fresh_rng(), 1e-6
    Q, d = rng.uniform(-0.5, 0.5, (2, twin.model.nv))
    s = sole.soles(twin, Q[None], 0.06, carry)
    low, high = (sole.soles(twin, (Q + e * d)[None], 0.06, carry).value for e in (-h, h))
    assert ((high - low) / (2 * h))[0] == pytest.approx(s.J[0] @ d, abs=1e-8)


@pytest.mark.parametrize("foot", [0, 1])
@pytest.mark.parametrize("part", [sole.HEEL, sole.TOE])
def test_velocity_and_its_rates(twin, foot, part):
    carry = sole.carriers(twin)
    rng, h = fresh_rng(), 1e-6
    Q, V, d = rng.uniform(-0.5, 0.5, (3, twin.model.nv))

    def velocity(q):
        return sole.point_velocity(sole.soles(twin, q[None], 0.06, carry), 0, foot, part, V)

    v, rate = velocity(Q)
    ahead = (sole.soles(twin, (Q + e * V)[None], 0.06, carry).value[0, foot, part] for e in (h, -h))
    forward, back = ahead
    assert v == pytest.approx((forward - back) / (2 * h), abs=1e-8)
    assert rate @ d == pytest.approx((velocity(Q + h * d)[0] - velocity(Q - h * d)[0]) / (2 * h), abs=1e-7)
