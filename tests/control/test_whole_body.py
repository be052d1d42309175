"""The whole-body problem: its laws (dynamics, cones, limits), and its optimum against SciPy's general solver."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import bunraku as bk
from bunraku.control.cone_curvature import curvature
from bunraku.control.whole_body import Contact, Task, WholeBody
from bunraku.errors import InputError
from figures import random_figure, random_state

MU = 0.6


def corners(sides=("left", "right"), **more):
    """Corners of the soles."""
    xy = [(x, y, 0.0) for x in (-0.095, 0.095) for y in (-0.06, 0.06)]
    return [Contact(f"{s}_sole", p, friction=MU, **more) for s in sides for p in xy]


def bent(seed=0, speed=0.1):
    """A state of the human with bent joints, its soles not quite level."""
    m, rng = bk.human(), np.random.default_rng(seed)
    q = bk.integrate(m, m.neutral(), 0.2 * rng.normal(size=m.nv), 1.0)
    for j in m.joints:
        if j.kind == "hinge":
            q[j.q] = np.clip(np.abs(q[j.q]) + 0.2, 0.05, 2.0)
    return m, q, resting(m, q, speed * rng.normal(size=m.nv))


def resting(m, q, v):
    """v less what moves the feet."""
    J = np.vstack([bk.frame_jacobian(m, q, f"{s}_foot") for s in ("left", "right")])
    return v - np.linalg.pinv(J) @ (J @ v)


def wrenches_of(m, q, contacts, forces):
    k, out = bk.kinematics(m, q), np.zeros((m.nb, 6))
    for c, f in zip(contacts, forces):
        i = m.frame(c.link)
        arm = k.rotation[i.body] @ (i.position + i.rotation @ np.asarray(c.point))
        out[i.body] += np.concatenate([f, np.cross(arm, f)])
    return out


def point_jacobian(m, q, v, c):
    """(J (3, nv), J_dot v) of a contact's or task's point."""
    i = m.frame(c.link)
    at = type(i)("p", i.body, i.position + i.rotation @ np.asarray(c.point), i.rotation, False)
    return bk.frame_jacobian(m, q, at)[:3], bk.kinematics(m, q, v).bias_acceleration(at)[:3]


@pytest.mark.parametrize("seed", range(4))
def test_solution_obeys_dynamics_and_cones(seed):
    m, q, v = bent(seed)
    cs = corners()
    s = WholeBody(m).solve(
        q, v, tasks=[Task("left_hand", (1.0, -2.0, 3.0))], contacts=cs, torque_limits=False, rounds=15
    )
    tau = bk.rnea(m, q, v, s.a, wrenches_of(m, q, cs, s.forces))
    scale = 9.81 * m.mass
    assert np.abs(tau - s.tau).max() < 1e-9 * scale and np.all(s.tau[:6] == 0)
    assert np.all(np.linalg.norm(s.forces[:, :2], axis=1) <= MU * s.forces[:, 2] + 1e-6 * scale)
    for c in cs:
        J, bias = point_jacobian(m, q, v, c)
        assert np.abs(J @ s.a + bias).max() < 1e-6


def test_contacts_that_cannot_all_rest_do_not_break_the_cones():
    m, q, _ = bent(0)
    v = np.random.default_rng(0).normal(size=m.nv)  # feet that turn: four points of each cannot all be at rest
    s = WholeBody(m).solve(q, v, contacts=corners(), torque_limits=False, rounds=20)
    scale = 9.81 * m.mass
    assert s.open_contacts > 1e-3
    assert np.all(np.linalg.norm(s.forces[:, :2], axis=1) <= MU * s.forces[:, 2] + 1e-3 * scale)


@pytest.mark.parametrize("friction, at_cone", [(0.6, 0), (0.22, 3), (0.1, 4)])
def test_optimum_is_that_of_a_general_solver(friction, at_cone):
    """min w |hand - wanted|^2 + |a_j|^2 + eps |f|^2 over y = (a, f) with the base rows, resting contacts and cones, by
    SciPy's SLSQP. Its unknowns are z in y = solution of the rows + T z, with T such that the cost is |z|^2 but for a
    shift; it starts far away and stops where the cost changes by 1e-12 of its size, well above the sum's rounding."""
    m, q, v = bent(3)
    cs = [replace(c, friction=friction) for c in corners(("right",))]
    task, eps, wt = Task("left_hand", (4.0, 3.0, -2.0), weight=50.0), 1e-3, 50.0
    s = WholeBody(m).solve(q, v, tasks=[task], contacts=cs, force_weight=eps, torque_limits=False, rounds=12)
    M, h, nv = bk.crba(m, q), bk.rnea(m, q, v, np.zeros(m.nv)), m.nv
    Js, biases = zip(*(point_jacobian(m, q, v, c) for c in cs))
    Jt, bt = point_jacobian(m, q, v, task)
    J, bias = np.vstack(Js), np.concatenate(biases)
    n = nv + 3 * len(cs)
    E = np.zeros((6 + len(J), n))
    E[:6, :nv], E[:6, nv:], E[6:, :nv] = M[:6], -J[:, :6].T, J
    e = np.concatenate([-h[:6], -bias])

    def cost(y):
        return wt * np.sum((Jt @ y[:nv] + bt - task.wanted) ** 2) + np.sum(y[6:nv] ** 2) + eps * np.sum(y[nv:] ** 2)

    def gradient(y):
        g = 2 * wt * np.concatenate([Jt.T @ (Jt @ y[:nv] + bt - task.wanted), np.zeros(n - nv)])
        g[6:nv] += 2 * y[6:nv]
        g[nv:] += 2 * eps * y[nv:]
        return g

    def cone(y):
        f = y[nv:].reshape(-1, 3)
        return np.concatenate([friction * f[:, 2] - np.hypot(f[:, 0], f[:, 1]), f[:, 2]])

    _, w, V = np.linalg.svd(E)
    free = V[np.count_nonzero(w > 1e-9 * w[0]) :].T  # four points of a rigid foot: twelve rows of rank six
    some = np.linalg.lstsq(E, e, rcond=1e-9)[0]
    H = np.diag(np.concatenate([np.zeros(6), np.ones(nv - 6), np.full(n - nv, eps)]))
    H[:nv, :nv] += wt * Jt.T @ Jt
    T = free @ np.linalg.inv(np.linalg.cholesky(free.T @ H @ free)).T

    def y_of(z):
        return some + T @ z

    ours = np.concatenate([s.a, s.forces.ravel()])
    start = 10.0 * np.random.default_rng(0).normal(size=T.shape[1])
    rules = [{"type": "ineq", "fun": lambda z: cone(y_of(z))}]
    r = minimize(
        lambda z: cost(y_of(z)), start, jac=lambda z: T.T @ gradient(y_of(z)), constraints=rules,
        method="SLSQP", options={"maxiter": 500, "ftol": 1e-12 * cost(ours)},
    )  # fmt: skip
    assert r.success and abs(cost(ours) - r.fun) < 1e-5 * r.fun
    assert np.abs(y_of(r.x)[:nv] - s.a).max() < 1e-3 * np.abs(s.a).max()
    assert np.count_nonzero(cone(y_of(r.x))[: len(cs)] < 1e-6) == at_cone


