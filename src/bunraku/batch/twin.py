"""A World that is like another one: of the same models, shapes, materials and options, with a state of its own."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bunraku.model.layout import ROTOR
from bunraku.model.model import Model
from bunraku.world.saving import OPTIONS
from bunraku.world.snapshot import Snapshot, put_back, take
from bunraku.world.ties import Connection
from bunraku.world.world import World


def twin(world: World, models: Mapping[str, Model] | None = None, **options: Any) -> World:
    """A World like `world`, without its controllers, sensors and recording. models: others of the same build by figure;
    options: others than its own."""
    new = World(**{name: options.get(name, getattr(world, name)) for name in OPTIONS})
    for f in world.figures:
        model = (models or {}).get(f.name, f.model)
        new.add(model, name=f.name, self_collision=world._self_collision[f.name])
    new._material_of = dict(world._material_of)
    new._materials = world._materials
    new._fixed = list(world._fixed)
    new._ready = False
    new._prepare()
    show(new, take(world))
    return new


def show(world: World, snapshot: Snapshot) -> None:
    """Put a snapshot of a twin into a world."""
    world._ties.resize(len(snapshot.arrays["tie_ints"]))
    connections = tuple(Connection(c.number, world._ties) for c in snapshot.connections)
    put_back(world, replace(snapshot, connections=connections, controllers=(), sensors=()))
    world._ties.put_into(world._step)


def with_reals(model: Model, reals: np.ndarray) -> Model:
    """The same model with the masses of other rows of bodies; a step's own terms in its rotor inertias stay out."""
    numbers = model.reals.copy()
    bodies = slice(1, len(reals) + 1)
    rotors = numbers[bodies, ROTOR].copy()
    numbers[bodies] = reals
    numbers[bodies, ROTOR] = rotors
    numbers.flags.writeable = False
    return replace(model, reals=numbers)
