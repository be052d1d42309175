"""Random pairs against coal, which we did not write: distance and direction of shapes apart, depth of shapes that
overlap.

Also: the same under exchange of the shapes and under a rigid motion of both, to rounding."""

import coal
import numpy as np
import pytest

from bunraku.collision.boxes import PROOF
from collision_scenes import KINDS, coal_distance, contacts_of, poses, random_rotation, random_shape, scene

PAIRS = [(a, b) for i, a in enumerate(KINDS) for b in KINDS[i:]]


def random_pair(rng, kinds):
    shapes = [random_shape(rng, k) for k in kinds]
    return shapes, poses(*((rng.uniform(-0.6, 0.6, 3), random_rotation(rng)) for _ in kinds))


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_distance_and_normal(kinds):
    rng = np.random.default_rng(10)
    apart = overlap = 0
    for _ in range(150):
        shapes, where = random_pair(rng, kinds)
        d, n = coal_distance(coal, shapes, where)
        _, data = contacts_of(scene(*shapes), where, 10.0)
        gap = data[:, 6].min()
        assert np.isfinite(data).all()
        if d > 0:  # unique: distance and direction
            assert abs(gap - d) < 1e-6 * d
            assert np.linalg.norm(data[0, 3:6] - n) < 1e-6
            apart += 1
        else:  # the least depth is unique, its direction need not be
            assert abs(gap - d) < 1e-6
            overlap += 1
    assert apart > 30 and overlap > 10


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_exchange_and_rigid_motion(kinds):
    rng = np.random.default_rng(12)
    for _ in range(60):
        shapes, where = random_pair(rng, kinds)
        _, one = contacts_of(scene(*shapes), where, 0.3)
        _, two = contacts_of(scene(*shapes[::-1]), where[[0, 2, 1]], 0.3)
        R, p = random_rotation(rng), rng.normal(size=3)
        there = where.copy()
        for k in (1, 2):
            there[k, :9] = (R @ where[k, :9].reshape(3, 3)).ravel()
            there[k, 9:] = R @ where[k, 9:] + p
        _, moved = contacts_of(scene(*shapes), there, 0.3)
        assert len(one) == len(two) == len(moved)
        if len(one) and one[:, 6].min() > 0:  # apart: everything is unique
            assert np.allclose(sorted(one[:, 6]), sorted(two[:, 6]), atol=1e-9)
            assert np.allclose(one[0, 3:6], -two[0, 3:6], atol=1e-7)
            assert np.allclose(one[0, 3:6] @ R.T, moved[0, 3:6], atol=1e-7)
            assert np.allclose(sorted(one[:, 6]), sorted(moved[:, 6]), atol=1e-9)
            assert np.allclose(one[:, :3].mean(0), two[:, :3].mean(0), atol=1e-7)
            assert np.allclose(one[:, :3].mean(0) @ R.T + p, moved[:, :3].mean(0), atol=1e-7)
        elif len(one):  # overlap: the least depth is
            assert np.isclose(one[:, 6].min(), two[:, 6].min(), atol=1e-9)
            assert np.isclose(one[:, 6].min(), moved[:, 6].min(), atol=1e-9)


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_the_gap_goes_through_zero_smoothly(kinds):
    """Moved along the normal until `gap` is left, shapes report that gap, down to overlap by a micrometre; apart, the
    same normal too."""
    rng = np.random.default_rng(13)
    for _ in range(60):
        shapes, where = random_pair(rng, kinds)
        contacts = scene(*shapes)
        _, data = contacts_of(contacts, where, 10.0)
        if data[:, 6].min() < 1e-3:
            continue
        n, distance = data[0, 3:6], data[:, 6].min()
        for gap in (1e-3, 1e-5, 1e-7, 1e-12, 0.0, -1e-12, -1e-9, -1e-6):
            there = where.copy()
            there[1, 9:] -= (distance - gap) * n
            _, near = contacts_of(contacts, there, 2e-3)
            # two corners that meet leave by a shorter way than they came: the depth may be less than the way in
            assert abs(near[:, 6].min() - gap) < 1e-9 + max(0.0, -gap)
            # an axis at an angle t is taken for the nearest if gap (1 - cos t) is below PROOF times the size (at most
            # 0.5 m)
            if gap > 0:
                assert np.linalg.norm(near[0, 3:6] - n) < 1e-6 + np.sqrt(2 * PROOF * 0.5 / gap)
