"""Plots of a walk in the physical world: foot forces, contact states, zero-moment point, footprints, torques and power;
pushes survived.

`walk_plots(report)` gives name -> PNG bytes:
    forces       upward force of both feet against time, as Fig. 4 of Nakaoka et al. 2007, above contact states
    zmp          zero-moment point beside its reference, centre of mass and the reach of the soles, ahead and sideways
    footprints   from above: soles where they stood, zero-moment point, centres of pressure, centre of mass
    torques      the largest torques of joints, and their power
A series that was measured (bunraku.formats.measured) lies over them as a dashed line; `differences` says how far it is
from what was simulated. `push_plot(table)` is a polar plot of the largest survived push against its direction. They read a WalkReport (SI) and
add nothing. Checked in tests/draw/test_walk_plots.py and by looking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bunraku.draw.plotting import COLORS, figure, lines, png
from bunraku.formats.measured import FORCES, Measured
from bunraku.walking.walk_report import WalkReport, runs

SIDES = ("left", "right")
SIDE_COLORS = ("#2b62b8", "#d9781f")
STATE_COLORS = ("#ffffff", "#d95f4b", "#e3b23c", "#5c9e6a")
STATES = ("in the air", "point", "line", "surface")
MOST_JOINTS = 6
MEASURED = ("#0f2a55", "#7a2f10")  # of measured series, left and right
DASHED: dict[str, Any] = {"lw": 1.1, "ls": (0, (4, 1.5))}


def plot_forces(report: WalkReport, measured: Measured | None = None) -> bytes:
    """Upward foot forces and the time line of contact states."""
    drawing, axes = figure(2, title_of(report), (8.5, 2.6))
    loads, t = report.loads, report.times
    up = loads.force[..., 2] / loads.weight
    for side in (1, 0):
        axes[0].plot(t, up[:, side], color=SIDE_COLORS[side], lw=1.1, label=f"{SIDES[side]} foot")
    for side in (0, 1):
        lay(axes[0], measured, FORCES[side], MEASURED[side], 1.0 / loads.weight)
    axes[0].axhline(1.0, color="0.6", lw=0.8, ls=":")
    axes[0].set_ylabel("upward force / weight")
    usual, largest = float(np.percentile(up.max(axis=1), 99)), float(up.max(initial=0.0))
    seen = [np.nanpercentile(x, 99) / loads.weight for x in (values_of(measured, n) for n in FORCES) if x.size]
    top = 1.25 * max(usual, 1.0, *seen)
    axes[0].set_ylim(-0.03, top)
    if largest > top:
        text = f"landings of one step up to {largest:.2g} weights leave the frame"
        axes[0].text(0.01, 0.97, text, fontsize=7, va="top", transform=axes[0].transAxes)
    axes[0].legend(fontsize=8, ncols=2, loc="upper right", framealpha=0.85)
    for side in (0, 1):
        for state in (1, 2, 3):
            spans = [(t[a], t[b - 1] - t[a]) for a, b in runs(loads.state[:, side] == state)]
            axes[1].broken_barh(spans, (0.65 - side, 0.7), color=STATE_COLORS[state], lw=0)
    for k, state in enumerate(STATES[1:], 1):
        axes[1].plot([], [], color=STATE_COLORS[k], lw=6, label=state)
    axes[1].set_yticks([1.0, 0.0], [f"{s} foot" for s in SIDES])
    axes[1].set_ylim(-0.5, 1.9)
    axes[1].grid(False, axis="y")
    axes[1].legend(fontsize=8, ncols=3, loc="upper right", framealpha=0.85)
    mark(axes, report)
    return png(drawing)


def plot_zmp(report: WalkReport, measured: Measured | None = None) -> bytes:
    """Zero-moment point, reference, centre of mass and reach of the soles against time."""
    drawing, axes = figure(3, title_of(report), (8.5, 2.3))
    t, loads = report.times, report.loads
    corners = np.where(loads.touches[:, :, None, None], loads.corners[..., :2], np.nan).reshape(len(t), 8, 2)
    on = loads.touches.any(axis=1)
    for k, (axis, name) in enumerate(zip(axes, ("x (ahead), m", "y (left), m"))):
        low, high = np.full(len(t), np.nan), np.full(len(t), np.nan)
        low[on], high[on] = np.nanmin(corners[on, :, k], axis=1), np.nanmax(corners[on, :, k], axis=1)
        axis.fill_between(t, low, high, color="0.91", lw=0, label="soles that stand")
        axis.plot(t, report.zmp[:, k], color=COLORS[0], lw=1.0, label="zero-moment point")
        if report.reference is not None:
            axis.plot(t, report.reference[:, k], color=COLORS[3], lw=1.0, ls="--", label="its reference")
        axis.plot(t, report.com[:, k], color=COLORS[2], lw=1.2, label="centre of mass")
        lay(axis, measured, f"zmp {'xy'[k]}", MEASURED[0])
        lay(axis, measured, f"com {'xy'[k]}", MEASURED[1])
        axis.set_ylabel(name)
        inside = np.concatenate([low[on], high[on], report.com[:, k]])
        room = 0.08 * (np.ptp(inside) if len(inside) else 1.0) + 0.02
        axis.set_ylim(float(inside.min()) - room, float(inside.max()) + room)
    axes[0].legend(fontsize=8, ncols=2, loc="upper left", framealpha=0.85)
    axes[2].plot(t, 1e3 * report.margin, color=COLORS[0], lw=0.9)
    lay(axes[2], measured, "zmp margin", MEASURED[0], 1e3)
    axes[2].axhline(0.0, color="0.5", lw=0.8)
    axes[2].set_ylabel("ZMP margin, mm")
    mark(axes, report)
    return png(drawing)


def plot_footprints(report: WalkReport, measured: Measured | None = None) -> bytes:
    """Seen from above."""
    from matplotlib.patches import Polygon

    loads = report.loads
    before = report.before
    extent = np.ptp(loads.position[before, :, :2].reshape(-1, 2), axis=0) if before.any() else np.ones(2)
    tall = float(np.clip(8.5 * (extent[1] + 0.5) / (extent[0] + 0.5), 2.2, 8.5))
    drawing, (axis,) = figure(1, title_of(report), (8.5, tall))
    for side in (0, 1):
        for a, b in runs(loads.touches[:, side] & before):
            if b - a > 5:
                corner = loads.corners[(a + b) // 2, side, :, :2]
                axis.add_patch(
                    Polygon(corner, closed=True, fc=SIDE_COLORS[side], ec=SIDE_COLORS[side], alpha=0.22, lw=1.0)
                )
        cop = np.where(before[:, None], loads.cop[:, side, :2], np.nan)
        axis.plot(*cop.T, color=SIDE_COLORS[side], lw=0.7, label=f"centre of pressure, {SIDES[side]} foot")
    if report.reference is not None:
        axis.plot(*report.reference[:, :2].T, color=COLORS[3], lw=1.0, ls="--", label="ZMP reference")
    zmp = np.where(before[:, None], report.zmp[:, :2], np.nan)
    axis.plot(*zmp.T, color="0.25", lw=0.8, label="zero-moment point")
    axis.plot(*report.com[before, :2].T, color=COLORS[2], lw=1.6, label="centre of mass")
    for what, color in zip(("zmp", "com"), MEASURED):
        if measured and f"{what} x" in measured and f"{what} y" in measured:
            axis.plot(measured[f"{what} x"], measured[f"{what} y"], color=color, **DASHED, label=f"{what}, measured")
    axis.set_aspect("equal", adjustable="datalim")
    axis.set_xlabel("x, m")
    axis.set_ylabel("y, m")
    drawing.legend(fontsize=8, ncols=3, loc="outside lower center")
    return png(drawing)


def plot_torques(report: WalkReport, measured: Measured | None = None) -> bytes:
    """The joints with the largest torques, and the power of all."""
    drawing, axes = figure(2, title_of(report), (8.5, 2.8))
    before = report.before
    peak = np.percentile(np.abs(report.torques[before]), 99, axis=0) if before.any() else np.zeros(0)
    compared = [k for k, name in enumerate(report.driven) if measured and f"torque {name}" in measured]
    order = list(dict.fromkeys([*compared, *np.argsort(-peak)[:MOST_JOINTS]]))[: max(MOST_JOINTS, len(compared))]
    lines(
        axes[0], report.times, {report.driven[k].replace("_", " "): report.torques[:, k] for k in order}, "torque, N m"
    )
    for place, k in enumerate(order):
        lay(axes[0], measured, f"torque {report.driven[k]}", COLORS[place % len(COLORS)])
    laid = [values_of(measured, f"torque {report.driven[k]}") for k in compared]
    bound(axes[0], report.torques[before][:, order], *laid)
    total = report.power.sum(axis=1)
    lines(axes[1], report.times, {"power of all joints": total}, "power, W", "upper right")
    lay(axes[1], measured, "power", MEASURED[0])
    bound(axes[1], total[before], values_of(measured, "power"))
    text = f"positive work {report.work[0]:.0f} J, cost of transport {report.cost_of_transport:.2f}"
    axes[1].text(0.01, 0.97, text, fontsize=8, va="top", transform=axes[1].transAxes)
    mark(axes, report)
    return png(drawing)


def push_plot(
    table: Mapping[str, Sequence[float]], degrees: Sequence[float], title: str = "largest push survived"
) -> bytes:
    """Polar plot: series -> N s/kg for each direction that the push leads to (0 ahead, 90 left) [degrees]."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(6.4, 6.0), dpi=110, layout="constrained")
    FigureCanvasAgg(drawing)
    axis = drawing.add_subplot(projection="polar")
    axis.set_theta_zero_location("N")  # pyright: ignore[reportAttributeAccessIssue]
    angles = np.radians([*degrees, degrees[0]])
    for k, (name, values) in enumerate(table.items()):
        ring = np.array([*values, values[0]], dtype=float)
        axis.plot(angles, ring, color=COLORS[k % len(COLORS)], lw=1.6, marker="o", ms=3, label=name)
        axis.fill(angles, ring, color=COLORS[k % len(COLORS)], alpha=0.08)
    axis.set_xticks(np.radians([0, 90, 180, 270]), ["ahead", "left", "back", "right"])
    axis.set_title(f"{title}\nN s/kg in 0.1 s, by the direction pushed to", fontsize=10)
    drawing.legend(fontsize=8, ncols=2, loc="outside lower center")
    return png(drawing)


