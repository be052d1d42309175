"""A world made ready to step: the arrays of its scene, from the figures and fixed shapes it has now, put into the table
of the step.

Done anew whenever a figure or a shape was added. The state (q, v, drives, connections) is the world's own and stays;
contacts, their memory and scratch begin empty. Checked in tests/world/.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bunraku.collision import Contacts, Fixed, Geometry, Placed
from bunraku.dynamics.work import scratch_size
from bunraku.errors import InputError
from bunraku.kernel.entry import ready
from bunraku.kernel.record import put, zeros
from bunraku.kernel.table import Table
from bunraku.step.euler import steps
from bunraku.step.step_arrays import ContactId, ContactMemory, Info, Numbers, Step
from bunraku.world import contact_models as models
from bunraku.world import joints
from bunraku.world.laststep import LastStep
from bunraku.world.missing_shapes import say_ignored
from bunraku.world.room import Room
from bunraku.world.stopped import remember

if TYPE_CHECKING:
    from bunraku.world.world import World


def prepare(world: World) -> None:
    """See the module text."""
    if not world._figures:
        raise InputError("the world is empty; add a figure first.")
    m, table = world.model, Table(world._arrays)
    step = world._step = Step(table)
    kinds = world._materials.kinds()
    placed = [
        Placed(
            p.model,
            p.body,
            bool(world._self_collision[p.name]),
            kinds[world._material_of[p.name]],
            world._overlapping[p.name],
        )
        for p in world._parts.values()
    ]
    world._table, world._geometry = (
        table,
        Geometry.of(placed, [Fixed(f.shape, kinds[f.material]) for f in world._fixed]),
    )
    say_ignored(world._geometry.notes)
    world._contacts, world._room = (
        Contacts(world._geometry),
        models.furnish_contact(world.contact, Room(m, step, models.MODELS[world.contact].large)),
    )
    world._f_ext, world._moved, world._last = np.zeros(6 * m.nb), np.zeros(m.nv), LastStep(m)
    world._info, world._numbers = info_of(world), numbers_of(world)
    put(
        step,
        ints=m.ints,
        reals=m.reals.copy(),
        work=np.zeros(scratch_size(m)),
        q=world.q,
        v=world.v,
        tau=world.tau,
        also=world._also,
        f_ext=world._f_ext,
        accel=np.zeros(m.nv),
        next_v=np.zeros(m.nv),
        moved=world._moved,
        pushed=np.zeros(m.nv),
        start_q=world._last.q,
        start_v=world._last.v,
        last_v=world._last.after,
        last_tau=world._last.tau,
        last_f_ext=world._last.f_ext,
        known=world._last.known,
        numbers=world._numbers,
        info=world._info,
        drive=world.drive,
        target_q=world.target_q,
        target_v=world.target_v,
        applied=world.applied,
        total=np.zeros(m.nv),
        materials=world._materials.table(),
    )
    joints.put_joints(step, m, models.guesses_friction(world.contact, world.integrator))
    models.furnish_integrator(world.integrator, step, m)
    world._set_track(*world._track)
    world._joint_impulse = step.joint_impulse
    remember(world, zeros(ContactId, 0), zeros(ContactMemory, 0))
    world._ties.put_into(step)
    phases = {**models.phases(world.contact, world.integrator), **world._geometry.phases}
    ready([*phases.values(), steps])
    for k, what in phases.items():
        table.plan(k, what)


def numbers_of(world: World) -> Numbers:
    """The settings of a world."""
    n = Numbers()
    n.dt, n.margin, n.tolerance = world.dt, world.margin, world.tolerance
    n.stiffness, n.damping = world.stiffness, world.damping
    return n


def info_of(world: World) -> Info:
    """Its counts and switches, before the first step."""
    i = Info()
    i.sweep_limit, i.exact = world.sweeps, world.integrator == "rk4"
    i.fixed_pairs = -1 if world._geometry.sweeps else len(world._geometry.pairs)
    return i
