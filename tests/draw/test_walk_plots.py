"""Plots of a walk: PNG files of a sensible size, for a figure that stands as for one that falls."""

import io

import numpy as np
import pytest
from PIL import Image

from bunraku.draw.walk_plots import contact_plot, differences, push_plot, simulated, walk_plots
from bunraku.formats.measured import FORCES, Measured
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


def test_measured_series_lie_over_the_plots(tmp_path):
    """A series that is the simulated one and 3 N more differs by 3 N; every plot that shows it changes, others do not."""
    with record_squat(tmp_path / "run.bkr", servos=True, seconds=0.5) as r:
        report = walk_report(r, feet_of(r.figure().model))
    plain, times = walk_plots(report), report.times[::7]
    shown = {
        FORCES[0]: "forces", FORCES[1]: "forces", "zmp x": "zmp", "com y": "zmp", "zmp margin": "zmp", "power": "torques",
        f"torque {report.driven[0]}": "torques",
    }  # fmt: skip
    for name, plot in shown.items():
        exact = simulated(report, name)[::7]
        found = differences(report, Measured(times, {name: exact + 3.0}))[name]
        assert found["rms_difference"] == pytest.approx(3.0, rel=1e-9)
        assert found["rms"] == pytest.approx(np.sqrt(np.mean((exact + 3.0) ** 2)))
        assert found["seconds"] == pytest.approx(times[-1] - times[0])
        drawn = walk_plots(report, Measured(times, {name: exact + 0.01}))
        assert {k for k in plain if drawn[k] != plain[k]} == {plot}, name
    both = Measured(times, {"zmp x": report.zmp[::7, 0] + 0.01, "zmp y": report.zmp[::7, 1]})
    assert walk_plots(report, both)["footprints"] != plain["footprints"]
    late = differences(report, Measured(times + 99.0, {"power": times}))["power"]
    assert late["seconds"] == 0.0 and np.isnan(late["rms_difference"])
    gaps = simulated(report, FORCES[0])[::7].copy()
    gaps[::2] = np.nan
    assert differences(report, Measured(times, {FORCES[0]: gaps}))[FORCES[0]]["rms_difference"] == pytest.approx(0.0)


def test_pushes_as_a_polar_plot():
    data = push_plot({"without": [0.2] * 8, "with": [0.4] * 8}, list(range(0, 360, 45)))
    assert Image.open(io.BytesIO(data)).size[0] > 500


def test_time_against_contact_points():
    table = [{"points": n, "us": 2.0 * n} for n in (4, 8, 16)]
    data = contact_plot({"joint_dof": 36, "contact": "pgs", "table": table})
    assert Image.open(io.BytesIO(data)).size[0] > 500
