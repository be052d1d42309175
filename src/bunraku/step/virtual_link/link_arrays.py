"""The arrays of contact by virtual links in a world, by number (bunraku.step.step_arrays), and what stands in their
columns.

A *patch* is all contacts of one pair of shapes. LINK_INTS and LINK_REALS have a row a patch, filled by
bunraku.step.virtual_link.link_patches; the others hold one island's problem as bunraku.step.virtual_link.link_layout
describes it (bunraku.step.virtual_link.link_island).
"""

from __future__ import annotations

import numpy as np

from bunraku.step.step_arrays import EXTRA, Step
from bunraku.step.virtual_link.link_layout import NF, NP, NR, VERTICES, work_size

NUMBERS = tuple(np.int64(k) for k in range(EXTRA, EXTRA + 17))
LINK_INTS, LINK_REALS, PATCHES, FLAGS, RECORD, LINK_WORK, LINK_IWORK, LINK_F, LINK_A = NUMBERS[:9]
LINK_FREE, LINK_GOAL, LINK_GOAL_P, LINK_NOW, FLAT_K, BOUND, LINK_LOW, LINK_HIGH = NUMBERS[9:]

PATCH = np.int64(
    3
)  # kind of block: the six rows of a patch; it stands at the first of its two packs, the second has no block

# columns of LINK_INTS: first contact, contacts, first pack or -1, flags (before: where to begin; after: found), contact
# of every vertex of the region
FIRST_CONTACT, POINTS, FIRST_PACK, START, VERTEX_OF = 0, 1, 2, 4, 8
LINK_INT_COLUMNS = VERTEX_OF + VERTICES
# columns of LINK_REALS: the patch as the solver takes it; six rates each: without impulses, now, wanted, wanted for
# positions; origin; pv; the wrench of impulses, of the last step and then of this one
REGION, FREE, NOW, GOAL, GOAL_P, ORIGIN, START_PV, WRENCH = 0, NP, NP + 6, NP + 12, NP + 18, NP + 24, NP + 27, NP + 29
LINK_REAL_COLUMNS = WRENCH + 6


def put_link_room(step: Step, rows: int) -> None:
    """Arrays for `rows` rows in all, put into the table of a step that has its K."""
    island = len(step.island.K)
    most = island // 6 + 1
    reals, ints = work_size(most, island)
    integer = np.int64
    for number, array in {
        LINK_INTS: np.zeros((rows, LINK_INT_COLUMNS), integer),
        LINK_REALS: np.zeros((rows, LINK_REAL_COLUMNS)),
        PATCHES: np.zeros(most * NP),
        FLAGS: np.zeros(most * NF, integer),
        RECORD: np.zeros(most * NR),
        LINK_WORK: np.zeros(reals),
        LINK_IWORK: np.zeros(ints, integer),
        **{
            k: np.zeros(island + 6)
            for k in (LINK_F, LINK_A, LINK_FREE, LINK_GOAL, LINK_GOAL_P, LINK_NOW, LINK_LOW, LINK_HIGH)
        },
        FLAT_K: step.island.K.reshape(-1),
        BOUND: np.zeros(island + 6, integer),
    }.items():
        step.source.put(number, array)
