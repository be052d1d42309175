"""`bunraku gait …`: the parts of the 1988 walking program, one command each (report: GAIT, BIDYN, MOMA, SERVO,
pictures).

GAIT is a name of the library (flat, usual, smooth, long_stride, stairs_up, stairs_down), a TOML file, or a file of
GAIT cards with its BIDYN cards. Without --out a listing like the report's is printed; with it the suffix chooses the
form. --json prints a summary.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import tyro

from bunraku.cli.common import check_seed, idle, print_json, progress_bar
from bunraku.errors import InputError
from bunraku.gait1988.command_common import (
    GaitName,
    Solving,
    SolvingOptions,
    View,
    Walking,
    WalkingOptions,
    Which,
    WhichOptions,
    deliver,
    gait_files,
    wrote,
)
from bunraku.gait1988.export_commands import export, follow
from bunraku.gait1988.run_all import run

Target = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="OUT")]


def smooth(
    gait: GaitName = "flat",
    /,
    *,
    which: WhichOptions = Which(),  # noqa: B008 - frozen
    out: Path | None = None,
    json: bool = False,
) -> None:
    """GAIT: smooth the leg patterns; prints Fig. 6.1's listing.

    Args:
        gait: library gait, TOML file, or GAIT cards.
        out: write to .txt (listing) or .csv instead.
        json: print the table as JSON.
    """
    from bunraku.gait1988.listing import gait_listing
    from bunraku.gait1988.smooth import leg_table
    from bunraku.gait1988.tables import LEGS, smooth_csv

    if json:
        idle("has no effect with --json", out=out is not None)
    idle("has no effect on the legs' patterns", zmp=which.zmp is not None)
    what = which.load(gait, out, forms=(".txt", ".csv"))
    if json:
        values = leg_table(what, digits=None)
        print_json(
            {"gait": what.name, "step_time": what.step_time, "legs": LEGS, "angle_velocity_acceleration": values}
        )
    else:
        deliver(out, {".txt": lambda: gait_listing(what), ".csv": lambda: smooth_csv(what)}, ".txt")


def solve(
    gait: GaitName = "flat",
    /,
    *,
    how: SolvingOptions = Solving(),  # noqa: B008 - frozen
    out: Path | None = None,
    json: bool = False,
) -> None:
    """BIDYN: find the periodic walk; prints Fig. 6.2's listing.

    Args:
        gait: library gait, TOML file, or GAIT cards.
        out: write to .txt (listing), .csv, .npz or .moma (cards of MOMA with the found start) instead.
        json: print a summary with the checks as JSON.
    """
    from bunraku.gait1988.cards import moma_deck, write_dynamics_cards
    from bunraku.gait1988.listing import bidyn_listing
    from bunraku.gait1988.run_all import summary
    from bunraku.gait1988.tables import walk_csv, walk_npz

    if json:
        idle("has no effect with --json", out=out is not None)
    walk = how.solved(gait, out, (".txt", ".csv", ".npz", ".moma"))
    if json:
        print_json(summary(walk))
    else:
        half = len(walk.start) // 2
        start_card = (*walk.start[:2], *walk.start[half : half + 2])
        makers = {
            ".txt": lambda: bidyn_listing(walk),
            ".csv": lambda: walk_csv(walk),
            ".npz": lambda: walk_npz(walk),
            ".moma": lambda: write_dynamics_cards(moma_deck(walk.gait, start_card)),
        }
        deliver(out, makers, ".txt")


def moments(
    gait: GaitName = "flat",
    /,
    *,
    how: SolvingOptions = Solving(),  # noqa: B008 - frozen
    moma: Path | None = None,
    steps: int | None = None,
    out: Path | None = None,
    json: bool = False,
) -> None:
    """MOMA: the 12 bodies and the joint moments at every row; prints Fig. 6.3's listing.

    Args:
        gait: library gait, TOML file, or GAIT cards.
        moma: MOMA's own cards (Fig. 5.3; `solve --out NAME.moma` writes some): factors, ZMP and the start that BIDYN
            found, taken as it is, in mode historical; GAIT gives the legs alone.
        steps: write the path of all bodies over so many steps, left and right alternating (Fig. 7.2), as .csv.
        out: write to .txt (listing), .csv or .npz instead.
        json: print the moments as JSON.
    """
    from bunraku.gait1988.listing import moma_listing
    from bunraku.gait1988.report_moments import JOINT_NAMES
    from bunraku.gait1988.steps import check_steps
    from bunraku.gait1988.tables import moments_csv, path_csv, walk_npz

    if json:
        idle("has no effect with --json", out=out is not None, steps=steps is not None)
    if steps is not None:
        check_steps(steps)
    forms = (".csv",) if steps is not None else (".txt", ".csv", ".npz")
    if moma is None:
        walk = how.solved(gait, out, forms)
    else:
        own = {"zmp": how.zmp, "bidyn": how.bidyn, "start": how.start}
        idle("has no effect with --moma, whose cards say it", **{name: x is not None for name, x in own.items()})
        idle("has no effect with --moma, the report's own program", arms_free=how.arms_free, samples=how.samples != 41)
        from bunraku.gait1988.solved_walk import moma_walk

        walk = moma_walk(how.load_moma(gait, moma, out, forms))
    if steps is not None:
        deliver(out, {".csv": lambda: path_csv(walk, steps)}, ".csv")
    elif json:
        print_json(
            {
                "gait": walk.gait.name,
                "mode": walk.mode,
                "joints": JOINT_NAMES,
                "time": walk.time,
                "moments_Nm": walk.moments,
            }
        )
    else:
        makers = {".txt": lambda: moma_listing(walk), ".csv": lambda: moments_csv(walk), ".npz": lambda: walk_npz(walk)}
        deliver(out, makers, ".txt")


def servo(
    gait: GaitName = "flat",
    /,
    *,
    how: SolvingOptions = Solving(),  # noqa: B008 - frozen
    out: Path | None = None,
    json: bool = False,
) -> None:
    """SERVO: angle, speed, torque, power and energy of every drive.

    Args:
        gait: library gait, TOML file, or GAIT cards.
        out: write to .txt (listing) or .csv instead.
        json: print the energies as JSON.
    """
    from bunraku.gait1988.listing import servo_listing
    from bunraku.gait1988.servo import drives, energies
    from bunraku.gait1988.tables import servo_csv

    if json:
        idle("has no effect with --json", out=out is not None)
    walk = how.solved(gait, out, (".txt", ".csv"))
    if json:
        work = energies(walk)
        data = {}
        for drive in drives(walk):
            e = work[drive.name]
            data[drive.name] = {
                "peak_torque_Nm": float(abs(drive.torque).max()),
                "peak_power_W": float(abs(drive.power).max()),
                "positive_J": e.positive,
                "negative_J": e.negative,
            }
        print_json({"gait": walk.gait.name, "mode": walk.mode, "drives": data})
    else:
        deliver(out, {".txt": lambda: servo_listing(walk), ".csv": lambda: servo_csv(walk)}, ".txt")


def survey(
    gait: GaitName = "flat",
    /,
    *,
    method: Literal["exact", "historical", "newton"] = "exact",
    which: WhichOptions = Which(),  # noqa: B008 - frozen
    count: int | None = None,
    seed: int | None = None,
    own_starts: bool = False,
    out: Path | None = None,
    json: bool = False,
) -> None:
    """Try many starts: which reach a walk, which one, in how many iterations.

    Args:
        gait: library gait, TOML file, or GAIT cards.
        method: exact, historical (the report's iteration), or newton (on the report's equations).
        count: number of random starts; 100 by default.
        seed: seed of the random starts; 0 by default.
        own_starts: try the gait's own starts instead of random ones.
        out: write every trial to .csv.
        json: print the summary as JSON.
    """
    import numpy as np

    from bunraku.gait1988 import survey as s

    if json:
        idle("has no effect with --json", out=out is not None)
    if own_starts:
        idle("has no effect with --own-starts", count=count is not None, seed=seed is not None)
    check_seed(seed)
    what = which.load(gait, out, forms=(".txt", ".csv"))
    if own_starts and not what.starts:
        raise InputError(f"gait {what.name!r} has no starts of its own; leave out --own-starts.")
    starts = (
        np.array(what.starts)
        if own_starts
        else s.random_starts(100 if count is None else count, 0 if seed is None else seed)
    )
    with progress_bar(len(starts), f"survey of {what.name}") as update:
        result = s.survey(what, starts, method, lambda done: update(done, None))
    if json:
        found = [{"start": v, "status": st, "found": n, "mean_iterations": it} for v, st, n, it in result.solutions()]
        print_json(
            {"gait": what.name, "method": method, "starts": len(starts), "counts": result.counts(), "solutions": found}
        )
        return
    deliver(out, {".txt": lambda: s.survey_text(result), ".csv": lambda: s.survey_csv(result)}, ".txt")


def draw(
    gait: GaitName = "flat",
    /,
    *,
    how: WalkingOptions = Walking(),  # noqa: B008 - frozen
    view: View = "oblique",
    azimuth: float | None = None,
    style: Literal["solid", "stick"] = "solid",
    begin: float = 0.0,
    end: float | None = None,
    interval: float | None = None,
    separate: bool = False,
    width: int = 1280,
    height: int = 720,
    out: Path = Path("walk.png"),
) -> None:
    """Pictures as in chapter 7: superimposed (strobe), one by one, or a film.

    Args:
        gait: library gait, TOML file, or GAIT cards.
        view: where from.
        azimuth: degrees instead of the view's own: 0 from ahead, -90 from the right, -70 as Figs 7.9 and 7.10, 90 from the left.
        style: solid, or stick: the report's own line drawing (with --end 2 --interval 0.25 its Figs 7.8 to 7.10).
        begin: first time, s (any number of steps).
        end: last time, s; left out, six figures in one picture (four on stairs), else two steps.
        interval: time between pictures, s; left out, far enough for figures in one picture to be told apart (an odd
            number of quarter steps, 0.4 m on at least), a quarter step for --separate, a twentieth for a film.
        separate: one PNG for each time (walk_0001.png, walk_0002.png …) instead of all in one.
        width: pixels.
        height: pixels.
        out: .png, or .gif for a film.
    """
    from bunraku.draw.picture import gif_bytes, png_bytes
    from bunraku.files import keep_inputs
    from bunraku.gait1988.walker_solids import Look, film, shots, strobe, strobe_times, times_of

    look = Look(view, azimuth, style, width, height)
    suffix = out.suffix.lower()
    if suffix not in (".png", ".gif"):
        raise InputError(f"{out}: a picture must end in .png, a film in .gif.")
    if suffix == ".gif":
        idle("has no effect on a film", separate=separate)
    times_of(begin, begin if end is None else end, 1.0 if interval is None else interval)
    walk = how.walk(gait, out, samples=41 if how.mode == "historical" else 201)
    if suffix == ".png" and not separate:
        return wrote(out, png_bytes(strobe(walk, strobe_times(walk, begin, end, interval), look)))
    if interval is None:
        interval = walk.gait.step_time / (20.0 if suffix == ".gif" else 4.0)
    times = times_of(begin, begin + 2.0 * walk.gait.step_time - interval if end is None else end, interval)
    with progress_bar(len(times), "drawing") as update:
        if suffix == ".gif":
            frames = []
            for k, frame in enumerate(film(walk, times, look)):
                frames.append(frame)
                update(k + 1, None)
            return wrote(out, gif_bytes(frames, interval))
        paths = [out.with_name(f"{out.stem}_{k + 1:04d}.png") for k in range(len(times))]
        keep_inputs(gait_files(gait, how.bidyn), paths)
        for k, picture in enumerate(shots(walk, times, look)):
            wrote(paths[k], png_bytes(picture))
            update(k + 1, None)


def convert(gait: GaitName, out: Target, /, *, which: WhichOptions = Which()) -> None:  # noqa: B008 - frozen
    """Turn cards into a TOML gait file, or a gait into cards (NAME.gait and NAME.bidyn).

    Args:
        gait: library gait, TOML file, or GAIT cards.
        out: .toml, or .gait for cards.
    """
    from bunraku.gait1988.cards import from_gait, write_dynamics_cards, write_gait_cards
    from bunraku.gait1988.gaitfile import write_gait_toml

    target = Path(out)
    outputs = [target, target.with_suffix(".bidyn")] if target.suffix.lower() == ".gait" else [target]
    what = which.load(gait, *outputs)
    if target.suffix.lower() == ".toml":
        texts = [write_gait_toml(what)]
    elif target.suffix.lower() == ".gait":
        front, back = from_gait(what)
        texts = [write_gait_cards(front), write_dynamics_cards(back)]
    else:
        raise InputError(f"{target}: wanted a name ending in .toml (gait file) or .gait (cards).")
    for path, text in zip(outputs, texts):
        wrote(path, text)


COMMANDS = {
    "smooth": smooth,
    "solve": solve,
    "moments": moments,
    "servo": servo,
    "survey": survey,
    "draw": draw,
    "convert": convert,
    "export": export,
    "follow": follow,
    "run": run,
}
