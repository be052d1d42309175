"""Swing and twist: against rotation matrices (spec F2), their rates by finite differences, clamping to the limit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import bunraku as bk
from asserts import asserts
from bunraku.model.limits import beyond_limits, clamp, clamp_balls, from_swing_twist, swing_twist, swing_twist_rates
from bunraku.model.rotations import exponential, multiply, rotation_matrix


def random_quaternion(seed: int) -> np.ndarray:
    q = np.random.default_rng(seed).normal(size=4)
    return q / np.linalg.norm(q)


@asserts("2013/swing/27")
@given(seed=st.integers(0, 10**6))
def test_angles_of_the_rotation_matrix(seed):
    q = random_quaternion(seed)
    R = rotation_matrix(q)
    swing, twist = swing_twist(q)
    # swing = atan2(hypot(R02, R12), R22); twist = atan2(R10 - R01, R00 + R11)
    assert abs(swing - np.arctan2(np.hypot(R[0, 2], R[1, 2]), R[2, 2])) < 1e-9
    wanted = np.arctan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
    assert abs(np.angle(np.exp(1j * (twist - wanted)))) < 1e-7


@asserts("2013/swing/order")
@given(seed=st.integers(0, 10**6), swing=st.floats(0.01, 3.0), twist=st.floats(-3.0, 3.0), angle=st.floats(-3, 3))
def test_round_trip(seed, swing, twist, angle):
    q = from_swing_twist(np.array([np.cos(angle), np.sin(angle)]), swing, twist)
    assert np.allclose(swing_twist(q), (swing, twist), atol=1e-9)


@given(seed=st.integers(0, 10**6))
def test_rates(seed):
    q = random_quaternion(seed)
    value, rows = swing_twist_rates(q)
    if value[0] < 0.05 or value[0] > 3.0 or abs(value[1]) > 3.1:
        return  # near the poles the rate is not defined
    h = 1e-6
    for k in range(3):
        step = h * np.eye(3)[k]
        ahead, behind = (np.array(swing_twist(multiply(q, exponential(s * step)))) for s in (1, -1))
        assert np.allclose((ahead - behind) / (2 * h), rows[:, k], atol=1e-6 / min(1.0, np.cos(value[0] / 2) ** 2))


@given(seed=st.integers(0, 10**6))
def test_clamping_ends_inside_and_moves_nothing_that_is_inside(seed):
    m = bk.human()
    q = bk.random_configuration(m, seed)
    inside = clamp_balls(m, q)
    assert not bk.joints_beyond_limits(m, inside, 1e-9)
    assert np.allclose(clamp_balls(m, inside), inside)


def test_many_at_once():
    m = bk.human()
    q = np.stack([bk.random_configuration(m, seed) for seed in range(20)])
    assert np.array_equal(clamp_balls(m, q), [clamp_balls(m, row) for row in q])
    x = np.stack([random_quaternion(seed) for seed in range(20)])
    value, rows = swing_twist_rates(x)
    assert np.array_equal(value, [swing_twist_rates(row)[0] for row in x])
    assert np.allclose(rows, [swing_twist_rates(row)[1] for row in x], atol=1e-15)


def test_all_joints_at_once_and_one_by_one():
    """How far joints are beyond their ranges: of many poses, of one pose by name, and nowhere after clamping."""
    m = bk.human()
    q = np.stack([bk.random_configuration(m, seed) for seed in range(10)])
    q[:, m.joint("left_knee").iq] = 3.0
    for x, row in zip(q, beyond_limits(m, q)):
        said = bk.joints_beyond_limits(m, x)
        assert all(np.isclose(row[k], said.get(j.name, 0.0)) for k, j in enumerate(m.joints))
        assert said["left_knee"] == 3.0 - m.upper[m.joint("left_knee").iv]
    assert beyond_limits(m, clamp(m, q)).max() < 1e-9
