"""What a walker carries, in words or as a thing of one's own.

    "10 kg"  "15 kg in front"        a box before the chest, in both hands
    "20 kg on the back"              a pack that is tied to the trunk
    "8 kg in the left hand"          a case that hangs beside the leg (left, right)

All sizes follow the figure's legs. A Load (bunraku.humanoid.held_load) says the same of any loose thing, held anywhere.
Either becomes a figure whose plan knows what it holds: `carrying(h, "10 kg")` can be given wherever a figure that walks
is wanted. Checked in tests/walking/test_carrying.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError, closest
from bunraku.humanoid.held_load import Load, arm_of, with_load
from bunraku.humanoid.parts import Humanoid
from bunraku.humanoid.sole_shape import shape_points
from bunraku.model.rotations import about
from bunraku.model.things import box

WORDS = re.compile(r"(?P<kg>\d+(?:\.\d+)?)\s*kg(?:[\s,:]+(?P<where>.+))?")
LEG = 0.8347  # m: of human(), whose legs the lengths below are made for
FRONT, PACK, CASE = (0.26, 0.34, 0.22), (0.2, 0.3, 0.45), (0.4, 0.12, 0.3)  # m: edges ahead, across, up
AIR = 0.02  # m between a thing and the body beside it
GAP = 0.002  # m between a palm and what it holds
HANG = 0.3  # m that hands are below the shoulders when they hold something in front
ASIDE = 0.06  # m that a hand with a case is farther out than it hangs


def carrying(h: Humanoid, what: str | Load) -> Humanoid:
    """The figure as it carries something: words, see the module text, or a Load."""
    if isinstance(what, Load):
        return with_load(h, what)
    mass, where = said(what)
    return with_load(h, PLACES[where](h, mass, what))


def said(words: str) -> tuple[float, str]:
    """(mass [kg], place) of a load in words; InputError for others. No figure is needed."""
    found = WORDS.fullmatch(words.strip().lower())
    if not found:
        raise InputError(
            f"carry {words!r} is no load; write e.g. '10 kg', '20 kg on the back', '8 kg in the left hand'."
        )
    mass, where = float(found["kg"]), re.sub(r"^(in|on|at) |^the |( hand| side)$", "", found["where"] or "front")
    where = re.sub(r"^the ", "", where)
    if where not in PLACES:
        raise InputError(f"carry {words!r}: there is no place {where!r}.{closest(where, PLACES)}")
    if not mass > 0:
        raise InputError(f"carry {words!r}: a load of 0 kg is none; leave it out.")
    return mass, where


def in_front(h: Humanoid, mass: float, words: str) -> Load:
    """A box before the chest, between both hands."""
    size, k = sizes(h, FRONT), kinematics(h.model, h.stand)
    hands = both_hands(h)
    shoulders = [k.position[h.model.joint(arm_of(h, hand)[0]).body] for hand in hands]
    ahead = edge(h, h.trunk, 0, 1.0) + AIR + 0.5 * size[0]
    height = float(np.mean(shoulders, axis=0)[2]) - HANG * scale(h)
    palms = [0.5 * size[1] + GAP + palm(h, hand, side) for hand, side in zip(hands, (1.0, -1.0))]
    held = {hands[0]: (0.0, palms[0], 0.0), hands[1]: (0.0, -palms[1], 0.0)}
    return Load(box(size, mass, "box"), (ahead, 0.0, height), held, words=words)


def on_back(h: Humanoid, mass: float, words: str) -> Load:
    """A pack behind the trunk, its upper edge at the shoulders."""
    size, k = sizes(h, PACK), kinematics(h.model, h.stand)
    behind = edge(h, h.trunk, 0, -1.0) - AIR - 0.5 * size[0]
    top = max(float(k.position[h.model.joint(arm_of(h, hand)[0]).body][2]) for hand in both_hands(h))
    return Load(box(size, mass, "pack"), (behind, 0.0, top - 0.5 * size[2]), {h.trunk: None}, words=words)


def beside(side: int) -> Callable[[Humanoid, float, str], Load]:
    """A case that hangs from one hand, beside the leg."""

    def load(h: Humanoid, mass: float, words: str) -> Load:
        size, hand, sign = sizes(h, CASE), both_hands(h)[side], 1.0 - 2.0 * side
        at = kinematics(h.model, h.stand).pose(hand)[0]
        across = at[1] + sign * ASIDE * scale(h)
        handle = 0.5 * size[2] + GAP + palm(h, hand, 0.0)
        place = (float(at[0]), float(across), float(at[2]) - handle + 0.04 * scale(h))
        return Load(box(size, mass, "case"), place, {hand: (0.0, 0.0, handle)}, words=words)

    return load


PLACES: dict[str, Callable[[Humanoid, float, str], Load]] = {
    "front": in_front, "back": on_back, "left": beside(0), "right": beside(1),
}  # fmt: skip


def scale(h: Humanoid) -> float:
    """The figure's legs against those of human()."""
    return float(max(h.legs)) / LEG


def sizes(h: Humanoid, edges: tuple[float, float, float]) -> tuple[float, float, float]:
    """Edges to the figure's measure [m]."""
    x, y, z = (scale(h) * e for e in edges)
    return x, y, z


def both_hands(h: Humanoid) -> tuple[str, str]:
    """(left, right) frames of its hands."""
    left, right = h.hands
    if left is None or right is None:
        raise InputError(f"carry: {h.model.name!r} has no hands that are known; name them in a mapping: hands = […].")
    return left, right


def edge(h: Humanoid, link: str, axis: int, sign: float) -> float:
    """How far the shapes of a link reach along an axis of the world [m], as the figure stands."""
    k, body = kinematics(h.model, h.stand), h.model.frame(link).body
    R = k.rotation[body]
    down = about(1, 0.5 * np.pi * sign) if axis == 0 else about(0, -0.5 * np.pi * sign)  # turns that way to -z
    points = [k.position[body] + R @ x for s in shapes_of(h, body) for x in shape_points(s, down @ R)]
    reach = [sign * float(x[axis]) for x in points]
    return sign * max(reach, default=sign * float(k.position[body][axis]) + 0.12 * scale(h))


def palm(h: Humanoid, hand: str, side: float) -> float:
    """From a hand's point to the outside of the hand [m]: towards the middle of the figure, or (side 0) downwards."""
    k, info = kinematics(h.model, h.stand), h.model.frame(hand)
    near = k.pose(hand)[0]
    R, p = k.rotation[info.body], k.position[info.body]
    turn = np.eye(3) if side == 0.0 else about(0, 0.5 * np.pi * side)  # turns -y (left) or y (right) to -z
    points = [turn @ (p + R @ x - near) for s in shapes_of(h, info.body) for x in shape_points(s, turn @ R)]
    return float(np.clip(max((-x[2] for x in points), default=0.0), 0.0, 0.1 * scale(h)))


def shapes_of(h: Humanoid, body: int) -> list:
    """Shapes of a body that touch."""
    return [s for s in h.model.shapes if s.body == body and s.role != "visual"]
