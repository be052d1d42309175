"""The figures by which walks are compared: cadence, angles, humps of the ground reaction, moments, of a gait as planned.

People's own at 1.3 m/s stand beside them (`PEOPLE`): knee, hip and ankle after Perry & Burnfield (2010), times and
forces after Winter (2009), speed after Bohannon (1997); docs/gaits.md. Angles in degrees, forces in weights, moments per
kilogram. A cycle begins with the left heel's strike. Checked in tests/gaits/test_make_gait.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.gaits.gait import Gait
from bunraku.gaits.step_problem import GRAVITY

SAMPLES = 400
PEOPLE = {  # at 1.3 m/s, 1.7 m tall: least and most of what is usual
    "cadence": (104.0, 126.0),
    "step length": (0.61, 0.75),
    "both feet down": (16.0, 28.0),
    "knee at strike": (0.0, 15.0),
    "knee in loading": (10.0, 25.0),
    "knee in midstance": (0.0, 12.0),
    "knee in swing": (50.0, 70.0),
    "hip ahead": (20.0, 35.0),
    "hip back": (10.0, 20.0),
    "first hump": (1.02, 1.25),
    "second hump": (1.02, 1.25),
    "valley": (0.6, 0.9),
    "centre of mass up and down": (0.03, 0.06),
    "arm swing": (20.0, 40.0),
    "ankle moment": (1.2, 1.7),
}
UNITS = {
    "cadence": "steps/min", "step length": "m", "both feet down": "% of the cycle", "first hump": "weights",
    "second hump": "weights", "valley": "weights", "centre of mass up and down": "m", "ankle moment": "N m/kg",
}  # fmt: skip


def gait_figures(gait: Gait) -> dict[str, float]:
    """The figures of a gait, by name."""
    T, name = gait.plan.seconds, gait.twin.index
    u = (np.arange(SAMPLES) + 0.5) / SAMPLES  # of a cycle of two steps
    times = 2 * T * u
    Q = gait.at(times)[0]
    knee, hip = np.degrees(Q[:, name["left_knee"]]), -np.degrees(Q[:, name["left_hip y"]])
    arm = np.degrees(Q[:, name["left_shoulder y"]])
    load = gait.forces_at(times)[:, :, :, 2].sum(axis=2) / (gait.mass * GRAVITY)
    left, stands = load[:, 0], load > 1e-3
    stance = float(u[(u > 0.3) & ~stands[:, 0]].min())  # until the toe leaves
    w = u / stance  # of stance
    tau = gait.torques(times)[0]
    com = gait.height_of_com(times)
    return {
        "speed": gait.plan.speed,
        "cadence": 60 / T,
        "step length": gait.plan.length,
        "both feet down": 100 * float(np.mean(stands.all(axis=1))),
        "knee at strike": float(knee[0]),
        "knee in loading": float(knee[w < 0.35].max()),
        "knee in midstance": float(knee[(w > 0.35) & (w < 0.75)].min()),
        "knee in swing": float(knee[u > stance].max()),
        "hip ahead": float(hip.max()),
        "hip back": float(-hip.min()),
        "first hump": float(left[w < 0.5].max()),
        "second hump": float(left[(w > 0.5) & (w <= 1)].max()),
        "valley": float(left[(w > 0.3) & (w < 0.7)].min()),
        "centre of mass up and down": float(np.ptp(com)),
        "arm swing": float(np.ptp(arm)),
        "ankle moment": float(np.abs(tau[:, name["left_ankle y"]]).max()) / gait.mass,
    }


def rows(figures: dict[str, float]) -> list[tuple[str, str]]:
    """The figures in words, with people's where the speed is theirs."""
    usual = abs(figures["speed"] - 1.3) < 0.11
    out = []
    for key, value in figures.items():
        unit = UNITS.get(key, "m/s" if key == "speed" else "degrees")
        text = f"{value:.3g} {unit}"
        if usual and key in PEOPLE:
            low, high = PEOPLE[key]
            text += f" (people {low:g} to {high:g})"
        out.append((key, text))
    return out
