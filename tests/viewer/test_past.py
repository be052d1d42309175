"""Snapshots of a world's past: as many as are allowed, over any time, evenly; the first stays."""

from types import SimpleNamespace

import numpy as np
import pytest

from bunraku.viewer import past as module
from bunraku.viewer.past import Past
from viewer_client import falling


def at(time, size=100):
    return SimpleNamespace(time=time, arrays={"a": np.zeros(size)})


@pytest.mark.parametrize("seed", range(3))
def test_an_hour_is_held_by_few_snapshots_evenly(seed):
    """Whatever the rhythm in which the world is looked at, gaps are at most two intervals and a look wide."""
    rng = np.random.default_rng(seed)
    past, most, now, look = Past(at(0.0)), int(rng.integers(10, 60)), 0.0, 0.0
    past.most = most
    while now < 3600.0:
        step = float(rng.uniform(0.001, 0.1))
        now, look = now + step, max(look, step)
        past.note(now, lambda now=now: at(now))
        assert len(past) <= most
    times = np.array(past.times)
    assert times[0] == 0.0 and len(past) > most // 3
    assert np.diff(times).max() <= 2 * past.interval + look and now - times[-1] <= past.interval + look
    for t in rng.uniform(0, 3600, 50):
        assert past.before(t).time == times[times <= t].max()
    assert past.before(-5.0) is past.first


def test_what_comes_after_a_return_is_no_past():
    past = Past(at(1.0))
    for t in np.arange(1.25, 5.0, 0.25):
        past.note(t, lambda t=t: at(t))
    past.cut(3.0)
    assert past.times[-1] == 3.0
    past.note(2.1, lambda: at(2.1))  # the world was put back by somebody else
    assert past.times[-1] == 2.0 and past.before(9.0).time == 2.0
    past.note(2.4, lambda: at(2.4))
    assert past.times[-1] == 2.4
    past.cut(-9.0)
    assert past.times == [1.0]


def test_large_worlds_keep_fewer():
    assert Past(at(0.0, 1000)).most == module.MOST
    assert Past(at(0.0, 80_000)).most == pytest.approx(64e6 / 648_192, abs=1)
    assert Past(at(0.0, 80_000_000)).most == module.FEWEST


def test_of_a_world():
    world = falling()
    past = Past(world.snapshot())
    for _ in range(300):
        world.step(10)
        past.note(world.time, world.snapshot)
    assert past.times == pytest.approx(np.arange(0, 3.01, 0.25))
