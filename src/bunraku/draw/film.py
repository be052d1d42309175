"""Worlds and recordings as pictures and films: one strobe picture, or frames at even times, seen by a camera that
stands still and sees all of them, or goes along with the largest figure (`follow`).

    picture(world, "now.png");  picture(recording, "strobe.png");  film(recording, "walk.gif", follow=True)

GIF counts in 0.01 s; MP4 (H.264) needs the extra `film`, which brings a program of its own, ffmpeg. Frames are drawn
one by one, so a long film needs no memory; a file is written beside and renamed. Cost: about 40 ms a frame of 640 x
480. Checked in tests/draw/test_film.py.
"""

# pyright: reportMissingTypeStubs=false
from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.draw.camera import VIEWS, Camera, fit
from bunraku.draw.picture import gif_bytes, png_bytes
from bunraku.draw.render import check_size, render, render_view
from bunraku.draw.world_pictures import chosen, world_scene
from bunraku.errors import InputError, MissingExtra, UnknownName, closest
from bunraku.files import beside, write_bytes
from bunraku.recording.motion import between, even_times
from bunraku.recording.reader import Recording
from bunraku.world.world import World

RATES = {".gif": 20.0, ".mp4": 30.0}  # frames a second of a film
LOOKS = 40  # instants that the camera is fitted to
SMOOTH = 1.5  # s over which a camera that goes along takes the mean


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
    width: int = 640,
    height: int = 480,
    follow: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a film of a recording: a GIF, or with the extra `film` an MP4, by the ending of the path.

    fps: frames a second, 20 of a GIF and 30 of an MP4 by default. view, width, height: as of `picture`. follow: the
    camera goes along with the largest figure. progress(done, all): told of every frame.
    """
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in RATES:
        raise InputError(f"film: {target.name!r} ends neither in .gif nor in .mp4.")
    if kind == ".mp4":
        encoder()
    rate, view = RATES[kind] if fps is None else fps, view_of(recording, view, width, height)
    drawn, n = frames(recording, rate, view=view, width=width, height=height, follow=follow), count(recording, rate)
    told = drawn if progress is None else counted(drawn, n, progress)
    if kind == ".mp4":
        return write_mp4(told, target, rate, width, height)
    return write_bytes(target, gif_bytes(told, 1.0 / rate))


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


def along(recording: Recording, most: int, apart: float) -> list[int]:
    """Up to `most` frames: the last, and those before it between which the largest figure goes `apart` [m]; the first
    where it is far enough."""
    steps: np.ndarray = np.linalg.norm(np.diff(way(recording), axis=0), axis=1)
    gone: np.ndarray = np.concatenate([[0.0], np.cumsum(steps)])
    count = min(most - 1, int(gone[-1] / apart + 0.4))
    marks = [max(float(gone[-1]) - k * apart, 0.0) for k in range(count, 0, -1)]
    return [*(int(k) for k in np.searchsorted(gone, marks)), len(recording) - 1]


def frames(
    recording: Recording,
    fps: float,
    *,
    view: str = "oblique",
    width: int = 640,
    height: int = 480,
    follow: bool = False,
) -> Iterator[np.ndarray]:
    """Pictures of a recording, `fps` a second of its time; follow: the camera goes along with the largest figure."""
    check(view, width, height)
    times = even_times(recording.times, fps)
    along = way(recording) if follow else np.zeros((len(recording), 3))
    camera = camera_for_all(recording, view, width / height, along)
    moved = np.column_stack([np.interp(times, recording.times, x) for x in along.T])
    return (
        render(
            world_scene(recording, [between(recording.model, recording.times, recording.q, t)], view),
            Camera(camera.place + at, camera.right, camera.up, camera.forward, camera.fov), width, height,
        )
        for t, at in zip(times, moved)
    )  # fmt: skip


def way(recording: Recording) -> np.ndarray:
    """(n, 3): where the largest figure's free base goes, without its sway: means over SMOOTH seconds; zeros where it
    has none [m]."""
    f = recording.figure()
    if f.model.joints[0].kind != "free":
        return np.zeros((len(recording), 3))
    place = recording.q[:, f.part.q][:, :3].astype(float)
    rows = max(1, round(0.5 * SMOOTH / max(recording.duration / max(len(recording) - 1, 1), 1e-9)))
    padded = np.concatenate([np.repeat(place[:1], rows, axis=0), place, np.repeat(place[-1:], rows, axis=0)])
    total = np.concatenate([np.zeros((1, 3)), np.cumsum(padded - place[0], axis=0)])
    return place[0] + (total[2 * rows + 1 :] - total[: -2 * rows - 1]) / (2 * rows + 1)


def count(recording: Recording, fps: float) -> int:
    """How many frames a film has."""
    return len(even_times(recording.times, fps))


def check(view: str, width: int, height: int, even: bool = False) -> None:
    """Refuse what cannot be drawn, before anything is; even: which MP4 (H.264) needs."""
    if view not in VIEWS:
        raise UnknownName(f"there is no view {view!r}.{closest(view, VIEWS)}")
    check_size(width, height)
    if even and (width % 2 or height % 2):
        raise InputError(f"film: {width} x {height} is not even in both directions, which MP4 needs.")


def camera_for_all(recording: Recording, view: str, aspect: float, along: np.ndarray | None = None) -> Camera:
    """A camera that sees all figures at all times, looked at LOOKS of them; of one that goes along a way (n, 3), its
    place at the way's origin, and what does not move is not looked at."""
    rows = np.linspace(0, len(recording) - 1, min(LOOKS, len(recording))).round().astype(int)
    still = along is None or not np.any(along)
    outlines = [world_scene(recording, [recording.q[r]], view, fixed=still).outline() for r in rows]
    shift = np.zeros((len(recording), 3)) if along is None else along
    centres = np.concatenate([c - shift[r] for (c, _), r in zip(outlines, rows)])
    return fit(view, centres, aspect, radius=np.concatenate([r for _, r in outlines]))