def test_a_torque_that_would_be_too_large_stays_at_its_limit():
    m, q, v = bent(1, 0.0)
    ask = [Task("left_hand", (0.0, 0.0, 60.0))]
    free = WholeBody(m).solve(q, v, tasks=ask, contacts=corners(), torque_limits=False)
    held = WholeBody(m).solve(q, v, tasks=ask, contacts=corners())
    assert np.any(np.abs(free.tau) > m.effort) and held.limited > 0
    assert np.all(np.abs(held.tau[6:]) <= m.effort[6:] * (1 + 1e-9))
    tau = bk.rnea(m, q, v, held.a, wrenches_of(m, q, corners(), held.forces))
    assert np.abs(tau - held.tau).max() < 2e-2 * np.abs(held.tau).max()  # the rest was cut off at the limits


@pytest.mark.parametrize("seed", range(6))
def test_torques_beyond_either_limit_become_bounds(seed):
    """Asked for so much that a torque kept from one of its limits would be beyond the other one."""
    m, q, v = bent(seed, 2.0)
    wanted = 600.0 * np.random.default_rng(seed).normal(size=m.nv - 6)
    s = WholeBody(m).solve(q, v, posture=wanted, torque_limits=0.8, rounds=10)
    tau = bk.rnea(m, q, v, s.a)
    assert np.abs(tau - s.tau)[6:].max() < 1e-3 * np.abs(tau).max()  # nothing is left to be cut off
    assert s.limited > 5 and np.all(np.abs(tau[6:]) <= 0.8 * m.effort[6:] * 1.001)


def test_contacts_that_give_way_stay_at_their_weights():
    m, q, v = bent(2, 0.0)
    ask = [Task("left_sole", (0.0, 0.0, 4.0), weight=1e4)]
    rise = {}
    for gives in (False, True):
        cs = [replace(c, weight=1e4, gives=gives) for c in corners(("left",))] + corners(("right",))
        s = WholeBody(m).solve(q, v, tasks=ask, contacts=cs, rounds=10)
        J, bias = point_jacobian(m, q, v, ask[0])
        rise[gives] = (J @ s.a + bias)[2]
    assert abs(rise[False]) < 1e-5 and abs(rise[True] - 0.8) < 1e-2  # four points and a task of one weight


