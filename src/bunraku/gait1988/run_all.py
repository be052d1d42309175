"""`bunraku gait run`: the whole job with defaults – solve, print a short table, write listings,
plots, pictures.

Everything goes into one folder: gait.toml, walk.npz, CSV tables, listings as the report has them, plots, a strobe
picture and a film. The command says what it is doing on stderr while that is a terminal, and where the results are on
stdout.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bunraku.cli.common import print_json, progress_bar, two_columns
from bunraku.files import keep_results, note_results, write_bytes, write_text
from bunraku.gait1988.command_common import GaitName, View, Walking, WalkingOptions, table
from bunraku.kernel.needed import prepare

if TYPE_CHECKING:
    from bunraku.gait1988.solved_walk import Walk


def summary(walk: Walk) -> dict[str, Any]:
    """What a person wants to know of a solved walk, as plain data."""
    import numpy as np

    from bunraku.gait1988.checks import check_walk, progress
    from bunraku.gait1988.servo import drives, energies

    every, work = drives(walk), energies(walk)
    peak = max(every, key=lambda d: float(np.abs(d.torque).max()))
    positive = sum(e.positive for e in work.values())
    return {
        "gait": walk.gait.name,
        "source": walk.gait.source,
        "mode": walk.mode,
        "arms_free": walk.arms_free,
        "iterations": walk.iterations,
        "start": [float(v) for v in walk.start],
        "step_time_s": walk.gait.step_time,
        "step_m": progress(walk),
        "psi_deg": [float(np.degrees(walk.psi.min())), float(np.degrees(walk.psi.max()))],
        "theta_deg": [float(np.degrees(walk.theta.min())), float(np.degrees(walk.theta.max()))],
        "lift_N": [float(walk.force[:, 2].min()), float(walk.force[:, 2].max())],
        "largest_torque": {"drive": peak.name, "Nm": float(np.abs(peak.torque).max())},
        "positive_work_J": positive,
        "zmp_residual_Nm": float(np.abs(walk.residual).max()),
        "checks": [
            {"name": c.name, "value": c.value, "unit": c.unit, "wanted": c.wanted, "passed": c.passed}
            for c in check_walk(walk)
        ],
    }


TABLES = ("gait.toml", "gait.txt", "bidyn.txt", "moma.txt", "servo.txt", "legs.csv", "walk.csv", "moments.csv")
PLOTS = ("angles", "legs", "forces", "zmp", "foot", "footmarks", "torques", "power")
FILES = (*TABLES, "path.csv", "servo.csv", "walk.npz", *(f"{name}.png" for name in PLOTS), "strobe.png", "walk.gif")
"""What goes into the folder."""
KNOWN_FAULTS = {"penetration", "landing height", "pelvis velocity jump", "straightest knee"}
"""Checks that the report's flat gait cannot pass (docs/gait.md, tests/gait1988/test_library.py)."""


def remark(data: dict[str, Any]) -> list[str]:
    """A line below the checks, where those that fail are known faults of the report's data."""
    failed = {c["name"] for c in data["checks"] if not c["passed"]}
    if failed and failed <= KNOWN_FAULTS and data["source"].startswith("JAERI-M 88-080"):
        return [
            "",
            "NO: known faults of the report's data, see docs/gait.md; our own gaits (usual, smooth …) hold all.",
        ]
    return []


