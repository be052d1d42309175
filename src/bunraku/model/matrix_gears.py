"""Joints coupled by a matrix: the rates of followers are a constant matrix times those of their leaders.

A group is all joints that such couplings tie together: y are the rates of those that follow none, and every other has
q' = matrix @ y, products taken along the couplings (Tazaki 2013, eqs (36)-(40), with several degrees of freedom). A
hinge, slider or helical joint has one rate, a universal joint two, a ball three: its angular velocity in child axes.
Each joint keeps its own coordinates in q, which move by its own rates; only leaders have rates in v. Members must hang
together as those of other gears do (bunraku.model.gears). Checked in tests/model/test_matrix_gears.py and
tests/dynamics/test_matrix_gears.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bunraku.errors import ModelError
from bunraku.model import layout as at
from bunraku.model.description import Description, Joint, MatrixGear
from bunraku.model.gears import Group
from bunraku.model.joint_kinds import JointKind

Parts = Mapping[str, Sequence[tuple[int, int]]]  # joint -> (body, rates) of its parts


def couplings(gears: Iterable[MatrixGear], rates: Mapping[str, int]) -> dict[str, dict[str, np.ndarray]]:
    """{follower: {leader: its block of the matrix}}; rates: how many each joint has."""
    out: dict[str, dict[str, np.ndarray]] = {}
    for gear in gears:
        rows = np.split(
            np.atleast_2d(np.asarray(gear.matrix, dtype=float)), np.cumsum([rates[f] for f in gear.followers])[:-1]
        )
        for follower, row in zip(gear.followers, rows):
            blocks = np.split(row, np.cumsum([rates[l] for l in gear.leaders])[:-1], axis=1)
            out[follower] = dict(zip(gear.leaders, blocks))
    return out


def matrix_groups(description: Description, moved_by: Sequence[tuple[str, int]], parent: list[int]) -> list[Group]:
    """The groups by body number; refuses one that does not hang together. moved_by: a body's joint and its rates."""
    parts: dict[str, list[tuple[int, int]]] = {}
    for body, (name, rates) in enumerate(moved_by):
        if body:
            parts.setdefault(name, []).append((body, rates))
    groups = _groups(description.matrix_gears, parts)
    for group in groups:
        if group.outer(parent) is None:
            names = ", ".join(dict.fromkeys(repr(moved_by[b][0]) for b in sorted(group.members)))
            raise ModelError(
                f"figure {description.name!r}: the joints {names}, coupled by a matrix, do not hang together; each must "
                "be carried by another of them, or all by one common link."
            )
    return groups


def follower_rows(kind: JointKind, axis: int, joint: Joint, armature: float, matrix: np.ndarray) -> np.ndarray:
    """Rows of `reals`, one a rate, of a joint whose rates are matrix @ those of its group; axis: which of its body's."""
    rows = np.zeros((matrix.shape[1], at.NF))
    axes = np.eye(3)[[axis]] if kind.one_axis else np.eye(3)
    turns = kind.turns or not kind.one_axis
    if turns:
        rows[:, at.TURNS : at.TURNS + 3] = matrix.T @ axes
    rows[:, at.MOVES : at.MOVES + 3] = kind.slide(joint) * (matrix.T @ axes)
    rows[:, at.TURN_ROTOR if turns else at.MOVE_ROTOR] = armature
    return rows


def _groups(gears: Sequence[MatrixGear], parts: Parts) -> list[Group]:
    rates = {name: sum(n for _, n in bodies) for name, bodies in parts.items()}
    blocks = couplings(gears, rates)
    sets: list[set[str]] = []
    for gear in gears:
        joined = {*gear.followers, *gear.leaders}
        for other in [s for s in sets if s & joined]:
            sets.remove(other)
            joined |= other
        sets.append(joined)
    return [_group(joints, blocks, parts, rates) for joints in sets]


def _group(
    joints: set[str], blocks: Mapping[str, Mapping[str, np.ndarray]], parts: Parts, rates: Mapping[str, int]
) -> Group:
    names = sorted(joints, key=lambda name: parts[name][0][0])
    leaders = [name for name in names if name not in blocks]
    whole = np.eye(sum(rates[name] for name in leaders))
    known = dict(zip(leaders, np.split(whole, np.cumsum([rates[name] for name in leaders])[:-1])))

    def resolve(name: str) -> np.ndarray:
        if name not in known:
            known[name] = np.sum([block @ resolve(l) for l, block in blocks[name].items()], axis=0)
        return known[name]

    group = Group({b for name in names for b, _ in parts[name]}, rates={})
    for name in names:
        matrix, row = resolve(name), 0
        for body, n in parts[name]:
            group.rates[body] = matrix[row : row + n]
            row += n
            if name in leaders:
                group.leaders.append(body)
    return group


def leads_of(ints: np.ndarray) -> list[tuple[int, int, int]]:
    """(first body, members, rates) of every group of a figure."""
    leads = np.flatnonzero((ints[:, at.SLOT] > 0) & (ints[:, at.COUNT] > 0))
    return [(int(i), int(ints[i, at.COUNT]), int(ints[i + 1, at.SLOT] - ints[i, at.SLOT]) // 6) for i in leads]


def group_room(ints: np.ndarray) -> int:
    """Numbers of scratch that the groups of a figure need (bunraku.dynamics.matrix_group)."""
    return sum(6 * k * members + 8 * k + k * k for _, members, k in leads_of(ints))


def place_groups(ints: np.ndarray, nq: int) -> None:
    """Write where the numbers of each member stand in the scratch, and into row 0 whether there are groups."""
    slot, groups = len(ints) * at.NW + 2 * nq, leads_of(ints)
    ints[0, at.SLOT] = int(bool(groups))
    for lead, members, k in groups:
        ints[lead : lead + members, at.SLOT] = slot + 6 * k * np.arange(members)
        slot += 6 * k * members + 8 * k + k * k
