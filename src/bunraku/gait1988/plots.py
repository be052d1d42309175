"""Plots of a walk: angles, ground reaction, ZMP and path of the mass centre, footmarks, torques, power (matplotlib, no display
needed).

`walk_plots(walk)` gives name -> PNG bytes. The plots read the arrays of a Walk (SI) and add nothing. matplotlib is
imported on first use only. Checked by looking, and in tests/gait1988/test_walker_solids.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bunraku.draw.plotting import COLORS, figure, lines, png, stacked
from bunraku.gait1988.checks import floor_height, progress, sole_of, swing_sole
from bunraku.gait1988.servo import drives
from bunraku.gait1988.solved_walk import Walk
from bunraku.gait1988.steps import walk_on
from bunraku.gait1988.twelve_bodies import MASS, SOLE_HALF_WIDTH, D


def title_of(walk: Walk) -> str:
    """'flat gait, exact, 0.277 m step in 1.0 s'."""
    arms = ", arms free" if walk.arms_free else ""
    return f"{walk.gait.name} gait, {walk.mode}{arms}, one step in {walk.gait.step_time:g} s"


def plot_angles(walk: Walk) -> bytes:
    """theta, psi and their rates."""
    c = np.degrees(walk.coordinates)
    angles = {"theta (legs, sideways)": c[:, 0, 0], "psi (trunk, forward)": c[:, 1, 0]}
    if walk.arms_free:
        angles |= {"upper arm": c[:, 8, 0], "forearm": c[:, 9, 0]}
    rates = {"theta'": c[:, 0, 1], "psi'": c[:, 1, 1]}
    return png(stacked(title_of(walk), walk.time, (angles, "angle, degrees"), (rates, "rate, degrees/s"))[0])


def plot_legs(walk: Walk) -> bytes:
    """The leg angles that drive the walk."""
    c, names = np.degrees(walk.coordinates[:, :, 0]).T, ("thigh", "shank", "foot")
    left = {f"left {name}": angle for name, angle in zip(names, c[2:5])}
    right = {f"right {name}": -angle for name, angle in zip(names, c[5:8])}
    return png(stacked(title_of(walk), walk.time, (left, "pitch, degrees"), (right, "pitch, degrees"))[0])


def plot_forces(walk: Walk) -> bytes:
    """Ground reaction."""
    forward, sideways, upward = walk.force.T
    rows = ({"forward": forward, "sideways": sideways}, "force, N"), ({"upward": upward}, "force, N")
    drawing, axes = stacked(title_of(walk), walk.time, *rows)
    axes[1].axhline(9.81 * 9.81 * MASS.sum(), color="0.6", lw=0.8, ls=":")
    return png(drawing)


def plot_zmp(walk: Walk) -> bytes:
    """ZMP against the sole, and the mass centre above it."""
    drawing, axes = figure(2, title_of(walk))
    heel, toe = (1e3 * edge for edge in sole_of(walk.gait))
    centre = np.einsum("i,nia->na", MASS / MASS.sum(), walk.bodies[..., 0])
    axes[0].axhspan(heel, toe, color="0.93", label="sole")
    axes[0].step(walk.time, 1e3 * walk.zmp, where="pre", color=COLORS[0], label="ZMP")
    axes[0].plot(walk.time, 1e3 * (centre[:, 0] + walk.zmp), color=COLORS[1], label="mass centre")
    axes[0].set_ylabel("forward of foot, mm")
    axes[0].legend(fontsize=8)
    lines(axes[1], walk.time, {"mass centre": 1e3 * centre[:, 1], "ZMP": np.zeros_like(walk.time)}, "sideways, mm")
    return png(drawing)


def plot_foot(walk: Walk) -> bytes:
    """Path of the swinging foot's heel and toe over the floor (the report's Fig. 6.4, seen from the side)."""
    drawing, axes = figure(1, title_of(walk), (7.5, 3.0))
    sole = 1e3 * swing_sole(walk)
    step = progress(walk)
    x = np.linspace(sole[..., 0].min(), sole[..., 0].max(), 400)
    floor = 1e3 * floor_height(walk.gait, x / 1e3, step)
    axes[0].fill_between(x, floor, floor.min() - 10.0, color="0.9", step="mid")
    for k, name in enumerate(("heel", "toe")):
        axes[0].plot(sole[:, k, 0], sole[:, k, 2], color=COLORS[k], lw=1.5, label=name)
    for row in np.linspace(0, len(sole) - 1, 9).astype(int):
        axes[0].plot(sole[row, :, 0], sole[row, :, 2], color="0.5", lw=0.8)
    axes[0].set_xlabel("forward of the support foot, mm")
    axes[0].set_ylabel("height, mm")
    axes[0].legend(fontsize=8)
    return png(drawing)


def plot_footmarks(walk: Walk, steps: int = 4) -> bytes:
    """Footmarks and ZMP over several steps: from above (the report's Figs 6.4, 7.3), and forward against time with the
    centres of both feet (Fig. 3.1(b)); feet of a mirror-image step fall on each other."""
    path = walk_on(walk, steps)
    drawing, axes = figure(2, title_of(walk).replace("one step", f"{steps} steps, one"), (8.0, 3.2), share=False)
    above, against = axes
    heel, toe = sole_of(walk.gait)
    feet = {"left": 11, "right": 10}
    for k in range(steps):
        rows = np.flatnonzero(path.step == k)
        side = "left" if k % 2 == 0 else "right"
        color, middle = COLORS[k % 2], rows[len(rows) // 2]
        x, y = path.bodies[middle, feet[side], :2]
        above.add_patch(sole_mark(x + heel, y, toe - heel, color))
        above.plot(x, y, "o", color=color, ms=4, label=f"centre of the {side} foot" if k < 2 else None)
        landing = path.bodies[rows[-1], feet["right" if side == "left" else "left"], :2]
        above.plot([x, landing[0]], [y, landing[1]], color="0.75", lw=0.8, zorder=0)
    swung = "right" if steps % 2 else "left"
    x, y = path.bodies[-1, feet[swung], :2]
    above.add_patch(sole_mark(x + heel, y, toe - heel, "0.5"))
    places = np.unique(path.zmp[:, :2].round(6), axis=0)
    above.plot(places[:, 0], places[:, 1], "kx", ms=5, label="ZMP")
    above.set_aspect("equal")
    above.set_ylim(-2.0 * D - 0.12, 0.12)
    above.set_xlabel("forward, m")
    above.set_ylabel("sideways, m")
    above.legend(fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    for k, (side, body) in enumerate(feet.items()):
        against.plot(path.time, path.bodies[:, body, 0], color=COLORS[k], lw=1.5, label=f"{side} foot")
    against.plot(path.time, path.zmp[:, 0], color="black", lw=1.0, drawstyle="steps-pre", label="ZMP")
    against.set_xlabel("time, s")
    against.set_ylabel("forward, m")
    against.legend(fontsize=8)
    return png(drawing)


def sole_mark(x: float, y: float, length: float, color: str) -> Any:
    """A footmark: the outline of a sole whose heel is at x."""
    from matplotlib.patches import Rectangle

    return Rectangle((x, y - SOLE_HALF_WIDTH), length, 2.0 * SOLE_HALF_WIDTH, fill=False, ec=color, lw=1.2)


def plot_drives(walk: Walk, what: str) -> bytes:
    """Torque or power of the drives: pitch above, roll below."""
    every = drives(walk)
    unit = {"torque": "torque, N m", "power": "power, W"}[what]
    rows = [
        ({d.name.replace("_", " "): getattr(d, what) for d in every if d.name.endswith("_roll") == roll}, unit)
        for roll in (False, True)
    ]
    drawing, axes = stacked(title_of(walk), walk.time, *rows, size=(7.5, 3.0))
    if what == "power":
        total = np.sum([d.power for d in every], axis=0)
        axes[1].plot(walk.time, total, color="black", lw=1.0, label="sum of all")
        axes[1].legend(fontsize=8, ncols=2)
    return png(drawing)


def walk_plots(walk: Walk) -> dict[str, bytes]:
    """All plots by name."""
    return {
        "angles": plot_angles(walk),
        "legs": plot_legs(walk),
        "forces": plot_forces(walk),
        "zmp": plot_zmp(walk),
        "foot": plot_foot(walk),
        "footmarks": plot_footmarks(walk),
        "torques": plot_drives(walk, "torque"),
        "power": plot_drives(walk, "power"),
    }
