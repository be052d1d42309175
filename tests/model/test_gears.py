"""Which gears are eliminated, how their numbers multiply, and what is kept as a constraint."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts


def tree(*parents: int | None, gears=()):
    """Hinged links l0, l1, … hanging on the given parents, and gears (follower, leader, ratio, offset)."""
    fig = bk.Description("tree")
    for i, p in enumerate(parents):
        joint = bk.hinge(
            f"j{i}", ((0, 0, 1), (0, 1, 0), (1, 0, 0))[i % 3], lower=-1.0, upper=2.0, damping=0.5, velocity=3.0
        )
        fig.add(f"l{i}", None if p is None else f"l{p}", joint, at=(0.1, 0.2, 0), mass=1.0, moments=(0.1, 0.1, 0.1))
    for f, l, g, o in gears:
        fig.gear(f"j{f}", f"j{l}", g, o)
    return fig.build()


def test_serial_and_parallel():
    m = tree(None, 0, 0, gears=[(1, 0, 2.0, 0.1)])
    assert (m.nv, len(m.kept_gears)) == (2, 0)
    m = tree(None, 0, 0, gears=[(2, 1, -1.0, 0.0)])
    assert (m.nv, len(m.kept_gears)) == (2, 0)


def test_chain_of_followers_multiplies():
    m = tree(None, 0, 1, 2, gears=[(2, 1, 2.0, 0.5), (3, 2, -3.0, 0.25)])
    j = m.joint("j3")
    assert m.nv == 2 and j.leader == "j1"
    assert (j.ratio, j.offset) == (pytest.approx(-6.0), pytest.approx(-3.0 * 0.5 + 0.25))


def test_follower_above_its_leader():
    m = tree(None, 0, 1, gears=[(0, 1, 0.5, 0.0)])
    assert m.nv == 2 and m.joint("j0").leader == "j1" and m.joint("j1").nv == 1


@asserts("2013/series/others")
def test_gear_across_the_tree_is_kept_and_reported():
    m = tree(None, 0, 0, 1, 2, gears=[(4, 3, 2.0, 0.3)])  # cousins: two outer bodies
    assert m.nv == 5 and len(m.kept_gears) == 1
    (gear,) = m.kept_gears
    row = dict(gear.row)
    assert row == {m.joint("j4").iq: 1.0, m.joint("j3").iq: -2.0} and gear.constant == 0.3
    assert any("cannot be eliminated" in n.text for n in m.warnings)


def test_grandparent_is_eliminated_only_through_the_parent():
    assert len(tree(None, 0, 1, gears=[(2, 0, 2.0, 0.0)]).kept_gears) == 1
    m = tree(None, 0, 1, gears=[(2, 0, 2.0, 0.0), (1, 0, 1.5, 0.0)])  # listed first, it has to wait for the second
    assert m.nv == 1 and not m.kept_gears


def test_kept_gear_of_a_follower_is_written_in_the_leaders_q():
    m = tree(None, 0, 0, 1, 2, gears=[(3, 1, 2.0, 0.5), (4, 3, 3.0, 0.1)])
    # q3 = 2 q1 + 0.5 is eliminated; q4 = 3 q3 + 0.1 is kept: q4 - 6 q1 = 1.6
    (gear,) = m.kept_gears
    assert dict(gear.row) == {m.joint("j4").iq: 1.0, m.joint("j1").iq: -6.0}
    assert gear.constant == pytest.approx(1.6)


def test_limits_and_passive_forces_are_mapped_to_the_leader():
    m = tree(None, 0, gears=[(1, 0, -2.0, 0.5)])
    # -1 <= -2 q + 0.5 <= 2  ->  -0.75 <= q <= 0.75
    assert (m.lower[0], m.upper[0]) == (pytest.approx(-0.75), pytest.approx(0.75))
    assert m.damping[0] == pytest.approx(0.5 + 4 * 0.5)
    assert m.velocity[0] == pytest.approx(1.5)


def test_limits_of_both_hold():
    m = tree(None, 0, 0, gears=[(1, 0, 1.0, 0.0), (2, 0, 1.0, 0.0)])
    q = bk.random_configuration(m, 1)
    assert m.lower[0] <= q[0] <= m.upper[0]
    assert bk.joints_beyond_limits(m, np.array([2.5])) == {"j0": 0.5, "j1": 0.5, "j2": 0.5}
