"""The residual: zero where the laws hold, the expected number where one is broken, and the same in any unit."""

import numpy as np
import pytest

from bunraku.contact.problem import BOUNDED, CONTACT, EQUALITY
from contact_problems import Problem, random_problem, standing

K3 = np.diag([4.0, 9.0, 9.0])


def contact(b, mu=0.5) -> Problem:
    return Problem(K3, np.array(b, dtype=float), [(CONTACT, (mu,))])


def test_zero_at_solutions():
    assert contact([1.0, 2.0, 3.0]).residual([0, 0, 0]) == 0  # parting
    assert contact([-4.0, 0.9, 0.0]).residual([1.0, -0.1, 0.0]) == 0  # sticking
    # sliding: lam_n = 1, friction 0.5 against v_x = 9 - 9 * 0.5
    assert contact([-4.0, 9.0, 0.0]).residual([1.0, -0.5, 0.0]) < 1e-15
    bounded = Problem(np.eye(1), np.array([3.0]), [(BOUNDED, (0.0, -1.0, 2.0))])
    assert bounded.residual([-1.0]) == 0 and bounded.residual([2.0]) > 0
    assert Problem(np.eye(1), np.array([3.0]), [(EQUALITY, (0.5,))]).residual([-2.0]) == 0


# b = (-4, 0, 0): E = |b_n| / s_n = 4 / 2 = 2; s_n = 2, s_t = 3
@pytest.mark.parametrize(
    "lam,part,expected",
    [
        ((0.0, 0, 0), 0, 2 / 2),  # approaching with u = -4 / 2
        ((1.1, 0, 0), 0, 0.2 / 2),  # parting with u = 0.4 / 2 while pushing
        ((-0.1, 0, 0), 0, 2.2 / 2),  # pulling, and approaching with u = -4.4 / 2
        ((1.0, 0.6, 0), 1, 0.1 * 3 / 2),  # outside the cone by 0.1
        ((1.0, 0.1, 0), 2, 0.1 * 3 / 2),  # slip v = 0.9 inside the cone: |v| / s_t
        ((1.0, 0.5, 0), 2, 0.5 * 3 / 2),  # friction along the slip it causes
    ],
)
def test_known_errors(lam, part, expected):
    assert contact([-4.0, 0.0, 0.0]).parts(lam)[part] == pytest.approx(expected, rel=1e-14)


def test_angle_between_slip_and_friction():
    # slip along x, friction turned by phi: the nearest point of the disc is the far end of the chord, 2 r sin(phi / 2)
    for phi in (1e-6, 1e-3, 0.1):
        p = contact([-4.0, 1e9, 0.0])
        p.K = np.diag([4.0, 9.0, 9.0])
        lam = [1.0, -0.5 * np.cos(phi), 0.5 * np.sin(phi)]
        E = 1e9 / 3
        assert p.parts(lam)[2] * E == pytest.approx(3 * np.sin(phi / 2), rel=1e-6)


def test_the_same_in_every_unit():
    p = random_problem(3, contacts=2, rows=6, rank=9)
    lam = np.random.default_rng(0).normal(size=len(p.b))
    unit = np.ones(len(p.b))
    for (kind, _), row in zip(p.blocks, p.rows):
        if kind == CONTACT:
            unit[row : row + 3] = 0.01  # centimetres
        else:
            unit[row] = 57.3  # degrees
    # v' = v / unit, lam' = lam * unit leaves the power v . lam alone
    blocks = []
    for (kind, reals), row in zip(p.blocks, p.rows):
        r = (*reals, 0.0, 0.0, 0.0)
        blocks.append((kind, reals if kind == CONTACT else (r[0] / unit[row] ** 2, r[1] * unit[row], r[2] * unit[row])))
    other = Problem(p.K / np.outer(unit, unit), p.b / unit, blocks)
    assert np.allclose(other.parts(lam * unit), p.parts(lam), rtol=1e-12)


def test_immovable_rows_count():
    p = Problem(np.zeros((4, 4)), np.array([-2.0, 0, 0, 0]), [(CONTACT, (0.5,)), (EQUALITY, (0.0,))])
    assert p.residual(np.zeros(4)) == 1.0
    p.b[0] = 2.0
    assert p.residual(np.zeros(4)) == 0.0


def test_not_a_number_is_never_small():
    p = standing().problem()
    lam = p.solve().lam
    assert p.residual(lam) < 1e-6
    lam[4] = np.nan
    assert p.residual(lam) == np.inf
