"""Feet of a recorded motion: stances are found where the walk was made to have them; the references stand exactly and
are smooth."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError
from bunraku.humanoid.foot import feet_of
from bunraku.humanoid.foot_loads import runs
from bunraku.model.rotations import exponential, multiply, rotation_matrix
from bunraku.motion import Motion, find_feet
from bunraku.motion.contact_times import tidy
from bunraku.motion.footing import CLEAR, Footing, feet_apart, leave, moved, separation, stretches
from bunraku.walking.min_jerk import min_jerk
from motion_data import walk


def test_stances_of_a_walk_are_found():
    motion = walk()
    left, right = find_feet(motion)
    # swings of walk_motion: from 0.6 + 0.16 s on, 0.5 s each, left right left; a foot that is low and slow at their
    # ends is taken to stand
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
        corners = foot.position[:, None] + np.einsum("nij,kj->nki", foot.rotation, foot.foot.corners)
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


def test_a_shaking_recording_has_the_same_stances():
    motion = walk()
    shaken = motion.q.copy()
    t = motion.times
    for n, x in enumerate((0.8, 1.1, 0.6)):  # 5 Hz at 1 cm: 0.3 m/s everywhere
        shaken[:, n] += 0.01 * x * np.sin(2 * np.pi * 5 * t + n)
    shaken[:, 2] -= shaken[:, 2].min() - motion.q[:, 2].min()
    for calm, other in zip(find_feet(motion), find_feet(Motion(motion.model, t, shaken))):
        assert len(calm.stances) == len(other.stances)
        for a, b in zip(calm.stances, other.stances):
            assert np.abs(a.place - b.place).max() < 0.01


def gap_of(feet):
    """The least distance of the soles while one foot swings."""
    corners = [f.position[:, None] + np.einsum("nij,kj->nki", f.rotation, f.foot.corners) for f in feet]
    swings = feet[0].touches != feet[1].touches
    return min(separation(a[:, :2], b[:, :2]) for a, b in zip(corners[0][swings], corners[1][swings]))


def test_a_foot_goes_round_the_one_that_stands():
    left, right = find_feet(walk())
    place = left.position.copy()
    for a, b in runs(~left.touches):  # it would pass through the other by 2 cm
        s = (np.arange(a, b) - a + 1.0) / (b - a + 1.0)
        place[a:b, 1] -= 0.07 * 64 * (s * (1 - s)) ** 3
    through = [Footing(left.foot, left.heel, left.toe, left.stances, place, left.rotation), right]
    assert gap_of(through) < -0.01
    around = feet_apart(through)
    assert gap_of(around) > CLEAR - 0.003
    for before, after in zip(through, around):
        assert np.array_equal(before.position[before.touches], after.position[before.touches])


def test_feet_that_stand_in_each_other_are_set_apart():
    motion = walk()
    near = motion.q.copy()
    for side, y in (("left", 1.0), ("right", -1.0)):  # both legs turned inwards: feet 12 cm nearer
        j = motion.model.joint(f"{side}_hip")
        near[:, j.q] = multiply(
            near[:, j.q], np.broadcast_to(exponential(np.array([-0.07 * y, 0.0, 0.0])), (len(near), 4))
        )
    feet = find_feet(Motion(motion.model, motion.times[:60], near[:60]))
    corners = [f.position[0] + f.foot.corners @ f.rotation[0].T for f in feet]
    assert separation(*(c[:, :2] for c in corners)) > CLEAR - 1e-6


def test_too_short():
    motion = walk()
    with pytest.raises(InputError, match="eight frames"):
        find_feet(Motion(motion.model, motion.times[:5], motion.q[:5]))


def turning(n=240):
    """Standing, then a turn by 180 degrees on the left foot's toe, then standing; the right foot is in the air."""
    motion = walk()
    q = np.tile(motion.q[0], (n, 1))
    j = motion.model.joint("right_hip")
    q[:, j.q] = multiply(q[:, j.q], np.broadcast_to(exponential(np.array([0.0, -0.9, 0.0])), (n, 4)))
    foot = feet_of(motion.model)[0]
    rest = kinematics(motion.model, q[:1])
    about = rest.position[0, foot.body] + rest.rotation[0, foot.body] @ foot.toe
    angle = np.pi * min_jerk(np.clip((np.arange(n) - 80) / 80.0, 0.0, 1.0))
    turns = exponential(np.outer(angle, [0.0, 0.0, 1.0]))
    for k in range(n):
        R = rotation_matrix(turns[k])
        q[k, :3] = about + R @ (q[k, :3] - about)
    q[:, 3:7] = multiply(turns, q[:, 3:7])
    return Motion(motion.model, np.arange(n) / 120.0, q), about


