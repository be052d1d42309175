"""Shared set-up of the tests."""

import os

from hypothesis import HealthCheck, settings

os.environ.setdefault("BUNRAKU_QUIET", "1")
settings.register_profile(
    "bunraku", deadline=None, derandomize=True, max_examples=30, suppress_health_check=list(HealthCheck)
)
settings.load_profile("bunraku")
