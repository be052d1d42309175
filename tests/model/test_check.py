"""A good description passes; each way to spoil it is refused with a sentence that names the spoiled thing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bunraku.errors import ModelError
from bunraku.model.check import check
from bunraku.model.description import (
    Description,
    Frame,
    Gear,
    Inertia,
    Joint,
    Link,
    Shape,
    ball,
    free,
    hinge,
    slider,
    universal,
)

NAN, INF = math.nan, math.inf


def figure() -> Description:
    """Every kind of joint, shape and rotation, a gear chain, a frame: all of it right."""
    d = Description("good")
    d.add("trunk", None, free(), mass=10.0, moments=(0.2, 0.2, 0.1), shapes=[Shape("box", (0.1, 0.2, 0.3))])
    d.add("arm", "trunk", ball("shoulder", swing=2.0, twist=(-1.0, 1.0)), at=(0, 0.2, 0), mass=1.0, moments=np.eye(3))
    d.add("hand", "arm", universal("wrist", lower=(-1.0, -2.0), upper=(1.0, 2.0)), rotation=(1, 0, 0, 0), mass=0.3)
    d.add("finger", "hand", hinge("f1", (0, 2, 0), lower=-1, upper=1), mass=0.1, moments=(1e-4, 1e-4, 0, 0, 0, 0))
    d.add("tip", "finger", hinge("f2", (0, 1, 0)), mass=0.1, shapes=[Shape("capsule", (0.01, 0.0))])
    d.add("nail", "tip", slider("f3"), rotation=np.eye(3), shapes=[Shape("mesh", mesh="nail.stl"), Shape("plane")])
    d.add("ring", "nail")
    d.gear("f2", "f1", 0.5)
    d.gear("f3", "f2", -2.0, 0.1)
    d.frame("grip", "hand", at=(0, 0, 0.1))
    d.collide_exclude.append(("arm", "trunk"))
    return d


def test_a_good_description_passes_without_a_word():
    assert check(figure()) == []
    assert check(figure(), strict=True) == []


def spoil(link: str, **values):
    def change(d: Description) -> None:
        target = next(x for x in d.links if x.name == link)
        for key, value in values.items():
            setattr(target, key, value)

    return change


def spoil_joint(joint: str, **values):
    def change(d: Description) -> None:
        target = next(j for x in d.links for j in x.joints if j.name == joint)
        for key, value in values.items():
            setattr(target, key, value)

    return change


def shape(*args, **options):
    return spoil("hand", shapes=[Shape(*args, **options)])


def inertia(*args):
    return spoil("hand", inertia=Inertia(*args))


def gear(*args, **options):
    return lambda d: d.gears.append(Gear(*args, **options))


SKEW = [[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
BAD = {
    "no links": (lambda d: d.links.clear(), "no links"),
    "empty link name": (spoil("ring", name=""), "no name"),
    "blank link name": (spoil("ring", name="  "), "no name"),
    "duplicate link": (spoil("ring", name="tip"), "duplicate link name 'tip'"),
    "empty joint name": (spoil_joint("f3", name=""), "no name"),
    "duplicate joint": (spoil_joint("f3", name="f1"), "duplicate joint name 'f1'"),
    "duplicate frame": (lambda d: d.frame("grip", "arm"), "duplicate frame name 'grip'"),
    "frame called like a link": (lambda d: d.frame("arm", "hand"), "duplicate frame name 'arm'"),
    "frame on nothing": (lambda d: d.frame("x", "hnd"), "unknown link 'hnd'. Closest: 'hand'"),
    "frame at nan": (lambda d: d.frames.append(Frame("x", "hand", (0, NAN, 0))), "frame 'x'.*nan"),
    "excluded unknown": (lambda d: d.collide_exclude.append(("arm", "leg")), "unknown link 'leg'"),
    "unknown parent": (spoil("tip", parent="fingr"), "unknown parent 'fingr'. Closest: 'finger'"),
    "own parent": (spoil("tip", parent="tip"), "loop"),
    "loop": (spoil("arm", parent="ring"), "'arm' -> .*form a loop"),
    "unknown kind": (spoil_joint("f1", kind="hing"), "unknown kind 'hing'"),
    "zero axis": (spoil_joint("f1", axis=(0, 0, 0)), r"axis \(0, 0, 0\) has no direction"),
    "nan axis": (spoil_joint("f1", axis=(0, NAN, 0)), "axis contains nan"),
    "short axis": (spoil_joint("f1", axis=(0, 1)), "axis needs 3 numbers, got 2"),
    "no second axis": (spoil_joint("wrist", axis2=None), "second axis"),
    "zero second axis": (spoil_joint("wrist", axis2=(0, 0, 0)), "axis2.*no direction"),
    "parallel axes": (spoil_joint("wrist", axis2=(-3, 0, 0)), "parallel"),
    "anchor": (spoil_joint("f1", anchor=(0, 0, INF)), "anchor contains inf"),
    "free below": (spoil("hand", joints=[free("loose")]), "hangs on the world only"),
    "free and more": (spoil("trunk", joints=[free(), hinge("h")]), "shares link 'trunk'"),
    "negative mass": (inertia(-1.0), "negative mass -1"),
    "nan mass": (inertia(NAN), "mass contains nan"),
    "infinite mass": (inertia(INF), "mass contains inf"),
    "mass in words": (inertia("heavy"), "not made of numbers"),
    "nan centre": (inertia(1.0, (0, 0, NAN)), "centre of mass contains nan"),
    "short centre": (inertia(1.0, (0, 0)), "needs 3 numbers"),
    "skew inertia": (inertia(1.0, (0, 0, 0), SKEW), "not symmetric"),
    "negative inertia": (inertia(1.0, (0, 0, 0), (1.0, 1.0, -1e-9)), "not positive semi-definite"),
    "products too large": (inertia(1.0, (0, 0, 0), (1, 1, 1, 2, 0, 0)), "not positive semi-definite"),
    "nan inertia": (inertia(1.0, (0, 0, 0), (1, NAN, 1)), "inertia contains nan"),
    "inertia of 4": (inertia(1.0, (0, 0, 0), (1, 1, 1, 1)), "inertia.*3 principal moments"),
    "lower above upper": (spoil_joint("f1", lower=1.0, upper=-1.0), "lower limit 1.0 is above"),
    "one of two limits": (spoil_joint("wrist", lower=(0.0, 3.0)), "is above the upper limit"),
    "three limits of two": (spoil_joint("wrist", lower=(0.0, 0.0, 0.0)), "needs 2 numbers, got 3"),
    "nan limit": (spoil_joint("f1", lower=NAN), "lower limit contains nan"),
    "no room": (spoil_joint("f1", lower=INF, upper=INF), "no room"),
    "limits of a ball": (spoil_joint("shoulder", lower=-1.0), "swing and twist"),
    "swing of a hinge": (spoil_joint("f1", swing=1.0), "limits of a ball"),
    "zero swing": (spoil_joint("shoulder", swing=0.0), "swing limit 0 is not positive"),
    "nan swing": (spoil_joint("shoulder", swing=NAN), "swing limit contains nan"),
    "twist": (spoil_joint("shoulder", twist=(1.0, -1.0)), "lower twist limit"),
    "damping": (spoil_joint("f1", damping=-1.0), "negative damping"),
    "friction": (spoil_joint("f1", friction=-1.0), "negative friction"),
    "stiffness": (spoil_joint("wrist", stiffness=(1.0, -1.0)), "negative stiffness"),
    "armature": (spoil_joint("f1", armature=-1e-6), "negative armature"),
    "nan damping": (spoil_joint("f1", damping=NAN), "damping contains nan"),
    "infinite damping": (spoil_joint("f1", damping=INF), "damping contains inf"),
    "effort": (spoil_joint("f1", effort=-1.0), "negative effort"),
    "velocity": (spoil_joint("f1", velocity=-1.0), "negative velocity"),
    "nan reference": (spoil_joint("f1", reference=NAN), "reference contains nan"),
    "three dampings of a ball": (spoil_joint("shoulder", damping=(1.0, 1.0, 1.0)), "damping needs one number, got 3"),
    "reference of a ball": (spoil_joint("shoulder", reference=0.1), "reference has no meaning"),
    "rest of a free joint": (spoil_joint("root", rest=0.1), "rest has no meaning"),
    "nan rest": (spoil_joint("f1", rest=NAN), "rest contains nan"),
    "shape kind": (shape("spheer", (1.0,)), "unknown shape kind 'spheer'. Closest: 'sphere'"),
    "shape role": (shape("sphere", (1.0,), role="vissual"), "unknown role"),
    "shape count": (shape("capsule", (0.1,)), "size needs 2 numbers, got 1"),
    "negative radius": (shape("sphere", (-0.1,)), "not positive"),
    "negative length": (shape("cylinder", (0.1, -0.1)), "not positive"),
    "flat box": (shape("box", (0.1, 0.0, 0.1)), "not positive"),
    "nan radius": (shape("sphere", (NAN,)), "size contains nan"),
    "mesh without file": (shape("mesh"), "no mesh file"),
    "flat mesh": (shape("mesh", mesh="a.stl", scale=(1, 0, 1)), "flattens"),
    "shape at nan": (shape("sphere", (1.0,), (NAN, 0, 0)), "position contains nan"),
    "colour": (shape("sphere", (1.0,), color=(1, 1, 1)), "colour needs 4 numbers"),
    "position nan": (spoil("hand", position=(0, 0, NAN)), "position contains nan"),
    "position of 2": (spoil("hand", position=(0, 0)), "needs 3 numbers, got 2"),
    "position in words": (spoil("hand", position="here"), "not made of numbers"),
    "stretched rotation": (spoil("hand", rotation=2.0 * np.eye(3)), "link 'hand'.*not a rotation"),
    "mirror": (spoil("hand", rotation=np.diag([1.0, 1.0, -1.0])), "not a rotation"),
    "zero quaternion": (spoil("hand", rotation=(0, 0, 0, 0)), "no direction"),
    "three angles": (spoil("hand", rotation=(0, 0, 0)), "neither a quaternion"),
    "rotation in words": (spoil("hand", rotation="upright"), "link 'hand'.*numbers"),
    "unknown follower": (gear("f9", "f1"), "no joint 'f9'"),
    "unknown leader": (gear("f1", "knee"), "no joint 'knee'"),
    "geared ball": (gear("shoulder", "f1"), "'shoulder' is a ball"),
    "itself": (gear("f1", "f1"), "cannot follow itself"),
    "ratio zero": (gear("f1", "f2", 0.0), "ratio is 0"),
    "ratio nan": (gear("f1", "f2", NAN), "ratio contains nan"),
    "offset inf": (gear("f1", "f2", 1.0, INF), "offset contains inf"),
    "gear cycle": (gear("f1", "f3"), "form a cycle"),
    "two leaders": (gear("f3", "f1"), "already follows 'f2'"),
    "absurd mass": (inertia(1e13), "absurd"),
    "absurd inertia": (inertia(1.0, (0, 0, 0), (1e13, 1e13, 1e13)), "absurd"),
    "absurd position": (spoil("hand", position=(0, 1e300, 0)), "absurd"),
    "absurd limit": (spoil_joint("f1", upper=1e15), "absurd"),
    "absurd ratio": (gear("f1", "f3", 1e13), "absurd"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad(name):
    change, message = BAD[name]
    d = figure()
    change(d)
    with pytest.raises(ModelError, match=message) as caught:
        check(d)
    text = str(caught.value)
    assert "\n" not in text and text.endswith(".") and len(text) < 300


def test_messages_start_with_the_place():
    d = figure()
    d.links[3].where = "a.urdf:41"
    d.links[3].joints[0].axis = (0, 0, 0)
    with pytest.raises(
        ModelError, match=r"^a.urdf:41: joint 'f1' axis \(0, 0, 0\) has no direction; write e.g. 0 1 0\.$"
    ):
        check(d)
    d.links[3].joints[0].where = "a.urdf:44"
    with pytest.raises(ModelError, match=r"^a.urdf:44: joint"):
        check(d)
    d = figure()
    d.gears.append(Gear("f1", "knee", where="a.urdf:50"))
    with pytest.raises(ModelError, match=r"^a.urdf:50: gear"):
        check(d)


def test_triangle_inequality_is_a_warning_unless_strict():
    d = figure()
    d.links[2].inertia = Inertia(1.0, (0, 0, 0), (1.0, 1.0, 2.1))
    d.links[2].where = "a.urdf:7"
    (note,) = check(d)
    assert note.kind == "warning" and "'hand'" in note.text and note.where == "a.urdf:7"
    with pytest.raises(ModelError, match=r"^a.urdf:7: link 'hand'.*strict"):
        check(d, strict=True)
    d.links[2].inertia = Inertia(1.0, (0, 0, 0), (1.0, 1.0, 2.0))  # a flat plate: the limit itself
    assert check(d) == []


def test_semidefinite_within_rounding():
    d = figure()
    for moments in [(0, 0, 0), (1.0, 1.0, 0.0), (1.0, 1.0, -1.9e-12), (1e-9, 1e-9, -0.9e-15)]:
        d.links[2].inertia = Inertia(0.0, (0, 0, 0), moments)
        assert check(d) == []
    for moments in [(1.0, 1.0, -2.1e-12), (1e-9, 1e-9, -1.1e-15)]:
        d.links[2].inertia = Inertia(0.0, (0, 0, 0), moments)
        with pytest.raises(ModelError, match="semi-definite"):
            check(d)


def test_massless_links_and_mass_without_inertia_pass():
    d = Description("d", [Link("a", None, joints=[free()]), Link("b", "a", joints=[Joint("j")])])
    assert check(d) == []
    d.links[1].inertia = Inertia(0.0, (0, 0, 0), (1, 1, 1))
    assert check(d) == []


def test_long_chains_are_checked_quickly_in_any_order():
    d = Description("chain")
    d.add("l0", None, free())
    for i in range(1, 3000):
        d.add(f"l{i}", f"l{i - 1}", hinge(f"j{i}"), mass=1.0)
    d.links.reverse()
    assert check(d) == []
