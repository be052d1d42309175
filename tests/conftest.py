"""Shared set-up of the tests."""

import os

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("BUNRAKU_QUIET", "1")
settings.register_profile(
    "bunraku", deadline=None, derandomize=True, max_examples=30, suppress_health_check=list(HealthCheck)
)
settings.load_profile("bunraku")
FEW = 2  # files that are tested sooner in one process than others have started


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """How many processes `-n logical` starts: none where only a file or two are named, else (None) one for each core."""
    files = {str(arg).split("::")[0] for arg in config.args}
    return 0 if len(files) <= FEW and all(f.endswith(".py") for f in files) else None
