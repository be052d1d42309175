"""URDF: eight real humanoids against Pinocchio, which parses the same files with its own reader."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from bunraku.errors import ModelError
from bunraku.formats.urdf import read
from bunraku.model.check import check
from bunraku.model.description import Description, Inertia
from bunraku.model.rotations import rotation_matrix
from description_pose import joints, link_poses
from robots import GOOD, ROBOTS, robot

# number of joints that move (Pinocchio's nv without the base), gears in the file
MOVING = {"simple_humanoid": 29, "talos_reduced": 32, "talos_full": 44, "romeo_small": 31}
MOVING |= {"romeo": 55, "icub": 32, "g1": 29, "human": 36}
GEARS = {"talos_full": 12, "romeo": 22}


@cache
def peer(name: str) -> pin.Model:
    return pin.buildModelFromUrdf(str(robot(name)), pin.JointModelFreeFlyer())


@cache
def ours(name: str) -> Description:
    return read(robot(name))


@pytest.mark.parametrize("name", ROBOTS)
def test_joint_names_limits_and_constants(name):
    model, found = peer(name), joints(ours(name))
    moving = {joint.name: joint for joint in found.values() if joint.kind != "free"}
    theirs = {n for n, j in list(zip(model.names, model.joints))[1:] if j.nv == 1}
    assert set(moving) == theirs
    assert len(moving) == MOVING[name]
    assert [j.kind for j in found.values()].count("free") == 1
    for joint in moving.values():
        other = model.joints[model.getJointId(joint.name)]
        assert joint.kind == ("slider" if other.shortname().startswith("JointModelP") else "hinge")
        assert joint.damping == model.damping[other.idx_v]
        assert joint.friction == model.upperDryFrictionLimit[other.idx_v]
        assert joint.velocity == model.upperVelocityLimit[other.idx_v]
        assert joint.effort == model.upperEffortLimit[other.idx_v]
        if other.nq == 1:  # Pinocchio keeps a continuous joint as cosine and sine
            assert joint.lower == model.lowerPositionLimit[other.idx_q]
            assert joint.upper == model.upperPositionLimit[other.idx_q]
        else:
            assert (joint.lower, joint.upper) == (-math.inf, math.inf)


def spatial_inertia(inertia: Inertia) -> np.ndarray:
    """6x6 at the link's origin, linear part first: [[m 1, -m [c]], [m [c], I - m [c][c]]]."""
    m, c = inertia.mass, pin.skew(np.asarray(inertia.com, dtype=float))
    return np.block([[m * np.eye(3), -m * c], [m * c, inertia.matrix() - m * c @ c]])


@pytest.mark.parametrize("name", ROBOTS)
def test_inertias(name):
    """Pinocchio keeps one inertia a joint: the sum of the links that move with it, each seen from the joint's frame."""
    model, links = peer(name), {link.name: link for link in ours(name).links}
    sums = np.zeros((model.njoints, 6, 6))
    for frame in model.frames:
        if frame.type == pin.FrameType.BODY:
            to_link = frame.placement.inverse().toActionMatrix()
            sums[frame.parentJoint] += to_link.T @ spatial_inertia(links.pop(frame.name).inertia) @ to_link
    assert not links
    for k in range(1, model.njoints):
        wanted = model.inertias[k].matrix()
        np.testing.assert_allclose(sums[k], wanted, rtol=0, atol=1e-12 * max(np.abs(wanted).max(), 1e-6))


@pytest.mark.parametrize("name", ROBOTS)
def test_link_poses_at_random_joint_values(name):
    model, figure = peer(name), ours(name)
    data = model.createData()
    rng = np.random.default_rng(7)
    for _ in range(3):
        q, values = pin.neutral(model), {}
        for joint in joints(figure).values():
            other = model.joints[model.getJointId(joint.name)] if joint.kind != "free" else model.joints[1]
            if joint.kind == "free":
                quat = rng.normal(size=4)
                quat /= np.linalg.norm(quat)
                place = rng.normal(size=3)
                q[other.idx_q : other.idx_q + 7] = [*place, *quat[1:], quat[0]]
                values[joint.name] = [*place, *quat]
            else:
                x = values[joint.name] = rng.uniform(-2, 2)
                q[other.idx_q : other.idx_q + other.nq] = x if other.nq == 1 else (math.cos(x), math.sin(x))
        pin.framesForwardKinematics(model, data, q)
        poses = link_poses(figure, values)
        for k, frame in enumerate(model.frames):
            if frame.type == pin.FrameType.BODY and frame.name in poses:
                position, rotation = poses[frame.name]
                np.testing.assert_allclose(position, data.oMf[k].translation, atol=1e-12)
                np.testing.assert_allclose(rotation, data.oMf[k].rotation, atol=1e-12)
        assert set(poses) == {f.name for f in model.frames if f.type == pin.FrameType.BODY}


