"""Walks that several tests look at, solved once."""

from __future__ import annotations

import pytest

from bunraku.gait1988.library import flat, usual
from bunraku.gait1988.solved_walk import Walk, exact_walk, historical_walk


@pytest.fixture(scope="session")
def flat_walk() -> Walk:
    """The flat gait, case IV, exact."""
    return exact_walk(flat(), samples=161)


@pytest.fixture(scope="session")
def usual_walk() -> Walk:
    """Our usual gait, case I, exact: feet roll over heel and toe."""
    return exact_walk(usual(), samples=161)


@pytest.fixture(scope="session")
def free_walk() -> Walk:
    """The flat gait with free arms."""
    return exact_walk(flat(), arms_free=True, samples=161)


@pytest.fixture(scope="session")
def report_walk() -> Walk:
    """The flat gait, case IV, as the report computed it."""
    return historical_walk(flat())
