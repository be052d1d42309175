"""`bunraku stage [MODEL]`: pin and drag a figure in the browser while dynamics moves it, in real time; Ctrl-C ends it.

See docs/stage.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

from bunraku.cli.common import figure
from bunraku.cli.page_options import Page, PageOptions, stay
from bunraku.errors import InputError
from bunraku.files import ends_in, keep_inputs


def main(
    model: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL")] = "human",
    /,
    *,
    page: PageOptions = Page(),  # noqa: B008 - frozen
    score: Path | None = None,
    recordings: Path | None = None,
    contact: str = "pgs",
    balance: bool = True,
    friction: float = 0.8,
    dt: float = 0.001,
) -> int:
    """Pin and drag a figure in the browser.

    Args:
        model: "human", or a URDF or MJCF file.
        score: a TOML file that the page's Score button writes, besides giving it to the browser.
        recordings: a folder where takes (.bkr) stay.
        contact: the contact model, e.g. pgs, virtual_link or penalty.
        balance: begin with balance control on.
        friction: of the floor.
        dt: time step [s].
    """
    if not 0 <= friction <= 100:
        raise InputError(f"--friction {friction} is not between 0 and 100.")
    keep_inputs([model], [score, None if recordings is None else recordings / "take-1.bkr"])
    if score is not None and not score.absolute().parent.is_dir():
        raise InputError(f"--score {score} is no file in a folder that exists.")
    ends_in(score, ".toml", what="a score")
    options = page.options()
    from bunraku.choreography import Choreography
    from bunraku.viewer.stage import open_stage

    c = Choreography(figure(model), dt=dt, contact=contact, balance=balance, friction=friction)
    files = {"score": score, "recordings": recordings}
    return stay(open_stage(c, title=f"Stage: {Path(model).stem}", **files, **options))
