"""Ways of swinging feet: rest and flatness at the ends, smoothness, clearance over stairs."""

import numpy as np
import pytest

from bunraku.walking.foot_paths import StepPlan, foot_paths, sole_frames
from bunraku.walking.footsteps import Footstep
from bunraku.walking.min_jerk import bump, min_jerk

SINGLE, DOUBLE, LIFT, TOE, LEG = 0.8, 0.3, 0.05, 0.095, 0.83


def path(*steps, begin=None, dt=0.001):
    begin = begin or (Footstep(0, (0, 0.09, 0)), Footstep(1, (0, -0.09, 0)))
    begins = 1.0 + np.arange(len(steps)) * (SINGLE + DOUBLE)
    times = dt * np.arange(round((begins[-1] + SINGLE + 1.0) / dt) + 1)
    return times, begins, foot_paths(StepPlan(begin, steps, SINGLE, DOUBLE, LIFT, TOE, LEG), times, begins)


@pytest.mark.parametrize("f, ends", [(min_jerk, (0.0, 1.0)), (bump, (0.0, 0.0))])
def test_smooth_at_the_ends(f, ends):
    assert f(0.0) == ends[0] and f(1.0) == ends[1] and f(0.5) == (0.5 if f is min_jerk else 1.0)
    h = 1e-3  # f and its first two derivatives vanish, so f grows with h^3
    assert abs(f(h) - ends[0]) < 100 * h**3 and abs(f(1 - h) - ends[1]) < 100 * h**3


def test_a_step_leaves_and_lands_at_rest():
    times, begins, (p, _, yaw, contact) = path(Footstep(0, (0.4, 0.1, 0.0), 0.5))
    v = np.gradient(p[:, 0], 0.001, axis=0)
    still = (times < begins[0]) | (times > begins[0] + SINGLE)
    assert np.abs(v[still]).max() < 1e-3  # differences across the ends: of order dt^2 s'''/single^3
    assert np.array_equal(
        contact[:, 0], still | (np.abs(times - begins[0]) < 1e-9) | (np.abs(times - begins[0] - SINGLE) < 1e-9)
    )
    assert np.allclose(p[-1, 0], (0.4, 0.1, 0.0)) and np.isclose(yaw[-1, 0], 0.5)
    assert np.isclose(p[:, 0, 2].max(), LIFT) and p[:, 0, 2].min() >= 0.0
    assert np.array_equal(p[:, 1], np.tile(p[0, 1], (len(times), 1)))
    assert np.abs(np.diff(v, axis=0)).max() / 0.001 < 12.0  # m/s^2: 5.8 a / t^2 for a = 0.4 m, t = 0.64 s, and lift


def test_frames_lie_on_the_ground():
    n = np.array([[0.1, -0.2, 1.0]])
    R = sole_frames(np.array([0.7]), n)[0]
    assert np.allclose(R.T @ R, np.eye(3)) and np.allclose(R[:, 2], n[0] / np.linalg.norm(n))
    assert np.isclose(np.arctan2(R[1, 0], R[0, 0]), 0.7)


@pytest.mark.parametrize("sign", [1, -1])
def test_feet_clear_the_edges_of_stairs(sign):
    tread, riser = 2 * TOE + 0.06, 0.15
    base = 0.0 if sign > 0 else 5 * riser
    begin = (Footstep(0, (0, 0.09, base)), Footstep(1, (0, -0.09, base)))
    steps = [Footstep(k % 2, ((k + 1) * tread, 0.09 - 0.18 * (k % 2), base + sign * riser * (k + 1))) for k in range(5)]
    _, _, (p, R, _, _) = path(*steps, begin=begin)
    x = np.linspace(-TOE, TOE, 41)
    points = p[:, :, None] + np.einsum("nsij,kj->nski", R, np.column_stack([x, 0 * x, 0 * x]))
    stair = np.clip(np.floor((points[..., 0] + tread / 2) / tread), 0, 5)
    above = points[..., 2] - (base + sign * riser * stair)
    assert above.min() > -1e-12


def test_a_heel_rises_about_the_toes_before_a_foot_leaves_a_higher_stair():
    begin = (Footstep(0, (0, 0.09, 0.0)), Footstep(1, (0.0, -0.09, 0.15)))
    times, begins, (p, R, _, contact) = path(Footstep(1, (0.5, -0.09, 0.0)), begin=begin)
    toe = p[:, 1] + TOE * R[:, 1, :, 0]
    stands = times <= begins[0]
    assert np.abs(toe[stands] - toe[0]).max() < 1e-12  # the edge does not move
    heel = p[:, 1] - TOE * R[:, 1, :, 0]
    assert heel[stands][-1, 2] - 0.15 > 0.03 and contact[stands, 1].all()


def test_heels_rise_on_level_ground_where_asked():
    begin = (Footstep(0, (0, 0.09, 0.0)), Footstep(1, (0.0, -0.09, 0.0)))
    steps = (Footstep(0, (0.4, 0.09, 0.0)), Footstep(1, (0.8, -0.09, 0.0)), Footstep(0, (0.8, 0.09, 0.0)))
    begins = 1.0 + np.arange(3) * (SINGLE + DOUBLE)
    times = 0.001 * np.arange(5500)
    angle = {}
    for heel in (0.0, 0.4):
        p, R, _, contact = foot_paths(StepPlan(begin, steps, SINGLE, DOUBLE, LIFT, TOE, LEG, heel), times, begins)
        angle[heel] = np.arcsin(R[:, :, 2, 0])  # toes down is negative
        toe = p + TOE * R[..., 0]
        before = (times > begins[0] + SINGLE) & (times <= begins[1])  # the right foot's heel rises while both stand
        assert np.abs(toe[before, 1] - toe[0, 1]).max() < 1e-12 and contact[before].all()
    assert np.abs(angle[0.0]).max() < 1e-12
    at = np.argmin(np.abs(times - begins[1]))
    assert np.isclose(angle[0.4][at, 1], -0.4 * 0.4 / (0.5 * LEG), atol=1e-6)  # in proportion to the step
    assert np.abs(angle[0.4][times < begins[0]]).max() < 1e-12  # feet side by side stay flat
