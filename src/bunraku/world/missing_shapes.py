"""Shapes that cannot take part in collisions: refused, or spoken of."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from bunraku.collision.mesh_hulls import missing_extra
from bunraku.errors import MissingExtra
from bunraku.model.description import Note


def refuse_without_extra(what: str, kind: str, role: str) -> None:
    """MissingExtra for a mesh where the extra `mesh`, which reads its file, is not installed."""
    if role != "visual" and kind == "mesh" and (command := missing_extra()):
        raise MissingExtra(
            f"{what}: a mesh that takes part in collisions needs the extra `mesh`; {command}, or give it role='visual'."
        )


def say_ignored(notes: Sequence[Note]) -> None:
    """A warning where shapes take no part in collisions (a mesh file that is not there, say)."""
    ignored = [note.text for note in notes if note.kind == "ignored"]
    if ignored:
        more = f" So do {len(ignored) - 1} others: see world.notes." if len(ignored) > 1 else ""
        warnings.warn(ignored[0] + more, stacklevel=4)
