"""What can go wrong in a step, in words."""

from __future__ import annotations

from bunraku.errors import BunrakuError


class StepDiverged(BunrakuError):
    """A step gave something that is not finite or absurdly fast; the world keeps its last good state."""
