"""The arrays that a world's step lives in, by name: numbers in a Table (bunraku.kernel.table), opened inside kernels by
the functions here.

Whoever builds the table (bunraku.world.room) puts an array of the stated shape at every number. `nb` bodies, `nv`
degrees of freedom; a
*source* is where an impulse can
enter, a *pack* up to three rows between the same two sources (bunraku.step.rows), W = 12 numbers a row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bunraku.contact.dense_front import Dense
from bunraku.contact.problem import Problem
from bunraku.contact.sparse_matrix import Sparse
from bunraku.kernel.compile import inline
from bunraku.kernel.record import Record
from bunraku.kernel.table import ints1, ints2, reals1, reals2
from bunraku.linalg.sparse_order import Elimination


def number(k: int) -> Any:
    """k as np.int64: see `places`."""
    return np.int64(k)


def places(first: Any, last: Any) -> tuple[Any, ...]:
    """Numbers first … last - 1.

    As np.int64: a plain int has a type of its own in Numba, and every function would be compiled again for each.
    """
    return tuple(np.int64(k) for k in range(first, last))


def slot_of(record: type[Record], field: str) -> Any:
    """The number of a record's array."""
    return number(record.layout.fields[field].slot)


# model and state
INTS, REALS, SCRATCH = places(
    0, 3
)  # as in bunraku.dynamics.work; REALS is the world's own copy (implicit terms go into ROTOR)
Q, V, TAU, F_EXT, ACCEL, NEXT_V, MOVED = places(3, 10)
NUMBERS = number(11)  # (NUMBERS_COUNT) real numbers: see below
INFO = number(12)  # (INFO_COUNT) integers: see below
DRIVE = number(13)  # (nv, 8) columns of bunraku.step.drive
TARGET_Q, TARGET_V = places(14, 16)
APPLIED = number(16)  # (nv) torques of springs, dampers, servos and `tau` in the last step
DOF = number(17)  # (nv, 4) columns of bunraku.step.joint_rows
BALLS = number(18)  # (balls, 3) reals: largest swing, twist range
BALL_INTS = number(19)  # (balls, 2) body, first of q
GEARS = number(20)  # (gears, 8) kept gears
JOINT_IMPULSE = number(21)  # (3 nv + 3 balls + gears) of the last step
START_V = number(22)  # (nv) v at the start of the last step
START_Q = number(25)  # (nq) q at the start of the last step
TRACK_Q, TRACK_V = places(26, 28)  # (rows, nq), (rows, nv): what servos follow, a row a step; no rows: TARGET_Q stays
LIMITS = number(23)  # (nv, 3) columns of bunraku.step.joint_rows
TOTAL = number(24)  # (nv) torques of the step without their implicit part

# collision
SHAPE_INTS, SHAPE_REALS, PAIRS, EXCLUDED, CLIP, ORDER, IDS, CONTACTS, MATERIALS = places(30, 39)
LAST_IDS, LAST_FORCE = places(39, 41)  # contacts of the last step and what is kept of them (bunraku.step.contact_rows)
STRETCH, SOFT = places(
    41, 43
)  # (contacts, 2) of springy contacts: stretch of the tangents now; softness of normal and tangents

# rows
TREE, BODY_SOURCE, JOINT_SOURCE, TREE_COUNT, TREE_FIRST, BY_TREE, ISLAND_OF = places(45, 52)
SOURCES, COUNT, HOPS, LENGTHS, TRACES, ROOTS, POOL = places(52, 59)
HEAD, PACKS, PACK_W, BLOCKS, BLOCK_REALS, RATE_B, RATE_P, LAM = places(59, 67)
TIE_INTS, TIE_REALS, TIE_IMPULSE = places(67, 70)
TIE_LAST = number(85)  # (6 ties) forces of the last step

