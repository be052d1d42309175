"""The contact models and integrators: which phases make a step.

A contact model is a row of `MODELS`: "pgs", rigid, by the iterative solver (bunraku.contact); "pgs_2007", rigid, by the
iteration as Nakaoka et al. 2007 have it (bunraku.contact.pgs_2007); "virtual_link", rigid, by hypotheses about how
patches touch (bunraku.step.virtual_link); "penalty", springs and dampers (bunraku.step.contact_rows). Checked in
tests/world/test_closed_forms.py and its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bunraku.contact.pgs import MAX_SWEEPS
from bunraku.contact.pgs_2007 import SWEEPS
from bunraku.errors import InputError, closest
from bunraku.kernel.table import Phase
from bunraku.model import layout
from bunraku.model.model import Model
from bunraku.step import rk4 as step_rk4
from bunraku.step.euler import free_motion, move, penalty, pgs, rigid_rows, springy_rows, touching
from bunraku.step.large import solve_large
from bunraku.step.push_apart import PUSH_PHASE, push_apart
from bunraku.step.step_2007 import pgs_2007, solve_large_2007
from bunraku.step.step_arrays import Step
from bunraku.step.virtual_link.link_arrays import put_link_room
from bunraku.step.virtual_link.step_link import POINT_ROWS, POINT_SOLVE, link_impulses, link_rows
from bunraku.world.room import Room

INTEGRATORS = ("euler", "rk4")
MOST_SWEEPS = 1_000_000


@dataclass(frozen=True)
class ContactModel:
    """What makes a contact model.

    rows, solve: its two phases; others: phases that these run, by their places; large: the one for islands too large
    for a dense matrix; furnish: puts arrays of its own into the table of a step, for so many rows; integrators: those
    it goes with; springy: contacts give way; sweeps: the most in a step where a world does not say.
    """

    rows: Phase
    solve: Phase
    others: Mapping[int, Phase] = field(default_factory=dict[int, Phase])
    large: Phase = solve_large
    furnish: Callable[[Step, int], None] | None = None
    integrators: tuple[str, ...] = INTEGRATORS
    springy: bool = False
    sweeps: int = MAX_SWEEPS


MODELS: dict[str, ContactModel] = {
    "pgs": ContactModel(rigid_rows, pgs),
    "pgs_2007": ContactModel(rigid_rows, pgs_2007, large=solve_large_2007, sweeps=SWEEPS),
    "penalty": ContactModel(springy_rows, penalty, springy=True),
    "virtual_link": ContactModel(
        link_rows,
        link_impulses,
        others={int(POINT_ROWS): rigid_rows, int(POINT_SOLVE): pgs},
        furnish=put_link_room,
        integrators=("euler",),
    ),
}


def check(contact: str, integrator: str) -> None:
    """InputError if there is no such model or integrator."""
    if contact not in MODELS:
        raise InputError(f"World: there is no contact model {contact!r}.{closest(contact, MODELS)}")
    if integrator not in INTEGRATORS:
        raise InputError(f"World: there is no integrator {integrator!r}.{closest(integrator, INTEGRATORS)}")
    able = MODELS[contact].integrators
    if integrator not in able:
        raise InputError(
            f"World: contact {contact!r} goes with integrator {able[0]!r}; take contact 'pgs' for {integrator!r}."
        )


def check_figure(integrator: str, model: Model, name: str) -> None:
    """InputError if an integrator cannot move a figure: in the chart of rk4 turns that follow by a matrix are not."""
    kinds = model.ints[model.ints[:, layout.SLOT] > 0, layout.KIND]
    turning = (kinds == layout.BALL) | (kinds == layout.COUPLED * layout.BALL)
    if integrator == "rk4" and turning.any():
        raise InputError(
            f"World: {name!r} has a ball that is coupled by a matrix, which integrator 'rk4' does not move exactly; take "
            "integrator 'euler'."
        )


def guesses_friction(contact: str, integrator: str) -> bool:
    """Whether a step may guess what the friction of joints does (bunraku.step.drive)."""
    return integrator == "euler" and contact != "virtual_link"


def phases(contact: str, integrator: str) -> dict[int, Phase]:
    """The phases of a step by their places: the step itself, and those that a phase runs."""
    model = MODELS[contact]
    if integrator == "rk4":
        own = step_rk4
        listed = (own.begin_rk4, touching, model.rows, model.solve, own.move_rk4, own.evaluate, own.answer_loops)
    else:
        listed = (free_motion, touching, model.rows, model.solve, move)
    return {**dict(enumerate(listed)), PUSH_PHASE: push_apart, **model.others}


def furnish_integrator(integrator: str, step: Step, model: Model) -> None:
    """Add the arrays that an integrator needs for itself."""
    if integrator == "rk4":
        step_rk4.furnish(step, model)


def furnish_contact(contact: str, room: Room) -> Room:
    """Add the arrays that a contact model needs beyond the common ones."""
    furnish = MODELS[contact].furnish
    if furnish is not None:
        furnish(room.step, room.rows)
    return room


def sweeps_of(contact: str, sweeps: int | None) -> int:
    """The most sweeps in a step: those given, or the model's own."""
    if sweeps is None:
        return MODELS[contact].sweeps
    if not (1 <= sweeps <= MOST_SWEEPS and int(sweeps) == sweeps):
        raise InputError(f"World: sweeps {sweeps!r} is not a whole number from 1 to {MOST_SWEEPS}.")
    return int(sweeps)
