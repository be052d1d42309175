"""Plots of a filtered motion: ground reaction of both feet with the times they stand, zero-moment point and centre of
mass, torques of the legs.

`plot_filtered(filtered)` gives PNG bytes. Checked in tests/draw/test_filtered.py and by looking.
"""

from __future__ import annotations

import numpy as np

from bunraku.draw.plotting import COLORS, figure, lines, png
from bunraku.motion.filter import Filtered

SHOWN = ("hip", "knee", "ankle")


def plot_filtered(filtered: Filtered) -> bytes:
    """Ground reaction, zero-moment point, torques against time."""
    s = filtered.solved
    drawing, axes = figure(4, f"{s.meta.get('source', '')}: filtered")
    feet = list(filtered.stances())
    forces = {name: s.force_on(name)[1:, 2] / s.weight for name in feet}
    lines(
        axes[0],
        s.times[1:],
        {**{n.replace("_", " "): f for n, f in forces.items()}, "both": filtered.load},
        "ground reaction, of the weight",
    )
    for k, times in enumerate(filtered.stances().values()):
        for a, b in times:
            axes[0].axvspan(a, b, ymin=0.02 * k, ymax=0.02 * (k + 1), color=COLORS[k], alpha=0.7)
    plan = filtered.plan
    for axis, row, name in ((0, axes[1], "x"), (1, axes[2], "y")):
        curves = {"zero-moment point": s.zmp[1:, axis], "centre of mass": s.com[1:, axis]}
        lines(row, s.times[1:], curves, f"{name}, m")
        row.plot(plan.times, plan.zmp[:, axis], color="0.4", lw=0.8, ls=":", label="planned")
    joints = [j for j in s.model.joints if j.nv and any(x in j.name for x in SHOWN) and j.name.startswith("left")]
    torque = {j.name.replace("_", " "): s.torques[1:, j.iv + (1 if j.nv == 3 else 0)] for j in joints}
    if torque:
        lines(axes[3], s.times[1:], torque, "torque about y, N m")
    axes[0].set_ylim(bottom=min(0.0, float(np.min(filtered.load))))
    return png(drawing)
