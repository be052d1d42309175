"""Actuators, tendons, loops, keyframes and gravity compensation of MJCF files: figures move as in MuJoCo under the same
controls, and laws that need no peer."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import bunraku as bk
from draws import fresh_rng
from robots import humanoid_mjcf

GRIPPER = """
<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.0002" gravity="0 0 -9.81"/>
  <worldbody>
    <body name="palm" pos="0 0 1"><geom type="box" size="0.05 0.05 0.02" contype="0" conaffinity="0"/>
      <body name="crank" pos="0.02 0 0"><joint name="crank" axis="0 1 0" damping="0.01" armature="1e-4"/>
        <geom type="capsule" fromto="0 0 0 0.04 0 0.03" size="0.005" mass="0.05" contype="0" conaffinity="0"/>
        <body name="finger" pos="0.04 0 0.03"><joint name="knuckle" axis="0 1 0" damping="0.005" armature="1e-4"/>
          <geom type="capsule" fromto="0 0 0 0 0 0.06" size="0.005" mass="0.04" contype="0" conaffinity="0"/>
        </body>
      </body>
      <body name="rocker" pos="0.05 0 -0.005"><joint name="rocker" axis="0 1 0" damping="0.01" armature="1e-4"/>
        <geom type="capsule" fromto="0 0 0 0.04 0 0.03" size="0.005" mass="0.05" contype="0" conaffinity="0"/>
      </body>
      <body name="lock" pos="-0.05 0 0"><joint name="slip" type="slide" axis="1 0 0" armature="0.01"/>
        <geom size="0.01" mass="0.02" contype="0" conaffinity="0"/>
      </body>
      <body name="latch" pos="-0.08 0 0"><joint name="latch" type="slide" axis="1 0 0"/>
        <geom size="0.01" mass="0.02" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
  <equality>
    <connect name="loop" body1="rocker" body2="finger" anchor="0.04 0 0.03" solref="0.0006 1" solimp="0.9999 0.9999 0.001"/>
    <weld name="held" body1="lock" body2="latch" solref="0.0006 1" solimp="0.9999 0.9999 0.001"/>
  </equality>
  <actuator>
    <position name="close" joint="crank" kp="3" kv="0.05" ctrlrange="-0.4 0.9" forcerange="-2 2"/>
    <motor name="slip" joint="slip" gear="2"/>
  </actuator>
  <keyframe><key name="half" qpos="0.3 -0.1 0.2 0 0" ctrl="0.5 0"/></keyframe>
</mujoco>
"""

HAND = """
<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.0002" gravity="0 0 -9.81"/>
  <default><joint damping="0.01" armature="2e-4"/><geom contype="0" conaffinity="0" type="capsule" size="0.008"/></default>
  <worldbody>
    <body name="palm" pos="0 0 0.5" gravcomp="1"><joint name="wrist" axis="0 1 0"/>
      <geom type="box" size="0.04 0.04 0.01" mass="0.3"/>
      <body name="a1" pos="0.04 0.02 0" gravcomp="0.5"><joint name="a1" axis="0 1 0" range="-2 2"/>
        <geom fromto="0 0 0 0.04 0 0" mass="0.03"/>
        <body name="a2" pos="0.04 0 0"><joint name="a2" axis="0 1 0"/><geom fromto="0 0 0 0.03 0 0" mass="0.02"/>
          <body name="a3" pos="0.03 0 0"><joint name="a3" axis="0 1 0"/><geom fromto="0 0 0 0.02 0 0" mass="0.01"/></body>
        </body>
      </body>
      <body name="b1" pos="0.04 -0.02 0"><joint name="b1" axis="0 1 0"/>
        <geom fromto="0 0 0 0.04 0 0" mass="0.03"/>
        <body name="b2" pos="0.04 0 0"><joint name="b2" axis="0 1 0" ref="0.2" springref="0.5" stiffness="0.02"/>
          <geom fromto="0 0 0 0.03 0 0" mass="0.02"/></body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="flex_a" stiffness="0.4" damping="0.01" springlength="-0.1 0.05">
      <joint joint="a1" coef="1"/><joint joint="a2" coef="0.8"/><joint joint="a3" coef="0.5"/></fixed>
    <fixed name="flex_b"><joint joint="b1" coef="1"/><joint joint="b2" coef="-0.6"/></fixed>
  </tendon>
  <actuator>
    <position name="curl_a" tendon="flex_a" kp="1.5" kv="0.01" ctrlrange="0 1.2"/>
    <motor name="curl_b" tendon="flex_b" gear="0.5" ctrlrange="-0.2 0.2"/>
    <velocity name="turn" joint="wrist" kv="0.2"/>
    <general name="odd" joint="b1" gainprm="0.1 0.3 0.02" gaintype="affine" biastype="affine" biasprm="0.02 -0.2 -0.01"
      forcerange="-0.3 0.1"/>
    <motor name="also" joint="a1" gear="-0.1"/>
  </actuator>
