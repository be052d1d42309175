"""Repairs of what other programs read without a word, each named in a note: files of real robots are rarely perfect.

`repaired` gives a copy of a description in which
- shapes without extent (a size or a mesh's scale of 0) are left out: nothing can touch or show them;
- an inertia that is not positive semi-definite by itself is counted with the links it is fixed to, which changes no
  equation of motion, since links without a joint between them are one body;
- where the whole body is still not semi-definite, by no more than `TINY`, its negative moments become 0.
What is further from a real body stays as it is and is refused by bunraku.model.check. Inertias are about the centre of
mass c of the sum: I = sum R I R' + m (r'r - r r'), r from c (the parallel-axis theorem).

Tested by tests/model/test_repair.py, on robots of packages by tests/formats/test_packages.py.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from bunraku.errors import ModelError
from bunraku.model.check import FLOOR, SEMIDEFINITE
from bunraku.model.description import SHAPE_SIZES, Description, Inertia, Link, Note, Shape
from bunraku.model.joint_kinds import KINDS
from bunraku.model.rotations import rotation_matrix

TINY = 1e-6  # kg m^2, and as a part of the trace


def repaired(description: Description) -> Description:
    """The same figure, mended as far as it can be without a doubt; its notes tell what was done."""
    notes: list[Note] = []
    links = [_with_extent(link, notes) for link in description.links]
    by_name = {link.name: k for k, link in enumerate(links)}
    if len(by_name) == len(links):  # else the check says which name stands twice
        for link in list(links):
            _possible(links, by_name, link.name, notes)
    left = {shape.name for link in links for shape in link.shapes}
    lost = {shape.name for link in description.links for shape in link.shapes} - left
    pairs = [pair for pair in description.collide_pairs if not {pair.a, pair.b} & lost]
    return replace(description, links=links, notes=[*description.notes, *notes], collide_pairs=pairs)


def _with_extent(link: Link, notes: list[Note]) -> Link:
    kept: list[Shape] = []
    for shape in link.shapes:
        why = _flat(shape)
        if why:
            title = f"{shape.kind} {shape.name!r}" if shape.name else shape.kind
            notes.append(Note("changed", f"link {link.name!r}: its {title} has {why} and is left out.", link.where))
        else:
            kept.append(shape)
    return replace(link, shapes=kept) if len(kept) < len(link.shapes) else link


def _flat(shape: Shape) -> str:
    """Why a shape has no extent, or ''; a capsule or cylinder of length 0 has one: it is a ball or a disc."""
    try:
        size = [float(x) for x in shape.size]
        scale = [float(x) for x in shape.scale]
    except (TypeError, ValueError):
        return ""
    if shape.kind == "mesh":
        return "a scale of 0" if any(x == 0.0 for x in scale) else ""
    if len(size) != SHAPE_SIZES.get(shape.kind) or any(x < 0.0 or not math.isfinite(x) for x in size):
        return ""
    needed = size[:1] if shape.kind in ("capsule", "cylinder") else size
    return "the size 0" if any(x == 0.0 for x in needed) else ""


def _possible(links: list[Link], by_name: dict[str, int], name: str, notes: list[Note]) -> None:
    """Mend the inertia of one link where it is not positive semi-definite."""
    link = links[by_name[name]]
    least = _least(link.inertia)
    if least is None or least >= 0.0:
        return
    at = link.where
    text = f"link {name!r}: a principal moment of its inertia is {least:.3g} kg m^2, which no body has"
    carrier = rigid_body(links, by_name, link)
    if carrier is not None:
        base, members = carrier
        total = sum_of([(m.inertia, p, turn) for m, p, turn in members])
        deficit = _least(total)
        if deficit is not None and (deficit >= 0.0 or _tiny(total, deficit)):
            for member, _, _ in members:
                k = by_name[member.name]
                links[k] = replace(links[k], inertia=total if member is base else Inertia())
            own = f"; it is counted with {base.name!r}, to which it is fixed" if len(members) > 1 else ""
            notes.append(Note("changed", f"{text}{own}.", at))
            if deficit < 0.0:
                _raise_to_zero(links, by_name[base.name], notes)
            return
    if _tiny(link.inertia, least):
        _raise_to_zero(links, by_name[name], notes)


def _tiny(inertia: Inertia, least: float) -> bool:
    return -least <= TINY * max(1.0, float(np.trace(inertia.matrix())))


def _raise_to_zero(links: list[Link], k: int, notes: list[Note]) -> None:
    link = links[k]
    moments = link.inertia.matrix()
    values, axes = np.linalg.eigh(0.5 * (moments + moments.T))
    links[k] = replace(link, inertia=replace(link.inertia, moments=(axes * np.maximum(values, 0.0)) @ axes.T))
    text = f"link {link.name!r}: its principal moment {values[0]:.3g} kg m^2 is taken as 0."
    notes.append(Note("changed", text, link.where))


def _least(inertia: Inertia) -> float | None:
    """The least principal moment where it is negative beyond rounding, else 0; None where the numbers are none."""
    try:
        moments = inertia.matrix()
    except (ModelError, TypeError, ValueError):
        return None
    if not np.all(np.isfinite(moments)) or np.abs(moments - moments.T).max() > 1e-9 * np.abs(moments).max():
        return None
    least = float(np.linalg.eigvalsh(0.5 * (moments + moments.T))[0])
    return least if least < -(SEMIDEFINITE * max(float(np.trace(moments)), 0.0) + FLOOR) else 0.0


Member = tuple[Link, np.ndarray, np.ndarray]


def rigid_body(links: list[Link], by_name: dict[str, int], link: Link) -> tuple[Link, list[Member]] | None:
    """The first link of the body that `link` is part of, and all links of it with their poses in the first one's
    frame."""
    base, seen = link, {link.name}
    while not moves(base) and base.parent is not None:
        if base.parent not in by_name or base.parent in seen:
            return None
        base = links[by_name[base.parent]]
        seen.add(base.name)
    members: list[Member] = [(base, np.zeros(3), np.eye(3))]
    where = {base.name: members[0]}
    pending = True
    while pending:
        pending = False
        for other in links:
            if other.name in where or other.parent not in where or moves(other):
                continue
            _, p, turn = where[other.parent]
            try:
                place = p + turn @ np.asarray(other.position, dtype=float)
                member = other, place, turn @ rotation_matrix(other.rotation)
            except (ModelError, TypeError, ValueError):
                return None
            where[other.name] = member
            members.append(member)
            pending = True
    return base, members


def moves(link: Link) -> bool:
    """Whether a joint ties it to its parent that is not fixed."""
    return any(joint.kind not in KINDS or KINDS[joint.kind].dof for joint in link.joints)


def sum_of(parts: list[tuple[Inertia, np.ndarray, np.ndarray]]) -> Inertia:
    """Several inertias, posed in one frame, as one."""
    mass = sum(float(i.mass) for i, _, _ in parts)
    centres = [p + turn @ np.asarray(i.com, dtype=float) for i, p, turn in parts]
    com = sum((i.mass * c for (i, _, _), c in zip(parts, centres)), np.zeros(3)) / (mass or 1.0)
    moments = np.zeros((3, 3))
    for (i, _, turn), c in zip(parts, centres):
        r = c - com
        moments += turn @ i.matrix() @ turn.T + i.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return Inertia(mass, tuple(com.tolist()), 0.5 * (moments + moments.T))
