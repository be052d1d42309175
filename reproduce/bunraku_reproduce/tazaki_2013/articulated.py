"""Sections 2.3 and 2.4: the articulated-body algorithm, (17) to (26)."""

from __future__ import annotations

import numpy as np

import bunraku as bk
from bunraku_reproduce.experiment import Experiment, part
from bunraku_reproduce.tazaki_2013.random_trees import Both, plain


def subtree_force(both: Both, i: int) -> np.ndarray:
    """F of body i by Newton and Euler over all that hangs on it, from the accelerations alone."""
    tree, F = both.tree, [np.zeros(6)] * len(both.bodies)
    for c in range(len(both.bodies) - 1, -1, -1):
        F[c] = F[c] + tree.inertia(c) @ both.printed.A[c] + tree.bias(c)
        if c > i:
            p = both.bodies[c].parent
            F[p] = F[p] + tree.X[c].T @ F[c]
    return F[i]


@part(
    "The articulated-body algorithm",
    section="2.3, 2.4",
    how="bk.aba(model, q, v, tau)",
    printed="Every body obeys F = Î A + Ẑ (17); Î and Ẑ are gathered inwards (25), (26), the root's "
    "acceleration follows from (17), joint accelerations outwards (22).",
)
def algorithm(e: Experiment) -> None:
    found: dict[str, list[float]] = {k: [] for k in ("17", "21", "22", "root", "bodies", "dense")}
    for seed in range(e.seed, e.seed + 5):
        both = plain(seed)
        p = both.printed
        for i in range(len(both.bodies)):
            F = subtree_force(both, i)
            found["17"].append(np.abs(p.I[i] @ p.A[i] + p.Z[i] - F).max() / 10.0)
            if i:
                found["21"].append(np.abs(both.tree.J[i].T @ F - both.tau[i - 1]).max())
        a = bk.aba(both.model, both.x, both.rates, both.torque)
        for c, b in enumerate(both.bodies[1:], 1):
            if b.kind in ("hinge", "slider", "turn"):
                found["22"].append(np.abs(a[both.model.joint(f"j{c}").v] - p.rates[c - 1]).max() / np.abs(a).max())
        root = np.concatenate([both.R0.T @ a[:3], a[3:6]])
        found["root"].append(np.abs(root - p.A[0]).max() / np.abs(root).max())
        found["bodies"].append(both.acceleration_gap())
        M, b = bk.crba(both.model, both.x), bk.rnea(both.model, both.x, both.rates, np.zeros(both.model.nv))
        found["dense"].append(np.abs(np.linalg.solve(M, both.torque - b) - a).max() / np.abs(a).max())
    rows = (
        ("17", "(17)", "theorem 1: F = Î A + Ẑ of every body against Newton and Euler over its subtree (per 10 N)"),
        ("21", "(21)", "virtual work: J' F - τ of every joint (N m)"),
        ("22", "(22), (25), (26)", "joint accelerations, ours against the printed recursion, of the largest"),
        ("root", "2.4, step 2", "acceleration of the root from (17), of the largest"),
        ("bodies", "2.4, step 3", "accelerations of all bodies, of the largest"),
        ("dense", "2.3", "joint accelerations against the dense equation M q'' + b = τ, of the largest"),
    )
    for key, place, claim in rows:
        e.zero(f"aba/{key}", place, f"{claim}; 5 random trees, floating root", max(found[key]), tolerance=1e-10)
