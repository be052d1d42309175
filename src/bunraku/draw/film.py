"""Recordings as pictures and films: one strobe picture, or frames at even times, seen by a camera that stands still and sees all of them.

GIF counts in 0.01 s; MP4 (H.264) needs the extra `film`, which brings a program of its own, ffmpeg. Frames are drawn one by one, so a long
film needs no memory; a
file is written beside and renamed. Cost: about 40 ms a frame of 640 x 480. Checked in tests/draw/test_film.py.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.draw.camera import VIEWS, Camera, fit
from bunraku.draw.render import check_size, render
from bunraku.draw.world import camera_for, chosen, world_scene
from bunraku.errors import InputError, MissingExtra, UnknownName, closest
from bunraku.motion.motion import between, even_times
from bunraku.motion.recording import Recording

LOOKS = 40  # instants that the camera is fitted to


def picture(
    recording: Recording, *, view: str = "oblique", width: int = 960, height: int = 640, most: int = 6
) -> np.ndarray:
    """One picture of a recording: its end, and up to `most` - 1 instants before it, paler."""
    check(view, width, height)
    scene = world_scene(recording, chosen(recording, recording.q, most), view)
    return render(scene, camera_for(scene, view, width / height), width, height)


def frames(
    recording: Recording, fps: float, *, view: str = "oblique", width: int = 640, height: int = 480
) -> Iterator[np.ndarray]:
    """Pictures of a recording, `fps` a second of its time."""
    check(view, width, height)
    times = even_times(recording.times, fps)
    camera = camera_for_all(recording, view, width / height)
    return (
        render(world_scene(recording, [between(recording.model, recording.times, recording.q, t)], view), camera, width, height)
        for t in times
    )  # fmt: skip


def count(recording: Recording, fps: float) -> int:
    """How many frames a film has."""
    return len(even_times(recording.times, fps))


def check(view: str, width: int, height: int) -> None:
    """Refuse what cannot be drawn, before anything is."""
    if view not in VIEWS:
        raise UnknownName(f"there is no view {view!r}.{closest(view, VIEWS)}")
    check_size(width, height)


def camera_for_all(recording: Recording, view: str, aspect: float) -> Camera:
    """A camera that sees all figures at all times, looked at LOOKS of them."""
    rows = np.linspace(0, len(recording) - 1, min(LOOKS, len(recording))).round().astype(int)
    outlines = [world_scene(recording, [recording.q[r]], view).outline() for r in rows]
    return fit(view, np.concatenate([c for c, _ in outlines]), aspect, radius=np.concatenate([r for _, r in outlines]))


def write_mp4(pictures: Iterable[np.ndarray], path: str | Path, fps: float, width: int, height: int) -> Path:
    """Write a film (H.264, which wants even sizes) whole or not at all."""
    if width % 2 or height % 2:
        raise InputError(f"film: {width} x {height} is not even in both directions, which MP4 needs.")
    ffmpeg = encoder()
    target = Path(path)
    beside = ""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        handle, beside = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".mp4", dir=target.parent)
        os.close(handle)
        writer = ffmpeg.write_frames(
            beside, (width, height), fps=fps, quality=7, macro_block_size=2, ffmpeg_log_level="error"
        )
        writer.send(None)
        try:
            for image in pictures:
                writer.send(np.ascontiguousarray(image))
        finally:
            writer.close()
        os.chmod(beside, 0o644)
        os.replace(beside, target)
        beside = ""
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror or error}); choose another place.") from None
    finally:
        if beside and os.path.exists(beside):
            os.unlink(beside)
    return target


def encoder() -> Any:
    """The package that brings ffmpeg; MissingExtra where it is not installed."""
    try:
        import imageio_ffmpeg
    except ImportError:
        raise MissingExtra(
            'a film in MP4 needs the extra `film`: pip install "bunraku[film]"; or write a GIF.'
        ) from None
    return imageio_ffmpeg
