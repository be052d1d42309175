"""URDF in detail, on small files of our own; real robots are in test_urdf_robots.py."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from bunraku.errors import InputError, ModelError
from bunraku.formats import urdf
from bunraku.formats.urdf import read
from bunraku.model.check import check
from description_pose import joints, link_poses


def write(tmp_path: Path, inside: str, name: str = "r.urdf") -> Path:
    path = tmp_path / name
    path.write_text(f'<robot name="r">\n{inside}\n</robot>\n', encoding="utf-8")
    return path


def chain(joint: str, kind: str = "revolute", more: str = "") -> str:
    """Links a and b tied by one joint, on lines 2 to 4 of the file."""
    return (
        f'<link name="a"/>\n<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{joint}</joint>\n'
        f'<link name="b"/>{more}'
    )


# --- roots


def test_root_options(tmp_path):
    path = write(tmp_path, chain('<axis xyz="0 0 1"/>', "continuous"))
    first = read(path).links[0]
    assert [(j.name, j.kind) for j in first.joints] == [("root", "free")] and first.parent is None
    assert read(path, root="free").links[0].joints[0].kind == "free"
    assert read(path, root="fixed").links[0].joints == []
    with pytest.raises(InputError, match="choose one of 'auto', 'free', 'fixed'"):
        read(path, root="loose")


def test_the_name_of_the_free_joint_does_not_clash(tmp_path):
    path = write(tmp_path, chain("", "continuous").replace('name="j"', 'name="root"'))
    assert list(joints(read(path))) == ["root_", "root"]


def test_a_root_link_called_world_is_the_world(tmp_path):
    inside = chain('<origin xyz="1 0 0"/>', "continuous").replace('"a"', '"world"')
    figure = read(write(tmp_path, inside))
    assert [(link.name, link.parent) for link in figure.links] == [("b", None)]
    assert list(joints(figure)) == ["j"]
    free = read(write(tmp_path, inside), root="free")
    assert [link.name for link in free.links] == ["world", "b"] and list(joints(free)) == ["root", "j"]
    floor = inside.replace(
        '<link name="world"/>',
        '<link name="world"><collision><geometry><box size="9 9 1"/></geometry></collision></link>',
    )
    figure = read(write(tmp_path, floor))
    assert [(link.name, link.parent, len(link.joints)) for link in figure.links] == [("world", None, 0), ("b", None, 1)]


@pytest.mark.parametrize("root", ["auto", "fixed"])
def test_a_floating_joint_hangs_on_the_world(tmp_path, root):
    figure = read(write(tmp_path, chain('<origin xyz="0 0 2"/>', "floating")), root=root)
    assert [(link.name, link.parent) for link in figure.links] == [("b", None)]
    assert joints(figure)["j"].kind == "free" and tuple(figure.links[0].position) == (0.0, 0.0, 2.0)


def test_a_floating_joint_inside_the_tree_is_refused_by_the_check(tmp_path):
    more = '<link name="c"/><joint name="k" type="fixed"><parent link="a"/><child link="c"/></joint>'
    with pytest.raises(ModelError, match=r"r.urdf:3: free joint 'j'"):
        check(read(write(tmp_path, chain("", "floating", more))))


# --- joints


def test_defaults_of_the_definition(tmp_path):
    figure = read(write(tmp_path, chain('<limit effort="3" velocity="4"/>')))
    joint = joints(figure)["j"]
    assert tuple(joint.axis) == (1.0, 0.0, 0.0) and (joint.lower, joint.upper) == (0.0, 0.0)
    assert (joint.effort, joint.velocity, joint.damping, joint.friction) == (3.0, 4.0, 0.0, 0.0)
    assert joint.where == "r.urdf:3" and figure.links[1].where == "r.urdf:4"
    assert any("neither lower nor upper" in note.text and note.kind == "warning" for note in figure.notes)


def test_a_revolute_joint_without_limit_is_unlimited_with_a_warning(tmp_path):
    figure = read(write(tmp_path, chain("", "prismatic")))
    assert joints(figure)["j"].lower == -math.inf and joints(figure)["j"].kind == "slider"
    (note,) = figure.notes
    assert note.kind == "warning" and "'j'" in note.text and note.where == "r.urdf:3"


def test_a_continuous_joint_has_no_range(tmp_path):
    figure = read(write(tmp_path, chain('<limit lower="-1" upper="1" effort="3" velocity="4"/>', "continuous")))
    joint = joints(figure)["j"]
    assert (joint.lower, joint.upper, joint.effort) == (-math.inf, math.inf, 3.0)
    assert any("lower" in note.text and "upper" in note.text for note in figure.notes)


def test_limits_that_mean_none(tmp_path):
    figure = read(write(tmp_path, chain('<limit lower="-1e16" upper="1e16" effort="1e20" velocity="5"/>')))
    joint = joints(figure)["j"]
    assert (joint.lower, joint.upper, joint.effort, joint.velocity) == (-math.inf, math.inf, math.inf, 5.0)
    assert sum(note.kind == "changed" for note in figure.notes) == 3


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 2, 0), (1, 0, 0), (1, -2, 3)])
def test_planar_is_two_sliders_and_a_hinge(tmp_path, axis):
    text = f'<origin xyz="1 2 3" rpy="0.3 -0.2 0.9"/><axis xyz="{axis[0]} {axis[1]} {axis[2]}"/>'
    figure = read(write(tmp_path, chain(text, "planar")), root="fixed")
    found = joints(figure)
    assert {name: joint.kind for name, joint in found.items()} == {"j_x": "slider", "j_y": "slider", "j_yaw": "hinge"}
    frame = np.array([found[name].axis for name in ("j_x", "j_y", "j_yaw")])
    np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(frame) == pytest.approx(1.0)
    np.testing.assert_allclose(frame[2], np.array(axis) / np.linalg.norm(axis), atol=1e-15)
    assert any(note.kind == "changed" and "planar" in note.text for note in figure.notes)
    if axis == (0, 0, 1):  # the only planar joint Pinocchio has
        model = pin.buildModelFromUrdf(str(tmp_path / "r.urdf"))
        data = model.createData()
        x, y, turn = 0.4, -0.7, 1.1
        pin.framesForwardKinematics(model, data, np.array([x, y, math.cos(turn), math.sin(turn)]))
        wanted = data.oMf[model.getFrameId("b")]
        position, rotation = link_poses(figure, {"j_x": x, "j_y": y, "j_yaw": turn})["b"]
        np.testing.assert_allclose(position, wanted.translation, atol=1e-14)
        np.testing.assert_allclose(rotation, wanted.rotation, atol=1e-14)


# --- mimic

THREE = """<link name="a"/><link name="b"/><link name="c"/><link name="d"/>
<joint name="j1" type="{t1}"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>{m1}</joint>
<joint name="j2" type="{t2}"><parent link="b"/><child link="c"/><origin xyz="1 0 0" rpy="0 0 0.5"/>
<axis xyz="0 0 2"/><mimic joint="j1" multiplier="2" offset="0.5"/></joint>
<joint name="j3" type="prismatic"><parent link="c"/><child link="d"/><origin xyz="0 1 0"/><axis xyz="1 0 0"/>
<mimic joint="j2" multiplier="-3"/></joint>"""


def test_mimic_becomes_a_gear(tmp_path):
    figure = read(write(tmp_path, THREE.format(t1="continuous", t2="continuous", m1="")))
    assert [(g.follower, g.leader, g.ratio, g.offset) for g in figure.gears] == [
        ("j2", "j1", 2.0, 0.5),
        ("j3", "j2", -3.0, 0.0),
    ]
    assert [g.where for g in figure.gears] == ["r.urdf:5", "r.urdf:7"]


def test_mimic_on_a_fixed_joint_is_ignored_with_a_word(tmp_path):
    figure = read(write(tmp_path, THREE.format(t1="continuous", t2="fixed", m1="")))
    assert figure.gears == []  # j3 mimics a fixed joint: it is fixed too
    assert any("fixed joint" in note.text and "'j2'" in note.text for note in figure.notes)
    assert list(joints(figure)) == ["root", "j1"]


def test_followers_of_a_fixed_joint_rest_at_their_offset(tmp_path):
    """j1 = 0, so j2 = 0.5 rad and j3 = -1.5 m for ever; compared with the same chain left free to move."""
    frozen = read(write(tmp_path, THREE.format(t1="fixed", t2="continuous", m1="")), root="fixed")
    loose = read(write(tmp_path, THREE.format(t1="continuous", t2="continuous", m1="")), root="fixed")
    assert frozen.gears == [] and joints(frozen) == {}
    assert sum(note.kind == "changed" for note in frozen.notes) == 1
    wanted = link_poses(loose, {"j1": 0.0, "j2": 0.5, "j3": -1.5})
    for name, (position, rotation) in link_poses(frozen, {}).items():
        np.testing.assert_allclose(position, wanted[name][0], atol=1e-15)
        np.testing.assert_allclose(rotation, wanted[name][1], atol=1e-15)


# --- links


def test_inertia_of_a_turned_origin(tmp_path):
    """Roll by a quarter turn exchanges the y and z moments: R diag(1,2,3) R' = diag(1,3,2)."""
    inertial = (
        f'<inertial><origin xyz="1 2 3" rpy="{math.pi / 2} 0 0"/><mass value="4"/><inertia ixx="1" iyy="2" izz="3"/>'
    )
    (link,) = read(write(tmp_path, f'<link name="a">{inertial}</inertial></link>')).links
    np.testing.assert_allclose(link.inertia.matrix(), np.diag([1.0, 3.0, 2.0]), atol=1e-15)
    assert link.inertia.mass == 4.0 and link.inertia.com == (1.0, 2.0, 3.0)


