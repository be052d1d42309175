"""What all plots share: a figure with rows over one time axis, several curves with a legend, PNG bytes.

matplotlib draws without a display and is imported on first use only.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np

COLORS = ("#2b62b8", "#d9781f", "#3a8f5c", "#a6443a", "#6b4fa0", "#7a6a4f", "#3f8d95")


def figure(rows: int, title: str, size: tuple[float, float] = (7.5, 2.6), *, share: bool = True) -> tuple[Any, Any]:
    """A figure with rows sharing the time axis, unless told otherwise, drawn without a display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(size[0], size[1] * rows + 0.5), dpi=110, layout="constrained")
    FigureCanvasAgg(drawing)
    drawing.suptitle(title, fontsize=11)
    axes = drawing.subplots(rows, 1, sharex=share, squeeze=False)[:, 0]
    for axis in axes:
        axis.grid(True, color="0.9")
        axis.spines[["top", "right"]].set_visible(False)
    axes[-1].set_xlabel("time, s")
    return drawing, axes


def stacked(
    title: str, time: np.ndarray, *rows: tuple[dict[str, np.ndarray], str], size: tuple[float, float] = (7.5, 2.6)
) -> tuple[Any, Any]:
    """A figure with several curves and their label in each row."""
    drawing, axes = figure(len(rows), title, size)
    for axis, (curves, label) in zip(axes, rows):
        lines(axis, time, curves, label)
    return drawing, axes


def png(drawing: Any) -> bytes:
    """A figure as PNG."""
    buffer = io.BytesIO()
    drawing.savefig(buffer, format="png", metadata={"Software": "bunraku"})
    return buffer.getvalue()


def lines(axis: Any, time: np.ndarray, curves: dict[str, np.ndarray], label: str, place: str = "best") -> None:
    """Several curves with a legend; the best place for it takes long to find among many points."""
    for k, (name, values) in enumerate(curves.items()):
        axis.plot(time, values, color=COLORS[k % len(COLORS)], lw=1.5, ls="-" if k < len(COLORS) else "--", label=name)
    axis.set_ylabel(label)
    axis.legend(fontsize=8, ncols=2, loc=place, framealpha=0.85)
