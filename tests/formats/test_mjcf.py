"""MJCF: the description means in space what MuJoCo makes of the file, and everything else is told."""

from __future__ import annotations

import math
import sys
from functools import cache
from pathlib import Path

import mujoco
import numpy as np
import pytest

from bunraku.errors import FormatError, MissingExtra
from bunraku.formats import mjcf_source
from bunraku.formats.mjcf import read
from bunraku.model.check import check
from bunraku.model.description import Description
from bunraku.model.rotations import rotation_matrix
from description_pose import joints, link_poses
from robots import humanoid_mjcf

FIGURE = """<mujoco model="toy">
  <compiler angle="degree" autolimits="true"/>
  <default>
    <joint damping="0.5" armature="0.01"/>
    <default class="stiff"><joint stiffness="3" damping="2" frictionloss="0.2"/></default>
  </default>
  <option timestep="0.001" gravity="0 0 -1"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <light name="sun"/>
    <body name="trunk" pos="0 0 1" euler="10 20 30">
      <freejoint name="base"/>
      <inertial pos="0.1 0 0" euler="0 45 0" mass="3" diaginertia="0.3 0.2 0.4"/>
      <geom name="chest" type="box" size="0.1 0.2 0.3" rgba="1 0 0 1"/>
      <site name="sternum" pos="0.1 0 0.2" euler="0 0 90"/>
      <body name="arm" pos="0 0.3 0.2" quat="0.8 0.6 0 0">
        <joint name="shoulder" type="ball" pos="0 0 0.1" range="0 60" armature="0.02"/>
        <geom name="upper" type="capsule" fromto="0 0 0 0 0 -0.4" size="0.05" contype="0" conaffinity="0"/>
        <body name="forearm" pos="0 0 -0.4">
          <joint name="elbow" class="stiff" axis="0 2 0" pos="0.01 0.02 0.03" range="-10 120" ref="20" springref="40"/>
          <joint name="roll" axis="0.6 0 0.8" pos="0 0 -0.2"/>
          <joint name="stretch" type="slide" axis="1 0 1" ref="0.05" range="-0.1 0.2" actuatorfrcrange="-30 20"/>
          <geom type="cylinder" size="0.04 0.1" pos="0 0 -0.1" mass="0.7"/>
          <body>
            <joint type="hinge" axis="1 0 0"/>
            <geom name="egg" type="ellipsoid" size="0.03 0.02 0.01"/>
            <geom type="sphere" size="0.03" pos="0.1 0 0"/>
          </body>
        </body>
      </body>
    </body>
    <body name="post" pos="1 0 0"><geom type="sphere" size="0.1"/></body>
  </worldbody>
  <contact><exclude name="e" body1="trunk" body2="forearm"/><pair geom1="floor" geom2="chest"/></contact>
  <equality>
    <joint name="gear" joint1="roll" joint2="elbow" polycoef="0.1 2 0 0 0"/>
    <joint name="curve" joint1="stretch" joint2="elbow" polycoef="0 1 0.5 0 0"/>
    <joint name="hold" joint1="stretch" polycoef="0 0 0 0 0"/>
    <weld name="glue" body1="arm" body2="post" active="false"/>
  </equality>
  <tendon><fixed name="string"><joint joint="elbow" coef="1"/></fixed></tendon>
  <actuator>
    <motor name="biceps" joint="elbow" gear="-50" ctrlrange="-2 1" forcerange="-1 1"/>
    <motor name="triceps" joint="elbow" gear="10" ctrlrange="-1 1"/>
    <position name="turn" joint="roll" kp="10" forcerange="-7 7"/>
  </actuator>
  <sensor><gyro name="g" site="sternum"/><rangefinder name="r" site="sternum"/></sensor>
</mujoco>
"""


@pytest.fixture
def toy(tmp_path) -> Path:
    path = tmp_path / "toy.xml"
    path.write_text(FIGURE, encoding="utf-8")
    return path


@cache
def humanoid() -> tuple[Description, mujoco.MjModel]:
    return read(humanoid_mjcf()), mujoco.MjModel.from_xml_path(str(humanoid_mjcf()))


def random_state(model: mujoco.MjModel, rng: np.random.Generator) -> np.ndarray:
    q = rng.uniform(-1.5, 1.5, model.nq)
    for j in range(model.njnt):
        if model.jnt_type[j] in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            k = model.jnt_qposadr[j] + (3 if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE else 0)
            q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
    return q