def test_inertia_of_an_origin_turned_about_all_axes(tmp_path):
    """R I R' with R = Rz(yaw) Ry(pitch) Rx(roll): a turn whose opposite gives another matrix."""
    r, p, y = 0.4, -0.7, 1.1
    Rx = np.array([[1, 0, 0], [0, math.cos(r), -math.sin(r)], [0, math.sin(r), math.cos(r)]])
    Ry = np.array([[math.cos(p), 0, math.sin(p)], [0, 1, 0], [-math.sin(p), 0, math.cos(p)]])
    Rz = np.array([[math.cos(y), -math.sin(y), 0], [math.sin(y), math.cos(y), 0], [0, 0, 1]])
    R, own = Rz @ Ry @ Rx, np.array([[1.0, 0.1, -0.2], [0.1, 2.0, 0.3], [-0.2, 0.3, 2.5]])
    numbers = 'ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="-0.2" iyz="0.3"'
    inertial = f'<inertial><origin rpy="{r} {p} {y}"/><mass value="4"/><inertia {numbers}/></inertial>'
    (link,) = read(write(tmp_path, f'<link name="a">{inertial}</link>')).links
    np.testing.assert_allclose(link.inertia.matrix(), R @ own @ R.T, atol=1e-14)


def test_primitive_shapes_have_half_sizes(tmp_path):
    shapes = "".join(
        f'<collision name="c{n}"><origin xyz="{n} 0 0"/><geometry>{text}</geometry></collision>'
        for n, text in enumerate(
            [
                '<box size="1 2 3"/>',
                '<sphere radius="0.5"/>',
                '<cylinder radius="0.1" length="2"/>',
                '<capsule radius="0.2" length="3"/>',
            ]
        )
    )
    (link,) = read(write(tmp_path, f'<link name="a">{shapes}</link>')).links
    assert [(s.kind, s.size, s.name, s.role) for s in link.shapes] == [
        ("box", (0.5, 1.0, 1.5), "c0", "collision"),
        ("sphere", (0.5,), "c1", "collision"),
        ("cylinder", (0.1, 1.0), "c2", "collision"),
        ("capsule", (0.2, 1.5), "c3", "collision"),
    ]
    assert [s.position[0] for s in link.shapes] == [0.0, 1.0, 2.0, 3.0]


