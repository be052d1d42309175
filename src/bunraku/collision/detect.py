"""All contacts of a scene: place the shapes, choose pairs, fill the contact arrays. The one kernel that a step calls.

`detect_contacts` is inlined into other kernels; `detect_once` is the same for Python. Neither allocates. Where an array
is too small the result is negative (FULL, PAIRS_FULL in bunraku.collision.shape_layout); the caller then grows it and
calls again, so nothing is lost. The order of contacts follows the order of shapes and depends on nothing else. Checked
in tests/collision/test_detect.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.collision.broad import near, sweep
from bunraku.collision.narrow import pair_contacts, place_shapes
from bunraku.collision.shape_layout import FULL, PAIR_POINTS
from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow


@inline
def detect_contacts(
    shape_ints, shape_reals, pairs, fixed_pairs, excluded, poses, stride, margin, real, ints, ids, data
):
    """Number of contacts, or a negative status.

    fixed_pairs >= 0: that many rows of `pairs` are the candidates; -1: sweep for them, into `pairs`. poses: bodies'
    rotations and positions, `stride` apart (bunraku.collision.shape_layout). real, ints: scratch of `scratch_sizes`.
    """
    stride = np.int64(
        stride
    )  # constants have types of their own in Numba; these casts keep callees from compiling twice
    place_shapes(shape_ints, shape_reals, poses, stride, real)
    count = fixed_pairs
    if fixed_pairs < 0:
        count = sweep(shape_ints, shape_reals, poses, stride, excluded, margin, real, ints, pairs)
        if count < 0:
            return count
    row = np.int64(0)
    patch = np.int64(0)
    room = ids.shape[0] - PAIR_POINTS
    for p in range(count):
        a = pairs[p, 0]
        b = pairs[p, 1]
        if fixed_pairs < 0 or near(shape_ints, shape_reals, poses, stride, margin, real, a, b):
            if row > room:
                return FULL
            new = pair_contacts(shape_ints, shape_reals, poses, stride, margin, real, ints, a, b, patch, ids, data, row)
            if new > row:
                patch += 1
            row = new
    return row


@entry("II DD II i I D i d D I II DD")
def detect_once(shape_ints, shape_reals, pairs, fixed_pairs, excluded, poses, stride, margin, real, ints, ids, data):
    """`detect_contacts` as a function of its own."""
    return detect_contacts(
        borrow(shape_ints),
        borrow(shape_reals),
        borrow(pairs),
        fixed_pairs,
        borrow(excluded),
        borrow(poses),
        stride,
        margin,
        borrow(real),
        borrow(ints),
        borrow(ids),
        borrow(data),
    )
