"""Figures side by side: each moves as it does alone."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.model.forest import combine
from figures import random_figure, random_state


def test_each_moves_as_alone():
    models = [("a", random_figure(1)), ("h", bk.human()), ("b", bk.box((1, 2, 3), 2.0)), ("c", random_figure(5))]
    whole, parts = combine(models)
    assert (whole.nq, whole.nv) == (sum(m.nq for _, m in models), sum(m.nv for _, m in models))
    states = [random_state(m, k) for k, (_, m) in enumerate(models)]
    q, v, tau = (np.concatenate(x) for x in zip(*states))
    a, M, k = bk.aba(whole, q, v, tau), bk.crba(whole, q), bk.kinematics(whole, q, v)
    assert np.array_equal(
        bk.joint_jacobians(whole, q).shape,
        (sum(len(bk.joint_jacobians(m, s[0])) for (_, m), s in zip(models, states)), 6),
    )
    for (name, m), (qi, vi, ti), part in zip(models, states, parts):
        assert np.array_equal(a[part.v], bk.aba(m, qi, vi, ti))
        assert np.array_equal(M[part.v, part.v], bk.crba(m, qi))
        own = bk.kinematics(m, qi, vi)
        for link in m.links:
            assert np.array_equal(k.pose(f"{name}.{link.name}")[0], own.pose(link)[0])
    assert np.abs(M).sum() == pytest.approx(sum(np.abs(M[p.v, p.v]).sum() for p in parts))  # nothing between figures
    assert whole.joint("h.left_knee").kind == "hinge"


def test_names_must_differ():
    with pytest.raises(bk.InputError, match="'a'"):
        combine([("a", bk.human()), ("a", bk.human())])
