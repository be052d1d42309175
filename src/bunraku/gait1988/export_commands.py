"""`bunraku gait export` and `bunraku gait follow`: a solved walk for other programs, and in the physical world.

A walk is written as a recording with forces and torques, a BVH file, a page or a film (`walker_motion`); `follow` lets
the 12-body figure do it by its own torques in a World (bunraku.motion.follow) and says how far it came.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from bunraku.cli.common import idle, print_json, progress_bar
from bunraku.errors import InputError
from bunraku.gait1988.command_common import GaitName, View, Walking, WalkingOptions

FORMS = (".bkr", ".bvh", ".html", ".gif", ".mp4")
SAMPLES = 201  # rows of a step, mode exact
FPS = 20.0  # of films
FRICTION = 1.0
"""Of the ground that a walk is followed on: the library's gaits ask for 0.20 to 0.25, and for a moment about z."""


def export(
    gait: GaitName = "flat",
    /,
    *,
    how: WalkingOptions = Walking(),  # noqa: B008 - frozen
    steps: int = 4,
    view: View | None = None,
    out: Path = Path("walk.bkr"),
) -> None:
    """Write several steps of a walk as a recording (.bkr), BVH, page (.html) or film (.gif, .mp4).

    Args:
        gait: library gait, TOML file, or GAIT cards.
        steps: how many, left and right alternating.
        view: where a film is taken from; oblique by default.
        out: .bkr (with ground reaction and torques, for `bunraku play`, `export`, `filter`), .bvh, .html, .gif or .mp4.
    """
    from bunraku.gait1988.steps import check_steps

    check_steps(steps)
    kind = out.suffix.lower()
    idle("has no effect but on films", view=view is not None and kind not in (".gif", ".mp4"))
    walk = how.walk(gait, out, FORMS, samples=41 if how.mode == "historical" else SAMPLES)
    from bunraku.gait1988.walker_motion import walker_motion, walker_solved

    if kind == ".bvh":
        from bunraku.formats.bvh_motion import save_bvh

        save_bvh(walker_motion(walk, steps), out)
    elif kind == ".bkr":
        walker_solved(walk, steps).save(out, title=f"{walk.gait.name} gait, {walk.mode}")
    else:
        with tempfile.TemporaryDirectory() as folder:
            kept = walker_solved(walk, steps).save(Path(folder) / "walk.bkr", title=f"{walk.gait.name} gait")
            show(kept, out, view or "oblique")
    print(f"{out}: {steps} steps, {steps * walk.gait.step_time:g} s, {out.stat().st_size / 1e6:.2f} MB")


def show(recorded: Path, out: Path, view: str) -> None:
    """A recording as a page or a film."""
    from bunraku.recording.reader import Recording

    with Recording.open(recorded) as recording, progress_bar(100, f"writing {out.name}") as update:
        if out.suffix.lower() == ".html":
            from bunraku.viewer.recording_page import page

            page(recording, out, progress=lambda done, of: update(100 * done // of))
        else:
            from bunraku.draw.film import film

            told = lambda done, of: update(100 * done // of)  # noqa: E731
            film(recording, out, fps=FPS, view=view, width=640, height=480, follow=True, progress=told)


def follow(
    gait: GaitName = "usual",
    /,
    *,
    how: WalkingOptions = Walking(),  # noqa: B008 - frozen
    steps: int = 4,
    out: Path | None = None,
    json: bool = False,
) -> None:
    """Let the 12-body figure walk a solved walk in the physical world, by its own torques, and say how far it comes.

    Args:
        gait: library gait, TOML file, or GAIT cards; on level ground.
        steps: how many, left and right alternating.
        out: the recording of it, .bkr.
        json: print how it went as JSON.
    """
    from bunraku.gait1988.steps import check_steps

    check_steps(steps)
    if how.mode == "historical":
        raise InputError(
            "gait follow: the links of mode historical are not rigid, which a World's are; use mode exact."
        )
    what = how.load(gait, out, forms=(".bkr",))
    if what.rise != 0.0:
        raise InputError(f"gait follow: gait {what.name!r} climbs stairs; only level ground can be followed on.")
    walk = how.walk(gait, out, (".bkr",), samples=SAMPLES)
    from bunraku.gait1988.walker_motion import walker_solved
    from bunraku.motion.follow import follow as follow_motion

    with progress_bar(100, "following") as update:
        told = lambda done, of: update(100 * done // of)  # noqa: E731
        done = follow_motion(
            walker_solved(walk, steps), friction=FRICTION, self_collision=False, record=out, progress=told
        )
    if json:
        file = {} if out is None else {"file": str(out)}
        print_json({"gait": walk.gait.name, **file, **done.as_dict()})
    else:
        print(f"{walk.gait.name}: {done.text()}" + ("" if out is None else f"\n{out}"))
