"""`bunraku play run.bkr`: play a recording, or the motion of a BVH file, in the browser; Ctrl-C ends it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from bunraku.cli.common import progress_bar
from bunraku.cli.page_options import Page, PageOptions, stay
from bunraku.files import part_of
from bunraku.kernel.needed import prepare

if TYPE_CHECKING:
    from bunraku.viewer.view import View


def main(
    recording: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RECORDING")],
    /,
    *,
    page: PageOptions = Page(),  # noqa: B008 - frozen
    loop: bool = False,
) -> int:
    """Play a recording in the browser.

    Args:
        recording: a file that `bunraku record` or world.record wrote (.bkr), or a motion (.bvh).
        loop: play again and again; the page switches it, too.
    """
    return stay(open_recording(recording, loop=loop, **page.options()))


def open_recording(path: Path, **options: Any) -> View:
    """A viewer of a recording, or of the motion in a BVH file."""
    with progress_bar(None, f"loading {path.name}"):
        return opened(path, **options)


def opened(path: Path, **options: Any) -> View:
    """See open_recording."""
    from bunraku.viewer.view import view_recording

    if path.suffix.lower() == ".bvh":
        from bunraku.formats.bvh_motion import load_bvh
        from bunraku.viewer.recorded import Moved

        motion = load_bvh(path)
        prepare("play")
        return view_recording(Moved(motion, path.stem), title=path.stem, **options)
    from bunraku.motion import Recording

    recording = Recording.open(path)
    prepare("play")
    if part_of(path).exists():
        print(
            f"{part_of(path)} is there, too: a recording that has not ended; bunraku play {part_of(path)} shows it.",
            file=sys.stderr,
        )
    return view_recording(recording, title=path.stem, **options)
