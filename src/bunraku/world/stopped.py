"""A step that stopped before its end: room is made for what did not fit, or it is said why it cannot be done.

Checked in tests/world/test_faults.py.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bunraku.collision.shape_layout import FULL, PAIRS_FULL
from bunraku.errors import BunrakuError
from bunraku.kernel.record import put, zeros
from bunraku.step.step_arrays import (
    DIVERGED,
    LOOPS_LARGE,
    NOT_FINITE,
    ROOM,
    ROOM_LARGE,
    ROOM_POOL,
    ContactId,
    ContactMemory,
    ContactSpring,
)
from bunraku.world import contact_models as models
from bunraku.world.diverged import StepDiverged, check_finite, diverged
from bunraku.world.room import TooLarge

if TYPE_CHECKING:
    from bunraku.world.world import World


def make_room(world: World, status: int) -> None:
    """Make the room that a step's status asks for, so that it can be tried again; StepDiverged where that is no help."""
    if status == NOT_FINITE:
        check_finite(world)
    world._last.forget(world)
    if status in (FULL, PAIRS_FULL):
        world._contacts.grow(status)
        remember(world, world._warm_ids, world._warm_force)
    elif status in (ROOM, ROOM_LARGE, ROOM_POOL):
        try:
            world._room = models.furnish_contact(world.contact, world._room.grown(status))
        except TooLarge as error:
            raise StepDiverged(f"t={world.time:.4f} s: {error}. The last good state is kept.") from None
    elif status in (DIVERGED, LOOPS_LARGE):
        raise StepDiverged(diverged(world, status))
    else:
        raise BunrakuError(f"step: unknown status {status}.")


def remember(world: World, ids: np.ndarray, force: np.ndarray) -> None:
    """Room for the contacts of a step, with those of the last one."""
    c = world._contacts
    room = max(len(c.ids), len(ids))
    world._warm_ids, world._warm_force = zeros(ContactId, room), zeros(ContactMemory, room)
    world._warm_ids[: len(ids)], world._warm_force[: len(ids)] = ids, force
    c.put_into(world._step.detection)
    put(world._step, last_ids=world._warm_ids, memory=world._warm_force, springs=zeros(ContactSpring, room))
