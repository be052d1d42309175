"""The exact finish: one Newton step of the contact problem on the active set that the current impulses point to.

Every block's state follows from the sign tests of its law at lam - v / d:
    OPEN     lam = 0                                      no unknown
    FIXED    a bounded row at its bound; immovable        no unknown
    ROW      equality, or a bounded row between           v + compliance lam = 0
    NORMAL   contact without friction                     v_n = 0
    STICK    inside the cone                              v_n = v_x = v_y = 0
    SLIP     on the cone, friction along f:               v_n = 0,  v . g + gamma (lam . g) = 0        g = f turned by 90 degrees
             lam = lam_n (1, mu f) + (lam . g) g          gamma = d (|p| - mu p_n) / (mu p_n), at the solution |v_t| / |lam_t|
(The two equations of SLIP are the derivative of "friction is opposite to slip" with its direction free.) With lam = G y
on the active set and T its test rows, dy solves (T K G + Gamma + R) dy = -(T v + Gamma y). The matrix is symmetric
unless something slips. R = 1e-9 d makes redundant rows harmless: among all impulses with the same v it picks those
nearest to the present ones. Where the rows contradict one another (a loop that cannot close), R dy is what cannot be
met; it is taken off the right-hand side and solved again, so impulses stay bounded (least squares). Checked in
tests/contact/test_pgs.py.
"""

from __future__ import annotations

import math

from bunraku.contact.blocks import BOUNDED, CONTACT, EQUALITY
from bunraku.contact.memory import CLASS, FX, FY, GAMMA, INVERSE, LAM, RHS, ROOT, STEP, TINY, B, V, block_at
from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import LANES, ld, st, wide_ld, wide_st
from bunraku.linalg.dense import factor, multiply, padded, substitute

OPEN, FIXED, ROW, NORMAL, STICK, SLIP = 0.0, 1.0, 2.0, 3.0, 4.0, 5.0
REGULAR = 1e-9  # R / d
SMALLEST = 1e-11  # smallest pivot / d


@inline
def classify(ints, reals, nblocks, work, n):
    """Each block's state, and lam brought onto it. Returns (number of unknowns, whether the matrix is symmetric)."""
    lam = LAM * n
    v = V * n
    unknowns = 0
    symmetric = True
    for k in range(nblocks):
        i = ints[k, 1]
        c = reals[k, 0]
        s = ld(work, ROOT * n + i)
        x = ld(work, lam + i)
        state = OPEN
        at = block_at(n, k)
        if s < 0.0:
            st(work, at + CLASS, FIXED)
            continue
        if ints[k, 0] != CONTACT:
            p = x - (ld(work, v + i) + c * x) / (s * s)
            state = ROW
            if ints[k, 0] == BOUNDED and (p <= reals[k, 1] or p >= reals[k, 2]):
                state = FIXED
                st(work, lam + i, reals[k, 1] if p <= reals[k, 1] else reals[k, 2])
            unknowns += 1 if state == ROW else 0
            st(work, at + GAMMA, c)
            st(work, at + CLASS, state)
            continue
        p = x - ld(work, v + i) / (s * s)
        if p <= 0.0:
            st(work, lam + i, 0.0)
            st(work, lam + i + 1, 0.0)
            st(work, lam + i + 2, 0.0)
        elif c <= 0.0:
            state = NORMAL
            unknowns += 1
            st(work, lam + i + 1, 0.0)
            st(work, lam + i + 2, 0.0)
        else:
            t = ld(work, ROOT * n + i + 1)
            d = t * t
            lx = ld(work, lam + i + 1)
            ly = ld(work, lam + i + 2)
            px = lx - ld(work, v + i + 1) / d
            py = ly - ld(work, v + i + 2) / d
            square = px * px + py * py
            radius = c * p
            if square <= radius * radius:
                state = STICK
                unknowns += 3
            else:
                state = SLIP
                unknowns += 2
                symmetric = False
                length = math.sqrt(square)
                fx = px / length
                fy = py / length
                y = fx * ly - fy * lx  # along g = (-fy, fx)
                st(work, lam + i + 1, c * x * fx - y * fy)
                st(work, lam + i + 2, c * x * fy + y * fx)
                st(work, at + FX, fx)
                st(work, at + FY, fy)
                st(work, at + GAMMA, d * min((length - radius) / radius, 1e12))
        st(work, at + CLASS, state)
    return unknowns, symmetric


