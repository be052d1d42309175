"""Room for lanes begins with a line of the cache."""

import numpy as np

import bunraku as bk
from bunraku.kernel.lane_room import lane_room
from bunraku.kernel.lanes import LANES


def test_it_begins_with_a_line_of_the_cache():
    """Whatever there is in memory besides."""
    keep = []
    for rows in [*range(1, 40), 1000, 20_000]:
        room = lane_room(rows)
        keep += [room, np.empty(rows % 7)]
        assert room.shape == (rows, LANES) and room.flags.c_contiguous and not room.any()
        assert room.ctypes.data % 64 == 0


def test_that_of_a_work_does():
    works = [bk.Work(bk.human()) for _ in range(8)]
    assert all(work.lanes.ctypes.data % 64 == 0 for work in works)
