"""Contact forces of a box on a plane and a figure on its soles: closed forms, each with its equation."""

import numpy as np
import pytest

from asserts import asserts
from bunraku.step.virtual_link import link_layout as at
from virtual_link_cases import G, Patch, Problem, box_problem, feet_problem, laws, rectangle, standing_torques

SIZE, MASS = (0.4, 0.3, 0.2), 2.0
LX, LY, LZ = SIZE
WEIGHT = MASS * G
EDGE = MASS * (LX * LX + LZ * LZ) / 3  # inertia about an edge along y: (1/12 + 1/4) m (lx^2 + lz^2)


def solved(limit: float = 1e-9, **case):
    problem = box_problem(SIZE, MASS, **case)
    answer = problem.forces()
    assert answer.status == at.OK
    assert max(v for k, v in laws(problem, answer).items() if k != "law") < limit
    return answer


def test_rest():
    answer = solved()
    assert answer.state() == ("surface", "stick")
    assert answer.solves == 1
    assert answer.wrench() == pytest.approx([0, 0, WEIGHT, 0, 0, 0], abs=1e-9)
    patch = answer.patches[0]
    assert patch.pv == pytest.approx((0, 0), abs=1e-12)
    margins = [patch.margin.fz, patch.margin.pv, patch.margin.f, patch.margin.nz]
    assert margins == pytest.approx([WEIGHT, LY / 2, 0.8 * WEIGHT, 0.8 * WEIGHT * patch.d])


@asserts("2000/eq-26", "2000/eq-31")
@pytest.mark.parametrize("share", [0.2, 0.9, 0.999])
def test_push_below_the_limit_sticks(share):
    # f = -P; pv = P h / (2 m g) from moments about the underside (h: height of the push = lz / 2)
    P = share * 0.5 * WEIGHT
    answer = solved(push=(P, 0, 0, 0, 0, 0), mu_s=0.5, mu_d=0.4)
    assert answer.state() == ("surface", "stick")
    assert answer.wrench()[0] == pytest.approx(-P)
    assert answer.patches[0].pv[0] == pytest.approx(P * LZ / 2 / WEIGHT)
    assert np.abs(answer.a).max() < 1e-9


@asserts("2000/eq-27-28", "2000/eq-31", "2000/eq-32")
@pytest.mark.parametrize("share", [1.001, 1.5])
@pytest.mark.parametrize("angle", [0.0, 0.7, 2.5])
def test_push_above_the_limit_slides(share, angle):
    # a = P / m - muD g along the push
    P = share * 0.5 * WEIGHT
    direction = np.array([np.cos(angle), np.sin(angle)])
    answer = solved(push=(*(P * direction), 0, 0, 0, 0), mu_s=0.5, mu_d=0.4)
    assert answer.state() == ("surface", "slip")
    assert answer.a[:2] == pytest.approx((P / MASS - 0.4 * G) * direction)
    assert answer.wrench()[:2] == pytest.approx(-0.4 * WEIGHT * direction)
    assert answer.solves == 2


def test_sliding_stops_within_the_step():
    # N7: v = 1 mm/s, friction can stop it within 1 ms (a = -1 m/s^2 < muD g): it sticks with a = -v / dt; v = 10 mm/s
    # goes on sliding
    answer = solved(twist=(1e-3, 0, 0, 0, 0, 0))
    assert answer.state() == ("surface", "stick")
    assert answer.a[0] == pytest.approx(-1.0)
    answer = solved(twist=(1e-2, 0, 0, 0, 0, 0))
    assert answer.state() == ("surface", "slip")
    assert answer.a[0] == pytest.approx(-0.6 * G)


@asserts("2000/pv/edge", "2000/pv/edge-turn")
@pytest.mark.parametrize("sign", [1, -1])
def test_tipping_about_an_edge(sign):
    # torque T about y, more than m g lx / 2: about the edge that stays, alpha = (T - m g lx / 2) / I_edge
    T = 1.5 * WEIGHT * LX / 2
    answer = solved(push=(0, 0, 0, 0, sign * T, 0), mu_s=1.0, mu_d=1.0)
    assert answer.state() == ("line", "stick")
    assert answer.solves == 2
    assert answer.a[4] == pytest.approx(sign * (T - WEIGHT * LX / 2) / EDGE)
    assert answer.patches[0].pv[0] == pytest.approx(sign * LX / 2)
    # just below: a surface whose pv is almost at the edge
    answer = solved(push=(0, 0, 0, 0, sign * 0.999 * WEIGHT * LX / 2, 0), mu_s=1.0, mu_d=1.0)
    assert answer.state() == ("surface", "stick")
    assert answer.patches[0].pv[0] == pytest.approx(sign * 0.999 * LX / 2)


