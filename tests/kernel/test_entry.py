"""Kernels of scripts and other packages: compiled by Numba in this process, kept in a trusted cache, types fixed."""

import os

import numpy as np
import pytest

from bunraku.kernel import cache
from bunraku.kernel.compile import JIT, inline
from bunraku.kernel.entry import entry
from bunraku.kernel.table import Table, phase, run
from bunraku.kernel.vec import cross

pytestmark = pytest.mark.skipif(not JIT, reason="plain Python takes every type")


def double_of(factor=2.0):
    @entry("D D")
    def double(x, out):
        for i in range(x.shape[0]):
            out[i] = factor * x[i]

    return double


def test_other_types_are_refused_not_compiled():
    double, out = double_of(), np.zeros(3)
    double.call(np.arange(3.0), out)
    assert list(out) == [0, 2, 4]
    with pytest.raises(TypeError):
        double.call(np.arange(3), out)


def test_helpers_of_the_package_serve_kernels_of_scripts():
    @inline
    def twice(a):
        return (2.0 * a[0], 2.0 * a[1], 2.0 * a[2])

    @entry("D D")
    def turned(x, out):
        out[0], out[1], out[2] = cross(twice((x[0], x[1], x[2])), (0.0, 0.0, 1.0))

    out = np.zeros(3)
    turned.call(np.array([1.0, 2.0, 3.0]), out)
    assert list(out) == [4.0, -2.0, 0.0]


def test_a_script_can_write_phases():
    @phase
    def three(h):
        return 3

    @entry("h")
    def ask(h):
        return run(h, 0)

    table = Table(0)
    table.plan(0, three)
    assert ask.call(table.handle) == 3


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows: the temporary folder is the user's own")
def test_a_cache_is_looked_at_at_every_use(tmp_path, monkeypatch):
    """A folder that is no longer ours alone is neither read nor written, though it was good when the kernel was made."""
    monkeypatch.setenv("BUNRAKU_CACHE_DIR", str(tmp_path))
    cache.cache_folder.cache_clear()
    try:
        first = double_of(7.0)
        first.compile()
        (folder,) = tmp_path.iterdir()
        assert len(list(folder.glob("*.nbc"))) == 1
        second, third = double_of(7.0), double_of(7.0)
        second.compile()
        assert sum(second.call.stats.cache_hits.values()) == 1
        folder.chmod(0o770)
        third.compile()
        assert not third.call.stats.cache_hits
    finally:
        cache.cache_folder.cache_clear()
