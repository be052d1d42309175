"""Joints coupled by a matrix in a world: the step, contacts, limits, servos, sensors, saving and recording."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.step.joint_rows import AT_REST
from matrix_figures import random_description

DT = 1e-3
BODY = {"mass": 1.0, "moments": (0.02, 0.02, 0.02)}


def spine(parts=3, **options):
    """Vertebrae on balls that all turn alike; the first may have limits."""
    d = bk.Description("spine")
    shape = bk.Shape("capsule", (0.03, 0.1), position=(0, 0, 0.15))
    d.add("pelvis", None, bk.free(), shapes=[bk.Shape("box", (0.1, 0.1, 0.02))], mass=2.0, moments=(0.05, 0.05, 0.05))
    up = "pelvis"
    for k in range(parts):
        d.add(
            f"v{k}",
            up,
            bk.ball(f"b{k}", **(options if k == 0 else {})),
            at=(0, 0, 0.3 if k else 0.05),
            com=(0, 0, 0.15),
            shapes=[shape],
            **BODY,
        )
        up = f"v{k}"
    d.couple([f"b{k}" for k in range(1, parts)], "b0", np.vstack([np.eye(3)] * (parts - 1)))
    d.collide_exclude = [(f"v{k}", f"v{k + 1}") for k in range(parts - 1)] + [("pelvis", "v0")]
    return d.build()


def test_a_step_is_semi_implicit_euler():
    m = random_description(7, "mixed").build()
    world = bk.World(dt=DT)
    fig = world.add(m)
    rng = np.random.default_rng(1)
    fig.q[:], fig.v[:] = bk.random_configuration(m, rng), rng.normal(size=m.nv)
    q, v = fig.q.copy(), fig.v.copy()
    world.step()
    after = v + DT * bk.aba(m, q, v, np.zeros(m.nv))
    assert np.abs(fig.v - after).max() < 1e-11
    assert np.abs(fig.q - bk.integrate(m, q, after, DT)).max() < 1e-13


def test_energy_and_momentum_while_floating():
    """Free of gravity: momentum stays to the order of the step; halving the step halves what energy loses."""
    m = spine()
    lost = []
    for dt in (1e-3, 5e-4):
        world = bk.World(dt=dt, gravity=(0, 0, 0))
        fig = world.add(m)
        fig.v[:] = np.linspace(-1.0, 1.0, m.nv)
        first = bk.centroidal(m.with_gravity((0, 0, 0)), fig.q, fig.v)
        world.step(round(0.5 / dt))
        last = bk.centroidal(m.with_gravity((0, 0, 0)), fig.q, fig.v)
        lost.append(abs(last.energy - first.energy) / first.energy)
        assert np.abs(last.linear - first.linear).max() < 20 * dt * np.abs(first.linear).max()
        assert np.abs(last.angular - first.angular).max() < 20 * dt * np.abs(first.angular).max()
        for k in (1, 2):  # by the identity the coupling holds in positions, too
            assert np.abs(fig.q[m.joint(f"b{k}").q] - fig.q[m.joint("b0").q]).max() < 1e-13
    assert lost[0] < 0.02 and lost[1] < 0.6 * lost[0]


def test_it_falls_over_and_comes_to_rest_on_the_ground():
    """At rest the ground carries the weight, and no link is in the ground."""
    m = spine(damping=0.1, swing=0.5)
    world = bk.World(dt=DT)
    world.add_ground()
    fig = world.add(m, at=(0, 0, 0.03))
    fig.v[m.joint("b0").v] = 0.5, 0.2, 0.0
    world.step(6000)
    assert np.abs(fig.v).max() < 1e-6
    assert sum(c.force[2] for c in world.contacts) == pytest.approx(m.mass * 9.80665, rel=1e-6)
    assert min(c.gaps.min() for c in world.contacts) > -1e-3
    assert bk.swing_twist(fig.q[m.joint("b0").q])[0] < 0.5 + 1e-3
    for k in (1, 2):
        assert np.abs(fig.q[m.joint(f"b{k}").q] - fig.q[m.joint("b0").q]).max() < 1e-12


def arms(**options):
    """Three pendulums on one block: the third is the sum of the others."""
    d = bk.Description("arms")
    for k, name in enumerate("abc"):
        d.add(
            name,
            None,
            bk.hinge(name, (0, 1, 0), **(options if name == "a" else {})),
            at=(0, 0.3 * k, 2.0),
            com=(0, 0, -0.4),
            **BODY,
        )
    d.couple("c", ["a", "b"], [1.0, 1.0])
    return d.build()


def test_limits_and_friction_of_a_leader():
    m = arms(lower=-0.2, upper=0.3)
    world = bk.World(dt=DT)
    fig = world.add(m)
    fig.v[:] = 4.0, 0.0
    reached = []
    for _ in range(600):
        world.step()
        reached.append(fig.q[m.joint("a").iq])
    assert 0.3 - 1e-4 < max(reached) < 0.3 + 1e-4 and min(reached) > -0.2 - 1e-4
    assert fig.q[m.joint("c").iq] == pytest.approx(fig.q[m.joint("a").iq] + fig.q[m.joint("b").iq], abs=1e-12)
    stuck = bk.World(dt=DT)
    held = stuck.add(arms(friction=100.0))
    held.q[:], held.v[:] = (0.1, 0.4, 0.5), 0.0
    stuck.step(100)
    assert held.q[0] == pytest.approx(0.1, abs=1e-9) and abs(held.q[1] - 0.4) > 0.01


def test_an_impulse_at_a_limit_against_the_dense_equation():
    """The leader a stands at its limit and moves into it: its rate becomes 0 by one impulse along it."""
    m = arms(upper=0.0)
    world = bk.World(dt=DT, gravity=(0, 0, 0))
    fig = world.add(m)
    fig.v[:] = 1.0, 0.7
    M = bk.crba(m, fig.q)
    world.step()
    impulse = -1.0 / np.linalg.inv(M)[0, 0]
    assert np.abs(fig.v - (np.array([1.0, 0.7]) + np.linalg.inv(M)[:, 0] * impulse)).max() < 2 * AT_REST


def test_servo_and_sensor():
    m = arms()
    world = bk.World(dt=DT)
    fig = world.add(m)
    fig.servo(200.0, 20.0)
    fig.target_q[:] = 0.3, -0.1, 0.0
    sensor = world.add_sensor("joint", fig["c"])
    world.step(2000)
    assert np.abs(fig.v).max() < 1e-3 and fig.q[2] == pytest.approx(fig.q[0] + fig.q[1], abs=1e-12)
    fig.v[:] = 1.0, 2.0
    assert sensor.measure()["velocity"] == pytest.approx([3.0])
    assert sensor.measure()["position"] == pytest.approx([fig.q[2]])
    with pytest.raises(InputError, match="follower has no servo"):
        fig.servo(1.0, joints=["c"])


def test_snapshot_saved_world_and_recording(tmp_path):
    m = spine()
    world = bk.World(dt=DT)
    world.add_ground()
    fig = world.add(m, at=(0, 0, 0.5))
    fig.v[-3:] = 1.0, 0.5, 0.2
    world.step(20)
    kept = world.snapshot()
    world.save(tmp_path / "spine.npz")
    with world.record(tmp_path / "spine.bkr", precise=True):
        world.step(20)
    q, v = fig.q.copy(), fig.v.copy()
    world.restore(kept)
    world.step(20)
    assert np.array_equal(fig.q, q)
    again = bk.World.load(tmp_path / "spine.npz")
    again.step(20)
    assert np.array_equal(again.q, q) and np.array_equal(again.v, v)
    recording = bk.Recording.open(tmp_path / "spine.bkr")
    assert np.array_equal(recording.frames.q[-1], q) and np.array_equal(recording.frames.v[-1], v)
    (figure,) = recording.figures
    assert np.array_equal(figure.model.joint("b2").matrix, np.eye(3))


@pytest.mark.parametrize("ball", [False, True])
def test_rk4_refuses_balls_only(ball):
    world = bk.World(dt=DT, integrator="rk4", gravity=(0, 0, -9.80665))
    if ball:
        with pytest.raises(InputError, match=r"a ball that is coupled by a matrix.*take integrator 'euler'"):
            world.add(spine())
        assert not world.figures
        return
    m = arms()
    fig = world.add(m)
    fig.q[:], fig.v[:] = (0.3, -0.2, 0.1), (1.0, 0.5)
    before = bk.energy(m, fig.q, fig.v)
    world.step(500)
    assert bk.energy(m, fig.q, fig.v) == pytest.approx(before, rel=1e-9)
