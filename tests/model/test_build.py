"""From description to model: frames, merged links, universal joints, anchors, references, names, errors."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.model import layout as at


def test_fixed_links_are_merged_and_keep_their_frames():
    fig = bk.Description("arm")
    fig.add("upper", None, bk.hinge("elbow", (0, 1, 0)), mass=1.0, com=(0, 0, -0.1), moments=(0.01, 0.01, 0.01))
    fig.add("plate", "upper", at=(0, 0, -0.3), rotation=(0, 1, 0, 0), mass=0.5, moments=(0.001, 0.002, 0.002))
    fig.frame("tip", "plate", (0, 0, 0.1))
    m = fig.build()
    assert (m.nb, m.nv) == (2, 1)
    assert m.mass == pytest.approx(1.5)
    k = bk.kinematics(m, np.array([0.3]))
    # the plate is upside down (half a turn about x), so its z points along -z of the upper arm
    c, s = np.cos(0.3), np.sin(0.3)
    assert np.allclose(k.pose("plate")[0], [-0.3 * s, 0, -0.3 * c])
    assert np.allclose(k.pose("tip")[0], [-0.4 * s, 0, -0.4 * c])
    # first moment: 1 * -0.1 + 0.5 * -0.3
    assert m.reals[1, at.FIRST + 2] == pytest.approx(-0.25)
    assert m.reals[1, at.SECOND] == pytest.approx(0.01 + 0.01 + 0.001 + 0.5 * 0.09)


def test_universal_joint_is_two_turns():
    fig = bk.Description("u")
    fig.add(
        "base", None, bk.universal("u", (1, 0, 0), (0, 1, 0), lower=(-1, -2), upper=(1, 2)), mass=1, moments=(1, 1, 1)
    )
    m = fig.build()
    assert (m.nq, m.nv, len(m.joints)) == (2, 2, 1)
    assert m.dof_names == ("u.1", "u.2")
    assert list(m.lower) == [-1, -2]
    a, b = 0.4, -0.7
    Rx = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    Ry = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    assert np.allclose(bk.kinematics(m, np.array([a, b])).pose("base")[1], Rx @ Ry)


def test_anchor_and_reference():
    fig = bk.Description("door")
    fig.add(
        "door",
        None,
        bk.hinge("h", (0, 0, 1), anchor=(-0.5, 0, 0), reference=0.2),
        at=(1, 0, 0),
        mass=1,
        moments=(1, 1, 1),
    )
    fig.add("drawer", "door", bk.slider("s", (1, 0, 0), reference=0.1), at=(0, 1, 0), mass=1, moments=(1, 1, 1))
    m = fig.build()
    assert np.allclose(m.neutral(), [0.2, 0.1])
    k = bk.kinematics(m, m.neutral())
    assert np.allclose(k.pose("door")[0], [1, 0, 0]) and np.allclose(k.pose("door")[1], np.eye(3))
    assert np.allclose(k.pose("drawer")[0], [1, 1, 0])
    # a quarter turn about the anchor at (0.5, 0, 0)
    k = bk.kinematics(m, np.array([0.2 + np.pi / 2, 0.4]))
    assert np.allclose(k.pose("door")[0], [0.5, 0.5, 0])
    assert np.allclose(k.pose("drawer")[0], [-0.5, 0.8, 0])


def test_free_base_starts_where_it_was_placed():
    fig = bk.Description("box")
    fig.add("box", None, bk.free(), at=(1, 2, 3), rotation=(0.5, 0.5, 0.5, 0.5), mass=1, moments=(1, 1, 1))
    m = fig.build()
    assert np.allclose(m.neutral(), [1, 2, 3, 0.5, 0.5, 0.5, 0.5])
    position, rotation = bk.kinematics(m, m.neutral()).pose("box")
    assert np.allclose(position, [1, 2, 3])
    assert np.allclose(rotation, [[0, 0, 1], [1, 0, 0], [0, 1, 0]])


def test_unknown_names_get_a_hint():
    m = bk.human()
    with pytest.raises(bk.UnknownName, match=r"no joint 'l_knee'.*'left_knee'"):
        m.joint("l_knee")
    with pytest.raises(bk.UnknownName, match="left_hand"):
        m.frame("left_hnad")


def test_arrays_are_read_only():
    m = bk.human()
    for a in (m.ints, m.reals, m.lower, m.q0, m.frames[0].position):
        with pytest.raises(ValueError, match="read-only"):
            a[0] = 1


def test_gravity():
    m = bk.human().with_gravity((0, 0, -1.62))
    assert np.allclose(m.gravity, [0, 0, -1.62])
    a = bk.aba(m, m.neutral(), np.zeros(m.nv), np.zeros(m.nv))
    assert np.allclose(a[:3], [0, 0, -1.62])
    with pytest.raises(bk.InputError):
        m.with_gravity((0, 0, np.nan))


@pytest.mark.parametrize("inner", [0.0, 0.2])
def test_coaxial_hinges_without_inertia_between_are_refused(inner):
    """Two hinges about the same line: with nothing on the first, the mass matrix is singular at every q."""
    fig = bk.Description("coaxial")
    fig.add("a", None, bk.hinge("one"), mass=inner, moments=(inner, inner, inner))
    fig.add("b", "a", bk.hinge("two"), mass=1, moments=(1, 1, 1))
    if inner:
        assert fig.build().nv == 2
    else:
        with pytest.raises(bk.ModelError, match="joint 'one'"):
            fig.build()


def test_massless_link_between_crossed_hinges_is_fine():
    fig = bk.Description("crossed")
    fig.add("a", None, bk.hinge("one", (1, 0, 0)))
    fig.add("b", "a", bk.hinge("two", (0, 1, 0)), mass=1, moments=(1, 1, 1))
    assert fig.build().nv == 2


def test_armature_makes_up_for_missing_inertia():
    fig = bk.Description("rotor")
    fig.add("a", None, bk.hinge("one", armature=0.1))
    m = fig.build()
    assert np.allclose(bk.crba(m, np.zeros(1)), [[0.1]])


def test_geared_subtree_without_inertia_is_refused():
    fig = bk.Description("geared")
    fig.add("hand", None, bk.free(), mass=1, moments=(1, 1, 1))
    fig.add("a", "hand", bk.hinge("one"))
    fig.add("b", "hand", bk.hinge("two"), at=(0, 1, 0))
    fig.gear("two", "one", 2.0)
    with pytest.raises(bk.ModelError, match="no mass"):
        fig.build()
    fig.links[-1].inertia.mass = 1.0
    fig.links[-1].inertia.moments = (1, 1, 1)
    assert fig.build().nv == 7  # the follower's inertia is enough for both


def test_point_mass_on_a_free_joint_is_refused():
    fig = bk.Description("point")
    fig.add("p", None, bk.free(), mass=1.0)
    with pytest.raises(bk.ModelError, match="no inertia"):
        fig.build()
