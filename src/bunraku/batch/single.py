"""One world of a batch as a World of its own: all that can be read, drawn, saved or viewed of a World, of any of them."""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bunraku.batch.batch_arrays import Push
from bunraku.batch.twin import show, twin, with_reals
from bunraku.kernel.record import Many
from bunraku.model import layout as at
from bunraku.step.step_arrays import Info
from bunraku.world.snapshot import take
from bunraku.world.world import World

if TYPE_CHECKING:
    from bunraku.batch.worlds import Worlds

# names in a snapshot of a World, and in a bank
STATE = {
    "q": "q", "v": "v", "drive": "drive", "info": "info", "joint_impulse": "joint_impulse", "applied": "applied",
    "tie_ints": "tie_kinds", "tie_reals": "ties", "tie_force": "tie_impulse", "tie_last": "tie_last",
    "numbers": "numbers", "last_q": "start_q", "last_v": "start_v", "last_after": "last_v", "last_tau": "last_tau",
    "last_f_ext": "last_f_ext", "last_known": "known",
}  # fmt: skip


def as_world(worlds: Worlds, i: int) -> World:
    """World i of a batch."""
    scene, seats = worlds._world, worlds._seats
    models, options = {}, {}
    reals = seats.bank.get("reals")
    if reals is not None:
        options["gravity"] = tuple(map(float, reals[i, 0, at.PLACE : at.PLACE + 3]))
        for f in scene.figures:
            first, count = f.part.body + 1, f.model.nb - 1
            models[f.name] = with_reals(f.model, reals[i, first : first + count])
    world = twin(scene, models, **options)
    snapshot = take(world)
    arrays = {name: seats.row(of, i).reshape(snapshot.arrays[name].shape) for name, of in STATE.items()}
    for name in ("target_q", "target_v", "tau"):
        arrays[name] = getattr(worlds, name)[i]
    known = int(Info(arrays["info"]).contacts)
    arrays["warm_ids"], arrays["warm_force"] = seats.row("last_ids", i), seats.row("memory", i)
    arrays["contact_ids"], arrays["contact_data"] = seats.row("ids", i)[:known], seats.row("contacts", i)[:known]
    kept = {**snapshot.arrays, **{name: a.copy() for name, a in arrays.items()}}
    show(world, replace(snapshot, arrays=kept, time=float(worlds.time[i]), pushes=()))
    world._also[:] = seats.row("also", i)
    if "materials" in seats.bank:
        world._step.materials.rows[...] = seats.bank["materials"][i]
    for push in Many(Push, worlds._pushes.of(i)):
        left = int(push.until) - int(worlds._now[i])
        if left > 0:
            f, link = _link_at(scene, int(push.body), np.array(push.place))
            world._pushes.append((f, link, np.array([*push.force, *push.torque]), world.time + left * world.dt))
    return world


def _link_at(scene: World, body: int, place: np.ndarray) -> tuple[str, str]:
    """(figure, link) that stands at a place of a body."""
    for f in scene.figures:
        for frame in (f.model.frame(link.name) for link in f.model.links):
            if frame.body and f.part.body + frame.body == body and np.array_equal(frame.position, place):
                return f.name, frame.name
    raise AssertionError("a push on no link")
