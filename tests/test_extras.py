"""What the extra `test` installs is there in CI: no test that skips without a peer can be skipped there unnoticed."""

import importlib.util
import os

import pytest

MODULES = ("coal", "collada", "fast_simplification", "gymnasium", "imageio_ffmpeg", "mujoco",
           "pinocchio", "playwright", "trimesh", "yaml")  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_peers_are_installed(name):
    if importlib.util.find_spec(name) is None and os.environ.get("CI") != "true":
        pytest.skip(f"{name} is not installed: tests that need it are skipped; `pip install '.[test]'` has it")
    assert importlib.util.find_spec(name) is not None
