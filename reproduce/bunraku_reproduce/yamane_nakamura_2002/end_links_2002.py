"""Sections 2 and 3: how end links answer forces and joint accelerations, eqs (1) and (2), and Fig. 1."""

from __future__ import annotations

import numpy as np

import bunraku as bk
from bunraku.choreography import end_link_relations
from bunraku_reproduce.experiment import Experiment, part

LINKS = ["left_foot", "right_foot", "right_hand"]


def a_state(model: bk.Model, seed: int) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    """A pose and velocities at random."""
    rng = np.random.default_rng(seed)
    return bk.random_configuration(model, rng), rng.normal(size=model.nv), rng


def dense(model: bk.Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """L, Phi and phi from the mass matrix and Jacobians: the base's six rows of the equation of motion eliminated."""
    M, h, k = bk.crba(model, q), bk.rnea(model, q, v, np.zeros(model.nv)), bk.kinematics(model, q, v)
    J = np.vstack([bk.frame_jacobian(model, q, link) for link in LINKS])
    bias = np.concatenate([k.bias_acceleration(link) for link in LINKS])
    Jb, Mb = J[:, :6], M[:6, :6]
    answer = np.linalg.solve(Mb, np.hstack([Jb.T, M[:6, 6:], h[:6, None]]))
    n = len(J)
    return Jb @ answer[:, :n], J[:, 6:] - Jb @ answer[:, n:-1], bias - Jb @ answer[:, -1]


@part(
    "Operational space inverse inertia of several links",
    section="2, 3",
    how="bunraku.choreography.end_link_relations(model, q, v, links, axes='pose')",
    printed="Equations (1) and (2): accelerations of end links as a linear function of forces on them and of joint accelerations.",
)
def end_links(e: Experiment) -> None:
    model, off = bk.human(), {"L": 0.0, "Phi": 0.0, "phi": 0.0, "symmetric": 0.0, "forward": 0.0}
    for k in range(10):
        q, v, rng = a_state(model, e.seed + k)
        got = end_link_relations(model, q, v, LINKS, axes="pose")
        for name, want in zip(("L", "Phi", "phi"), dense(model, q, v)):
            off[name] = max(off[name], float(np.abs(getattr(got, name) - want).max() / np.abs(want).max()))
        off["symmetric"] = max(off["symmetric"], float(np.abs(got.L - got.L.T).max() / np.abs(got.L).max()))
        wrenches, tau = 50.0 * rng.normal(size=(3, 6)), 20.0 * rng.normal(size=model.nv)
        tau[:6] = 0.0
        f_ext, places = np.zeros((model.nb, 6)), bk.kinematics(model, q, v)
        for link, w in zip(LINKS, wrenches):
            body = model.frame(link).body
            arm = places.pose(link)[0] - places.position[body]
            f_ext[body] += [*w[:3], *(w[3:] + np.cross(arm, w[:3]))]
        a = bk.aba(model, q, v, tau, f_ext)
        real = np.concatenate([bk.frame_jacobian(model, q, f) @ a + places.bias_acceleration(f) for f in LINKS])
        said = got.L @ wrenches.ravel() + got.Phi @ a[6:] + got.phi
        off["forward"] = max(off["forward"], float(np.abs(real - said).max() / np.abs(real).max()))
    e.zero(
        "relation/L", "(1)", "inverse inertia of two feet and a hand, by recursion and dense", off["L"], tolerance=1e-9
    )
    e.zero(
        "relation/symmetric", "(1)", "it is symmetric: links act on each other alike", off["symmetric"], tolerance=1e-9
    )
    e.zero(
        "relation/Phi",
        "(2)",
        "coefficients of the joint accelerations, by recursion and dense",
        off["Phi"],
        tolerance=1e-9,
    )
    e.zero("relation/phi", "(2)", "nonlinear terms, by recursion and dense", off["phi"], tolerance=1e-9)
    e.zero("relation/forward", "(1), (2)", "both together against forward dynamics with forces on the links",
           off["forward"], tolerance=1e-9)  # fmt: skip


@part(
    "Use of the relation: what contact changes",
    section="2",
    figure="1",
    how="end_link_relations(...).L[hand, feet] @ force",
    printed="A figure with forces at both feet, computed by springs and dampers, and none at the right hand.",
)
def use_of_relation(e: Experiment) -> None:
    c = bk.Choreography(contact="penalty")
    c.run(0.3)
    model, q, v = c.model, c.figure.q.copy(), c.figure.v.copy()
    got = end_link_relations(model, q, v, LINKS, axes="pose")
    wrench, f_ext = np.zeros((3, 6)), np.zeros((model.nb, 6))
    places = bk.kinematics(model, q)
    for k, link in enumerate(LINKS[:2]):
        at, body = places.pose(link)[0], model.frame(link).body
        arm = at - places.position[body]
        for patch in c.figure.contacts:
            if any(model.frame(name).body == body for figure, name in patch.bodies if figure == c.figure.name):
                for x, force in zip(patch.points, patch.forces):
                    wrench[k] += [*force, *np.cross(x - at, force)]
        f_ext[body] = [*wrench[k, :3], *(wrench[k, 3:] + np.cross(arm, wrench[k, :3]))]
    a = np.random.default_rng(e.seed).normal(size=model.nv)  # joint accelerations that stay the same
    M = bk.crba(model, q)
    hand = bk.frame_jacobian(model, q, "right_hand")
    pushed = [bk.rnea(model, q, v, np.concatenate([np.zeros(6), a[6:]]), f) for f in (np.zeros_like(f_ext), f_ext)]
    bases = [np.linalg.solve(M[:6, :6], -tau[:6]) for tau in pushed]
    change, weight = hand[:, :6] @ (bases[1] - bases[0]), 9.80665 * model.mass
    e.equal("fig1/weight", "Fig. 1", "springs and dampers at both feet carry the figure", weight, wrench[:, 2].sum(),
            tolerance=0.02 * weight, unit="N")  # fmt: skip
    e.zero("fig1/change", "Fig. 1, (1)", "what contact changes of the right hand's acceleration, no force acting on it",
           float(np.abs(got.L[12:] @ wrench.ravel() - change).max()), tolerance=1e-9, unit="m/s2, rad/s2")  # fmt: skip
