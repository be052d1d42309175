"""What sweeps buy: problems that are contact problems, curves that say what laws say."""

import numpy as np
import pytest

from asserts import asserts
from bunraku.scene.sweep_study import off_opposite, on_boxes, on_piles, random_pile, slip_angles, solved


@pytest.fixture(scope="module")
def piles():
    rng = np.random.default_rng(7)
    return [random_pile(rng) for _ in range(40)]


def test_piles_are_contact_problems(piles):
    for K, b, mu in piles:
        assert np.allclose(K, K.T) and np.linalg.eigvalsh(K)[0] > -1e-9 * np.trace(K) and len(b) == 30 and mu > 0


def test_slip_is_measured_from_where_friction_should_lead():
    friction = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    slip = np.array([[-3.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    assert np.allclose(off_opposite(friction, slip), [0.0, 90.0, 45.0], atol=1e-6)


@asserts("2007/direction/approach")
def test_published_slip_is_off_by_ten_degrees_and_ours_is_not(piles):
    theirs, ours = (on_piles(piles, name, (1, 30, 480)) for name in ("pgs_2007", "pgs"))
    assert 7.0 < theirs.angle[-1] < 13.0 and ours.angle[-1] < 1e-4
    assert theirs.residual[-1] > 1e-3 > 1e-9 > ours.residual[-1]
    assert np.all(np.diff(theirs.penetration) < 0) and theirs.penetration[-1] < 1e-7  # what approaches does converge
    K, b, mu = piles[0]
    lam, residual = solved(K, b, mu, "pgs", 480)
    assert residual <= 1e-9 and np.all(lam.reshape(-1, 3)[:, 0] >= 0)
    assert len(slip_angles(K, b, lam)) > 0


def test_boxes_on_a_slope():
    theirs, ours = (on_boxes(name, (2, 120), 0.5) for name in ("pgs_2007", "pgs"))
    assert theirs.residual[0] > 10 * theirs.residual[1] > 10 * ours.residual[1]
    assert max(theirs.penetration[1], ours.penetration[1]) < 1e-4
    assert ours.angle[1] < 1e-3 < theirs.angle[1] < 20.0
