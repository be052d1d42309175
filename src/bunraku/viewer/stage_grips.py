"""Grips on stage: which links a page means, what a hand takes hold of, and what the page draws of it.

A page names bodies: "left_lower_arm" of the first figure, "bob.left_lower_arm" of another, "parcel.parcel" of a thing. A
point near a named frame of a body stands for that frame, so that a drag of a forearm's end is one of the hand. Checked in
tests/viewer/test_stage_grips.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bunraku.choreography.engine import Choreography
from bunraku.choreography.gripping import held_of
from bunraku.choreography.grips import REACH, Grip
from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError
from bunraku.humanoid.parts import hand_of
from bunraku.world.figure import Figure

NEAR = 0.08  # m: a named frame so near to a point gives it its name


def actors(c: Choreography) -> list[str]:
    """Figures and loose things of a stage, by name: what can be taken hold of."""
    return [f.name for f in c.world.figures]


def named(c: Choreography, link: str, point: tuple[float, float, float]) -> tuple[str, list[float]]:
    """A point [m] in the frame of a link's body, as a point of the link, or of a named frame of the body that is near
    it."""
    figure, part = c.link_at("stage", link)
    model, p = figure.model, np.array(point)
    body = model.frame(part).body
    frames = [f for f in model.frames if f.body == body]
    nearest = min(frames, key=lambda f: float(np.linalg.norm(f.position - p)))
    if np.linalg.norm(nearest.position - p) > NEAR:
        nearest = model.frame(part)
    return full_name(c, figure, nearest.name), (nearest.rotation.T @ (p - nearest.position)).tolist()


def full_name(c: Choreography, figure: Figure, part: str) -> str:
    """How a choreography calls a link; a thing of one link by its name alone."""
    if figure is c.figure:
        return part
    return (
        figure.name if part == figure.model.links[0].name and len(figure.model.links) == 1 else f"{figure.name}.{part}"
    )


def hand_at(c: Choreography, link: str) -> str | None:
    """The hand on the body of a link; None where it has none."""
    figure, part = c.link_at("grip", link)
    if all(d.figure is not figure for d in c.dancers):
        return None
    model = figure.model
    k = kinematics(model, model.neutral())
    for hand in (hand_of(model, k, side) for side in (0, 1)):
        if hand is not None and model.frame(hand).body == model.frame(part).body:
            return full_name(c, figure, hand)
    return None


def is_free_hand(c: Choreography, link: str) -> bool:
    """Whether a link is of a hand that holds nothing."""
    hand = hand_at(c, link)
    return hand is not None and all(c.link_at("grip", g.link) != c.link_at("grip", hand) for g in c.grips)


def grip_or_release(c: Choreography, link: str, other: str | None) -> Grip | None:
    """A link takes hold of what is named, or of the nearest thing in reach; where it holds something, and nothing is
    named, it lets go. Returns a new grip."""
    hand = hand_at(c, link) or link
    place = c.link_at("grip", hand)
    holds = next((g for g in c.grips if c.link_at("grip", g.link) == place), None)
    if holds is not None and other is None:
        c.release(holds)
        return None
    return c.grip(hand, nearest(c, hand) if other is None else thing_of(c, other))


def thing_of(c: Choreography, other: str) -> str:
    """What a page calls a thing, as a choreography does."""
    if other in c.fixed:
        return other
    figure, part = c.link_at("grip", other)
    return full_name(c, figure, part)


def nearest(c: Choreography, hand: str) -> str:
    """The thing, or other figure's hand, that is nearest to a hand and in its reach; InputError where none is."""
    figure, part = c.link_at("grip", hand)
    at = figure.pose(part)[0]
    things = [f.name for f in c.world.figures if all(d.figure is not f for d in c.dancers)]
    hands = [h for d in c.dancers if d.figure is not figure for h in hands_of(c, d.figure)]
    gaps = {name: held_of(c, name, at)[2] for name in (*things, *c.fixed, *hands)}
    best = min(gaps, key=lambda name: gaps[name], default=None)
    if best is None:
        raise InputError(f"grip {hand!r}: there is nothing on stage that it could hold.")
    if gaps[best] > REACH:
        raise InputError(f"grip {hand!r}: nothing is in reach; the nearest is {best!r}, {gaps[best]:.2f} m away.")
    return best


def hands_of(c: Choreography, figure: Figure) -> list[str]:
    """Names of a figure's hands."""
    k = kinematics(figure.model, figure.model.neutral())
    found = [hand_of(figure.model, k, side) for side in (0, 1)]
    return [full_name(c, figure, hand) for hand in found if hand is not None]


def grips_message(c: Choreography) -> list[dict[str, Any]]:
    """What holds what, where [m], and the force [N] on the hand."""
    return [
        {"link": g.link, "other": g.other, "at": short(g.place, 5), "force": short(g.force, 3)}
        for g in c.grips
        if g.active
    ]


def short(x: np.ndarray, digits: int) -> list[float]:
    """Rounded, for a message."""
    return [round(float(v), digits) for v in x]
