"""Feet of a recorded motion: stances are found where the walk was made to have them; the references stand exactly and are smooth."""

import numpy as np
import pytest

from bunraku.errors import InputError
from bunraku.motion import Motion, find_feet
from bunraku.motion.footing import leave, runs, tidy
from motion_data import walk


def test_stances_of_a_walk_are_found():
    motion = walk()
    left, right = find_feet(motion)
    # swings of walk_motion: from 0.6 + 0.16 s on, 0.5 s each, left right left; a foot that is low and slow at their ends is taken to stand
    for foot, swings in ((left, [(0.76, 1.26), (2.08, 2.58)]), (right, [(1.42, 1.92)])):
        found = [(motion.times[a], motion.times[b - 1]) for a, b in runs(~foot.touches)]
        assert len(found) == len(swings)
        for (a, b), (begin, end) in zip(found, swings):
            assert begin - 0.02 <= a < begin + 0.13 and end - 0.13 < b <= end + 0.02
    assert [len(f.stances) for f in (left, right)] == [3, 2]


def test_references_stand_level_on_the_floor_without_moving():
    motion = walk()
    dt = motion.times[1] - motion.times[0]
    for foot in find_feet(motion):
        corners = foot.position[:, None] + np.einsum("nij,kj->nki", foot.rotation, foot.sole.corners)
        for s in foot.stances:
            flat = [k for k in range(s.first, s.end) if foot.heel[k] and foot.toe[k]]
            assert np.abs(corners[flat][:, :, 2]).max() < 1e-12 and np.abs(np.diff(corners[flat], axis=0)).max() < 1e-12
        speed = np.diff(foot.position, axis=0) / dt
        assert np.abs(np.diff(speed, axis=0)).max() / dt < 40.0  # m/s^2; the walk's own feet have 20
        assert corners[:, :, 2].min() > -2e-3


def test_leave_and_tidy():
    u = np.linspace(0, 1, 10001)
    f, h = leave(u), u[1]
    assert f[0] == 0 and abs(f[-1]) < 1e-15 and abs((f[1] - f[0]) / h - 1) < 1e-6 and abs(f[-1] - f[-2]) / h < 1e-6
    x = np.array([1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1], dtype=bool)
    assert tidy(x, 3).tolist() == [True] * 6 + [False] * 8 + [True]
    assert runs(np.array([0, 1, 1, 0, 1], dtype=bool)) == [(1, 3), (4, 5)]


def test_too_short():
    motion = walk()
    with pytest.raises(InputError, match="eight frames"):
        find_feet(Motion(motion.model, motion.times[:5], motion.q[:5]))