def write_mp4(pictures: Iterable[np.ndarray], path: str | Path, fps: float, width: int, height: int) -> Path:
    """Write a film (H.264, which wants even sizes) whole or not at all."""
    check("oblique", width, height, even=True)
    ffmpeg = encoder()
    with beside(path) as name:
        writer = ffmpeg.write_frames(
            name, (width, height), fps=fps, quality=7, macro_block_size=2, ffmpeg_log_level="quiet"
        )
        writer.send(None)
        whole = True
        try:
            for image in pictures:
                writer.send(np.ascontiguousarray(image))
        except OSError:  # its text would be the whole command
            whole = False
        finally:
            writer.close()
        if not (whole and whole_mp4(name)):  # the encoder does not say how it ended
            full = shutil.disk_usage(os.path.dirname(name)).free < 2**20
            raise OSError(0, "the disk is full" if full else "the encoder stopped")
    return Path(path)


def whole_mp4(path: str) -> bool:
    """Whether an MP4 file was written to its end: boxes that fill it, one of them the index, `moov`."""
    found: set[bytes] = set()
    at, size = 0, os.path.getsize(path)
    with open(path, "rb") as file:
        while at < size:
            file.seek(at)
            head = file.read(16).ljust(16, b"\0")
            length = int.from_bytes(head[:4], "big")
            length = int.from_bytes(head[8:], "big") if length == 1 else length
            if length < 8:
                return False
            found.add(head[4:8])
            at += length
    return at == size and b"moov" in found


def encoder() -> Any:
    """The package that brings ffmpeg; MissingExtra where it is not installed."""
    try:
        import imageio_ffmpeg
    except ImportError:
        raise MissingExtra(
            'a film in MP4 needs the extra `film`: pip install "bunraku[film]"; or write a GIF.'
        ) from None
    return imageio_ffmpeg