def summary_text(data: dict[str, Any]) -> str:
    """The short table."""
    start = ", ".join(f"{v:.5f}" for v in data["start"][:2])
    rates = ", ".join(f"{v:.5f}" for v in data["start"][len(data["start"]) // 2 :][:2])
    rows = [
        ("gait", f"{data['gait']} ({data['source']})"),
        ("mode", data["mode"] + (", arms free" if data["arms_free"] else "")),
        ("iterations", str(data["iterations"])),
        ("start (theta, psi)", f"({start}) rad"),
        ("start (theta', psi')", f"({rates}) rad/s"),
        ("step", f"{data['step_m']:.3f} m in {data['step_time_s']:g} s"),
        ("trunk lean psi", f"{data['psi_deg'][0]:.1f} to {data['psi_deg'][1]:.1f} deg"),
        ("lift", f"{data['lift_N'][0]:.0f} to {data['lift_N'][1]:.0f} N"),
        ("largest torque", f"{data['largest_torque']['Nm']:.1f} N m ({data['largest_torque']['drive']})"),
        ("positive work", f"{data['positive_work_J']:.1f} J a step"),
    ]
    checks = [
        (c["name"], f"{c['value']:.3g}", c["unit"], c["wanted"], "yes" if c["passed"] else "NO") for c in data["checks"]
    ]
    return "\n".join(
        [*two_columns(rows), "", table(checks, ("check", "value", "unit", "wanted", "holds")), *remark(data)]
    )


def run(
    gait: GaitName = "flat",
    /,
    *,
    how: WalkingOptions = Walking(),  # noqa: B008 - frozen
    out: Path = Path("bunraku-gait"),
    force: bool = False,
    steps: int = 4,
    view: View = "oblique",
    json: bool = False,
) -> None:
    """The whole job: solve a gait, print a short table, write listings, plots, a strobe picture and a film.

    Args:
        gait: library gait, TOML file, or GAIT cards.
        out: folder for the results.
        force: replace results of another gait, or of another command, in that folder.
        steps: steps in path.csv.
        view: where the pictures are taken from.
        json: print the summary as JSON.
    """
    from bunraku.gait1988.steps import check_steps

    began = time.perf_counter()
    check_steps(steps)
    what = how.load(gait, *(out / name for name in FILES))
    keep_results(out, FILES, f"gait run {what.name}", force)
    with progress_bar(6, "loading") as update:
        prepare("gait")
        from bunraku.draw.picture import gif_bytes, png_bytes
        from bunraku.gait1988.gaitfile import write_gait_toml
        from bunraku.gait1988.listing import bidyn_listing, gait_listing, moma_listing, servo_listing
        from bunraku.gait1988.plots import walk_plots
        from bunraku.gait1988.solved_walk import solve_walk
        from bunraku.gait1988.tables import moments_csv, path_csv, servo_csv, smooth_csv, walk_csv, walk_npz
        from bunraku.gait1988.walker_solids import Look, film, strobe, strobe_times, times_of

        update(1, f"solving {what.name}")
        walk = solve_walk(what, how.mode, arms_free=how.arms_free)
        fine = walk if how.mode == "historical" else solve_walk(what, how.mode, arms_free=how.arms_free, samples=201)
        update(2, "listings and tables")
        texts = {
            "gait.toml": write_gait_toml(what),
            "gait.txt": gait_listing(what),
            "bidyn.txt": bidyn_listing(walk),
            "moma.txt": moma_listing(walk),
            "servo.txt": servo_listing(walk),
            "legs.csv": smooth_csv(what),
            "walk.csv": walk_csv(walk),
            "moments.csv": moments_csv(walk),
            "path.csv": path_csv(walk, steps),
            "servo.csv": servo_csv(walk),
        }
        note_results(out, f"gait run {what.name}")
        for name, text in texts.items():
            write_text(out / name, text)
        write_bytes(out / "walk.npz", walk_npz(walk))
        update(3, "plots")
        for name, data in walk_plots(fine).items():
            write_bytes(out / f"{name}.png", data)
        span = what.step_time
        update(4, "strobe picture")
        write_bytes(out / "strobe.png", png_bytes(strobe(fine, strobe_times(fine), Look(view))))
        update(5, "film")
        frame = span / 20.0
        seen = Look(view, width=480, height=360)
        write_bytes(out / "walk.gif", gif_bytes(film(fine, times_of(0.0, 2.0 * span - frame, frame), seen), frame))
        update(6, "done")
    data = summary(fine)
    if json:
        print_json({**data, "folder": str(out), "seconds": time.perf_counter() - began})
        return
    print(summary_text(data))
    print(f"\n{len(FILES)} files in {out}/ (look at strobe.png, walk.gif, angles.png; listings are *.txt)")
