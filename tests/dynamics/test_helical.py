"""The helical joint: against Pinocchio's on random trees, and as a nut on a screw in closed form."""

import numpy as np
import pinocchio as pin
import pytest

import bunraku as bk
from figures import body, random_axis, relative

G = 9.80665
TURN = 2.0 * np.pi


def trees(seed, links=9):
    """The same random tree of helical joints, hinges and sliders here and in Pinocchio, with anchors and turned links."""
    rng = np.random.default_rng(seed)
    fig, peer = bk.Description("screws"), pin.Model()
    home = {None: (0, pin.SE3.Identity())}  # link -> Pinocchio's joint, the link in it
    branch: list[str | None] = [None]  # depth first, as Pinocchio wants it
    for i in range(links):
        branch = branch[: max(1 + (i > 0), len(branch) - rng.integers(3))]
        parent = branch[-1]
        branch.append(f"l{i}")
        kind = ("helical", "helical", "hinge", "slider")[rng.integers(4)]
        axis, place, turn = random_axis(rng), 0.5 * rng.normal(size=3), rng.normal(size=4)
        anchor = 0.1 * rng.normal(size=3) if rng.random() < 0.5 else np.zeros(3)
        joint = bk.Joint(f"j{i}", kind, axis, anchor=anchor)
        if kind == "helical":
            joint.pitch = rng.uniform(-3.0, 3.0)
        rigid = body(rng)
        fig.add(f"l{i}", parent, joint, at=place, rotation=turn, **rigid)
        turn = turn / np.linalg.norm(turn)
        link = pin.SE3(pin.Quaternion(*turn).matrix(), place)
        joint_in_link = pin.SE3(np.eye(3), anchor)
        unit = axis / np.linalg.norm(axis)
        if kind == "helical":
            theirs = pin.JointModelHelicalUnaligned(unit, joint.pitch / TURN)
        else:
            theirs = {"hinge": pin.JointModelRevoluteUnaligned, "slider": pin.JointModelPrismaticUnaligned}[kind](unit)
        above, offset = home[parent]
        number = peer.addJoint(above, theirs, offset * link * joint_in_link, f"j{i}")
        inertia = pin.Inertia(rigid["mass"], rigid["com"], rigid["moments"])
        peer.appendBodyToJoint(number, inertia, joint_in_link.inverse())
        home[f"l{i}"] = number, joint_in_link.inverse()
    peer.gravity.linear = np.array([0, 0, -G])
    return fig.build(), peer, peer.createData(), home


@pytest.mark.parametrize("seed", range(12))
def test_pinocchio(seed):
    ours, peer, data, home = trees(seed)
    rng = np.random.default_rng(seed + 100)
    order = [peer.joints[peer.getJointId(j.name)].idx_v for j in ours.joints]  # ours -> theirs
    q, v, x = (rng.normal(size=ours.nv) for _ in range(3))
    pq, pv, px = np.empty((3, ours.nv))
    pq[order], pv[order], px[order] = q, v, x
    assert relative(bk.rnea(ours, q, v, x), pin.rnea(peer, data, pq, pv, px)[order]) < 1e-9
    assert relative(bk.aba(ours, q, v, x), pin.aba(peer, data, pq, pv, px)[order]) < 1e-9
    M = pin.crba(peer, data, pq)
    M = np.triu(M) + np.triu(M, 1).T
    assert relative(bk.crba(ours, q), M[np.ix_(order, order)]) < 1e-9
    J = pin.computeJointJacobians(peer, data, pq)
    assert relative(bk.joint_jacobians(ours, q).T, J[:, order]) < 1e-9
    pin.computeRNEADerivatives(peer, data, pq, pv, px)
    d = bk.rnea_derivatives(ours, q, v, x)
    assert relative(d.dq, data.dtau_dq[np.ix_(order, order)]) < 1e-9
    assert relative(d.dv, data.dtau_dv[np.ix_(order, order)]) < 1e-9
    pin.forwardKinematics(peer, data, pq, pv, 0 * pv)
    k = bk.kinematics(ours, q, v)
    for link in ours.links:
        number, offset = home[link.name]
        place = data.oMi[number] * offset
        position, rotation = k.pose(link)
        assert np.abs(position - place.translation).max() < 1e-9
        assert np.abs(rotation - place.rotation).max() < 1e-9
        speed = offset.actInv(data.v[number])
        world = np.concatenate([rotation @ speed.linear, rotation @ speed.angular])
        assert np.abs(k.velocity(link) - world).max() < 1e-9 * max(1.0, np.abs(world).max())