# one island's problem: the solvers' own arrays
SLOT = number(82)  # (blocks, 2) of a large island: entry of a block column in the row at hand, first block of a pack
ISLAND_START, BY_ISLAND = places(83, 85)
B, ISLAND_LAM = slot_of(Problem, "b"), slot_of(Problem, "lam")
K, SOLVER = slot_of(Dense, "K"), slot_of(Dense, "A")
STARTS, COLS, VALUES = slot_of(Sparse, "starts"), slot_of(Sparse, "cols"), slot_of(Sparse, "values")
LARGE_TREES = slot_of(Elimination, "trees")

# other contact models and integrators, each numbered where it is written
LINK = number(90)
STAGE = number(105)
ARRAYS = Sparse.layout.slots

# entries of NUMBERS
DT, MARGIN, TOLERANCE, RESIDUAL, STIFFNESS, RATIO, RESIDUAL_MOST, SPARE = range(8)
NUMBERS_COUNT = 8
# entries of INFO
(
    N_CONTACTS,
    N_WARM,
    SWEEPS,
    BOUNCED,
    UNSOLVED,
    N_ISLANDS,
    LARGEST,
    SWEEP_LIMIT,
    FIXED_PAIRS,
    FALLBACK,
    SOLVES,
    TRACK_AT,
    SWEEPS_MOST,
    UNSOLVED_ALL,
) = range(14)
LARGE_FIRST, LARGE_LAST, LARGE_ROWS, LARGE_BLOCKS, LARGE_NEEDS, LARGE_SOFT = range(14, 20)
TRIAL = 20  # 1 while impulses are found that the next step shall not remember
EXACT = 21  # 1 where connections hold at the end of the step to second order (rk4), 0 where at the pose of its start (euler)
FELL, EVERY_LIMIT = 22, 23  # of virtual links: this step was handed on; rows for all limits are wanted
INFO_COUNT = 24
# entries of COUNT
N_SOURCES, N_ROWS, N_PACKS, N_BLOCKS, N_POOL = range(5)

ROOM = number(-10)  # status: too few rows, packs, blocks or sources
ROOM_LARGE = number(-11)  # status: an array for large islands was too small, or its stage is not there yet
ROOM_POOL = number(-12)  # status: too few 6x6 responses
DIVERGED = number(-20)  # status: something is no longer finite, or too fast
LOOPS_LARGE = number(-21)  # status: an island of closed loops that rk4 cannot solve densely
OK = number(0)
TOO_FAST = 1e5  # m/s or rad/s beyond which a step counts as diverged


class Rows(NamedTuple):
    """Sources, packs, rows and blocks (bunraku.step.rows)."""

    tree: Any  # (nb) number of each body's tree, 0 for the world
    body_source: Any  # (nb) source of a body, or -1
    joint_source: Any  # (nb) source of the joint of a body, or -1
    tree_count: Any  # sources a tree
    sources: Any  # (sources, 4)
    count: Any
    head: Any  # (sources, 2) first and last pack side on a source: 2 pack + side, or -1
    packs: Any  # (packs, 10)
    w: Any  # 48 a pack: 12 entries of 4 lanes, lane j is row j
    blocks: Any  # (blocks, 4)
    reals: Any  # (blocks, 3)
    b: Any  # (rows) rate without impulses less what is wanted
    p: Any  # (rows) the same for positions
    lam: Any  # (rows) impulses


@inline
def model_of(h):
    """(ints, reals, scratch)."""
    return ints2(h, INTS), reals2(h, REALS), reals1(h, SCRATCH)


@inline
def rows_of(h):
    """Rows."""
    return Rows(
        ints1(h, TREE), ints1(h, BODY_SOURCE), ints1(h, JOINT_SOURCE), ints1(h, TREE_COUNT), ints2(h, SOURCES), ints1(h, COUNT),
        ints2(h, HEAD), ints2(h, PACKS), reals1(h, PACK_W), ints2(h, BLOCKS), reals2(h, BLOCK_REALS), reals1(h, RATE_B),
        reals1(h, RATE_P), reals1(h, LAM),
    )  # fmt: skip
