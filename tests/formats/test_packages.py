"""Every URDF and MJCF file of the installed packages: it loads, or one true sentence says why not; mass matrix, bias and
forward dynamics are those of Pinocchio and MuJoCo at fresh random states. `pytest -s` prints what of each file is not
used, by element, which `bunraku info FILE` shows, too."""

from __future__ import annotations

import re
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import bunraku as bk
from bunraku.cli.info_command import ignored
from draws import fresh_rng
from figures import relative
from robots import all_robots

TOLERANCE = 1e-9
FILES = all_robots()
REFUSED = {
    "romeo_laas_small.urdf": "link 'body': the inertia is not positive semi-definite: its principal moments are -0.02",
    "ur3.urdf": "the robot has no links",
    "msh.xml": "the model has no bodies",
}


def test_there_are_many():
    assert len(FILES) >= 80 and {name.split("/")[0] for name in FILES} == {"example-robot-data", "gymnasium", "mujoco"}


@pytest.mark.parametrize("name", FILES)
def test_loads_and_moves_as_the_peer(name):
    path = FILES[name]
    if path.name in REFUSED:
        with pytest.raises(bk.BunrakuError, match=re.escape(REFUSED[path.name])) as caught:
            bk.load(path)
        assert "\n" not in str(caught.value) and str(caught.value).endswith(".")
        print(f"\n{name}: refused: {caught.value}")
        return
    rows = ignored(bk.load(path))
    print(f"\n{name}: " + ("; ".join(f"{element} x {count}" for element, count in rows) or "all is used"))
    if path.suffix == ".urdf":
        as_pinocchio(path)
    else:
        as_mujoco(path)


def as_pinocchio(path: Path) -> None:
    """Tree joints only: mimics are gears with us, free joints with Pinocchio."""
    description = bk.describe(path, root="free", meshes=False)
    description.gears.clear()
    ours = description.build(repair=True)
    theirs = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    theirs.gravity.linear = ours.gravity
    data = theirs.createData()
    rng = fresh_rng()
    q, v, tau = bk.random_configuration(ours, rng), rng.normal(size=ours.nv), 10 * rng.normal(size=ours.nv)
    peer_q, T, drift = translated(ours, theirs, q, v)
    M = pin.crba(theirs, data, peer_q)
    M = T.T @ (np.triu(M) + np.triu(M, 1).T) @ T
    bias = T.T @ pin.rnea(theirs, data, peer_q, T @ v, drift)
    assert relative(bk.crba(ours, q), M) < TOLERANCE
    assert relative(bk.rnea(ours, q, v, np.zeros(ours.nv)), bias) < TOLERANCE
    check_forward(ours, q, v, tau, M, bias)
    if not ours.massless:
        a = np.linalg.solve(T, pin.aba(theirs, data, peer_q, T @ v, np.linalg.solve(T.T, tau)) - drift)
        known = np.linalg.cond(M) * 1e-15  # what double precision can know of it
        assert relative(bk.aba(ours, q, v, tau), a) < max(TOLERANCE, known)


def check_forward(
    ours: bk.Model, q: np.ndarray, v: np.ndarray, tau: np.ndarray, M: np.ndarray, bias: np.ndarray
) -> None:
    """M a + bias = tau for our a; a model with joints that move no mass has no a and says so."""
    if ours.massless:
        with pytest.raises(bk.ModelError, match=repr(ours.massless[0])):
            bk.aba(ours, q, v, tau)
        return
    a = bk.aba(ours, q, v, tau)
    size = np.abs(M) @ np.abs(a) + np.abs(bias) + np.abs(tau)
    assert np.abs(M @ a + bias - tau).max() < TOLERANCE * size.max()


