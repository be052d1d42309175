"""Which gears the tree can eliminate, and how their joints hang together.

A gear couples two 1-DoF joints, q_f = ratio q_l + offset. A *group* is a set of joints that share one q. It can be
eliminated inside the articulated-body algorithm when every member is carried by another member or by one common outer
body (Tazaki 2013, sections 2.6, 2.7; chains and mixtures as well). Groups grow coupling by coupling until nothing more
fits; what is left over is kept as a constraint.

Checked in tests/model/test_gears.py and tests/dynamics/test_gears.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Coupling:
    """A gear between two bodies' joints, by body number."""

    follower: int
    leader: int
    ratio: float
    offset: float


@dataclass
class Group:
    """Bodies that share one q, each with q_c = ratio q + offset; `leader` has ratio 1 and offset 0.

    Where they are coupled by a matrix (bunraku.model.matrix_gears): `rates`, each body's rates per rate of the group,
    and `leaders`, the bodies whose rates those are.
    """

    members: set[int]
    couplings: list[Coupling] = field(default_factory=list)
    rates: dict[int, np.ndarray] = field(default_factory=dict)
    leaders: list[int] = field(default_factory=list)

    def outer(self, parent: list[int]) -> int | None:
        """The one body that carries the group from outside, or None where there is not just one."""
        outside = {parent[b] for b in self.members if parent[b] not in self.members}
        return outside.pop() if len(outside) == 1 else None

    def maps(self) -> tuple[int, dict[int, tuple[float, float]]]:
        """(leader, {body: (ratio, offset)}) with the products taken along the couplings."""
        followers = {c.follower: c for c in self.couplings}
        leader = next(b for b in sorted(self.members) if b not in followers)

        def resolve(body: int) -> tuple[float, float]:
            if body not in followers:
                return 1.0, 0.0
            c = followers[body]
            ratio, offset = resolve(c.leader)
            return c.ratio * ratio, c.ratio * offset + c.offset

        return leader, {b: resolve(b) for b in self.members}


def group_gears(
    parent: list[int], couplings: list[Coupling], given: Sequence[Group] = ()
) -> tuple[list[Group], list[Coupling]]:
    """Groups of all bodies (most have one member), and the couplings that could not be eliminated.

    parent: body -> carrying body, body 0 being the world; given: groups that the couplings do not touch.
    """
    group_of = {b: Group({b}) for b in range(1, len(parent))}
    group_of.update((b, group) for group in given for b in group.members)
    pending = list(couplings)
    progress = True
    while pending and progress:
        progress = False
        for c in list(pending):
            one, two = group_of[c.leader], group_of[c.follower]
            merged = Group(one.members | two.members, [*one.couplings, *two.couplings, c])
            if one is two or merged.outer(parent) is None:
                continue
            for b in merged.members:
                group_of[b] = merged
            pending.remove(c)
            progress = True
    groups = list({id(g): g for g in group_of.values()}.values())
    return groups, pending


def order_groups(parent: list[int], groups: list[Group]) -> tuple[list[list[int]], list[list[int]]]:
    """Groups twice, members parents first: depth first (the order of q and v), and level by level (the order of
    bodies).

    Level by level, neighbours in a kernel's loop belong to different limbs, and the processor works on both at once.
    """
    group_of = {b: k for k, g in enumerate(groups) for b in g.members}
    children: dict[int, list[int]] = {}
    for k, g in enumerate(groups):
        outer = g.outer(parent)
        assert outer is not None
        children.setdefault(group_of.get(outer, -1), []).append(k)

    def depth(body: int) -> int:
        d = 0
        while body:
            body, d = parent[body], d + 1
        return d

    deep: list[tuple[int, list[int]]] = []
    stack = [(0, k) for k in reversed(children.get(-1, []))]
    while stack:
        level, k = stack.pop()
        members = groups[k].members
        # of a universal joint that is coupled by a matrix the parts stay together
        rank = (lambda b: (0, b)) if groups[k].rates else (lambda b: (depth(b), b))
        deep.append((level, list(members) if len(members) == 1 else sorted(members, key=rank)))
        stack.extend((level + 1, c) for c in reversed(children.get(k, [])))
    return [m for _, m in deep], [m for _, m in sorted(deep, key=lambda x: x[0])]
