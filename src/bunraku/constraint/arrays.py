"""The arrays that a world's step lives in, by name: numbers in a Table (bunraku.spatial.table), opened inside kernels by the functions here.

Whoever builds the table (bunraku.world.room) puts an array of the stated shape at every number. `nb` bodies, `nv` degrees of freedom; a *source* is where an impulse can
enter, a *pack* up to three rows between the same two sources (bunraku.constraint.rows), W = 12 numbers a row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from bunraku.spatial.kernel import inline
from bunraku.spatial.table import ints1, ints2, reals1, reals2, reals3

# model and state
INTS, REALS, SCRATCH = range(3)  # as in bunraku.dynamics.work; REALS is the world's own copy (implicit terms go into ROTOR)
Q, V, TAU, F_EXT, ACCEL, NEXT_V, TORQUES, MOVED = range(3, 11)
NUMBERS = 11  # (NUMBERS_COUNT) real numbers: see below
INFO = 12  # (INFO_COUNT) integers: see below
DRIVE = 13  # (nv, 8) columns of bunraku.integrators.drive
TARGET_Q, TARGET_V = 14, 15
APPLIED = 16  # (nv) torques of springs, dampers, servos and `tau` in the last step
DOF = 17  # (nv, 4) columns of bunraku.constraint.joint_rows
BALLS = 18  # (balls, 3) reals: largest swing, twist range
BALL_INTS = 19  # (balls, 2) body, first of q
GEARS = 20  # (gears, 8) kept gears
JOINT_IMPULSE = 21  # (3 nv + 3 balls + gears) of the last step
START_V = 22  # (nv) v at the start of the last step
LIMITS = 23  # (nv, 3) columns of bunraku.constraint.joint_rows
TOTAL = 24  # (nv) torques of the step without their implicit part

# collision
SHAPE_INTS, SHAPE_REALS, PAIRS, EXCLUDED, CLIP, ORDER, IDS, CONTACTS, MATERIALS = range(30, 39)
LAST_IDS, LAST_FORCE = 39, 40  # contacts of the last step and what is kept of them (bunraku.constraint.contact_rows)
STRETCH, SOFT = 41, 42  # (contacts, 2) of springy contacts: stretch of the tangents now; softness of normal and tangents

# rows
TREE, BODY_SOURCE, JOINT_SOURCE, TREE_COUNT, TREE_FIRST, BY_TREE, ISLAND_OF = range(45, 52)
SOURCES, COUNT, HOPS, LENGTHS, TRACES, ROOTS, POOL = range(52, 59)
HEAD, PACKS, PACK_W, BLOCKS, BLOCK_REALS, RATE_B, RATE_P, LAM = range(59, 67)
TIE_INTS, TIE_REALS, TIE_IMPULSE = range(67, 70)

# one island's problem
K, B, ISLAND_INTS, ISLAND_REALS, ISLAND_LAM, SOLVER, ROW_OF, DONE, LOCAL_OF = range(70, 79)
STARTS, COLS, VALUES, SLOT = range(79, 83)
ISLAND_START, BY_ISLAND = 83, 84

# other contact models and integrators, each numbered where it is written
LINK = 90
STAGE = 105
ARRAYS = 128

# entries of NUMBERS
DT, MARGIN, TOLERANCE, RESIDUAL, STIFFNESS, RATIO, SPARE_1, SPARE_2 = range(8)
NUMBERS_COUNT = 8
# entries of INFO
N_CONTACTS, N_WARM, SWEEPS, BOUNCED, UNSOLVED, N_ISLANDS, LARGEST, SWEEP_LIMIT, FIXED_PAIRS, FALLBACK, SOLVES, LAST_BOUNCED, EXTRA, STEPS = range(14)
INFO_COUNT = 16
# entries of COUNT
N_SOURCES, N_ROWS, N_PACKS, N_BLOCKS, N_POOL = range(5)

ROOM = -10  # status: an array was too small
DIVERGED = -20  # status: something is no longer finite, or too fast
OK = 0


class Rows(NamedTuple):
    """Sources, packs, rows and blocks (bunraku.constraint.rows)."""

    tree: Any  # (nb) number of each body's tree, 0 for the world
    body_source: Any  # (nb) source of a body, or -1
    joint_source: Any  # (nb) source of the joint of a body, or -1
    tree_count: Any  # sources a tree
    sources: Any  # (sources, 4)
    count: Any
    head: Any  # (sources, 2) first and last pack side on a source: 2 pack + side, or -1
    packs: Any  # (packs, 8)
    w: Any  # (packs, 12, 4): row j of a pack in [:, j]
    blocks: Any  # (blocks, 5)
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
        ints2(h, HEAD), ints2(h, PACKS), reals3(h, PACK_W), ints2(h, BLOCKS), reals2(h, BLOCK_REALS), reals1(h, RATE_B),
        reals1(h, RATE_P), reals1(h, LAM),
    )  # fmt: skip