def compare(figure: Description, model: mujoco.MjModel) -> None:
    """Poses of links, centres of mass, shapes and frames at random q; inertias."""
    data = mujoco.MjData(model)
    rng = np.random.default_rng(3)
    bodies = [link for link in figure.links if link.name != "world"]
    named = joints(figure)
    assert len(bodies) == model.nbody - 1 and len(named) == model.njnt
    for _ in range(3):
        data.qpos[:] = random_state(model, rng)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        width = {"free": 7, "ball": 4}
        values = {
            joint.name: data.qpos[model.jnt_qposadr[j] : model.jnt_qposadr[j] + width.get(joint.kind, 1)]
            for j, joint in enumerate(named.values())
        }
        poses = link_poses(figure, values)
        for body, link in enumerate(bodies, 1):
            position, rotation = poses[link.name]
            np.testing.assert_allclose(position, data.xpos[body], atol=1e-12)
            np.testing.assert_allclose(rotation, data.xmat[body].reshape(3, 3), atol=1e-12)
            com = position + rotation @ np.asarray(link.inertia.com)
            np.testing.assert_allclose(com, data.xipos[body], atol=1e-12)
            axes = data.ximat[body].reshape(3, 3)
            wanted = axes @ np.diag(model.body_inertia[body]) @ axes.T
            np.testing.assert_allclose(rotation @ link.inertia.matrix() @ rotation.T, wanted, atol=1e-12)
            assert link.inertia.mass == model.body_mass[body]
        for link in figure.links:
            for shape in (s for s in link.shapes if s.name):
                geom = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, shape.name)
                position, rotation = poses[link.name]
                place = position + rotation @ np.asarray(shape.position)
                np.testing.assert_allclose(place, data.geom_xpos[geom], atol=1e-12)
                axes = rotation @ rotation_matrix(shape.rotation)
                np.testing.assert_allclose(axes, data.geom_xmat[geom].reshape(3, 3), atol=1e-12)
        for frame in figure.frames:
            site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, frame.name)
            position, rotation = poses[frame.link]
            np.testing.assert_allclose(
                position + rotation @ np.asarray(frame.position), data.site_xpos[site], atol=1e-12
            )
            axes = rotation @ rotation_matrix(frame.rotation)
            np.testing.assert_allclose(axes, data.site_xmat[site].reshape(3, 3), atol=1e-12)


def test_poses_and_inertias_of_our_figure(toy):
    compare(read(toy), mujoco.MjModel.from_xml_path(str(toy)))


def test_poses_and_inertias_of_the_humanoid():
    compare(*humanoid())


def test_joint_values_of_the_humanoid():
    figure, model = humanoid()
    for j, joint in enumerate(joints(figure).values()):
        assert joint.name == model.joint(j).name
        dof, q = int(model.jnt_dofadr[j]), int(model.jnt_qposadr[j])
        assert (joint.damping, joint.armature) == (model.dof_damping[dof], model.dof_armature[dof])
        assert (joint.friction, joint.stiffness) == (model.dof_frictionloss[dof], model.jnt_stiffness[j])
        if joint.kind == "hinge":
            assert (joint.lower, joint.upper) == tuple(model.jnt_range[j])
            assert (joint.reference, joint.rest) == (model.qpos0[q], model.qpos_spring[q])
    efforts = {name: joint.effort for name, joint in joints(figure).items()}
    assert efforts["right_hip_y"] == pytest.approx(0.4 * 300) and efforts["left_elbow"] == pytest.approx(0.4 * 25)
    assert efforts["root"] == math.inf


def test_notes_of_the_humanoid_give_names_and_lines():
    figure, _ = humanoid()
    text = "\n".join(map(str, figure.notes))
    lines = humanoid_mjcf().read_text(encoding="utf-8").splitlines()
    for word in ('user="0"', 'name="track"'):
        line = next((n for n, content in enumerate(lines, 1) if word in content), 0)
        assert not line or f"line {line}" in text
    for word in ("<camera>", "<light>", "integrator", "condim", "margin"):
        assert word in text
    assert check(figure) == []


