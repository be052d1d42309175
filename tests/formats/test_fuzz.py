"""A sample of broken, degenerate and adversarial files and meshes: each loads or is refused by one sentence, none hangs
or crashes. `python tests/fuzz_files.py 10000` and `python tests/fuzz_meshes.py 10000` run as many."""

from __future__ import annotations

import pytest

import fuzz_files
import fuzz_meshes


@pytest.mark.slow
def test_a_sample(tmp_path):
    faults: list[str] = []
    counts = fuzz_files.run(200, 17, tmp_path, faults.append)
    assert not faults, "\n".join(faults)
    assert counts["refused"] > 80 and counts["loaded"] > 10, counts


@pytest.mark.slow
def test_a_sample_of_meshes(tmp_path):
    """As a link's hull, as terrain, and to be drawn."""
    faults: list[str] = []
    assert fuzz_meshes.run(60, 1, tmp_path, faults.append) == 0, "\n".join(faults)
