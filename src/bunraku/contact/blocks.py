"""The contact problem of one island, its blocks, and the scales that make its errors comparable.

    v = K lam + b        (001, eq. 5)    lam impulses [N s, N m s], v velocities [m/s, rad/s] after the step, b velocities without lam

K (m, m) is symmetric and positive semi-definite; redundant rows make it singular. Each block of rows obeys one law:

    kind      rows         reals            law
    CONTACT   n, tx, ty    mu, -, -         0 <= lam_n  _|_  v_n >= 0;  |lam_t| <= mu lam_n;  v_t = 0, or lam_t = -mu lam_n v_t / |v_t|
    EQUALITY  1            compliance, -, - v + compliance lam = 0
    BOUNDED   1            compliance,lo,hi lo <= lam <= hi;  v + compliance lam >= 0 at lo, <= 0 at hi, = 0 between     (001, eqs. 11-13)

The contact's law is (6)-(10) of 001 with the true cone; `compliance` [m/s per N s] makes a row soft.

Scale of a row: d = K_ii + compliance; the two tangents of a contact share their mean, so that the cone stays round. v /
sqrt(d) and lam sqrt(d) both are square roots of an energy, whatever the row's unit. A row with d below 1e-14 of the
largest is *immovable* (no impulse changes it; it counts with the largest d). Checked in tests/contact/test_residual.py.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, st

CONTACT, EQUALITY, BOUNDED = 0, 1, 2
IMMOVABLE = 1e-14  # of the largest d


@inline
def fill_scales(K, ints, reals, nblocks, root, at):
    """sqrt(d) of every row into root[at + row], negative for an immovable one."""
    largest = 0.0
    for k in range(nblocks):
        i = ints[k, 1]
        if ints[k, 0] == CONTACT:
            t = 0.5 * (K[i + 1, i + 1] + K[i + 2, i + 2])
            st(root, at + i, K[i, i])
            st(root, at + i + 1, t)
            st(root, at + i + 2, t)
            largest = max(largest, K[i, i], t)
        else:
            d = K[i, i] + reals[k, 0]
            st(root, at + i, d)
            largest = max(largest, d)
    finish_scales(ints, nblocks, root, at, largest)


@inline
def finish_scales(ints, nblocks, root, at, largest):
    """From d to sqrt(d), negative for an immovable row."""
    for k in range(nblocks):
        i = ints[k, 1]
        for j in range(i, i + (3 if ints[k, 0] == CONTACT else 1)):
            d = ld(root, at + j)
            if d > IMMOVABLE * largest:
                st(root, at + j, math.sqrt(d))
            else:
                st(root, at + j, -math.sqrt(largest) if largest > 0.0 else -1.0)
