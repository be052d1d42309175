"""Sections 4.5 and 4.7: friction of a region and its moment about the normal, equations (27) to (36)."""

from __future__ import annotations

import numpy as np

from bunraku_reproduce.experiment import Experiment, part
from bunraku_reproduce.nakamura_yamane_2000.one_box import (
    MASS,
    MU_D,
    MU_S,
    REGIONS,
    SIZE,
    SOLE,
    WEIGHT,
    answer,
    arm_rows,
    inertia,
)

SURFACE = REGIONS["surface"]
FLAT = (0.4, 0.3, 1e-9)  # without height pv stays in the middle
SHORT = 1e-7  # s: the law holds at the end of a step, so that a short one gives that of the present motion


@part(
    "Friction of a region",
    section="4.5",
    how="bunraku.step.virtual_link.link_hypotheses.forces(…)",
    printed="Friction (27), (28) and its moment (29) of a region that slides, (30) of one that turns about pv; "
    "between the two they fade with "
    "exp(-k l), l the distance from pv to the centre of rotation. Static limits (31) and (33), the direction "
    "at the onset of slip (32).",
)
def region(e: Experiment) -> None:
    twist = np.array([1.2, -0.7, 0, 0, 0, 0])
    s = twist[:2] / np.linalg.norm(twist[:2])
    x = answer(SURFACE, twist=twist, size=FLAT, dt=SHORT)
    e.table(
        "eq-27-28",
        "(27), (28)",
        "sliding without turning: f = -muD fz s",
        -MU_D * WEIGHT * s,
        x.f[:2],
        tolerance=1e-4,
        unit="N",
    )
    tall = answer(SURFACE, (0, 0, 0, 0.5, 0.4, 0), twist, dt=SHORT)
    by_pv = tall.pv[0] * tall.f[1] - tall.pv[1] * tall.f[0]
    printed = -tall.pv[0] * tall.f[1] + tall.pv[1] * tall.f[0]
    e.equal(
        "eq-29",
        "(29)",
        "moment of the friction about the origin, nz = -pvx fy + pvy fx",
        printed,
        tall.f[5],
        tolerance=1e-6,
        unit="N m",
        reason="With (26) and friction that acts at pv the moment is +pvx fy - pvy fx: the printed sign is the "
        "opposite.",
    )
    e.zero(
        "eq-29-sign",
        "(26), (29)",
        "nz is the moment of the friction at pv, pvx fy - pvy fx",
        tall.f[5] - by_pv,
        tolerance=1e-6,
        unit="N m",
    )
    d = mean_distance(0.4, 0.3)
    x = answer(SURFACE, twist=(0, 0, 0, 0, 0, 6.0))
    e.equal(
        "eq-30",
        "(30)",
        "turning about pv: nz = -sgn(wz) muD fz d",
        -MU_D * WEIGHT * d,
        x.f[5],
        tolerance=1e-5,
        unit="N m",
    )
    e.zero(
        "eq-30-force",
        "4.5 (2)",
        "and the friction of the parts cancels out",
        np.abs(x.f[:2]).max(),
        tolerance=1e-9,
        unit="N",
    )
    sole = answer(SOLE, twist=(0, 0, 0, 0, 0, 6.0), size=(0.19, 0.12, 1e-9))
    e.equal(
        "sole-d",
        "4.5 (2), 5",
        "representative size d of the 19 x 12 cm sole: its mean distance from pv",
        0.060,
        sole.d,
        tolerance=5e-4,
        unit="m",
    )
    for name, wz in (("near", 6.0), ("far", 2.0)):
        x = answer(SURFACE, twist=(1.5, 0, 0, 0, 0, wz), size=FLAT, dt=SHORT)
        fade = np.exp(-1.5 / wz / d)
        wanted = (-MU_D * WEIGHT * (1 - fade), -MU_D * WEIGHT * d * fade)
        e.table(
            f"fade/{name}",
            "4.5",
            f"sliding and turning, l = {1.5 / wz:.2f} m: (1 - exp(-l/d)) of the force, exp(-l/d) of the moment",
            wanted,
            (x.f[0], x.f[5]),
            tolerance=2e-4,
            unit="N, N m",
        )


