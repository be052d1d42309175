"""What becomes of models and fixed shapes: arrays, pairs that may touch, notes, and sentences for bad input."""

import importlib.util
import math

import numpy as np
import pytest

import bunraku as bk
from bunraku.collision import Contacts, Fixed, Geometry, Placed
from bunraku.collision import shape_layout as at
from bunraku.collision.filters import neighbours
from bunraku.errors import InputError, ModelError
from bunraku.model import Description, Shape, free, hinge, universal
from collision_scenes import mesh_shape, thing


def arm(base_free: bool, joint=None) -> bk.Model:
    """base - upper - lower, overlapping boxes, with a visual shape that must not count."""
    figure = Description(name="arm")
    cube = Shape("box", (0.1, 0.1, 0.1))
    figure.add("base", None, free("root") if base_free else None, mass=1, moments=(1, 1, 1), shapes=[cube])
    shapes = [cube, Shape("sphere", (1.0,), role="visual")]
    figure.add("upper", "base", joint or hinge("shoulder"), at=(0.1, 0, 0), mass=1, moments=(1, 1, 1), shapes=shapes)
    figure.add("lower", "upper", hinge("elbow"), at=(0.1, 0, 0), mass=1, moments=(1, 1, 1), shapes=[cube])
    return figure.build()


def pairs_by_name(geometry: Geometry) -> set[tuple[str, str]]:
    return {(geometry.names[a], geometry.names[b]) for a, b in geometry.pairs.tolist()}


def test_arrays_say_what_the_shapes_are():
    g = Geometry.of([Placed(bk.box((0.2, 0.4, 0.6)), 0), Placed(bk.capsule(0.1, 0.6), 1, material=3)], [Fixed(Shape("plane"), 7)])  # fmt: skip
    assert g.kinds.column("kind").tolist() == [at.BOX, at.CAPSULE, at.PLANE]
    assert g.body.tolist() == [1, 2, 0] and g.kinds.column("material").tolist() == [0, 3, 7]
    assert np.allclose(g.forms[0].size, [0.1, 0.2, 0.3]) and np.allclose(g.forms[1].size, [0.1, 0.3, 0.0])
    radius = g.forms.column("radius")
    assert np.allclose(radius[:2], [math.sqrt(0.14), 0.4]) and radius[2] == math.inf
    assert g.pairs.tolist() == [[0, 1], [0, 2], [1, 2]] and g.bodies == 3 and not g.sweeps


def test_neighbours_and_self_collision():
    free_arm = arm(True)
    assert pairs_by_name(Geometry.of([Placed(free_arm)])) == {("arm.base", "arm.lower")}
    assert not len(Geometry.of([Placed(free_arm, 0, self_collision=False)]).pairs)
    both = Geometry.of([Placed(free_arm, 0, False), Placed(free_arm, free_arm.nb - 1, False)])
    assert len(both.pairs) == 9  # each of three with each of the other three


def test_a_universal_joint_has_one_neighbour():
    model = arm(True, universal("shoulder"))
    assert model.nb == 5
    by_name = {tuple(model.body_names[b] for b in pair) for pair in neighbours(model)}
    assert by_name == {("base", "upper"), ("upper", "lower")}


def test_a_fixed_base_is_a_neighbour_of_what_it_carries():
    g = Geometry.of([Placed(arm(False))], [Fixed(Shape("plane")), Fixed(Shape("box", (1, 1, 1), name="step"))])
    assert pairs_by_name(g) == {
        *(("arm.lower", other) for other in ("arm.base", "plane", "step")),
        *(("arm.upper", other) for other in ("plane", "step")),
    }


def test_excluded_pairs():
    human = bk.human()
    g = Geometry.of([Placed(human)], [Fixed(Shape("plane"))])
    names = pairs_by_name(g)
    assert ("human.left_sole", "plane") in names and ("human.left_sole", "human.right_sole") in names
    assert not {n for n in names if set(n) == {"human.pelvis", "human.trunk"}}
    left, right = human.body("left_foot"), human.body("right_foot")
    h = Geometry.of([Placed(human)], [Fixed(Shape("plane"))], exclude=[(left, right)])
    assert names - pairs_by_name(h) == {("human.left_sole", "human.right_sole")}


