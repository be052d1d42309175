"""Residual, direction of slip and penetration against the number of sweeps, as a picture: the published iteration of
Nakaoka et al. 2007 beside `pgs`, on random piles and on boxes that fall on a slope (bunraku.scene.sweep_study).

    sweep_plot("sweeps.png")

Checked in tests/draw/test_sweep_plot.py and by looking.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bunraku.draw.plotting import COLORS, png
from bunraku.files import ends_in, keep_inputs, write_bytes
from bunraku.scene.sweep_study import Curve, sweep_study

Study = Mapping[str, Mapping[str, Curve]]
WHERE = {"piles": "random piles of bodies, from zero", "boxes": "boxes on a slope (1 ms)"}
LOOKS = {"pgs_2007": (COLORS[1], "o", "published iteration (pgs_2007)"), "pgs": (COLORS[0], "s", "Bunraku's (pgs)")}
ROWS = (
    ("residual", 1.0, "true residual"),
    ("angle", 1.0, "slip against friction,\ndegrees off (mean)"),
    ("penetration", 1e3, "penetration, mm"),
)
LEAST = {"residual": 1e-12, "angle": 1e-6, "penetration": 1e-8}  # what a logarithmic axis shows of zero


def sweep_plot(path: str | Path, study: Study | None = None) -> Study:
    """Write the picture (.png) of a study, by default `sweep_study()` with its own numbers, which takes a few seconds;
    returns the study: curves by where ("piles", "boxes") and solver, `residual`, `angle` [degrees] and `penetration`
    [m] for each of `sweeps`."""
    target = Path(path)
    ends_in(target, ".png", what="a picture")
    keep_inputs([], [target])
    found = sweep_study() if study is None else study
    write_bytes(target, drawn(found))
    return found


def drawn(study: Study) -> bytes:
    """The picture of a study as PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(9.6, 8.0), dpi=110, layout="constrained")
    FigureCanvasAgg(drawing)
    axes = drawing.subplots(len(ROWS), len(study), sharex=True, squeeze=False)
    for column, (where, curves) in enumerate(study.items()):
        axes[0, column].set_title(WHERE.get(where, where), fontsize=10)
        axes[-1, column].set_xlabel("sweeps a step, at the most")
        for row, (name, scale, label) in enumerate(ROWS):
            axis = axes[row, column]
            axis.grid(True, color="0.9")
            axis.spines[["top", "right"]].set_visible(False)
            axis.axvline(120, color="0.6", lw=0.8, ls=":")
            for solver, curve in curves.items():
                color, mark, words = LOOKS[solver]
                values = scale * getattr(curve, name).clip(LEAST[name])
                axis.loglog(curve.sweeps, values, color=color, marker=mark, ms=4, lw=1.2, label=words)
            if column == 0:
                axis.set_ylabel(label)
    axes[0, 0].legend(fontsize=8, loc="center right")
    axes[0, 0].text(120, 1.0, " 120", fontsize=7, color="0.4", va="top", transform=axes[0, 0].get_xaxis_transform())
    return png(drawing)
