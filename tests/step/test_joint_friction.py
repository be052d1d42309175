"""Coulomb friction of joints that is guessed, and contacts that get no rows: the same motion as with rows for all."""

import numpy as np
import pytest

import bunraku as bk


def chain(rng, links=6, friction=0.3):
    """Hinges about random axes with friction, capsules that touch the ground, a free base."""
    d = bk.Description("chain")
    d.add("base", None, bk.free("root"), mass=2.0, moments=(0.02, 0.03, 0.04))
    d.links[-1].shapes = [bk.Shape("box", (0.1, 0.08, 0.05))]
    parent = "base"
    for k in range(links):
        axis = rng.normal(size=3)
        joint = bk.hinge(f"j{k}", axis / np.linalg.norm(axis), friction=friction * rng.uniform(0.0, 2.0))
        d.add(f"l{k}", parent, joint, at=rng.uniform(-0.15, 0.15, 3), mass=0.5, moments=(0.002, 0.003, 0.002))
        d.links[-1].shapes = [bk.Shape("capsule", (0.03, 0.05))]
        parent = f"l{k}" if k % 3 else "base"
    return d.build()


def wheel(friction):
    d = bk.Description("wheel")
    d.add("disc", None, bk.hinge("axle", (0, 0, 1), friction=friction), mass=1.0, moments=(0.3, 0.3, 0.5))
    return d.build()


def by_rows(world):
    """Rows for the friction of all joints and for all contacts that are seen."""
    world._prepare()
    world._step.dofs.column("lock")[:] = 0.0
    world._info.exact = 1  # for contacts; nothing else reads it in a world without connections


def test_a_wheel_slows_down_and_stands():
    """v = v0 - f t / I to the last step, then nothing at all: no creep under a torque below the friction."""
    world = bk.World(dt=1e-3, gravity=(0, 0, 0))
    fig = world.add(wheel(2.0))
    fig.v[0] = 1.0
    for k in range(240):
        world.step()
        assert fig.v[0] == pytest.approx(1.0 - 2.0 / 0.5 * 1e-3 * (k + 1), abs=1e-12)
    world.step(20)
    fig.tau[0] = 1.9
    stood = fig.q[0]
    world.step(5000)
    assert abs(fig.v[0]) < 1e-11 and fig.q[0] == pytest.approx(stood, abs=1e-10)
    assert world.report.rows == 0 and fig.applied[0] == pytest.approx(1.9, rel=1e-9)
    fig.tau[0] = 2.1
    world.step(1000)
    assert fig.v[0] == pytest.approx(0.1 / 0.5, rel=1e-6)


def test_a_turned_torque_turns_the_wheel_round():
    """Sliding forward, stopped by a torque within friction's bound and pulled back beyond it."""
    world = bk.World(dt=1e-3, gravity=(0, 0, 0))
    fig = world.add(wheel(2.0))
    fig.v[0], fig.tau[0] = 0.5, -3.0
    world.step(2000)
    # stops after 0.5 / (5 / 0.5) = 0.05 s, then (3 - 2) / 0.5 backward
    assert fig.v[0] == pytest.approx(-2.0 * (2.0 - 0.05), rel=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_the_motion_is_that_of_rows(seed):
    """Chains that fall and come to rest, with guesses and without: the same to the solver's tolerance."""
    ends = []
    for guessed in (True, False):
        rng = np.random.default_rng(seed)
        world = bk.World(dt=1e-3, tolerance=1e-11)
        world.add_ground(friction=0.6)
        fig = world.add(chain(rng), at=(0, 0, 0.35), self_collision=False)
        fig.v[6:] = rng.uniform(-2, 2, fig.v.size - 6)
        if not guessed:
            by_rows(world)
        rows = []
        for _ in range(250):
            world.step()
            rows.append(world.report.rows)
        ends.append((fig.q.copy(), fig.v.copy(), sum(rows)))
    assert ends[0][2] < 0.6 * ends[1][2]
    np.testing.assert_allclose(ends[0][0], ends[1][0], atol=1e-6)
    np.testing.assert_allclose(ends[0][1], ends[1][1], atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_contacts_without_rows_are_not_passed(seed):
    """Boxes that are thrown at each other and tumble: as deep as with rows for all contacts, and the same at first."""
    ends = []
    for guessed in (True, False):
        rng = np.random.default_rng(seed)
        world = bk.World(dt=2e-3, tolerance=1e-11)
        world.add_ground(friction=0.5)
        things = [
            world.add(bk.box((0.2, 0.12, 0.06)), name=f"box{k}", at=(*rng.uniform(-0.2, 0.2, 2), 0.2 + 0.25 * k))
            for k in range(4)
        ]
        for t in things:
            t.v[3:] = rng.uniform(-8, 8, 3)
        if not guessed:
            by_rows(world)
        deepest = early = 0.0
        for k in range(300):
            world.step()
            deepest = max(deepest, world.report.penetration)
            early = world.q.copy() if k == 80 else early
        ends.append((early, deepest))
    np.testing.assert_allclose(ends[0][0], ends[1][0], atol=1e-6)
    assert ends[0][1] < max(1.5 * ends[1][1], 1e-4)


def test_snapshots_go_on_bit_for_bit():
    rng = np.random.default_rng(8)
    world = bk.World(dt=1e-3)
    world.add_ground(friction=0.6)
    fig = world.add(chain(rng), at=(0, 0, 0.3), self_collision=False)
    fig.v[6:] = rng.uniform(-2, 2, fig.v.size - 6)
    world.step(120)
    snap = world.snapshot()
    world.step(200)
    end = world.q.copy()
    world.restore(snap)
    world.step(200)
    assert np.array_equal(end, world.q)
