"""Rotations: matrices, quaternions and rotation vectors turn into each other, near half a turn too, one or many."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.model.rotations import (
    BACK,
    about,
    exponential,
    frame_along,
    logarithm,
    matrix,
    multiply,
    quaternion,
    quaternion_about,
    rotation_matrix,
    rotation_vector,
    rpy_matrix,
    skew,
    turn_between,
    without_jumps,
)


def turns():
    """Unit quaternions (300, 4), w >= 0: any, tiny turns, half turns and nearly half turns."""
    rng = np.random.default_rng(0)
    q = rng.normal(size=(300, 4))
    q[100:150, 0] = 1e9
    q[150:200, 0], q[200:250, 0], q[250:, 0] = 0.0, 1e-9, 1e-3
    q /= np.linalg.norm(q, axis=1)[:, None]
    return np.where(q[:, :1] < 0, -q, q)


def test_quaternions_and_matrices():
    q = turns()
    R = matrix(q)
    assert np.allclose(R @ np.swapaxes(R, 1, 2), np.eye(3), atol=1e-15 * 4) and np.all(np.linalg.det(R) > 0.0)
    back = quaternion(R)
    back *= np.sign(np.sum(back * q, axis=1))[:, None]  # of a half turn either sign is right
    assert np.abs(back - q).max() < 1e-15 and np.all(quaternion(R)[:, 0] >= 0.0)
    assert np.array_equal(quaternion(R[7]), quaternion(R)[7]) and np.array_equal(matrix(q[7]), R[7])
    assert np.array_equal(quaternion(R.reshape(3, 100, 3, 3)).reshape(-1, 4), quaternion(R))
    assert np.allclose(matrix(multiply(q[:-1], q[1:])), R[:-1] @ R[1:], atol=1e-15 * 8)
    assert np.array_equal(multiply(q[:2], q[5]), [multiply(q[0], q[5]), multiply(q[1], q[5])])


def test_an_inexact_matrix_gives_a_unit_quaternion():
    R = matrix(turns()) + 1e-7
    assert np.abs(np.linalg.norm(quaternion(R), axis=1) - 1.0).max() < 1e-15


def test_rotation_vectors():
    q = turns()
    w = rotation_vector(matrix(q))
    assert np.abs(matrix(exponential(w)) - matrix(q)).max() < 1e-14
    assert np.linalg.norm(w, axis=1).max() <= np.pi + 1e-12
    assert np.allclose(logarithm(q[:150]), w[:150], atol=1e-12) and np.allclose(
        logarithm(-q[:150]), w[:150], atol=1e-12
    )
    assert np.array_equal(rotation_vector(np.eye(3)), np.zeros(3)) and np.allclose(rotation_vector(matrix(q[3])), w[3])
    a, b = q[:99], q[1:100]
    assert np.allclose(
        multiply(a, exponential(turn_between(a, b))), b * np.sign(np.sum(multiply(a * BACK, b)[:, :1], 1))[:, None]
    )


def test_turns_about_coordinate_axes():
    angle = np.linspace(-3.0, 3.0, 13)
    for k in range(3):
        R = about(k, angle)
        assert np.allclose(R, matrix(exponential(np.outer(angle, np.eye(3)[k]))), atol=1e-15)
        assert np.allclose(matrix(quaternion_about(k, angle)), R, atol=1e-15) and np.array_equal(
            about(k, angle[2]), R[2]
        )
    assert np.allclose(rpy_matrix(0.1, -0.2, 0.3), about(2, 0.3) @ about(1, -0.2) @ about(0, 0.1), atol=1e-15)


def test_skew_is_the_cross_product():
    x, y = np.random.default_rng(1).normal(size=(2, 5, 3))
    assert np.allclose(np.einsum("nij,nj->ni", skew(x), y), np.cross(x, y)) and np.array_equal(skew(x[2]), skew(x)[2])


def test_signs_without_jumps():
    angle = np.linspace(0.0, 20.0, 200)
    q = np.stack([quaternion_about(0, angle), quaternion_about(1, -angle)], axis=1)
    flipped = q * np.random.default_rng(2).choice([-1.0, 1.0], size=(200, 2, 1))
    flipped[0] = q[0]
    assert np.array_equal(without_jumps(flipped), q)


def test_a_frame_along_a_direction():
    """A rotation, its third column the direction, also along and near coordinate axes."""
    rng = np.random.default_rng(0)
    near = np.eye(3) + 1e-9 * rng.normal(size=(3, 3))
    for z in (*np.eye(3), *-np.eye(3), *near, *rng.normal(size=(50, 3))):
        z = z / np.linalg.norm(z)
        R = frame_along(z)
        assert np.array_equal(R[:, 2], z) and np.allclose(R.T @ R, np.eye(3), atol=1e-15 * 4)
        assert np.isclose(np.linalg.det(R), 1.0, atol=1e-14)


@pytest.mark.parametrize("bad", [(0, 0, 0, 0), np.diag([1.0, 1.0, -1.0]), np.eye(3) + 1e-3, (1, 2), (np.nan, 0, 0, 1)])
def test_what_is_no_rotation_is_refused(bad):
    with pytest.raises(bk.ModelError, match="rotation"):
        rotation_matrix(bad)
    assert np.array_equal(rotation_matrix(None), np.eye(3))
    assert np.allclose(rotation_matrix((2.0, 0.0, 0.0, 2.0)), about(2, 0.5 * np.pi), atol=1e-15)
