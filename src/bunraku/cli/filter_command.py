"""`bunraku filter FILE --out x.bkr`: the nearest motion that obeys mechanics to a captured or recorded one, with ground
reaction, ZMP and torques.

FILE is a captured clip, BVH or .npz of AMASS, which is retargeted first, a recording, or a CSV file of one. It prints
how far the motion had to move. `--follow walked.bkr` then lets the figure do it itself in a physical world, base free,
and says how that went. FILE may be a folder of clips (bunraku.cli.filter_folder). See docs/motion-generation.md.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from bunraku.cli.common import idle, print_json, progress_bar
from bunraku.cli.retarget_command import mapped, trimmed, walker
from bunraku.errors import InputError
from bunraku.files import cannot_be_read, ends_in, keep_inputs, write_bytes
from bunraku.kernel.needed import prepare
from bunraku.recording.motion import Motion


def main(
    file: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")] = "",
    /,
    *,
    out: Path | None = None,
    model: str = "human",
    mapping: Path | None = None,
    cutoff: float | None = None,
    dt: float = 0.002,
    friction: float = 0.8,
    strength: float = 1.0,
    slow: float = 3.0,
    contact: str | None = None,
    plot: Path | None = None,
    follow: Path | None = None,
    seconds: float | None = None,
    aid: float = 0.0,
    begin: Annotated[float | None, tyro.conf.arg(name="from")] = None,
    end: Annotated[float | None, tyro.conf.arg(name="to")] = None,
    workers: int = 1,
    json: bool = False,
) -> int:
    """Make a motion physically consistent.

    Args:
        file: a captured clip (BVH, or .npz of AMASS), a recording, a CSV file with the coordinates of a figure, or a folder of clips and recordings.
        out: the recording to write, FILE-filtered.bkr in this folder by default; of a folder the folder to write, with clips.csv and index.html.
        model: the figure that a BVH file moves: human, a file of `bunraku human`, or a URDF or MJCF file.
        mapping: a TOML file for what geometry cannot tell of a BVH file or a robot (`bunraku retarget --help`).
        cutoff: smoothing before [Hz]; 6 for BVH, none for a recording by default; 0 for none.
        dt: the time step [s].
        friction: coefficient of friction of the floor, whose forces stay in their cones, in the filter and where the motion is followed.
        strength: what the torque limits of the figure are multiplied with, in the filter and where the motion is followed.
        slow: how many times as long parts may last that cannot be done otherwise; 1 for none.
        contact: the contact model of the world where the motion is followed.
        plot: a picture (PNG) of ground reaction, zero-moment point and torques.
        follow: a recording to write of the figure following the filtered motion in a physical world; of a folder "yes".
        seconds: how much of the motion to follow [s]; all of it by default.
        aid: help from outside on the base while it follows, at most so many newtons; its share is printed.
        begin: where to begin [s of FILE].
        end: where to end [s of FILE].
        workers: how many processes share the clips of a folder; what was done before is not done again.
        json: print the summary as JSON.
    """
    if not file:
        raise InputError("no file given; name a BVH file or a recording.")
    if not 0 <= aid < float("inf"):
        raise InputError(f"--aid {aid} is not a force of 0 N or more.")
    if seconds is not None and not 0 < seconds < float("inf"):
        raise InputError(f"--seconds {seconds} is not a time above 0.")
    if follow is None:
        idle("has no effect without --follow", aid=aid > 0, seconds=seconds is not None, contact=contact is not None)
    if cutoff is not None and not 0 <= cutoff < float("inf"):
        raise InputError(f"--cutoff {cutoff} is not a frequency of 0 Hz or more.")
    if not 0 < friction < float("inf"):
        raise InputError(f"--friction {friction} is not a number above 0.")
    if not 0 < strength < float("inf"):
        raise InputError(f"--strength {strength} is not a number above 0.")
    if not 1 <= slow < float("inf"):
        raise InputError(f"--slow {slow} is not a number of 1 or more.")
    if Path(file).is_dir():
        if follow is not None and str(follow) != "yes":
            raise InputError(f"--follow {follow} names one recording; of a folder it is yes, and only told.")
        idle(
            "has no effect on a folder",
            contact=contact is not None,
            plot=plot is not None,
            aid=aid > 0,
            seconds=seconds is not None,
        )
        options = {
            "model": model, "mapping": None if mapping is None else str(mapping), "cutoff": cutoff, "dt": dt, "friction": friction,
            "strength": strength, "slow": slow, "begin": begin, "end": end, "follow": follow is not None,
        }  # fmt: skip
        return folder_of_clips(Path(file), out, options, workers, json)
    idle("has no effect on one file, only on a folder", workers=workers != 1)
    if contact is not None:
        from bunraku.world.contact_models import check

        check(contact, "euler")
    from bunraku.motion.consistency import consistency
    from bunraku.motion.filter import dynamics_filter

    target = out if out is not None else Path(f"{Path(file).stem}-filtered.bkr")
    keep_inputs([file, model, mapping], [target, plot, follow])
    ends_in(target, ".bkr", what="a recording")
    ends_in(follow, ".bkr", what="a recording")
    ends_in(plot, ".png", what="a plot")
    motion = (
        trimmed(read(file, model, mapping, cutoff), begin, end)
        if (begin, end) != (None, None)
        else read(file, model, mapping, cutoff)
    )
    began = time.perf_counter()
    with progress_bar(100, "planning") as update:
        prepare("filter")
        filtered = dynamics_filter(
            motion,
            dt=dt,
            friction=friction,
            strength=strength,
            slow=slow,
            progress=lambda done, of: update(100 * done // of, "filtering"),
        )
    solved = filtered.solved
    solved.save(target, title=f"{Path(file).stem}, filtered")
    if plot is not None:
        from bunraku.draw.filtered import plot_filtered

        write_bytes(plot, plot_filtered(filtered))
    found = consistency(solved)
    data = {
        "file": str(target), "frames": len(solved), "seconds": float(solved.times[-1] - solved.times[0]), "dt_s": dt,
        "friction": friction, "strength": strength,
        "ground_reaction": {"min": float(filtered.load.min()), "max": float(filtered.load.max()), "weight_N": solved.weight},
        "stances_s": filtered.stances(), "fell_s": filtered.lost,
        "slowed": filtered.slowed, "flaws": [x.as_dict() for x in filtered.flaws], "moved": filtered.moved.as_dict(), "consistency": found.as_dict(),
        "torque_of_effort": float((np.abs(solved.torques) / np.maximum(solved.model.effort, 1e-9))[:, 6:].max()),
        "wall_s": time.perf_counter() - began,
    }  # fmt: skip
    walked, lost = None, filtered.lost
    falls = lost is not None and (seconds is None or seconds > lost - float(solved.times[0]))
    if follow is not None and not falls:
        from bunraku.motion.follow import follow as follow_motion

        with progress_bar(100, "following") as update:
            walked = follow_motion(
                filtered, help=aid, contact=contact or "pgs", record=follow, seconds=seconds,
                progress=lambda done, of: update(100 * done // of, "following"),
            )  # fmt: skip
        data["followed"] = {"file": str(follow), "contact": contact or "pgs", **walked.as_dict()}
    if json:
        print_json(data)
    else:
        print(f"{target}: {filtered.text()}")
        print(
            f"base rows {found.base:.1e} of the weight, pull {found.pull:.1e} N, outside the cones {found.cone:.1e} "
            f"N, {data['wall_s']:.1f} s"
        )
        if walked is not None:
            print(f"{follow}: {walked.text()}")
    if follow is not None and lost is not None and walked is None:
        raise InputError(
            f"{follow}: not written, as the filtered motion falls at {lost:.2f} s and cannot be followed upright; "
            f"--seconds {0.9 * (lost - float(solved.times[0])):.2f} follows what comes before."
        )
    return 0


def folder_of_clips(folder: Path, out: Path | None, options: dict[str, Any], workers: int, json: bool) -> int:
    """Filter all clips of a folder, see bunraku.cli.filter_folder."""
    from bunraku.cli.filter_folder import clips_of, filter_folder

    if workers < 1:
        raise InputError(f"--workers {workers} is not a number of 1 or more.")
    target = out if out is not None else Path(f"{folder.resolve().name}-filtered")
    if target.resolve() == folder.resolve():
        raise InputError(f"--out {target} is the folder of the clips itself; name another.")
    if target.suffix in (".bkr", ".bvh"):
        raise InputError(f"--out {target} is the name of a file; of a folder of clips another folder is made.")
    clips_of(folder, target)  # mistakes once, not in every row
    mapped(None if options["mapping"] is None else Path(options["mapping"]))
    walker(options["model"])
    with progress_bar(100, f"filtering {folder}") as update:
        prepare("filter")  # once, not in every worker
        rows = filter_folder(
            folder, target, options, workers, lambda done, of: update(100 * done // of, f"{done} of {of} clips")
        )
    if json:
        print_json({"folder": str(target), "clips": rows})
    else:
        for row in rows:
            print(f"{row['clip']}: {row['verdict']}{': ' if row['says'] else ''}{row['says']}")
        print(f"{target}/index.html, {target}/clips.csv")
    return 0


def read(file: str, model: str, mapping: Path | None, cutoff: float | None) -> Motion:
    """The motion of a file, on a figure with masses."""
    from bunraku.formats.clips import kind_of, load_clip

    path = Path(file)
    try:
        with open(path, "rb") as f:
            begins = f.read(64).lstrip()
    except (OSError, ValueError) as error:
        raise cannot_be_read(file, error) from None
    if kind_of(path):
        from bunraku.motion.retarget import CUTOFF, retarget

        smooth = CUTOFF if cutoff is None else cutoff or None
        names, robot = mapped(mapping)
        return retarget(load_clip(path), walker(model), mapping=names, cutoff=smooth, robot=robot)
    idle(f"has no effect on {file}, only on captured clips", mapping=mapping is not None)
    from bunraku.motion.set_down import smoothed

    if begins[:4] == b"time":
        motion = from_table(path, model)
    else:
        from bunraku.recording.reader import Recording

        idle(f"has no effect on {file}, which has its own figure", model=model != "human")
        with Recording.open(path) as recording:
            motion = recording.motion()
    if cutoff:
        motion = Motion(motion.model, motion.times, smoothed(motion.model, motion.q, motion.times, cutoff), motion.meta)
    return motion


def from_table(path: Path, model: str) -> Motion:
    """The motion of a figure from a CSV file; its columns must be those of the model."""
    from bunraku.errors import UnknownName
    from bunraku.formats import csvfile

    table, m = csvfile.read(path), walker(model)
    names = {name.split(".")[0] for name, _ in table.columns if "." in name and " " not in name}
    try:
        return table.motion(m, m.name if m.name in names or len(names) != 1 else names.pop())
    except UnknownName as error:
        raise InputError(f"{path}: not a motion of {m.name!r}: {error}") from None
