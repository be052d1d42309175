"""Ground reaction, zero-moment point, support polygon, momentum and energy of figures."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import bunraku as bk
from bunraku.world import World
from bunraku.world.measures import convex_hull

G = 9.80665


def held(dt=0.001, swing=None):
    """The human figure on the ground with its joints held by PD torques; `swing(t)` is added to the wanted pitch of
    both shoulders."""
    m = bk.human()
    world = World(dt=dt)
    world.add_ground(friction=0.8)
    fig = world.add(m, at=(0, 0, 0.901))
    q0 = fig.q.copy()
    arms = [m.joint(n).iv for n in ("left_shoulder", "right_shoulder") if swing is not None]

    def hold(w):
        error = bk.difference(m, fig.q, q0)
        for k in arms:
            error[k + 1] += swing(w.time)
        fig.tau[6:] = 3000 * error[6:] - 60 * fig.v[6:]

    world.add_controller(hold)
    return world, fig


def from_momentum(world, fig):
    """ZMP at height 0 from one step's change of momentum: F = dP/dt - m g, M = d(L + c x P)/dt - c x m g about the
    origin."""

    def momenta():
        c = fig.com
        return c, np.concatenate([fig.momentum, fig.angular_momentum + np.cross(c, fig.momentum)])

    c, before = momenta()
    world.step()
    rate = (momenta()[1] - before) / world.dt
    weight = fig.model.mass * np.array(world.gravity)
    f, n = rate[:3] - weight, rate[3:] - np.cross(c, weight)
    return np.array([-n[1] / f[2], n[0] / f[2]]), np.concatenate([f, n])


def test_zmp_of_a_standing_figure_is_below_its_centre_of_mass():
    """At rest the ground reaction goes through the centre of mass: ZMP = its projection, F = (0, 0, m g)."""
    world, fig = held()
    world.run(1.0)
    weight = fig.model.mass * G
    assert np.abs(fig.v).max() < 1e-6
    assert np.allclose(fig.zmp[:2], fig.com[:2], atol=world.tolerance) and abs(fig.zmp[2]) < 1e-6
    assert np.allclose(fig.ground_reaction[:3], [0, 0, weight], atol=world.tolerance * weight)
    p, z = fig.support, fig.zmp[:2]
    edge, to = np.roll(p, -1, axis=0) - p, z - p
    assert np.all(edge[:, 0] * to[:, 1] - edge[:, 1] * to[:, 0] > 0)  # inside, anticlockwise
    assert len(fig.contacts) == 2 and {c.bodies[0][1] for c in fig.contacts} == {"left_foot", "right_foot"}


def test_zmp_is_that_of_the_momentum_while_the_arms_swing():
    """Newton and Euler for the whole figure, at O(dt): half the step, half the difference."""
    worst = []
    for dt in (0.001, 0.0005):
        world, fig = held(dt, swing=lambda t: 0.4 * np.sin(8 * t))
        world.run(0.3)
        gap, size = 0.0, 0.0
        for _ in range(round(0.1 / dt)):
            wanted, _ = from_momentum(world, fig)
            gap = max(gap, np.abs(fig.zmp[:2] - wanted).max())
            size = max(size, np.abs(fig.zmp[:2] - fig.com[:2]).max())
        worst.append(gap)
        assert size > 20 * gap  # it does move: the ZMP is far from the projection
    assert worst[1] == pytest.approx(worst[0] / 2, rel=0.25)


def test_ground_reaction_of_a_sliding_box():
    """F = M (a - g) - push, and the moment about the centre of mass vanishes while it does not turn."""
    world = World(dt=0.001)
    world.add_ground(friction=0.3)
    box = world.add(bk.box((0.4, 0.4, 0.1), 2.0), at=(1, 2, 0.05))
    world.step(10)
    world.push(box["box"], force=(20, 0, -5), seconds=1.0)
    v = box.v[:3].copy()
    c = box.com
    world.step()
    F = box.ground_reaction
    wanted = 2.0 * ((box.v[:3] - v) / world.dt + [0, 0, G]) - [20, 0, -5]
    assert np.allclose(F[:3], wanted, atol=1e-9)
    assert np.allclose(F[:3], [-0.3 * (2 * G + 5), 0, 2 * G + 5], rtol=1e-4, atol=1e-5)
    assert np.allclose(F[3:] - np.cross(c, F[:3]), 0, atol=1e-4)
    assert np.allclose(box.zmp, [1 + 0.3 * 0.05, 2, 0], atol=1e-5)  # friction at the sole, arm h: mu h


def test_in_the_air_there_is_no_zmp():
    world = World(dt=0.001)
    world.add_ground()
    box = world.add(bk.box((0.2, 0.3, 0.1), 2.0), at=(0, 0, 1))
    assert box.zmp is None and box.support.shape == (0, 2)  # before the first step too
    world.step(3)
    assert box.zmp is None and not box.ground_reaction.any() and box.support.shape == (0, 2) and box.contacts == []


def test_on_a_step_the_zmp_has_its_height():
    world = World(dt=0.001)
    world.add_fixed(bk.Shape("box", (0.5, 0.5, 0.1), (0, 0, 0.1)))
    box = world.add(bk.box((0.2, 0.3, 0.1), 2.0), at=(0.1, 0, 0.25))
    world.step(20)
    assert np.allclose(box.zmp, [0.1, 0, 0.2], atol=1e-6)
    assert sorted(map(tuple, np.round(box.support, 6))) == [(0.0, -0.15), (0.0, 0.15), (0.2, -0.15), (0.2, 0.15)]


def test_energy_is_under_the_worlds_gravity_and_momentum_is_m_v_and_I_w():
    world = World(dt=0.001, gravity=(0, 0, -1.62))
    box = world.add(bk.box((0.2, 0.3, 0.1), 2.0), at=(0, 0, 3))
    box.v[:] = 1.0, 2.0, 3.0, 0.5, -1.0, 4.0
    I = 2.0 / 12 * np.array([0.3**2 + 0.1**2, 0.2**2 + 0.1**2, 0.2**2 + 0.3**2])
    assert np.allclose(box.momentum, 2.0 * box.v[:3]) and np.allclose(box.angular_momentum, I * box.v[3:])
    assert box.energy == pytest.approx(2.0 * 1.62 * 3 + 0.5 * 2 * 14 + 0.5 * I @ box.v[3:] ** 2)
    assert box.energy == pytest.approx(float(bk.energy(world.model, world.q, world.v)))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 10, 200])
def test_convex_hull_against_qhull(n):
    points = np.random.default_rng(n).normal(size=(n, 2))
    ours = convex_hull(points)
    if n < 3:
        assert len(ours) == n
        return
    theirs = points[ConvexHull(points).vertices]  # anticlockwise in the plane
    first = int(np.argmin(np.abs(theirs - ours[0]).sum(1)))
    assert np.allclose(ours, np.roll(theirs, -first, axis=0))


def test_convex_hull_of_points_on_a_line_is_its_ends():
    line = np.outer(np.linspace(0, 1, 7), [1.0, 2.0])
    assert np.allclose(convex_hull(line), [[0, 0], [1, 2]])
