"""The state of a choreography: the world's, its pins, drags and grips, and how much was written into its score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.choreography.grips import Grip
from bunraku.choreography.pins import Pin
from bunraku.world.snapshot import Snapshot

if TYPE_CHECKING:
    from bunraku.choreography.engine import Choreography

CHANGING = ("place", "target", "rotation", "dancer", "grip")
"""What changes of a pin."""


@dataclass(frozen=True)
class DanceSnapshot:
    """All that affects what comes: the world's snapshot, pins, drags and grips, and how long the score was."""

    world: Snapshot
    items: tuple[tuple[Pin, dict[str, Any]], ...]
    grips: tuple[tuple[Grip, tuple[int, ...]], ...]
    broken: tuple[Grip, ...]
    score: tuple[Any, ...]


def take_dance(c: Choreography) -> DanceSnapshot:
    """All that affects what comes; `restore` goes back to it bit for bit (undo)."""
    kept = tuple((p, {name: getattr(p, name) for name in CHANGING}) for p in c.items)
    held = tuple((g, g.ends) for g in c.grips)
    return DanceSnapshot(c.world.snapshot(), kept, held, tuple(c.broken), c.score.mark())


def put_dance(c: Choreography, snapshot: DanceSnapshot) -> None:
    """Go back. Pins, drags and grips made since are released, those released since act again."""
    c.world.restore(snapshot.world)
    for item in c.items:
        item.place, item.dancer, item.grip = -1, None, None
    for grip in c.grips:
        grip.ends = ()
    c.items, c.grips, c.broken = [], [], list(snapshot.broken)
    for item, values in snapshot.items:
        for name, value in values.items():
            setattr(item, name, value.copy() if isinstance(value, np.ndarray) else value)
        c.items.append(item)
    for grip, ends in snapshot.grips:
        grip.ends, grip.broken = ends, False
        c.grips.append(grip)
    c.world.plan()
    for d in c.dancers:
        d.restored()
    c.score.cut(snapshot.score)
