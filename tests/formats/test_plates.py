"""Plates: two of them as OpenSim writes them, together one force and one zero-moment point in our axes."""

import numpy as np
import pytest

from bunraku.errors import InputError
from bunraku.formats.opensim import Table, write_table
from bunraku.formats.plates import read_plates


def table(tmp_path, *, second=True):
    """On the first plate 300 N up at 0.1 m ahead, 0.2 m to the right; on the second 100 N up and 10 N ahead at 0.5 m
    ahead, 0.1 m to the left, and a free moment of 4 N m upwards."""
    names, rows = ["time"], [0.01 * np.arange(20)]
    groups = [("ground_force_", "ground_torque_", (0, 300, 0), (0.1, 0, 0.2), (0, 0, 0))]
    if second:
        groups.append(("1_ground_force_", "1_ground_torque_", (10, 100, 0), (0.5, 0, -0.1), (0, 4, 0)))
    for force, torque, *values in groups:
        for stem, value in zip((f"{force}v", f"{force}p", torque), values):
            names += [stem + x for x in "xyz"]
            rows += [np.full(20, float(v)) for v in value]
    return write_table(Table(tuple(names), np.column_stack(rows)), tmp_path / "grf.mot")


def test_two_plates_are_one(tmp_path):
    found = read_plates(table(tmp_path))
    assert np.allclose(found.force, [10.0, 0.0, 400.0]) and np.allclose(found.times, 0.01 * np.arange(20))
    # moments about the two level axes through the point are zero: weighted by the upward forces
    assert np.allclose(found.zmp, [(0.1 * 300 + 0.5 * 100) / 400, (-0.2 * 300 + 0.1 * 100) / 400])
    one = read_plates(table(tmp_path, second=False))
    assert np.allclose(one.zmp, [0.1, -0.2]) and np.allclose(one.force[:, 2], 300.0)


def test_what_is_no_plate_is_refused(tmp_path):
    path = write_table(Table(("time", "knee"), np.zeros((9, 2))), tmp_path / "q.mot")
    with pytest.raises(InputError, match="no ground forces"):
        read_plates(path)
