"""The path of the centre of mass: its zero-moment point, worked out again, is in the soles; what needs no change is not
changed; flights fall."""

import numpy as np
import pytest

from bunraku.motion.com_plan import TORSION, Begin, course_of, planned, polygon_ends, spread

G, M = 9.80665, 70.0


def foot(x, y):
    return np.array([(x - 0.09, y - 0.06, 0), (x - 0.09, y + 0.06, 0), (x + 0.1, y - 0.06, 0), (x + 0.1, y + 0.06, 0)])


def stepping(n=301, dt=0.01):
    """Standing, then stepping from foot to foot every 0.6 s, 0.12 s of it on both."""
    t = dt * np.arange(n)
    supports, com = [], np.zeros((n, 3))
    for k, now in enumerate(t):
        step = int((now - 0.6) // 0.6) if now > 0.6 else -1
        both = step < 0 or now > 2.6 or (now - 0.6) % 0.6 < 0.12
        places = [foot(0, 0.09), foot(0, -0.09)] if both else [foot(0, 0.09 * (-1) ** step)]
        supports.append(np.vstack(places))
        com[k] = (0.005, 0.0, 0.9)
    return t, com, supports


def zmp_of(t, c, L):
    """px = cx - (z m cx'' + Ly') / fz by differences."""
    a = np.gradient(np.gradient(c, t, axis=0), t, axis=0)
    rate = np.gradient(L, t, axis=0)
    fz = M * (a[:, 2] + G)
    return np.column_stack(
        [c[:, 0] - (c[:, 2] * M * a[:, 0] + rate[:, 1]) / fz, c[:, 1] - (c[:, 2] * M * a[:, 1] - rate[:, 0]) / fz]
    )


def turning_of(plan, times):
    """L at many times."""
    return np.array([plan.spin(x)[0] for x in times])


def test_the_zero_moment_point_stays_in_the_soles():
    t, com, supports = stepping()
    plan = planned(course_of(t, com, np.zeros((len(t), 3)), supports, M, G, margin=0.02))
    fine = np.arange(t[0], t[-1], 0.001)
    c, L = plan.spline(fine), turning_of(plan, fine)
    p = zmp_of(fine, c, L)[5:-5]
    worst = 0.0
    for now, place in zip(fine[5:-5], p):
        before, after = (supports[min(300, int(f(now / 0.01)))] for f in (np.floor, np.ceil))
        if len(before) != len(after) or not np.array_equal(before, after):
            continue  # between the two frames of a change of support the zero-moment point is on its way
        normals, limits, _ = polygon_ends(before, 0.0)
        worst = max(worst, float((normals @ place - limits).max()))
    assert worst < 0.005 and plan.outside < 0.005
    assert np.ptp(c[:, 1]) > 0.02 and np.abs(c[:, 2] - 0.9).max() < 1e-3
    assert np.allclose(plan.zmp[1:-1], zmp_of(fine, c, L)[10::10], atol=0.02)


def test_standing_still_is_left_alone():
    t = np.arange(100) * 0.01
    com = np.tile([0.0, 0.0, 0.9], (100, 1))
    plan = planned(course_of(t, com, np.zeros((100, 3)), [np.vstack([foot(0, 0.09), foot(0, -0.09)])] * 100, M, G))
    assert np.abs(plan.spline(t) - com).max() < 1e-9 and np.allclose(plan.load, 1.0) and plan.outside == 0.0
    c, v, a = plan.at(99.0)  # beyond the end: as at the end
    assert np.allclose(c, com[-1]) and np.allclose(v, 0, atol=1e-8) and np.allclose(a, 0, atol=1e-6)


def test_in_the_air_it_falls_freely():
    t = np.arange(121) * 0.01
    up = (t > 0.5) & (t < 0.7)
    supports = [np.zeros((0, 3)) if x else np.vstack([foot(0, 0.09), foot(0, -0.09)]) for x in up]
    z = 0.9 + np.where((t > 0.5) & (t < 0.7), 0.5 * G * (t - 0.5) * (0.7 - t), 0.0)
    plan = planned(
        course_of(t, np.column_stack([0 * t, 0 * t, z]), np.zeros((121, 3)), supports, M, G, load=(0.05, 3.5))
    )
    inside = t[(t > 0.54) & (t < 0.66)]
    assert np.abs(plan.spline(inside, 2)[:, 2] + G).max() < 0.02 * G
    assert (
        np.all(plan.load[~up] > 0.0) and np.all(plan.load[up] == 0.0) and np.abs(plan.spline(t)[:, 2] - z).max() < 0.12
    )  # it has to crouch before and after


def test_load_and_reach_are_bounds():
    t = np.arange(201) * 0.01
    com = np.column_stack([0 * t, 0 * t, 0.85 + 0.08 * np.sin(2 * np.pi * 2.0 * t)])  # asks for 1.3 g up and down
    supports = [np.vstack([foot(0, 0.09), foot(0, -0.09)])] * 201
    plan = planned(course_of(t, com, np.zeros((201, 3)), supports, M, G, load=(0.5, 1.6), highest=np.full(201, 0.88)))
    assert plan.load.min() >= 0.5 - 1e-9 and plan.load.max() <= 1.6 + 1e-9 and plan.spline(t)[:, 2].max() < 0.881


def moments(plan, times, zmp):
    """(n, 3): (p - c) x f - L' with f = m (c'' + g) at the zero-moment point p on the floor; level parts are zero by
    its definition."""
    c, a = plan.spline(times), plan.spline(times, 2)
    rate = np.array([plan.spin(x)[1] for x in times])
    force = M * (a + np.array([0.0, 0.0, G]))
    return np.cross(np.column_stack([zmp, 0 * times]) - c, force) - rate


def swaying(n=201, spin=(6.0, 9.0, 2.0), rise=0.04):
    """(times, com, momentum, supports): standing on both feet; the centre of mass goes up and down and around a little,
    arms swing with `spin` [kg m^2/s], both slow enough to be recorded as they are (0.5 Hz)."""
    t = 0.01 * np.arange(n)
    turn = 2 * np.pi * 0.5 * t
    com = np.column_stack([0.01 + 0.01 * np.sin(turn), 0.01 * np.cos(turn), 0.9 + rise * np.sin(turn + 0.5)])
    momentum = np.column_stack([spin[0] * np.sin(turn), spin[1] * np.cos(turn), spin[2] * np.sin(turn)])
    return t, com, momentum, [np.vstack([foot(0, 0.09), foot(0, -0.09)])] * n


def test_the_zero_moment_point_counts_angular_momentum_and_height():
    """Of a motion that the ground can carry: it is left alone, its angular momentum is the recorded one, and forces at
    the plan's zero-moment point turn the figure as L' says, about both level axes."""
    t, com, momentum, supports = swaying()
    plan = planned(course_of(t, com, momentum, supports, M, G))
    inner = slice(20, -20)
    assert np.abs(plan.spline(t) - com)[inner].max() < 2e-3 and plan.outside < 1e-6
    assert np.abs(turning_of(plan, t) - momentum)[inner].max() < 0.05 * 9.0
    assert np.abs(moments(plan, t, plan.zmp)[inner, :2]).max() < 1e-3 * M * G * 0.01
    # of that, angular momentum is 4 cm, the rise and fall 1 cm: neither can be forgotten
    still = np.column_stack([plan.spline(t)[:, :2] - 0.9 / G * plan.spline(t, 2)[:, :2]])
    assert np.abs(plan.zmp - still)[inner].max() > 0.03
    assert np.allclose(plan.load, 1 + plan.spline(t, 2)[:, 2] / G, atol=1e-9) and np.ptp(plan.load) > 0.05


def test_arms_that_swing_more_than_the_soles_carry_move_the_centre_of_mass():
    """40 kg m^2/s at 0.5 Hz are 18 cm of the zero-moment point, twice what a sole has: it stays in the soles all the
    same, seen by the balance of moments of what was planned."""
    t, com, momentum, supports = swaying(spin=(0.0, 40.0, 0.0), rise=0.02)
    plan = planned(course_of(t, com, momentum, supports, M, G, margin=0.01))
    normals, limits, _ = polygon_ends(supports[0], 0.0)
    assert (plan.zmp @ normals.T - limits).max() < 0.003 and plan.outside < 0.015
    assert np.abs(moments(plan, t, plan.zmp)[:, :2]).max() < 1e-3 * M * G * 0.1
    moved, turned = np.abs(plan.spline(t) - com)[:, 0].max(), np.abs(turning_of(plan, t) - momentum)[:, 1].max()
    assert moved > 0.01 and turned > 2.0 and np.abs(plan.spline(t) - com)[:, 1].max() < 0.005


def test_nothing_turns_a_figure_in_the_air():
    """L' = 0 there, though it was recorded to change by 8 N m about each level axis; about the vertical, too."""
    t = np.arange(121) * 0.01
    up = (t > 0.5) & (t < 0.7)
    supports = [np.zeros((0, 3)) if x else np.vstack([foot(0, 0.09), foot(0, -0.09)]) for x in up]
    com = np.column_stack([0 * t, 0 * t, 0.9 + np.where(up, 0.5 * G * (t - 0.5) * (0.7 - t), 0.0)])
    momentum = np.column_stack([8.0 * (t - 0.6), -8.0 * (t - 0.6), 4.0 * (t - 0.6)])
    plan = planned(course_of(t, com, momentum, supports, M, G, load=(0.05, 3.5)))
    rate = np.array([plan.spin(x)[1] for x in t[(t > 0.54) & (t < 0.66)]])
    assert np.abs(rate).max() < 0.4  # 5 % of what was recorded
    assert np.all(np.isnan(plan.zmp[up])) and not np.any(np.isnan(plan.zmp[~up]))


def test_turning_about_the_vertical_is_what_friction_can_do():
    """|Lz'| <= TORSION grip fz r / W ... r: mean distance of the corners from their middle."""
    t, com, momentum, supports = swaying(spin=(0.0, 0.0, 60.0), rise=0.0)  # asks for 190 N m
    plan = planned(course_of(t, com, momentum, supports, M, G, grip=0.3))
    most = TORSION * 0.3 * M * G * spread(supports[0])
    rate = np.array([plan.spin(x)[1][2] for x in t])
    assert np.abs(rate).max() < 1.05 * most and np.abs(rate).max() > 0.8 * most
    corners = supports[0][:, :2] - supports[0][:, :2].mean(axis=0)
    assert spread(supports[0]) == pytest.approx(np.mean([np.hypot(*x) for x in corners]))


def test_a_plan_begins_where_the_figure_is():
    """Place, velocity and angular momentum at the first frame, though the recorded ones are others."""
    t, com, momentum, supports = swaying()
    begin = Begin(com[0] + [0.005, -0.004, -0.01], np.array([0.05, -0.03, 0.04]), np.array([1.5, -2.0, 0.5]))
    plan = planned(course_of(t, com, momentum, supports, M, G), begin)
    c, v, _ = plan.at(t[0])
    assert np.allclose(c, begin.com, atol=5e-4) and np.allclose(v, begin.rate, atol=5e-3)
    assert np.allclose(plan.spin(t[0])[0], begin.momentum, atol=0.4)


@pytest.mark.parametrize("points", [foot(0, 0), foot(0, 0)[:2], foot(0, 0)[:1]])
def test_polygons_lines_and_points(points):
    normals, limits, _ = polygon_ends(points, 0.0)
    assert np.all(normals @ points[:, :2].T <= limits[:, None] + 1e-9)
    assert np.any(normals @ (points[0, :2] - [0.5, 0.0]) > limits)


def test_stances_move_where_that_is_nearer():
    """A run whose centre of mass is 15 cm ahead of the middle of its feet on the mean: fixed feet push it ahead all the
    time."""
    t, dt, speed = np.arange(168) * 0.01, 0.01, 2.0
    supports, stances = [], []
    for k in range(168):
        step, phase = divmod(k * dt, 0.36)
        on = phase < 0.24
        supports.append(foot(speed * (0.36 * step + 0.12) - 0.15, 0.0) if on else np.zeros((0, 3)))
        stances.append(np.full(4 if on else 0, int(step)))
    com = np.column_stack([speed * t, 0 * t, np.full(168, 0.9)])
    none = np.zeros((168, 3))
    fixed = planned(course_of(t, com, none, supports, M, G, load=(0.05, 3.5), margin=0.0))
    free = planned(course_of(t, com, none, supports, M, G, load=(0.05, 3.5), margin=0.0, stances=stances))
    off = [np.linalg.norm(p.spline(t)[:, 0] - com[:, 0]) for p in (fixed, free)]
    assert off[1] < off[0] and free.shifts[:-1, 0].mean() > 0.01 and np.abs(free.shifts[:, 1]).max() < 1e-6
    assert fixed.shifts.shape == (0, 2) and free.outside < 0.005


def test_an_impossible_part_changes_the_rest_little():
    """Half a metre aside and back within 0.2 s, on feet that stand; and a second in which the legs lack half a metre:
    beyond half a second of it the path moves by less than 2 cm and leans by less than 3 degrees."""
    t, com, momentum, supports = swaying(601)
    usual = planned(course_of(t, com, momentum, supports, M, G))
    aside = com + np.column_stack([0 * t, 0.5 * np.exp(-(((t - 3.0) / 0.08) ** 2)), 0 * t])
    low = np.where(np.abs(t - 3.0) < 0.5, 0.45, 2.0)
    for bad, highest, far in ((aside, None, 0.65), (com, low, 1.0)):
        plan = planned(course_of(t, bad, momentum, supports, M, G, highest=highest))
        rest = np.abs(t - 3.0) > far
        assert np.linalg.norm(plan.spline(t) - usual.spline(t), axis=1)[rest].max() < 0.02
        lean = np.degrees(np.linalg.norm(plan.leaning(t) - usual.leaning(t), axis=1)[rest] / 10.0)  # 10 kg m^2, about
        assert lean.max() < 3.0
