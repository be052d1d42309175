"""Patterns played in the world: servos, rubber feet, the stabiliser, snapshots; see docs/walking.md for the long
experiments."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.control.bushes import Bushes
from bunraku.control.servo_gains import moved_inertia
from bunraku.errors import InputError
from bunraku.humanoid.parts import humanoid
from bunraku.walking.footsteps import beside
from bunraku.walking.walker import Walker
from bunraku.walking.walking_pattern import walking_pattern


@pytest.fixture(scope="module")
def pattern():
    """Three steps, the second one turning."""
    h = humanoid(bk.human())
    steps = [beside(h, 0, 0.15, 0.0, 0.0), beside(h, 1, 0.25, 0.02, 0.15), beside(h, 0, 0.25, 0.02, 0.15)]
    return walking_pattern(h, steps, start=1.0, end=1.0, single=0.6, double=0.15)


def test_inertia_that_a_leg_joint_moves():
    """Twice the kinetic energy of the figure that turns about one joint of a leg with unit rate while the foot stands
    still."""
    h = humanoid(bk.human())
    m, q = h.model, h.stand
    inertia = moved_inertia(m, q, h.feet[0].joints)
    for name in ("left_knee", "left_ankle"):
        d = m.joint(name).iv + m.joint(name).nv // 2
        J = bk.frame_jacobian(m, q, "left_foot")
        v = np.zeros(m.nv)
        v[d] = 1.0
        v[:6] = np.linalg.solve(J[:, :6], -J[:, d])
        assert inertia[d] == pytest.approx(2 * float(bk.centroidal(m, q, v).kinetic), rel=1e-9)
    d = m.joint("left_elbow").iv
    assert inertia[d] == pytest.approx(bk.crba(m, q)[d, d])


@pytest.mark.parametrize("servo", ["pd", "velocity", "position"])
def test_servos_replay_the_pattern_on_rigid_feet(pattern, servo):
    """No stabiliser: it does not fall, and ends on its last footsteps."""
    walker = Walker(pattern, servo=servo).run()
    assert walker.fell is None
    assert all(e.distance < 0.005 and abs(e.degrees) < 0.5 for e in walker.footstep_error())


def test_rubber_feet_need_the_stabiliser(pattern):
    """Bushes about as stiff as m g h, the limit at which a stiff figure falls over on one foot: PD alone falls; the
    stabiliser ends within 5 cm and 5 degrees of the footsteps."""
    rubber = Bushes(turning_stiffness=600.0)
    assert Walker(pattern, bushes=rubber).run().fell is not None
    steady = Walker(pattern, bushes=rubber, stabiliser=True).run()
    assert steady.fell is None
    assert all(e.distance < 0.05 and abs(e.degrees) < 5.0 for e in steady.footstep_error())


def test_same_bits_twice_and_from_a_snapshot(pattern):
    """A walk in pieces, a walk from a snapshot in the middle of a step, and a new walker that takes up the snapshot end
    in the same bits."""
    first = Walker(pattern, bushes=True, stabiliser=True)
    first.run(2.0)
    snapshot = first.world.snapshot()
    assert not snapshot.without_state and not first.stabiliser.stepping.standing.all()
    first.run(0.7)
    end = first.figure.q.copy()
    first.world.restore(snapshot)
    first.run(0.3)
    first.run(0.4)
    assert np.array_equal(first.figure.q, end)
    other = Walker(pattern, bushes=True, stabiliser=True)
    other.world.restore(snapshot)
    other.world.step(700)
    assert np.array_equal(other.figure.q, end)


def test_stabiliser_wants_torque_servos(pattern):
    """One sentence."""
    with pytest.raises(InputError, match="servo must be 'pd'"):
        Walker(pattern, stabiliser=True, servo="position")
    with pytest.raises(InputError, match="no servo 'pid'"):
        Walker(pattern, servo="pid")


def test_explicit_steps_bear_the_gains_they_are_given():
    """RK4 of x'' = -M^-1 (k x + d x') is stable where all its eigenvalues times dt are in its region of stability."""
    from bunraku.control.servo_gains import explicit_gains, servo_gains, with_rotors

    h, dt = humanoid(bk.human()), 0.001
    legs = tuple(name for f in h.feet for name in f.joints)
    model = with_rotors(h.model, h.stand, legs)
    assert np.all(model.armature[6:] >= 0.005 * 0.99 * moved_inertia(h.model, h.stand, legs)[6:])
    k, d = explicit_gains(model, h.stand, *servo_gains(h.model, h.stand, legs, "pd"), dt)
    W = np.linalg.inv(bk.crba(model, h.stand))
    n = len(k)
    z = dt * np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [-W * k, -W * d]]))
    assert np.abs(1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24).max() <= 1 + 1e-9
    soft, _ = explicit_gains(model, h.stand, k, d, dt)
    assert np.array_equal(soft, k)  # what it bears stays


def test_explicit_steps_bear_the_rubber_they_are_given():
    h, dt = humanoid(bk.human()), 0.001
    feet = tuple(f.link for f in h.feet)
    for explicit, stable in ((None, False), (dt, True)):
        model = bk.bushes(h.model, feet, explicit=explicit).build()
        rows = [j.iv for j in model.joints if "bush" in j.name]
        W = np.linalg.inv(bk.crba(model, model.neutral()))
        z = dt * np.linalg.eigvals(-W[np.ix_(rows, rows)] * model.damping[rows])
        assert (np.abs(1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24).max() <= 1.0) == stable
    given = bk.bushes(h.model, feet, Bushes(turning_damping=33.0), explicit=dt).build()
    assert given.damping[given.joint("left_foot_bush_pitch").iv] == 33.0
