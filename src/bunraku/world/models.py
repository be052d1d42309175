"""The contact models and integrators: which stages make a step."""

from __future__ import annotations

import numpy as np

from bunraku.errors import InputError, closest
from bunraku.model.model import Model
from bunraku.spatial.table import Stage
from bunraku.world import step_rk4
from bunraku.world.step import free_motion, move, penalty, pgs, rigid_rows, springy_rows, touching

MODELS: dict[str, tuple[Stage, Stage]] = {"pgs": (rigid_rows, pgs), "penalty": (springy_rows, penalty)}
INTEGRATORS = ("euler", "rk4")


def check(contact: str, integrator: str) -> None:
    """InputError if there is no such model or integrator."""
    if contact not in MODELS:
        raise InputError(f"World: there is no contact model {contact!r}.{closest(contact, MODELS)}")
    if integrator not in INTEGRATORS:
        raise InputError(f"World: there is no integrator {integrator!r}.{closest(integrator, INTEGRATORS)}")


def stages(contact: str, integrator: str) -> tuple[Stage, ...]:
    """The stages of a step, in order, then those that they run themselves."""
    if integrator == "rk4":
        own = step_rk4
        return (own.begin_rk4, touching, *MODELS[contact], own.move_rk4, own.evaluate, own.answer_loops)
    return (free_motion, touching, *MODELS[contact], move)


def tables(integrator: str, model: Model) -> dict[int, np.ndarray]:
    """The arrays that an integrator needs for itself."""
    return step_rk4.tables(model) if integrator == "rk4" else {}