def contact_plot(found: Mapping[str, Any]) -> bytes:
    """Time of a step against contact points, as Fig.

    7 of the paper on the contact solver; `found` as `bunraku bench walk --json` has it.
    """
    drawing, (axis,) = figure(
        1, f"{found['joint_dof']} joint degrees of freedom, bushes included, {found['contact']}", (7.0, 3.6)
    )
    points, us = ([r[k] for r in found["table"]] for k in ("points", "us"))
    axis.loglog(points, us, "o-", color=COLORS[0], lw=1.0, label="median of pieces of 20 steps")
    axis.axhline(1000.0, color=COLORS[3], lw=1.0, ls="--", label="real time")
    axis.set_xticks(points, [str(n) for n in points])
    axis.minorticks_off()
    axis.set_xlabel("contact points")
    axis.set_ylabel("microseconds a step")
    axis.set_ylim(1.0, 3000.0)
    axis.legend(fontsize=8)
    return png(drawing)


def walk_plots(report: WalkReport, measured: Measured | None = None) -> dict[str, bytes]:
    """All plots by name; measured: what lies over them (bunraku.formats.measured)."""
    return {
        "forces": plot_forces(report, measured),
        "zmp": plot_zmp(report, measured),
        "footprints": plot_footprints(report, measured),
        "torques": plot_torques(report, measured),
    }


