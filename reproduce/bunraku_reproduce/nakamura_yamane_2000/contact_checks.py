"""Sections 4.3, 4.4, 4.6, 4.8: whether assumed constraints were right, and how often they are solved anew."""

from __future__ import annotations

import numpy as np

import bunraku as bk
from bunraku_reproduce.experiment import Experiment, part
from bunraku_reproduce.nakamura_yamane_2000.one_box import MASS, REGIONS, SIZE, WEIGHT, G, answer

LX, LY, LZ = SIZE
SURFACE = REGIONS["surface"]
HELD = (5.0, 5.0)  # friction with which nothing slips


@part(
    "Checks of contact forces",
    section="4.4",
    figure="3",
    how="bunraku.step.virtual_link.link_hypotheses.forces(…)",
    printed="A flow chart from collision to the checks. "
    "A contact whose normal force is not positive is released; where the centre of pressure pv leaves "
    "the hull of the region, "
    "the contact becomes a line or a point there.",
)
def checks(e: Experiment) -> None:
    x = answer(SURFACE, (1, 0, 1.2 * WEIGHT, 0, 0, 0))
    e.holds(
        "fz/released",
        "4.4 (1), (24)",
        "fz ≤ 0: all constraints of the contact are released",
        f"state {x.state}, force {np.abs(x.f).max():.0e} N, leaves with {x.a[2]:.3f} m/s2",
        x.state == "none" and not x.f.any() and abs(x.a[2] - 0.2 * G) < 1e-9,
    )
    P = 0.3 * WEIGHT
    x = answer(SURFACE, (P, 0, 0, 0, 0, 0))
    e.table(
        "eq-26",
        "(26)",
        "pv = (-ny/fz, nx/fz), where the push's moment P h/2 puts the pressure",
        (P * LZ / 2 / WEIGHT, 0.0),
        x.pv,
        tolerance=1e-9,
        unit="m",
    )
    T = 1.5 * WEIGHT * LX / 2
    x = answer(SURFACE, (0, 0, 0, 0, T, 0), mu=HELD)
    edge = MASS * (LX * LX + LZ * LZ) / 3
    e.holds(
        "pv/edge",
        "4.4 (2)",
        "pv beyond an edge of the hull: line contact on that edge",
        f"{x.state} at x = {x.pv[0]:.3f} m",
        x.state == "line" and abs(x.pv[0] - LX / 2) < 1e-9,
    )
    e.equal(
        "pv/edge-turn",
        "4.4 (2)",
        "it then turns about that edge with (T - m g lx/2) / I",
        (T - WEIGHT * LX / 2) / edge,
        x.a[4],
        tolerance=1e-6,
        unit="rad/s2",
    )
    x = answer(SURFACE, (0, 0, 0, -1.4 * WEIGHT * LY / 2, 1.4 * WEIGHT * LX / 2, 0), mu=HELD)
    e.holds(
        "pv/vertex",
        "4.4 (2)",
        "pv beyond a vertex of the hull: point contact there",
        f"{x.state} at ({x.pv[0]:.2f}, {x.pv[1]:.2f}) m",
        x.state == "point" and np.abs(x.pv - [LX / 2, LY / 2]).max() < 1e-9,
    )


@part(
    "Centres of pressure and the zero-moment point",
    section="4.4",
    how='bk.load_scene("one_foot"), bk.load_scene("stand"); figure.zmp, world.contacts[k].cop',
    printed="On one foot pv is the zero-moment point; on two feet there is one pv a foot, each within its own sole.",
)
def pressure(e: Experiment) -> None:
    for name, feet in (("one_foot", 1), ("stand", 2)):
        world = bk.load_scene(name).changed(contact="virtual_link").build()
        world.run(0.5)
        figure = world.figures[0]
        soles = [c for c in figure.contacts if c.force[2] > 1.0]
        if feet == 1:
            zmp = figure.zmp
            assert zmp is not None
            off = float(np.linalg.norm(soles[0].cop[:2] - zmp[:2]))
            e.zero("zmp/one-foot", "4.4 (2)", "on one foot pv is the zero-moment point", off, tolerance=1e-6, unit="m")
        else:
            inside = [min(c.margins["edge"] for c in soles)]
            e.holds(
                "zmp/two-feet",
                "4.4 (2)",
                "on two feet each foot has a pv of its own, inside its sole",
                f"{len(soles)} soles, {1000 * inside[0]:.0f} mm inside at the least",
                len(soles) == 2 and inside[0] > 0,
            )


