"""`bunraku follow FILE --out x.bkr`: a captured or recorded motion done by the figure itself in the physical world, its base free.

FILE is a BVH file, which is retargeted first, or a recording; what has no forces goes through the dynamics filter. It prints how well the motion is
followed and how much help from outside was used (none unless --aid asks for it). See docs/motion-generation.md.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import tyro

from bunraku.cli.common import figure, print_json, progress_bar
from bunraku.errors import InputError


def main(
    file: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")] = "",
    /,
    *,
    out: Path | None = None,
    model: str | None = None,
    cutoff: float | None = None,
    contact: str = "pgs",
    aid: float = 0.0,
    self_collision: bool = True,
    seconds: float | None = None,
    json: bool = False,
) -> int:
    """Let a figure follow a motion in the physical world.

    Args:
        file: a BVH file or a recording.
        out: the recording to write; FILE-followed.bkr in this folder by default.
        model: the figure: human, or a URDF or MJCF file; that of a recording, human for BVH by default.
        cutoff: smoothing before [Hz]; 6 for BVH, none for a recording by default; 0 for none.
        contact: the contact model: pgs, virtual_link or penalty.
        aid: help on the base from outside, at the most [N]; its share is told.
        self_collision: let the figure's own links collide.
        seconds: how long to follow, the whole motion by default.
        json: print the summary as JSON.
    """
    if not file:
        raise InputError("no file given; name a BVH file or a recording.")
    if not 0 <= aid < float("inf"):
        raise InputError(f"--aid {aid} is not a force of 0 N or more.")
    if seconds is not None and not 0 < seconds < float("inf"):
        raise InputError(f"--seconds {seconds} is not a time above 0.")
    if cutoff is not None and not 0 <= cutoff < float("inf"):
        raise InputError(f"--cutoff {cutoff} is not a frequency of 0 Hz or more.")
    from bunraku.cli.filter import read
    from bunraku.motion.follow import follow

    motion = read(file, model or "human", cutoff)
    target = out if out is not None else Path(f"{Path(file).stem}-followed.bkr")
    chosen = figure(model) if model is not None and motion.model.name != model else None
    began = time.perf_counter()
    with progress_bar(100, "filtering") as update:
        followed = follow(
            motion, chosen, help=aid, contact=contact, self_collision=self_collision, seconds=seconds, record=target,
            progress=lambda done, of: update(100 * done // of, "following"),
        )  # fmt: skip
    if json:
        print_json({**followed.as_dict(), "file": str(target), "wall_s": time.perf_counter() - began})
    else:
        print(f"{target}: {followed.text()}")
    return 0
