"""Trials: hand drags in all directions, with and without balance; what ends standing, and how near the hand came.

Twelve directions, those of an icosahedron's corners (evenly spread in space, two of them up and down), five distances
up to 0.6 m. The left hand is dragged there, held for a second, released; two more seconds show whether the figure comes
back. `reached` is the hand's distance from its target at the end of the hold; `standing` is upright, on its soles only,
nearly at rest. Used by `bunraku bench choreography --grid` and tests/choreography/test_grid.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bunraku.choreography.engine import Choreography
from bunraku.choreography.report import state_of
from bunraku.errors import BunrakuError

DISTANCES = (0.12, 0.24, 0.36, 0.48, 0.60)  # m
GO, HOLD, AFTER = 1.0, 1.0, 2.0  # s: the target's way, hold, and what follows the release
NEAR = 0.05  # m
REST = 0.1  # m/s of the centre of mass


def directions() -> np.ndarray:
    """(12, 3) unit vectors: up, down, and two rings of five at heights +-1/sqrt(5), turned against each other."""
    out = [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]
    ring, height = 2.0 / np.sqrt(5.0), 1.0 / np.sqrt(5.0)
    for k in range(5):
        a = 2.0 * np.pi * k / 5.0
        out.append((ring * np.cos(a), ring * np.sin(a), height))
        out.append((-ring * np.cos(a), -ring * np.sin(a), -height))
    return np.array(out)


@dataclass(frozen=True)
class Trial:
    """One drag: direction, distance [m], hand's distance from the target at the end of the hold [m], how it ended."""

    direction: tuple[float, ...]
    distance: float
    balance: bool
    reached: float
    nearest: float
    end: str
    finite: bool

    @property
    def good(self) -> bool:
        """Ends standing and had the hand near its target while held."""
        return self.end == "standing" and self.reached <= NEAR


def try_drag(
    direction: np.ndarray, distance: float, balance: bool, hand: str = "left_hand", **options: object
) -> Trial:
    """One trial."""
    c = Choreography(balance=balance, **options)  # type: ignore[arg-type]
    drag = c.drag(hand)
    start = drag.target.copy()
    finite, reached, nearest, end = True, np.inf, np.inf, "fallen"
    try:
        parts = 50
        for k in range(parts):
            drag.to(start + direction * distance * (k + 1) / parts)
            c.run(GO / parts)
        for _ in range(10):
            c.run(HOLD / 10)
            reached = c.violations[0].metres
            nearest = min(nearest, reached)
        drag.release()
        c.run(AFTER)
        end = state_of(c.dancers[0])
        if end == "standing" and np.linalg.norm(c.figure.momentum) / c.model.mass > REST:
            end = "moving"
        finite = bool(np.all(np.isfinite(c.figure.q)) and np.all(np.isfinite(c.figure.v)))
    except BunrakuError as error:
        end, finite = f"error: {error}", False
    return Trial(tuple(map(float, direction)), distance, balance, float(reached), float(nearest), end, finite)


def grid(
    balance: bool, progress: object = None, distances: tuple[float, ...] = DISTANCES, **options: object
) -> list[Trial]:
    """All directions, by default all 60 drags."""
    out = []
    for d in directions():
        for x in distances:
            out.append(try_drag(d, x, balance, **options))  # type: ignore[arg-type]
            if callable(progress):
                progress(len(out))
    return out