def test_a_foot_turns_on_its_toe():
    motion, about = turning()
    left, right = find_feet(motion)
    assert [st.turns is not None for st in left.stances] == [False, True, False] and stretches(left.stances) == [
        0,
        0,
        0,
    ]
    assert not right.touches.any() and left.touches.all()
    toes = left.position + left.rotation @ left.foot.toe
    assert np.ptp(toes, axis=0).max() < 1e-9 and np.abs(toes[0, :2] - about[:2]).max() < 0.01
    heading = np.unwrap(np.arctan2(left.rotation[:, 1, 0], left.rotation[:, 0, 0]))
    assert abs(heading[-1] - heading[0] - np.pi) < 0.05 and np.abs(np.diff(heading)).max() < 0.08
    k = int(np.flatnonzero(left.pivot).mean())
    assert len(left.points(k)) == 1 and np.allclose(left.corners(k)[0], toes[k]) and len(left.points(0)) == 4


def test_stances_are_moved_together_with_the_swings_between_them():
    motion = walk()
    feet = find_feet(motion)
    by = [np.zeros((3, 2)), np.zeros((2, 2))]
    by[0][1] = 0.03, -0.01
    left, right = moved(motion, feet, by)
    assert np.allclose(left.stances[1].place - feet[0].stances[1].place, (0.03, -0.01))
    stands = slice(feet[0].stances[1].first, feet[0].stances[1].end)
    assert np.allclose((left.position - feet[0].position)[stands], (0.03, -0.01, 0.0), atol=1e-9)
    assert np.array_equal(right.position, feet[1].position)
    first = slice(feet[0].stances[0].first, feet[0].stances[0].end)
    assert np.allclose(left.position[first], feet[0].position[first])


def lone_foot(turn):
    """A box that stands, rises, turns and comes down again; its body's axes are turned against the box by `turn`."""
    fig = bk.Description("lone foot")
    link = fig.add("foot", None, bk.free("root"), mass=1.0, moments=(0.01, 0.01, 0.01))
    R = rotation_matrix(turn)
    link.shapes.append(bk.Shape("box", (0.1, 0.05, 0.03), tuple(R.T @ [0.02, 0.01, 0.0]), R.T))
    n = 200
    u = min_jerk(np.clip((np.arange(n) - 70) / 60.0, 0.0, 1.0))
    q = np.zeros((n, 7))
    q[:, 0], q[:, 2] = 0.4 * u, 0.03 + 0.1 * np.sin(np.pi * u) ** 2
    q[:, 3:7] = multiply(exponential(np.outer(0.5 * u, [0.0, 0.0, 1.0])), np.broadcast_to(turn, (n, 4)))
    return Motion(fig.build(), np.arange(n) / 120.0, q)


def test_the_body_s_axes_do_not_matter():
    """A sole has its own axes: a foot whose body is turned against them has the same footing."""
    plain, turned = (find_feet(lone_foot(exponential(np.array(w))))[0] for w in ((0.0, 0.0, 0.0), (0.4, -0.3, 1.2)))
    assert [(s.first, s.end) for s in plain.stances] == [(s.first, s.end) for s in turned.stances]
    assert len(plain.stances) == 2
    for a, b in zip(plain.stances, turned.stances):
        assert np.allclose(a.place, b.place, atol=1e-12) and abs(a.heading - b.heading) < 1e-12
    soles = [(f.position + f.rotation @ f.foot.position, f.rotation @ f.foot.rotation) for f in (plain, turned)]
    assert np.allclose(soles[0][0], soles[1][0], atol=1e-9) and np.allclose(soles[0][1], soles[1][1], atol=1e-9)