@part(
    "Limits of sticking",
    section="4.5",
    how="as above, pushed to the limit",
    printed="|f| ≤ muS fz (31); beyond it slip begins along -f (32). |nz| ≤ nzS (33) with the friction's share "
    "taken off.",
)
def limits(e: Experiment) -> None:
    direction = np.array([np.cos(0.7), np.sin(0.7)])
    at = [answer(SURFACE, (*(k * MU_S * WEIGHT * direction), 0, 0, 0, 0), size=FLAT) for k in (0.999, 1.001)]
    e.holds(
        "eq-31",
        "(31)",
        "sticks up to muS fz, slips beyond",
        f"{at[0].mode} at 0.999, {at[1].mode} at 1.001 of it",
        (at[0].mode, at[1].mode) == ("stick", "slip"),
    )
    slip = at[1].a[:2] / np.linalg.norm(at[1].a[:2])
    e.table(
        "eq-32", "(32)", "slip begins against the friction that was needed, s = -f/|f|", direction, slip, tolerance=1e-6
    )
    d = mean_distance(0.4, 0.3)
    twist = [answer(SURFACE, (0, 0, 0, 0, 0, k * MU_S * WEIGHT * d)) for k in (0.999, 1.001)]
    e.holds(
        "eq-33",
        "(33)",
        "turns only beyond nzS = d muS fz",
        f"{twist[0].mode} at 0.999, {twist[1].mode} at 1.001 of it",
        twist[0].mode == "stick" and twist[1].mode != "stick",
    )
    half = 0.5 * MU_S * WEIGHT
    share = [answer(SURFACE, (half, 0, 0, 0, 0, k * d * half), size=FLAT) for k in (0.99, 1.01)]
    e.holds(
        "eq-33-shared",
        "4.5",
        "with a force the limit of the moment is d (muS fz - |f|)",
        f"{share[0].mode} at 0.99, {share[1].mode} at 1.01 of it",
        share[0].mode == "stick" and share[1].mode != "stick",
    )


@part(
    "Friction inside the equation",
    section="4.7",
    how="as above",
    printed="The row of fz takes friction along, ĥ = h_fz - muD (sx h_fx + sy h_fy) (36), and (20) becomes the "
    "unsymmetric (20a).",
)
def rows(e: Experiment) -> None:
    """(20a) solved densely, with the friction's rows written down here, for a tall box that slides (pv moves)."""
    twist, push = np.array([1.2, -0.7, 0, 0, 0, 0]), np.array([2.0, 1.0, 0, 0.05, -0.1, 0.02])
    x = answer(SURFACE, push, twist, dt=SHORT)
    M, J = inertia(SIZE, MASS), arm_rows(SIZE[2])
    s = twist[:2] / np.linalg.norm(twist[:2])
    held, moved = J[[2, 3, 4]], J[[2, 3, 4]].copy()
    moved[0] += -MU_D * (s[0] * J[0] + s[1] * J[1])
    # friction acts at pv = (-ny, nx) / fz: nz = pvx fy - pvy fx = muD (sy ny + sx nx)
    moved[1] += MU_D * s[0] * J[5]
    moved[2] += MU_D * s[1] * J[5]
    matrix = np.block([[M, -moved.T], [held, np.zeros((3, 3))]])
    right = np.concatenate([push - WEIGHT * np.eye(6)[2], np.zeros(3)])
    dense = np.linalg.solve(matrix, right)
    force = dense[6:]
    e.table(
        "eq-34-35",
        "(34), (35)",
        "fx = -muD sx fz, fy = -muD sy fz",
        -MU_D * s * force[0],
        x.f[:2],
        tolerance=2e-4,
        unit="N",
    )
    e.table("eq-36", "(36)", "fz, nx, ny of the changed rows", force, x.f[2:5], tolerance=2e-4, unit="N, N m")
    e.table("eq-20a", "(20a)", "accelerations of the six rows", J @ dense[:6], x.a, tolerance=2e-3, unit="m/s2, rad/s2")


def mean_distance(lx: float, ly: float, n: int = 2000) -> float:
    """Of a rectangle from its middle [m], by a grid."""
    x, y = ((np.arange(n) + 0.5) / n - 0.5) * lx, ((np.arange(n) + 0.5) / n - 0.5) * ly
    return float(np.hypot(x[:, None], y[None, :]).mean())
