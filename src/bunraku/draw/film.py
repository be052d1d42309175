"""Worlds and recordings as pictures and films: one strobe picture, or frames at even times, seen by a camera that
stands still and sees all of them, or goes along with the largest figure (`follow`).

    picture(world, "now.png");  picture(recording, "strobe.png");  film(recording, "walk.mp4", follow=True)

A GIF needs nothing else; MP4 (H.264) and WebM (VP9) need the extra `film` (bunraku.draw.film_files). Frames are drawn on
all cores: about 0.06 s of one core for 1280 x 720. Checked in tests/draw/test_film.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from bunraku.draw.film_files import CODECS, encoder, write_video
from bunraku.draw.film_frames import Shot, along, cameras_for, check, count, frames, pictures_at
from bunraku.draw.picture import gif_bytes, png_bytes
from bunraku.draw.render import render_view
from bunraku.draw.world_pictures import chosen, world_scene
from bunraku.errors import InputError
from bunraku.files import write_bytes
from bunraku.recording.motion import even_times
from bunraku.recording.reader import Recording
from bunraku.world.world import World

RATES = {".gif": 25.0, ".mp4": 30.0, ".webm": 30.0}
"""Frames a second of a film, by its ending."""
SIZES = {".gif": (640, 360), ".mp4": (1280, 720), ".webm": (1280, 720)}
FASTEST_GIF = 50.0  # frames a second; browsers slow faster ones down
SAMPLES = 6  # frames that the colours of a GIF are chosen from


def picture(
    source: World | Recording,
    path: str | Path | None = None,
    *,
    view: str | None = None,
    width: int = 960,
    height: int = 640,
    most: int = 6,
    apart: float | None = None,
) -> np.ndarray:
    """A picture of a world as it stands, or of a recording: its end, and up to `most` - 1 instants before it, paler,
    evenly in time; with `apart` [m] evenly along the way of the largest figure, so far from each other or farther.

    path: a PNG file to write. view: "right", "left", "front", "top" or "oblique"; the recording's own by default.
    width, height: in pixels. Returns the colours (height, width, 3), bytes.
    """
    view = view_of(source, view, width, height)
    if isinstance(source, World):
        states = [source.q]
    elif apart is None:
        states = chosen(source, source.q, most)
    else:
        states = [source.q[k] for k in along(source, most, apart)]
    image = render_view(world_scene(source, states, view), view, width, height)
    if path is not None:
        write_bytes(Path(path), png_bytes(image))
    return image


def film(
    recording: Recording,
    path: str | Path,
    *,
    fps: float | None = None,
    view: str | None = None,
    views: Sequence[str] = (),
    width: int | None = None,
    height: int | None = None,
    follow: bool = False,
    title: str = "",
    strobe: float = 0.0,
    loop: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a film of a recording: a GIF, or with the extra `film` an MP4 or a WebM, by the ending of the path.

    fps: frames a second, 25 of a GIF and 30 of others by default. view: as of `picture`; views: several, side by side.
    width, height: in pixels, 1280 x 720 by default, of a GIF 640 x 360. follow: the camera goes along with the largest
    figure. title: words above. strobe [s]: between earlier instants that are left standing, paler; 0: none. loop: a GIF
    begins again at its end. progress(done, all): told of every frame.
    """
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in RATES:
        raise InputError(f"film: {target.name!r} ends in none of {', '.join(RATES)}.")
    rate = RATES[kind] if fps is None else fps
    if kind == ".gif" and rate > FASTEST_GIF:
        raise InputError(f"film: a GIF has at most {FASTEST_GIF:g} frames a second, got {rate:g}.")
    size = SIZES[kind][0] if width is None else width, SIZES[kind][1] if height is None else height
    shown = tuple(views) or (view_of(recording, view, *size),)
    shot = Shot(shown, *size, follow, title, strobe)
    if kind in CODECS:
        check(shot.views[0], *size, even=True)
        encoder()
    cameras = cameras_for(recording, shot)
    n, drawn = count(recording, rate), frames(recording, rate, shot, cameras)
    told = drawn if progress is None else counted(drawn, n, progress)
    if kind in CODECS:
        return write_video(told, target, rate, *size)
    some = even_times(recording.times, rate)[:: max(1, n // SAMPLES)]
    sample = list(pictures_at(recording, some, shot, cameras))
    return write_bytes(target, gif_bytes(told, 1.0 / rate, sample=sample, loop=loop))


def counted(pictures: Iterable[np.ndarray], n: int, progress: Callable[[int, int], None]) -> Iterator[np.ndarray]:
    """The pictures, each one told of when it is drawn."""
    for k, image in enumerate(pictures, 1):
        progress(k, n)
        yield image


def view_of(source: World | Recording, view: str | None, width: int, height: int) -> str:
    """Where a picture is taken from: as wanted, or as the recording says; refuses what cannot be drawn."""
    own = "oblique" if isinstance(source, World) else str(source.meta.get("view", "oblique"))
    check(view or own, width, height)
    return view or own
