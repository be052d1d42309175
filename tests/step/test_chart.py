"""The chart's rate against the exponential map itself."""

import numpy as np

from bunraku.model.rotations import exponential, logarithm, multiply
from bunraku.step.rk4 import turn_rate


def test_rate_of_the_rotation_vector():
    """theta' from a difference: log(exp(theta) exp(h w)) - log(exp(theta) exp(-h w)) over 2 h; the terms left out are
    |theta|^4 |w| / 720."""
    rng = np.random.default_rng(1)
    h = 1e-5
    for size in (0.0, 0.01, 0.1, 0.3):
        theta, w = rng.normal(size=(2, 3))
        theta *= size / np.linalg.norm(theta)
        q = exponential(theta)
        wanted = (logarithm(multiply(q, exponential(h * w))) - logarithm(multiply(q, exponential(-h * w)))) / (2 * h)
        got = np.array(turn_rate(tuple(theta), tuple(w)))
        assert np.abs(got - wanted).max() < 1e-9 + size**4 / 360 * np.linalg.norm(w)
