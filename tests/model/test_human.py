"""The human figure: Table 3 and Fig. 5 of Nakamura & Yamane 2000, proportions, scaling, standing on the ground."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts

# Table 3: mass [kg] and the three inertias [kg m^2]
TABLE = {
    "pelvis": (15, (0.4, 0.2, 0.4)),
    "trunk": (16, (0.8, 0.4, 0.8)),
    "head": (4, (0.1, 0.1, 0.1)),
    "thigh": (5, (0.1, 0.2, 0.2)),
    "shank": (4, (0.1, 0.2, 0.2)),
    "foot": (2, (0.02, 0.02, 0.02)),
    "upper_arm": (4, (0.1, 0.2, 0.2)),
    "lower_arm": (2, (0.1, 0.2, 0.2)),
}


@asserts("2000/dof", "2000/fig-5/*")
def test_degrees_of_freedom():
    m = bk.human()
    assert m.nv == 28 + 6
    dof = {j.name.removeprefix("left_").removeprefix("right_"): j.nv for j in m.joints}
    assert dof == {"root": 6, "waist": 3, "neck": 3, "hip": 3, "knee": 1, "ankle": 3, "shoulder": 3, "elbow": 1}


def test_masses_and_inertias_of_the_table():
    d = bk.describe_human()
    assert sum(link.inertia.mass for link in d.links) == pytest.approx(69)
    for link in d.links:
        mass, moments = TABLE[link.name.removeprefix("left_").removeprefix("right_")]
        got = np.diag(link.inertia.matrix())
        assert link.inertia.mass == pytest.approx(mass)
        assert sorted(got) == pytest.approx(sorted(moments))
        assert got[2] == pytest.approx(min(moments))  # the smallest along the segment


@asserts("2000/table-3/*", "2000/sole", "2000/subject/mass")
@pytest.mark.parametrize("height", [None, 1.5, 1.9])
def test_the_body_of_2000_keeps_the_printed_table_and_sole(height):
    """Whatever the lengths, and whatever the default figure becomes: the numbers are those printed in Table 3, exactly."""
    m = bk.human(height, body="2000")
    for link in m.description.links:
        mass, moments = TABLE[link.name.removeprefix("left_").removeprefix("right_")]
        got = np.diag(link.inertia.matrix())
        assert link.inertia.mass == mass and sorted(got) == sorted(moments) and got[2] == min(moments)
    assert m.mass == 69.0
    k = bk.kinematics(m, m.neutral())
    for side in ("left", "right"):
        (foot,) = [s for s in m.shapes if s.link == f"{side}_foot"]
        assert 2 * foot.size[0] == 0.19 and 2 * foot.size[1] == 0.12
        assert k.pose(f"{side}_sole")[0][2] == pytest.approx(0, abs=1e-12)
    assert k.pose("head_top")[0][2] == pytest.approx(1.7 if height is None else height)


def test_the_default_figure_is_that_of_2000_so_far():
    a, b = bk.human(), bk.human(body="2000")
    assert np.array_equal(a.reals, b.reals) and np.array_equal(a.effort, b.effort)


def test_stands_on_its_soles():
    m = bk.human()
    k = bk.kinematics(m, m.neutral())
    for side in ("left", "right"):
        assert k.pose(f"{side}_sole")[0][2] == pytest.approx(0, abs=1e-12)
        toe, heel = k.pose(f"{side}_toe")[0], k.pose(f"{side}_heel")[0]
        assert toe[0] - heel[0] == pytest.approx(0.19)
        (foot,) = [s for s in m.shapes if s.link == f"{side}_foot"]
        assert 2 * foot.size[0] == pytest.approx(0.19) and 2 * foot.size[1] == pytest.approx(0.12)
    assert k.pose("head_top")[0][2] == pytest.approx(1.7)
    assert k.pose("left_hand")[0][1] > 0 > k.pose("right_hand")[0][1]
    com = bk.centre_of_mass(m, m.neutral())
    assert com[1] == pytest.approx(0, abs=1e-12)
    assert 0.54 < com[2] / 1.7 < 0.60  # a person's is near 0.56 of the height


def test_left_right_symmetry():
    m = bk.human()
    M = bk.crba(m, m.neutral())
    for name in ("hip", "knee", "shoulder", "elbow"):
        left, right = (M[m.joint(f"{s}_{name}").v, m.joint(f"{s}_{name}").v] for s in ("left", "right"))
        assert np.allclose(np.abs(left), np.abs(right))


def test_scaling():
    a, b = bk.human(), bk.human(height=0.85, mass=69 / 8)
    assert b.mass == pytest.approx(69 / 8)
    ka, kb = (bk.kinematics(m, m.neutral()) for m in (a, b))
    assert np.allclose(kb.pose("left_hand")[0], ka.pose("left_hand")[0] / 2)
    assert np.allclose(bk.crba(b, b.neutral())[6:, 6:], bk.crba(a, a.neutral())[6:, 6:] / 32)


@pytest.mark.parametrize("bad", [{"height": 0}, {"mass": -1}, {"height": float("nan")}, {"mass": 1e9}])
def test_bad_sizes(bad):
    with pytest.raises(bk.InputError):
        bk.human(**bad)


def test_flexion_is_positive():
    m = bk.human()
    q = m.neutral()
    q[m.joint("left_knee").iq] = 0.5
    q[m.joint("left_elbow").iq] = 0.5
    k0, k1 = bk.kinematics(m, m.neutral()), bk.kinematics(m, q)
    assert k1.pose("left_sole")[0][0] < k0.pose("left_sole")[0][0]  # the foot goes back
    assert k1.pose("left_hand")[0][0] > k0.pose("left_hand")[0][0]  # the hand goes forward
