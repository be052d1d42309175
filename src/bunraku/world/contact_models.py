"""The contact models and integrators: which phases make a step."""

from __future__ import annotations

from bunraku.errors import InputError, closest
from bunraku.kernel.table import Phase
from bunraku.model.model import Model
from bunraku.step import rk4 as step_rk4
from bunraku.step.euler import free_motion, move, penalty, pgs, rigid_rows, springy_rows, touching
from bunraku.step.step_arrays import Step
from bunraku.step.virtual_link.link_arrays import put_link_room
from bunraku.step.virtual_link.step_link import POINT_ROWS, POINT_SOLVE, link_impulses, link_rows
from bunraku.world.room import Room

MODELS: dict[str, tuple[Phase, Phase]] = {
    "pgs": (rigid_rows, pgs),
    "penalty": (springy_rows, penalty),
    "virtual_link": (link_rows, link_impulses),
}
INTEGRATORS = ("euler", "rk4")


def check(contact: str, integrator: str) -> None:
    """InputError if there is no such model or integrator."""
    if contact not in MODELS:
        raise InputError(f"World: there is no contact model {contact!r}.{closest(contact, MODELS)}")
    if integrator not in INTEGRATORS:
        raise InputError(f"World: there is no integrator {integrator!r}.{closest(integrator, INTEGRATORS)}")
    if (contact, integrator) == ("virtual_link", "rk4"):
        raise InputError("World: contact 'virtual_link' goes with integrator 'euler'; take contact 'pgs' for 'rk4'.")


def phases(contact: str, integrator: str) -> dict[int, Phase]:
    """The phases of a step by their places: the step itself, and those that a phase runs."""
    if integrator == "rk4":
        own = step_rk4
        listed = (own.begin_rk4, touching, *MODELS[contact], own.move_rk4, own.evaluate, own.answer_loops)
    else:
        listed = (free_motion, touching, *MODELS[contact], move)
    out = dict(enumerate(listed))
    if contact == "virtual_link":
        out |= {int(POINT_ROWS): rigid_rows, int(POINT_SOLVE): pgs}
    return out


def furnish_integrator(integrator: str, step: Step, model: Model) -> None:
    """Add the arrays that an integrator needs for itself."""
    if integrator == "rk4":
        step_rk4.furnish(step, model)


def furnish_contact(contact: str, room: Room) -> Room:
    """Add the arrays that a contact model needs beyond the common ones."""
    if contact == "virtual_link":
        put_link_room(room.step, room.rows)
    return room
