"""Against MuJoCo: mass matrix, bias force and acceleration within 1e-9, on gymnasium's humanoid and on a model with
ball joints."""

import mujoco
import numpy as np
import pytest

import bunraku as bk
from figures import relative
from robots import humanoid_mjcf

BALLS = """
<mujoco>
  <compiler angle="radian"/>
  <option gravity="0.3 -0.2 -9.5"/>
  <worldbody>
    <body name="a" pos="0 0 1"><freejoint name="root"/>
      <inertial pos="0.1 0 0.05" mass="3" fullinertia="0.3 0.4 0.5 0.02 -0.03 0.01"/>
      <body name="b" pos="0.2 0.1 0.3" quat="0.8 0.2 0.3 0.1"><joint name="ball" type="ball" pos="0.05 0 0.1" armature="0.02"/>
        <inertial pos="0 0.1 0.2" mass="2" diaginertia="0.1 0.2 0.25"/>
        <body name="c" pos="0 0 0.4"><joint name="h1" axis="1 1 0" armature="0.1"/><joint name="h2" axis="0 1 2" ref="0.3"/>
          <inertial pos="0 0 0.2" mass="1" diaginertia="0.05 0.06 0.07"/>
          <body name="d" pos="0.1 0 0.2"><joint name="s" type="slide" axis="0 1 1" pos="0 0.1 0"/>
            <inertial pos="0.1 0 0" mass="0.5" diaginertia="0.01 0.01 0.01"/>
          </body>
        </body>
      </body>
    </body>
    <body name="e" pos="2 0 1"><joint name="pin" type="ball"/><geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.5"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module", params=["humanoid", "balls"])
def case(request, tmp_path_factory):
    path = humanoid_mjcf()
    if request.param == "balls":
        path = tmp_path_factory.mktemp("mjcf") / "balls.xml"
        path.write_text(BALLS)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_SPRING | mujoco.mjtDisableBit.mjDSBL_DAMPER
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    ours = bk.load(path)
    assert np.allclose(ours.gravity, theirs.opt.gravity)
    return ours, theirs, mujoco.MjData(theirs)


def test_state_arrays_are_the_same(case):
    ours, theirs, _ = case
    assert (ours.nq, ours.nv) == (theirs.nq, theirs.nv)
    assert np.allclose(ours.neutral(), theirs.qpos0)


@pytest.mark.parametrize("seed", range(4))
def test_dynamics(case, seed):
    ours, theirs, data = case
    rng = np.random.default_rng(seed)
    q, v, tau = bk.random_configuration(ours, rng), rng.normal(size=ours.nv), rng.normal(size=ours.nv)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau  # no translation: the conventions agree
    mujoco.mj_forward(theirs, data)
    M = np.zeros((theirs.nv, theirs.nv))
    mujoco.mj_fullM(theirs, M, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(theirs, data, M)
    assert relative(bk.crba(ours, q), M) < 1e-9
    assert relative(bk.rnea(ours, q, v, np.zeros(ours.nv)), data.qfrc_bias) < 1e-9
    assert relative(bk.aba(ours, q, v, tau), data.qacc) < 1e-9
    for name in [link.name for link in ours.links if link.name in ("torso", "a", "b", "c", "d", "e")]:
        place = data.xpos[mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_BODY, name)]
        assert np.allclose(bk.kinematics(ours, q).pose(name)[0], place, atol=1e-12)
