"""Tuple algebra against NumPy."""

import numpy as np
import pytest

from bunraku.kernel import vec

rng = np.random.default_rng(0)
A, B = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
S = A @ A.T + np.eye(3)
R = np.linalg.qr(A)[0]
X, Y = rng.normal(size=3), rng.normal(size=3)
PACKED = S[np.triu_indices(3)]

CASES = {
    "add": (vec.add, (X, Y), X + Y),
    "sub": (vec.sub, (X, Y), X - Y),
    "scale": (vec.scale, (2.5, X), 2.5 * X),
    "axpy": (vec.axpy, (2.5, X, Y), 2.5 * X + Y),
    "dot": (vec.dot, (X, Y), X @ Y),
    "cross": (vec.cross, (X, Y), np.cross(X, Y)),
    "mv": (vec.mv, (A.ravel(), X), A @ X),
    "mtv": (vec.mtv, (A.ravel(), X), A.T @ X),
    "mt": (vec.mt, (A.ravel(),), A.T.ravel()),
    "sv": (vec.sv, (PACKED, X), S @ X),
    "s_to_m": (vec.s_to_m, (PACKED,), S.ravel()),
    "s_inverse": (vec.s_inverse, (PACKED,), np.linalg.inv(S)[np.triu_indices(3)]),
    "col": (vec.col, (A.ravel(), 1), A[:, 1]),
    "row": (vec.row, (A.ravel(), 1), A[1]),
}


@pytest.mark.parametrize("name", CASES)
def test_helper(name):
    f, args, wanted = CASES[name]
    got = f(*[tuple(a) if isinstance(a, np.ndarray) else a for a in args])
    assert np.allclose(got, wanted, rtol=1e-13, atol=1e-14)


def test_products_of_matrices():
    assert np.allclose(vec.mm(tuple(A.ravel()), tuple(B.ravel())), (A @ B).ravel())
    assert np.allclose(vec.rotate_s(tuple(R.ravel()), tuple(PACKED)), (R @ S @ R.T)[np.triu_indices(3)])


def test_quaternion_matrix_divides_length_out():
    q = rng.normal(size=4)
    M = np.reshape(vec.quat_matrix(*q), (3, 3))
    assert np.allclose(M @ M.T, np.eye(3)) and np.linalg.det(M) > 0
    assert np.allclose(M, np.reshape(vec.quat_matrix(*(3 * q)), (3, 3)))


@pytest.mark.parametrize("axis", range(3))
def test_quaternion_matrix_turns_by_the_right_hand(axis):
    """By 0.7 rad about an axis: the next one goes towards the one after it."""
    q = [np.cos(0.35), 0.0, 0.0, 0.0]
    q[1 + axis] = np.sin(0.35)
    M = np.reshape(vec.quat_matrix(*q), (3, 3))
    e = np.eye(3)
    assert np.allclose(M @ e[axis], e[axis])
    assert np.allclose(M @ e[(axis + 1) % 3], np.cos(0.7) * e[(axis + 1) % 3] + np.sin(0.7) * e[(axis + 2) % 3])
