"""Laws of mechanics on random trees with every kind of joint, gears, rotors and external forces."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import bunraku as bk
from asserts import asserts
from figures import SCREWS, random_figure, random_forces, random_state, relative

FIGURES = [random_figure(seed, links=4 + seed % 9) for seed in range(24)]
FIGURES += [random_figure(seed, links=4 + seed % 9, kinds=SCREWS) for seed in range(12)]
figures = st.sampled_from(FIGURES)
seeds = st.integers(0, 10**6)


def test_the_figures_cover_everything():
    kinds = {j.kind for m in FIGURES for j in m.joints}
    assert kinds == {"hinge", "slider", "helical", "ball", "universal", "free"}
    assert sum(g.eliminated for m in FIGURES for g in m.gears) >= 10
    for kind in ("slider", "helical"):
        assert any(not j.nv and j.kind == kind for m in FIGURES for j in m.joints)  # as a follower


@asserts("2000/eq-1")
@asserts("2013/aba/22", "2013/aba/bodies", "2013/aba/root")
@given(m=figures, seed=seeds)
@asserts("2007/settings/aba")
def test_aba_inverts_rnea(m, seed):
    q, v, a = random_state(m, seed)
    f = random_forces(m, seed)
    assert relative(bk.aba(m, q, v, bk.rnea(m, q, v, a, f), f), a) < 1e-9


@asserts("2013/aba/dense")
@given(m=figures, seed=seeds)
def test_crba_is_symmetric_positive_definite_and_equals_rnea(m, seed):
    q, v, _ = random_state(m, seed)
    M = bk.crba(m, q)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0
    zero = np.zeros(m.nv)
    still = bk.rnea(m, q, v, zero)
    columns = np.array([bk.rnea(m, q, v, e) - still for e in np.eye(m.nv)]).T
    assert relative(columns, M) < 1e-9


@given(m=figures, seed=seeds)
def test_kinetic_energy_is_a_quadratic_form(m, seed):
    q, v, _ = random_state(m, seed)
    assert abs(bk.centroidal(m, q, v).kinetic - 0.5 * v @ bk.crba(m, q) @ v) < 1e-10 * max(1, v @ v)


@given(m=figures, seed=seeds)
def test_power_balance(m, seed):
    """dE/dt = v . tau, by central differences along the motion that aba gives: error O(h^2)."""
    q, v, tau = random_state(m, seed)
    a = bk.aba(m, q, v, tau)
    h = 1e-5

    def energy(s):
        # q(s) to second order on the group: the mean rate over s is v + a s / 2
        return bk.energy(m, bk.integrate(m, q, v + 0.5 * s * a, s), v + s * a)

    rate = (energy(h) - energy(-h)) / (2 * h)
    assert abs(rate - v @ tau) < 1e-6 * (abs(v @ tau) + np.abs(a).max() ** 2 + 10)


@given(m=figures, seed=seeds)
def test_power_of_external_forces(m, seed):
    """The power of a wrench is wrench . twist: rnea with it differs by J' f."""
    q, v, a = random_state(m, seed)
    f = random_forces(m, seed)
    twist = bk.kinematics(m, q, v).twist
    power = float(np.sum(f * twist))
    assert abs(v @ (bk.rnea(m, q, v, a) - bk.rnea(m, q, v, a, f)) - power) < 1e-9 * (1 + abs(power))


@asserts("2000/eq-12")
@given(m=figures, seed=seeds)
def test_momentum_rate_is_the_external_wrench(m, seed):
    """A free figure: d(linear)/dt = m g + sum f + base force, d(angular about com)/dt = moments about the centre of
    mass."""
    if m.joints[0].kind != "free":
        return
    q, v, tau = random_state(m, seed)
    tau[:6] = 0.0
    # a rotor on the free joint itself would be tied to the world
    if m.armature[0]:
        return
    f = random_forces(m, seed)
    a = bk.aba(m, q, v, tau, f)
    h = 1e-5

    def momentum(s):
        c = bk.centroidal(m, bk.integrate(m, q, v + 0.5 * s * a, s), v + s * a)
        return np.concatenate([c.linear, c.angular])

    rate = (momentum(h) - momentum(-h)) / (2 * h)
    k, com = bk.kinematics(m, q), bk.centre_of_mass(m, q)
    force = m.mass * m.gravity + f[:, :3].sum(0)
    moment = (f[:, 3:] + np.cross(k.position - com, f[:, :3])).sum(0)
    size = 1 + np.abs(np.concatenate([force, moment])).max() + np.abs(a).max() ** 2
    assert np.abs(rate - np.concatenate([force, moment])).max() < 1e-6 * size


