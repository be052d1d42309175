"""L, Phi and phi by recursion against the dense formulas of document 004 as settled: L = Jb Mb^-1 Jb', Phi = Jj - Jb
Mb^-1 Mbj, phi = J_dot v - Jb Mb^-1 hb, and against forward dynamics."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.choreography import end_link_relations
from bunraku.errors import InputError
from figures import random_figure, random_state


def dense(model, q, v, links, points):
    """The dense formulas, six rows a link."""
    M, h = bk.crba(model, q), bk.rnea(model, q, v, np.zeros(model.nv))
    k = bk.kinematics(model, q, v)
    J, bias = [], []
    for link, p in zip(links, points):
        info = model.frame(link)
        at = type(info)(info.name, info.body, info.position + info.rotation @ p, info.rotation, False)
        J.append(bk.frame_jacobian(model, q, at))
        bias.append(k.bias_acceleration(at))
    J, bias = np.vstack(J), np.concatenate(bias)
    free = 6 if model.joints[0].kind == "free" else 0
    Jb, Jj, Mb = J[:, :free], J[:, free:], M[:free, :free]
    L = Jb @ np.linalg.solve(Mb, Jb.T)
    Phi = Jj - Jb @ np.linalg.solve(Mb, M[:free, free:])
    return L, Phi, bias - Jb @ np.linalg.solve(Mb, h[:free])


def close(a, b):
    assert np.abs(a - b).max() <= 1e-9 * max(1.0, np.abs(b).max())


@pytest.mark.parametrize("seed", range(12))
@asserts("2002/relation/L", "2002/relation/Phi", "2002/relation/phi")
def test_relations_equal_the_dense_formulas(seed):
    model = random_figure(seed, links=14, root="free" if seed < 9 else "any")
    q, v, _ = random_state(model, seed)
    rng = np.random.default_rng(seed)
    names = [f.name for f in model.links if f.body != 0]
    links = [names[k] for k in rng.choice(len(names), min(3, len(names)), replace=False)]
    points = rng.normal(size=(len(links), 3))
    got = end_link_relations(model, q, v, links, axes="pose", points=points)
    for a, b in zip((got.L, got.Phi, got.phi), dense(model, q, v, links, points)):
        close(a, b)


def test_position_only_takes_the_linear_rows_and_any_number_of_links():
    model = bk.human()
    q, v, _ = random_state(model, 3)
    links = ["left_foot", "right_foot", "left_hand", "right_hand", "head_top"]
    every = end_link_relations(model, q, v, links, axes="pose")
    some = end_link_relations(model, q, v, links, axes=["xyz", "pose", "xyz", "xyz", "pose"])
    keep = np.concatenate([np.r_[0:3], np.r_[6:12], np.r_[12:15], np.r_[18:21], np.r_[24:30]])
    assert np.array_equal(some.L, every.L[np.ix_(keep, keep)]) and np.array_equal(some.Phi, every.Phi[keep])
    assert some.rows[1] == slice(3, 9) and some.rows[4] == slice(15, 21) and len(some.phi) == 21


@asserts("2002/relation/forward")
def test_accelerations_of_forward_dynamics_obey_the_relation():
    """aba with forces on feet and hands gives v'; the relation gives the same end accelerations from the joints' part
    of it."""
    model = bk.human()
    q, v, tau = random_state(model, 7)
    tau[:6] = 0.0
    links, rng = ["left_sole", "right_sole", "left_hand"], np.random.default_rng(0)
    f = 100.0 * rng.normal(size=(3, 6))
    a = bk.aba(model, q, v, tau, bk.wrenches(model, q, list(zip(links, f))))
    r = end_link_relations(model, q, v, links, axes="pose")
    k = bk.kinematics(model, q, v)
    true = np.concatenate([bk.frame_jacobian(model, q, x) @ a + k.bias_acceleration(x) for x in links])
    close(r.L @ f.ravel() + r.Phi @ a[6:] + r.phi, true)


def test_bad_input_is_a_sentence():
    model = bk.human()
    q, v = model.neutral(), np.zeros(model.nv)
    with pytest.raises(InputError, match="xyz"):
        end_link_relations(model, q, v, ["left_hand"], axes="xy")
    with pytest.raises(bk.UnknownName, match="left_hand"):
        end_link_relations(model, q, v, ["left_hnd"])
