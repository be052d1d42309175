"""Inertias moved from origin to origin: bodies are clouds of point masses, so that every moment of inertia is a plain
sum, and the parallel-axes theorem is tested where it is used: in the build, in the mass matrix, in the articulated
inertias."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.dynamics.inertia import shifted

TURN = (0.5, -0.1, 0.7, 0.3)


def cloud(seed):
    """(masses, points): a body whose centre is off its origin in all three axes."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.2, 1.0, 7), np.array([0.3, -0.2, 0.4]) + rng.normal(0, 0.15, (7, 3))


def inertia_of(masses, points):
    """sum m (r.r 1 - r r') about the origin."""
    return sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, points))


def own(masses, points):
    """What `Description.add` takes of a cloud: mass, centre, inertia about the centre."""
    centre = masses @ points / masses.sum()
    return {"mass": masses.sum(), "com": centre, "moments": inertia_of(masses, points - centre)}


def figure():
    """(model, clouds by link): a free base with a plate fixed to it, askew, and a chain of two hinges."""
    fig = bk.Description("clouds")
    clouds = {name: cloud(k) for k, name in enumerate(("base", "plate", "arm", "hand"))}
    fig.add("base", None, bk.free(), **own(*clouds["base"]))
    fig.add("plate", "base", at=(0.3, 0.5, -0.2), rotation=TURN, **own(*clouds["plate"]))
    fig.add("arm", "base", bk.hinge("shoulder", (1, 2, -1)), at=(-0.1, 0.4, 0.6), **own(*clouds["arm"]))
    fig.add("hand", "arm", bk.hinge("wrist", (0, 1, 0)), at=(0.5, -0.3, 0.2), rotation=TURN, **own(*clouds["hand"]))
    return fig.build(), clouds


def places(model, q, clouds):
    """(masses, places in the world) of all points."""
    k = bk.kinematics(model, q)
    masses = np.concatenate([m for m, _ in clouds.values()])
    return masses, np.vstack([k.pose(name)[0] + p @ k.pose(name)[1].T for name, (_, p) in clouds.items()])


def test_a_link_that_is_fixed_to_another_adds_its_points():
    """One body of two clouds: mass matrix [[m 1, -[h]], [[h], I]] in the body's axes, about the base's origin."""
    fig = bk.Description("two")
    (m1, p1), (m2, p2) = cloud(1), cloud(2)
    fig.add("base", None, bk.free(), **own(m1, p1))
    fig.add("plate", "base", at=(0.3, 0.5, -0.2), rotation=TURN, **own(m2, p2))
    model = fig.build()
    k = bk.kinematics(model, model.neutral())
    masses, points = np.concatenate([m1, m2]), np.vstack([p1, k.pose("plate")[0] + p2 @ k.pose("plate")[1].T])
    M, h = bk.crba(model, model.neutral()), masses @ points
    assert np.allclose(M[:3, :3], masses.sum() * np.eye(3)) and np.allclose(M[3:, 3:], inertia_of(masses, points))
    assert np.allclose(M[3:, :3], [[0, -h[2], h[1]], [h[2], 0, -h[0]], [-h[1], h[0], 0]])


@pytest.mark.parametrize("seed", range(3))
def test_the_locked_figures_inertia_is_that_of_all_its_points(seed):
    """The base's block of the mass matrix, turned into world axes: sum m (r.r 1 - r r') over the points of all links."""
    model, clouds = figure()
    q = bk.random_configuration(model, seed)
    masses, points = places(model, q, clouds)
    R = bk.kinematics(model, q).pose("base")[1]
    assert np.allclose(R @ bk.crba(model, q)[3:6, 3:6] @ R.T, inertia_of(masses, points - q[:3]), atol=1e-12)
    assert np.allclose(bk.centre_of_mass(model, q), masses @ points / masses.sum())


@pytest.mark.parametrize("seed", range(3))
def test_kinetic_energy_is_that_of_all_points(seed):
    """v' M v = sum m |r'|^2, the points' velocities by differences: error of order h^2 = 1e-10."""
    model, clouds = figure()
    q, v = bk.random_configuration(model, seed), np.random.default_rng(seed).normal(size=model.nv)
    h = 1e-5
    masses, ahead = places(model, bk.integrate(model, q, h * v), clouds)
    _, behind = places(model, bk.integrate(model, q, -h * v), clouds)
    energy = 0.5 * masses @ (((ahead - behind) / (2 * h)) ** 2).sum(1)
    assert 0.5 * v @ bk.crba(model, q) @ v == pytest.approx(energy, rel=1e-7)
    height = masses @ (0.5 * (ahead + behind))[:, 2]
    assert bk.energy(model, q, v) == pytest.approx(energy + 9.80665 * height, rel=1e-7)
    # without torques the motion goes on by itself: rnea of aba's accelerations needs none
    a = bk.aba(model, q, v, np.zeros(model.nv))
    assert np.abs(bk.rnea(model, q, v, a)).max() < 1e-10


def test_an_articulated_inertia_seen_from_elsewhere():
    """X' I X with X: (al, a) at p -> (al, a + al x r) at c = p + r, for an inertia of no rigid body."""
    G = np.random.default_rng(11).normal(size=(6, 6))
    I, r = G @ G.T, np.array([0.4, -0.7, 0.2])
    cross = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    X = np.block([[np.eye(3), np.zeros((3, 3))], [-cross, np.eye(3)]])
    upper = np.triu_indices(3)
    A, B, C = shifted(
        tuple(I[:3, :3][upper].tolist()), tuple(I[:3, 3:].ravel().tolist()), tuple(I[3:, 3:][upper].tolist()), tuple(r)
    )
    moved = X.T @ I @ X
    assert np.allclose(A, moved[:3, :3][upper]) and np.allclose(B, moved[:3, 3:].ravel())
    assert np.allclose(C, moved[3:, 3:][upper])