@pytest.mark.parametrize("name", ROBOTS)
def test_gears_are_the_mimic_elements_of_moving_joints(name):
    """Counted and compared with the text of the file, which no other parser is needed for."""
    wanted = {}
    for joint in ET.parse(robot(name)).getroot().iter("joint"):
        mimic = joint.find("mimic")
        if mimic is not None and joint.get("type") != "fixed":
            ratio, offset = float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0))
            wanted[joint.get("name")] = (mimic.get("joint"), ratio, offset)
    found = {gear.follower: (gear.leader, gear.ratio, gear.offset) for gear in ours(name).gears}
    assert found == wanted
    assert len(found) == GEARS.get(name, 0)


@pytest.mark.parametrize("name", ROBOTS)
def test_shapes_are_those_of_pinocchio(name):
    """Kinds, sizes and poses of the collision shapes; meshes are found by the search upwards from the file."""
    path, model = robot(name), peer(name)
    share = path.parents[len(Path(ROBOTS[name]).parts) + 1]
    geometry = pin.buildGeomFromUrdf(model, str(path), pin.GeometryType.COLLISION, package_dirs=[str(share)])
    wanted: dict[str, list] = {}
    for item in geometry.geometryObjects:
        wanted.setdefault(item.name.rsplit("_", 1)[0], []).append(item)
    mine = {link.name: [s for s in link.shapes if s.role == "collision"] for link in ours(name).links}
    mine = {link: shapes for link, shapes in mine.items() if shapes}
    assert sum(map(len, mine.values())) == geometry.ngeoms
    assert geometry.ngeoms > 0 or name == "human"  # which has visual shapes only
    bodies = {f.name: f for f in model.frames if f.type == pin.FrameType.BODY}
    for link, shapes in mine.items():
        for shape, item in zip(shapes, wanted[link]):
            if shape.kind == "mesh":
                assert shape.mesh is not None and Path(shape.mesh).is_file()
                assert Path(shape.mesh).resolve() == Path(item.meshPath).resolve()
                np.testing.assert_allclose(shape.scale, item.meshScale)
            pose = bodies[link].placement.inverse() * item.placement  # both are in the joint's frame
            np.testing.assert_allclose(shape.position, pose.translation, atol=1e-12)
            np.testing.assert_allclose(rotation_matrix(shape.rotation), pose.rotation, atol=1e-12)


@pytest.mark.parametrize("name", GOOD)
def test_real_robots_pass_the_checks(name):
    assert check(ours(name)) == [n for n in check(ours(name)) if n.kind == "warning"]


def test_the_two_links_of_romeo_small_that_are_no_real_bodies_are_named():
    notes = check(ours("romeo_small"))
    assert len(notes) == 2 and all(note.where.startswith("romeo_small.urdf:") for note in notes)
    with pytest.raises(ModelError, match="strict"):
        check(ours("romeo_small"), strict=True)


def test_what_is_not_used_is_listed_by_name_and_line():
    """Transmissions of one joint and one motor are actuators; those of two are listed."""
    text = robot("talos_full").read_text(encoding="utf-8")
    notes = [note for note in ours("talos_full").notes if "<transmission>" in note.text]
    assert len(notes) == 1
    parts = [
        (text[: m.start()].count("\n") + 1, m[0]) for m in re.finditer(r"<transmission.*?</transmission>", text, re.S)
    ]
    double = [line for line, part in parts if part.count("<joint") > 1]
    for line in double:
        assert f"line {line}," in notes[0].text or f"line {line})" in notes[0].text
    assert f"({len(double)}:" in notes[0].text and "'talos_torso_trans'" in notes[0].text
    assert notes[0].where == f"talos_full_v2.urdf:{double[0]}"
    assert len(ours("talos_full").actuators) == len(parts) - len(double)