@asserts("2000/pv/vertex")
def test_tipping_about_a_corner():
    # sticking point at the corner c: alpha = I_c^-1 (T + r x (0, 0, -m g)), r from c to the centre, I_c = I + m (r.r 1
    # - r r')
    T = np.array([-1.4 * WEIGHT * LY / 2, 1.4 * WEIGHT * LX / 2, 0.0])
    r = np.array([-LX / 2, -LY / 2, LZ / 2])
    I = MASS / 12 * np.diag([LY**2 + LZ**2, LX**2 + LZ**2, LX**2 + LY**2])
    alpha = np.linalg.solve(I + MASS * (r @ r * np.eye(3) - np.outer(r, r)), T + np.cross(r, [0, 0, -WEIGHT]))
    answer = solved(push=(0, 0, 0, *T), mu_s=5.0, mu_d=5.0)
    assert answer.state() == ("point", "stick")
    assert answer.patches[0].low == 2
    assert answer.a[3:6] == pytest.approx(alpha)


@asserts("2000/fz/released")
def test_release():
    answer = solved(push=(1, 0, 1.2 * WEIGHT, 0, 0, 0))
    assert answer.state() == ("none", "")
    assert not answer.f.any()
    assert answer.a[2] == pytest.approx(0.2 * G)


def mean_distance(lx: float, ly: float, n: int = 2000) -> float:
    x, y = ((np.arange(n) + 0.5) / n - 0.5) * lx, ((np.arange(n) + 0.5) / n - 0.5) * ly
    return float(np.hypot(x[:, None], y[None, :]).mean())


@asserts("2000/eq-30", "2000/eq-30-force")
def test_spinning():
    # about its middle: nz = -sgn(wz) muD fz d, no force
    answer = solved(twist=(0, 0, 0, 0, 0, 6.0))
    assert answer.state() == ("surface", "spin")
    assert answer.wrench()[5] == pytest.approx(-0.6 * WEIGHT * mean_distance(LX, LY), rel=1e-6)
    assert answer.wrench()[:2] == pytest.approx([0, 0], abs=1e-9)


@asserts("2000/fade/*")
@pytest.mark.parametrize("twist", [(1.0, 0.5, 0, 0, 0, 3.0), (2.0, 0, 0, 0, 0, -5.0)])
def test_spinning_and_sliding(twist):
    # centre of rotation outside the box; E = exp(-l / d), l = |v| / |wz|; a box without height, so that pv stays in the
    # middle. The law is met at the end of the step: the present motion gives it to the order of dt a / v
    dt = 1e-7
    problem = box_problem((0.4, 0.3, 1e-9), MASS, twist=twist, dt=dt)
    answer = problem.forces()
    d, v = mean_distance(LX, LY), np.array(twist[:2])
    E = np.exp(-np.linalg.norm(v) / abs(twist[5]) / d)
    assert answer.status == at.OK
    assert answer.state() == ("surface", "slip")
    assert answer.wrench()[:2] == pytest.approx(-0.6 * WEIGHT * (1 - E) * v / np.linalg.norm(v), rel=1e-5, abs=1e-6)
    assert answer.wrench()[5] == pytest.approx(-np.sign(twist[5]) * 0.6 * WEIGHT * d * E, rel=1e-5)


def test_turning_about_a_point_of_the_region_keeps_that_point():
    # N7: centre of rotation (0, v / wz) = (0, 2 cm) inside: it stays at rest, v / wz stays what it is
    answer = solved(twist=(-0.1, 0, 0, 0, 0, 5.0))
    assert answer.state() == ("surface", "spin")
    assert answer.patches[0].centre == pytest.approx((0, -0.02), abs=1e-12)
    assert answer.a[0] / answer.a[5] == pytest.approx(-0.1 / 5.0)


@asserts("2000/centre")
@pytest.mark.parametrize("twist", [(0, 0.1, 0, 0, 0, 5.0), (0, 0.1, 0, 0, 0, -5.0), (0.05, -0.1, 0, 0, 0, 4.0)])
def test_the_centre_of_rotation_is_across_the_velocity(twist):
    # (-vy, vx) / wz from the middle, whichever way it turns
    answer = solved(twist=twist)
    assert answer.state() == ("surface", "spin")
    centre = (-twist[1] / twist[5], twist[0] / twist[5])
    assert answer.patches[0].centre == pytest.approx(centre, abs=1e-12)


def test_margins_of_a_box_that_sticks():
    # muS fz - |f|, and d of what is left of it less |nz|; pushed along x, so that friction has no moment about pv
    moment, left = 0.01 * WEIGHT, 0.8 * WEIGHT - 0.3 * WEIGHT
    answer = solved(push=(0.3 * WEIGHT, 0, 0, 0, 0, moment), mu_s=0.8)
    assert answer.state() == ("surface", "stick")
    patch = answer.patches[0]
    assert patch.margin.f == pytest.approx(left, rel=1e-9)
    assert patch.margin.nz == pytest.approx(patch.d * left - moment, rel=1e-9)