@inline
def copy_row(work, out, at, n):
    """n numbers."""
    for j in range(0, n, LANES):
        wide_st(work, out + j, wide_ld(work, at + j))


@inline
def test_rows(ints, reals, nblocks, work, K, n, A, symmetric):
    """T K at A, rows of n (from the diagonal on, if symmetric); -(T v + Gamma y) in STEP; d in TINY.

    One row an unknown.
    """
    v = V * n
    lam = LAM * n
    u = 0
    for k in range(nblocks):
        i = ints[k, 1]
        at = block_at(n, k)
        state = ld(work, at + CLASS)
        if state <= FIXED:
            continue
        for j in range(3 if state == STICK else 1):
            start = i // LANES * LANES if symmetric else 0
            copy_row(work, A + u * n + start, K + (i + j) * n + start, n - start)
            st(work, STEP * n + u, -ld(work, v + i + j))
            st(work, TINY * n + u, ld(work, ROOT * n + i + j) * ld(work, ROOT * n + i + j))
            u += 1
        if state == ROW:
            st(work, STEP * n + u - 1, -ld(work, v + i) - reals[k, 0] * ld(work, lam + i))
        elif state == SLIP:
            fx = ld(work, at + FX)
            fy = ld(work, at + FY)
            row = K + (i + 1) * n
            for j in range(0, n, LANES):
                wide_st(work, A + u * n + j, wide_ld(work, row + n + j) * fx - wide_ld(work, row + j) * fy)
            y = fx * ld(work, lam + i + 2) - fy * ld(work, lam + i + 1)
            st(work, STEP * n + u, fy * ld(work, v + i + 1) - fx * ld(work, v + i + 2) - ld(work, at + GAMMA) * y)
            st(work, TINY * n + u, ld(work, ROOT * n + i + 1) * ld(work, ROOT * n + i + 1))
            u += 1


@inline
def trial_columns(ints, reals, nblocks, work, n, A, unknowns):
    """From T K to T K G + Gamma, columns moved to the left in place."""
    u = 0
    for k in range(nblocks):
        i = ints[k, 1]
        at = block_at(n, k)
        state = ld(work, at + CLASS)
        if state <= FIXED:
            continue
        if state == SLIP:
            fx = ld(work, at + FX)
            fy = ld(work, at + FY)
            mu = reals[k, 0]
            for row in range(A, A + unknowns * n, n):
                x = ld(work, row + i + 1)
                y = ld(work, row + i + 2)
                st(work, row + u, ld(work, row + i) + mu * (fx * x + fy * y))
                st(work, row + u + 1, fx * y - fy * x)
            u += 2
        else:
            count = 3 if state == STICK else 1
            if u < i:
                for row in range(A, A + unknowns * n, n):
                    for j in range(count):
                        st(work, row + u + j, ld(work, row + i + j))
            u += count
        if state == SLIP or state == ROW:
            st(work, A + (u - 1) * (n + 1), ld(work, A + (u - 1) * (n + 1)) + ld(work, at + GAMMA))


@inline
def regularise(work, n, A, unknowns, size):
    """Add R, set the smallest pivots, and fill the rows and columns up to whole lanes with those of the identity."""
    for u in range(unknowns):
        d = ld(work, TINY * n + u)
        st(work, A + u * (n + 1), ld(work, A + u * (n + 1)) + REGULAR * d)
        st(work, TINY * n + u, SMALLEST * d)
    for u in range(unknowns, size):
        st(work, STEP * n + u, 0.0)
        st(work, TINY * n + u, 0.0)
        for j in range(size):
            st(work, A + u * n + j, 0.0)
            st(work, A + j * n + u, 0.0)
        st(work, A + u * (n + 1), 1.0)


