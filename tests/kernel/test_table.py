"""Arrays and phases through one address."""

import numpy as np
import pytest

from bunraku.kernel.entry import entry
from bunraku.kernel.table import Table, ints1, ints2, phase, reals1, reals2, reals3, run


@phase
def fill(h):
    """Writes every kind of array."""
    ints1(h, 0)[1] = 7
    ints2(h, 1)[1, 2] = 8
    reals1(h, 2)[0] = 0.5
    reals2(h, 3)[2, 1] = 1.5
    reals3(h, 4)[1, 2, 3] = 2.5
    return reals3(h, 4).shape[2]


@phase
def double(h):
    """Another phase in the same place."""
    reals1(h, 2)[0] *= 2.0
    return 0


@entry("h i")
def call(h, n):
    """Phase 0 n times."""
    last = 0
    for _ in range(n):
        last = run(h, 0)
    return last


def test_arrays_and_phases():
    arrays = [np.zeros(3, np.int64), np.zeros((2, 3), np.int64), np.zeros(2), np.zeros((3, 2)), np.zeros((2, 3, 4))]
    table = Table(len(arrays))
    for k, a in enumerate(arrays):
        table.put(k, a)
    table.plan(0, fill)
    assert call.call(table.handle, 2) == 4
    assert [a.ravel()[-1] if k else a[1] for k, a in enumerate(arrays)] == [7, 8, 0.0, 1.5, 2.5]
    assert arrays[2][0] == 0.5
    table.plan(0, double)
    call.call(table.handle, 3)
    assert arrays[2][0] == 4.0


def test_only_plain_arrays():
    for bad in (np.zeros(3, np.float32), np.zeros((4, 4))[:, :2]):
        with pytest.raises(TypeError):
            Table(1).put(0, bad)