def test_materials_by_name():
    g = Geometry.of([Placed(arm(True), material={"upper": 4})])
    assert g.kinds.column("material").tolist() == [0, 4, 0]


def test_without_the_extra_meshes_are_left_out_with_a_note(monkeypatch, tmp_path):
    """Cylinders need no extra; a mesh needs the reader of its file."""
    real = importlib.util.find_spec
    absent = ("coal", "trimesh")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name in absent else real(name, *a))
    mesh = thing(mesh_shape(np.eye(4, 3), tmp_path / "corner.obj"))
    g = Geometry.of([Placed(bk.cylinder(0.1, 0.2)), Placed(mesh, 1)], [Fixed(Shape("plane"))])
    assert g.ns == 2 and len(g.pairs) == 1
    (note,) = g.notes
    assert note.kind == "ignored" and 'pip install "bunraku[mesh]"' in note.text and "trimesh" in note.text


def test_only_convex_shapes_need_the_convex_phase():
    """A scene of planes, spheres, capsules and boxes compiles nothing of it, and has no room for it."""
    things = [bk.box((0.2, 0.2, 0.2)), bk.sphere(0.1), bk.capsule(0.1, 0.2)]
    plain = Geometry.of([Placed(m, k) for k, m in enumerate(things)], [Fixed(Shape("plane"))])
    assert plain.phases == {}
    with pytest.raises(AttributeError, match="no array yet"):
        _ = Contacts(plain)._ready().convex.points
    for kind, size in (("cylinder", (0.1, 0.2)), ("cone", (0.1, 0.2)), ("ellipsoid", (0.1, 0.2, 0.3))):
        assert list(Geometry.of([Placed(thing(Shape(kind, size)))]).phases) == [at.CONVEX_PHASE]


def test_nothing_at_all():
    contacts = Contacts(Geometry.of())
    assert contacts.detect(np.zeros((1, 12)), 0.1) == 0


BOX = bk.box((1, 1, 1))
BAD = {
    "bodies twice": (lambda: Geometry.of([Placed(BOX), Placed(BOX)]), InputError, "offset 1"),
    "negative offset": (lambda: Geometry.of([Placed(BOX, -1)]), InputError, "offset -1"),
    "not a model": (lambda: Geometry.of([BOX]), InputError, "Placed"),  # type: ignore[list-item]
    "size": (lambda: Geometry.of(fixed=[Fixed(Shape("box", (1, 1)))]), ModelError, "3 positive"),
    "negative size": (lambda: Geometry.of(fixed=[Fixed(Shape("sphere", (-1.0,)))]), ModelError, "1 positive"),
    "kind": (lambda: Geometry.of(fixed=[Fixed(Shape("torus", (1.0,)))]), ModelError, "Available: plane"),
    "position": (lambda: Geometry.of(fixed=[Fixed(Shape("plane", position=(0, 0, np.nan)))]), ModelError, "finite"),
    "rotation": (lambda: Geometry.of(fixed=[Fixed(Shape("plane", rotation=np.zeros((3, 3))))]), ModelError, "rotation"),
    "poses": (lambda: Contacts(Geometry.of([Placed(BOX)])).detect(np.zeros(12)), InputError, "2 bodies need 24"),
    "stride": (lambda: Contacts(Geometry.of([Placed(BOX)])).detect(np.zeros(99), 0.1, 9), InputError, "stride"),
    "margin": (lambda: Contacts(Geometry.of([Placed(BOX)])).detect(np.zeros(24), np.nan), InputError, "margin"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    call, error, text = BAD[name]
    with pytest.raises(error, match=text):
        call()


def test_a_broken_mesh_is_a_note(tmp_path):
    bad = tmp_path / "bad.stl"
    bad.write_bytes(b"nothing of use")
    flat = tmp_path / "flat.obj"
    flat.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n")
    for path, text in ((bad, "mesh|points"), (flat, "plane"), (tmp_path / "absent.stl", "not there")):
        g = Geometry.of([Placed(thing(Shape("mesh", mesh=str(path))))])
        assert g.ns == 0 and g.notes[0].kind == "ignored"
        assert any(word in g.notes[0].text for word in text.split("|"))
