"""The kinematic comparator: its compiled step against the same in NumPy, and what stands on the floor."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.choreography.dance_arrays import BallRange
from bunraku.choreography.kinematic import held_links, standing_links
from bunraku.choreography.kinematic_step import clamp_ball
from bunraku.kernel.record import load
from bunraku.model.limits import clamp_balls
from bunraku.motion.requests import shortened
from kinematic_reference import reference_steps, turn_vector
from turns import about, matrix


def same(a, b, model):
    """Whether two poses are, to rounding: quaternions of both signs are the same."""
    return np.abs(bk.difference(model, a, b)).max() < 1e-9


def at_random(seed, **options):
    """A choreography with random pins, drags and desired values."""
    rng = np.random.default_rng(seed)
    c = bk.Choreography(dynamics=False, dt=0.002, **options)
    for link in rng.permutation(["left_hand", "right_hand", "head", "left_foot", "trunk"])[:3]:
        axes = str(rng.choice(["xyz", "pose", "xz", "z rx ry"]))
        rotation = None if axes == "pose" else rng.normal(size=4)
        (c.pin if rng.random() < 0.4 else c.drag)(str(link), 0.1 * rng.normal(size=3), axes=axes, rotation=rotation)
    for d in c.drags:
        d.to(d.target + 0.08 * rng.normal(size=3))
    c.pose({"left_knee": 1.2, "neck": [1.0, 0.1, 0.2, -0.1], "right_shoulder": [1.0, *rng.normal(size=3)]})
    return c


@pytest.mark.parametrize("seed", range(8))
def test_the_compiled_step_is_that_in_numpy(seed):
    c = at_random(seed)
    q, v = c.figure.q.copy(), c.figure.v.copy()
    for _ in range(4):
        q, v = reference_steps(c, q, v, 15)
        c.step(15)
        assert same(c.figure.q, q, c.model)
    assert np.abs(q - np.array(c.score.start)).max() > 0.01


def test_joints_stop_at_their_limits():
    """An elbow that is thrown straight stops there, as in NumPy."""
    c = bk.Choreography(dynamics=False)
    c.drag("right_hand")
    j = c.model.joint("left_elbow")
    c.figure.v[j.iv] = -40.0
    q, v = reference_steps(c, c.figure.q.copy(), c.figure.v.copy(), 12)
    angles = []
    for _ in range(12):
        c.step()
        angles.append(c.figure.q[j.iq])
    assert same(c.figure.q, q, c.model) and np.abs(c.figure.v - v).max() < 1e-8
    assert min(angles) == 0.0 and not c.report.beyond_limits


def test_a_ball_is_put_onto_its_limits_as_everywhere_else():
    """bunraku.model.limits.clamp_balls, quaternion by quaternion, half of them outside."""
    model, rng = bk.human(), np.random.default_rng(2)
    j, outside = model.joint("neck"), 0
    for _ in range(60):
        q = model.neutral()
        q[j.q] = bk.integrate(model, q, 1.2 * rng.normal(size=model.nv), 1.0)[j.q] * rng.choice([-1, 1])
        want, got = clamp_balls(model, q)[j.q], q[j.q].copy()
        ball = load(BallRange(), {"swing": j.swing, "twist_least": j.twist[0], "twist_most": j.twist[1]})
        outside += bool(clamp_ball(ball, got, 0))
        assert abs(abs(got @ want) - 1.0) < 1e-11
    assert 20 < outside < 55


def test_it_goes_on_from_a_snapshot_bit_for_bit():
    c = at_random(3)
    c.run(0.2)
    before = c.snapshot()
    c.run(0.2)
    want = c.figure.q.copy()
    c.restore(before)
    c.run(0.2)
    assert np.array_equal(c.figure.q, want)


def test_dynamics_can_be_switched_and_undone():
    """Into kinematics, on from there with dynamics: the figure stands; undo knows which it was."""
    c = bk.Choreography()
    d = c.drag("left_hand")
    d.to(d.target - [0, 0, 0.1])
    c.run(0.2)
    before = c.snapshot()
    c.dynamics = False
    c.run(0.3)
    assert not c.dynamics and not c.figure.contacts and not c.report.torques.any()
    c.dynamics = True
    c.run(0.5)
    assert c.report.state == "standing" and c.violations[0].metres < 0.02
    want = c.figure.q.copy()
    again = bk.Choreography.perform(bk.Score(**{**c.score.copied().__dict__, "seconds": c.time}))
    assert np.array_equal(again.figure.q, want)
    c.restore(before)
    assert c.dynamics and not c.score.dynamics


@pytest.mark.parametrize("angle", [1e-3, 0.3, 1.5, 3.0])
def test_a_turn_vector_leads_from_one_attitude_to_the_other(angle):
    """Along the axis of goal R', in world axes, twice the sine of half the angle long."""
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    turn = about(axis, angle)
    R = matrix((0.5, 0.1, -0.7, 0.3))
    assert np.allclose(turn_vector(R, turn @ R), 2 * np.sin(angle / 2) * axis, atol=1e-12)


def test_a_long_vector_is_shortened_and_a_short_one_is_not():
    assert np.allclose(shortened(np.array([3.0, 0.0, 4.0]), 1.0), [0.6, 0.0, 0.8])
    assert np.array_equal(shortened(np.array([0.3, 0.0, 0.4]), 1.0), [0.3, 0.0, 0.4])


def test_feet_stand_and_a_lifted_one_does_not():
    model = bk.human()
    q = model.neutral()
    assert {f.name for f in standing_links(model, q)} == {"left_foot", "right_foot"}
    q[model.joint("left_knee").iq] = 1.0
    assert {f.name for f in standing_links(model, q)} == {"right_foot"}
    assert np.count_nonzero(held_links(model, q).any(axis=1)) == 1