@part(
    "Number of solves",
    section="4.4",
    how='world = bk.World(contact="virtual_link"); world.report.solves',
    printed="The text claims that three rounds of solving are enough.",
)
def solves(e: Experiment) -> None:
    for name, words in (
        ("stand", "standing on both feet"),
        ("one_foot", "standing on one foot"),
        ("spin", "a box that slides and spins"),
    ):
        world = bk.load_scene(name).changed(contact="virtual_link").build()
        most = 0
        for _ in range(300):
            world.step()
            most = max(most, world.report.solves)
        e.at_most(f"solves/{name}", "4.4, 6 (3)", f"solves of a step, {words}", 3, most, unit="solves")
    rng = np.random.default_rng(e.seed)
    counted = [answer(SURFACE, WEIGHT * rng.normal(size=6) * [1, 1, 1, 0.1, 0.1, 0.1]).solves for _ in range(400)]
    share = 100 * float(np.mean(np.array(counted) <= 3))
    e.equal(
        "solves/pushed",
        "4.4, 6 (3)",
        "share of strongly pushed boxes settled in three solves",
        100,
        share,
        tolerance=0.0,
        unit="%",
        reason="Three hold where each check fails once. From a surface over a line to a point that slips it "
        "takes four, and the nearest "
        "point of the hull can be the wrong one; ours goes on to 12, checks that no vertex goes inwards and "
        "that friction opposes slip, "
        "and hands the rest to the iterative solver.",
    )


@part(
    "Impacts and overlap",
    section="4.6",
    how="bunraku.step.virtual_link.link_hypotheses.impact(…); bk.World(…)",
    printed="An impulse over unit time is tested like a force (4.6). Overlap that a discrete time step leaves "
    "is taken back by a corrective "
    "acceleration (4.8).",
)
def impacts(e: Experiment) -> None:
    x = answer(SURFACE, twist=(0.3, 0, -1.0, 0, 0, 0), impact=True)
    e.holds(
        "impact/sticks",
        "4.6",
        "an impulse within the friction cone stops the slip at once",
        f"{x.mode}, friction {abs(x.f[0]):.2f} of {0.8 * x.f[2]:.2f} N s",
        x.mode == "stick" and np.abs(x.a).max() < 1e-9,
    )
    x = answer(SURFACE, twist=(4.0, 0, -1.0, 0, 0, 0), impact=True, size=(0.4, 0.3, 1e-9))
    e.equal(
        "impact/slips",
        "4.6",
        "beyond it the impact slips: friction is muD times the normal impulse",
        0.6,
        -x.f[0] / x.f[2],
        tolerance=1e-9,
    )
    e.equal(
        "impact/normal",
        "(18)",
        "the normal impulse of a flat fall is m v",
        MASS * 1.0,
        x.f[2],
        tolerance=1e-9,
        unit="N s",
    )
    x = answer(SURFACE, lift=3.0)
    e.equal(
        "eq-20b",
        "(20b)",
        "with a corrective acceleration of 3 m/s2 the force is m (g + 3)",
        MASS * (G + 3.0),
        x.f[2],
        tolerance=1e-6,
        unit="N",
    )
    world = bk.World(contact="virtual_link")
    world.add_ground()
    box = world.add(bk.box(SIZE, MASS), at=(0, 0, LZ / 2 - 0.005))
    speeds, height = [], []
    for _ in range(300):
        world.step()
        speeds.append(box.v[2])
        height.append(box.q[2] - LZ / 2)
    e.holds(
        "overlap/gone",
        "4.8",
        "overlap is taken back by an acceleration that depends on it",
        f"5 mm are gone, at {max(speeds):.2f} m/s at the most; it rises to {1000 * max(height):.0f} mm and "
        f"comes to rest within "
        f"{1e6 * abs(height[-1]):.1f} um",
        abs(height[-1]) < 1e-5 and max(speeds) < 0.5 + 1e-9,
    )
    world = bk.World(dt=0.01, contact="virtual_link")
    world.add_ground()
    box = world.add(bk.box(SIZE, MASS), at=(0, 0, 1.1))
    world.run(2.0)
    e.holds(
        "stable/fall",
        "2.4, 6 (3)",
        "rigid contact needs no small sampling time: a fall from 1 m in steps of 10 ms",
        f"at rest ({np.abs(box.v).max():.0e} m/s), {1000 * (box.q[2] - LZ / 2):.2f} mm above the floor",
        np.abs(box.v).max() < 1e-6 and abs(box.q[2] - LZ / 2) < 1e-3,
    )
