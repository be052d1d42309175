"""Trials of walking figures: the nineteen-step walk on rigid feet, on bushes and with the stabiliser; stairs, slope,
bumps; other robots; pushes.

Every trial is a Walker run to its end or its fall, recorded at 1 kHz and reported on (bunraku.walking.walk_report).
Nothing here is expected to hold: the tables say what happened. Robots are those of the package example-robot-data, with
mapping files only.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bunraku.cli.common import progress_bar
from bunraku.errors import BunrakuError
from bunraku_bench.bench_dynamics import robot_file

ROBOTS = {
    "simple_humanoid": "simple_humanoid.urdf",
    "talos_reduced": "talos_reduced.urdf",
    "g1": "g1_29dof_rev_1_0.urdf",
}
HEADS = (
    "walk",
    "figure",
    "feet",
    "control",
    "contact",
    "steps",
    "m/s",
    "fell",
    "off plan",
    "noise",
    "margin",
    "real time",
)


@dataclass(frozen=True)
class Trial:
    """One walk: what it is called, whose pattern, how it is played."""

    walk: str
    figure: str
    pattern: Callable[[], Any]
    bushes: bool = False
    stabiliser: bool = False
    contact: str = "pgs"
    terrain: tuple[Any, ...] = field(default=())


def model_of(name: str) -> Any:
    """human, or a robot of example-robot-data."""
    import bunraku as bk

    return bk.human() if name == "human" else bk.load(robot_file(ROBOTS[name]))


def once(make: Callable[[], Any]) -> Callable[[], Any]:
    """Made when first asked for, then kept."""
    kept: list[Any] = []

    def give() -> Any:
        if not kept:
            kept.append(make())
        return kept[0]

    return give


def trials() -> Iterator[Trial]:
    """All of them."""
    from bunraku.humanoid.parts import humanoid
    from bunraku.walking.footsteps import footsteps
    from bunraku.walking.nineteen_steps import nineteen_steps
    from bunraku.walking.terrain import bumps, slope, stairs
    from bunraku.walking.walking_pattern import walking_pattern

    walkers = {name: once(lambda name=name: humanoid(model_of(name))) for name in ("human", *ROBOTS)}
    for name in ("human", "simple_humanoid"):
        plan = once(lambda name=name: nineteen_steps(walkers[name]()))
        for contact in ("pgs", "virtual_link"):
            yield Trial("19 steps", name, plan, contact=contact)
        yield Trial("19 steps", name, plan, bushes=True)
        for contact in ("pgs", "virtual_link"):
            yield Trial("19 steps", name, plan, bushes=True, stabiliser=True, contact=contact)
    h = walkers["human"]()
    ten = footsteps("ten steps slowly", h)
    grounds = {
        "5 stairs up of 0.15 m": lambda: stairs(h, 5, 0.15),
        "5 stairs down of 0.15 m": lambda: stairs(h, 5, 0.15, down=True),
        "slope up of 5 degrees": lambda: slope(h, 5.0),
        "slope down of 5 degrees": lambda: slope(h, -5.0),
        "unknown bumps of 0.02 m": lambda: bumps(h, ten, 0.02),
    }
    for name, make in grounds.items():
        ground = make()
        plan = once(lambda ground=ground: walking_pattern(h, ground.steps, begin=ground.begin))
        for rubber in (False, True):
            yield Trial(name, "human", plan, bushes=rubber, stabiliser=True, terrain=ground.shapes)
    for name in walkers:
        for words in ("ten steps", "ten steps briskly") if name == "human" else ("ten steps",):
            plan = once(
                lambda name=name, words=words: walking_pattern(walkers[name](), footsteps(words, walkers[name]()))
            )
            yield Trial(words, name, plan)
            if name == "human":
                yield Trial(words, name, plan, contact="virtual_link")
            for rubber in (False, True):
                yield Trial(words, name, plan, bushes=rubber, stabiliser=True)


def measure_experiments(plots: Path | None = None) -> dict[str, Any]:
    """All trials; plots of foot forces into a folder."""
    from bunraku.gait1988.command_common import table

    rows: list[dict[str, Any]] = []
    every = list(trials())
    with progress_bar(len(every), "experiments") as update:
        for k, trial in enumerate(every):
            update(k, f"{trial.walk}, {trial.figure}")
            rows.append(run(trial, plots))
    return {"rows": rows, "text": table([cells(r) for r in rows], HEADS).splitlines()}


def run(trial: Trial, plots: Path | None) -> dict[str, Any]:
    """One trial: a row."""
    from bunraku.cli.walk_output import summary_of
    from bunraku.walking.walk import walked
    from bunraku.walking.walker import Walker

    row: dict[str, Any] = {
        "walk": trial.walk, "figure": trial.figure, "bushes": trial.bushes, "stabiliser": trial.stabiliser, "contact": trial.contact,
    }  # fmt: skip
    try:
        walker = Walker(
            trial.pattern(),
            bushes=trial.bushes,
            stabiliser=trial.stabiliser,
            contact=trial.contact,
            terrain=trial.terrain,
        )
        with tempfile.TemporaryDirectory() as folder:
            walk = walked(walker, Path(folder) / "walk.bkr", title=trial.walk)
            walk.recording.close()
    except BunrakuError as error:
        return {**row, "error": str(error)}
    if plots is not None:
        from bunraku.draw.walk_plots import plot_forces
        from bunraku.files import write_bytes

        words = (
            trial.walk,
            trial.figure,
            "bushes" if trial.bushes else "",
            "stabiliser" if trial.stabiliser else "",
            trial.contact,
        )
        name = "-".join(w.replace(" ", "_") for w in words if w)
        write_bytes(plots / f"{name}.png", plot_forces(walk.report))
    return {**summary_of(walk), **row}


def cells(r: dict[str, Any]) -> tuple[str, ...]:
    """A row of the table in words."""
    from bunraku.cli.walk_output import mm

    first = (
        r["walk"],
        r["figure"].replace("_", " "),
        "rubber" if r["bushes"] else "rigid",
        "stabiliser" if r["stabiliser"] else "PD",
        r["contact"],
    )
    if "error" in r:
        return (*first, "–", "", r["error"], "", "", "", "")
    off, margin = r["final_error_m"], r["zmp_margin_m"]["single_least"]
    noise = r["noise_of_weight"]["alone_most"]
    return (
        *first,
        f"{r['steps']}/{r['planned_steps']}",
        f"{r['speed_m_s']:.2f}",
        "no" if r["fell_s"] is None else f"{r['fell_s']:.1f} s",
        "–" if off is None else f"{100 * off:.1f} cm {r['final_error_deg']:.1f} deg",
        f"{100 * noise:.1f} %",
        mm(margin),
        f"{r['real_time_factor']:.1f}",
    )


def measure_pushes(plots: Path | None = None) -> dict[str, Any]:
    """The largest pushes from eight directions, human() on rigid feet, and on bushes with the stabiliser."""
    import bunraku as bk
    from bunraku_bench.push_trials import largest_pushes

    with progress_bar(100, "pushes") as update:
        found = largest_pushes(bk.human(), progress=lambda part: update(round(100 * part)))
    if plots is not None:
        from bunraku.draw.walk_plots import push_plot
        from bunraku.files import write_bytes

        series = {f"{m}, {'with' if s else 'without'} stabiliser": x for (m, s), x in found.rows.items()}
        write_bytes(plots / "pushes.png", push_plot(series, found.degrees, f"{found.figure}: largest push survived"))
    ratios = {m: found.ratio(m) for m in dict.fromkeys(m for m, _ in found.rows)}
    return {**found.plain(), "ratio": ratios, "text": str(found).splitlines()}
