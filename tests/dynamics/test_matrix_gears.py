"""Joints coupled by a matrix: every algorithm equals the dense one of the plain tree, projected by G: v_plain = G v.

30 random trees with balls, universal joints, hinges, sliders and screws in groups, serial, parallel and mixed, on free
and fixed bases; the plain tree's dense matrices come from our crba and from Pinocchio.
"""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.dynamics.passes import advance
from bunraku.dynamics.work import opened
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow
from figures import random_forces, relative
from matrix_figures import FORMS, PinocchioTree, plain_q, random_description, rate_map, without

SEEDS = range(30)
H = 1e-6  # central differences: error about H^2 plus rounding / H


class Case:
    """A coupled figure, its plain tree and a random state."""

    def __init__(self, seed: int, root: str = "") -> None:
        self.fig = random_description(seed, FORMS[seed % 3], root or ("free" if seed % 2 else "fixed"))
        self.m, self.plain = self.fig.build(), without(self.fig)
        self.G = rate_map(self.fig, self.m, self.plain)
        rng = np.random.default_rng(seed)
        self.q = bk.random_configuration(self.m, rng)
        self.v, self.tau, self.a = rng.normal(size=(3, self.m.nv))
        self.full = plain_q(self.m, self.plain, self.q)


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_and_torques(seed):
    c = Case(seed)
    assert c.m.nv < c.plain.nv and c.m.nq == c.plain.nq
    M = bk.crba(c.plain, c.full)
    assert relative(bk.crba(c.m, c.q), c.G.T @ M @ c.G) < 1e-12
    tau = bk.rnea(c.plain, c.full, c.G @ c.v, c.G @ c.a)
    assert relative(bk.rnea(c.m, c.q, c.v, c.a), c.G.T @ tau) < 1e-12
    peer = PinocchioTree(c.fig, c.plain)
    theirs = peer.mass_matrix(c.full)
    assert relative(bk.crba(c.m, c.q), c.G.T @ theirs @ c.G) < 1e-12
    bias = peer.bias_torque(c.full, c.G @ c.v)
    assert relative(bk.rnea(c.m, c.q, c.v, c.a), c.G.T @ (theirs @ c.G @ c.a + bias)) < 1e-12


@asserts("2013/matrix/*")
@pytest.mark.parametrize("seed", SEEDS)
def test_forward_dynamics(seed):
    c = Case(seed)
    f = random_forces(c.m, seed)
    a = bk.aba(c.m, c.q, c.v, c.tau, f)
    assert relative(bk.rnea(c.m, c.q, c.v, a, f), c.tau) < 1e-9
    M, b = bk.crba(c.plain, c.full), bk.rnea(c.plain, c.full, c.G @ c.v, np.zeros(c.plain.nv))
    dense = np.linalg.solve(c.G.T @ M @ c.G, c.tau - c.G.T @ b)
    assert relative(bk.aba(c.m, c.q, c.v, c.tau), dense) < 1e-10


