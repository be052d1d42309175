"""What a load changes in a walk: its zero-moment point, the torques of its joints, and what the grips bear.

    ZMP       of the planned motion with the load, less that of the body alone in the same motion, as the figure heads:
              how far the body moves aside to carry it
    torques   root mean square of each joint: as it was measured; as planned with the load; as planned for the same
              motion without it
    grips     the largest force [N] between each link and what it holds, looked at every 20 ms
SI units. Checked in tests/walking/test_carrying.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bunraku.model.model import Model
from bunraku.walking.walk_report import WalkReport
from bunraku.walking.walker import Walker
from bunraku.walking.walking_pattern import WalkingPattern
from bunraku.walking.walking_torques import walking_torques
from bunraku.walking.whole_zmp import rates, whole_zmp


def load_report(walker: Walker, report: WalkReport) -> dict[str, Any]:
    """See the module text, as plain data."""
    holding, pattern = walker.holding, walker.pattern
    assert holding is not None
    load = holding.load
    bare = replace(pattern, humanoid=replace(pattern.humanoid, model=holding.bare, holding=None))
    measured = by_joint(walker.model, report.driven, report.torques)
    planned, without = (rms_of_joints(p) for p in (pattern, bare))
    ahead, left = np.nanmean(moved(pattern, holding.bare), axis=0)
    return {
        "words": load.words or f"{load.mass:g} kg",
        "mass_kg": load.mass,
        "carried_kg": load.carried,
        "zmp_moved_m": {"ahead": float(ahead), "left": float(left)},
        "torques_N_m": {
            name: {"rms": measured.get(name), "planned": planned[name], "without": without[name]} for name in planned
        },
        "grips": {link: {"most_N": float(most)} for link, most in zip(load.held, walker.pulled)},
    }


def moved(pattern: WalkingPattern, bare: Model) -> np.ndarray:
    """(n, 2): the zero-moment point with the load less that of the body alone, ahead and to the left [m]."""
    v, a = rates(bare, pattern.q, pattern.dt)
    alone = whole_zmp(bare, pattern.q, v, a, pattern.zmp[:, 2])
    off = (pattern.multibody_zmp - alone)[:, :2]
    ahead = pattern.sole_rotation[:, :, :2, 0].sum(axis=1)
    ahead /= np.linalg.norm(ahead, axis=1)[:, None]
    return np.column_stack([np.sum(off * ahead, axis=1), ahead[:, 0] * off[:, 1] - ahead[:, 1] * off[:, 0]])


def rms_of_joints(pattern: WalkingPattern) -> dict[str, float]:
    """Root mean square of each joint's planned torque [N m]."""
    tau, m = walking_torques(pattern), pattern.model
    return {j.name: rms(tau[:, j.v]) for j in m.joints if j.nv and j.kind != "free"}


def by_joint(model: Model, names: tuple[str, ...], torques: np.ndarray) -> dict[str, float]:
    """The same of measured torques, whose columns are degrees of freedom by name."""
    at = {name: k for k, name in enumerate(names)}
    out: dict[str, float] = {}
    for j in model.joints:
        columns = [at[name] for name in model.dof_names[j.v] if name in at] if j.nv else []
        if columns:
            out[j.name] = rms(torques[:, columns])
    return out


def rms(x: np.ndarray) -> float:
    """Root mean square of the length of rows."""
    return float(np.sqrt(np.mean(np.sum(x * x, axis=1))))
