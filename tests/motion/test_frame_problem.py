"""One frame of the filter: the active set against SciPy, cones and mechanics of a whole frame, limits that give way."""

import numpy as np
from scipy.optimize import minimize, nnls

import bunraku as bk
from bunraku.humanoid.foot import feet_of
from bunraku.motion import stand
from bunraku.motion.equation import State
from bunraku.motion.frame_problem import Corner, FrameProblem, Goal, mixed, not_negative, pyramid


def test_not_negative_is_scipys_nnls_from_any_start():
    rng = np.random.default_rng(0)
    for n in (1, 4, 12, 32):
        for _ in range(10):
            A, b = rng.normal(size=(n + 5, n)), rng.normal(size=n + 5)
            x, rest = nnls(A, b)
            for start in (np.ones(n, bool), np.zeros(n, bool), rng.random(n) > 0.5):
                y = not_negative(A.T @ A, A.T @ b, start)
                assert y.min() >= 0 and np.linalg.norm(A @ y - b) <= rest * (1 + 1e-7) + 1e-9
                assert np.allclose(x, y, atol=1e-5)


def test_singular_forms_are_solved_too():
    rng = np.random.default_rng(1)
    A, b = rng.normal(size=(12, 32)), rng.normal(size=12)
    y = not_negative(A.T @ A, A.T @ b, np.ones(32, bool))
    assert y.min() >= 0 and np.linalg.norm(A @ y - b) <= nnls(A, b)[1] + 1e-5


def test_mixed_problems_against_a_general_solver():
    rng = np.random.default_rng(2)
    A, b = rng.normal(size=(20, 9)), rng.normal(size=20)
    H, g = A.T @ A, A.T @ b
    y = mixed(H, g, 5, np.ones(4, bool))
    found = minimize(
        lambda x: 0.5 * x @ H @ x - g @ x,
        np.zeros(9),
        jac=lambda x: H @ x - g,
        bounds=[(None, None)] * 5 + [(0, None)] * 4,
        tol=1e-14,
    )
    assert np.allclose(y, found.x, atol=1e-5)


def frame(push=(0.0, 0.0, 1.0), friction=0.8):
    model = bk.human()
    state = State(model, stand(model), np.zeros(34))
    corners = [Corner(s.link, s.body, p, np.zeros(3)) for s in feet_of(model) for p in s.corners]
    problem = FrameProblem(friction)
    weight = model.mass * 9.80665
    bounds = np.full(28, -1e6), np.full(28, 1e6)
    a, forces = problem.solve(state, [], corners, (weight * np.array(push), 2.0), (np.zeros(28), np.ones(28)), bounds)
    return state, corners, a, forces, weight


def test_standing_carries_the_weight_and_holds_the_soles():
    state, corners, a, forces, weight = frame()
    assert np.abs(forces.sum(axis=0) - [0, 0, weight]).max() < 1.0 and forces[:, 2].min() >= 0
    assert np.abs(a).max() < 0.5
    for c in corners[:1]:
        J = bk.frame_jacobian(state.model, state.q, c.link)
        assert np.abs(J @ a).max() < 1e-3
    for s in ("left_foot", "right_foot"):
        body = state.model.body(s)
        rows = [k for k, c in enumerate(corners) if c.link == s]
        assert forces[rows, 2].sum() > 0.3 * weight and body > 0


def test_what_is_asked_too_much_ends_at_the_cone():
    _, _, _, forces, weight = frame(push=(3.0, 0.0, 1.0), friction=0.4)
    across = np.linalg.norm(forces[:, :2], axis=1)
    assert np.all(across <= 0.4 * forces[:, 2] + 1e-9) and forces[:, 0].sum() > 0.2 * weight
    _, _, _, forces, _ = frame(push=(0.0, 0.0, -1.0))
    assert np.all(forces[:, 2] >= 0.0)


def test_torques_and_accelerations_beyond_their_limits_give_way():
    model = bk.human()
    state = State(model, stand(model), np.zeros(34))
    J = state.jacobian("left_hand")
    ask = [Goal(J[:3], np.array([0.0, 0.0, 400.0]), np.full(3, 1e3))]
    low, high = np.full(28, -50.0), np.full(28, 50.0)
    a, _ = FrameProblem(0.8).solve(state, ask, [], (np.zeros(3), 1.0), (np.zeros(28), np.ones(28)), (low, high))
    free, _ = FrameProblem(0.8).solve(
        state, ask, [], (np.zeros(3), 1.0), (np.zeros(28), np.ones(28)), (100 * low, 100 * high)
    )
    assert np.abs(a[6:]).max() < 0.5 * np.abs(free[6:]).max()


def test_a_pyramid_lies_inside_its_cone():
    edges = pyramid(0.7)
    assert np.all(np.linalg.norm(edges[:, :2], axis=1) <= 0.7 * edges[:, 2])
