"""Rows of a step: motion and its rates agree, the mirror image is one, and a step goes on where the one before ends."""

import numpy as np
import pytest

from bunraku.dynamics.functions import centroidal
from bunraku.gaits.gait_library import gait_at
from bunraku.gaits.natural_walk import default_figure
from bunraku.gaits.step_rows import StepRows
from bunraku.model.configuration import integrate
from draws import fresh_rng


@pytest.fixture(scope="module")
def rows():
    speed = fresh_rng().uniform(0.5, 1.6)
    return StepRows(gait_at(float(speed)), default_figure())


def test_rates_are_those_of_the_motion(rows):
    dt, r = rows.plan.seconds / rows.many, rows.of[0]
    on = integrate(rows.model, r.q[:-1], 0.5 * (r.v[:-1] + r.v[1:]), dt)
    assert np.abs(on - r.q[1:]).max() < 30 * dt**2
    assert np.abs(np.diff(r.com, axis=0) / dt - 0.5 * (r.com_rate[1:] + r.com_rate[:-1])).max() < 20 * dt


def test_the_right_foots_step_is_the_mirror_image(rows):
    left, right = rows.of
    flip = np.array([1.0, -1.0, 1.0])
    assert np.allclose(left.com * flip, right.com, atol=1e-9)
    assert np.allclose(left.spin * -flip, right.spin, atol=1e-4)
    assert np.allclose(left.links["left_heel"].place * flip, right.links["right_heel"].place, atol=1e-9)
    assert np.allclose(left.forces[:, 0].sum(axis=1) * flip, right.forces[:, 1].sum(axis=1), atol=1e-9)


def test_the_next_step_goes_on(rows):
    left, right, end = rows.of[0], rows.of[1], rows.first + rows.many
    ahead = [rows.plan.length, 0.0, 0.0]
    assert np.allclose(left.com[end] - ahead, right.com[rows.first], atol=1e-9)
    c = centroidal(rows.model, left.q[end], left.v[end])
    assert np.allclose(c.com_velocity, right.com_rate[rows.first], atol=1e-6)


def test_a_step_of_another_speed_begins_as_the_one_before_goes_on_and_ends_as_its_own(rows):
    slower = gait_at(rows.plan.speed - 0.2)
    passed, before = StepRows(rows.gait, rows.model, slower), StepRows(slower, rows.model)
    for lead in (0, 1):
        p, own, b = passed.of[lead], rows.of[lead], before.of[lead]
        first, end = passed.first, passed.first + passed.many
        for of in ("q", "v", "com", "com_rate", "spin"):
            assert np.allclose(getattr(p, of)[first], getattr(b, of)[before.first], atol=1e-6), of
            assert np.allclose(getattr(p, of)[end], getattr(own, of)[end], atol=1e-6), of
        assert np.abs(np.diff(p.q, axis=0)).max() < 1.2 * np.abs(np.diff(own.q, axis=0)).max()
