"""Balance: hand drags in all directions, with and without the balance controller."""

import numpy as np
import pytest

from bunraku_bench.drag_trials import DISTANCES, directions, grid, try_drag


def test_directions_are_spread_evenly():
    d = directions()
    assert d.shape == (12, 3) and np.linalg.norm(d, axis=1) == pytest.approx(1.0)
    cosines = np.sort(d @ d.T, axis=1)
    assert cosines[:, -2] == pytest.approx(1 / np.sqrt(5))  # nearest neighbours of an icosahedron's corners
    assert len(DISTANCES) == 5 and max(DISTANCES) == 0.6


@pytest.mark.parametrize(("k", "distance"), [(1, 0.36), (4, 0.48), (9, 0.36), (10, 0.24)])
def test_with_balance_it_comes_back(k, distance):
    t = try_drag(directions()[k], distance, True)
    assert t.good and t.finite, t


def test_without_balance_it_falls():
    t = try_drag(directions()[1], 0.36, False)
    assert t.end == "fallen" and t.finite


@pytest.mark.slow
def test_the_whole_grid():
    near = tuple(x for x in DISTANCES if x <= 0.4)
    with_it, without = grid(True), grid(False, distances=near)
    assert len(with_it) == 60 and len(without) == 36 and all(t.finite for t in [*with_it, *without])
    good = [np.mean([t.good for t in g if t.distance <= 0.4]) for g in (with_it, without)]
    print(f"drags up to 0.4 m that end standing with the hand there: {good[0]:.2f} with balance, {good[1]:.2f} without")
    assert good[0] >= 0.85 and good[0] >= good[1] + 0.2
