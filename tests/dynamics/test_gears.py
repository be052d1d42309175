"""Gears inside the algorithms equal the same system with explicit constraint multipliers.

The figure without gears has A a - H' lam = tau - b, H a = 0 (H: one row a coupling); its accelerations must satisfy a =
G a_geared.
"""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from figures import body, relative


def pair(seed: int, parents, kinds, gears, root="free"):
    """(geared, ungeared) models of the same tree."""
    models = []
    for with_gears in (True, False):
        rng = np.random.default_rng(seed)
        fig = bk.Description("geared")
        fig.add("base", None, bk.free() if root == "free" else bk.hinge("root", (0, 1, 0)), **body(rng))
        for i, (p, kind) in enumerate(zip(parents, kinds)):
            joint = bk.Joint(f"j{i}", kind, rng.normal(size=3), armature=0.05)
            fig.add(f"l{i}", "base" if p is None else f"l{p}", joint, at=0.3 * rng.normal(size=3), **body(rng))
        for f, l, ratio, offset in gears:
            if with_gears:
                fig.gear(f"j{f}", f"j{l}", ratio, offset)
        models.append(fig.build())
    return models


CASES = {
    "serial": ([None, 0], "hinge hinge", [(1, 0, 2.0, 0.1)]),
    "parallel": ([None, None], "hinge hinge", [(1, 0, -1.5, 0.0)]),
    "chain": ([None, 0, 1, 2], "hinge hinge hinge hinge", [(1, 0, 0.5, 0), (2, 1, -2.0, 0.3), (3, 2, 1.2, 0)]),
    "three followers": (
        [None, None, None, None],
        "hinge hinge hinge hinge",
        [(1, 0, 1, 0), (2, 0, -1, 0), (3, 0, 0.3, 1)],
    ),
    "mixed": ([None, 0, None, 2, 1], "hinge hinge hinge hinge hinge", [(1, 0, 2, 0), (2, 0, -1, 0), (3, 2, 0.5, 0.2)]),
    "hinge and slider": ([None, 0, None], "hinge slider slider", [(1, 0, 0.2, 0), (2, 0, -0.4, 0.1)]),
    "follower above leader": ([None, 0], "hinge hinge", [(0, 1, 1.7, 0.0)]),
    "nested": ([None, 0, 1, 2, 3], "hinge hinge hinge hinge hinge", [(1, 0, 2, 0), (3, 2, -1, 0), (4, 3, 0.5, 0)]),
    "branch behind a group": (
        [None, 0, 1, 0, None],
        "hinge hinge hinge slider hinge",
        [(1, 0, 1.5, 0), (4, 0, -1, 0.3)],
    ),
}


@asserts("2013/series/dense", "2013/series/chain", "2013/series/dof", "2013/parallel/*", "2013/between/gears")
@pytest.mark.parametrize("root", ["free", "hinge"])
@pytest.mark.parametrize("name", CASES)
def test_equals_explicit_multipliers(name, root):
    parents, kinds, gears = CASES[name]
    geared, plain = pair(7, parents, kinds.split(), gears, root)
    assert not geared.kept_gears and geared.nv == plain.nv - len(gears)
    rng = np.random.default_rng(1)
    q, v, tau = bk.random_configuration(geared, rng), rng.normal(size=geared.nv), rng.normal(size=geared.nv)
    G, full = np.zeros((plain.nv, geared.nv)), plain.neutral()
    for j in geared.joints:
        other = plain.joint(j.name)
        if j.kind == "free":
            G[other.v, j.v], full[other.q] = np.eye(6), q[j.q]
        else:
            G[other.iv, j.iv], full[other.iq] = j.ratio, j.ratio * q[j.iq] + j.offset
    H = np.zeros((len(gears), plain.nv))
    for k, (f, l, ratio, _) in enumerate(gears):
        H[k, plain.joint(f"j{f}").iv], H[k, plain.joint(f"j{l}").iv] = 1.0, -ratio
    assert np.abs(H @ G).max() < 1e-14
    M, b = bk.crba(plain, full), bk.rnea(plain, full, G @ v, np.zeros(plain.nv))
    tau_full = np.linalg.lstsq(G.T, tau, rcond=None)[0]  # any torques with G' tau_full = tau
    system = np.block([[M, -H.T], [H, np.zeros((len(gears), len(gears)))]])
    solution = np.linalg.solve(system, np.concatenate([tau_full - b, np.zeros(len(gears))]))
    assert relative(G @ bk.aba(geared, q, v, tau), solution[: plain.nv]) < 1e-9
    # the response between links, through the same constraint
    frames = [link.name for link in geared.links]
    wrench = rng.normal(size=(len(frames), 6))
    K = bk.delassus(geared, q, frames, wrench)
    J = np.array([w @ bk.frame_jacobian(plain, full, f) for f, w in zip(frames, wrench)])
    response = np.linalg.solve(system, np.vstack([J.T, np.zeros((len(gears), len(frames)))]))[: plain.nv]
    assert relative(K, J @ response) < 1e-9
