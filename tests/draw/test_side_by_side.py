"""A clip beside the figure: a sheet and a film of the right size, the skeleton as tall as the figure, on the floor."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.cli import main
from bunraku.draw.side_by_side import INSTANTS, PANEL, as_large, side_by_side
from bunraku.errors import InputError
from bunraku.formats import bvh
from bunraku.formats.bvh import Bvh
from bunraku.formats.bvh_motion import to_motion
from bunraku.motion.retarget import retarget
from motion_data import UNIT, strange_walk, t_posed
from skeleton_styles import rewritten


def clip():
    """Half a second of our walk after its T-pose, z up, in another unit."""
    file = t_posed(strange_walk(), UNIT)
    return rewritten(Bvh(file.joints, file.values[:61], file.frame_time), 4, "up")


def test_the_skeleton_stands_as_large_as_the_figure():
    source = to_motion(clip())
    figure = retarget(source, bk.human())
    other = as_large(source, figure)
    k = bk.kinematics(other.model, other.q)
    leg = [
        np.linalg.norm(k.pose(a)[0] - k.pose(b)[0], axis=1).mean()
        for a, b in (("LeftUpLeg", "LeftLeg"), ("LeftLeg", "LeftFoot"))
    ]
    assert sum(leg) == pytest.approx(0.491 * 1.7, rel=1e-3)
    assert abs(k.position[:, 1:, 2].min()) < 0.1 and k.pose("Head")[0][:, 2].min() > 1.2  # upright, on the floor


def test_sheet_and_film(tmp_path):
    bvh.write(clip(), tmp_path / "clip.bvh")
    args = ["retarget", str(tmp_path / "clip.bvh"), "--out", str(tmp_path / "x.bkr")]
    assert main([*args, "--show", str(tmp_path / "sheet.png"), "--from", "0.1"]) == 0
    from PIL import Image

    with Image.open(tmp_path / "sheet.png") as image:
        assert image.size == (INSTANTS * PANEL[0], 2 * PANEL[1])
        pixels = np.asarray(image.convert("RGB")).astype(int)
    assert np.ptp(pixels.reshape(-1, 3), axis=0).min() > 100
    assert main([*args, "--show", str(tmp_path / "x.txt")]) == 2
    with pytest.raises(InputError, match="ends in none of"):
        side_by_side(strange_walk(), strange_walk(), tmp_path / "x.bmp")
