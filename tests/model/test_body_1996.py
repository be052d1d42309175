"""Segments after de Leva (1996): masses add up, centres and radii are those of the table."""

import numpy as np
import pytest

from bunraku.model.body_1996 import SEGMENTS, with_inertias_of_1996
from bunraku.model.body_lengths import standard
from bunraku.model.human import describe_human


@pytest.fixture(scope="module")
def links():
    figure = with_inertias_of_1996(describe_human(1.8, 73.0), standard(1.8), 73.0)
    figure.build()
    return {link.name: link for link in figure.links}


def test_the_table_is_a_whole_body():
    twice = {"upper_arm", "lower_arm", "hand", "thigh", "shank", "foot"}
    assert sum(m * (2 if name in twice else 1) for name, (m, _, _) in SEGMENTS.items()) == pytest.approx(100, abs=0.02)


def test_masses(links):
    assert sum(x.inertia.mass for x in links.values()) == pytest.approx(73.0, rel=1e-3)
    assert links["left_thigh"].inertia.mass == pytest.approx(0.1416 * 73)
    assert links["trunk"].inertia.mass == pytest.approx((0.1596 + 0.1633) * 73)
    assert links["right_lower_arm"].inertia.mass == pytest.approx((0.0162 + 0.0061) * 73)


@pytest.mark.parametrize("name", ["thigh", "shank", "upper_arm"])
def test_limbs(links, name):
    _, centre, radii = SEGMENTS[name]
    length = getattr(standard(1.8), name)[0]
    i = links[f"left_{name}"].inertia
    assert i.com == pytest.approx([0, 0, -centre * length])
    assert np.sqrt(np.diag(i.matrix()) / i.mass) == pytest.approx(np.array(radii) * length)


def test_joined_parts_turn_as_two_bodies(links):
    """The moment of the trunk about its centre is more than that of its parts by the parallel axes."""
    i = links["trunk"].inertia
    m1, m2 = 0.1633 * 73, 0.1596 * 73
    scale = 1.8 / 1.741
    c1, c2 = (0.1457 + 0.2155 * (1 - 0.4502)) * scale, (0.1457 + 0.2155 + 0.1707 * (1 - 0.2999)) * scale
    own = m1 * (0.383 * 0.2155 * scale) ** 2 + m2 * (0.454 * 0.1707 * scale) ** 2
    assert i.matrix()[1, 1] == pytest.approx(own + m1 * m2 / (m1 + m2) * (c2 - c1) ** 2)
    assert i.com[2] + standard(1.8).waist[2] == pytest.approx((m1 * c1 + m2 * c2) / (m1 + m2))
