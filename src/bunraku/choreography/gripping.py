"""Gripping and letting go: a choreography's grips are made, checked, looked after, and ended.

Checked in tests/choreography/test_grips.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bunraku.choreography import items
from bunraku.choreography.grips import POINT, WHOLE, Grip, check_reach, check_strength, gap_to, gap_to_shape
from bunraku.choreography.pins import checked_rotation
from bunraku.errors import InputError, closest
from bunraku.kernel.record import flat
from bunraku.model.layout import FREE, KIND
from bunraku.world.figure import Figure

if TYPE_CHECKING:
    from bunraku.choreography.dancer import Dancer
    from bunraku.choreography.engine import Choreography


def make(
    c: Choreography,
    link: str,
    other: str,
    axes: str | None,
    break_force: float,
    break_torque: float,
    reach: float,
) -> Grip:
    """A new grip, as Choreography.grip describes it."""
    if not c.dynamics:
        raise InputError("grip: without dynamics nothing has a weight; switch dynamics on first.")
    hand, part = hand_of(c, link)
    figure, check = hand.figure, f"grip {link!r}"
    check_strength(link, break_force, break_torque)
    thing, of_it, gap = held_of(c, other, figure.pose(part)[0])
    if thing is figure:
        raise InputError(f"{check}: {other!r} is a part of the same figure.")
    check_reach(link, other, gap, reach)
    ours, theirs = body_of(figure, part), 0 if thing is None else body_of(thing, of_it)
    refuse_twice(c, check, ours, theirs)
    again = theirs > 0 and any(
        c.world.ends[e].other == theirs and items.is_body_of(hand, int(c.world.ends[e].ours))
        for g in c.grips
        for e in g.ends
    )
    axes = axes or (POINT if again else WHOLE)
    sides = [(ours, theirs, 1)]
    if any(thing is d.figure for d in c.dancers):
        sides.append((theirs, ours, 0))
    free = [k for k, end in enumerate(c.world.ends) if not end.used][: len(sides)]
    if len(free) < len(sides):
        raise InputError(f"{check}: there are too many grips already; release one first.")
    place, R = figure.pose(part)
    tie = c.world.connect(
        figure[part],
        None if thing is None else thing[of_it],
        at=place.tolist(),
        axes=axes,
        rotation=R,
        break_force=float(break_force),
        break_torque=float(break_torque),
    )
    c.names += 1
    made = Grip(f"grip{c.names}", link, other, axes, float(break_force), float(break_torque), tie, tuple(free), c)
    loose = thing is not None and len(sides) == 1 and thing.model.nb == 2 and thing.model.ints[1, KIND] == FREE
    for k, (mine, its, first) in zip(made.ends, sides):
        end = c.world.ends[k]
        flat(end)[:] = 0
        flat(c.world.felt[k])[:] = 0
        end.used, end.tie, end.ours, end.other, end.first, end.loose = 1, tie.number, mine, its, first, loose
    for d in c.dancers:
        d.arrays.info.holds = 1
    c.grips.append(made)
    c.score.grip(c.time, made, reach)
    c.world.note(f"grip {made.name} {link} {other}")
    return made


def hand_of(c: Choreography, link: str) -> tuple[Dancer, str]:
    """The figure that grips, and its link."""
    figure, part = c.link_at("grip", link)
    hand = next((d for d in c.dancers if d.figure is figure), None)
    if hand is None:
        raise InputError(f"grip: {link!r} is no link of a figure that is choreographed; a thing cannot grip.")
    if hand.model.frame(part).body == 0:
        raise InputError(f"grip: {link!r} is fixed to the world.")
    return hand, part


def held_of(c: Choreography, other: str, place: np.ndarray) -> tuple[Figure | None, str, float]:
    """What is gripped (None: something fixed), which link of it, and how far it is from a place [m]."""
    if other in c.fixed:
        solid = c.fixed[other]
        turn = np.eye(3) if solid.rotation is None else checked_rotation("grip", solid.rotation)
        return None, "", gap_to_shape(solid, turn.T @ (place - np.asarray(solid.position)))
    thing, part = c.link_at("grip", other)
    return thing, part, gap_to(thing, part, place)


def body_of(figure: Figure, link: str) -> int:
    """The body of the world that a link belongs to."""
    body = figure.model.frame(link).body
    return figure.part.body + body if body else 0


def refuse_twice(c: Choreography, check: str, ours: int, theirs: int) -> None:
    """InputError where the hand holds something, or the same two hold each other."""
    for g in c.grips:
        end = c.world.ends[g.ends[0]]
        if int(end.ours) == ours:
            raise InputError(f"{check}: it holds {g.other!r} already; release it first.")
        if {ours, theirs} == {int(end.ours), int(end.other)}:
            raise InputError(f"{check}: {g.link!r} holds it already; release that first.")


def grip_of(c: Choreography, link: str) -> Grip:
    """The grip of a hand."""
    place = c.link_at("release", link)
    for g in c.grips:
        if c.link_at("release", g.link) == place:
            return g
    raise InputError(f"{link!r} holds nothing.{closest(link, [g.link for g in c.grips])}")


def let_go(c: Choreography, grip: Grip) -> None:
    """End a grip; what was moved by it goes to another hand that holds it, or ends."""
    if not grip.ends:
        return
    c.world.disconnect(grip.connection)
    c.score.ungrip(c.time, grip)
    c.world.note(f"release {grip.name} {grip.link} {grip.other}")
    end(c, grip, hand_over=True)


def look(c: Choreography) -> None:
    """Grips that were pulled apart have ended."""
    for grip in [g for g in c.grips if not g.connection.active]:
        grip.broken = True
        c.broken.append(grip)
        end(c, grip, hand_over=False)


def end(c: Choreography, grip: Grip, hand_over: bool) -> None:
    """Take a grip out of the kernels' arrays."""
    for k in grip.ends:
        flat(c.world.ends[k])[:] = 0
        flat(c.world.felt[k])[:] = 0
    grip.ends = ()
    c.grips.remove(grip)
    for item in [p for p in c.items if p.grip is grip]:
        items.end_item(item)
        holder, by = items.holder_of(c, item) if hand_over else (None, None)
        if holder is None:
            c.items.remove(item)
            continue
        items.take_place(c, item, holder, by)
        items.begin_item(c, item)