def test_colours(tmp_path):
    def visual(material: str) -> str:
        return f'<visual><geometry><sphere radius="1"/></geometry>{material}</visual>'

    inside = (
        '<material name="red"><color rgba="1 0 0 1"/></material><link name="a">'
        + visual('<material name="red"/>')
        + visual('<material name="blue"><color rgba="0 0 1 0.5"/></material>')
        + visual('<material name="blue"/>')
        + visual('<material name="nowhere"/>')
        + visual("")
        + "</link>"
    )
    figure = read(write(tmp_path, inside))
    colors = [shape.color for shape in figure.links[0].shapes]
    assert colors == [(1, 0, 0, 1), (0, 0, 1, 0.5), (0, 0, 1, 0.5), None, None]
    assert [note.kind for note in figure.notes] == ["warning"] and "'nowhere'" in figure.notes[0].text


def mesh_link(address: str) -> str:
    return f'<link name="a"><visual><geometry><mesh filename="{address}" scale="1 2 3"/></geometry></visual></link>'


def test_mesh_addresses(tmp_path, monkeypatch):
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    folder = tmp_path / "ws" / "robot_pkg" / "urdf"
    elsewhere = tmp_path / "else" / "other_pkg"
    for place in (folder, tmp_path / "ws" / "robot_pkg" / "meshes", tmp_path / "ws" / "hand_pkg", elsewhere):
        place.mkdir(parents=True)
    own = tmp_path / "ws" / "robot_pkg" / "meshes" / "a b.stl"
    hand, far = tmp_path / "ws" / "hand_pkg" / "h.stl", elsewhere / "f.stl"
    for file in (own, hand, far):
        file.write_text("solid\n")

    def found(address: str, **options) -> str | None:
        shapes = read(write(folder, mesh_link(address)), **options).links[0].shapes
        return shapes[0].mesh if shapes else None

    assert found("package://robot_pkg/meshes/a b.stl") == str(own)  # the package the file is in
    assert found("package:///robot_pkg/meshes/a b.stl") == str(own)  # a slash too many, as often seen
    assert found("package://hand_pkg/h.stl") == str(hand)  # its neighbour
    assert found("model://hand_pkg/h.stl") == str(hand)
    assert Path(found("../meshes/a b.stl") or "").resolve() == own
    assert found("file://" + str(own).replace(" ", "%20")) == str(own)
    assert found("package://other_pkg/f.stl") is None
    assert found("package://other_pkg/f.stl", package_dirs=[elsewhere.parent]) == str(far)
    assert found("package://other_pkg/f.stl", package_dirs=[str(elsewhere)]) == str(far)
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(elsewhere.parent))
    assert found("package://other_pkg/f.stl") == str(far)
    assert found("package://robot_pkg/meshes/a b.stl", meshes=False) is None
    assert found("http://example.org/a.stl") is None
    assert found("package://") is None
    assert found("x" * 5000) is None


