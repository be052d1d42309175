"""Measured series of a walk: units, gaps, and one sentence for every file that is none."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import FormatError
from bunraku.formats.measured import read_measured


def read(tmp_path, text):
    file = tmp_path / "m.csv"
    file.write_text(text)
    return read_measured(file, bk.human())


def test_units_become_si(tmp_path):
    m = read(
        tmp_path,
        "time [ms],left foot force [kN],right foot force [weight],zmp x [cm],com y [mm],zmp margin [m],torque left_hip.y [N m],power [kW]\n"
        "0,0.5,0.5,1,2,0.03,-4,0.1\n"
        "500,,1,2,3,0.04,5,0.2\n",
    )
    weight = bk.human().mass * 9.80665
    assert m.times.tolist() == [0.0, 0.5]
    assert m["left foot force"][0] == 500.0 and np.isnan(m["left foot force"][1])
    assert np.allclose(m["right foot force"], [0.5 * weight, weight], rtol=1e-6)
    assert np.allclose(m["zmp x"], [0.01, 0.02]) and np.allclose(m["com y"], [0.002, 0.003])
    assert m["power"].tolist() == [100.0, 200.0] and m["torque left_hip.y"].tolist() == [-4.0, 5.0]
    assert "zmp margin" in m and "zmp y" not in m


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no row"),
        ("time [s],left foot force [N]\n", "no row"),
        ("time,left foot force\n0,1\n", "has no unit"),
        ("left foot force [N],time [s]\n0,1\n1,2\n", "must be 'time [s]'"),
        ("time [s]\n0\n1\n", "no column beside the time"),
        ("time [h],power [W]\n0,1\n1,2\n", "unit [h] of 'time'"),
        ("time [s],power [hp]\n0,1\n1,2\n", "unit [hp] of 'power'"),
        ("time [s],left foot force [N m]\n0,1\n1,2\n", "not one of [N], [kN], [weight]"),
        ("time [s],left foot froce [N]\n0,1\n1,2\n", "Closest: 'left foot force'"),
        ("time [s],torque left_kne [N m]\n0,1\n1,2\n", "Closest: 'left_knee'"),
        ("time [s],power [W]\n0,1\n", "two or more"),
        ("time [s],power [W]\n0,1\n0,2\n", "grow from row to row"),
        ("time [s],power [W]\n1,1\n0,2\n", "grow from row to row"),
        ("time [s],power [W]\n0,\n1,\n", "no finite numbers"),
        ("time [s],power [W]\n0,1\n1,inf\n", "no finite numbers"),
        ("time [s],power [W]\n0,1\n1,two\n", "m.csv:3: 'two'"),
        ("time [s],power [W]\n0,1\n1\n", "m.csv:3: 1 fields"),
        ("time [s],power [W],power [W]\n0,1,1\n", "same name"),
    ],
)
def test_bad_files(text, said, tmp_path):
    with pytest.raises(FormatError) as error:
        read(tmp_path, text)
    assert said in str(error.value) and "m.csv" in str(error.value)
