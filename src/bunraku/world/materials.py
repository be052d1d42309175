"""Materials: friction and restitution of every pair, from each side's own or set for the pair.

Each side may name its own values or leave them (None) to the other. Where both name one: friction is the geometric
mean, restitution the larger. Where neither does: friction DEFAULT, no restitution. Friction is one number, or a pair:
static, dynamic.
"""

from __future__ import annotations

import math

import numpy as np

from bunraku.errors import InputError
from bunraku.kernel.record import Many, zeros
from bunraku.step.step_arrays import Material

DEFAULT = 0.8


Friction = float | tuple[float, float] | None


class Materials:
    """A table that grows by `add`."""

    def __init__(self) -> None:
        self._own: list[tuple[Friction, float | None]] = []
        self._pairs: dict[tuple[int, int], tuple[Friction, float]] = {}

    def add(self, friction: Friction, restitution: float | None) -> int:
        """A new material's number."""
        self._own.append((checked(friction), _check(restitution)))
        return len(self._own) - 1

    def pair(self, a: int, b: int, friction: Friction, restitution: float) -> None:
        """Values for one pair, before all others."""
        _check(restitution)
        self._pairs[min(a, b), max(a, b)] = (checked(friction), restitution)

    def kinds(self) -> list[int]:
        """For every material the number of its kind, a row of `table`: those with the same values and no pair of their
        own are one kind."""
        special = {k for pair in self._pairs for k in pair}
        seen: dict[object, int] = {}
        return [seen.setdefault(k if k in special else own, len(seen)) for k, own in enumerate(self._own)]

    def table(self) -> np.ndarray:
        """(n n, …): the Material of every pair of kinds."""
        kinds = self.kinds()
        first = dict(zip(kinds[::-1], self._own[::-1]))
        n = max(len(first), 1)
        out = zeros(Material, n * n)
        names = ("static", "dynamic", "restitution")
        static, dynamic, restitution = (Many(Material, out).column(name).reshape(n, n) for name in names)
        static[:] = dynamic[:] = DEFAULT
        for a, (fa, ea) in first.items():
            for b, (fb, eb) in first.items():
                given = [both(f) for f in (fa, fb) if f is not None]
                if given:
                    static[a, b], dynamic[a, b] = (math.prod(x) ** (1 / len(given)) for x in zip(*given))
                restitution[a, b] = max((x for x in (ea, eb) if x is not None), default=0.0)
        for (a, b), (mu, e) in self._pairs.items():
            for i, j in ((kinds[a], kinds[b]), (kinds[b], kinds[a])):
                static[i, j], dynamic[i, j] = both(mu)
                restitution[i, j] = e
        return out


def both(friction: Friction) -> tuple[float, float]:
    """(static, dynamic)."""
    if friction is None:
        return DEFAULT, DEFAULT
    return (
        (float(friction[0]), float(friction[1])) if isinstance(friction, tuple) else (float(friction), float(friction))
    )


def checked(friction: object) -> Friction:
    """A friction as a user gives it: None, a number, or a pair with static >= dynamic."""
    if friction is None:
        return None
    try:
        pair = tuple(float(x) for x in friction) if isinstance(friction, tuple | list) else (float(friction),) * 2  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError):
        raise InputError(f"friction {friction!r} is neither a number nor a pair (static, dynamic).") from None
    if len(pair) != 2 or not all(math.isfinite(x) and x >= 0 for x in pair) or pair[0] < pair[1]:
        raise InputError(
            f"friction {friction!r} must be 0 or more, and a pair (static, dynamic) with static >= dynamic."
        )
    return pair if isinstance(friction, tuple | list) else pair[0]


def _check(restitution: float | None) -> float | None:
    if restitution is not None and not (math.isfinite(restitution) and 0 <= restitution <= 1):
        raise InputError(f"restitution {restitution} is not between 0 and 1.")
    return restitution
