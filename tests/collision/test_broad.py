"""The sweep finds what looking at every pair finds, in the same order; its time grows little faster than the number of
shapes."""

import time

import numpy as np
import pytest

import bunraku as bk
from bunraku.collision import Contacts, Fixed, Geometry, Placed
from bunraku.collision.shape_layout import PAIRS_FULL
from bunraku.model import Shape
from collision_scenes import poses, random_rotation, random_shape, thing, turn

GROUND = [
    Fixed(Shape("plane")),
    Fixed(Shape("box", (2.0, 0.3, 0.1), (0, 0, 0.3), turn(1, 0.3))),
    Fixed(Shape("plane", rotation=turn(0, 1.0))),
]


def random_scene(seed: int, n: int):
    rng = np.random.default_rng(seed)
    things = [thing(random_shape(rng, ("sphere", "capsule", "box")[k % 3])) for k in range(n)]
    spread = rng.uniform(0.3, 3.0, 3)
    where = [poses(*((rng.normal(size=3) * spread, random_rotation(rng)) for _ in range(n))) for _ in range(4)]
    return things, where


@pytest.mark.parametrize("seed", range(8))
def test_same_as_all_pairs(seed):
    things, where = random_scene(seed, 25)
    human = bk.human()
    figures = [Placed(m, k) for k, m in enumerate(things)] + [Placed(human, 25, seed % 2 == 0)]
    both = [Contacts(Geometry.of(figures, GROUND, sweep=s)) for s in (False, True)]
    rng = np.random.default_rng(seed)
    for there in where:
        there = np.concatenate([there, *[poses((rng.normal(size=3), random_rotation(rng)))[1:] for _ in range(1, human.nb)]])  # fmt: skip
        a, b = (c.detect(there, 0.02) for c in both)
        assert a == b > 0
        assert np.array_equal(both[0].ids[:a], both[1].ids[:a]) and np.array_equal(both[0].data[:a], both[1].data[:a])


def test_the_margin_counts_along_the_axis_of_the_sweep():
    """Balls in a row, 0.9 of the margin apart: each meets the next; 1.1 of it apart: none does."""
    for axis in range(3):
        for share, met in ((0.9, 9), (1.1, 0)):
            step = (0.2 + share * 0.02) * np.eye(3)[axis]
            geometry = Geometry.of([Placed(thing(Shape("sphere", (0.1,))), k) for k in range(10)], sweep=True)
            assert Contacts(geometry).detect(poses(*(k * step for k in range(10))), 0.02) == met


def test_order_is_by_shape_and_independent_of_history():
    things, where = random_scene(3, 40)
    geometry = Geometry.of([Placed(m, k) for k, m in enumerate(things)], GROUND, sweep=True)
    fresh, used = Contacts(geometry), Contacts(geometry)
    for there in (where[1], where[2], where[0]):
        n = used.detect(there, 0.02)
    assert fresh.detect(where[0], 0.02) == n
    assert np.array_equal(fresh.ids[:n], used.ids[:n]) and np.array_equal(fresh.data[:n], used.data[:n])
    keys = fresh.ids[:n, 0] * geometry.ns + fresh.ids[:n, 1]
    assert np.all(np.diff(keys) >= 0) and np.all(fresh.ids[:n, 0] < fresh.ids[:n, 1])
    assert np.array_equal(np.unique(fresh.ids[:n, 3]), np.arange(len(np.unique(keys))))


def test_arrays_grow():
    things, where = random_scene(4, 40)
    geometry = Geometry.of([Placed(m, k) for k, m in enumerate(things)], GROUND, sweep=True)
    wide, narrow = Contacts(geometry, room=4000), Contacts(geometry, room=1)
    narrow.pairs = np.zeros((2, 2), dtype=np.int64)
    statuses = []
    grow = narrow.grow
    narrow.grow = lambda status: (statuses.append(status), grow(status))[1]  # type: ignore[method-assign]
    n = wide.detect(where[0], 0.05)
    assert narrow.detect(where[0], 0.05) == n and PAIRS_FULL in statuses and min(statuses) < max(statuses) < 0
    assert np.array_equal(wide.data[:n], narrow.data[:n])


def stacks(count: int):
    """Stacks of five boxes on a grid, as many as needed; poses turned so that faces give about seven points."""
    box = bk.box((0.1, 0.1, 0.1))
    side = int(np.ceil(np.sqrt(count / 5)))
    where = [((k // 5 % side * 0.2, k // 5 // side * 0.2, 0.05 + k % 5 * 0.1), turn(2, 0.1 * k)) for k in range(count)]
    return Geometry.of([Placed(box, k) for k in range(count)], [Fixed(Shape("plane"))]), poses(*where)


@pytest.mark.slow
def test_time_grows_little_faster_than_shapes():
    times = {}
    for count in (100, 800):
        geometry, where = stacks(count)
        contacts = Contacts(geometry)
        assert geometry.sweeps and contacts.detect(where, 1e-3) > 5 * count
        best = np.inf
        for _ in range(30):
            start = time.perf_counter()
            contacts.detect(where, 1e-3)
            best = min(best, time.perf_counter() - start)
        times[count] = best
    # n log n gives 8 * log 800 / log 100 = 11.6; all pairs would give 64
    assert times[800] / times[100] < 20
