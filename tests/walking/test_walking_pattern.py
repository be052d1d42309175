"""Walking patterns against laws: zero-moment point by inverse dynamics, soles that stand, ranges, rates; and walked in
the physical world."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.errors import InputError
from bunraku.humanoid.parts import humanoid
from bunraku.model.limits import beyond_limits
from bunraku.walking.footsteps import Footstep, footsteps
from bunraku.walking.nineteen_steps import nineteen_steps
from bunraku.walking.walking_pattern import walking_pattern
from bunraku.walking.walking_torques import servo_targets, walking_torques
from motion_data import walk
from robots import robot

ROBOTS = ("simple_humanoid", "talos_reduced", "g1")


@pytest.fixture(scope="module")
def nineteen():
    return nineteen_steps(bk.human())


@pytest.fixture(scope="module")
def robots():
    out = {}
    for name in ROBOTS:
        h = humanoid(bk.load(robot(name)))
        out[name] = walking_pattern(h, footsteps("four steps, two steps back, turn 20 degrees", h))
    return out


@pytest.fixture(scope="module")
def patterns(nineteen, robots):
    return {"human": nineteen, **robots}


@asserts("2007/walk/steps", "2007/walk/seconds", "2007/walk/turns", "2007/walk/backwards")
def test_nineteen_steps_in_twenty_seconds(nineteen):
    assert len(nineteen.steps) == 19 and np.isclose(nineteen.duration, 20.0)
    assert np.isclose(nineteen.steps[-1].yaw, np.radians(60))
    lifted = [int(((~nineteen.contact[1:, s]) & nineteen.contact[:-1, s]).sum()) for s in (0, 1)]
    assert sum(lifted) == 19 and nineteen.contact.any(axis=1).all()
    assert np.ptp(nineteen.com[:, 2]) < 1e-9  # hips level, as ever
    ahead = [np.dot(b.position[:2], (np.cos(b.yaw), np.sin(b.yaw))) for b in nineteen.steps]
    assert ahead[-1] < ahead[12]  # the last six go backwards


def test_zmp_by_inverse_dynamics(patterns):
    """Our own differences of q, rnea, and the moment about the reference: nothing of the generator."""
    for p in patterns.values():
        m, dt, q = p.model, p.dt, p.q
        ahead = bk.difference(m, q[:-1], q[1:]) / dt
        v, a = 0.5 * (ahead[1:] + ahead[:-1]), np.diff(ahead, axis=0) / dt
        w = bk.rnea(m, q[1:-1], v, a)[:, :6]
        k = bk.kinematics(m, q[1:-1])
        base, R = k.position[:, m.joints[0].body], k.rotation[:, m.joints[0].body]
        f, n = w[:, :3], np.einsum("nij,nj->ni", R, w[:, 3:])
        moment = n + np.cross(
            base - p.zmp[1:-1], f
        )  # about the reference; its horizontal part over the load is the distance
        apart = np.linalg.norm(moment[:, :2], axis=1) / f[:, 2]
        assert apart.max() < 1.2e-3 and np.isclose(apart.max(), p.zmp_error, atol=1e-5)
        assert p.zmp_error < 1e-3


@asserts("2007/walk/zmp")
def test_the_reference_is_in_the_soles(patterns):
    for p in patterns.values():
        for f in p.humanoid.feet:
            alone = p.contact[:, f.side] & ~p.contact[:, 1 - f.side]
            local = np.einsum(
                "nji,nj->ni", p.sole_rotation[alone, f.side], p.multibody_zmp[alone] - p.sole_position[alone, f.side]
            )
            assert np.abs(local[:, :2]).max() < 0.002  # in the middle of the sole that stands
        assert np.all((p.load >= 0) & (p.load <= 1))


def test_soles_stand_still(patterns):
    for p in patterns.values():
        fine = p.at_rate(0.001)
        k = bk.kinematics(fine.model, fine.q)
        for f in fine.humanoid.feet:
            position, R = k.pose(f.frame)
            stands = fine.contact[1:, f.side] & fine.contact[:-1, f.side]
            assert np.abs(np.diff(position, axis=0))[stands].max() < 1e-6
            assert np.abs(position[fine.contact[:, f.side], 2]).max() < 1e-6 and position[:, 2].min() > -1e-6
            assert np.abs(R[fine.contact[:, f.side], 2, :2]).max() < 1e-6  # flat


def test_ranges_are_kept(patterns):
    for p in patterns.values():
        assert beyond_limits(p.model, p.q).max() == 0.0
        assert beyond_limits(p.model, p.at_rate(0.001).q).max() == 0.0


def test_the_centre_of_mass_is_where_it_was_planned(patterns):
    for p in patterns.values():
        c = bk.centroidal(p.model, p.q, p.v)
        assert np.abs(c.com - p.com).max() < 1e-8
        rate = np.abs(c.com_velocity - p.com_velocity)  # both of second order in dt
        assert rate.max() < 0.01
        assert np.abs(p.v[[0, -1]]).max() == 0.0 and np.abs(np.diff(p.com, axis=0)[[0, -1]]).max() < 1e-9


def test_rates_are_of_second_order(nineteen):
    """v against q of a walk resampled at dt and dt / 2: the error of v falls by four."""
    m, errors = nineteen.model, []
    exact = nineteen.at_rate(0.0005)
    for step in (20, 10):  # dt 10 ms, 5 ms
        q = exact.q[::step]
        ahead = bk.difference(m, q[:-1], q[1:]) / (0.0005 * step)
        v = 0.5 * (ahead[1:] + ahead[:-1])
        errors.append(np.abs(v - exact.v[::step][1:-1]).max())
    assert 3.0 < errors[0] / errors[1] < 5.0 and errors[1] < 0.05


def test_resampling_keeps_the_samples(nineteen):
    fine = nineteen.at_rate(0.001)
    assert np.isclose(fine.duration, 20.0)
    assert np.abs(bk.difference(fine.model, fine.q[::5], nineteen.q)).max() < 1e-12
    assert np.array_equal(fine.contact[::5], nineteen.contact)
    with pytest.raises(InputError, match="at_rate"):
        nineteen.at_rate(0.0)


def test_torques_leave_nothing_at_the_base(patterns):
    for p in patterns.values():
        tau = walking_torques(p)
        assert np.abs(tau[:, :6]).max() < 1e-9 * p.model.mass * 9.81
        k = np.full(p.model.nv, 5000.0)
        away = bk.difference(p.model, p.q, servo_targets(p, k))
        assert np.allclose(5000.0 * away[:, 6:], tau[:, 6:], atol=1e-6) and np.abs(away[:, :6]).max() < 1e-12
    with pytest.raises(InputError, match="stiffness"):
        servo_targets(p, 0.0)


def walked(p, stiffness, damping, targets=None):
    """(greatest tilt [rad], greatest distance of a foot from its place in the end [m]) of a replay in the physical
    world."""
    fine = p.at_rate(0.001)
    m = fine.model
    goal = fine.q if targets is None else servo_targets(fine, stiffness)
    world = bk.World()
    world.add_ground(friction=0.8)
    figure = world.add(m, self_collision=False)
    figure.q[:] = fine.q[0]
    figure.servo(stiffness, damping, target=goal[0], effort=np.inf)
    figure.follow(goal[1:], fine.v[1:])
    tilt = 0.0
    for _ in range(0, len(fine.q) - 1, 100):
        world.step(100)
        tilt = max(tilt, float(np.arccos(min(1.0, bk.kinematics(m, figure.q.copy()).rotation[m.joints[0].body][2, 2]))))
    k = bk.kinematics(m, figure.q.copy())
    return tilt, max(
        float(np.linalg.norm(k.pose(f.frame)[0] - fine.sole_position[-1, f.side])) for f in p.humanoid.feet
    )


def test_the_nineteen_steps_are_walked_by_pd_alone(nineteen):
    tilt, off = walked(nineteen, 300 * 69.0, 9 * 69.0)
    assert tilt < np.radians(2) and off < 0.05
    tilt, off = walked(
        nineteen, 30 * 69.0, 69.0, targets="ahead"
    )  # a tenth as stiff, with targets ahead by torque / stiffness
    assert tilt < np.radians(0.5) and off < 0.01


def test_robots_walk_with_their_mapping_files(robots):
    for p in robots.values():
        m = p.model.mass
        tilt, off = walked(p, 50 * m, 2 * m, targets="ahead")
        assert tilt < np.radians(0.5) and off < 0.01


def test_other_heights_of_the_ground(nineteen):
    h = nineteen.humanoid
    begin = tuple(Footstep(s, (1.0, y, 0.5)) for s, y in ((0, 0.085), (1, -0.085)))
    step = Footstep(0, (1.1, 0.085, 0.5))
    p = walking_pattern(h, [step], begin=begin, dt=0.01)
    assert np.allclose(p.zmp[:, 2], 0.5) and p.zmp_error < 1e-3


@pytest.mark.parametrize(
    "step, options, words",
    [
        (Footstep(0, (1.5, 0.085, 0.0)), {}, "step 1 of 1: 1.50 m ahead"),
        (Footstep(0, (0.2, 0.085, 0.0)), {"dt": 0.1}, "too coarse"),
        (Footstep(0, (0.2, 0.085, 0.0)), {"single": -1.0}, "single"),
    ],
)
def test_bad_walks(nineteen, step, options, words):
    with pytest.raises(InputError, match=words):
        walking_pattern(nineteen.humanoid, [step], **options)


def test_a_plain_walk_is_a_motion():
    motion = walk()
    kin = bk.kinematics(motion.model, motion.q)
    left, right = (kin.pose(f"{s}_sole")[0] for s in ("left", "right"))
    assert np.allclose(
        [left[-1, 0] - left[0, 0], right[-1, 0] - right[0, 0]], 0.7, atol=1e-3
    )  # steps of 0.35: left, right, left closes
    assert left[:, 2].max() == pytest.approx(0.06, abs=3e-3) and min(left[:, 2].min(), right[:, 2].min()) > -1e-3
    assert not any(bk.joints_beyond_limits(motion.model, q, 1e-6) for q in motion.q)
    arm = motion.model.joint("left_shoulder").iq
    assert np.ptp(motion.q[:, arm + 2]) > 0.05
    assert np.allclose(np.diff(bk.walk_motion(bk.human(), 1, fps=30.0).times), 1 / 30)
    with pytest.raises(InputError, match="steps"):
        bk.walk_motion(bk.human(), 0)
