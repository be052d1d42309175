"""Pins and drags in the kernels' arrays: which figure moves them, where they should be, and how far they reach.

A pin of a figure's link is moved by that figure; one of a thing by the first hand that holds it, and it goes over to
the next hand when that one lets go. Checked in tests/choreography/test_engine.py and tests/choreography/test_grips.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.choreography.dance_arrays import DRAG, PIN, PLANTED
from bunraku.choreography.grips import body_pose
from bunraku.choreography.pins import Pin, checked_axes, checked_point, checked_rotation, clean, own_axes
from bunraku.control.whole_body_arrays import MOST_TASKS
from bunraku.errors import InputError
from bunraku.kernel.record import flat

if TYPE_CHECKING:
    from bunraku.choreography.dancer import Dancer
    from bunraku.choreography.engine import Choreography
    from bunraku.choreography.grips import Grip


def make(c: Choreography, kind: type[Pin], link: str, how: tuple[Any, Any, Any, Any], weight: float) -> Pin:
    """A new pin or drag; how: (point, axes, at, rotation) as of Choreography.pin."""
    point, axes, at, rotation = how
    axes = checked_axes(kind.kind, axes)
    if not (np.isfinite(weight) and 0 < weight <= 1e6):
        raise InputError(f"{kind.kind}: weight {weight} is not between 0 and 1e6.")
    figure, part = c.link_at(kind.kind, link)
    if figure.model.frame(part).body == 0:
        raise InputError(f"{kind.kind}: {link!r} is fixed to the world.")
    own = checked_point(f"{kind.kind} {link!r}: point", point)
    position, R = figure.pose(part)
    target = position + R @ own if at is None else checked_point(f"{kind.kind} {link!r}: at", at)
    turn, frame = None, None
    if axes == "pose":
        turn = clean(R if rotation is None else checked_rotation(f"{kind.kind} {link!r}", rotation))
    elif rotation is not None:
        frame = own_axes(f"{kind.kind} {link!r}", rotation, R)
    if "r" in axes:
        turn = clean(R)
    item = kind("", link, own, axes, target, turn, frame, -1, c, figure, part, weight)
    holder, grip = holder_of(c, item)
    if holder is None:
        raise InputError(f"{kind.kind}: nobody holds {link!r}; grip it first, then it can be moved.")
    take_place(c, item, holder, grip)
    c.names += 1
    item.name = f"{kind.kind}{c.names}"
    c.items.append(item)
    begin_item(c, item)
    c.score.begin(c.time, item, weight)
    c.world.note(f"{item.kind} {item.name} {link} {axes}")
    return item


def holder_of(c: Choreography, item: Pin) -> tuple[Dancer | None, Grip | None]:
    """Who moves an item: (its figure, the grip by which it holds the thing)."""
    own = next((d for d in c.dancers if d.figure is item.figure), None)
    if own is not None:
        return own, None
    for grip in c.grips:
        for end in grip.ends:
            if c.world.ends[end].other == item.figure.part.body + item.figure.model.frame(item.part).body:
                return next(d for d in c.dancers if is_body_of(d, int(c.world.ends[end].ours))), grip
    return None, None


def is_body_of(d: Dancer, body: int) -> bool:
    """Whether a body of the world is a figure's."""
    return d.figure.part.body < body < d.figure.part.body + d.model.nb


def take_place(c: Choreography, item: Pin, holder: Dancer, grip: Grip | None) -> None:
    """Let a figure move an item from now on."""
    used = {p.place for p in c.items if p.dancer is holder}
    place = next((k for k in range(MOST_TASKS) if k not in used), None)
    if place is None:
        raise InputError(f"{item.kind}: there are {MOST_TASKS} pins and drags already; release one first.")
    item.dancer, item.grip, item.place = holder, grip, place


def begin_item(c: Choreography, item: Pin) -> None:
    """An item that has its place into the kernels' arrays."""
    assert item.dancer is not None
    a, info = item.dancer.arrays, item.figure.model.frame(item.part)
    pin, aim = a.pin_at(item.place)
    at, body = info.position + info.rotation @ item.point, info.body
    if item.grip is not None:
        end = next(e for e in item.grip.ends if is_body_of(item.dancer, int(c.world.ends[e].ours)))
        pin.grip, aim.own = end + 1, tuple(at)
        body = int(c.world.ends[end].ours) - item.dancer.figure.part.body
        at = in_body(item.dancer, body, item.figure.pose(item.part)[0] + item.figure.pose(item.part)[1] @ item.point)
    pin.kind, pin.swing = DRAG if item.kind == "drag" else PIN, PLANTED
    pin.body, pin.turned, pin.some = body, item.rotation is not None, item.axes not in ("xyz", "pose")
    (aim.held, aim.turn_held), own = map(tuple, item.held), item.along
    for k in range(3):
        aim.axis[k] = tuple(own[:, k])
    aim.at, aim.weight = tuple(at), item.weight
    reach_of(item)
    aim_item(item)


def in_body(d: Dancer, body: int, x: np.ndarray) -> np.ndarray:
    """A point of the world in the frame of a figure's body."""
    position, R = body_pose(d.figure, body)
    return R.T @ (x - position)


def reach_of(item: Pin, moved: bool = False) -> None:
    """How far a drag's target, or a moved pin's, may be before the figure steps, into the kernels' arrays."""
    assert item.dancer is not None
    a = item.dancer.arrays
    limb, (pin, aim) = a.limb_at(item.place), a.pin_at(item.place)
    flat(limb)[:] = 0
    if a.stepper is not None and (item.kind == "drag" or moved):
        root, limb.length = a.stepper.reach(int(pin.body), np.array(aim.at))
        limb.root = tuple(root)


def aim_item(item: Pin) -> None:
    """Where a pin or drag should be, into the kernels' arrays."""
    assert item.dancer is not None
    a = item.dancer.arrays
    a.targets[item.place] = item.target
    if item.rotation is not None:
        a.turns[item.place] = (item.rotation @ item.figure.model.frame(item.part).rotation.T).ravel()


def end_item(item: Pin) -> None:
    """Out of the kernels' arrays."""
    if item.place >= 0 and item.dancer is not None:
        flat(item.dancer.arrays.pin_at(item.place)[0])[:] = 0
        flat(item.dancer.arrays.limb_at(item.place))[:] = 0
    item.place, item.dancer, item.grip = -1, None, None
