"""SDF: random trees written by the test against the same described in Python; loops; files of a real robot; bad files."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import bunraku as bk
from bunraku.formats import load
from bunraku.formats.urdf_write import rpy_of
from bunraku.model.rotations import rotation_matrix
from draws import fresh_rng
from figures import body
from robots import robot


def pose_text(p, R) -> str:
    return f"<pose>{' '.join(repr(float(x)) for x in (*p, *rpy_of(R)))}</pose>"


def random_tree(rng: np.random.Generator, n: int = 7) -> tuple[bk.Description, str]:
    """A description and the same as SDF 1.7: links in the model's frame, joints in their child's."""
    d = bk.Description("tree")
    text, world = [], {}
    for k in range(n):
        parent = None if k == 0 else f"l{rng.integers(max(0, k - 3), k)}"
        turn = rng.normal(size=4)
        R, p = rotation_matrix(turn / np.linalg.norm(turn)), rng.normal(size=3)
        kind = "free" if k == 0 else str(rng.choice(["hinge", "slider", "ball", "fixed", "universal"]))
        anchor = np.zeros(3) if kind in ("free", "fixed") else rng.normal(size=3)
        axis, inertia = rng.normal(size=3), body(rng)
        axis2 = np.cross(axis, rng.normal(size=3))
        joint = bk.Joint(
            "root" if k == 0 else f"j{k}", kind, axis, axis2 if kind == "universal" else None, anchor=anchor
        )
        if kind in ("hinge", "slider"):
            joint.lower, joint.upper, joint.damping, joint.effort = -1.5, 2.5, rng.random(), 7.0
        d.add(f"l{k}", parent, joint if kind != "fixed" else None, at=p, rotation=R, **inertia)
        q, Q = world[parent] if parent else (np.zeros(3), np.eye(3))
        world[f"l{k}"] = q + Q @ p, Q @ R
        m = np.asarray(inertia["moments"])
        six = {"ixx": m[0, 0], "iyy": m[1, 1], "izz": m[2, 2], "ixy": m[0, 1], "ixz": m[0, 2], "iyz": m[1, 2]}
        numbers = "".join(f"<{a}>{float(x)!r}</{a}>" for a, x in six.items())
        text.append(
            f'<link name="l{k}">{pose_text(*world[f"l{k}"])}<inertial>{pose_text(inertia["com"], np.eye(3))}'
            f"<mass>{float(inertia['mass'])!r}</mass><inertia>{numbers}</inertia></inertial></link>"
        )
        if k:
            name = {"hinge": "revolute", "slider": "prismatic"}.get(kind, kind)
            frame = rotation_matrix(np.array([0.8, 0.0, 0.6, 0.0]))  # the joint's axes are turned against the link's
            limits = "<limit><lower>-1.5</lower><upper>2.5</upper><effort>7</effort></limit>"
            limits += f"<dynamics><damping>{float(joint.damping)!r}</damping></dynamics>"
            one = "".join(
                f"<{tag}><xyz>{' '.join(repr(float(x)) for x in frame.T @ a)}</xyz>{limits if kind in ('hinge', 'slider') else ''}</{tag}>"
                for tag, a in (("axis", axis), *((("axis2", axis2),) if kind == "universal" else ()))
            )
            text.append(
                f'<joint name="j{k}" type="{name}">{pose_text(anchor, frame)}<parent>{parent}</parent><child>l{k}</child>{one}</joint>'
            )
    return d, f'<sdf version="1.7"><model name="tree">{"".join(text)}</model></sdf>'


@pytest.mark.parametrize("k", range(5))
def test_random_trees(k, tmp_path):
    rng = fresh_rng()
    d, text = random_tree(rng)
    path = tmp_path / "t.sdf"
    path.write_text(text)
    wanted, ours = d.build(), load(path)
    assert ours.dof_names == wanted.dof_names
    q = bk.random_configuration(wanted, rng)
    assert np.abs(bk.crba(ours, q) - bk.crba(wanted, q)).max() < 1e-9 * np.abs(bk.crba(wanted, q)).max()
    for link in wanted.links:
        mine, theirs = (bk.kinematics(m, q).pose(link.name) for m in (ours, wanted))
        assert np.abs(mine[0] - theirs[0]).max() < 1e-9 and np.abs(mine[1] - theirs[1]).max() < 1e-9
    for key in ("lower", "upper", "damping", "effort"):
        assert np.allclose(getattr(ours, key), getattr(wanted, key))


LINK = "<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>"
FOUR_BAR = f"""
<sdf version="1.9"><model name="four_bar">
  <link name="left"><pose>0 0 0 0 0 0</pose>{LINK}<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry>
    <surface><friction><ode><mu>0.3</mu></ode></friction></surface></collision></link>
  <link name="bar"><pose>0 0 1 0 0 0</pose>{LINK}</link>
  <link name="right"><pose>2 0 0 0 0 0</pose>{LINK}</link>
  <frame name="tip" attached_to="bar"><pose relative_to="bar">1 0 0 0 0 0</pose></frame>
  <joint name="a" type="revolute"><parent>world</parent><child>left</child><axis><xyz>0 1 0</xyz><limit/></axis></joint>
  <joint name="b" type="revolute"><parent>left</parent><child>bar</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="c" type="revolute"><parent>world</parent><child>right</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="d" type="revolute"><pose relative_to="right">0 0 1 0 0 0</pose><parent>right</parent><child>bar</child>
    <axis><xyz expressed_in="right">0 1 0</xyz></axis></joint>
