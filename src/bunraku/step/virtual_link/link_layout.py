"""Arrays of the virtual-link contact solver: what stands where. All one-dimensional, owned by the caller, SI units.

A *patch* is one contact region between two bodies. Its frame: z along the normal, out of the parent, the way the
contact pushes the real link; x, y in the surface; the reference origin anywhere near the region. Six rows of relative
motion (vx vy vz wx wy wz) of the real link against the parent at that origin, dual to the wrench (fx fy fz nx ny nz) on
the real link. p patches, then r equality rows: m = 6 p + r.

    patch    (p * NP)   the caller's: number of vertices, muS, muD, e_n, e_t, then up to 8 vertices x y, counter-clockwise
    flags    (p * NF)   result, and memory of the last step: contact state, friction mode, the vertices I, J of a point or line
    record   (p * NR)   result, and memory: pv, slip direction s, E, sign of wz, d, centre of rotation, margins; what a slip is thought to be
    f        (m)        forces in (the last step's, or zero) and out; a (m) accelerations out
    low, high, bound (r)  bounds of the rows' forces, and what each row is: held (an equality), or at its lower or upper bound
    work, iwork         scratch of `work_size(p, r)` numbers; iwork[SOLVES], iwork[REASON] can be read after a call

Fill flags with 0 for a patch without memory. Margins are positive where the limit holds: MARGIN_FZ = fz [N]; MARGIN_PV
= distance of pv inside the hull [m] (a line: to its nearer end; a point: 0); MARGIN_F = muS fz - |f| [N]; MARGIN_NZ = d
(muS fz - |f|) - |nzv| [N m]; MARGIN_VERTEX = smallest acceleration (impact: velocity) of a free vertex above its
target, 1e300 without one; MISALIGNED = error of a sliding contact's friction against the law for its motion at the end
of the step, relative to muD fz. After `impact` forces are impulses. D is the d that friction was computed with. RHO,
TURN: the direction of motion (RHO s, sign TURN) that friction is thought to oppose, a unit vector; SPEED its size, FZ
and WZ the normal force and the turn, from the last solve: see link_slip.py. After FALLBACK flags and record hold the
next hypothesis, not f's.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.compile import inline

VERTICES = 8  # at most, a patch
COUNT, MU_S, MU_D, E_N, E_T, VERTEX = 0, 1, 2, 3, 4, 6
NP = VERTEX + 2 * VERTICES

STATE, MODE, I, J = 0, 1, 2, 3
NF = 4
NONE, POINT, LINE, SURFACE = 0, 1, 2, 3  # STATE
STICK, SPIN, SLIP = 1, 2, 3  # MODE; 0 = unknown

PV, S, E, SIGN, D, CENTRE = 0, 2, 4, 5, 6, 7
MARGIN_FZ, MARGIN_PV, MARGIN_F, MARGIN_NZ, MARGIN_VERTEX, MISALIGNED = 9, 10, 11, 12, 13, 14
RHO, TURN, SPEED, FZ, WZ = 15, 16, 17, 18, 19
NR = 20

HELD, LOW, HIGH = np.int64(0), np.int64(1), np.int64(2)  # a row

OK, FALLBACK = 0, 1  # what a call returns
# iwork: solves made, reason of a FALLBACK, number of unknowns, what the matrix is
SOLVES, REASON, SIZE, HAT = 0, 1, 2, 3
HEAD = 4
SYMMETRIC, UNSYMMETRIC, WHOLE = 0, 1, 2  # HAT: friction of sliding patches makes it unsymmetric; WHOLE is K itself
CAPPED, SINGULAR, ENERGY, NOT_FINITE = 1, 2, 3, 4  # REASON
FAR = 1e300


def work_size(p: int, r: int = 0) -> tuple[int, int]:
    """Lengths of `work` (float64) and `iwork` (int64) for at most p patches and r equality rows."""
    m = 6 * p + r
    return 108 * p + m * m + 6 * m + 60, HEAD + 2 * m + 2 * p + 1


class Buffers:
    """Everything that a call from Python fills, for p patches and r equality rows; keeps the memory from call to call."""

    def __init__(self, p: int, r: int = 0) -> None:
        size, isize = work_size(p, r)
        self.p, self.r = p, r
        self.flags = np.zeros(p * NF, dtype=np.int64)
        self.record = np.zeros(p * NR)
        self.f = np.zeros(6 * p + r)
        self.a = np.zeros(6 * p + r)
        self.low, self.high, self.bound = np.full(r, -FAR), np.full(r, FAR), np.zeros(r, dtype=np.int64)
        self.work = np.zeros(size)
        self.iwork = np.zeros(isize, dtype=np.int64)


@inline
def offsets(p, r):
    """Places in work: motion rows, force columns, what else a row has (link_rows.py), matrix, and the first of six
    vectors of m; 60 numbers follow."""
    m = 6 * p + r
    return 0, 36 * p, 72 * p, 108 * p, 108 * p + m * m


@inline
def int_offsets(p, r):
    """Places in iwork: pivots (m), unit axis of a patch's row or -1 and number of a single row (m), first row of a
    patch (p + 1), states tried (p)."""
    m = 6 * p + r
    return HEAD, HEAD + m, HEAD + 2 * m, HEAD + 2 * m + p + 1