def test_memory_saves_solves():
    problem = box_problem(SIZE, MASS, push=(0, 0, 0, 0, 1.5 * WEIGHT * LX / 2, 0), mu_s=1.0, mu_d=1.0)
    first = problem.forces()
    again = problem.forces(memory=first)
    assert (first.solves, again.solves) == (2, 1)
    assert again.f == pytest.approx(first.f, abs=1e-9)
    # and a memory that is wrong does no harm
    rest = box_problem(SIZE, MASS).forces(memory=first)
    assert rest.state() == ("surface", "stick")


@asserts("2000/eq-20b")
def test_correction_of_penetration():
    # (20b): the rows follow c, here 3 m/s^2 up: fz = m (g + 3)
    problem = box_problem(SIZE, MASS)
    problem.c[2] = 3.0
    answer = problem.forces()
    assert answer.a[2] == pytest.approx(3.0)
    assert answer.wrench()[2] == pytest.approx(MASS * (G + 3.0))


def test_equality_rows_hold_with_their_own_right_hand_side():
    # two boxes side by side, tied along x at their undersides: the second is pushed, both go with (P - 2 muD m g) / 2m
    one = box_problem(SIZE, MASS, mu_s=0.4, mu_d=0.4)
    P = 30.0
    two = box_problem(SIZE, MASS, push=(P, 0, 0, 0, -P * LZ / 2, 0), mu_s=0.4, mu_d=0.4)  # at floor height: no tilting
    H = np.zeros((13, 12))
    H[:12, :12] = np.eye(12)
    H[12, [0, 6]] = 1, -1
    K = np.zeros((12, 12))
    K[:6, :6], K[6:, 6:] = one.K, two.K
    for goal in (0.0, 0.7):
        c = np.zeros(13)
        c[12] = goal
        problem = Problem(H @ K @ H.T, one.patches + two.patches, H @ np.concatenate([one.a0, two.a0]), np.zeros(13), c)
        answer = problem.forces()
        assert answer.status == at.OK
        assert answer.a[12] == pytest.approx(goal, abs=1e-9)
        assert (answer.a[0] + answer.a[6]) / 2 == pytest.approx((P - 2 * 0.4 * WEIGHT) / (2 * MASS))
        assert max(v for k, v in laws(problem, answer).items() if k != "law") < 1e-8


def test_box_on_four_blocks():
    # 24 rows for 6 degrees of freedom: the least-norm forces carry the weight, each block the same by symmetry
    problem = box_problem(SIZE, MASS)
    H = []
    for x, y in rectangle(0.3, 0.2):
        X = np.eye(6)
        X[0, 5], X[1, 5], X[2, 3], X[2, 4] = -y, x, y, -x
        H.append(X)
    H = np.vstack(H)
    four = Problem(H @ problem.K @ H.T, [Patch(rectangle(0.05, 0.05))] * 4, H @ problem.a0)
    answer = four.forces()
    assert answer.status == at.OK
    assert max(laws(four, answer).values()) < 1e-8
    fz = answer.f[2::6]
    assert fz.sum() == pytest.approx(WEIGHT)
    assert fz == pytest.approx(np.full(4, WEIGHT / 4), rel=1e-4)  # rounding over eps where forces do nothing


def test_figure_on_both_soles():
    # straight knees; torques that hold the figure: forces carry 69 kg, nothing moves, pv lies in each sole
    problem = feet_problem(standing_torques)
    answer = problem.forces()
    assert answer.status == at.OK
    assert answer.solves == 1
    assert answer.state(0) == answer.state(1) == ("surface", "stick")
    assert answer.f[2] + answer.f[8] == pytest.approx(69.0 * G, rel=1e-9)
    assert np.abs(answer.a).max() < 1e-7
    assert max(laws(problem, answer).values()) < 1e-8
    for i in range(2):
        x, y = answer.patches[i].pv
        assert abs(x) < 0.095 and abs(y) < 0.06 and answer.patches[i].margin.pv > 0


def test_two_patches_of_one_sole_are_too_many_and_fine():
    # heel half and toe half of each sole: 24 rows, at most 12 independent
    problem = feet_problem(standing_torques)
    X = []
    for x in (-0.0475, 0.0475):
        T = np.eye(6)
        T[1, 5], T[2, 4] = x, -x
        X.append(T)
    H = np.zeros((24, 12))
    for foot in range(2):
        for part in range(2):
            H[12 * foot + 6 * part : 12 * foot + 6 * part + 6, 6 * foot : 6 * foot + 6] = X[part]
    halves = Problem(H @ problem.K @ H.T, [Patch(rectangle(0.095, 0.12))] * 4, H @ problem.a0)
    answer = halves.forces()
    assert answer.status == at.OK
    assert answer.f[2::6].sum() == pytest.approx(69.0 * G, rel=1e-9)
    assert max(v for k, v in laws(halves, answer).items() if k != "law") < 1e-8