</model></sdf>
"""


def test_a_loop_is_held_in_a_world(tmp_path):
    """A parallelogram: the bar stays level while it falls, its ends on two cranks of equal length."""
    path = tmp_path / "four.sdf"
    path.write_text(FOUR_BAR)
    model = load(path)
    assert model.nv == 3 and [c.name for c in model.description.closures] == ["d"]
    assert model.shapes[0].friction == 0.3 and np.allclose(
        bk.kinematics(model, model.neutral()).pose("tip")[0], (1, 0, 1)
    )
    world = bk.World(dt=0.001)
    figure = world.add(model, self_collision=False)
    figure.v[model.joint("a").iv] = 0.5
    figure.v[model.joint("c").iv] = 0.5
    figure.v[model.joint("b").iv] = -0.5
    world.run(0.3)
    angle = {n: figure.q[model.joint(n).iq] for n in "abc"}
    assert angle["a"] > 0.1 and abs(angle["a"] - angle["c"]) < 1e-4 and abs(angle["a"] + angle["b"]) < 1e-4


def test_files_of_a_real_robot():
    base = robot("talos_full").parents[2] / "cassie_description" / "robots"
    for name in (
        "cassie.sdf",
        "cassie_v2.sdf",
        "cassie_reduced.sdf",
        "cassie_simple.sdf",
        "cassie_wo_gearbox_spring.sdf",
    ):
        model = load(base / name)
        masses = [float(e.text) for e in ET.parse(base / name).iter("mass")]
        assert model.mass == pytest.approx(sum(masses), rel=1e-12) and len(model.description.closures) >= 2, name
        assert any("closes a loop" in str(n) for n in model.notes)


BAD = {
    "no model": ('<sdf version="1.7"/>', "no models"),
    "two models": ('<sdf version="1.7"><model name="a"/><model name="b"/></sdf>', "2 models"),
    "no links": ('<sdf version="1.7"><model name="a"/></sdf>', "no links"),
    "unknown child": (
        FOUR_BAR.replace("<child>bar</child>", "<child>bat</child>", 1),
        "no child link 'bat'. Closest: 'bar'",
    ),
    "words": (FOUR_BAR.replace("<mass>1</mass>", "<mass>one</mass>", 1), "'one' is not a number"),
    "inf": (FOUR_BAR.replace("2 0 0 0 0 0", "inf 0 0 0 0 0"), "finite"),
    "circular": (
        FOUR_BAR.replace("<pose>0 0 0 0 0 0</pose>", '<pose relative_to="bar">0 0 0 0 0 0</pose>').replace(
            "<pose>0 0 1 0 0 0</pose>", '<pose relative_to="left">0 0 1 0 0 0</pose>'
        ),
        "given in each other",
    ),
    "type": (FOUR_BAR.replace('type="revolute"', 'type="knee"', 1), "type 'knee'"),
    "itself": (FOUR_BAR.replace("<parent>left</parent>", "<parent>bar</parent>", 1), "to itself"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files(case, tmp_path):
    text, words = BAD[case]
    path = tmp_path / "bad.sdf"
    path.write_text(text)
    with pytest.raises(bk.BunrakuError, match=words) as caught:
        load(path)
    assert "\n" not in str(caught.value) and "bad.sdf" in str(caught.value)