@inline
def contradiction(ints, nblocks, work, n, limit):
    """Take off the right-hand side, in RHS, what no step can meet: R dy, with dy in STEP.

    Returns (whether that is worth another solve, its largest part [sqrt J] if it lies in equalities alone, else 0)."""
    largest = 0.0
    elsewhere = 0.0
    u = 0
    for k in range(nblocks):
        state = ld(work, block_at(n, k) + CLASS)
        for _ in range(3 if state == STICK else 2 if state == SLIP else 1 if state > FIXED else 0):
            d = ld(work, TINY * n + u) * (1.0 / SMALLEST)
            missed = ld(work, STEP * n + u) * d * REGULAR
            st(work, RHS * n + u, ld(work, RHS * n + u) - missed)
            if missed * missed > limit * limit * d:
                missed = abs(missed) / math.sqrt(d)
                if ints[k, 0] == EQUALITY:
                    largest = max(largest, missed)
                else:
                    elsewhere = max(elsewhere, missed)
            u += 1
    return largest + elsewhere > 0.0, largest if elsewhere == 0.0 else 0.0


@inline
def take_step(ints, reals, nblocks, work, n):
    """lam += G dy; what leaves its cone or bounds is left there, for the next step's sign tests."""
    lam = LAM * n
    u = STEP * n
    for k in range(nblocks):
        i = ints[k, 1]
        at = block_at(n, k)
        state = ld(work, at + CLASS)
        if state <= FIXED:
            continue
        z = ld(work, lam + i) + ld(work, u)
        if state == ROW:
            u += 1
            st(work, lam + i, z)
            continue
        x = 0.0
        y = 0.0
        if state == STICK:
            x = ld(work, lam + i + 1) + ld(work, u + 1)
            y = ld(work, lam + i + 2) + ld(work, u + 2)
            u += 3
        elif state == SLIP:
            fx = ld(work, at + FX)
            fy = ld(work, at + FY)
            along = reals[k, 0] * ld(work, u)
            across = ld(work, u + 1)
            x = ld(work, lam + i + 1) + along * fx - across * fy
            y = ld(work, lam + i + 2) + along * fy + across * fx
            u += 2
        else:
            u += 1
        st(work, lam + i, z)
        st(work, lam + i + 1, x)
        st(work, lam + i + 2, y)


@inline
def project(ints, reals, nblocks, work, n):
    """lam onto the cones and between the bounds. Returns whether anything moved."""
    moved = False
    for k in range(nblocks):
        i = LAM * n + ints[k, 1]
        z = ld(work, i)
        if ints[k, 0] == BOUNDED:
            clipped = min(max(z, reals[k, 1]), reals[k, 2])
            moved = moved or clipped != z
            st(work, i, clipped)
        elif ints[k, 0] == CONTACT:
            x = ld(work, i + 1)
            y = ld(work, i + 2)
            radius = reals[k, 0] * max(z, 0.0)
            square = x * x + y * y
            if z < 0.0 or square > radius * radius * (1.0 + 1e-15):
                moved = True
                shorter = (1.0 - 2e-16) * radius / math.sqrt(square) if square > 0.0 else 0.0
                st(work, i, max(z, 0.0))
                st(work, i + 1, x * shorter)
                st(work, i + 2, y * shorter)
    return moved


@inline
def newton(ints, reals, nblocks, work, K, A, n, m, limit):
    """One step from work[LAM], work[V] = K lam + b; work[LAM] is replaced. limit: an error [sqrt J] that does not
    matter.

    Returns the part [sqrt J] of the equalities that contradicts itself; 0 if all can be met."""
    unknowns, symmetric = classify(ints, reals, nblocks, work, n)
    multiply(work, K, n, m, LAM * n, B * n, V * n)
    size = padded(unknowns)
    test_rows(ints, reals, nblocks, work, K, n, A, symmetric)
    trial_columns(ints, reals, nblocks, work, n, A, unknowns)
    regularise(work, n, A, unknowns, size)
    copy_row(work, RHS * n, STEP * n, size)
    factor(work, A, n, size, size, symmetric, TINY * n, INVERSE * n)
    substitute(work, A, n, size, INVERSE * n, STEP * n)
    worth, unmet = contradiction(ints, nblocks, work, n, limit)
    if worth:
        copy_row(work, STEP * n, RHS * n, size)
        substitute(work, A, n, size, INVERSE * n, STEP * n)
    take_step(ints, reals, nblocks, work, n)
    return unmet
