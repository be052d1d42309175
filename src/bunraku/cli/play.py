"""`bunraku play run.bkr`: play a recording, or the motion of a BVH file, in the browser; Ctrl-C ends it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from bunraku.cli.view import own_token, stay

if TYPE_CHECKING:
    from bunraku.viewer.view import View


def main(
    recording: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RECORDING")],
    /,
    *,
    port: int = 0,
    browser: bool = True,
    host: str = "127.0.0.1",
    allow_remote: bool = False,
    speed: float = 1.0,
    play: bool = True,
) -> int:
    """Play a recording in the browser.

    Args:
        recording: a file that `bunraku record` or world.record wrote (.bkr), or a motion (.bvh).
        port: where to listen; 0 takes a free port.
        browser: open the page in the browser.
        host: address to listen on.
        allow_remote: allow a host that other machines can reach; the token in the address still guards it.
        speed: how fast to play against real time.
        play: begin at once; --no-play waits for the page's play button.
    """
    where = {"port": port, "browser": browser, "host": host, "allow_remote": allow_remote, "token": own_token()}
    return stay(open_recording(recording, speed=speed, play=play, **where))


def open_recording(path: Path, **options: Any) -> View:
    """A viewer of a recording, or of the motion in a BVH file."""
    from bunraku.viewer.view import view_recording

    if path.suffix.lower() == ".bvh":
        from bunraku.formats.bvh_motion import load_bvh
        from bunraku.viewer.moved import Moved

        return view_recording(Moved(load_bvh(path), path.stem), title=path.stem, **options)
    from bunraku.motion import Recording

    recording: Any = Recording.open(path)  # it has all that Recorded asks for, some of it worked out when first read
    return view_recording(recording, title=path.stem, **options)
