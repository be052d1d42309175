"""Claims in words that are measured: the paper prints no number, so the limit is ours, and both are shown."""

from __future__ import annotations

from bunraku_reproduce.experiment import Experiment


def small(
    e: Experiment, key: str, place: str, claim: str, limit: float, ours: float, *, unit: str = "", reason: str = ""
) -> None:
    """A claim that holds where our number is not above a limit."""
    e.holds(key, place, claim, f"{ours:.3g} {unit}".strip() + f" (limit: {limit:g})", ours <= limit, reason=reason)
