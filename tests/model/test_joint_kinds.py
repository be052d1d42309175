"""The table of joints agrees with itself and with what is built from it, and no other file knows one-axis kinds."""

import re
from pathlib import Path

import numpy as np
import pytest

import bunraku as bk
from bunraku.model import layout as at
from bunraku.model.joint_kinds import BY_NUMBER, KINDS, TABLE

SOURCE = Path(bk.__file__).parent
MOVING = [kind for kind in TABLE if kind.dof]


def one(kind):
    """A figure with one joint of a kind."""
    d = bk.Description("one")
    joint = bk.Joint("j", kind.name, (0, 0, 1), (1, 0, 0), **({kind.needs: 0.01} if kind.needs else {}))
    d.add("link", None, joint, mass=1.0, moments=(1, 1, 1))
    return d.build()


def test_names_and_numbers_are_unique():
    assert len(KINDS) == len(TABLE)
    assert len(BY_NUMBER) == sum(kind.number > 0 for kind in TABLE)
    for names in ([n for kind in TABLE for n in kind.urdf], [kind.mjcf for kind in TABLE if kind.mjcf]):
        assert len(set(names)) == len(names)


def test_every_kind_has_a_public_constructor():
    for kind in MOVING:
        make = getattr(bk, kind.name)
        assert make("j", **({kind.needs: 0.01} if kind.needs else {})).kind == kind.name


@pytest.mark.parametrize("kind", MOVING, ids=lambda kind: kind.name)
def test_a_figure_has_what_the_table_says(kind):
    m = one(kind)
    j = m.joints[0]
    assert (j.nv, j.nq, m.nv, m.nq) == (kind.dof, kind.coordinates, kind.dof, kind.coordinates)
    assert len(m.dof_names) == kind.dof == len(kind.dof_names)
    assert j.traits is kind and j.ranged == (kind.limits == "range") and len(j.lower) == kind.dof * j.ranged
    assert np.sum(m.ints[1:, at.DOF]) == kind.dof
    assert all(part in KINDS and KINDS[part].one_axis for part in kind.parts)


@pytest.mark.parametrize("kind", [k for k in TABLE if k.one_axis], ids=lambda kind: kind.name)
def test_one_unit_of_q_turns_and_slides_as_the_table_says(kind):
    m = one(kind)
    slide = kind.slide(m.description.links[0].joints[0])
    p, R = bk.kinematics(m, np.array([1.0])).pose("link")
    c, s = (np.cos(1.0), np.sin(1.0)) if kind.turns else (1.0, 0.0)
    assert np.allclose(p, [0, 0, slide], atol=1e-15)
    assert np.allclose(R, [[c, -s, 0], [s, c, 0], [0, 0, 1]], atol=1e-15)
    assert kind.pivots == (slide == 0.0)
    assert m.joints[0].slide == slide


def test_no_other_file_knows_the_numbers_of_joints_with_one_axis():
    names = [kind.name.upper() for kind in TABLE if kind.one_axis]
    assert names
    word = re.compile(rf"\b({'|'.join(names)})\b")
    knows = {p.name for p in SOURCE.rglob("*.py") if "gait1988" not in p.parts and word.search(p.read_text("utf-8"))}
    assert knows == {"joint_kinds.py", "one_axis.py"}
