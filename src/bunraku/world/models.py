"""The contact models: which stages make a step."""

from __future__ import annotations

from bunraku.errors import InputError, closest
from bunraku.spatial.table import Stage
from bunraku.world.step import free_motion, move, penalty, pgs, rigid_rows, springy_rows, touching

MODELS: dict[str, tuple[Stage, Stage]] = {"pgs": (rigid_rows, pgs), "penalty": (springy_rows, penalty)}


def check(contact: str) -> None:
    """InputError if there is no such model."""
    if contact not in MODELS:
        raise InputError(f"World: there is no contact model {contact!r}.{closest(contact, MODELS)}")


def stages(contact: str) -> tuple[Stage, ...]:
    """The stages of a step, in order."""
    return (free_motion, touching, *MODELS[contact], move)
