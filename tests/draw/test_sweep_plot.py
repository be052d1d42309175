"""The picture of what sweeps buy."""

import io

import numpy as np
import pytest
from PIL import Image

import bunraku as bk
from bunraku.errors import BunrakuError
from bunraku.scene.sweep_study import Curve


def study():
    curve = Curve((1, 10, 120), np.array([0.1, 0.01, 0.0]), np.array([30.0, 10.0, 9.0]), np.array([1e-4, 1e-5, 0.0]))
    return {where: {"pgs_2007": curve, "pgs": curve} for where in ("piles", "boxes")}


def test_a_picture_of_a_study(tmp_path):
    given = study()
    assert bk.sweep_plot(tmp_path / "sweeps.png", given) is given
    picture = Image.open(io.BytesIO((tmp_path / "sweeps.png").read_bytes()))
    assert picture.size[0] > 900 and np.asarray(picture.convert("L")).std() > 5


def test_only_png(tmp_path):
    with pytest.raises(BunrakuError, match="png"):
        bk.sweep_plot(tmp_path / "sweeps.svg", study())
    assert not list(tmp_path.iterdir())