def translated(
    ours: bk.Model, theirs: pin.Model, q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(q of Pinocchio, T with its rates T v, T' v): a free base has both its rates in body axes there, a continuous
    joint two coordinates, a planar joint one name for our three."""
    out, T, drift = pin.neutral(theirs), np.zeros((theirs.nv, ours.nv)), np.zeros(theirs.nv)
    for j in ours.joints:
        if j.kind == "free":
            k, joint = theirs.joints[1].idx_v, theirs.joints[1]
            R = pin.Quaternion(*q[j.iq + 3 : j.iq + 7]).matrix()
            out[joint.idx_q : joint.idx_q + 7] = q[j.iq + np.array([0, 1, 2, 4, 5, 6, 3])]
            T[k : k + 3, j.iv : j.iv + 3], T[k + 3 : k + 6, j.iv + 3 : j.iv + 6] = R.T, np.eye(3)
            drift[k : k + 3] = -np.cross(v[j.iv + 3 : j.iv + 6], R.T @ v[j.iv : j.iv + 3])
            continue
        joint = theirs.joints[theirs.getJointId(j.name)]
        x = q[j.iq]
        out[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(x), np.sin(x)) if joint.nq == 2 else x
        T[joint.idx_v, j.iv] = 1.0
    return out, T, drift


def as_mujoco(path: Path) -> None:
    """Tree joints only: couplings are gears with us, soft constraints with MuJoCo."""
    theirs = mujoco.MjModel.from_xml_path(str(path))
    off = mujoco.mjtDisableBit
    for flag in (off.mjDSBL_CONTACT, off.mjDSBL_CONSTRAINT, off.mjDSBL_SPRING, off.mjDSBL_DAMPER, off.mjDSBL_ACTUATION):
        theirs.opt.disableflags |= flag
    theirs.opt.density = theirs.opt.viscosity = 0.0  # a medium is no part of a figure
    theirs.body_gravcomp[:] = 0.0
    data = mujoco.MjData(theirs)
    description = bk.describe(path)
    description.gears.clear()
    ours = description.build(repair=True)
    order_q, order_v = orders(ours, theirs)
    rng = fresh_rng()
    q, v, tau = bk.random_configuration(ours, rng), rng.normal(size=ours.nv), rng.normal(size=ours.nv)
    data.qpos[order_q], data.qvel[order_v], data.qfrc_applied[order_v] = q, v, tau
    mujoco.mj_forward(theirs, data)
    M = np.zeros((theirs.nv, theirs.nv))
    mujoco.mj_fullM(theirs, M, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(theirs, data, M)
    M, bias, a = M[np.ix_(order_v, order_v)], data.qfrc_bias[order_v], data.qacc[order_v]
    assert relative(bk.crba(ours, q), M) < TOLERANCE
    assert relative(bk.rnea(ours, q, v, np.zeros(ours.nv)), bias) < TOLERANCE
    assert relative(bk.aba(ours, q, v, tau), a) < max(TOLERANCE, np.linalg.cond(M) * 1e-15)
    check_forward(ours, q, v, tau, M, bias)


def orders(ours: bk.Model, theirs: mujoco.MjModel) -> tuple[np.ndarray, np.ndarray]:
    """Where each of our coordinates and rates stands in MuJoCo's arrays; joints without a name are in the same order."""
    named = {mujoco.mj_id2name(theirs, mujoco.mjtObj.mjOBJ_JOINT, k) or "": k for k in range(theirs.njnt)}
    unnamed = [k for k in range(theirs.njnt) if k not in named.values() or named.get("") == k]
    order_q, order_v = np.zeros(ours.nq, dtype=int), np.zeros(ours.nv, dtype=int)
    for j in sorted(
        ours.joints, key=lambda j: [x.name for l in ours.description.links for x in l.joints].index(j.name)
    ):
        k = named[j.name] if j.name in named else unnamed.pop(0)
        order_q[j.q] = theirs.jnt_qposadr[k] + np.arange(j.nq)
        order_v[j.v] = theirs.jnt_dofadr[k] + np.arange(j.nv)
    return order_q, order_v
