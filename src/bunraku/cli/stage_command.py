"""`bunraku stage [MODEL]`: pin and drag a figure in the browser while dynamics moves it, in real time; Ctrl-C ends it.

See docs/stage.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

from bunraku.cli.common import ContactName, PriorityName, check_sweeps, figure
from bunraku.cli.page_options import Page, PageOptions, stay
from bunraku.errors import InputError
from bunraku.files import ends_in, keep_inputs
from bunraku.kernel.needed import prepare


def main(
    model: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL")] = "human",
    /,
    *,
    page: PageOptions = Page(),  # noqa: B008 - frozen
    cast: Path | None = None,
    score: Path | None = None,
    recordings: Path | None = None,
    contact: ContactName = "pgs",
    sweeps: int | None = None,
    balance: bool = True,
    dynamics: bool = True,
    steps: bool = True,
    priority: PriorityName = "weights",
    friction: float = 0.8,
    dt: float = 0.001,
) -> int:
    """Pin and drag a figure in the browser.

    Args:
        model: "human", a file of `bunraku human`, or a URDF or MJCF file.
        cast: a score whose figures and things ([[cast]]) are on stage, too: hands can hold them (docs/stage.md).
        score: a TOML file that the page's Score button writes, besides giving it to the browser.
        recordings: a folder where takes (.bkr) stay.
        contact: the contact model.
        sweeps: the most sweeps in a step with contact pgs_2007; 120 by default.
        balance: begin with balance control on.
        dynamics: begin with dynamics; without, kinematics alone moves the figure. The page switches between them.
        steps: the figure steps where it is pushed or dragged beyond what it can hold and reach.
        priority: weights, or 2002: pins and drags first, joint limits and desired values in the freedom that is left.
        friction: coefficient of friction of the floor.
        dt: time step [s].
    """
    if not 0 <= friction <= 100:
        raise InputError(f"--friction {friction} is not between 0 and 100.")
    keep_inputs([model, cast], [score, None if recordings is None else recordings / "take-1.bkr"])
    if score is not None and not score.absolute().parent.is_dir():
        raise InputError(f"--score {score} is no file in a folder that exists.")
    ends_in(score, ".toml", what="a score")
    check_sweeps(sweeps, contact)
    options = page.options()
    from bunraku.choreography import Choreography, Score
    from bunraku.viewer.stage import open_stage
    from bunraku.world.world import World

    how = {"balance": balance, "dynamics": dynamics, "steps": steps, "priority": priority, "friction": friction}
    known = None if cast is None else Score.load(cast)
    body = figure(model if known is None or model != "human" else known.model)
    World(dt, contact, sweeps=sweeps)  # says what is wrong before anything is made ready
    prepare("stage", contact)
    given = {"dt": dt, "contact": contact, "sweeps": sweeps, **how}
    c = Choreography(body, **given) if known is None else known.choreography(body, **given)
    files = {"score": score, "recordings": recordings}
    return stay(open_stage(c, title=f"Stage: {Path(model).stem}", **files, **options))