def test_joints_of_our_figure(toy):
    found = joints(read(toy))
    assert {name: joint.kind for name, joint in found.items()} == {
        "base": "free",
        "shoulder": "ball",
        "elbow": "hinge",
        "roll": "hinge",
        "stretch": "slider",
        "body4_joint": "hinge",
    }
    elbow, shoulder = found["elbow"], found["shoulder"]
    assert (elbow.lower, elbow.upper) == pytest.approx((math.radians(-10), math.radians(120)))
    assert (elbow.reference, elbow.rest) == pytest.approx((math.radians(20), math.radians(40)))
    assert (elbow.stiffness, elbow.damping, elbow.friction, elbow.armature) == (3.0, 2.0, 0.2, 0.01)
    assert tuple(elbow.anchor) == (0.01, 0.02, 0.03) and tuple(elbow.axis) == (0.0, 1.0, 0.0)
    assert shoulder.swing == pytest.approx(math.pi / 3) and shoulder.twist == pytest.approx((-math.pi / 3, math.pi / 3))
    assert shoulder.armature == 0.02 and shoulder.damping == 0.5
    assert found["roll"].lower == -math.inf
    assert elbow.where == "toy.xml:20" and found["body4_joint"].where == "toy.xml"  # no name, no line


def test_force_limits(toy):
    """Two actuators add up: -50 * [-1, 1] + 10 * [-1, 1]; a servo has its forcerange, a joint its own."""
    figure = read(toy)
    found = joints(figure)
    assert found["elbow"].effort == pytest.approx(60.0)
    assert found["roll"].effort == 7.0
    assert found["stretch"].effort == 30.0
    assert any("'stretch'" in note.text and "-30 to 20" in note.text for note in figure.notes)


def test_shapes_frames_and_excludes(toy):
    figure = read(toy)
    links = {link.name: link for link in figure.links}
    kinds = {name: [shape.kind for shape in link.shapes] for name, link in links.items()}
    assert kinds == {
        "world": ["plane"],
        "trunk": ["box"],
        "arm": ["capsule"],
        "forearm": ["cylinder"],
        "body4": ["ellipsoid", "sphere"],
        "post": ["sphere"],
    }
    assert links["trunk"].shapes[0].color == (1, 0, 0, 1) and links["trunk"].shapes[0].size == (0.1, 0.2, 0.3)
    assert links["arm"].shapes[0].role == "visual" and links["trunk"].shapes[0].role == "both"
    assert links["arm"].shapes[0].size == pytest.approx((0.05, 0.2))
    assert links["body4"].shapes[0].size == (0.03, 0.02, 0.01)
    assert links["post"].parent is None and links["post"].joints == []
    assert [(frame.name, frame.link) for frame in figure.frames] == [("sternum", "trunk")]
    assert figure.collide_exclude == [("trunk", "forearm")]
    assert check(figure) == []


def test_equality_becomes_a_gear_where_muJoCo_sees_no_error(toy):
    """At q_follower = ratio q_leader + offset the residual of MuJoCo's own constraint is zero."""
    (gear,) = read(toy).gears
    assert (gear.follower, gear.leader, gear.ratio, gear.name) == ("roll", "elbow", 2.0, "gear")
    model = mujoco.MjModel.from_xml_path(str(toy))
    data = mujoco.MjData(model)
    for leader in (-0.1, 0.4, 1.3):
        data.joint("elbow").qpos[0] = leader
        data.joint("roll").qpos[0] = gear.ratio * leader + gear.offset
        mujoco.mj_forward(model, data)
        rows = np.flatnonzero(data.efc_type[: data.nefc] == mujoco.mjtConstraint.mjCNSTR_EQUALITY)
        row = next(r for r in rows if data.efc_id[r] == 0)
        assert data.efc_pos[row] == pytest.approx(0.0, abs=1e-14)


def test_what_our_figure_loses_is_told(toy):
    text = "\n".join(f"{note.kind} {note}" for note in read(toy).notes)
    lines = {word: n for n, line in enumerate(FIGURE.splitlines(), 1) for word in line.split('"')}
    for part in [
        "changed toy.xml: bodies and joints without a name are called 'body4', 'body4_joint'.",
        "changed toy.xml:17: ball joint 'shoulder'",
        f"changed toy.xml:{lines['gear']}: equality <joint> 'gear' is soft",
        f"ignored toy.xml:{lines['curve']}: equality <joint> 'curve' is not used: its polycoef 0 1 0.5 0 0 is",
        f"ignored toy.xml:{lines['hold']}: equality <joint> 'hold' is not used: it holds one joint",
        f"ignored toy.xml:{lines['glue']}: equality <weld> 'glue' is not used",
        "sensor <rangefinder> 'r' is not used: sensors of this kind are not read",
        "<light> in <worldbody> is not used ('sun')",
        "timestep",
    ]:
        assert part in text, part
    assert "gravity" not in text  # it is used
    assert tuple(read(toy).gravity) == tuple(mujoco.MjModel.from_xml_path(str(toy)).opt.gravity)


