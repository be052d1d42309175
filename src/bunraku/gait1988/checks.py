"""Is a solved walk a walk? Foot clearance, scuffing, ZMP in the sole, continuity at the switch of feet, friction
needed.

The swinging foot's sole is a rectangle between heel and toe (`sole_of`); the floor is level, or stairs with a tread
one step long and `gait.rise` high whose edges lie half-way between the feet's soles. All numbers come from the
sampled walk:

    clearance     lowest height of heel and toe above the floor in the middle 60 % of the step     > 10 mm
    scuffing      least slope of the sole's path (height over way from its nearer end), beyond 5 mm   > 0.03
    penetration   deepest point of the sole below the floor at any time                            < 1 mm
    switch        height of the landing sole's lowest point                                        < 1 mm
                  jump of the pelvis' velocity forward and up                                      < 10 mm/s
                  speed of the landing foot sideways                                               < 200 mm/s
    ZMP           the given ZMP lies in the sole, and the ground reaction puts it there             < 1 um off
    lift          the ground only pushes, Fz > 0; the friction coefficient needed                  < 1
    knee          never bends backwards

Sideways the report's condition theta'(0) = -theta'(T) is kept: both legs lean at one rate, so where they differ in
height at the switch (a foot rolling over its edge: up to 3 cm; stairs: the rise) the landing foot slides sideways at
that difference times theta'. The report's flat gait fails four: its swinging foot is 4.9 mm below the floor at the
start and 4.9 mm above it at the end, the pelvis' velocity jumps, and the knee bends backwards by 4 degrees.
Checked in tests/gait1988/test_library.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.gait1988.pattern import Gait
from bunraku.gait1988.solved_walk import Walk
from bunraku.gait1988.twelve_bodies import SOLE_HEEL, SOLE_TOE, UH, F, H, O


@dataclass(frozen=True)
class Check:
    """One check: what was measured, its unit, the bound in words, and whether it holds."""

    name: str
    value: float
    unit: str
    wanted: str
    passed: bool


def sole_of(gait: Gait) -> tuple[float, float]:
    """(heel, toe) in metres from the foot's centre: the ZMP's outer places where the foot rolls over them, else the
    whole sole."""
    heel, toe = SOLE_HEEL, SOLE_TOE
    if gait.beta3 is not None:
        if min(gait.beta3.angle) < -1e-3:
            heel = gait.zmp.x[0]
        if max(gait.beta3.angle) > 1e-3:
            toe = gait.zmp.x[-1]
    return heel, toe


def progress(walk: Walk) -> float:
    """Forward movement of the pelvis in one step, m (ground-fixed: the ZMP's shift under the foot is added)."""
    ground = walk.bodies[:, 2, 0, 0] + walk.zmp
    return float(ground[-1] - ground[0])


def swing_sole(walk: Walk) -> np.ndarray:
    """(n, 2, 3): heel and toe of the swinging foot, ground-fixed: origin under the support foot's centre."""
    c = walk.coordinates
    theta, r1, r2, pitch = c[:, 0, 0], c[:, 5, 0], c[:, 6, 0], -c[:, 7, 0]
    hip = walk.joints[:, 3]
    down = -(2.0 * O * np.cos(r1) + 2.0 * F * np.cos(r2))
    ankle = hip + np.stack(
        [2.0 * O * np.sin(r1) + 2.0 * F * np.sin(r2), down * np.sin(theta), down * np.cos(theta)], axis=1
    )
    out = np.empty((len(pitch), 2, 3))
    for k, edge in enumerate(sole_of(walk.gait)):
        out[:, k] = ankle + np.stack(
            [
                edge * np.cos(pitch) - (H + UH) * np.sin(pitch),
                np.zeros_like(pitch),
                -edge * np.sin(pitch) - (H + UH) * np.cos(pitch),
            ],
            axis=1,
        )
    out[:, :, 0] += walk.zmp[:, None]
    return out


def floor_height(gait: Gait, x: np.ndarray, step: float) -> np.ndarray:
    """Height of the floor or stairs at x (support foot's centre at 0, its tread at height 0)."""
    if gait.rise == 0.0:
        return np.zeros_like(x)
    middle = 0.5 * sum(sole_of(gait))
    return gait.rise * np.floor((x - middle) / step + 0.5)


def check_walk(walk: Walk) -> list[Check]:
    """All checks of one walk."""
    gait = walk.gait
    heel, toe = sole_of(gait)
    step = progress(walk)
    sole = swing_sole(walk)
    height = sole[:, :, 2] - floor_height(gait, sole[:, :, 0], step)
    # at the two ends the foot stands on its own tread: the nearest one, not the one past a nearby edge
    phase = walk.time / gait.step_time
    middle = (phase >= 0.2) & (phase <= 0.8)
    height[0] = sole[0, :, 2] + gait.rise
    height[-1] = sole[-1, :, 2] - gait.rise
    clearance = float(height[middle].min())
    way = np.minimum(np.abs(sole[:, :, 0] - sole[0, :, 0]), np.abs(sole[:, :, 0] - sole[-1, :, 0]))
    far = way > 5e-3
    slope = float((height[far] / way[far]).min()) if far.any() else 0.0
    penetration = float(max(0.0, -height.min()))
    landing = float(height[-1].min())
    pelvis = walk.bodies[:, 2, :, 1]
    jump = float(np.abs(pelvis[-1, [0, 2]] - pelvis[0, [0, 2]]).max())
    sideways = float(abs(walk.bodies[-1, 10, 1, 1]))
    offset = float(np.abs(walk.residual / walk.force[:, 2:]).max())
    knees = min(
        float((walk.coordinates[:, 3, 0] - walk.coordinates[:, 2, 0]).min()),
        float((walk.coordinates[:, 5, 0] - walk.coordinates[:, 6, 0]).min()),
    )
    friction = float((np.hypot(walk.force[:, 0], walk.force[:, 1]) / walk.force[:, 2]).max())
    places = gait.zmp
    return [
        Check("clearance", 1e3 * clearance, "mm", "> 10", clearance > 10e-3),
        Check("scuffing slope", slope, "", "> 0.03", slope > 0.03),
        Check("penetration", 1e3 * penetration, "mm", "< 1", penetration < 1e-3),
        Check("landing height", 1e3 * landing, "mm", "within 1", abs(landing) < 1e-3),
        Check("pelvis velocity jump", 1e3 * jump, "mm/s", "< 10", jump < 10e-3),
        Check("landing sideways", 1e3 * sideways, "mm/s", "< 200", sideways < 0.2),
        Check(
            "ZMP to sole's edge",
            1e3 * min(toe - max(places.x), min(places.x) - heel),
            "mm",
            ">= 0",
            places.inside_sole(heel - 1e-9, toe + 1e-9),
        ),
        Check("ZMP off its place", 1e6 * offset, "um", "< 1", walk.mode != "exact" or offset < 1e-6),
        Check("least lift", float(walk.force[:, 2].min()), "N", "> 0", bool(walk.force[:, 2].min() > 0.0)),
        Check("friction needed", friction, "", "< 1", friction < 1.0),
        Check("straightest knee", float(np.degrees(knees)), "deg", "> 0", knees > 0.0),
        Check(
            "trunk lean", float(np.degrees(np.abs(walk.psi).max())), "deg", "< 52", bool(np.abs(walk.psi).max() < 0.9)
        ),
    ]
