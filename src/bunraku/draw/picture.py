"""Pictures as files: PNG and animated GIF from byte arrays (Pillow).

A GIF has 256 colours in all; one palette is taken from a sample of the frames, mostly from what is colourful, so that
nothing flickers. Returns bytes; `bunraku.files` writes them. Checked in tests/gait1988/test_walker_solids.py.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bunraku.errors import InputError


def png_bytes(image: np.ndarray) -> bytes:
    """A picture (height, width, 3) of bytes as PNG."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "PNG", optimize=False, compress_level=6)
    return buffer.getvalue()


def gif_bytes(
    frames: Iterable[np.ndarray],
    seconds: float,
    colors: int = 256,
    *,
    sample: Sequence[np.ndarray] | None = None,
    loop: bool = True,
) -> bytes:
    """Frames (height, width, 3) as a GIF, each shown for `seconds` (GIF counts in 0.01 s). sample: pictures to choose the
    colours from, some of the frames by default; with it frames are taken one by one. loop: it begins again at its end."""
    from PIL import Image

    if not seconds > 0.0:
        raise InputError(f"film: a frame must be shown for more than 0 s, got {seconds}.")
    if sample is None:
        frames = list(frames)
        sample = frames[:: max(1, len(frames) // 6)]
    if not sample:
        raise InputError("film: there are no frames.")
    shades = np.concatenate([picture.reshape(-1, 3) for picture in sample])
    colorful = np.ptp(shades.astype(np.int16), axis=1) > 24  # figures, not floor and sky, need the many shades
    chosen = np.concatenate([shades[colorful], shades[~colorful][:: max(1, len(shades) // (1 + 2 * colorful.sum()))]])
    palette = Image.fromarray(chosen[None]).quantize(colors, method=Image.Quantize.MEDIANCUT)
    flat = (Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    buffer = io.BytesIO()
    duration = max(20, round(100.0 * seconds) * 10)
    again: dict[str, Any] = {"loop": 0} if loop else {}
    next(flat).save(buffer, "GIF", save_all=True, append_images=flat, duration=duration, optimize=False, **again)
    return buffer.getvalue()