def test_swing_and_twist_allow_what_the_whole_angle_allows():
    """cos(t/2) = cos(swing/2) cos(twist/2), so swing <= t and |twist| <= t, and both bounds are reached."""
    rng = np.random.default_rng(5)
    for _ in range(500):
        w, x, y, z = q = (lambda a: a / np.linalg.norm(a))(rng.normal(size=4))
        if w < 0:
            w, x, y, z = q = -q
        whole = 2 * math.acos(min(1.0, w))
        r = rotation_matrix(q)
        swing, twist = math.atan2(math.hypot(r[0, 2], r[1, 2]), r[2, 2]), 2 * math.atan2(z, w)
        assert math.cos(whole / 2) == pytest.approx(math.cos(swing / 2) * math.cos(twist / 2), abs=1e-12)
        assert swing <= whole + 1e-12 and abs(twist) <= whole + 1e-12
        assert math.hypot(x, y) == pytest.approx(math.sin(swing / 2), abs=1e-12)


TETRAHEDRON = np.array([[0.1, 0.0, 0.0], [1.0, 0.2, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 2.0]])


def test_a_mesh_keeps_its_file_and_its_own_axes(tmp_path):
    """MuJoCo moves the vertices into the inertial frame; file, scale and pose of the shape must undo that."""
    (tmp_path / "meshes").mkdir()
    rows = [f"v {x} {y} {z}" for x, y, z in TETRAHEDRON] + ["f 1 3 2", "f 1 2 4", "f 2 3 4", "f 1 4 3"]
    (tmp_path / "meshes" / "t.obj").write_text("\n".join(rows) + "\n")
    path = tmp_path / "m.xml"
    path.write_text(
        '<mujoco><compiler meshdir="meshes"/><asset><mesh name="t" file="t.obj" scale="1 2 -1"/>'
        '<mesh name="moved" file="t.obj" refpos="1 0 0"/></asset><worldbody><body name="a"><joint/>'
        '<geom name="g" type="mesh" mesh="t" pos="1 2 3" euler="30 20 10"/><geom name="h" type="mesh" mesh="moved"/>'
        "</body></worldbody></mujoco>"
    )
    figure, model = read(path), mujoco.MjModel.from_xml_path(str(path))
    shape, moved = figure.links[0].shapes
    assert moved.kind == "mesh" and moved.scale == (1.0, 1.0, 1.0)  # as MuJoCo has it: test_mjcf_equipment.py
    assert shape.kind == "mesh" and Path(shape.mesh or "") == tmp_path / "meshes" / "t.obj"
    assert shape.scale == (1.0, 2.0, -1.0)
    mine = TETRAHEDRON * shape.scale @ rotation_matrix(shape.rotation).T + np.asarray(shape.position)
    theirs = model.mesh_vert[:4] @ rotation_matrix(model.geom_quat[0]).T + model.geom_pos[0]
    np.testing.assert_allclose(mine, theirs, atol=1e-6)  # MuJoCo keeps vertices in single precision
    np.testing.assert_allclose(shape.position, (1, 2, 3), atol=1e-12)


def test_included_files_are_read_and_their_lines_told(tmp_path):
    (tmp_path / "arm.xml").write_text(
        '<mujocoinclude>\n<body name="arm">\n<joint name="j"/>\n<geom size="0.1" condim="1"/></body></mujocoinclude>'
    )
    path = tmp_path / "m.xml"
    path.write_text('<mujoco><worldbody><include file="arm.xml"/></worldbody></mujoco>')
    figure = read(path)
    assert [(link.name, link.where) for link in figure.links] == [("arm", "arm.xml:2")]
    assert joints(figure)["j"].where == "arm.xml:3"
    assert [str(note) for note in figure.notes] == ["arm.xml:4: of <geom> these attributes are not used: condim."]
    (tmp_path / "arm.xml").write_text('<!DOCTYPE a [<!ENTITY e "x">]>\n<mujocoinclude/>')
    with pytest.raises(FormatError, match=r"^arm.xml:1: a DOCTYPE"):
        read(path)
    (tmp_path / "arm.xml").write_text('<mujocoinclude>\n<body pos="0 nan 0"/></mujocoinclude>')
    with pytest.raises(FormatError, match=r"^arm.xml:2: .*not finite"):
        read(path)


