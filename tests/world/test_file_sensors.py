"""Sensors of MJCF files by name, against MuJoCo's own readings of the same state."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import UnknownName
from bunraku.model.plain import from_plain, to_plain

mujoco = pytest.importorskip("mujoco")

FILE = """<mujoco model="arm"><compiler angle="radian"/><option gravity="0 0 -9.81" timestep="0.0002"/><worldbody>
  <site name="post" pos="0.3 -0.2 0.5" quat="0.9 0.1 0.3 0.2"/>
  <geom name="floor" type="plane" size="1 1 1"/>
  <body name="base" pos="0 0 1"><joint name="turn" axis="0 0 1" damping="0.1"/>
   <inertial pos="0.1 0.02 0" mass="2" diaginertia="0.02 0.03 0.03"/>
    <body name="arm" pos="0.3 0 0"><joint name="bend" axis="0 1 0" ref="0.2"/>
     <inertial pos="0.1 0 0.03" quat="0.9 0 0.2 0.1" mass="1" diaginertia="0.01 0.03 0.02"/>
      <site name="imu" pos="0.05 0.01 0.02" quat="0.8 0.2 -0.3 0.1"/>
      <body name="hand" pos="0.2 0 0"><joint name="ball" type="ball" damping="0.05"/>
       <inertial pos="0.05 0.01 0" mass="0.5" diaginertia="0.002 0.003 0.003"/>
        <site name="tip" pos="0.1 0 0" quat="0.7 0.1 0.5 0.2"/></body></body></body>
  <body name="load" pos="1 1 0.1"><freejoint/><geom type="box" size="0.1 0.2 0.1" mass="3"/>
    <site name="under" type="box" size="0.11 0.21 0.02" pos="0 0 -0.1"/><site name="half" type="box" size="0.06 0.21 0.02" pos="0.06 0 -0.1"/>
    <site name="above" type="sphere" size="0.02" pos="0 0 0.1"/></body>
 </worldbody><actuator><motor name="m" joint="turn" gear="2"/><position name="p" joint="bend" kp="30" kv="1"/></actuator>
 <sensor><gyro name="gyro" site="imu"/><accelerometer name="acc" site="imu"/><velocimeter name="vel" site="imu"/>
  <force name="force" site="imu"/><torque name="torque" site="imu"/>
  <jointpos name="jp" joint="bend"/><jointvel name="jv" joint="bend"/><jointactuatorfrc name="jf" joint="turn"/>
  <actuatorpos name="ap" actuator="m"/><actuatorvel name="av" actuator="m"/><actuatorfrc name="af" actuator="p"/>
  <ballquat name="bq" joint="ball"/><ballangvel name="bv" joint="ball"/>
  <framepos name="fp" objtype="site" objname="tip"/><framepos name="fpr" objtype="body" objname="arm" reftype="site" refname="post"/>
  <framequat name="fq" objtype="xbody" objname="hand"/><framexaxis name="fx" objtype="site" objname="tip" reftype="xbody" refname="arm"/>
  <framezaxis name="fz" objtype="body" objname="arm"/>
  <framelinvel name="fv" objtype="site" objname="tip"/><framelinvel name="fvr" objtype="site" objname="tip" reftype="site" refname="imu"/>
  <frameangvel name="fw" objtype="site" objname="tip"/><frameangvel name="fwr" objtype="xbody" objname="hand" reftype="xbody" refname="arm"/>
  <subtreecom name="sc" body="base"/><subtreelinvel name="sv" body="arm"/><subtreeangmom name="sa" body="base"/>
  <clock name="now"/><jointpos name="cut" joint="bend" cutoff="0.05"/>
  <touch name="t1" site="under"/><touch name="t2" site="above"/><touch name="t3" site="half"/>
  <rangefinder name="range" site="imu"/></sensor></mujoco>"""
LAST_STEP = {"acc", "force", "torque", "t1", "t2", "t3"}


def test_readings_are_mujocos(tmp_path):
    file = tmp_path / "arm.xml"
    file.write_text(FILE)
    m = mujoco.MjModel.from_xml_path(str(file))
    d = mujoco.MjData(m)
    model = bk.load(file)
    assert any("rangefinder" in str(n) and "not read" in str(n) for n in model.notes)
    world = bk.World(dt=2e-5)
    fig = world.add(model)
    assert set(fig.sensors) == {mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_SENSOR, k) for k in range(m.nsensor)} - {
        "range"
    }
    rng = np.random.default_rng(3)
    turn = rng.normal(size=4)
    d.qpos[:6] = [0.3, -0.4, *(turn / np.linalg.norm(turn))]
    d.qvel[:5] = rng.normal(size=5) * 2
    fig.q[:6], fig.v[:5] = d.qpos[:6], d.qvel[:5]
    d.ctrl[:] = 0.7, 0.1
    fig.controls.set([0.7, 0.1])
    names = {k: mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_SENSOR, k) for k in range(m.nsensor)}

    def theirs(k):
        return d.sensordata[m.sensor_adr[k] : m.sensor_adr[k] + m.sensor_dim[k]].copy()

    def same(only_last_step):
        for k, name in names.items():
            if name != "range" and (name in LAST_STEP) == only_last_step and name[0] != "t":
                ours, want = fig.sensors[name], theirs(k)
                if name in ("bq", "fq"):
                    ours = ours * np.sign(ours @ want)
                scale = max(1.0, float(np.abs(want).max()))
                # a step's mean against its start: of first order
                assert np.abs(ours - want).max() < (1e-3 if only_last_step else 1e-9) * scale, (name, ours, want)

    mujoco.mj_forward(m, d)
    same(False)
    world.step()
    same(True)
    for _ in range(4000):  # the load lies still
        mujoco.mj_step(m, d)
    world.run(seconds=0.05)
    for name in ("t1", "t2", "t3"):
        k = next(k for k, n in names.items() if n == name)
        assert np.isclose(fig.sensors[name][0], theirs(k)[0], rtol=1e-3, atol=1e-6), (
            name,
            fig.sensors[name],
            theirs(k),
        )
    assert np.isclose(fig.sensors["t1"][0], 3 * 9.81, rtol=1e-6) and abs(fig.sensors["cut"][0]) <= 0.05


def test_they_are_kept_and_told(tmp_path):
    file = tmp_path / "arm.xml"
    file.write_text(FILE)
    model = bk.load(file)
    again = from_plain(to_plain(model.description)).build()
    assert [m.name for m in again.description.sensors] == [m.name for m in model.description.sensors]
    world = bk.World()
    fig = world.add(model)
    with pytest.raises(UnknownName, match="gyro"):
        fig.sensors["gyros"]
    world.step()
    assert np.array_equal(bk.World.load(world.save(tmp_path / "w.npz"))["arm"].sensors["gyro"], fig.sensors["gyro"])
