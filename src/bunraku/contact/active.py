"""The exact finish: one Newton step of the contact problem on the active set that the current impulses point to.

Every block's state follows from the sign tests of its law at lam - v / d:
    OPEN     lam = 0                                no unknown
    FIXED    a bounded row at its bound; immovable  no unknown
    ROW      equality, or a bounded row between     v + compliance lam = 0
    NORMAL   contact without friction               v_n = 0
    STICK    inside the cone                        v_n = v_x = v_y = 0
    SLIP     on the cone, friction along f:         v_n = 0,  v . g + gamma (lam . g) = 0     g = f turned by 90 degrees
             lam = lam_n (1, mu f) + (lam . g) g    gamma = d (|p| - mu p_n) / (mu p_n), at the solution |v_t| / |lam_t|
(The two equations of SLIP are the derivative of "friction is opposite to slip" with its direction free.) With lam = G y
on the active set and T its test rows, dy solves (T K G + Gamma + R) dy = -(T v + Gamma y). The matrix is symmetric
unless something slips. R = 1e-9 d makes redundant rows harmless: among all impulses with the same v it picks those
nearest to the present ones. Where the rows contradict one another (a loop that cannot close), R dy is what cannot be
met; it is taken off the right-hand side and solved again, so impulses stay bounded (least squares).

The states, the step and the end on the cones are here; matrix and factorisation are those of dense_front.py or
sparse_front.py. Checked in tests/contact/test_pgs.py.
"""

from __future__ import annotations

import math

from bunraku.contact.problem import BOUNDED, CONTACT, EQUALITY
from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, st

OPEN, FIXED, ROW, NORMAL, STICK, SLIP = 0, 1, 2, 3, 4, 5
REGULAR = 1e-9  # R / d
SMALLEST = 1e-11  # smallest pivot / d


@inline
def unknowns_of(state):
    """Number of unknowns of a block."""
    return 3 if state == STICK else 2 if state == SLIP else 1 if state > FIXED else 0


@inline
def classify(p):
    """Each block's state, and lam brought onto it. Returns (number of unknowns, whether the matrix is symmetric)."""
    lam = p.lam
    v = p.v
    root = p.root
    unknowns = 0
    symmetric = True
    for k in range(p.search.blocks):
        block = p.blocks[k]
        active = p.active[k]
        i = block.row
        s = ld(root, i)
        x = ld(lam, i)
        state = OPEN
        if s < 0.0:
            active.state = FIXED
            continue
        if block.kind != CONTACT:
            c = block.compliance
            y = x - (ld(v, i) + c * x) / (s * s)
            state = ROW
            if block.kind == BOUNDED and (y <= block.low or y >= block.high):
                state = FIXED
                st(lam, i, block.low if y <= block.low else block.high)
            unknowns += 1 if state == ROW else 0
            active.gamma = c
            active.state = state
            continue
        y = x - ld(v, i) / (s * s)
        mu = block.mu
        if y <= 0.0:
            st(lam, i, 0.0)
            st(lam, i + 1, 0.0)
            st(lam, i + 2, 0.0)
        elif mu <= 0.0:
            state = NORMAL
            unknowns += 1
            st(lam, i + 1, 0.0)
            st(lam, i + 2, 0.0)
        else:
            t = ld(root, i + 1)
            d = t * t
            lx = ld(lam, i + 1)
            ly = ld(lam, i + 2)
            px = lx - ld(v, i + 1) / d
            py = ly - ld(v, i + 2) / d
            square = px * px + py * py
            radius = mu * y
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
                across = fx * ly - fy * lx  # along g = (-fy, fx)
                st(lam, i + 1, mu * x * fx - across * fy)
                st(lam, i + 2, mu * x * fy + across * fx)
                active.friction = (fx, fy)
                active.gamma = d * min((length - radius) / radius, 1e12)
        active.state = state
    return unknowns, symmetric


@inline
def settle_immovable(p):
    """Blocks that nothing moves (v = b) take the impulse their law asks for, once: a bound, or none."""
    for k in range(p.search.blocks):
        block = p.blocks[k]
        i = block.row
        if ld(p.root, i) > 0.0:
            continue
        x = 0.0
        if block.kind == CONTACT:
            st(p.lam, i + 1, 0.0)
            st(p.lam, i + 2, 0.0)
        elif block.kind == BOUNDED:
            v = ld(p.soft_b, i)
            x = block.low if v > 0.0 else block.high if v < 0.0 else 0.0
            x = min(max(x if abs(x) < math.inf else 0.0, block.low), block.high)
        st(p.lam, i, x)


@inline
def contradiction(p, limit):
    """Take off the right-hand side what no step can meet: R dy. limit: an error [sqrt J] that does not matter.

    Returns (whether that is worth another solve, its largest part [sqrt J] if it lies in equalities alone, else 0)."""
    largest = 0.0
    elsewhere = 0.0
    u = 0
    for k in range(p.search.blocks):
        equality = p.blocks[k].kind == EQUALITY
        for _ in range(unknowns_of(p.active[k].state)):
            d = ld(p.tiny, u) * (1.0 / SMALLEST)
            missed = ld(p.step, u) * d * REGULAR
            st(p.right, u, ld(p.right, u) - missed)
            if missed * missed > limit * limit * d:
                missed = abs(missed) / math.sqrt(d)
                if equality:
                    largest = max(largest, missed)
                else:
                    elsewhere = max(elsewhere, missed)
            u += 1
    return largest + elsewhere > 0.0, largest if elsewhere == 0.0 else 0.0


@inline
def take_step(p):
    """lam += G dy; what leaves its cone or bounds is left there, for the next step's sign tests."""
    lam = p.lam
    step = p.step
    u = 0
    for k in range(p.search.blocks):
        block = p.blocks[k]
        active = p.active[k]
        i = block.row
        state = active.state
        if state <= FIXED:
            continue
        z = ld(lam, i) + ld(step, u)
        if state == ROW:
            u += 1
            st(lam, i, z)
            continue
        x = 0.0
        y = 0.0
        if state == STICK:
            x = ld(lam, i + 1) + ld(step, u + 1)
            y = ld(lam, i + 2) + ld(step, u + 2)
            u += 3
        elif state == SLIP:
            fx, fy = active.friction
            along = block.mu * ld(step, u)
            across = ld(step, u + 1)
            x = ld(lam, i + 1) + along * fx - across * fy
            y = ld(lam, i + 2) + along * fy + across * fx
            u += 2
        else:
            u += 1
        st(lam, i, z)
        st(lam, i + 1, x)
        st(lam, i + 2, y)


@inline
def project(p):
    """lam onto the cones and between the bounds. Returns whether anything moved."""
    lam = p.lam
    moved = False
    for k in range(p.search.blocks):
        block = p.blocks[k]
        i = block.row
        z = ld(lam, i)
        if block.kind == BOUNDED:
            clipped = min(max(z, block.low), block.high)
            moved = moved or clipped != z
            st(lam, i, clipped)
        elif block.kind == CONTACT:
            x = ld(lam, i + 1)
            y = ld(lam, i + 2)
            radius = block.mu * max(z, 0.0)
            square = x * x + y * y
            if z < 0.0 or square > radius * radius * (1.0 + 1e-15):
                moved = True
                shorter = (1.0 - 2e-16) * radius / math.sqrt(square) if square > 0.0 else 0.0
                st(lam, i, max(z, 0.0))
                st(lam, i + 1, x * shorter)
                st(lam, i + 2, y * shorter)
    return moved