@asserts("2013/between/matrix")
@pytest.mark.parametrize("seed", SEEDS)
def test_response_between_links(seed):
    """Theta, T and S of groups with several rates: K = J G (G'MG)^-1 G'J'."""
    c = Case(seed)
    frames = [link.name for link in c.m.links]
    wrench = np.random.default_rng(seed).normal(size=(len(frames), 6))
    J = np.array([w @ bk.frame_jacobian(c.plain, c.full, f) @ c.G for f, w in zip(frames, wrench)])
    M = c.G.T @ bk.crba(c.plain, c.full) @ c.G
    assert relative(bk.delassus(c.m, c.q, frames, wrench), J @ np.linalg.solve(M, J.T)) < 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_motion_of_bodies(seed):
    c = Case(seed)
    ours, plain = bk.kinematics(c.m, c.q, c.v), bk.kinematics(c.plain, c.full, c.G @ c.v)
    for link in c.m.links:
        assert np.allclose(ours.velocity(link), plain.velocity(link.name), rtol=0, atol=1e-11)
        assert np.allclose(ours.bias_acceleration(link), plain.bias_acceleration(link.name), rtol=0, atol=1e-10)
        J = bk.frame_jacobian(c.m, c.q, link)
        assert relative(J @ c.v, ours.velocity(link)) < 1e-12
    one, other = bk.centroidal(c.m, c.q, c.v), bk.centroidal(c.plain, c.full, c.G @ c.v)
    for name in ("com", "linear", "angular", "kinetic", "potential"):
        assert relative(getattr(one, name), getattr(other, name)) < 1e-12
    A = bk.momentum_matrix(c.m, c.q)
    assert relative(A @ c.v, np.concatenate([other.linear, other.angular])) < 1e-12
    assert abs(0.5 * c.v @ bk.crba(c.m, c.q) @ c.v - one.kinetic) < 1e-12 * one.kinetic


@entry("h D D d")
def move(handle, q, v, dt):
    """advance as a function."""
    ints, reals, _ = opened(handle)
    advance(ints, reals, borrow(q), borrow(v), dt)


@pytest.mark.parametrize("seed", range(12))
def test_coordinates_follow_the_rates(seed):
    """Each joint moves by its own rates, as in the plain tree; the kernel and NumPy agree."""
    c = Case(seed)
    moved = bk.integrate(c.m, c.q, c.v, 0.3)
    theirs = bk.integrate(c.plain, c.full, c.G @ c.v, 0.3)
    assert np.abs(plain_q(c.m, c.plain, moved) - theirs).max() < 1e-14 * max(1.0, np.abs(theirs).max())
    got, work = c.q.copy(), bk.Work(c.m)
    move.call(work.handle, got, c.v, 0.3)
    assert np.abs(got - moved).max() < 1e-13 * max(1.0, np.abs(moved).max())
    assert np.abs(bk.difference(c.m, c.q, bk.integrate(c.m, c.q, c.v, 0.1)) - 0.1 * c.v).max() < 1e-12
    batch = bk.integrate(c.m, np.array([c.q] * 3), np.array([c.v, 0 * c.v, -c.v]), 0.3)
    assert np.array_equal(batch[0], moved) and np.abs(batch[1] - c.q).max() < 1e-15 * max(1.0, np.abs(c.q).max())


@pytest.mark.parametrize("seed", range(12))
def test_derivatives(seed):
    c = Case(seed)
    f = random_forces(c.m, seed)
    d = bk.rnea_derivatives(c.m, c.q, c.v, c.a, f)

    def along_q(g):
        ends = ((bk.integrate(c.m, c.q, e, s) for s in (H, -H)) for e in np.eye(c.m.nv))
        return np.array([(g(x) - g(y)) / (2 * H) for x, y in ends]).T

    def along_v(g):
        return np.array([(g(c.v + H * e) - g(c.v - H * e)) / (2 * H) for e in np.eye(c.m.nv)]).T

    assert relative(d.dq, along_q(lambda x: bk.rnea(c.m, x, c.v, c.a, f))) < 1e-7
    assert relative(d.dv, along_v(lambda x: bk.rnea(c.m, c.q, x, c.a, f))) < 1e-7
    assert relative(d.dx, bk.crba(c.m, c.q)) < 1e-12


@pytest.mark.parametrize("seed", [1, 2, 6])
def test_lanes_give_the_same_bits(seed):
    c = Case(seed)
    rng = np.random.default_rng(seed)
    q = np.array([bk.random_configuration(c.m, rng) for _ in range(6)])
    v, tau = rng.normal(size=(2, 6, c.m.nv))
    assert np.array_equal(bk.aba(c.m, q, v, tau), [bk.aba(c.m, *s) for s in zip(q, v, tau)])
    assert np.array_equal(bk.rnea(c.m, q, v, tau), [bk.rnea(c.m, *s) for s in zip(q, v, tau)])


