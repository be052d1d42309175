"""The time table of a walk: where the zero-moment point is, who carries, how high the ground counts."""

import numpy as np
import pytest

from bunraku.errors import InputError
from bunraku.walking.foot_paths import StepPlan
from bunraku.walking.footsteps import Footstep
from bunraku.walking.zmp_reference import time_table

BEGIN = (Footstep(0, (0.0, 0.09, 0.0)), Footstep(1, (0.0, -0.09, 0.0)))
STEPS = (Footstep(0, (0.2, 0.09, 0.15)), Footstep(1, (0.4, -0.09, 0.3)), Footstep(0, (0.4, 0.09, 0.3)))
FEET = {"single": 0.7, "double": 0.2, "lift": 0.05, "toe": 0.095, "leg": 0.83}
TIMES = {"start": 1.4, "end": 1.5, "shift": 0.6, "dt": 0.005}


def table(feet=FEET, times=TIMES):
    return time_table(StepPlan(BEGIN, STEPS, **feet), **times)


def test_the_foot_that_stands_carries():
    t = table()
    feet = [np.array(BEGIN[0].position), np.array(BEGIN[1].position)]
    for n, s in enumerate(STEPS):
        begin = 1.4 + 0.9 * n
        inside = (t.times > begin + 1e-9) & (t.times < begin + 0.7 - 1e-9)
        carrier = 1 - s.side
        assert not t.contact[inside, s.side].any() and t.contact[inside, carrier].all()
        assert np.allclose(t.zmp[inside], feet[carrier]) and np.allclose(t.load[inside, carrier], 1.0)
        assert np.all(t.step[inside] == n)
        feet[s.side] = np.array(s.position)
    assert np.allclose(t.zmp[[0, -1]], [(0.0, 0.0, 0.0), (0.4, 0.0, 0.3)]) and np.allclose(t.load[[0, -1]], 0.5)
    assert np.allclose(t.load.sum(axis=1), 1.0) and t.contact[t.times < 1.4].all()
    both = t.contact.all(axis=1)
    assert np.abs(np.diff(t.zmp[:, :2], axis=0)).max() < 1.9 * 0.005 * 0.45 / 0.2 and not np.all(both)


def test_the_ground_counts_as_high_as_the_lower_foot():
    t = table()
    at = {x: t.level[np.argmin(np.abs(t.times - x))] for x in (1.0, 2.2, 3.1, 4.0, t.times[-1])}
    assert np.allclose(list(at.values()), (0.0, 0.0, 0.15, 0.3, 0.3))
    stands = t.contact.all(axis=1)
    assert np.abs(np.diff(t.level))[stands[1:] & stands[:-1]].max() < 1e-4  # it changes while a foot swings


@pytest.mark.parametrize(
    "change, words",
    [
        ({"single": 0.0}, "single"),
        ({"dt": 0.1}, "too coarse"),
        ({"start": 0.5}, "must each be"),
        ({"lift": np.nan}, "lift"),
    ],
)
def test_bad_times(change, words):
    with pytest.raises(InputError, match=words):
        table(*({k: change.get(k, x) for k, x in known.items()} for known in (FEET, TIMES)))
