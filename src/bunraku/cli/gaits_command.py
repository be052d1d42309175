"""`bunraku gaits make` and `bunraku gaits show`: steps of walking derived from mechanics, as files and recordings.

See docs/gaits.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

from bunraku.cli.common import idle, print_json, two_columns
from bunraku.errors import InputError
from bunraku.files import ends_in, keep_inputs
from bunraku.progress import progress_bar

SEEN = (".bkr", ".bvh", ".html", ".gif", ".mp4")


def make(
    *,
    speed: float = 1.3,
    step: float | None = None,
    height: float = 1.7,
    mass: float = 69.0,
    out: Path = Path("walk.gait.npz"),
    library: Path | None = None,
    json: bool = False,
) -> int:
    """Optimise a step of walking from mechanics alone: no recorded motion enters.

    Args:
        speed: of the walk [m/s], 0.25 to 1.9 for a figure of 1.7 m.
        step: length of a step [m]; by default that of people at this speed.
        height: of the figure [m].
        mass: of the figure [kg].
        out: the file to write, .npz.
        library: a folder for all the gaits that come with Bunraku, made anew: steps at several speeds, a start and a stop.
        json: print the gait's figures as JSON.
    """
    from bunraku.gaits.gait_figures import gait_figures, rows
    from bunraku.gaits.make_gait import make_gait, plan_of
    from bunraku.model.human import in_range

    if library is not None:
        return make_library(library)
    ends_in(out, ".npz", what="a gait")
    keep_inputs([], [out])
    plan = plan_of(speed, height, step)
    in_range("mass", mass, 1.0, 500.0)
    with progress_bar(None, "a step from mechanics") as tell:
        count = [0]

        def watch(cost: float, off: float) -> None:
            count[0] += 1
            tell(count[0], f"try {count[0]}: cost {cost:.2f}, laws off by {off:.0e}")

        gait = make_gait(plan, height, mass, watch=watch)
    gait.save(out)
    figures = gait_figures(gait)
    if json:
        print_json({"file": str(out), "residual": gait.residual(), **figures})
        return 0
    print(f"{out}: laws of mechanics kept to {gait.residual():.0e} of the weight")
    print("\n".join(f"  {line}" for line in two_columns(rows(figures))))
    return 0


def make_library(folder: Path) -> int:
    """All gaits of bunraku.gaits.gait_library, in a folder."""
    from bunraku.gaits.gait_library import SPEEDS, TURNING
    from bunraku.gaits.make_gait import make_gait, make_transition, plan_of

    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    with progress_bar(len(SPEEDS) + 2, "steps from mechanics") as tell:
        for k, speed in enumerate(SPEEDS):
            tell(k, f"a step at {speed:g} m/s")
            found[speed] = make_gait(plan_of(speed))
            found[speed].save(folder / f"{speed}.npz")
        for k, kind in enumerate(("start", "stop")):
            tell(len(SPEEDS) + k, f"the {kind} of a walk")
            make_transition(kind, found[TURNING]).save(folder / f"{kind}.npz")
    print(f"{folder}/: {', '.join(sorted(x.name for x in folder.glob('*.npz')))}")
    return 0


def show(
    gait: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="GAIT")],
    /,
    *,
    steps: int = 10,
    height: float | None = None,
    mass: float | None = None,
    out: Path | None = None,
    json: bool = False,
) -> int:
    """Tell the figures of a gait, and write several steps of it for other programs.

    Args:
        gait: a file that `bunraku gaits make` wrote.
        steps: how many are written.
        height: of another figure [m] that walks so, with the same Froude number.
        mass: of another figure [kg].
        out: .bkr (with ground reaction and torques, for `bunraku play` and `export`), .bvh, .html, .gif or .mp4.
        json: print the gait's figures as JSON.
    """
    from bunraku.gaits.gait import load_gait
    from bunraku.gaits.gait_figures import gait_figures, rows

    idle("has no effect without --out", steps=steps != 10 and out is None)
    if out is not None:
        ends_in(out, *SEEN, what="steps of a gait")
    keep_inputs([gait], [out])
    found = load_gait(gait)
    if height is not None or mass is not None:
        found = found.scaled(found.height if height is None else height, found.mass if mass is None else mass)
    if not 1 <= steps <= 1000:
        raise InputError(f"gaits: {steps} steps; give 1 to 1000.")
    if out is not None:
        write(found, steps, out)
    figures = gait_figures(found)
    if json:
        print_json({"file": None if out is None else str(out), "residual": found.residual(), **figures})
        return 0
    print(f"{gait}: {found.height:g} m, {found.mass:g} kg")
    print("\n".join(f"  {line}" for line in two_columns(rows(figures))))
    return 0


def write(gait, steps: int, out: Path) -> None:  # type: ignore[no-untyped-def]
    """Steps of a gait in the form that the ending names."""
    import tempfile

    from bunraku.cli.export_command import main as export

    if out.suffix.lower() == ".bkr":
        gait.solved(steps).save(out, title=f"walk at {gait.plan.speed:g} m/s")
        return
    with tempfile.TemporaryDirectory() as folder:
        kept = gait.solved(steps).save(Path(folder) / "walk.bkr", title=f"walk at {gait.plan.speed:g} m/s")
        export(kept, out=out)


COMMANDS = {"make": make, "show": show}