def differences(report: WalkReport, measured: Measured) -> dict[str, dict[str, float]]:
    """Of each measured series, by name: root mean square of its difference from the simulated one and of itself (SI),
    over the seconds that both have."""
    t, found = report.times, {}
    for name, values in measured.series.items():
        both = np.isfinite(values) & (measured.times >= t[0]) & (measured.times <= t[-1])
        ours = np.interp(measured.times[both], t, simulated(report, name))
        good = np.isfinite(ours)
        off, own = (ours - values[both])[good], values[both][good]
        when = measured.times[both][good]
        found[name] = {
            "rms_difference": float(np.sqrt(np.mean(off**2))) if len(off) else np.nan,
            "rms": float(np.sqrt(np.mean(own**2))) if len(off) else np.nan,
            "seconds": float(np.ptp(when)) if len(off) else 0.0,
        }
    return found


def simulated(report: WalkReport, name: str) -> np.ndarray:
    """The series of a walk that a measured one is laid over (SI)."""
    if name in FORCES:
        return report.loads.force[:, FORCES.index(name), 2]
    if name == "power":
        return report.power.sum(axis=1)
    if name == "zmp margin":
        return report.margin
    kind, _, rest = name.partition(" ")
    if kind == "torque":
        return report.torques[:, report.driven.index(rest)]
    return (report.zmp if kind == "zmp" else report.com)[:, "xy".index(rest)]


