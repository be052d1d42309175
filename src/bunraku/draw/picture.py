"""Pictures as files: PNG and animated GIF from byte arrays (Pillow).

A GIF has 256 colours in all; one palette is taken from a sample of the frames, mostly from what is colourful, so that
nothing flickers. Returns bytes; `bunraku.files` writes them. Checked in tests/gait1988/test_walker_solids.py.
"""

from __future__ import annotations

import io
from collections.abc import Iterable

import numpy as np

from bunraku.errors import InputError


def png_bytes(image: np.ndarray) -> bytes:
    """A picture (height, width, 3) of bytes as PNG."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "PNG", optimize=False, compress_level=6)
    return buffer.getvalue()


def gif_bytes(frames: Iterable[np.ndarray], seconds: float, colors: int = 256) -> bytes:
    """Frames (height, width, 3) as an endless GIF, each shown for `seconds` (GIF counts in 0.01 s)."""
    from PIL import Image

    pictures = [Image.fromarray(frame) for frame in frames]
    if not pictures:
        raise InputError("film: there are no frames.")
    if not seconds > 0.0:
        raise InputError(f"film: a frame must be shown for more than 0 s, got {seconds}.")
    sample = np.concatenate([np.asarray(p).reshape(-1, 3) for p in pictures[:: max(1, len(pictures) // 6)]])
    colorful = np.ptp(sample.astype(int), axis=1) > 24  # figures, not floor and sky, need the many shades
    chosen = np.concatenate([sample[colorful], sample[~colorful][:: max(1, len(sample) // (1 + 2 * colorful.sum()))]])
    palette = Image.fromarray(chosen[None]).quantize(colors, method=Image.Quantize.MEDIANCUT)
    flat = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    buffer = io.BytesIO()
    duration = max(20, round(100.0 * seconds) * 10)
    flat[0].save(buffer, "GIF", save_all=True, append_images=flat[1:], duration=duration, loop=0, optimize=False)
    return buffer.getvalue()
