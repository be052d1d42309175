"""What the algorithm costs: time against the number of links, and of constraints."""

from __future__ import annotations

import io
import time
from collections.abc import Callable

import numpy as np

import bunraku as bk
from bunraku_reproduce.experiment import BUSY, Experiment, part

LINKS = (16, 32, 64, 128, 256)
ROWS = (8, 16, 32, 64)


def chain(links: int, geared: bool = False) -> bk.Model:
    """Hinges in a row about x, y, z in turn; geared: each second one follows the one before."""
    d = bk.Description("chain")
    for k in range(links):
        axis = np.eye(3)[k // 2 % 3 if geared else k % 3]
        d.add(
            f"l{k}",
            f"l{k - 1}" if k else None,
            bk.hinge(f"j{k}", axis),
            at=(0, 0, 0.1),
            mass=1.0,
            com=(0, 0, 0.05),
            moments=(0.01, 0.01, 0.01),
        )
        if geared and k % 2:
            d.gear(f"j{k}", f"j{k - 1}", 1.0)
    return d.build()


def least_time(f: Callable[[], object], tries: int = 40) -> float:
    """Of one call [us]: the least of several rounds."""
    f()
    found = []
    for _ in range(tries):
        began = time.perf_counter_ns()
        for _ in range(5):
            f()
        found.append((time.perf_counter_ns() - began) / 5000)
    return min(found)


def exponent(sizes: tuple[int, ...], times: list[float]) -> float:
    """Slope of log time over log size, of the upper half, where calls cost nothing."""
    half = len(sizes) // 2
    return float(np.polyfit(np.log(sizes[half:]), np.log(times[half:]), 1)[0])


@part(
    "Cost against links and constraints",
    section="2.4, 2.8",
    how="bk.aba(model, q, v, tau); bk.delassus(model, q, frames, directions)",
    printed="One pass inwards and one outwards; the change of one body's acceleration for a change of force "
    "needs the way between two bodies only.",
)
def cost(e: Experiment) -> None:
    def once(model: bk.Model) -> Callable[[], object]:
        q, v, tau = bk.random_configuration(model, e.seed), np.ones(model.nv), np.zeros(model.nv)
        work = bk.Work(model)
        return lambda: bk.aba(model, q, v, tau, work=work)

    times = [least_time(once(chain(n))) for n in LINKS]
    e.at_most(
        "cost/links",
        "2.4",
        f"exponent of time over links, {LINKS[2]} to {LINKS[-1]} of them (linear: 1)",
        1.25,
        exponent(LINKS, times),
        reason=BUSY,
    )
    model = chain(64)
    q = bk.random_configuration(model, e.seed)
    rng = np.random.default_rng(e.seed)

    def rows(m: int) -> Callable[[], object]:
        frames, directions = [f"l{k}" for k in rng.integers(0, 64, m)], rng.normal(size=(m, 6))
        return lambda: bk.delassus(model, q, frames, directions)

    by_rows = [least_time(rows(m), 20) for m in ROWS]
    e.at_most(
        "cost/rows",
        "2.8",
        f"exponent of time over constraint rows, {ROWS[2]} to {ROWS[-1]} of them on 64 links (their matrix has 2)",
        2.0,
        exponent(ROWS, by_rows),
        reason=BUSY,
    )
    geared = chain(128, geared=True)
    e.equal(
        "cost/gears",
        "2.6",
        "128 hinges, each second geared to the one before: rates that the algorithm handles",
        64,
        geared.nv,
        tolerance=0,
    )
    e.picture(
        drawn(times, by_rows),
        "No such figure is printed. Left: time of forward dynamics over the number of links, dashed a line through the "
        "last point; right: of the inertias between bodies over constraint rows on 64 links.",
    )


def drawn(times: list[float], by_rows: list[float]) -> bytes:
    """A plot of both."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.4), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    left.loglog(LINKS, times, "o-", color="#2b5fa8")
    left.loglog(LINKS, np.array(LINKS) * times[-1] / LINKS[-1], "--", color="#8a8a8a")
    left.set(xlabel="links", ylabel="us", title="bk.aba")
    right.loglog(ROWS, by_rows, "o-", color="#8a5300")
    right.set(xlabel="constraint rows", ylabel="us", title="bk.delassus, 64 links")
    for axes, sizes in ((left, LINKS), (right, ROWS)):
        axes.set_xticks(sizes, [str(n) for n in sizes])
        axes.set_xticks([], minor=True)
        axes.grid(visible=True, which="both", alpha=0.3)
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=110)
    return out.getvalue()
