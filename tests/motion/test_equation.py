"""The one equation (11): inverse and forward dynamics are its special cases; redundant, singular and conflicting rows
stay bounded."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.motion.equation import Preferred, Rows, State, finish, solve


def state_of(seed=0, rates=1.0):
    rng = np.random.default_rng(seed)
    model = bk.human()
    v = rates * rng.normal(size=model.nv)
    q = bk.integrate(model, model.neutral(), 0.3 * rng.normal(size=model.nv))
    return State(model, q, v), rng


def indifferent(state, nc):
    nj = len(state.driven)
    return Preferred(
        (np.zeros(len(state.b)), np.ones(len(state.b))), (np.zeros(nc), np.full(nc, 1e-4)), (np.zeros(nj), np.zeros(nj))
    )


def feet(state):
    J = np.vstack([state.jacobian("left_sole"), state.jacobian("right_sole")])
    bias = np.concatenate([state.kin.bias_acceleration("left_sole"), state.kin.bias_acceleration("right_sole")])
    return J, -bias


def residual(state, Hc, x):
    """Of (11), of the weight."""
    left = state.M @ x.a + state.b - x.tau - Hc.T @ x.f
    return np.abs(left).max() / (state.model.mass * 9.80665)


def test_torques_known_in_the_air_is_forward_dynamics():
    state, rng = state_of()
    tau = np.zeros(state.model.nv)
    tau[6:] = rng.normal(0, 2, 28)
    rows = Rows(34, 0, 28)
    for k in range(28):
        rows.add(tau[6 + k], 1.0, tau=np.eye(28)[k])
    x = solve(state, np.zeros((0, 34)), np.zeros(0), rows, indifferent(state, 0))
    assert np.allclose(x.a, bk.aba(state.model, state.q, state.v, tau), atol=1e-6) and np.abs(x.unmet).max() < 1e-8


def test_torques_known_on_two_feet_is_the_constrained_forward_dynamics_of_20():
    state, rng = state_of(1, 0.3)
    Hc, hold = feet(state)
    tau = np.zeros(34)
    tau[6:] = rng.normal(0, 20, 28)
    rows = Rows(34, 12, 28)
    for k in range(28):
        rows.add(tau[6 + k], 1.0, tau=np.eye(28)[k])
    x = solve(state, Hc, hold, rows, indifferent(state, 12))
    K = np.block([[state.M, -Hc.T], [Hc, np.zeros((12, 12))]])  # (20)
    dense = np.linalg.solve(K, np.concatenate([tau - state.b, hold]))
    assert np.allclose(x.a, dense[:34], atol=1e-5) and np.allclose(x.f, dense[34:], atol=1e-3)
    assert residual(state, Hc, x) < 1e-12


@asserts("2000/nj/decides")
def test_accelerations_known_is_inverse_dynamics():
    state, rng = state_of(2)
    rows, a = Rows(34, 0, 28), rng.normal(size=28)
    for k in range(28):
        rows.add(a[k], 1.0, a=np.eye(34)[6 + k])
    x = solve(state, np.zeros((0, 34)), np.zeros(0), rows, indifferent(state, 0))
    assert np.allclose(x.a[6:], a, atol=1e-9)
    assert np.allclose(bk.rnea(state.model, state.q, state.v, x.a), x.tau, atol=1e-9)


def test_forces_given_come_out_as_given():
    state, _ = state_of(3, 0.1)
    Hc, hold = feet(state)
    rows, given = Rows(34, 12, 28), np.array([5.0, -3.0, 300.0, 1.0, 2.0, 0.5])
    for k in range(6):
        rows.add(given[k], 1.0, f=np.eye(12)[k])
    x = solve(state, Hc, hold, rows, indifferent(state, 12))
    assert np.allclose(x.f[:6], given, atol=1e-6) and np.allclose(Hc @ x.a, hold, atol=1e-7)
    assert residual(state, Hc, x) < 1e-12


def test_redundant_contacts_take_the_smallest_forces():
    state, _ = state_of(4, 0.0)
    Hc, hold = feet(state)
    once, twice = (
        solve(state, H, h, Rows(34, len(H), 28), indifferent(state, len(H)))
        for H, h in ((Hc, hold), (np.vstack([Hc, Hc]), np.tile(hold, 2)))
    )
    assert twice.lost == 12 and np.allclose(Hc @ twice.a, hold, atol=1e-8)
    assert residual(state, np.vstack([Hc, Hc]), twice) < 1e-12 and np.isfinite(once.f).all()
    assert np.allclose(twice.f[:12], twice.f[12:], atol=1e-6)


@pytest.mark.parametrize("ask", [1.0, 1e6])
def test_conflicting_and_singular_requests_stay_bounded(ask):
    state, _ = state_of(5, 0.0)
    rows, J = Rows(34, 0, 28), state.jacobian("left_hand")
    rows.add(ask, 1.0, a=J[0])
    rows.add(-ask, 1.0, a=J[0])  # the opposite
    rows.add(ask, 1.0, a=1e-12 * J[1])  # next to nothing can be done
    x = solve(state, np.zeros((0, 34)), np.zeros(0), rows, indifferent(state, 0))
    assert np.abs(x.a[6:]).max() < 1001 and residual(state, np.zeros((0, 34)), x) < 1e-9
    assert np.allclose(x.unmet[:2], [ask, -ask], rtol=1e-3)


def test_finish_makes_base_rows_exact_for_any_point_forces():
    state, rng = state_of(6)
    body = state.model.body("left_foot")
    points = state.kin.position[body] + rng.normal(0, 0.1, (4, 3))
    forces = rng.normal(0, 100, (4, 3))
    a, tau = finish(state, rng.normal(size=34), [(body, points, forces)])
    f_ext = np.zeros((state.model.nb, 6))
    f_ext[body] = np.concatenate([forces.sum(axis=0), np.cross(points - state.kin.position[body], forces).sum(axis=0)])
    left = bk.rnea(state.model, state.q, state.v, a, f_ext)
    assert np.abs(left[:6]).max() < 1e-9 and np.allclose(left, tau, atol=1e-9) and not tau[:6].any()
