"""The path of the centre of mass: its zero-moment point, worked out again, is in the soles; what needs no change is not
changed; flights fall."""

import numpy as np
import pytest

from bunraku.motion.com_plan import course_of, planned, polygon_rows

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
        normals, limits = polygon_rows(before, 0.0)
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


@pytest.mark.parametrize("points", [foot(0, 0), foot(0, 0)[:2], foot(0, 0)[:1]])
def test_polygons_lines_and_points(points):
    normals, limits = polygon_rows(points, 0.0)
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
