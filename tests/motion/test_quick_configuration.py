"""The quick stepper equals bunraku.model.configuration."""

import numpy as np

import bunraku as bk
from bunraku.motion.quick_configuration import stepper
from figures import random_figure


def test_same_as_configuration():
    rng = np.random.default_rng(3)
    for model in (bk.human(), *(random_figure(seed, 6) for seed in range(4))):
        move = stepper(model)
        for _ in range(10):
            q, p, v = (
                bk.random_configuration(model, rng),
                bk.random_configuration(model, rng),
                rng.normal(size=model.nv),
            )
            assert np.allclose(move.integrate(q, v, 0.01), bk.integrate(model, q, v, 0.01), atol=1e-15, rtol=1e-14)
            assert np.allclose(move.difference(q, p), bk.difference(model, q, p), atol=1e-14, rtol=1e-13)
