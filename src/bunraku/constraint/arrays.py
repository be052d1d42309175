"""The arrays that a step's constraints live in, by name: tuples that kernels take apart at no cost. The caller owns them."""

from __future__ import annotations

from typing import Any, NamedTuple


class Scene(NamedTuple):
    """What collision detection reads and writes (bunraku.collision.layout)."""

    shape_ints: Any
    shape_reals: Any
    pairs: Any
    fixed_pairs: Any
    excluded: Any
    real: Any
    ints: Any
    ids: Any
    data: Any
    friction: Any  # (materials, materials)
    restitution: Any


class Rows(NamedTuple):
    """Sources, rows and blocks (bunraku.constraint.rows)."""

    tree: Any  # (nb) number of each body's tree, 0 for the world
    body_source: Any  # (nb) source of a body, or -1
    joint_source: Any  # (nb) source of the joint of a body, or -1
    tree_count: Any  # sources a tree
    tree_first: Any  # (trees, 2) first place in by_tree, first block in pool
    by_tree: Any  # sources, tree by tree
    parent: Any  # (trees) union-find of islands
    sources: Any  # (sources, 4)
    count: Any  # (4) sources, rows, blocks, blocks in pool
    hops: Any  # (sources, longest way) bodies on the way to the base
    lengths: Any
    y: Any  # (sources, longest way, HOP)
    roots: Any  # (sources, 6, 12)
    pool: Any  # (blocks, 36) responses
    row_source: Any  # (rows, 2)
    row_w: Any  # (rows, 12)
    row_b: Any  # (rows) right-hand side
    row_p: Any  # (rows) the same for positions
    blocks: Any  # (blocks, 4)
    block_reals: Any  # (blocks, 3)
    lam: Any  # (rows) impulses


class Island(NamedTuple):
    """One island's dense problem, and the solver's scratch."""

    K: Any
    b: Any
    ints: Any
    reals: Any
    lam: Any
    work: Any
    row_of: Any  # (m) row of each local row
    done: Any  # (blocks)


class Ends(NamedTuple):
    """Limits of hinges and sliders, an entry a degree of freedom."""

    lower: Any
    upper: Any
    body: Any  # the joint's (group's first) body, 0 where there is no limit
    iq: Any


class Tied(NamedTuple):
    """Connections (columns: bunraku.constraint.assemble)."""

    ints: Any
    reals: Any
    impulse: Any  # six a connection


class Memory(NamedTuple):
    """Contacts of the last step and their impulses, world axes."""

    ids: Any
    force: Any
