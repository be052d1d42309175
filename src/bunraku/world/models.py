"""The contact models: which stages make a step."""

from __future__ import annotations

from bunraku.constraint.link_arrays import put_link_room
from bunraku.errors import InputError, closest
from bunraku.spatial.table import Stage
from bunraku.world.room import Room
from bunraku.world.step import free_motion, move, penalty, pgs, rigid_rows, springy_rows, touching
from bunraku.world.step_link import link_impulses, link_rows

MODELS: dict[str, tuple[Stage, Stage]] = {
    "pgs": (rigid_rows, pgs),
    "penalty": (springy_rows, penalty),
    "virtual_link": (link_rows, link_impulses),
}


def check(contact: str) -> None:
    """InputError if there is no such model."""
    if contact not in MODELS:
        raise InputError(f"World: there is no contact model {contact!r}.{closest(contact, MODELS)}")


def stages(contact: str) -> tuple[Stage, ...]:
    """The stages of a step, in order; behind them those that a stage runs itself."""
    more = (rigid_rows, pgs) if contact == "virtual_link" else ()
    return (free_motion, touching, *MODELS[contact], move, *more)


def furnish(contact: str, room: Room) -> Room:
    """Add the arrays that a model needs beyond the common ones."""
    if contact == "virtual_link":
        put_link_room(room.table, room.rows)
    return room
