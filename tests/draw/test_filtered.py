"""Plots of a filtered motion are pictures with curves; see docs/pictures for what they look like."""

import io

import numpy as np
from PIL import Image

from bunraku.draw.filtered import plot_filtered
from bunraku.motion import Motion, dynamics_filter
from motion_data import walk


def test_a_plot_is_a_picture():
    motion = walk()
    still = Motion(motion.model, motion.times[:30], motion.q[:30])
    with Image.open(io.BytesIO(plot_filtered(dynamics_filter(still, dt=0.01)))) as image:
        pixels = np.asarray(image.convert("RGB"))
    assert pixels.shape[0] > 900 and np.any(np.all(pixels == [43, 98, 184], axis=-1))
