"""Newton's cradle: the chain of impacts where gaps are wider than v dt, one simultaneous event where they are not."""

import numpy as np
import pytest

import bunraku as bk

RADIUS, SPEED = 0.05, 1.0


def speeds(count, gap, dt):
    """After a row of equal balls was hit by its first at 1 m/s."""
    world = bk.World(dt=dt, gravity=(0, 0, 0))
    at = [(k * (2 * RADIUS + gap) - 0.02 * (k == 0), 0, 0) for k in range(count)]
    balls = [
        world.add(bk.sphere(RADIUS, 1.0), at=p, name=f"ball{k}", restitution=1.0, friction=0.0)
        for k, p in enumerate(at)
    ]
    balls[0].v[0] = SPEED
    world.run(seconds=0.1)
    return np.array([b.v[0] for b in balls])


@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize(("gap", "dt"), [(2e-3, 1e-3), (5e-4, 1e-4)])
def test_a_chain_where_gaps_are_wider_than_a_step(count, gap, dt):
    assert gap > SPEED * dt
    assert np.allclose(speeds(count, gap, dt), [0.0] * (count - 1) + [SPEED], atol=1e-6)


def test_touching_balls_rebound_at_once():
    """Each of the n - 1 contacts has e = 1 at the same instant: v+ of the row is that of the simultaneous law, and momentum
    and energy are kept."""
    for count in (3, 5):
        v = speeds(count, 0.0, 1e-3)
        rest = 2.0 * SPEED / count
        assert np.allclose(v, [rest - SPEED, *[rest] * (count - 1)], atol=1e-6)
        assert np.isclose(v.sum(), SPEED) and np.isclose(v @ v, SPEED**2)


def test_nothing_is_gained_in_between():
    """Gaps that one step closes: momentum is kept and energy is not gained."""
    for gap in (1e-6, 1e-4, 5e-4, 9e-4):
        v = speeds(3, gap, 1e-3)
        assert np.isclose(v.sum(), SPEED, atol=1e-6) and v @ v < SPEED**2 * (1 + 1e-6)
