"""Bones between bodies: ends, middles, and weights that are shares of one."""

import numpy as np

from bunraku.draw.skin_body import BODIES, bind
from bunraku.draw.skin_bones import BONES, bind_bones, bone_poses, matrices, slerp, weights_of
from bunraku.model.body_lengths import standard
from bunraku.model.rotations import exponential, multiply
from draws import fresh_rng


def test_slerp_shares_a_turn():
    rng = fresh_rng()
    p, w = exponential(rng.normal(size=(50, 3))), rng.normal(size=(50, 3))
    w *= np.minimum(1.0, 3.0 / np.linalg.norm(w, axis=1, keepdims=True))
    q, share = multiply(p, exponential(w)), rng.uniform(size=50)
    wanted = multiply(p, exponential(share[:, None] * w))
    got = slerp(p, np.where(rng.uniform(size=(50, 1)) < 0.5, q, -q), share)
    assert np.allclose(np.abs(np.sum(wanted * got, axis=1)), 1.0, atol=1e-12)
    assert np.allclose(slerp(p, p, share), p)


def test_bones_at_their_ends_are_the_bodies():
    rng = fresh_rng()
    places, turns = rng.normal(size=(len(BODIES), 3)), exponential(rng.normal(size=(len(BODIES), 3)))
    at, q = bone_poses(places, turns)
    assert np.allclose(at[: len(BODIES)], places) and np.allclose(np.abs(np.sum(q[: len(BODIES)] * turns, axis=1)), 1)
    assert all(np.allclose(at[k], places[b]) for k, (_, b, _) in enumerate(BONES))
    rest = bind_bones(standard(1.7))
    assert np.allclose(matrices(*rest, rest), np.eye(3, 4))


def test_weights_are_shares_and_smooth():
    m = standard(1.6)
    rng = fresh_rng()
    points = rng.uniform((-0.15, -0.8, 0.0), (0.15, 0.8, 1.7), size=(4000, 3))
    bones, weights = weights_of(m, points)
    assert np.allclose(weights.sum(axis=1), 1) and weights.min() >= 0 and bones.max() < len(BONES)
    for k, name in enumerate(BODIES):  # half way along a link it is the link's own
        place, turn = bind(m)[name]
        length = {"thigh": m.thigh[0], "shank": m.shank[0], "upper_arm": m.upper_arm[0]}.get(name.split("_", 1)[-1])
        if length:
            bones, weights = weights_of(m, (place - 0.5 * length * turn[:, 2])[None])
            assert bones[0, 0] == k and weights[0, 0] == 1
