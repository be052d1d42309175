"""Links of a robot whose shapes overlap in its pose at rest: what a file forgot to exclude.

Hulls and cylinders of neighbours through short links often stand in each other as the robot is drawn; where both are
pressed apart at a lever of millimetres its joints burst. At rest is q = neutral, and the same with joints brought within
their limits where some are not. So such pairs of bodies never touch, and a Note names them
(bunraku.world); `World.add(robot, self_collision="all")` lets them. Checked in tests/collision/test_rest_overlaps.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.collision.geometry import Contacts, Geometry, Placed
from bunraku.collision.shape_layout import PLANE, TERRAIN
from bunraku.dynamics import kinematics
from bunraku.model.description import Note
from bunraku.model.model import Model

DEEP = 1e-5  # m: less counts as touching


def overlaps_at_rest(model: Model) -> tuple[tuple[int, int], ...]:
    """Pairs of bodies (a < b; 0: what of the figure is fixed to the world) whose shapes overlap at q = neutral, of those
    that may touch; planes do not count."""
    if len({s.body for s in model.shapes if s.role != "visual" and s.kind != "plane"}) < 2:
        return ()
    geometry = Geometry.of([Placed(model)])
    contacts = Contacts(geometry)
    kind, body = geometry.kinds.column("kind"), geometry.body
    pairs: set[tuple[int, int]] = set()
    neutral = model.neutral()
    for q in (neutral, brought_within_limits(model, neutral)):
        now = kinematics(model, q)
        n = contacts.detect(np.hstack([now.rotation.reshape(-1, 9), now.position]), 0.0)
        for (a, b), gap in zip(contacts.ids[:n, :2], contacts.data[:n, 6]):
            if gap < -DEEP and not {int(kind[a]), int(kind[b])} & {PLANE, TERRAIN}:
                x, y = sorted((int(body[a]), int(body[b])))
                pairs.add((x, y))
    return tuple(sorted(pairs))


def brought_within_limits(model: Model, q: np.ndarray) -> np.ndarray:
    """q with hinges and sliders within their limits."""
    out = q.copy()
    for j in model.joints:
        if j.nv == 1:
            out[j.iq] = min(max(out[j.iq], float(model.lower[j.iv])), float(model.upper[j.iv]))
    return out


def say_overlaps(model: Model, name: str, pairs: tuple[tuple[int, int], ...]) -> Note | None:
    """What is left out, in a sentence."""
    if not pairs:
        return None
    links: dict[int, str] = {}
    for shape in model.shapes:
        if shape.role != "visual":
            links.setdefault(shape.body, shape.link)
    named = ", ".join(f"{links[a]} and {links[b]}" for a, b in pairs)
    text = f'{name}: these links overlap in the pose at rest and never touch (self_collision="all" lets them): {named}'
    return Note("changed", text, count=len(pairs))
