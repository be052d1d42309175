"""Sticks for robots that are drawn by meshes only, or not at all: capsules from joint to joint, seen and not felt.

Each link gets a capsule to the joint of every link it carries, and an end link one through its centre of mass, where it
has no box, sphere or capsule of its own. Pictures (bunraku.draw) draw a mesh as its box, which hides how a leg bends;
sticks show it. Checked in tests/humanoid/test_parts.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.model.description import Description, Link, Shape
from bunraku.model.rotations import frame_along

RADIUS = 0.2  # of a stick's length, within THIN … THICK
THIN, THICK = 0.012, 0.055  # m
SHORT = 0.03  # m: no sticks below
COLOUR = (0.62, 0.66, 0.7, 1.0)


def stick(end: np.ndarray, name: str) -> Shape | None:
    """A capsule from the origin to a point, or None where that is near."""
    length = float(np.linalg.norm(end))
    if length < SHORT:
        return None
    turn = frame_along(end / length)
    radius = float(np.clip(RADIUS * length, THIN, THICK))
    return Shape("capsule", (radius, 0.5 * length), tuple(0.5 * end), turn, role="visual", name=name, color=COLOUR)


def add_sticks(description: Description) -> None:
    """Add sticks to a description in place; see the module text."""
    carried: dict[str, list[Link]] = {}
    for link in description.links:
        if link.parent is not None:
            carried.setdefault(link.parent, []).append(link)
    for link in description.links:
        if any(s.kind in ("box", "sphere", "capsule") for s in link.shapes):
            continue
        ends = [np.asarray(c.position, dtype=float) for c in carried.get(link.name, []) if c.joints]
        if not ends and link.inertia.mass > 0.0:
            ends = [1.3 * np.asarray(link.inertia.com, dtype=float)]
        made = [stick(e, f"{link.name} stick {n + 1}") for n, e in enumerate(ends)]
        link.shapes += [s for s in made if s is not None]
