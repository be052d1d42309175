"""OpenSim's tables and markers: what is written is read back; coordinates and places are those of the motion; files that
others write, with gaps; mistakes with file and line."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bunraku as bk
from bunraku.cli import main
from bunraku.errors import FormatError, InputError
from bunraku.formats.opensim import Markers, Table, read_markers, read_table, save_opensim, write_markers, write_table
from bunraku.motion.solved import without_forces
from motion_data import walk

TRC = """PathFileType\t4\t(X/Y/Z)\tx.trc
DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames
100\t100\t2\t2\tm\t100\t1\t2
Frame#\tTime\tR.ASIS\t\t\tTop Head\t\t
\t\tX1\tY1\tZ1\tX2\tY2\tZ2

1\t0.00\t0.1\t1.0\t0.2\t\t\t
2\t0.01\t0.1\t1.1\t0.2\t0.3\t1.7\t-0.1
"""
STO = "Coordinates\nversion=1\nnRows=2\nnColumns=3\ninDegrees=no\nendheader\ntime\tknee_r\thip_r\n 0.0\t0.1\t0.2\n 0.1\t0.3\tnan\n"


def test_coordinates_and_places(tmp_path):
    motion = walk()
    table = read_table(save_opensim(motion, tmp_path / "x.mot"))
    assert table.in_degrees and np.allclose(table.column("time"), motion.times)
    knee = motion.model.joint("left_knee").iq
    assert np.allclose(np.radians(table.column("left_knee")), motion.q[:, knee], atol=1e-8)
    assert np.allclose(table.column("root_ty"), motion.q[:, 2], atol=1e-8)  # up
    assert np.allclose(table.column("root_tz"), -motion.q[:, 1], atol=1e-8)  # right
    angles = np.column_stack([table.column(f"left_hip_{x}") for x in ("tilt", "list", "rotation")])
    R = Rotation.from_euler("ZXY", angles, degrees=True).as_matrix()
    T = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    ours = bk.model.rotations.matrix(motion.q[:, motion.model.joint("left_hip").q])
    assert np.allclose(T.T @ R @ T, ours, atol=1e-7)
    markers = read_markers(save_opensim(motion, tmp_path / "x.trc", fps=50.0))
    even = motion.resampled(50.0)
    k = bk.kinematics(motion.model, even.q)
    for n, name in enumerate(markers.names):
        assert np.allclose(markers.places[:, n], k.pose(name)[0], atol=1e-8)
    with pytest.raises(InputError, match="ends in none"):
        save_opensim(motion, tmp_path / "x.osim")


def test_what_is_written_is_read_back(tmp_path):
    rng = np.random.default_rng(5)
    values = np.column_stack([np.arange(9) / 60, rng.normal(size=(9, 3))])
    table = Table(("time", "a", "b", "c"), values, False, "forces")
    back = read_table(write_table(table, tmp_path / "f.sto"))
    assert (
        back.columns == table.columns
        and not back.in_degrees
        and back.name == "forces"
        and np.allclose(back.values, values)
    )
    places = rng.normal(size=(9, 4, 3))
    places[3, 1] = np.nan
    again = read_markers(write_markers(Markers(values[:, 0], ("a", "b c", "d", "e"), places), tmp_path / "m.trc"))
    assert again.names == ("a", "b c", "d", "e") and np.allclose(again.places, places, atol=1e-8, equal_nan=True)


def test_files_of_others(tmp_path):
    (tmp_path / "x.trc").write_text(TRC)
    m = read_markers(tmp_path / "x.trc")
    assert m.names == ("R.ASIS", "Top Head") and np.all(np.isnan(m.places[0, 1]))
    assert np.allclose(m.places[1], [[0.1, -0.2, 1.1], [0.3, 0.1, 1.7]])
    (tmp_path / "x.sto").write_text(STO)
    t = read_table(tmp_path / "x.sto")
    assert not t.in_degrees and np.isnan(t.column("hip_r")[1]) and t.column("knee_r")[1] == 0.3


def test_mistakes(tmp_path):
    for text, words in (
        ("nothing", "not a table"), (STO.replace("0.3\tnan", "0.3"), ":9: a row has 2"), (STO.replace("0.2", "x"), ":8: 'x' is not a number"),
        (STO.replace("time", "t"), ":7: the first column"), (STO.replace(" 0.1\t0.3", " -1\t0.3"), "do not rise"),
    ):  # fmt: skip
        (tmp_path / "x.sto").write_text(text)
        with pytest.raises(FormatError, match=words):
            read_table(tmp_path / "x.sto")
    for text, words in (
        ("nothing", "not a .trc"), (TRC.replace("	m	", "	feet	"), "unit"), (TRC.replace("1.1", "x"), ":8: 'x'"),
        (TRC.replace("0.01	", "0.00	"), "rise"),
    ):  # fmt: skip
        (tmp_path / "x.trc").write_text(text)
        with pytest.raises(FormatError, match=words):
            read_markers(tmp_path / "x.trc")
    with pytest.raises(InputError, match="no column"):
        Table(("time",), np.zeros((1, 1))).column("knee")


def test_from_the_shell(tmp_path):
    without_forces(walk()).save(tmp_path / "walk.bkr", title="walk")
    for kind in ("mot", "sto", "trc"):
        assert main(["export", str(tmp_path / "walk.bkr"), "--to", kind, "--fps", "50"]) == 0
    assert np.array_equal(read_table(tmp_path / "walk.mot").values, read_table(tmp_path / "walk.sto").values)
    assert "left_foot" in read_markers(tmp_path / "walk.trc").names