def nut(pitch=0.02, mass=0.3, moment=4e-5, **options):
    """A nut on an upright, frictionless screw."""
    fig = bk.Description("nut")
    fig.add(
        "nut", None, bk.helical("thread", (0, 0, 1), pitch=pitch, **options), mass=mass, moments=(1e-4, 1e-4, moment)
    )
    return fig.build()


@pytest.mark.parametrize("pitch", [0.02, -0.02, 0.5])
def test_a_nut_falls_along_its_screw(pitch):
    """Energy m z'^2 / 2 + I q'^2 / 2 + m g z with z = l q, l = pitch / 2 pi: z'' = -g / (1 + I / (m l^2))."""
    m, l = nut(pitch), pitch / TURN
    a = bk.aba(m, np.array([0.7]), np.array([3.0]), np.zeros(1))
    assert l * a[0] == pytest.approx(-G / (1.0 + 4e-5 / (0.3 * l * l)), rel=1e-12)
    assert bk.rnea(m, np.zeros(1), np.zeros(1), np.zeros(1))[0] == pytest.approx(0.3 * G * l, rel=1e-12)
    position, _ = bk.kinematics(m, np.array([TURN])).pose("nut")
    assert np.allclose(position, [0, 0, pitch], atol=1e-15)


def test_a_rotor_turns_with_the_screw():
    """An armature adds to the inertia about the axis, not to the mass."""
    m, l = nut(armature=1e-4), 0.02 / TURN
    assert bk.crba(m, np.zeros(1))[0, 0] == pytest.approx(0.3 * l * l + 4e-5 + 1e-4, rel=1e-12)


def test_reference_and_gear():
    """The described pose is that at q = reference; a follower turns and slides by the leader's angle times the ratio."""
    fig = bk.Description("pair")
    fig.add("one", None, bk.hinge("lead", (1, 0, 0)), mass=1.0, moments=(1, 1, 1))
    thread = bk.helical("thread", (0, 1, 0), pitch=0.1, reference=0.5)
    fig.add("two", "one", thread, at=(0.2, 0, 0), mass=1.0, moments=(1, 1, 1))
    fig.gear("thread", "lead", 3.0, 0.5)
    m = fig.build()
    assert m.nv == 1 and m.gears[0].eliminated
    position, rotation = bk.kinematics(m, m.neutral()).pose("two")
    assert np.allclose(position, [0.2, 0, 0], atol=1e-15) and np.allclose(rotation, np.eye(3), atol=1e-15)
    position, _ = bk.kinematics(m, np.array([0.2])).pose("two")
    out = 0.1 / TURN * 3.0 * 0.2
    assert np.allclose(position, [0.2, np.cos(0.2) * out, np.sin(0.2) * out], atol=1e-15)


@pytest.mark.parametrize(
    ("joint", "words"),
    [
        (bk.Joint("j", "helical", (0, 0, 1)), "needs a pitch"),
        (bk.helical("j", pitch=float("nan")), "pitch"),
        (bk.helical("j", (0, 0, 0), pitch=0.1), "no direction"),
        (bk.hinge("j", pitch=0.1), "pitch has no meaning on a hinge"),
        (bk.helical("j", pitch=0.1, swing=1.0), "swing and twist"),
    ],
)
def test_mistakes(joint, words):
    fig = bk.Description("bad")
    fig.add("link", None, joint, mass=1.0, moments=(1, 1, 1))
    with pytest.raises(bk.ModelError, match=words):
        fig.build()
