"""Words on pictures: the title of a film, the names of its views (Pillow).

Checked in tests/draw/test_caption.py and by looking.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

INK = (38, 42, 48)


@lru_cache(maxsize=8)
def font(size: int) -> Any:
    """The font that Pillow brings."""
    from PIL import ImageFont

    return ImageFont.load_default(size)


def write_on(image: np.ndarray, title: str = "", names: Sequence[tuple[str, int]] = ()) -> np.ndarray:
    """A picture with a title at its upper left, as large as it fits into the width, and names at columns below."""
    if not title and not names:
        return image
    from PIL import Image, ImageDraw

    picture = Image.fromarray(image)
    pen = ImageDraw.Draw(picture)
    height, width = image.shape[:2]
    size, margin = max(12, height // 24), max(6, height // 40)
    if title:
        while size > 8 and pen.textlength(title, font(size)) > width - 2 * margin:
            size -= 1
        pen.text((margin, margin), title, fill=INK, font=font(size))
    small = max(10, height // 40)
    for name, column in names:
        pen.text((column + margin, height - margin - small), name, fill=INK, font=font(small))
    return np.asarray(picture)
