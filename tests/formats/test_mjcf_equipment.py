"""What MJCF says beyond the tree: names and lines of what is not used, meshes without a file, masks and pairs."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
import trimesh

import bunraku as bk

TEXT = """
<mujoco>
  <asset>
    <mesh name="wedge" vertex="0 0 0  1 0 0  0 2 0  0 0 3" scale="0.1 0.1 0.1"/>
    <mesh name="moved" vertex="0 0 0  1 0 0  0 2 0  0 0 3" refpos="0.2 0 0" refquat="0.8 0.6 0 0"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" contype="2" conaffinity="5"/>
    <body name="a"><joint name="j"/><joint name="k" axis="1 0 0"/>
      <geom name="w" type="mesh" mesh="wedge" pos="0.3 0 0" euler="30 20 10"/>
      <geom name="m" type="mesh" mesh="moved" group="3" friction="0.4"/>
      <geom name="v" size="0.1" contype="0" conaffinity="0"/>
      <site name="s"/>
      <body name="b" gravcomp="0.7"><joint name="ball" type="ball"/><geom name="g" size="0.1"/></body>
    </body>
  </worldbody>
  <contact><pair geom1="w" geom2="g" friction="0.7 0.7 0.005 0.0001 0.0001"/><exclude body1="a" body2="b"/></contact>
  <tendon>
    <spatial name="string"><site site="s"/><site site="t"/></spatial>
    <fixed name="sum" limited="true" range="-1 1"><joint joint="j" coef="2"/><joint joint="k" coef="-1"/></fixed>
  </tendon>
  <actuator>
    <motor name="plain" joint="j" gear="3" ctrlrange="-1 2"/>
    <muscle name="biceps" joint="k" lengthrange="0 1"/>
    <motor name="twist" joint="ball" gear="0 0 1"/>
    <motor name="pull" tendon="string"/>
    <motor name="two" tendon="sum" gear="0.5"/>
    <intvelocity name="slow" joint="j" actrange="-1 1"/>
  </actuator>
  <sensor><jointpos name="angle" joint="j"/><e_potential name="end"/></sensor>
</mujoco>
""".replace('<site name="s"/>', '<site name="s"/><site name="t" pos="0 0 1"/>')


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "e.xml"
    file.write_text(TEXT)
    return file


def test_actuators_and_reasons(path):
    model = bk.load(path)
    d = model.description
    assert {a.name: a.joints for a in d.actuators} == {"plain": [("j", 3.0)], "two": [("j", 1.0), ("k", -0.5)]}
    assert d.actuators[0].control == (-1.0, 2.0)
    text = "\n".join(f"{n.kind} {n}" for n in model.notes)
    for part in (
        "muscle 'biceps' is not used: its activation (muscle) has a state of its own",
        "motor 'twist' is not used: it acts on a joint with more than one axis",
        "motor 'pull' is not used: it acts on a tendon that is not used",
        "intvelocity 'slow' is not used",
        "spatial 'string' is not used: only fixed tendons",
        "tendon 'sum': its range is not used",
        "sensor <e_potential> 'end' is not used: sensors of this kind are not read",
    ):
        assert part in text, part
    line = next(k for k, words in enumerate(TEXT.splitlines(), 1) if "biceps" in words)
    assert f"e.xml:{line}: muscle 'biceps'" in text


def test_masks_pairs_groups_and_friction(path):
    model = bk.load(path)
    shapes = {s.name: s for s in model.shapes}
    assert shapes["floor"].masks == (2, 5) and shapes["w"].masks == (1, 1) and shapes["v"].role == "visual"
    assert shapes["m"].role == "collision" and shapes["m"].friction == 0.4 and shapes["w"].friction is None
    (pair,) = model.description.collide_pairs
    assert (pair.a, pair.b, pair.friction) == ("w", "g", 0.7)
    assert [link.gravcomp for link in model.description.links if link.name == "b"] == [0.7]


def test_meshes_without_a_file(path):
    """Vertices written in the file, moved by refpos or not: where MuJoCo has them."""
    model = bk.load(path)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    k = bk.kinematics(model, model.neutral())
    for name in ("w", "m"):
        shape = next(s for s in model.shapes if s.name == name)
        assert shape.kind == "mesh"
        ours = trimesh.load(shape.mesh, process=True).vertices
        world = k.position[shape.body] + (shape.position + ours @ shape.rotation.T) @ k.rotation[shape.body].T
        g = theirs.geom(name).id
        m = int(theirs.geom_dataid[g])
        first, count = int(theirs.mesh_vertadr[m]), int(theirs.mesh_vertnum[m])
        peer = data.geom_xpos[g] + theirs.mesh_vert[first : first + count] @ data.geom_xmat[g].reshape(3, 3).T
        assert len(world) == count
        assert max(np.linalg.norm(peer - p, axis=1).min() for p in world) < 1e-6
