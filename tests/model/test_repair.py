"""Repairs: what is mended changes no equation of motion, or by no more than it says; the rest stays refused."""

from __future__ import annotations

import numpy as np
import pytest

import bunraku as bk
from bunraku.model.repair import TINY, repaired
from draws import fresh_rng

BLOCK = (0.4, 0.5, 0.6)


def fixed_on(moments, turn=None) -> bk.Description:
    """A block on a free joint, an antenna fixed to it twice removed, an arm on a hinge."""
    d = bk.Description("r")
    d.add("base", None, bk.free(), mass=5.0, com=(0.1, 0, 0.2), moments=BLOCK)
    d.add("plate", "base", at=(0.3, 0, 0), rotation=turn, mass=0.5, moments=(1e-3, 1e-3, 1e-3))
    d.add("antenna", "plate", at=(0, 0.2, 0.1), rotation=turn, mass=0.01, com=(0, 0, 0.1), moments=moments)
    d.add(
        "arm",
        "antenna",
        bk.hinge("elbow", (0, 1, 0)),
        at=(0, 0, 0.2),
        mass=1.0,
        com=(0, 0, 0.3),
        moments=(0.1, 0.1, 0.01),
    )
    return d


def test_an_impossible_inertia_is_counted_with_what_carries_it():
    """The sum over a body is the same number for number: mass matrix and gravity torques as if added by hand."""
    rng = fresh_rng()
    turn = rng.normal(size=4)
    d = fixed_on((-1e-4, 2e-4, 3e-4), turn / np.linalg.norm(turn))
    with pytest.raises(bk.ModelError, match="'antenna'"):
        d.build()
    model = d.build(repair=True)
    text = next(str(n) for n in model.notes)
    assert "'antenna'" in text and "-0.0001" in text and "counted with 'base'" in text
    # twice the same antenna with moments I + D and I - D, both possible, add up to 2 I: linear in the moments
    M = {}
    for shift in (1e-3, 2e-3):
        other = fixed_on((-1e-4 + shift, 2e-4 + shift, 3e-4 + shift), turn / np.linalg.norm(turn)).build()
        q = bk.random_configuration(other, np.random.default_rng(3))
        M[shift] = bk.crba(other, q)
    assert np.abs(bk.crba(model, q) - (2 * M[1e-3] - M[2e-3])).max() < 1e-12


@pytest.mark.parametrize("least", [-0.5 * TINY, -1e-9])
def test_a_tiny_negative_moment_becomes_zero(least):
    d = fixed_on((1e-3, 1e-3, 1e-3))
    d.links[3].inertia.moments = (0.1, 0.1, least)
    model = d.build(repair=True)
    assert any("is taken as 0" in str(n) and "'arm'" in str(n) for n in model.notes)
    d.links[3].inertia.moments = (0.1, 0.1, 0.0)
    q = model.neutral()
    assert np.abs(bk.crba(model, q) - bk.crba(d.build(), q)).max() < 1e-15
    d.links[3].inertia.moments = (0.1, 0.1, -0.05)
    with pytest.raises(bk.ModelError, match=r"'arm'.*not positive semi-definite"):
        d.build(repair=True)


def test_shapes_without_extent_are_left_out():
    d = fixed_on((1e-3, 1e-3, 1e-3))
    sizes = {"sphere": (0.0,), "box": (0.1, 0.0, 0.1), "cylinder": (0.0, 0.2), "ellipsoid": (0.1, 0.1, 0.0)}
    d.links[0].shapes = [bk.Shape(kind, size) for kind, size in sizes.items()] + [bk.Shape("capsule", (0.1, 0.0))]
    model = d.build(repair=True)
    assert [s.kind for s in model.shapes] == ["capsule"]
    assert sum("is left out" in str(n) for n in model.notes) == 4
    assert len(d.links[0].shapes) == 5, "the description itself is not touched"
    d.links[0].shapes = [bk.Shape("sphere", (-0.1,))]
    with pytest.raises(bk.ModelError, match="not positive"):
        d.build(repair=True)


def test_what_is_right_stays_as_it_is():
    d = fixed_on((1e-3, 1e-3, 1e-3))
    same = repaired(d)
    assert same.links == d.links and same.notes == []
