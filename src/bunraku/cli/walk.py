"""`bunraku walk`: the quickest way to a walking figure: `bunraku gait run` on our usual gait."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import tyro

from bunraku.cli.gait_run import run


def main(
    gait: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="GAIT")] = "usual",
    /,
    *,
    out: Path = Path("bunraku-walk"),
    mode: Literal["exact", "historical"] = "exact",
    case: str | None = None,
    zmp: str | None = None,
    bidyn: Path | None = None,
    arms_free: bool = False,
    steps: int = 4,
    view: Literal["right", "left", "top", "front", "oblique"] = "oblique",
    json: bool = False,
) -> None:
    """Make a figure walk: solve a gait, print a short table, write listings, plots, a strobe picture and a film.

    Args:
        gait: usual, flat, smooth, long_stride, stairs_up, stairs_down, a TOML file, or GAIT cards.
        out: folder for the results.
        mode: exact or historical (the flat gait only, or with starts on cards).
        case: ZMP case I-V of the flat or usual gait.
        zmp: a ZMP of your own, UNTIL:X,UNTIL:X… in s and m ahead of the foot's centre.
        bidyn: BIDYN cards that belong to GAIT cards.
        arms_free: let shoulders and elbows swing (mode exact).
        steps: steps in path.csv.
        view: where the pictures are taken from.
        json: print the summary as JSON.
    """
    run(
        gait,
        out=out,
        mode=mode,
        case=case,
        zmp=zmp,
        bidyn=bidyn,
        arms_free=arms_free,
        steps=steps,
        view=view,
        json=json,
    )
