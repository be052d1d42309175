"""Couplings by a matrix: what a Model of them is, how they are resolved, and every mistake as one sentence."""

import json

import numpy as np
import pytest

import bunraku as bk
from bunraku.cli.info_command import as_dict
from bunraku.errors import ModelError
from bunraku.model.forest import combine

BODY = {"mass": 1.0, "moments": (0.1, 0.1, 0.1)}


def tree(*couplings, **options):
    """A ball, a universal joint and a hinge on one plate, a hinge and a slider behind the ball, a hinge far out."""
    d = bk.Description("tree")
    d.add("plate", None, bk.free(), **BODY)
    d.add("ball", "plate", bk.ball("ball"), **BODY)
    d.add("cross", "plate", bk.universal("cross"), at=(0.2, 0, 0), **BODY)
    d.add("wheel", "plate", bk.hinge("wheel", **options), at=(0, 0.2, 0), **BODY)
    d.add("arm", "ball", bk.hinge("arm", (0, 1, 0)), at=(0, 0, 0.2), **BODY)
    d.add("rod", "arm", bk.slider("rod"), at=(0, 0, 0.2), **BODY)
    d.add("far", "rod", bk.hinge("far", (1, 0, 0)), at=(0, 0, 0.2), **BODY)
    for c in couplings:
        d.couple(*c)
    return d


def test_rates_of_leaders_coordinates_of_all():
    m = tree((["cross", "wheel"], "ball", np.arange(9.0).reshape(3, 3) + 1)).build()
    ball, cross, wheel = (m.joint(n) for n in ("ball", "cross", "wheel"))
    assert (m.nq, m.nv) == (7 + 4 + 2 + 1 + 3, 6 + 3 + 3)
    assert (ball.nq, ball.nv, cross.nq, cross.nv, wheel.nq, wheel.nv) == (4, 3, 2, 0, 1, 0)
    assert np.array_equal(cross.matrix, [[1, 2, 3], [4, 5, 6]]) and np.array_equal(wheel.matrix, [[7, 8, 9]])
    assert cross.iv == wheel.iv == ball.iv and ball.matrix is None
    assert m.dof_names[ball.iv : ball.iv + 3] == ("ball.x", "ball.y", "ball.z")
    assert not cross.matrix.flags.writeable
    assert m.mass == pytest.approx(7.0)


def test_chains_multiply():
    A, B = np.array([[1.0, 2.0, 3.0]]), np.array([[-2.0]])
    m = tree(("arm", "ball", A), ("rod", "arm", B)).build()
    assert np.array_equal(m.joint("rod").matrix, B @ A)


def test_several_leaders_and_a_scalar_row():
    m = tree(("ball", ["wheel", "cross"], np.ones((3, 3)))).build()
    assert m.nv == 6 + 3 + 3 and m.joint("ball").nv == 0
    assert tree(("arm", "ball", [1, 0, 0])).build().joint("arm").matrix.shape == (1, 3)


def test_two_figures_side_by_side():
    one, other = tree(("wheel", "ball", [1, 2, 3])).build(), tree((["cross", "arm"], "ball", np.eye(3))).build()
    both, (a, b) = combine([("a", one), ("b", other)], one.gravity)
    rng = np.random.default_rng(1)
    states = [(bk.random_configuration(m, rng), *rng.normal(size=(2, m.nv))) for m in (one, other)]
    got = bk.aba(both, *(np.concatenate(x) for x in zip(*states)))
    for part, m, state in ((a, one, states[0]), (b, other, states[1])):
        assert np.abs(got[part.v] - bk.aba(m, *state)).max() < 1e-12
    assert both.mass == pytest.approx(one.mass + other.mass)


def test_armature_of_a_follower_counts():
    d = tree(("wheel", "ball", [1, 2, 3]), armature=0.5)
    M = bk.crba(d.build(), d.build().neutral())
    light = tree(("wheel", "ball", [1, 2, 3]))
    added = M - bk.crba(light.build(), light.build().neutral())
    at = slice(6, 9)
    assert np.abs(added[at, at] - 0.5 * np.outer([1, 2, 3], [1, 2, 3])).max() < 1e-12


