"""Random pins, drags, poses and releases for a long time: no NaN, no exception, no growth."""

import numpy as np

from bunraku_bench.random_dance import RandomDance


def test_a_minute_of_random_dancing():
    dance = RandomDance(seed=4)
    seen = dance.run(60.0)
    assert seen.finite and seen.seconds >= 60.0 and seen.actions > 100
    assert seen.errors == 0


def test_it_repeats_itself():
    a, b = RandomDance(seed=1), RandomDance(seed=1)
    a.run(3.0)
    b.run(3.0)
    assert np.array_equal(a.choreography.figure.q, b.choreography.figure.q)
