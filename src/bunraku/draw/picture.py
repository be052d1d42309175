"""Pictures as files: PNG and animated GIF from byte arrays (Pillow).

A GIF has 256 colours in all; one palette is taken from a sample of the frames, so that nothing flickers. Returns bytes;
`bunraku.files` writes them. Checked in tests/draw/test_picture.py.
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


def gif_bytes(frames: Iterable[np.ndarray], seconds: float, colors: int = 160) -> bytes:
    """Frames (height, width, 3) as an endless GIF, each shown for `seconds` (GIF counts in 0.01 s)."""
    from PIL import Image

    pictures = [Image.fromarray(frame) for frame in frames]
    if not pictures:
        raise InputError("film: there are no frames.")
    if not seconds > 0.0:
        raise InputError(f"film: a frame must be shown for more than 0 s, got {seconds}.")
    sample = pictures[:: max(1, len(pictures) // 6)]
    wide = Image.new("RGB", (pictures[0].width, pictures[0].height * len(sample)))
    for k, picture in enumerate(sample):
        wide.paste(picture, (0, k * picture.height))
    palette = wide.quantize(colors, method=Image.Quantize.MEDIANCUT)
    flat = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    buffer = io.BytesIO()
    duration = max(20, round(100.0 * seconds) * 10)
    flat[0].save(buffer, "GIF", save_all=True, append_images=flat[1:], duration=duration, loop=0, optimize=False)
    return buffer.getvalue()
