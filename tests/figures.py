"""Random figures with every kind of joint and with gears, and small ones with closed forms."""

from __future__ import annotations

import numpy as np

import bunraku as bk

KINDS = ("hinge", "hinge", "slider", "ball", "universal", "fixed")
SCREWS = (*KINDS, "helical", "helical")


def body(rng: np.random.Generator) -> dict:
    """A random rigid body whose inertia obeys the triangle inequality."""
    p = rng.uniform(0.02, 0.3, 3)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    moments = R @ np.diag([p[1] + p[2], p[0] + p[2], p[0] + p[1]]) @ R.T
    return {"mass": rng.uniform(0.3, 3.0), "com": 0.2 * rng.normal(size=3), "moments": 0.5 * (moments + moments.T)}


def random_axis(rng: np.random.Generator) -> np.ndarray:
    """A coordinate axis, its opposite, or a generic one."""
    k = rng.integers(3)
    if k == 0:
        return np.eye(3)[rng.integers(3)]
    return -np.eye(3)[rng.integers(3)] if k == 1 else rng.normal(size=3)


def random_figure(
    seed: int, links: int = 10, gears: int = 3, root: str = "any", kinds: tuple[str, ...] = KINDS
) -> bk.Model:
    """A tree of `links` links with joints of these kinds, fixed links among them, and up to `gears` couplings."""
    rng = np.random.default_rng(seed)
    fig = bk.Description(name=f"random{seed}")
    one_dof: list[tuple[str, str]] = []  # (joint, link)
    for i in range(links):
        parent = None if i == 0 else f"l{rng.integers(max(0, i - 3), i)}"
        kind = (
            ("free" if root == "free" or (root == "any" and rng.random() < 0.7) else "hinge")
            if i == 0
            else str(rng.choice(kinds))
        )
        options = {"armature": rng.uniform(0.01, 0.2)} if rng.random() < 0.4 and kind != "fixed" else {}
        if rng.random() < 0.3:
            options["anchor"] = 0.1 * rng.normal(size=3)
        joint = bk.Joint(f"j{i}", kind, random_axis(rng), random_axis(rng), **options)
        if kind == "helical":
            joint.pitch = rng.uniform(-3.0, 3.0)
        if kind == "universal":
            joint.axis2 = np.cross(np.asarray(joint.axis, float), rng.normal(size=3))
        if kind == "free":
            joint.anchor = (0, 0, 0)
        at = np.zeros(3) if rng.random() < 0.4 else 0.5 * rng.normal(size=3)
        turn = None if rng.random() < 0.5 else rng.normal(size=4)
        fig.add(f"l{i}", parent, joint, at=at, rotation=turn, **body(rng))
        if kind in ("hinge", "slider", "helical"):
            one_dof.append((f"j{i}", f"l{i}"))
    leaders: dict[str, str] = {}
    for _ in range(gears):
        if len(one_dof) < 2:
            break
        f, l = (one_dof[k][0] for k in rng.choice(len(one_dof), 2, replace=False))
        chain = l
        while chain in leaders:
            chain = leaders[chain]
        if f in leaders or chain == f:
            continue
        leaders[f] = l
        fig.gear(f, l, float(rng.choice([-1, 1]) * rng.uniform(0.3, 2.0)), float(rng.normal()))
    return fig.build()


def random_state(model: bk.Model, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(q, v, tau) at random."""
    rng = np.random.default_rng(seed + 1000)
    return bk.random_configuration(model, rng), rng.normal(size=model.nv), 5.0 * rng.normal(size=model.nv)


def random_forces(model: bk.Model, seed: int = 0) -> np.ndarray:
    """External wrenches on all bodies but the world."""
    f = np.random.default_rng(seed + 2000).normal(size=(model.nb, 6))
    f[0] = 0.0
    return f


def relative(x: np.ndarray, y: np.ndarray) -> float:
    """Largest difference over the largest value."""
    x, y = np.asarray(x), np.asarray(y)
    return float(np.abs(x - y).max(initial=0.0) / max(np.abs(y).max(initial=0.0), 1e-12))
