"""Plots of a walk: PNG files of a sensible size, for a figure that stands as for one that falls."""

import io

import numpy as np
import pytest
from PIL import Image

from bunraku.draw.walk_plots import contact_plot, push_plot, walk_plots
from bunraku.humanoid.foot import feet_of
from bunraku.walking.walk_report import walk_report
from squatting import record_squat


@pytest.mark.parametrize("servos", [True, False])
def test_plots_are_pictures(servos, tmp_path):
    with record_squat(tmp_path / "run.bkr", servos=servos, seconds=0.7) as r:
        plots = walk_plots(walk_report(r, feet_of(r.figure().model)))
    assert set(plots) == {"forces", "zmp", "footprints", "torques"}
    for data in plots.values():
        picture = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
        assert picture.shape[1] >= 600 and picture.std() > 5


def test_pushes_as_a_polar_plot():
    data = push_plot({"without": [0.2] * 8, "with": [0.4] * 8}, list(range(0, 360, 45)))
    assert Image.open(io.BytesIO(data)).size[0] > 500


def test_time_against_contact_points():
    table = [{"points": n, "us": 2.0 * n} for n in (4, 8, 16)]
    data = contact_plot({"joint_dof": 36, "contact": "pgs", "table": table})
    assert Image.open(io.BytesIO(data)).size[0] > 500
