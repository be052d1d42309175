"""Limits of servos, which hold for the torque at the end of a step: laws of a step, fine steps, MuJoCo."""

import numpy as np
import pytest

import bunraku as bk


def arm(joints=1, **joint):
    d = bk.Description("arm")
    for k in range(joints):
        shape = bk.Shape("capsule", (0.03, 0.2), (0.2, 0, 0), ((0, 0, 1), (0, 1, 0), (-1, 0, 0)))
        hinge = bk.hinge(f"j{k}", (0, 1, 0), **joint)
        body = {"mass": 1.0, "com": (0.2, 0, 0), "moments": (0.01, 0.02, 0.02), "shapes": [shape]}
        d.add(f"l{k}", f"l{k - 1}" if k else None, hinge, at=(0.4 if k else 0, 0, 0), **body)
    return d.build()


def asked(world, fig, before):
    """What the servos asked for at the end of the step that was just made, from its start `before` (q, v)."""
    q, _ = before
    kp, kd = (np.array([getattr(d, k) for d in world._step.drive]) for k in ("kp", "kd"))
    return fig.tau + kp * (fig.target_q - q - world.dt * fig.v) + kd * (fig.target_v - fig.v)


@pytest.mark.parametrize("contact", ["pgs", "virtual_link", "penalty"])
def test_every_torque_is_what_the_law_says(contact):
    """applied = clamp(torque at the end of the step) in every joint and step, stiff or not, in the air and in contact."""
    rng = np.random.default_rng(5)
    world = bk.World(dt=2e-3, contact=contact)
    world.add_ground(friction=0.5)
    fig = world.add(arm(4))
    turns = held = 0
    for stiff in (50.0, 1e3, 1e5):
        most = np.array([20.0, 10.0, 3.0, 1.0])
        for _ in range(6):
            fig.q[:], fig.v[:] = rng.uniform(-2.0, 0.0, 4), rng.normal(size=4) * 3
            fig.servo(stiff, 0.05 * stiff, target=rng.uniform(-1, 0.5, 4), effort=most)
            for _ in range(30):
                before = fig.q.copy(), fig.v.copy()
                world.step()
                want = np.clip(asked(world, fig, before), -most, most)
                assert np.allclose(fig.applied, want, rtol=1e-6, atol=1e-6 * most), (stiff, fig.applied, want)
                held += int(np.sum(np.abs(want) >= most * (1 - 1e-9)))
                turns += 1
    assert 0.1 < held / (4 * turns) < 0.95


def test_a_stiff_servo_at_its_limit_is_a_constant_torque():
    """Turned up against gravity with less torque than it needs: I q'' = effort - m g l cos q, as in steps of 10 us."""
    results = []
    for dt, stiff in ((1e-3, 1e6), (1e-5, 0.0)):
        world = bk.World(dt=dt)
        fig = world.add(arm())
        if stiff:
            fig.servo(stiff, 1e-2 * stiff, target=[-2.0], effort=1.5)
        else:
            fig.tau[:] = -1.5
        world.run(seconds=0.3)
        results.append((fig.q[0], fig.v[0]))
    assert np.allclose(results[0], results[1], atol=4e-3)


def test_it_lets_go_where_the_target_is_reached():
    """At its limit on the way, free at the target: no overshoot that the law does not have, and it stays."""
    world = bk.World(dt=1e-3, gravity=(0, 0, 0))
    fig = world.add(arm())
    fig.servo(2e5, 2e4, target=[0.3], effort=2.0)
    rows = []
    for _ in range(1500):
        world.step()
        rows.append((fig.q[0], fig.applied[0]))
    q, torque = np.array(rows).T
    assert np.abs(torque).max() <= 2.0 * (1 + 1e-9) and torque[0] == pytest.approx(2.0)
    assert q.max() < 0.3 + 1e-3 and abs(q[-1] - 0.3) < 1e-5 and abs(torque[-1]) < 1e-3


def test_the_motion_is_that_of_fine_steps():
    """Errors of a limited servo fall with the step, as of one without a limit."""
    ends = {}
    for dt in (4e-3, 2e-3, 1e-3, 1.25e-4):
        world = bk.World(dt=dt)
        fig = world.add(arm(2))
        fig.servo([400.0, 200.0], [20.0, 8.0], target=[-1.2, 0.8], effort=[9.0, 2.0])
        world.run(seconds=0.4)
        ends[dt] = fig.q.copy()
    errors = [np.abs(ends[dt] - ends[1.25e-4]).max() for dt in (4e-3, 2e-3, 1e-3)]
    assert errors[2] < 0.02 and errors[1] < 0.65 * errors[0] and errors[2] < 0.65 * errors[1], errors


def test_against_mujoco():
    """MuJoCo's position actuators with a forcerange and implicitfast move the same arm, to the order of the step."""
    mujoco = pytest.importorskip("mujoco")
    xml = """<mujoco><option timestep="{}" integrator="implicitfast"/><compiler angle="radian"/><worldbody>
      <body><joint name="a" axis="0 1 0"/><inertial pos="0.2 0 0" mass="1" diaginertia="0.01 0.02 0.02"/>
      <body pos="0.4 0 0"><joint name="b" axis="0 1 0"/><inertial pos="0.2 0 0" mass="1" diaginertia="0.01 0.02 0.02"/>
      </body></body></worldbody><actuator>
      <position joint="a" kp="400" kv="20" forcerange="-9 9"/><position joint="b" kp="200" kv="8" forcerange="-2 2"/>
      </actuator></mujoco>"""
    apart = []
    for dt in (5e-4, 2.5e-4):
        m = mujoco.MjModel.from_xml_string(xml.format(dt))
        d = mujoco.MjData(m)
        d.ctrl[:] = -1.2, 0.8
        world = bk.World(dt=dt, gravity=(0, 0, -9.81))
        fig = world.add(arm(2))
        fig.servo([400.0, 200.0], [20.0, 8.0], target=[-1.2, 0.8], effort=[9.0, 2.0])
        worst = 0.0
        for _ in range(round(0.4 / dt)):
            world.step()
            mujoco.mj_step(m, d)
            worst = max(worst, float(np.abs(fig.q - d.qpos).max()))
        apart.append(worst)
    assert apart[0] < 0.01 and apart[1] < 0.6 * apart[0]


def test_a_snapshot_goes_on_bit_for_bit():
    world = bk.World(dt=1e-3)
    fig = world.add(arm(3))
    fig.servo(1e4, 300.0, target=[-1.0, 1.0, -1.0], effort=[6.0, 2.0, 0.5])
    world.run(seconds=0.1)
    shot = world.snapshot()
    world.run(seconds=0.2)
    after = fig.q.copy()
    world.restore(shot)
    world.run(seconds=0.2)
    assert np.array_equal(fig.q, after)
