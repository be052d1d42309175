"""`bunraku bench walk`: how fast walking figures are simulated, and what they withstand.

By default: microseconds a step against the number of contact points for a figure of 36 degrees of freedom with bushes,
its real-time factor at 1 ms, that of human() with bushes and stabiliser, and the ratio to MuJoCo replaying the same
walk on the same robot (bunraku_bench.bench_walk_time).
--experiments: walks of all kinds, who falls and who does not; --pushes: the largest push survived from eight directions
(bunraku_bench.bench_walk_trials); --norms: the natural walk beside people's figures (bunraku_bench.walk_norms).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bunraku.cli.common import print_json, progress_bar
from bunraku.errors import InputError
from bunraku.files import keep_inputs
from bunraku_bench.bench_dynamics import machine

METHOD = (
    "one thread, steps of 1 ms, ten steps replayed by servos or walked with the stabiliser; minimum of interleaved "
    "repeats; contact points and "
    "stabiliser: pieces of 20 steps, Python and collision detection included, soles cut into pieces; MuJoCo: "
    "the same links, hinges, boxes, gains and track, mujoco.rollout, the faster cone"
)
TRIALS = (
    "every walk runs to its end or its fall, steps of 1 ms, recorded; "
    "noise above 30 Hz and margin on one foot without 20 ms at both ends"
)


def walk(
    json: bool = False,
    repeats: int = 10,
    contacts: bool = True,
    stabiliser: bool = True,
    mujoco: bool = True,
    experiments: bool = False,
    pushes: bool = False,
    norms: bool = False,
    plots: Path | None = None,
) -> int:
    """Measure walking figures.

    Args:
        json: Print JSON.
        repeats: Interleaved repeats of each measurement; the minimum counts.
        contacts: Time a step against contact points (figure of 36 degrees of freedom, bushes).
        stabiliser: Time the walk of human() with bushes and stabiliser.
        mujoco: Time MuJoCo replaying the same walk of simple_humanoid.
        experiments: Walks of all kinds instead: 19 steps rigid, on bushes, with the stabiliser; stairs, slope, bumps;
            other robots.
        pushes: The largest push survived from eight directions instead, standing and walking, with and without
            stabiliser.
        norms: The natural walk at three speeds beside people's figures instead.
        plots: Folder for plots.
    """
    if not 1 <= repeats <= 1000:
        raise InputError(f"bench walk: --repeats {repeats} is not between 1 and 1000.")
    keep_inputs([], [None if plots is None else plots / "pushes.png"])
    report: dict[str, Any] = {}
    if norms:
        from bunraku_bench.walk_norms import measure_norms, text

        with progress_bar(100, "natural walks") as update:
            rows = measure_norms(progress=lambda part: update(round(100 * part)))
        if json:
            print_json({"norms": rows})
        else:
            print(text(rows))
        return 0
    if experiments or pushes:
        from bunraku_bench.bench_walk_trials import measure_experiments, measure_pushes

        if experiments:
            report["experiments"] = measure_experiments(plots)
        if pushes:
            report["pushes"] = measure_pushes(plots)
    else:
        from bunraku_bench.bench_walk_time import against_contacts, against_mujoco, with_stabiliser

        with progress_bar(3, "bench walk") as update:
            if contacts:
                report["contact_points"] = against_contacts(repeats, update=lambda text: update(0, text))
                report["real_time_factor"] = report["contact_points"]["real_time_factor"]
            if stabiliser:
                update(1, "stabiliser")
                report["stabiliser"] = with_stabiliser(repeats)
                report["real_time_factor_stabiliser"] = report["stabiliser"]["real_time_factor"]
            if mujoco:
                update(2, "MuJoCo")
                report["mujoco"] = against_mujoco(repeats)
                report["ratio"] = report["mujoco"]["ours"][0]["ratio"]
    report |= {"method": METHOD if not (experiments or pushes) else TRIALS, "machine": machine()}
    if plots is not None and "contact_points" in report:
        from bunraku.draw.walk_plots import contact_plot
        from bunraku.files import write_bytes

        write_bytes(plots / "contact_points.png", contact_plot(report["contact_points"]))
    if json:
        print_json(report)
    else:
        show(report)
    return 0


def show(report: dict[str, Any]) -> None:
    """Print tables."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if found := report.get("contact_points"):
        table = Table("contact points", "us a step", "most")
        for r in found["table"]:
            table.add_row(str(r["points"]), f"{r['us']:.1f}", f"{r['us_most']:.1f}")
        console.print(table)
        console.print(
            f"without stabiliser, by servos: {found['figure']}: {found['joint_dof']} joint degrees of freedom, "
            f"{found['contact']}; mean of a walk "
            f"{found['mean_us']:.1f} us a step of 1 ms: {found['real_time_factor']:.0f} times real time"
        )
    if found := report.get("stabiliser"):
        console.print(
            f"with stabiliser, every {found['period_ms']:.0f} ms: {found['figure']}: {found['joint_dof']} joint "
            "degrees of freedom, "
            f"{found['contact']}; mean of a walk {found['mean_us']:.1f} us a step of 1 ms: "
            f"{found['real_time_factor']:.0f} times real time"
        )
    if found := report.get("mujoco"):
        table = Table("walk of " + found["robot"], "us a step", "times real time", "MuJoCo / Bunraku")
        for r in found["ours"]:
            table.add_row(
                f"Bunraku {r['contact']}", f"{r['us']:.2f}", f"{r['real_time_factor']:.0f}", f"{r['ratio']:.2f}"
            )
        peer = found["mujoco"]
        table.add_row(f"MuJoCo ({peer['cone']})", f"{peer['us']:.2f}", f"{peer['real_time_factor']:.0f}", "")
        console.print(table)
        if found["fell"]:
            console.print(f"fell: {', '.join(found['fell'])}")
    for name in ("experiments", "pushes"):
        if name in report:
            for line in report[name]["text"]:
                console.print(line, markup=False, highlight=False)
    console.print(report["method"])
    console.print(", ".join(f"{k} {v}" for k, v in report["machine"].items()))
