"""Films as files: MP4 (H.264) and WebM (VP9) by ffmpeg, which the extra `film` brings, and GIF by Pillow.

Frames are written one by one, so that a long film needs no memory; a file is written beside and renamed, whole or not at
all. GIF counts in 0.01 s. Checked in tests/draw/test_film_files.py.
"""

# pyright: reportMissingTypeStubs=false
from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.errors import InputError, MissingExtra
from bunraku.files import beside

CODECS: dict[str, dict[str, Any]] = {
    ".mp4": {"codec": "libx264", "quality": 7, "output_params": ["-preset", "veryfast", "-movflags", "+faststart"]},
    ".webm": {
        "codec": "libvpx-vp9",
        "quality": None,
        "output_params": [
            "-crf",
            "30",
            "-b:v",
            "0",
            "-deadline",
            "realtime",
            "-cpu-used",
            "6",
            "-row-mt",
            "1",
            "-f",
            "webm",
        ],
    },
}
"""Endings of films that ffmpeg writes, and how."""


def write_video(pictures: Iterable[np.ndarray], path: str | Path, fps: float, width: int, height: int) -> Path:
    """Write a film (MP4 and WebM want even sizes) whole or not at all."""
    if width % 2 or height % 2:
        raise InputError(f"film: {width} x {height} is not even in both directions, which MP4 and WebM need.")
    ffmpeg = encoder()
    with beside(path) as name:
        options = CODECS[Path(path).suffix.lower()]
        writer = ffmpeg.write_frames(
            name, (width, height), fps=fps, macro_block_size=2, ffmpeg_log_level="quiet", **options
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
        good = whole_mp4 if Path(path).suffix.lower() == ".mp4" else whole_webm
        if not (whole and good(name)):  # the encoder does not say how it ended
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


def whole_webm(path: str) -> bool:
    """Whether a WebM file was written to its end: its header, and a segment whose length was filled in at the end."""
    with open(path, "rb") as file:
        head = file.read(256)
    at = head.find(b"\x18\x53\x80\x67")
    if not head.startswith(b"\x1a\x45\xdf\xa3") or at < 0 or head[at + 4] != 1:
        return False
    length = int.from_bytes(head[at + 5 : at + 12], "big")  # all bits set: not known, as while it is written
    return length != 2**56 - 1 and at + 12 + length == os.path.getsize(path)


def encoder() -> Any:
    """The package that brings ffmpeg; MissingExtra where it is not installed."""
    try:
        import imageio_ffmpeg
    except ImportError:
        raise MissingExtra(
            'a film in MP4 or WebM needs the extra `film`: pip install "bunraku[film]"; or write a GIF.'
        ) from None
    return imageio_ffmpeg