def lay(axis: Any, measured: Measured | None, name: str, color: str, scale: float = 1.0) -> None:
    """Lay a measured series over a plot, where there is one of that name."""
    if measured is not None and name in measured:
        axis.plot(measured.times, scale * measured[name], color=color, **DASHED, label=f"{name}, measured")
        axis.legend(fontsize=8, ncols=2, loc="upper right", framealpha=0.85)


def values_of(measured: Measured | None, name: str) -> np.ndarray:
    """A measured series, empty where there is none."""
    return measured[name] if measured is not None and name in measured else np.zeros(0)


def title_of(report: WalkReport) -> str:
    """'human: 10 steps, 2.4 m in 8.5 s'."""
    end = f", fell at {report.fell:.2f} s" if report.fell is not None else ""
    way = f"{len(report.landings)} steps, {report.distance:.2f} m in {report.times[-1]:.1f} s"
    return f"{report.title or report.figure}: {way}{end}"


def mark(axes, report: WalkReport) -> None:  # type: ignore[no-untyped-def]
    """Pushes as bands, a fall as a line."""
    for axis in axes:
        for begin, end, _ in report.pushes:
            axis.axvspan(begin, max(end, begin + 0.02), color=COLORS[4], alpha=0.25, lw=0)
        if report.fell is not None:
            axis.axvline(report.fell, color=COLORS[3], lw=1.0)
    for begin, _, newtons in report.pushes:
        axes[0].text(begin, 0.9, f" push {newtons:.0f} N", fontsize=7, transform=axes[0].get_xaxis_transform())
    if report.fell is not None:
        axes[0].text(report.fell, 0.9, " fell", fontsize=8, color=COLORS[3], transform=axes[0].get_xaxis_transform())


def bound(axis, values: np.ndarray, *measured: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    """Let a fall, and impulses of single steps, leave the frame where they would flatten all else; values: before the
    fall."""
    if values.size:
        ends = [np.nanpercentile(x, [0.2, 99.8]) for x in (values, *measured) if x.size]
        low, high = min(x[0] for x in ends), max(x[1] for x in ends)
        room = 0.25 * (high - low) + 1e-9
        now = axis.get_ylim()
        axis.set_ylim(max(float(low - room), now[0]), min(float(high + room), now[1]))
