"""Equality rows of an island solved at once: K x = -b with the least norm, whatever the rank of K.

Rows are first scaled to a unit diagonal. Then K + SOFT = L L' is factorised, which always succeeds, and the residual is
put through it again a few times (a proximal iteration): a direction with the eigenvalue s converges like (SOFT / (s +
SOFT))^REPEATS, a redundant one stays at zero, and so does one that a singular pose has taken away. So redundant rows
share their load evenly, and nothing blows up where a mechanism is stretched straight. What K's rounding may hide
(NOISE) is added to SOFT. Cost m^3/6 multiply-adds. Checked in tests/step/test_least.py against NumPy's pseudo-inverse.
"""

from __future__ import annotations

from bunraku.contact.dense_front import Dense
from bunraku.kernel.compile import part

SOFT = 1e-10  # of the unit diagonal: directions below it count as lost
NOISE = 1e-13  # of the largest entry: rounding of K
REPEATS = 4


@part
def least_norm(island: Dense, m):
    """lam[:m] from the leading m rows of K, whose lower triangle is lost, and b."""
    k = island.K
    b = island.problem.b
    x = island.problem.lam
    work = island.A  # scales, pivots, residual, what is added to the diagonal
    top = 0.0
    for i in range(m):
        top = max(top, k[i, i])
        x[i] = 0.0
    for i in range(m):
        good = k[i, i] > NOISE * top
        work[i] = 1.0 / k[i, i] ** 0.5 if good else 0.0
        work[3 * m + i] = SOFT + (NOISE * top / k[i, i] if good else 1.0)
    for i in range(m):
        for j in range(i, m):
            k[i, j] *= work[i] * work[j]
    for i in range(m):  # L below the diagonal, its pivots in work, K itself on and above
        for j in range(i + 1):
            s = k[j, i] + (work[3 * m + i] if i == j else 0.0)
            for p in range(j):
                s -= k[i, p] * k[j, p]
            if j < i:
                k[i, j] = s / work[m + j]
            else:
                work[m + i] = max(s, work[3 * m + i]) ** 0.5
    for _ in range(REPEATS):
        for i in range(m):
            s = -b[i] * work[i]
            for j in range(m):
                s -= (k[i, j] if i <= j else k[j, i]) * x[j]
            work[2 * m + i] = s
        for i in range(m):
            s = work[2 * m + i]
            for p in range(i):
                s -= k[i, p] * work[2 * m + p]
            work[2 * m + i] = s / work[m + i]
        for i in range(m - 1, -1, -1):
            s = work[2 * m + i]
            for p in range(i + 1, m):
                s -= k[p, i] * work[2 * m + p]
            work[2 * m + i] = s / work[m + i]
            x[i] += work[2 * m + i]
    for i in range(m):
        x[i] *= work[i]