def test_told_by_info():
    m = tree(("wheel", "ball", [1, 2, 3])).build()
    told = json.loads(json.dumps(as_dict(m), default=lambda x: np.asarray(x).tolist()))
    wheel = next(j for j in told["joints"] if j["name"] == "wheel")
    assert wheel["matrix"] == [[1, 2, 3]] and wheel["rates"] == [6, 3]


BAD = {
    "unknown": ([("weel", "ball", [1, 2, 3])], "there is no joint 'weel'. Closest: 'wheel'."),
    "free": ([("wheel", "root", np.ones((1, 6)))], "joint 'root' is free; a matrix couples hinges"),
    "nobody": ([([], "ball", np.ones((0, 3)))], "at least one follower and one leader"),
    "itself": ([("ball", "ball", np.eye(3))], "'ball' stands there twice"),
    "twice": ([("cross", ["wheel", "wheel"], np.eye(2))], "'wheel' stands there twice"),
    "shape": ([("cross", "ball", np.eye(3))], "the matrix is 3 x 3; 2 x 3 is wanted"),
    "flat": ([("ball", "wheel", [1, 2, 3])], "the matrix is 1 x 3; 3 x 1 is wanted"),
    "function": ([("arm", "ball", lambda t: [t, 0, 0])], "the matrix must be constant numbers, 1 x 3, got a function."),
    "words": ([("arm", "ball", "twice")], "the matrix must be constant numbers, 1 x 3, got 'twice'."),
    "infinite": ([("arm", "ball", [1, np.inf, 0])], "a value that is not finite"),
    "still": ([(["wheel", "arm"], "ball", [[0, 0, 0], [1, 0, 0]])], "the rows of 'wheel' are 0, so it would not move"),
    "overdetermined": (
        [("wheel", "ball", [1, 0, 0]), ("wheel", "cross", [1, 0])],
        "'wheel' already follows 'ball'; its rates would be given twice",
    ),
    "loop": ([("wheel", "ball", [1, 0, 0]), ("ball", "wheel", [[1], [0], [0]])], "form a loop; let one joint lead"),
    "apart": ([("far", "wheel", [1])], "the joints 'far', 'wheel', coupled by a matrix, do not hang together"),
}


@pytest.mark.parametrize("name", BAD)
def test_mistakes(name):
    couplings, text = BAD[name]
    with pytest.raises(ModelError) as error:
        tree(*couplings).build()
    assert text in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "option",
    [{"lower": -1.0}, {"upper": 1.0}, {"damping": 0.1}, {"friction": 0.1}, {"stiffness": 2.0}, {"effort": 3.0}],
    ids=lambda x: next(iter(x)),
)
def test_only_leaders_have_limits_and_passive_forces(option):
    with pytest.raises(ModelError, match=f"the follower 'wheel' has {next(iter(option))} .*give them to its leaders"):
        tree(("wheel", "ball", [1, 2, 3]), **option).build()
    tree(("cross", "wheel", [[1], [2]]), **option).build()


def test_not_with_a_gear_of_the_same_joint():
    d = tree(("wheel", "ball", [1, 2, 3]))
    d.gear("arm", "wheel")
    with pytest.raises(ModelError, match="'wheel' has a gear, too; write that as a coupling by a 1 x 1 matrix"):
        d.build()


def test_without_inertia():
    d = bk.Description("thin")
    d.add("a", None, bk.hinge("a"), **BODY)
    d.add("b", None, bk.hinge("b"), at=(1, 0, 0))
    d.add("c", None, bk.hinge("c"), at=(2, 0, 0))
    d.couple("c", ["a", "b"], [1.0, 1.0])
    with pytest.raises(ModelError, match=r"moves no|give the link a mass"):
        d.build()
