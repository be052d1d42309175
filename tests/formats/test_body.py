"""Choreonoid's body files: a small robot by hand against the same described in Python, and hostile YAML."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bunraku as bk
from bunraku.formats import load
from draws import fresh_rng

ROBOT = """
format: ChoreonoidBody
formatVersion: 1.0
name: Small
links:
  -
    name: WAIST
    translation: [ 0, 0, 0.7 ]
    jointType: free
    centerOfMass: [ 0.01, 0, 0.03 ]
    mass: 27.8
    inertia: [ 0.8, 0.01, 0,
               0.01, 0.7, 0,
               0, 0, 0.9 ]
    elements:
      Shape: &BOX
        geometry:
          type: Box
          size: [ 0.3, 0.2, 0.4 ]
        appearance:
          material:
            diffuse: [ 0.2, 0.4, 0.6 ]
  -
    name: LEG
    parent: WAIST
    translation: [ 0, 0.1, -0.2 ]
    rotation: [ 0, 0, 1, 30 ]
    jointType: revolute
    jointAxis: -Y
    jointRange: [ -90, 45 ]
    maxJointVelocity: 180
    rotorInertia: 0.0001
    gearRatio: 100
    mass: 2.5
    centerOfMass: [ 0, 0, -0.15 ]
    inertia: [ 0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.005 ]
    elements:
      -
        type: Transform
        translation: [ 0, 0, -0.15 ]
        rotation: [ 1, 0, 0, 90 ]
        elements:
          -
            type: Shape
            geometry: { type: Cylinder, radius: 0.05, height: 0.3 }
      -
        type: Collision
        elements:
          Shape:
            geometry: { type: Sphere, radius: 0.06 }
      -
        type: ForceSensor
        id: 0
  -
    name: RAIL
    parent: LEG
    translation: [ 0, 0, -0.3 ]
    jointType: prismatic
    jointAxis: [ 0, 0, 1 ]
    jointRange: unlimited
    mass: 1.0
    inertia: [ 0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01 ]
"""


def described() -> bk.Description:
    d = bk.Description("Small")
    moments = [[0.8, 0.01, 0], [0.01, 0.7, 0], [0, 0, 0.9]]
    d.add("WAIST", None, bk.free("WAIST"), at=(0, 0, 0.7), mass=27.8, com=(0.01, 0, 0.03), moments=moments)
    half = math.radians(15)
    leg = bk.hinge("LEG", (0, -1, 0), armature=1.0, lower=-math.pi / 2, upper=math.pi / 4, velocity=math.pi)
    turn = (math.cos(half), 0, 0, math.sin(half))
    d.add(
        "LEG", "WAIST", leg, at=(0, 0.1, -0.2), rotation=turn, mass=2.5, com=(0, 0, -0.15), moments=(0.02, 0.02, 0.005)
    )
    d.add("RAIL", "LEG", bk.slider("RAIL", (0, 0, 1)), at=(0, 0, -0.3), mass=1.0, moments=(0.01, 0.01, 0.01))
    return d


def test_the_same_robot(tmp_path):
    path = tmp_path / "small.body"
    path.write_text(ROBOT)
    ours, wanted = load(path), described().build()
    assert ours.name == "Small" and ours.dof_names == wanted.dof_names
    q = bk.random_configuration(wanted, fresh_rng())
    assert np.abs(bk.crba(ours, q) - bk.crba(wanted, q)).max() < 1e-12
    for key in ("lower", "upper", "velocity", "armature"):
        assert np.allclose(getattr(ours, key), getattr(wanted, key))
    for link in ("WAIST", "LEG", "RAIL"):
        assert np.allclose(bk.kinematics(ours, q).pose(link)[0], bk.kinematics(wanted, q).pose(link)[0], atol=1e-12)
    assert any("'ForceSensor' is not used (1: LEG)" in str(n) for n in ours.notes)


def test_shapes(tmp_path):
    path = tmp_path / "small.body"
    path.write_text(ROBOT)
    box, rod, ball = load(path).shapes
    assert (box.kind, box.size, box.role, box.color) == ("box", (0.15, 0.1, 0.2), "both", (0.2, 0.4, 0.6, 1.0))
    assert rod.kind == "cylinder" and np.allclose(rod.size, (0.05, 0.15)) and ball.role == "collision"
    leg = load(path).frame("LEG")
    place = leg.rotation.T @ (rod.position - leg.position)
    axis = leg.rotation.T @ rod.rotation[:, 2]
    assert np.allclose(place, (0, 0, -0.15)) and np.allclose(np.abs(axis), (0, 0, 1)), (
        "y of the shape, turned by 90 degrees"
    )


def test_radians(tmp_path):
    path = tmp_path / "small.body"
    path.write_text(ROBOT.replace("formatVersion: 1.0", "angleUnit: radian").replace("[ -90, 45 ]", "[ -1, 0.5 ]"))
    assert load(path).joint("LEG").lower == (-1.0,)


BAD = {
    "no links": ("links:", "lonks:", "has no links"),
    "unknown parent": ("parent: LEG", "parent: LOG", "unknown parent 'LOG'. Closest: 'LEG'"),
    "twice": ("name: RAIL", "name: LEG", "duplicate link name 'LEG'"),
    "words": ("mass: 2.5", "mass: heavy", "'heavy' is not a finite number"),
    "nan": ("mass: 2.5", "mass: .nan", "is not a finite number"),
    "too few": ("[ 0, 0, 0.7 ]", "[ 0, 0 ]", "translation has 2 values; 3 wanted"),
    "joint type": ("jointType: revolute", "jointType: knee", "joint type 'knee'"),
    "broken": ("links:", "links: [", "broken YAML"),
    "a tag": ("mass: 2.5", "mass: !!python/object/apply:os.getcwd []", "1 wanted"),
    "loop": ("name: WAIST\n", "name: WAIST\n    parent: RAIL\n", "free joint|loop"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files(case, tmp_path):
    old, new, words = BAD[case]
    path = tmp_path / "bad.body"
    assert old in ROBOT
    path.write_text(ROBOT.replace(old, new, 1))
    with pytest.raises(bk.BunrakuError, match=words) as caught:
        load(path)
    assert "\n" not in str(caught.value) and "bad.body" in str(caught.value)


def test_hostile_yaml(tmp_path):
    path = tmp_path / "bad.body"
    laughs = "\n".join(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" if k else "a0: &a0 [1]" for k in range(12))
    for text, words in (
        (f"format: ChoreonoidBody\n{laughs}\n", "unfolds into more"),
        ("format: ChoreonoidBody\nlinks: " + "[" * 5000, "nested deeper|broken YAML"),
        ("format: ChoreonoidBody\nlinks: &a [*a]\n", "nested deeper|broken YAML|unfolds"),
    ):
        path.write_text(text)
        with pytest.raises(bk.FormatError, match=words):
            load(path)
