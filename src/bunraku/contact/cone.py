"""One contact alone, solved exactly: the impulse of Coulomb's law with the true cone for v = A lam + q, A (3, 3).

With the normal eliminated (S = A_tt - A_tn A_nt / A_nn, r = q_t - A_tn q_n / A_nn) the three cases are
    parting   q_n >= 0:  lam = 0
    sticking  lam_t = -S^-1 r inside the cone
    sliding   v_t = -k lam_t with k > 0:  lam_t(k) = -(S + k I)^-1 r,  lam_n(k) = -(q_n + A_nt lam_t) / A_nn,
              k from  mu lam_n(k) / |lam_t(k)| = 1
The left side is below 1 at k = 0, nearly linear in k and grows without bound, so a Newton iteration kept inside a
bracket ends in a few steps. Slip then is exactly opposite to friction, which the projection (21) of Nakaoka et al.
after their (17) does not give (10 degrees off on average). Checked in tests/contact/test_cone.py against a search over
all directions.

`contact_impulse` and `row_impulse` are what a sweep of block Gauss-Seidel (Nakaoka et al., section 3) does with a
block: they solve it alone, the others held. A contact's own 3x3 block may be singular: 1e-7 of its scale is added, and
the old impulse's share of that taken off the right-hand side, which moves no fixed point.
"""

from __future__ import annotations

import math

from bunraku.contact.problem import BOUNDED
from bunraku.kernel.compile import inline

SLIP_STEPS = 40
SLIP_TOLERANCE = 1e-13
LOCAL = 1e-7  # of a contact's scale, added to its diagonal


@inline
def cone_impulse(A, q, mu, k):
    """(lam_n, lam_x, lam_y).

    A = (nn, nx, ny, xx, xy, yy), positive definite; k: a guess of |v_t| / |lam_t|, used when sliding.
    """
    nn, nx, ny, xx, xy, yy = A
    if q[0] >= 0.0:
        return 0.0, 0.0, 0.0
    inverse = 1.0 / nn
    ax = nx * inverse
    ay = ny * inverse
    n = -q[0] * inverse
    if mu <= 0.0:
        return n, 0.0, 0.0
    sxx = xx - nx * ax
    sxy = xy - nx * ay
    syy = yy - ny * ay
    rx = q[1] + nx * n
    ry = q[2] + ny * n
    det = 1.0 / (sxx * syy - sxy * sxy)
    x = (sxy * ry - syy * rx) * det
    y = (sxy * rx - sxx * ry) * det
    z = n - ax * x - ay * y
    if z >= 0.0 and x * x + y * y <= mu * mu * z * z:
        return z, x, y
    low = 0.0
    high = math.inf
    for _ in range(SLIP_STEPS):
        p = sxx + k
        r = syy + k
        det = 1.0 / (p * r - sxy * sxy)
        x = (sxy * ry - r * rx) * det
        y = (sxy * rx - p * ry) * det
        z = n - ax * x - ay * y
        length = math.sqrt(x * x + y * y)
        g = mu * z - length
        if abs(g) <= SLIP_TOLERANCE * length:
            break
        if g < 0.0:
            low = k
        else:
            high = k
        dx = (sxy * y - r * x) * det  # d lam_t / dk
        dy = (sxy * x - p * y) * det
        # slope of mu z / length, times length^2
        slope = -mu * (ax * dx + ay * dy) * length - mu * z * (x * dx + y * dy) / length
        step = k - g * length / slope if slope > 0.0 else low
        if low < step < high:
            k = step
        elif high < math.inf:
            k = 0.5 * (low + high)
        else:
            k = 4.0 * k + 0.5 * (sxx + syy)
    x /= length
    y /= length
    down = nn + mu * (nx * x + ny * y)
    if down > 1e-9 * nn:  # exactly on the cone, v_n = 0
        z = -q[0] / down
    z = max(z, 0.0)
    return z, mu * z * x, mu * z * y


@inline
def contact_impulse(A, v, old, mu, scale):
    """The impulse that solves a contact which now has the impulse `old` and the velocity v; A as above, d at most
    `scale`."""
    extra = LOCAL * scale
    A = (A[0] + extra, A[1], A[2], A[3] + extra, A[4], A[5] + extra)
    q = (
        v[0] - A[0] * old[0] - A[1] * old[1] - A[2] * old[2],
        v[1] - A[1] * old[0] - A[3] * old[1] - A[4] * old[2],
        v[2] - A[2] * old[0] - A[4] * old[1] - A[5] * old[2],
    )
    slip = v[1] * v[1] + v[2] * v[2]
    held = old[1] * old[1] + old[2] * old[2]
    return cone_impulse(A, q, mu, math.sqrt(slip / held) if held > 0.0 else A[3])


@inline
def row_impulse(block, d, v, old):
    """The impulse that solves a single row which now has the impulse `old` and the velocity v; d: its own entry of K."""
    c = block.compliance
    x = old - (v + c * old) / (d + c)
    return min(max(x, block.low), block.high) if block.kind == BOUNDED else x
