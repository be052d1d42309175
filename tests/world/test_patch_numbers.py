"""Motion and margins of a contact patch that is put together by hand, in closed form."""

import numpy as np
import pytest

from bunraku.world.ties import parse_axes
from bunraku.world.views import ContactInfo

# a bar of 0.6 x 0.1 m on the ground, pressed near its left end
CORNERS = np.array([(-0.3, -0.05, 0.0), (0.3, -0.05, 0.0), (0.3, 0.05, 0.0), (-0.3, 0.05, 0.0)])


def patch(velocity=(0.0, 0.0, 0.0), spin=0.0, forces=None, mu=0.5):
    """Three quarters of 40 N on the left end; moving with `velocity` at the centre of pressure, turning with `spin`."""
    forces = np.array([(0, 0, 15.0), (0, 0, 5.0), (0, 0, 5.0), (0, 0, 15.0)]) if forces is None else forces
    cop = forces[:, 2] @ CORNERS / forces[:, 2].sum()
    owners = (("bar", "bar"), ("world", "plane"))
    twist = np.array([*velocity, 0.0, 0.0, spin])
    return ContactInfo(
        "bar.bar", "world.plane", owners, CORNERS, np.array([0.0, 0.0, 1.0]), np.zeros(4), forces, cop, twist, mu, 1
    )


def test_it_turns_about_a_point_of_its_region_or_slides():
    """The centre of rotation lies at (-vy, vx) / w from the centre of pressure, (-0.15, 0): inside 0.35 m to the right
    of it, outside as far to the left; aside there is room for 0.05 m."""
    assert np.allclose(patch().cop, (-0.15, 0.0, 0.0)) and patch().motion == "stick"
    for spin in (2.0, -2.0):
        assert patch((0.0, -0.35 * spin, 0.0), spin).motion == "spin"
        assert patch((0.0, 0.35 * spin, 0.0), spin).motion == "slide"
        assert patch((0.03 * spin, 0.0, 0.0), spin).motion == "spin"
        assert patch((0.08 * spin, 0.0, 0.0), spin).motion == "slide"
    assert patch((0.2, 0.0, 0.0)).motion == "slide" and patch(spin=1.0).motion == "spin"


def test_margins_are_less_by_what_is_used_already():
    """friction: mu fz - |f|; spin: d of that - |moment about the centre of pressure|, the same for either hand."""
    still = patch().margins
    assert still["normal"] == pytest.approx(40.0) and still["friction"] == pytest.approx(20.0)
    assert still["edge"] == pytest.approx(0.05)
    arm = still["spin"] / still["friction"]  # d, the mean distance of the region from the centre of pressure
    assert 0.15 < arm < 0.3
    base = patch().forces
    for sign in (1.0, -1.0):
        turning = base + np.array(
            [(0, 0, 0), (0, sign * 2.0, 0), (0, 0, 0), (0, sign * -2.0, 0)]
        )  # a pair: 0.6 m x 2 N
        found = patch(forces=turning)
        moment = abs(found.torque[2])
        assert moment == pytest.approx(1.2) and found.margins["friction"] == pytest.approx(20.0)
        assert found.margins["spin"] == pytest.approx(20.0 * arm - moment)
        pushed = patch(forces=base + np.tile([sign * 1.0, 0.0, 0.0], (4, 1)))
        assert pushed.margins["friction"] == pytest.approx(16.0)


def test_axes_in_words():
    """Bits x y z rx ry rz."""
    assert parse_axes("xyz") == 0b000111 and parse_axes("x y rz") == 0b100011
    assert parse_axes("rx, ry") == 0b011000 and parse_axes("z rz z") == 0b100100
