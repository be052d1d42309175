"""One step of the filter: forces in their cones, and when the ways of feet count."""

import numpy as np

import bunraku as bk
from bunraku.humanoid.foot import feet_of
from bunraku.motion.filter_step import LOOSE, W_FOOT, before_flights, firmness, in_cones, limits
from bunraku.motion.footing import Footing


def test_forces_are_put_into_their_cones():
    rng = np.random.default_rng(0)
    forces = rng.normal(size=(200, 3)) * 100.0
    out = in_cones(forces, 0.6)
    across = np.linalg.norm(out[:, :2], axis=1)
    assert np.all(out[:, 2] >= 0.0) and np.all(across <= 0.6 * out[:, 2])
    inside = np.linalg.norm(forces[:, :2], axis=1) < 0.59 * forces[:, 2]
    assert inside.any() and np.array_equal(out[inside], forces[inside])
    assert np.all(np.einsum("ni,ni->n", out[:, :2], forces[:, :2]) >= 0.0)  # no force turns round


def footing(on):
    foot = feet_of(bk.human())[0]
    return Footing(foot, on, on, (), np.zeros((len(on), 3)), np.tile(np.eye(3), (len(on), 1, 1)))


def test_ways_of_feet_count_near_their_stances():
    on = np.zeros(100, dtype=bool)
    on[:20] = True
    firm = firmness(footing(on), 0.01, LOOSE[1])
    assert np.all(firm[:20] == W_FOOT) and np.all(np.diff(firm) <= 0.0) and np.isclose(firm[-1], LOOSE[1] * W_FOOT)
    assert np.all(firmness(footing(on), 0.01, LOOSE[0]) == W_FOOT)
    assert np.flatnonzero(before_flights((footing(on),), 4)).tolist() == [16, 17, 18, 19]


def test_hinges_are_slowed_down_before_their_limits():
    model = bk.human()
    knee, q, v = model.joint("left_knee"), model.neutral(), np.zeros(model.nv)
    q[knee.iq], v[knee.iv] = model.lower[knee.iv] + 0.01, -2.0
    low, high = limits(model, q, v)
    assert 0.0 < low[knee.iv] <= high[knee.iv] and low[0] == -1e6 and high[0] == 1e6