def test_bounds_of_accelerations_hold():
    m, q, v = bent(3, 0.0)
    low, high = np.full(m.nv - 6, -5.0), np.full(m.nv - 6, 4.0)
    s = WholeBody(m).solve(
        q, v, tasks=[Task("left_hand", (5.0, 0, 5.0))], contacts=corners(), bounds=(low, high), rounds=20
    )
    assert np.all(s.a[6:] >= low - 1e-6) and np.all(s.a[6:] <= high + 1e-6)
    assert np.any(s.a[6:] > high - 1e-6)


def test_requests_that_contradict_give_way_by_their_weights():
    m, q, v = bent(0, 0.0)
    two = [Task("left_hand", (0, 0, 2.0), weight=3e4), Task("left_hand", (0, 0, -2.0), weight=1e4)]
    s = WholeBody(m).solve(q, v, tasks=two, contacts=corners())
    J, bias = point_jacobian(m, q, v, two[0])
    assert (J @ s.a + bias)[2] == pytest.approx(1.0, abs=0.01)  # (3 2 - 1 2) / 4


def test_momentum_rows_are_sums_of_forces():
    m, q, v = bent(0, 0.0)
    s = WholeBody(m).solve(q, v, contacts=corners(), momentum={0: (30.0, 1e3), 2: (700.0, 1e3)})
    assert s.forces.sum(0)[[0, 2]] == pytest.approx([30.0, 700.0], abs=0.5)


@pytest.mark.parametrize("root", ["free", "hinge"])
def test_any_figure_with_gears_and_a_fixed_base(root):
    m = random_figure(5, links=9, root=root)
    q, v, _ = random_state(m, 5)
    link = next(f.name for f in m.links if f.body == m.nb - 1)
    s = WholeBody(m).solve(q, v, tasks=[Task(link, (1.0, 0.5, -1.0), weight=1e6)], torque_limits=False)
    tau = bk.rnea(m, q, v, s.a)
    assert np.abs(tau - s.tau).max() < 1e-8 * max(1.0, np.abs(tau).max())


def test_curvature_is_that_of_the_distance_to_the_cone():
    """D z = z - projection, and D is its derivative, by differences."""
    rng = np.random.default_rng(0)

    def away(z, mu):
        n, t = z[0], z[1:]
        r = np.linalg.norm(t)
        if r <= mu * n:
            return np.zeros(3)
        if mu * r <= -n:
            return z
        s = (n + mu * r) / (1 + mu * mu)
        return z - s * np.concatenate([[1.0], mu * t / r])

    for _ in range(200):
        z, mu = rng.normal(size=3), rng.uniform(0.2, 1.5)
        _, d, o = curvature(*map(float, z), float(mu), -1.0)
        assert o == (0.0, 0.0)
        D = np.array([[d[0], d[1], d[2]], [d[1], d[3], d[4]], [d[2], d[4], d[5]]])
        assert np.allclose(D @ z, away(z, mu), atol=1e-12)
        difference = np.column_stack([(away(z + 1e-6 * e, mu) - away(z - 1e-6 * e, mu)) / 2e-6 for e in np.eye(3)])
        assert np.allclose(D, difference, atol=1e-4)


def test_curvature_with_a_given_radius():
    """D z - offset = z - projection on n >= 0, |t| <= R, and D is its derivative."""
    rng, R = np.random.default_rng(0), 0.8

    def away(z):
        r = np.linalg.norm(z[1:])
        return np.concatenate([[min(z[0], 0.0)], z[1:] * (1 - R / r) if r > R else np.zeros(2)])

    for _ in range(100):
        z = rng.normal(size=3)
        _, d, o = curvature(*map(float, z), 0.5, R)
        D = np.array([[d[0], d[1], d[2]], [d[1], d[3], d[4]], [d[2], d[4], d[5]]])
        assert np.allclose(D @ z - [0, *o], away(z), atol=1e-12)
        difference = np.column_stack([(away(z + 1e-6 * e) - away(z - 1e-6 * e)) / 2e-6 for e in np.eye(3)])
        assert np.allclose(D, difference, atol=1e-4)


@pytest.mark.parametrize(
    "ask",
    [
        {"tasks": [Task("left_hand", (1.0, 2.0))]},
        {"contacts": [Contact("left_sole", normal=(0, 0, 0))]},
        {"momentum": {6: (0.0, 1.0)}},
        {"bounds": (1.0, -1.0)},
        {"rounds": 0},
        {"contacts": corners() * 3},
        {"posture": [1.0, 2.0]},
    ],
)
def test_bad_requests_are_refused(ask):
    m, q, v = bent(0)
    with pytest.raises(InputError, match="whole_body"):
        WholeBody(m).solve(q, v, **ask)