def test_beside_gears():
    """A gear with one rate, and a coupling by a matrix, in one figure; the 1 x 1 matrix is a gear."""
    rng = np.random.default_rng(5)
    models = []
    for by_matrix in (False, True):
        rng = np.random.default_rng(5)
        fig = random_description(4, "mixed")
        for k, up in enumerate(("base", "x0", "x1")):
            fig.add(
                f"x{k}", up, bk.hinge(f"x{k}", rng.normal(size=3)), at=rng.normal(size=3), mass=1.0, moments=(1, 1, 1)
            )
        if by_matrix:
            fig.couple("x1", "x0", [[-2.5]])
        else:
            fig.gear("x1", "x0", -2.5)
        models.append(fig.build())
    gear, matrix = models
    assert gear.nv == matrix.nv and matrix.nq == gear.nq + 1
    q, (v, tau) = bk.random_configuration(matrix, 3), rng.normal(size=(2, matrix.nv))
    q[matrix.joint("x1").q] = -2.5 * q[matrix.joint("x0").q]
    as_gear = gear.neutral()
    for j in gear.joints:
        as_gear[j.q] = q[matrix.joint(j.name).iq :][: j.nq]
    order = [k for j in gear.joints for k in range(matrix.joint(j.name).iv, matrix.joint(j.name).iv + j.nv)]
    assert relative(bk.aba(gear, as_gear, v[order], tau[order]), bk.aba(matrix, q, v, tau)[order]) < 1e-11


def test_inverse_kinematics_keeps_the_coupling():
    """A chain of three balls that all turn alike reaches a point; the balls stay equal."""
    fig = bk.Description("spine")
    up = None
    for k in range(3):
        fig.add(
            f"v{k}",
            up,
            bk.ball(f"b{k}"),
            at=(0, 0, 0.3 if k else 0.0),
            mass=1.0,
            com=(0, 0, 0.15),
            moments=(0.1, 0.1, 0.1),
        )
        up = f"v{k}"
    fig.frame("tip", "v2", (0, 0, 0.3))
    fig.couple(["b1", "b2"], "b0", np.vstack([np.eye(3), np.eye(3)]))
    m = fig.build()
    assert m.nv == 3
    target = np.array([0.45, 0.2, 0.55])
    target *= 0.75 / np.linalg.norm(target)
    found = bk.inverse_kinematics(m, [bk.Target("tip", position=target)])
    q = found.q
    assert np.abs(bk.kinematics(m, q).pose("tip")[0] - target).max() < 1e-6
    for k in (1, 2):
        assert np.abs(np.abs(q[m.joint(f"b{k}").q] @ q[m.joint("b0").q]) - 1.0) < 1e-12


def test_energy_and_momentum_of_a_free_figure():
    """Without gravity or torques, by midpoint steps, whose error is of second order: what the equation keeps is kept."""
    c = Case(7, "free")
    m, zero = c.m.with_gravity((0, 0, 0)), np.zeros(c.m.nv)
    lost = []
    for steps in (100, 200):
        q, v, dt = c.q, 0.5 * c.v, 0.1 / steps
        first = bk.centroidal(m, q, v)
        for _ in range(steps):
            half = v + dt / 2 * bk.aba(m, q, v, zero)
            a = bk.aba(m, bk.integrate(m, q, v, dt / 2), half, zero)
            q, v = bk.integrate(m, q, half, dt), v + dt * a
        last = bk.centroidal(m, q, v)
        pairs = ((last.energy, first.energy), (last.linear, first.linear), (last.angular, first.angular))
        lost.append([relative(x, y) for x, y in pairs])
    assert np.all(np.array(lost[0]) < 1e-4) and np.all(np.array(lost[1]) < 0.3 * np.array(lost[0]) + 1e-12)
