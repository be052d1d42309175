"""Against Pinocchio on the robots of example-robot-data: every algorithm within 1e-9 relative at random states."""

import numpy as np
import pinocchio as pin
import pytest

import bunraku as bk
from figures import relative
from pinocchio_peer import Peer
from robots import robot

ROBOTS = ["simple_humanoid", "talos_reduced", "talos_full", "romeo_small", "icub", "g1", "human"]
TOLERANCE = 1e-9


@pytest.fixture(scope="module", params=ROBOTS)
def case(request):
    """(our model without gears, the peer, a random state)."""
    path = robot(request.param)
    description = bk.describe(path)
    description.gears.clear()
    ours = description.build()
    rng = np.random.default_rng(sum(map(ord, request.param)))
    return (
        ours,
        Peer(path, ours),
        bk.random_configuration(ours, rng),
        rng.normal(size=ours.nv),
        rng.normal(size=ours.nv),
    )


def test_sizes(case):
    ours, peer, *_ = case
    assert ours.nv == peer.model.nv
    assert ours.mass == pytest.approx(sum(i.mass for i in peer.model.inertias[1:]), rel=1e-12)


def test_rnea(case):
    ours, peer, q, v, a = case
    T = peer.rate_matrix(q)
    theirs = pin.rnea(peer.model, peer.data, peer.q(q), T @ v, T @ a + peer.base_turn(q, v))
    assert relative(bk.rnea(ours, q, v, a), T.T @ theirs) < TOLERANCE


def test_aba(case):
    ours, peer, q, v, tau = case
    T = peer.rate_matrix(q)
    tau = 10 * tau
    theirs = pin.aba(peer.model, peer.data, peer.q(q), T @ v, np.linalg.solve(T.T, tau))
    assert relative(bk.aba(ours, q, v, tau), np.linalg.solve(T, theirs - peer.base_turn(q, v))) < TOLERANCE


def test_crba(case):
    ours, peer, q, *_ = case
    T = peer.rate_matrix(q)
    M = pin.crba(peer.model, peer.data, peer.q(q))
    M = np.triu(M) + np.triu(M, 1).T
    assert relative(bk.crba(ours, q), T.T @ M @ T) < TOLERANCE


def test_jacobians_of_every_link(case):
    ours, peer, q, *_ = case
    T = peer.rate_matrix(q)
    pin.computeJointJacobians(peer.model, peer.data, peer.q(q))
    pin.updateFramePlacements(peer.model, peer.data)
    frames = {f.name: k for k, f in enumerate(peer.model.frames) if f.type == pin.FrameType.BODY}
    known = [link for link in ours.links if link.name in frames]
    assert len(known) > 10
    k = bk.kinematics(ours, q)
    for link in known:
        theirs = pin.getFrameJacobian(peer.model, peer.data, frames[link.name], pin.LOCAL_WORLD_ALIGNED)
        assert relative(bk.frame_jacobian(ours, q, link), theirs @ T) < TOLERANCE, link.name
        place = peer.data.oMf[frames[link.name]]
        position, rotation = k.pose(link)
        assert np.abs(position - place.translation).max() < 1e-10
        assert np.abs(rotation - place.rotation).max() < 1e-10


def test_joint_columns(case):
    ours, peer, q, *_ = case
    T = peer.rate_matrix(q)
    J = pin.computeJointJacobians(peer.model, peer.data, peer.q(q))
    assert relative(bk.joint_jacobians(ours, q).T, J @ T) < TOLERANCE


def test_centre_of_mass_and_momentum(case):
    ours, peer, q, v, _ = case
    T = peer.rate_matrix(q)
    h = pin.computeCentroidalMomentum(peer.model, peer.data, peer.q(q), T @ v)
    c = bk.centroidal(ours, q, v)
    assert relative(c.com, peer.data.com[0]) < TOLERANCE
    assert relative(np.concatenate([c.linear, c.angular]), h.vector) < TOLERANCE
    assert relative(bk.momentum_matrix(ours, q) @ v, h.vector) < TOLERANCE
    assert c.kinetic == pytest.approx(pin.computeKineticEnergy(peer.model, peer.data, peer.q(q), T @ v), rel=1e-10)
    assert c.potential == pytest.approx(pin.computePotentialEnergy(peer.model, peer.data, peer.q(q)), rel=1e-10)


def test_frame_velocity_and_bias(case):
    ours, peer, q, v, _ = case
    T = peer.rate_matrix(q)
    zero = np.zeros(peer.model.nv)
    pin.forwardKinematics(peer.model, peer.data, peer.q(q), T @ v, zero + peer.base_turn(q, v))
    pin.updateFramePlacements(peer.model, peer.data)
    k = bk.kinematics(ours, q, v)
    frames = {f.name: i for i, f in enumerate(peer.model.frames) if f.type == pin.FrameType.BODY}
    for link in ours.links:
        if link.name not in frames:
            continue
        i = frames[link.name]
        vel = pin.getFrameVelocity(peer.model, peer.data, i, pin.LOCAL_WORLD_ALIGNED).vector
        acc = pin.getFrameClassicalAcceleration(peer.model, peer.data, i, pin.LOCAL_WORLD_ALIGNED).vector
        assert np.abs(k.velocity(link) - vel).max() < 1e-10 * max(1, np.abs(vel).max())
        assert np.abs(k.bias_acceleration(link) - acc).max() < 1e-9 * max(1, np.abs(acc).max())


def test_derivatives(case):
    ours, peer, q, v, a = case
    T = peer.rate_matrix(q)
    d = bk.rnea_derivatives(ours, q, v, a)
    pin.computeRNEADerivatives(peer.model, peer.data, peer.q(q), T @ v, T @ a + peer.base_turn(q, v))
    joints = slice(
        6, None
    )  # the base's conventions differ beyond a linear map; its rows and columns are checked by finite differences
    order = [peer.model.joints[peer.model.getJointId(j.name)].idx_v for j in ours.joints if j.kind != "free"]
    assert relative(d.dq[joints, joints], peer.data.dtau_dq[np.ix_(order, order)]) < TOLERANCE
    assert relative(d.dv[joints, joints], peer.data.dtau_dv[np.ix_(order, order)]) < TOLERANCE


def test_talos_full_geared():
    """nv 50 with couplings ignored, 38 geared: M = G' M_free G, and so for rnea and aba."""
    path = robot("talos_full")
    free = bk.describe(path)
    free.gears.clear()
    free = free.build()
    geared = bk.load(path)
    assert (free.nv, geared.nv) == (50, 38)
    assert not geared.kept_gears
    rng = np.random.default_rng(5)
    q, v, tau = bk.random_configuration(geared, rng), rng.normal(size=38), rng.normal(size=38)
    G, full = np.zeros((50, 38)), free.neutral()
    for j in geared.joints:
        theirs = free.joint(j.name)
        if j.kind == "free":
            G[:6, :6], full[:7] = np.eye(6), q[:7]
        else:
            G[theirs.iv, j.iv] = j.ratio
            full[theirs.iq] = j.ratio * q[j.iq] + j.offset
    M = G.T @ bk.crba(free, full) @ G
    bias = G.T @ bk.rnea(free, full, G @ v, np.zeros(50))
    assert relative(bk.crba(geared, q), M) < TOLERANCE
    assert relative(bk.rnea(geared, q, v, np.zeros(38)), bias) < TOLERANCE
    assert relative(bk.aba(geared, q, v, tau), np.linalg.solve(M, tau - bias)) < TOLERANCE
