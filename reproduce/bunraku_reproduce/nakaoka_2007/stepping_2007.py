"""Section 4: boxes on a slope, a closed loop, stepping in place, rubber bushes."""

from __future__ import annotations

import numpy as np

import bunraku as bk
from bunraku_reproduce.experiment import Experiment, part
from bunraku_reproduce.nakaoka_2007.claims_2007 import small

PAPER = {"contact": "pgs_2007", "integrator": "rk4"}


@part(
    "Boxes falling on a slope",
    section="4",
    figure="2",
    how="bunraku run slope --contact pgs_2007",
    printed="Box-shaped bodies of several sizes that fell on a slope and on each other.",
)
def boxes(e: Experiment) -> None:
    from bunraku.draw.picture import png_bytes
    from bunraku.draw.world_pictures import strobe
    from bunraku.scene import load

    r = load("slope").changed(**PAPER).run()
    sticks, slides = r.world["sticks"], r.world["slides"]
    landed = int(np.searchsorted(r.time, 0.1))  # it starts 0.1 mm above the slope
    small(
        e,
        "boxes/penetration",
        "4",
        "many bodies touch at the same time, stably: deepest penetration",
        1e-4,
        r.penetration,
        unit="m",
    )
    small(
        e,
        "boxes/sticks",
        "4, (9)",
        "what friction holds (0.6 on 25 degrees) does not creep in 1.9 s",
        1e-6,
        float(np.linalg.norm(sticks.q[:3] - r.q[landed][sticks.part.q][:3])),
        unit="m",
    )
    # from rest, mu 0.2 on 25 degrees, until it leaves the slope; the first half second is on it
    t, x = r.time, r.q[:, slides.part.q][:, :3]
    k = int(np.searchsorted(t, 0.5))
    way = float(np.linalg.norm(x[k] - x[0]))
    a = 9.80665 * (np.sin(np.radians(25)) - 0.2 * np.cos(np.radians(25)))
    e.zero(
        "boxes/slides",
        "4, (10)",
        "what it does not hold (0.2) slides as a = g (sin - µ cos) says: way in 0.5 s, relative",
        way / (0.5 * a * t[k] ** 2) - 1.0,
        tolerance=0.01,
    )
    e.holds(
        "boxes/energy",
        "4",
        "stable: energy never grows",
        f"largest gain between samples {np.diff(r.energy).max():.1e} J",
        np.diff(r.energy).max() < 1e-3,
    )
    e.picture(
        png_bytes(strobe(r)),
        "Printed: boxes lying on a slope and below it. Ours: the built-in scene, several instants in "
        "one picture; the "
        "darker the later.",
    )


@part(
    "A closed loop",
    section="4",
    figure="3",
    how="bunraku run linkage --contact pgs_2007",
    printed="A mechanism of links, given as an open chain; a red and a blue part are connected along two axes.",
)
def loop(e: Experiment) -> None:
    from bunraku.draw.picture import png_bytes
    from bunraku.draw.world_pictures import strobe
    from bunraku.scene import load

    scene = load("linkage").changed(**PAPER)
    world = scene.build()
    world.step()
    e.equal(
        "loop/axes",
        "4, Fig. 3",
        "axes of the connection that closes the open chain",
        2,
        world.report.rows,
        tolerance=0,
    )
    worst = {}
    for integrator in ("euler", "rk4"):
        r = scene.changed(integrator=integrator).run()
        tips = [bk.kinematics(r.world["linkage"].model, np.ascontiguousarray(q)).pose("tip")[0] for q in r.q]
        worst[integrator] = float(np.abs(np.array(tips) - [0.8, 0, 0])[:, [0, 2]].max())
    small(
        e,
        "loop/euler",
        "4, Fig. 3",
        "the loop stays closed for 3 s, semi-implicit Euler: open by at most",
        2e-4,
        worst["euler"],
        unit="m",
    )
    small(e, "loop/rk4", "4, Fig. 3", "and by Runge-Kutta 4", 1e-9, worst["rk4"], unit="m")
    span = float(np.ptp(r.energy)) / float(np.ptp([potential(r, q) for q in r.q]))
    small(e, "loop/energy", "4, Fig. 3", "it swings without loss: change of energy, of the largest drop", 1e-5, span)
    e.picture(
        png_bytes(strobe(r)),
        "Printed: a mechanism of rods and discs in several poses. Ours: a four-bar linkage, an open "
        "chain of three links whose tip is "
        "connected to the world along x and z.",
    )


def potential(r: object, q: np.ndarray) -> float:
    """Potential energy [J] of a pose of the linkage."""
    m = r.world["linkage"].model  # type: ignore[attr-defined]
    return float(bk.energy(m, np.ascontiguousarray(q), np.zeros(m.nv)))


