"""Materials: friction and restitution of every pair, from each side's own or set for the pair.

Each side may name its own values or leave them (None) to the other. Where both name one: friction is the geometric mean, restitution the
larger. Where neither does: friction DEFAULT, no restitution.
"""

from __future__ import annotations

import math

import numpy as np

from bunraku.errors import InputError

DEFAULT = 0.8


class Materials:
    """A table that grows by `add`."""

    def __init__(self) -> None:
        self._own: list[tuple[float | None, float | None]] = []
        self._pairs: dict[tuple[int, int], tuple[float, float]] = {}
        self._tables: tuple[np.ndarray, np.ndarray] | None = None

    def add(self, friction: float | None, restitution: float | None) -> int:
        """A new material's number."""
        _check(friction, restitution)
        self._own.append((friction, restitution))
        self._tables = None
        return len(self._own) - 1

    def pair(self, a: int, b: int, friction: float, restitution: float) -> None:
        """Values for one pair, before all others."""
        _check(friction, restitution)
        self._pairs[min(a, b), max(a, b)] = (friction, restitution)
        self._tables = None

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        """(friction, restitution), each (n, n)."""
        if self._tables is None:
            n = max(len(self._own), 1)
            friction, restitution = np.full((n, n), DEFAULT), np.zeros((n, n))
            for a, (fa, ea) in enumerate(self._own):
                for b, (fb, eb) in enumerate(self._own):
                    mu = [x for x in (fa, fb) if x is not None]
                    friction[a, b] = math.sqrt(mu[0] * mu[1]) if len(mu) == 2 else mu[0] if mu else DEFAULT
                    restitution[a, b] = max((x for x in (ea, eb) if x is not None), default=0.0)
            for (a, b), (mu, e) in self._pairs.items():
                friction[a, b] = friction[b, a] = mu
                restitution[a, b] = restitution[b, a] = e
            self._tables = (friction, restitution)
        return self._tables


def _check(friction: float | None, restitution: float | None) -> None:
    if friction is not None and not (math.isfinite(friction) and friction >= 0):
        raise InputError(f"friction {friction} is not a number of 0 or more.")
    if restitution is not None and not (math.isfinite(restitution) and 0 <= restitution <= 1):
        raise InputError(f"restitution {restitution} is not between 0 and 1.")