@given(m=figures, seed=seeds)
def test_momentum_matrix(m, seed):
    q, v, _ = random_state(m, seed)
    c = bk.centroidal(m, q, v)
    assert relative(bk.momentum_matrix(m, q) @ v, np.concatenate([c.linear, c.angular])) < 1e-9


@asserts(
    "2013/between/root", "2013/between/theta", "2013/between/pairs", "2013/between/symmetric", "2013/between/gears"
)
@given(m=figures, seed=seeds)
@asserts("2007/relation/columns")
def test_delassus(m, seed):
    """K = J M^-1 J' for random rows on random links, several rows on one link among them."""
    q, _, _ = random_state(m, seed)
    rng = np.random.default_rng(seed)
    frames = [m.links[k].name for k in rng.integers(0, len(m.links), 7)]
    wrench = rng.normal(size=(7, 6))
    K = bk.delassus(m, q, frames, wrench)
    J = np.array([w @ bk.frame_jacobian(m, q, f) for f, w in zip(frames, wrench)])
    wanted = J @ np.linalg.solve(bk.crba(m, q), J.T)
    assert np.abs(K - wanted).max() < 1e-9 * max(np.abs(wanted).max(), 1e-6)


@asserts("2013/frames/4", "2013/bodies/12", "2013/series/32")
@given(m=figures, seed=seeds)
def test_frame_jacobian_is_the_derivative_of_the_pose(m, seed):
    q, v, _ = random_state(m, seed)
    h = 1e-6
    frame = m.links[seed % len(m.links)]
    J = bk.frame_jacobian(m, q, frame)
    ahead, behind = (bk.kinematics(m, bk.integrate(m, q, v, s * h)).pose(frame) for s in (1, -1))
    assert np.allclose((ahead[0] - behind[0]) / (2 * h), J[:3] @ v, atol=1e-7)
    spin = (ahead[1] - behind[1]) / (2 * h) @ bk.kinematics(m, q).pose(frame)[1].T
    assert np.allclose([spin[2, 1], spin[0, 2], spin[1, 0]], J[3:] @ v, atol=1e-7)
    assert np.allclose(bk.kinematics(m, q, v).velocity(frame), J @ v, atol=1e-12 * (1 + np.abs(v).max()))


@asserts("2013/frames/9", "2013/bodies/15", "2013/series/35")
@given(m=figures, seed=seeds)
def test_bias_acceleration_is_the_derivative_of_the_velocity(m, seed):
    q, v, _ = random_state(m, seed)
    h = 1e-5
    frame = m.links[seed % len(m.links)]
    ahead, behind = (bk.kinematics(m, bk.integrate(m, q, v, s * h), v).velocity(frame) for s in (1, -1))
    bias = bk.kinematics(m, q, v).bias_acceleration(frame)
    assert np.allclose((ahead - behind) / (2 * h), bias, atol=1e-6 * (1 + np.abs(bias).max()))


@given(m=figures, seed=seeds)
def test_far_from_the_origin(m, seed):
    """A figure a kilometre away has the same dynamics."""
    if m.joints[0].kind != "free":
        return
    q, v, tau = random_state(m, seed)
    far = q.copy()
    far[:3] += [1000.0, -2000.0, 500.0]
    assert relative(bk.aba(m, far, v, tau), bk.aba(m, q, v, tau)) < 1e-11


def test_wrenches_at_frames():
    m = bk.human()
    q, v, a = random_state(m, 3)
    f = bk.wrenches(m, q, [("left_hand", (1, 2, 3)), ("head_top", (0, 0, 0, 4, 5, 6))])
    wanted = bk.frame_jacobian(m, q, "left_hand")[:3].T @ [1, 2, 3] + bk.frame_jacobian(m, q, "head_top")[3:].T @ [
        4,
        5,
        6,
    ]
    assert np.allclose(bk.rnea(m, q, v, a) - bk.rnea(m, q, v, a, f), wanted)