def test_a_mesh_that_is_not_found_is_a_note(tmp_path):
    figure = read(write(tmp_path, mesh_link("package://nowhere/a.stl")))
    (note,) = figure.notes
    assert note.kind == "ignored" and "package://nowhere/a.stl" in note.text and note.where == "r.urdf:2"
    assert figure.links[0].shapes == [] and check(figure) == []
    assert read(write(tmp_path, mesh_link("package://nowhere/a.stl")), meshes=False).notes == []


def test_unknown_elements_and_attributes_are_listed(tmp_path):
    inside = """<link name="a" colour="blue"><contact/><inertial><mass value="1" unit="kg"/>
<inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="b"><collision><verbose/><geometry><sphere radius="1"/><box size="1 1 1"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1" upper="1" soft="2"/>
<safety_controller k_velocity="3"/><calibration rising="0"/><dynamics damping="1" K="2"/></joint>
<transmission name="t1"/><transmission name="t2"/><gazebo reference="b"/>"""
    notes = read(write(tmp_path, inside)).notes
    text = "\n".join(map(str, notes))
    for part in [
        "r.urdf:2: of <link> these attributes are not used: colour ('a')",
        "r.urdf:2: <contact> in <link> is not used ('a')",
        "unit ('a')",
        "r.urdf:4: <verbose> in <collision> is not used ('b')",
        "r.urdf:4: <box> beyond the first in one <geometry> is not used ('b')",
        "soft ('j')",
        "r.urdf:6: <safety_controller> in <joint> is not used ('j')",
        "r.urdf:6: <calibration> in <joint> is not used ('j')",
        "K ('j')",
        "r.urdf:7: <transmission> is not used: only those of one joint and one actuator are read (2: 't1' line 7, 't2' line 7).",
        "r.urdf:7: <gazebo> in <robot> is not used ('b')",
    ]:
        assert part in text, part
    assert {note.kind for note in notes} == {"ignored"}


def test_name_source_and_order(tmp_path):
    path = tmp_path / "walker.urdf"
    path.write_text('<robot><link name="a"/></robot>')
    figure = urdf.read(str(path))
    assert figure.name == "walker" and figure.source == str(path)
    inside = '<link name="c"/><link name="b"/><link name="a"/>' + "".join(
        f'<joint name="{p}{c}" type="fixed"><parent link="{p}"/><child link="{c}"/></joint>' for p, c in ("bc", "ab")
    )
    assert [link.name for link in read(write(tmp_path, inside)).links] == ["a", "b", "c"]
