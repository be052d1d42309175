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
from bunraku.kernel.table import Table
from bunraku.step import step_arrays as at
from bunraku.step.contact_rows import FORCE_COLUMNS
from bunraku.world import contact_models as models
from bunraku.world import joints
from bunraku.world.general_shapes import say_ignored
from bunraku.world.laststep import LastStep
from bunraku.world.room import Room

if TYPE_CHECKING:
    from bunraku.world.world import World


def prepare(world: World) -> None:
    """See the module text."""
    if not world._figures:
        raise InputError("the world is empty; add a figure first.")
    m, t = world.model, Table(world._arrays)
    kinds = world._materials.kinds()
    placed = [
        Placed(p.model, p.body, world._self_collision[p.name], kinds[world._material_of[p.name]])
        for p in world._parts.values()
    ]
    world._table, world._geometry = t, Geometry.of(placed, [Fixed(f.shape, kinds[f.material]) for f in world._fixed])
    say_ignored(world._geometry.notes)
    world._contacts, world._room = Contacts(world._geometry), models.furnish(world.contact, Room(m, t))
    world._f_ext, world._moved, world._last = np.zeros(6 * m.nb), np.zeros(m.nv), LastStep(m)
    world._info, world._numbers = np.zeros(at.INFO_COUNT, dtype=np.int64), np.zeros(at.NUMBERS_COUNT)
    world._numbers[[at.DT, at.MARGIN, at.TOLERANCE]] = world.dt, world.margin, world.tolerance
    world._numbers[[at.STIFFNESS, at.RATIO]] = world.stiffness, world.damping
    world._info[[at.SWEEP_LIMIT, at.EXACT]] = world.sweeps, world.integrator == "rk4"
    world._info[at.FIXED_PAIRS] = -1 if world._geometry.sweeps else len(world._geometry.pairs)
    arrays = {
        at.INTS: m.ints,
        at.REALS: m.reals.copy(),
        at.SCRATCH: np.zeros(scratch_size(m.nb, m.nq)),
        at.Q: world.q,
        at.V: world.v,
        at.TAU: world.tau,
        at.F_EXT: world._f_ext,
        at.MOVED: world._moved,
        **{k: np.zeros(m.nv) for k in (at.ACCEL, at.NEXT_V, at.TOTAL)},
        at.TARGET_Q: world.target_q,
        at.TARGET_V: world.target_v,
        at.DRIVE: world.drive,
        at.APPLIED: world.applied,
        at.NUMBERS: world._numbers,
        at.INFO: world._info,
        at.START_Q: world._last.q,
        at.START_V: world._last.v,
        at.SHAPE_INTS: world._geometry.ints,
        at.SHAPE_REALS: world._geometry.reals,
        at.EXCLUDED: world._geometry.excluded,
        at.MATERIALS: world._materials.table(),
        **joints.tables(m),
        **models.tables(world.integrator, m),
    }
    for number, array in arrays.items():
        t.put(number, array)
    world._set_track(*world._track)
    world._joint_impulse = t.arrays[at.JOINT_IMPULSE]
    world._new_warm(np.zeros((0, 4), dtype=np.int64), np.zeros((0, FORCE_COLUMNS)))
    world._ties.put_into(t)
    for k, what in models.stages(world.contact, world.integrator).items():
        t.plan(k, what)
