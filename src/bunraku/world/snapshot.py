"""Snapshots: all that affects the next step, and the last step's start and contacts, so that what can be read is right
as well.

A controller that offers `state()` (a dict of plain values, as JSON has them) and `restore(state)` takes part; others
are named in `Snapshot.without_state` and go on as they are. Connections are kept with their limits and whether they are
broken, pushes with the time at which they end, sensors with what chance gave them in the present step. Checked in
tests/world/test_saving.py.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.collision.shape_layout import FULL
from bunraku.errors import BunrakuError, InputError
from bunraku.kernel.record import flat
from bunraku.step.step_arrays import Info
from bunraku.world.randomness import packed, unpack
from bunraku.world.stopped import remember
from bunraku.world.ties import Connection

if TYPE_CHECKING:
    from bunraku.world.world import World

Push = tuple[str, str, np.ndarray, float]
GROWING = (
    "warm_ids",
    "warm_force",
    "contact_ids",
    "contact_data",
    "track_q",
    "track_v",
)  # as long as there are contacts


@dataclass(frozen=True)
class Snapshot:
    """All that affects the next step.

    `names` guards against another world's; `controllers` holds a state or None for each.
    """

    names: tuple[str, ...]
    arrays: dict[str, np.ndarray]
    time: float
    connections: tuple[Connection, ...] = ()
    pushes: tuple[Push, ...] = ()
    controllers: tuple[dict[str, Any] | None, ...] = ()
    without_state: tuple[str, ...] = ()
    sensors: tuple[dict[str, Any], ...] = ()  # what chance gave each of them in the present step


def take(world: World) -> Snapshot:
    """A snapshot of a world."""
    states = tuple(controller_state(c) for c in world._controllers)
    return Snapshot(
        tuple(world._figures),
        {name: a.copy() for name, a in arrays_of(world).items()},
        world.time,
        tuple(world._ties.connections.values()),
        tuple((figure, link, wrench.copy(), end) for figure, link, wrench, end in world._pushes),
        states,
        tuple(controller_name(c) for c, s in zip(world._controllers, states) if s is None),
        tuple(sensor.drawn() for sensor in world.sensors),
    )


def put_back(world: World, snapshot: Snapshot) -> None:
    """Make a world what it was; it must have the same figures."""
    if snapshot.names != tuple(world._figures):
        raise InputError("restore: the snapshot is of a world with other figures.")
    if len(snapshot.controllers) > len(world._controllers):
        raise InputError(
            f"restore: the snapshot has {len(snapshot.controllers)} controllers, this world {len(world._controllers)}; "
            "add them first."
        )
    shapes = len(snapshot.arrays["sweep_order"]), int(Info(snapshot.arrays["info"]).fixed_pairs)
    if shapes != (len(world._contacts.ints), int(world._info.fixed_pairs)):
        raise InputError(
            "restore: the snapshot is of a world with other shapes; take one after the last shape was added."
        )
    world._ties.resize(len(snapshot.arrays["tie_ints"]))
    while len(world._contacts.ids) < len(snapshot.arrays["contact_ids"]):
        world._contacts.grow(FULL)
    remember(world, snapshot.arrays["warm_ids"], snapshot.arrays["warm_force"])
    world._set_track(snapshot.arrays["track_q"].copy(), snapshot.arrays["track_v"].copy())
    own = arrays_of(world)
    for name, a in snapshot.arrays.items():
        if name not in GROWING:
            own[name][...] = a
    n = len(snapshot.arrays["contact_ids"])
    world._contacts.ids[:n] = snapshot.arrays["contact_ids"]
    world._contacts.data[:n] = snapshot.arrays["contact_data"]
    unpack(world.rng, snapshot.arrays["random"])
    world._last.restored()
    world.time = snapshot.time
    world._ties.connections = {c.number: c for c in snapshot.connections}
    world._ties.unborn = bool(np.any(world._ties.ties.column("restitution")))
    world._pushes = [(figure, link, wrench.copy(), end) for figure, link, wrench, end in snapshot.pushes]
    restore_controllers(world._controllers, snapshot.controllers)
    for sensor, drawn in zip(world.sensors, snapshot.sensors):
        sensor.redraw(drawn)


def arrays_of(world: World) -> dict[str, np.ndarray]:
    """The arrays of the state by name, not copied."""
    n = int(world._info.contacts)
    shown = {
        "contact_ids": world._contacts.ids[:n],
        "contact_data": world._contacts.data[:n],
        "numbers": flat(world._numbers),
        "track_q": world._track[0],
        "track_v": world._track[1],
        "random": packed(world.rng),
        **world._last.arrays(),
    }
    return {**world._state(), "tie_last": world._ties.last, **shown}


def controller_name(controller: Callable[[World], None]) -> str:
    """How a controller is called in messages."""
    return str(getattr(controller, "name", None) or getattr(controller, "__name__", type(controller).__name__))


def controller_state(controller: Callable[[World], None]) -> dict[str, Any] | None:
    """Its state, copied; None if it has no `state` and `restore`."""
    state, restore = getattr(controller, "state", None), getattr(controller, "restore", None)
    if not (callable(state) and callable(restore)):
        return None
    given = state()
    name = controller_name(controller)
    if not isinstance(given, dict):
        raise InputError(
            f"controller {name!r}: state() must return a dict of plain values, got {type(given).__name__}."
        )
    try:
        return json.loads(json.dumps(given))
    except (TypeError, ValueError) as error:
        raise InputError(
            f"controller {name!r}: state() holds what JSON cannot ({error}); use numbers, text, lists, dicts."
        ) from None


def restore_controllers(
    controllers: Iterable[Callable[[World], None]], states: Iterable[dict[str, Any] | None]
) -> None:
    """Give states back, in order."""
    for controller, state in zip(controllers, states):
        if state is None:
            continue
        name = controller_name(controller)
        back = getattr(controller, "restore", None)
        if not callable(back):
            raise InputError(f"controller {name!r}: the snapshot has a state for it, but it has no restore(state).")
        try:
            back(json.loads(json.dumps(state)))
        except BunrakuError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise InputError(
                f"controller {name!r}: its restore() does not accept the saved state ({error!r})."
            ) from None