def test_an_include_of_an_include_is_checked_too(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "m.xml").write_text('<mujoco><include file="sub/a.xml"/></mujoco>')
    (tmp_path / "sub" / "a.xml").write_text('<mujocoinclude><include file="b.xml"/></mujocoinclude>')
    for folder in (tmp_path, tmp_path / "sub"):  # MuJoCo looks in both
        file = folder / "b.xml"
        file.write_text('<mujocoinclude>\n<worldbody><geom size="inf"/></worldbody></mujocoinclude>')
        with pytest.raises(FormatError, match=r"^b.xml:2: .*not finite"):
            read(tmp_path / "m.xml")
        file.unlink()


def test_a_model_that_is_attached_is_checked_too(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text(
        '<mujoco><asset><model name="leg" file="leg.xml"/></asset><worldbody><body name="a"><joint name="j"/>'
        '<geom size="0.1"/><attach model="leg" body="shin" prefix="l_"/></body></worldbody></mujoco>'
    )
    leg = '<mujoco>\n<worldbody><body name="shin"><joint name="knee"/><geom size="{}"/></body></worldbody></mujoco>'
    (tmp_path / "leg.xml").write_text(leg.format("0.1"))
    figure = read(path)
    assert [link.name for link in figure.links] == ["a", "l_shin"] and list(joints(figure)) == ["j", "l_knee"]
    (tmp_path / "leg.xml").write_text(leg.format("nan"))
    with pytest.raises(FormatError, match=r"^leg.xml:2: .*not finite"):
        read(path)


def test_a_file_that_includes_itself_ends(tmp_path):
    path = tmp_path / "m.xml"
    path.write_text('<mujoco><worldbody><include file="m.xml"/></worldbody></mujoco>')
    with pytest.raises(FormatError, match=r"^m.xml"):
        read(path)


def test_includes_do_not_add_up_to_absurd_depth(tmp_path):
    for k in range(3):
        inside = f'<include file="p{k + 1}.xml"/>' if k < 2 else ""
        nest = '<body><joint/><geom size="0.1"/>' * 200 + inside + "</body>" * 200
        (tmp_path / f"p{k}.xml").write_text(f"<mujocoinclude>{nest}</mujocoinclude>")
    path = tmp_path / "m.xml"
    path.write_text('<mujoco><worldbody><include file="p0.xml"/></worldbody></mujoco>')
    with pytest.raises(FormatError, match="deeper"):
        read(path)


def test_remarks_know_every_guarded_element():
    assert all(limit >= 1 for limit in mjcf_source.GUARDS.values())
    assert {"body", "joint", "geom", "site", "inertial", "freejoint"} <= set(mjcf_source.KNOWN)


def test_no_log_file_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "m.xml"
    path.write_text('<mujoco><worldbody><body pos="0 0 NaN"><geom size="1"/></body></worldbody></mujoco>')
    with pytest.raises(FormatError, match=r"^m.xml:1: <body pos='0 0 NaN'> is not finite"):
        read(path)
    path.write_text('<mujoco><worldbody><body name="nan"><geom size="1"/></body></worldbody></mujoco>')
    assert read(path).links[0].name == "nan"  # a name is a name
    assert [file.name for file in tmp_path.iterdir()] == ["m.xml"]


def test_without_mujoco_the_message_says_how_to_get_it(toy, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingExtra, match=r"pip install 'bunraku\[mjcf\]'"):
        read(toy)


def test_names_that_are_made_up_do_not_clash(tmp_path):
    path = tmp_path / "m.xml"
    body = '<body{}><joint/><joint axis="1 0 0"/><geom size="0.1"/></body>'
    bodies = body.format("") + body.format(' name="body1"')
    path.write_text(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    figure = read(path)
    assert [link.name for link in figure.links] == ["body12", "body1"]
    assert list(joints(figure)) == ["body12_joint", "body12_joint2", "body1_joint", "body1_joint2"]
    assert check(figure) == []


def test_groups_that_are_not_seen(tmp_path):
    """Groups 3 to 5 are hidden in MuJoCo's viewer: collision shapes where they touch, transparent where not."""
    geoms = [(2, 0, "visual"), (3, 1, "collision"), (0, 1, "both"), (4, 0, "visual")]
    inside = "".join(
        f'<geom type="sphere" size="0.1" group="{g}" contype="{c}" conaffinity="{c}"/>' for g, c, _ in geoms
    )
    path = tmp_path / "groups.xml"
    path.write_text(f"<mujoco><worldbody><body name='a'><freejoint/>{inside}</body></worldbody></mujoco>")
    shapes = [s for link in read(path).links for s in link.shapes]
    assert [s.role for s in shapes] == [role for _, _, role in geoms]
    assert [s.color is not None and s.color[3] == 0 for s in shapes] == [False, False, False, True]
