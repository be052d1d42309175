"""Cylinders and convex hulls inside a step: their contacts are found in Python between two runs of phases.

    FREE TOUCH | bunraku.collision.general at the bodies' poses | ROWS SOLVE MOVE

Contacts of both kinds are put in the order of shapes, which warm starting relies on; a pair of shapes is either the
kernels' or general, so it has one patch. Worlds without such shapes never come here. Cost: a few tenths of a
millisecond a general pair that is near. Checked in tests/world/test_general_shapes.py.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bunraku.collision.general import GeneralContacts
from bunraku.collision.hull import missing_extra
from bunraku.collision.shape_layout import GENERAL, KINDS, ContactId
from bunraku.errors import MissingExtra
from bunraku.kernel.entry import entry
from bunraku.kernel.record import Many, handle
from bunraku.kernel.table import run
from bunraku.model.description import Note
from bunraku.model.layout import NW
from bunraku.step.euler import FREE, MOVE, ROWS

if TYPE_CHECKING:
    from bunraku.world.world import World


@entry("h i i")
def some_phases(h, first, last):
    """Phases first … last - 1 of one step; returns a status."""
    for s in range(first, last):
        status = run(h, s)
        if status < 0:
            return status
    return 0


def refuse_without_extra(what: str, kind: str, role: str) -> None:
    """MissingExtra for a shape that kernels do not know, where the extra `mesh` is not installed."""
    if role != "visual" and KINDS.get(kind, 0) >= GENERAL and (command := missing_extra()):
        raise MissingExtra(
            f"{what}: a {kind} that takes part in collisions needs the extra `mesh`; {command}, or give it role='visual'."
        )


def say_ignored(notes: Sequence[Note]) -> None:
    """A warning where shapes take no part in collisions (a mesh file that is not there, say)."""
    ignored = [note.text for note in notes if note.kind == "ignored"]
    if ignored:
        more = f" So do {len(ignored) - 1} others: see world.notes." if len(ignored) > 1 else ""
        warnings.warn(ignored[0] + more, stacklevel=4)


def general_steps(world: World, n: int) -> tuple[int, int]:
    """n steps, or fewer: returns (steps done, status), as bunraku.step.euler.steps does."""
    h = handle(world._step)
    for k in range(n):
        status = some_phases.call(h, FREE, ROWS)
        if status >= 0:
            add_general_contacts(world)
            status = some_phases.call(h, ROWS, MOVE + 1)
        if status < 0:
            return k, status
    return n, 0


def add_general_contacts(world: World) -> None:
    """Add the contacts of general pairs to those of the kernels, all in the order of shapes."""
    contacts, poses = world._contacts, world._step.work
    if contacts.general is None:
        contacts.general = GeneralContacts(world._geometry)
    known = int(world._info.contacts)
    n = contacts.general.append(contacts, poses, NW, world.margin, known)
    if len(contacts.ids) != len(world._step.detection.ids):  # it has grown
        world._new_warm(world._warm_ids, world._warm_force)
    world._info.contacts = n
    if 0 < known < n:
        ids = Many(ContactId, contacts.ids[:n])
        a, b = ids.column("a"), ids.column("b")
        order = np.lexsort((np.arange(n), b, a))
        contacts.ids[:n], contacts.data[:n] = contacts.ids[:n][order], contacts.data[:n][order]
        new = (np.diff(a) != 0) | (np.diff(b) != 0)
        ids.column("patch")[:] = np.concatenate([[0], np.cumsum(new)])
