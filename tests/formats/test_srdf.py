"""SRDF beside a robot, and transmissions of URDF."""

from __future__ import annotations

import numpy as np
import pytest

import bunraku as bk
from robots import robot

LINK = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
ROBOT = f"""
<robot name="r">
  <link name="a">{LINK}</link><link name="b">{LINK}</link><link name="c">{LINK}</link>
  <joint name="p" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="8" velocity="1"/></joint>
  <joint name="q" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="6" velocity="1"/></joint>
  <transmission name="t"><type>transmission_interface/SimpleTransmission</type>
    <joint name="p"/><actuator name="motor"><mechanicalReduction>4</mechanicalReduction></actuator></transmission>
  <transmission name="u"><joint name="p"/><joint name="q"/><actuator name="x"/><actuator name="y"/></transmission>
</robot>
"""
SRDF = """
<robot name="r">
  <group name="arm"/>
  <group_state name="up" group="arm"><joint name="p" value="0.5"/><joint name="nobody" value="1"/></group_state>
  <disable_collisions link1="c" link2="a" reason="Never"/>
  <disable_collisions link1="c" link2="nowhere"/>
</robot>
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "r.urdf").write_text(ROBOT)
    (tmp_path / "r.srdf").write_text(SRDF)
    return tmp_path / "r.urdf", tmp_path / "r.srdf"


def test_pairs_and_poses(files):
    path, srdf = files
    model = bk.load(path, srdf=srdf, root="fixed")
    assert model.description.collide_exclude == [("a", "c")]
    assert model.keyframe("up").q == [("p", (0.5,))]
    text = "\n".join(map(str, model.notes))
    for part in ("'nowhere'", "'nobody'", "<group> in <robot> is not used ('arm')"):
        assert part in text
    figure = bk.World().add(model)
    figure.to_keyframe("up")
    assert figure.q[model.joint("p").iq] == 0.5


def test_not_an_srdf(files):
    path, srdf = files
    srdf.write_text("<srdf/>")
    with pytest.raises(bk.FormatError, match="starts with <robot>"):
        bk.load(path, srdf=srdf)


def test_a_real_one():
    path = robot("talos_full")
    srdf = path.parents[1] / "srdf" / "talos.srdf"
    model = bk.load(path, srdf=srdf)
    assert len(model.description.collide_exclude) > 100
    q = model.neutral()
    for joint, values in model.keyframe("half_sitting").q:
        q[model.joint(joint).q] = values
    assert np.abs(q - model.neutral()).max() > 0.1


def test_a_transmission_is_a_motor(files):
    """Effort 2 of the motor, geared 4: 8 N m at the joint, which with an inertia about its axis gives q'' at once."""
    model = bk.load(files[0], root="fixed")
    (motor,) = model.description.actuators
    assert (motor.name, motor.joints, motor.control) == ("motor", [("p", 4.0)], (-2.0, 2.0))
    assert any("'u'" in str(n) and "one joint and one actuator" in str(n) for n in model.notes)
    world = bk.World(dt=0.001, gravity=(0, 0, 0))
    figure = world.add(model)
    figure.controls["motor"] = 5.0  # beyond its range: 2
    world.step()
    tau = np.zeros(model.nv)
    tau[model.joint("p").iv] = 8.0
    a = bk.aba(model.with_gravity((0, 0, 0)), model.neutral(), np.zeros(model.nv), tau)
    assert np.allclose(figure.v, 0.001 * a, rtol=1e-9)