@part(
    "Stepping: the force under a foot",
    section="4",
    figure="4",
    how='bunraku walk --footsteps "eight steps in place" --contact pgs_2007 --bushes',
    printed="Vertical force at the left ankle of HRP-2 over some seconds, robot and simulation, "
    "nearly the same and without noise.",
)
def stepping(e: Experiment) -> None:
    from bunraku.draw.walk_plots import plot_forces

    done, explicit = (
        bk.walk(None, "eight steps in place", bushes=True, contact="pgs_2007", integrator=integrator)
        for integrator in ("euler", "rk4")
    )
    report = done.report
    up = report.loads.force[..., 2] / report.loads.weight
    e.holds(
        "stepping/walked",
        "4",
        "HRP-2 steps on the spot",
        f"{len(report.landings)} of 8 steps, {'fell' if done.fell else 'no fall'}",
        done.fell is None and len(report.landings) == 8,
    )
    small(
        e,
        "stepping/noise",
        "4, Fig. 4",
        "next to no noise in the curve: above 30 Hz, root mean square, on one foot, of the weight",
        0.01,
        report.noise_alone[1],
    )
    small(
        e,
        "stepping/peak",
        "Fig. 4",
        "and landings without blows: the largest force of a foot, of the weight",
        1.1,
        float(up.max()),
    )
    small(
        e,
        "stepping/peak-rk4",
        "4, Fig. 4",
        "the same by Runge-Kutta 4, as the paper has it",
        1.1,
        float(explicit.report.loads.force[..., 2].max() / explicit.report.loads.weight),
        reason="Runge-Kutta takes torques explicitly, and our feet are light, 2 kg: their rubber can have but little "
        "damping at 1 ms, so it rings at landings. HRP-2's feet and rubber are not printed.",
    )
    e.zero(
        "stepping/weight",
        "Fig. 4",
        "both feet together carry the weight: mean over the steps, in weights, less 1",
        float(up.sum(axis=1)[500:-500].mean()) - 1.0,
        tolerance=0.01,
    )
    alone = up[up[:, 1] == 0.0, 0]
    e.zero(
        "stepping/alone",
        "Fig. 4",
        "the foot that stands alone carries all of it: median, in weights, less 1",
        float(np.median(alone)) - 1.0,
        tolerance=0.01,
    )
    e.holds(
        "stepping/robot",
        "4, Fig. 4",
        "the curve is that of the robot",
        "no measured curve to compare with",
        False,
        reason="The robot's curve is printed as a picture without numbers. `bunraku walk --compare "
        "measured.csv` lays a measured one over ours "
        "and says how far it is.",
    )
    e.picture(
        plot_forces(report),
        "Printed: a trapezoid for each step, robot and simulation. Ours: both feet, in shares of the "
        "weight, and how each foot touches.",
    )


@part(
    "Rubber bushes below the ankles",
    section="4",
    figure="5",
    how="bk.bushes(bk.human(), ('left_foot', 'right_foot'))",
    printed="A foot with three virtual joints below the ankle – vertical, pitch, roll – with springs and dampers.",
)
def rubber(e: Experiment) -> None:
    feet = ("left_foot", "right_foot")
    rigid = bk.human()
    stiffness = 2e5
    soft = bk.bushes(rigid, feet, bk.Bushes(stiffness=stiffness)).build()
    joints = [j for j in soft.joints if "bush" in j.name]
    e.equal(
        "bushes/axes", "4, Fig. 5", "virtual joints of a foot: vertical, pitch, roll", 3, len(joints) / 2, tolerance=0
    )
    e.zero("bushes/mass", "4", "the figure weighs what it did", soft.mass - rigid.mass, tolerance=1e-9, unit="kg")
    world = bk.World()
    world.add_ground()
    figure = world.add(soft)
    figure.servo(1e5, 1e3, joints=[j.name for j in rigid.joints if j.nv and j.kind != "free"])
    figure.q[2] -= min(figure.pose(name)[0][2] for name in feet) - sole_height(rigid)
    world.run(3.0)
    # what the springs carry: all but the feet's own share below the rubber
    below = 0.7 * sum(link.inertia.mass for link in rigid.description.links if link.name in feet)
    wanted = (rigid.mass - below) * 9.80665 / (2 * stiffness)
    sunk = float(np.mean([-figure.q[soft.joint(f"{f}_bush_z").q].item() for f in feet]))
    e.zero(
        "bushes/sink",
        "4",
        f"springs carry the figure that stands: it sinks by {1e3 * abs(sunk):.3f} mm, and weight / stiffness, relative",
        abs(sunk) / wanted - 1.0,
        tolerance=0.01,
    )


def sole_height(m: bk.Model) -> float:
    """Height [m] of the foot's origin above its sole."""
    k = bk.kinematics(m, m.neutral())
    shape = next(s for s in m.description.links if s.name == "left_foot").shapes[0]
    p, R = k.pose("left_foot")
    return float(p[2] - (p + R @ np.asarray(shape.position))[2] + shape.size[2])
