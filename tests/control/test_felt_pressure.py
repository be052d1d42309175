"""The pressure that the stabiliser feels under its soles: a known force at a known point is felt there, on both feet,
however the figure is turned; what is felt too far ahead draws back what is asked for."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.control.stabiliser import MISSED_CUT, Stabiliser
from bunraku.control.walking_plan import plan_of
from bunraku.humanoid.parts import humanoid
from bunraku.world import World

PERIOD = 0.004
POINTS = [((0.05, 0.01), (-0.03, 0.02)), ((0.0, -0.02), (0.07, -0.01)), ((-0.04, 0.0), (-0.02, -0.025))]


def standing(yaw=0.0):
    """(world, figure, stabiliser, humanoid): both feet on the ground for ever, facing `yaw`; nothing is stepped yet."""
    h = humanoid(bk.human())
    q = h.stand.copy()
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    q[:2] = turn @ q[:2]
    q[3:7] = bk.integrate(h.model, h.stand, np.eye(h.model.nv)[5] * yaw)[3:7]
    rows, com = np.tile(q, (5, 1)), bk.centre_of_mass(h.model, q)
    zmp = np.tile([com[0], com[1], 0.0], (5, 1))
    both, half = np.ones((5, 2), dtype=bool), np.full((5, 2), 0.5)
    still = np.zeros((5, h.model.nv))
    plan = plan_of(h.model, h.feet, h.trunk, PERIOD, q=rows, v=still, contact=both, load=half, zmp=zmp)
    world = World(dt=0.001)
    world.add_ground(friction=0.8)
    figure = world.add(h.model)
    figure.q[:] = q
    figure.target_q[:] = q
    return world, figure, Stabiliser(world, figure, h.model, h.feet, h.trunk, plan, period=PERIOD), h


def feel(stabiliser, points, forces):
    """One period in which the ground puts `forces` on the soles at `points` (x, y of each sole), and nothing else
    changes: a force sensor reads what the ankle puts on the foot, the opposite, about the sole's middle."""
    readings = stabiliser.instruments.readings
    values = readings.read().copy()
    for parts, point, force in zip(readings.parts[2:], points, np.asarray(forces, dtype=float)):
        values[parts["force"]] = -force
        values[parts["torque"]] = -np.cross([*point, 0.0], force)

    def read():
        readings.values[:] = values
        return readings.values

    readings.read = read
    stabiliser.torques()
    return stabiliser.state()


@pytest.mark.parametrize("points", POINTS)
def test_a_force_on_the_sole_is_felt_where_it_acts(points):
    """p = r for f = (fx, fy, N) at r: friction has no arm in the sole's plane."""
    _, _, stabiliser, _ = standing()
    state = feel(stabiliser, points, [(30.0, -20.0, 320.0), (-10.0, 15.0, 360.0)])
    assert np.allclose(state["estimate"]["pressure"], points, atol=1e-12)


def test_a_foot_without_load_keeps_what_it_felt():
    _, _, stabiliser, _ = standing()
    feel(stabiliser, POINTS[0], [(0, 0, 300.0), (0, 0, 300.0)])
    state = feel(stabiliser, POINTS[1], [(0, 0, 300.0), (0, 0, -5.0)])
    assert np.allclose(state["estimate"]["pressure"], [POINTS[1][0], POINTS[0][1]], atol=1e-12)


@pytest.mark.parametrize("yaw", [0.0, 0.7, -2.5])
@pytest.mark.parametrize("points", POINTS)
def test_what_is_felt_too_far_ahead_draws_back_what_is_asked_for(yaw, points):
    """d' = (1 - k)(asked - felt - d), felt = sum load (sole + Rz(yaw) p) / sum load, at most 3 cm; p_asked + 0.3 d."""
    _, figure, stabiliser, h = standing(yaw)
    before = stabiliser.state()
    state = feel(stabiliser, points, [(0, 0, 300.0), (0, 0, 370.0)])
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    load, k = np.array(state["estimate"]["load"]), bk.kinematics(h.model, figure.q.copy())
    soles = [k.pose(f.frame)[0][:2] for f in h.feet]
    felt = sum(w * (s + turn @ p) for w, s, p in zip(load, soles, points)) / load.sum()
    keep = np.exp(-2 * np.pi * MISSED_CUT * PERIOD)
    gap = np.clip(np.array(before["pressure"]) - felt, -0.03, 0.03)
    assert np.abs(gap).max() > 0.005
    assert np.allclose(state["missed"], (1 - keep) * gap, atol=1e-9)
    # at rest in the plan's own pose nothing else leads the pressure away from where it was asked for
    assert np.allclose(state["pressure"], before["pressure"] + 0.3 * np.array(state["missed"]), atol=1e-6)


def test_the_pressure_felt_in_a_world_is_the_weights_and_the_pushs():
    """A figure that servos hold, pushed with F at the origin x of its trunk: the ankles carry all but the feet, so that
    moments about the floor give  sum load (sole + p) = sum over the links above m g c + x_z F,  sum load = their
    weight."""
    world, figure, stabiliser, h = standing()
    figure.servo(20000.0, 800.0)
    force = np.array([20.0, -12.0, 0.0])
    world.push(figure[h.trunk], force, seconds=9.0)
    world.run(2.0)
    assert np.abs(figure.v).max() < 1e-4
    stabiliser.torques()
    pressures = stabiliser.state()["estimate"]["pressure"]
    readings = stabiliser.instruments.readings
    load = -np.array([readings.values[p["force"]][2] for p in readings.parts[2:]])
    k = bk.kinematics(h.model, figure.q.copy())
    soles = [k.pose(f.frame) for f in h.feet]
    felt = sum(w * (s + R[:, :2] @ p)[:2] for w, (s, R), p in zip(load, soles, pressures)) / load.sum()
    moment, weight = np.zeros(2), 0.0
    for link in h.model.description.links:
        place, R = k.pose(link.name)
        if link.name == h.trunk:
            moment += place[2] * force[:2]
        if link.name not in {f.link for f in h.feet}:
            moment += 9.80665 * link.inertia.mass * (place + R @ link.inertia.com)[:2]
            weight += 9.80665 * link.inertia.mass
    assert load.sum() == pytest.approx(weight, rel=1e-5) and np.abs(moment / weight - figure.com[:2]).min() > 0.015
    assert np.allclose(felt, moment / weight, atol=1e-4)  # links lean by less than 1e-3 of their heights meanwhile
