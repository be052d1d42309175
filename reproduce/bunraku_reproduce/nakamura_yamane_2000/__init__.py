"""The parts of Nakamura & Yamane 2000, in its order. Each file beside this one has the parts of one subject."""

from __future__ import annotations

from bunraku_reproduce.experiment import Part
from bunraku_reproduce.nakamura_yamane_2000 import (
    contact_checks,
    contact_states,
    figure_2000,
    friction_2000,
    generation_2000,
    joining,
    one_equation,
    walk_2000,
)

PARTS: tuple[Part, ...] = (
    one_equation.equation,
    one_equation.counting,
    joining.impulses,
    joining.changes,
    joining.kinds,
    generation_2000.generation,
    contact_states.states,
    contact_states.frames,
    contact_checks.checks,
    contact_checks.pressure,
    contact_checks.solves,
    contact_states.slipping,
    friction_2000.region,
    friction_2000.limits,
    contact_checks.impacts,
    friction_2000.rows,
    figure_2000.masses,
    figure_2000.subject,
    walk_2000.walk,
    walk_2000.cost,
)
