"""Which blocks couple: against a search over all pairs."""

import numpy as np
import pytest

from bunraku.linalg.sparse_pattern import pattern_one, pattern_scratch


def entries(trees, room=10_000):
    trees = np.array(trees, dtype=np.int64).reshape(-1, 2)
    starts, cols = np.full(len(trees) + 1, -1), np.full(room, -1)
    scratch = np.full(pattern_scratch(int(trees.max(initial=0)), len(trees)), -5)
    return pattern_one.call(trees, len(trees), starts, cols, scratch), starts, cols


@pytest.mark.parametrize("seed", range(20))
def test_all_pairs(seed):
    rng = np.random.default_rng(seed)
    trees = rng.integers(0, 3 + seed, size=(5 + 4 * seed, 2))  # the world, pairs, and blocks inside one tree
    count, starts, cols = entries(trees)
    assert starts[0] == 0 and starts[-1] == count
    for i, mine in enumerate(trees):
        found = cols[starts[i] : starts[i + 1]]
        wanted = [j for j, other in enumerate(trees) if j == i or set(mine[mine > 0]) & set(other)]
        assert found[0] == i and sorted(found) == wanted


def test_too_short_an_array_is_told_and_left_alone():
    count, _, cols = entries([(1, 0)] * 4, room=15)
    assert count == -16 and (cols == -1).all()
    assert entries([(1, 0)] * 4, room=16)[0] == 16
    assert entries([])[0] == 0
