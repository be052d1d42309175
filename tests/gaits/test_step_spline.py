"""The spline goes on mirrored, and its rates are the rates of its values."""

import numpy as np
import pytest

from bunraku.gaits.gait import walking_twin
from bunraku.gaits.step_spline import StepSpline
from draws import fresh_rng


@pytest.fixture(scope="module")
def mirror():
    return walking_twin(1.7, 69.0).mirror


def test_nodes_by_matrices_and_by_times(mirror):
    spline = StepSpline(12, 0.5, 0.6, mirror)
    c = fresh_rng().standard_normal((12, spline.width))
    times = np.arange(12) * 0.5 / 12
    for (S, k), own in zip(spline.maps, spline.at(c, times)):
        assert (S @ c.ravel() + k).reshape(12, -1) == pytest.approx(own, abs=1e-10)


def test_the_next_step_is_the_mirrored_one(mirror):
    spline = StepSpline(12, 0.5, 0.6, mirror)
    place, sign = mirror
    c = fresh_rng().standard_normal((12, spline.width))
    times = fresh_rng().uniform(-1, 1, 30)
    q, v, a = spline.at(c, times)
    q2, v2, a2 = spline.at(c, times + 0.5)
    ahead = 0.6 * (np.arange(spline.width) == 0)
    assert q2 == pytest.approx(sign * q[:, place] + ahead, abs=1e-10)
    assert v2 == pytest.approx(sign * v[:, place], abs=1e-9) and a2 == pytest.approx(sign * a[:, place], abs=1e-7)


def test_rates_are_rates(mirror):
    spline = StepSpline(12, 0.5, 0.6, mirror)
    c = fresh_rng().standard_normal((12, spline.width))
    t, h = fresh_rng().uniform(0, 1, 20), 1e-5
    (q0, v0, _), (q1, v1, _) = spline.at(c, t - h), spline.at(c, t + h)
    _, v, a = spline.at(c, t)
    scale = np.abs(a).max()
    assert np.abs((q1 - q0) / (2 * h) - v).max() < h * scale
    assert np.abs((v1 - v0) / (2 * h) - a).max() < 1e-3 * scale  # a is continuous; a kink between t - h and t + h