</mujoco>
"""


def beside(text_or_path, tmp_path, controls, seconds=0.2, key=None, dt=None):
    """(our figure, MuJoCo's data) after some seconds under random constant controls, from the file's pose, no contact."""
    path = text_or_path
    if isinstance(text_or_path, str):
        path = tmp_path / "figure.xml"
        path.write_text(text_or_path)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    description = bk.describe(path)
    for link in description.links:
        link.shapes = []  # no contact: the file's floor is part of the figure
    for joint in (joint for link in description.links for joint in link.joints):  # MuJoCo's limits give way
        joint.lower, joint.upper = -np.inf, np.inf
    dt = theirs.opt.timestep = dt or theirs.opt.timestep
    data = mujoco.MjData(theirs)
    world = bk.World(dt=dt)
    figure = world.add(description.build(), self_collision=False)
    assert world.gravity == tuple(theirs.opt.gravity)
    if key:
        mujoco.mj_resetDataKeyframe(theirs, data, theirs.key(key).id)
        figure.to_keyframe(key)
    for name in figure.controls:
        value = controls.get(name, 0.0)
        figure.controls[name] = value
        data.actuator(name).ctrl[0] = value
    n = round(seconds / dt)
    for _ in range(n):
        mujoco.mj_step(theirs, data)
    world.step(n)
    ours = np.array([figure.q[figure.model.joint(j).iq] for j in names(theirs)])
    return figure, data, ours, np.array([data.joint(j).qpos[0] for j in names(theirs)])


def names(theirs) -> list[str]:
    hinges = [j for j in range(theirs.njnt) if theirs.jnt_type[j] >= 2]
    return [mujoco.mj_id2name(theirs, mujoco.mjtObj.mjOBJ_JOINT, j) for j in hinges]


def test_humanoid(tmp_path):
    """17 motors on MuJoCo's humanoid in the air: the same joint angles after 0.2 s, within 1e-3."""
    rng = fresh_rng()
    theirs = mujoco.MjModel.from_xml_path(str(humanoid_mjcf()))
    controls = {theirs.actuator(k).name: float(rng.uniform(-0.1, 0.1)) for k in range(theirs.nu)}
    figure, data, ours, peer = beside(humanoid_mjcf(), tmp_path, controls, dt=1e-5)  # first order: error ~ dt
    assert np.abs(ours - peer).max() < 1e-3
    root = figure.model.joint("root")
    assert np.abs(figure.q[root.q] - data.qpos[:7]).max() < 1e-3
    assert np.ptp(ours) > 0.05, "it moved"


def test_gripper_with_a_linkage(tmp_path):
    """A four-bar closed by `connect`, a weld, a position servo at its force limit, from a keyframe's controls."""
    rng = fresh_rng()
    controls = {"close": float(rng.uniform(0.1, 0.8)), "slip": float(rng.uniform(-0.03, 0.03))}
    figure, _, ours, peer = beside(GRIPPER, tmp_path, controls)
    assert set(figure.closures) == {"loop", "held"} and all(c.active for c in figure.closures.values())
    assert np.abs(ours - peer).max() < 1e-3, (ours, peer)
    crank, slip, latch = (figure.q[figure.model.joint(n).iq] for n in ("crank", "slip", "latch"))
    assert crank > 0.05 and abs(slip - latch) < 1e-6


def test_hand_with_tendons(tmp_path):
    """Fixed tendons with springs, driven by servo and motor; a velocity servo; an affine gain with unequal limits; two
    actuators on one joint; gravity compensation."""
    rng = fresh_rng()
    controls = {"curl_a": rng.uniform(0.2, 1.5), "curl_b": rng.uniform(-0.3, 0.3), "turn": rng.uniform(-1, 1)}
    controls |= {"odd": rng.uniform(-0.5, 0.5), "also": rng.uniform(-0.5, 0.5)}
    _, _, ours, peer = beside(HAND, tmp_path, controls)
    assert np.abs(ours - peer).max() < 1e-3, (ours, peer)
    assert np.abs(ours).max() > 0.05


def test_keyframe_sets_pose_and_controls(tmp_path):
    figure, _, ours, _ = beside(GRIPPER, tmp_path, {"close": 0.5}, seconds=0.0, key="half")
    assert np.allclose(ours, [0.3, -0.1, 0.2, 0, 0]) and figure.controls["close"] == 0.5
    with pytest.raises(bk.BunrakuError, match=r"no keyframe 'hal'\. Closest: 'half'"):
        figure.to_keyframe("hal")


def test_controls_are_off_until_set_and_can_be_let_go(tmp_path):
    path = tmp_path / "hand.xml"
    path.write_text(HAND)
    world = bk.World(dt=0.001, gravity=(0, 0, 0))
    figure = world.add(bk.load(path), self_collision=False)
    world.step(5)
    assert not figure.controls.on and np.all(figure.controls.forces == 0)
    figure.controls["turn"] = 0.7
    assert figure.controls.on and figure.controls["turn"] == 0.7 and len(figure.controls) == 5
    world.step(200)
    wrist = figure.model.joint("wrist")
    assert figure.v[wrist.iv] > 0.3
    figure.controls.off()
    assert not figure.controls.on
    for wrong in ("trun", "wrist"):
        with pytest.raises(bk.BunrakuError, match=f"no actuator '{wrong}'"):
            figure.controls[wrong] = 1.0
    with pytest.raises(bk.InputError, match="5 finite numbers"):
        figure.controls.set([1, 2])
    with pytest.raises(bk.InputError, match="finite"):
        figure.controls["turn"] = np.nan


def test_snapshots_and_files_keep_controls(tmp_path):
    path = tmp_path / "hand.xml"
    path.write_text(HAND)
    world = bk.World(dt=0.001)
    figure = world.add(bk.load(path), self_collision=False)
    figure.controls.set([0.5, 0.1, 0.3, 0.2, -0.1])
    world.step(20)
    snapshot, saved = world.snapshot(), world.save(tmp_path / "w.npz")
    world.step(30)
    q = world.q.copy()
    figure.controls.set([0.1, 0.0, 0.0, 0.0, 0.0])
    world.step(10)
    world.restore(snapshot)
    assert figure.controls["curl_a"] == 0.5
    world.step(30)
    assert np.array_equal(world.q, q)
    again = bk.World.load(saved)
    again.step(30)
    assert np.array_equal(again.q, q) and again.figures[0].controls["curl_a"] == 0.5


def test_a_compensated_figure_hangs_still():
    """gravcomp = 1 on every link: nothing moves, whatever the pose (the torques of gravity are taken back)."""
    rng = fresh_rng()
    d = bk.Description("arm")
    d.add("a", None, bk.free(), mass=2.0, com=(0.1, 0.2, 0), moments=(0.1, 0.2, 0.15))
    d.add("b", "a", bk.ball("ball"), at=(0.3, 0, 0), mass=1.0, com=(0, 0.1, 0.2), moments=(0.02, 0.02, 0.02))
    d.add(
        "c", "b", bk.hinge("hinge", (1, 2, 0)), at=(0, 0, 0.4), mass=1.5, com=(0.1, 0, 0.2), moments=(0.03, 0.03, 0.02)
    )
    for link in d.links:
        link.gravcomp = 1.0
    world = bk.World(gravity=(0.5, -0.3, -9.0))
    figure = world.add(d.build())
    figure.q[:] = bk.random_configuration(figure.model, rng)
    start = figure.q.copy()
    world.run(0.3)
    assert np.abs(figure.q - start).max() < 1e-10


def test_gravity_of_the_file_is_taken_where_none_is_given(tmp_path):
    path = tmp_path / "moon.xml"
    body = '<worldbody><body name="a"><freejoint/><geom size="0.1"/></body></worldbody>'
    path.write_text(f'<mujoco><option gravity="0 0 -1.62"/>{body}</mujoco>')
    world = bk.World()
    world.add(bk.load(path))
    assert world.gravity == (0.0, 0.0, -1.62)
    world = bk.World(gravity=(0, 0, -3.0))
    world.add(bk.load(path))
    assert world.gravity == (0.0, 0.0, -3.0)
    path.write_text(f'<mujoco><option><flag gravity="disable"/></option>{body}</mujoco>')
    world = bk.World()
    figure = world.add(bk.load(path))
    world.run(0.1)
    assert world.gravity == (0.0, 0.0, 0.0) and figure.v[2] == 0.0
