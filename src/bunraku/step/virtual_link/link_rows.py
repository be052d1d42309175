"""The constrained motions of a patch and the wrenches that go with them (Nakamura & Yamane 2000: Table 1, (20a), (36)),
and the linear system they make.

A hypothesis constrains some motions of a patch, each a row of six over (vx vy vz wx wy wz) at the reference origin; K
is never computed anew. Frame of section 4.2: origin o (point: the vertex, line: its middle, surface: the reference
origin), on a line x along the line (cx, cy):

    vz at o              (0, 0, 1, oy, -ox, 0)                         point, line, surface
    wy' across the line  (0, 0, 0, -cy, cx, 0)                         line;  wx, wy: surface
    vx, vy at q          (1, 0, 0, 0, 0, -qy), (0, 1, 0, 0, 0, qx)     stick: q = o (line, surface: 0); spin: q = centre of rotation
    wz                   (0, 0, 0, 0, 0, 1)                            a line or surface that sticks

The force along a row is the same six numbers, read as a wrench, unless the contact slides or spins. Then friction
follows the pressure; with g = muD (1-E):

    fz at o    (-g sx, -g sy, 1, oy, -ox, -sgn(wz) muD d E + g (sx oy - sy ox))
    nx, ny     (0, 0, 0, 1, 0, g sx), (0, 0, 0, 0, 1, g sy);   on a line (0, 0, 0, -cy, cx, g (cx sy - cy sx))

which is f = -g fz s and, about the origin, nz = -sgn(wz) muD d E fz + pvx fy - pvy fx with pv = (-ny/fz, nx/fz). A
spinning contact has both these and the static forces along vx, vy at its centre of rotation.

A sliding contact's direction is an unknown too. With phi = (fx, fy, nzv/d), y = (ux, uy, d wz) at pv at the end of the
step and the law phi = -F g(y) of link_slip.py, Newton's step at y = t eta, |eta| = 1, is phi = -F (g(eta) + B C'y / t),
because g does not change along y. B C' is the sum of two products, with eta = (rho s, sgn w) and E = exp(-rho/w):
    B = across s                C = (1-E)/rho across s
    B = (s, -sgn)               C = E/w (s, -sgn rho/w)            where E > 0
Each gives a column B, whose force is z, and a row C'y + z t/F = 0; y moves with pv as well, by wz across the change of
pv.

System: (rows K columns + own) x = rows (c - a0), single rows below. Checked in
tests/step/virtual_link/test_friction.py.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld, st
from bunraku.step.virtual_link.link_layout import (
    CENTRE,
    E_N,
    E_T,
    FZ,
    HELD,
    LINE,
    MODE,
    MU_D,
    NF,
    NONE,
    NP,
    NR,
    POINT,
    PV,
    RHO,
    SIGN,
    SLIP,
    SPEED,
    SPIN,
    STATE,
    STICK,
    SURFACE,
    TURN,
    WZ,
    D,
    E,
    I,
    J,
    S,
)
from bunraku.step.virtual_link.link_region import vertex, vertex_count


@inline
def put_row(work, iwork, rows, columns, units, k, v0, v1, v2, v3, v4, v5, axis):
    """Motion row k and, the same, its force column. axis: which unit vector it is, -1 if none."""
    at = 6 * k
    for t, x in enumerate((v0, v1, v2, v3, v4, v5)):
        st(work, rows + at + t, x)
        st(work, columns + at + t, x)
    iwork[units + k] = axis


# what a row has beside motion and force: a softness on its own force; answers to fz, nx, ny of its patch; what it
# wants; and whether that counts
SOFT, BY_FZ, BY_NX, BY_NY, WANTED, OWN = 0, 1, 2, 3, 4, 5
SMALL = 1e-12  # of E: no coupling of slip and turn


@inline
def plain(work, extra, first, last):
    """Rows first .. last - 1 have nothing of their own."""
    for k in range(6 * first, 6 * last):
        st(work, extra + k, 0.0)


@inline
def slip_row(work, iwork, rows, columns, extra, units, k, cx, cy, cz, bx, by, bz, soft, record, v, i, h, impact):
    """Row k: (cx, cy, cz / d) . y + soft z = 0 and its column (bx, by, bz / d) at pv."""
    r = i * NR
    px = ld(record, r + PV)
    py = ld(record, r + PV + 1)
    turn = cy * px - cx * py + cz
    put_row(work, iwork, rows, columns, units, k, cx, cy, 0.0, 0.0, 0.0, turn, -1)
    st(work, columns + 6 * k, bx)
    st(work, columns + 6 * k + 1, by)
    st(work, columns + 6 * k + 5, by * px - bx * py + bz)
    at = extra + 6 * k
    wz = ld(record, r + WZ) / (h * ld(record, r + FZ))
    now = 0.0
    if not impact:
        now = cx * ld(v, 6 * i) + cy * ld(v, 6 * i + 1) + turn * ld(v, 6 * i + 5)
    st(work, at + SOFT, soft / h)
    st(work, at + BY_FZ, wz * (cx * py - cy * px))
    st(work, at + BY_NX, -wz * cx)
    st(work, at + BY_NY, -wz * cy)
    st(work, at + WANTED, -now / h)
    st(work, at + OWN, 1.0)


@inline
def slip_rows(patch, record, v, i, h, impact, work, iwork, rows, columns, extra, units, k):
    """Newton's rows for the direction of the sliding patch i; returns the next number."""
    r = i * NR
    F = ld(patch, i * NP + MU_D) * ld(record, r + FZ)
    t = ld(record, r + SPEED)
    if not (F > 0.0 and t > 0.0):
        return k
    sx = ld(record, r + S)
    sy = ld(record, r + S + 1)
    rho = ld(record, r + RHO)
    w = ld(record, r + TURN)
    fade = ld(record, r + E)
    d = ld(record, r + D)
    size = (1.0 - fade) / rho if rho > SMALL else 1.0 / w
    slip_row(
        work, iwork, rows, columns, extra, units, k, -sy, sx, 0.0, -sy, sx, 0.0, t / (size * F), record, v, i, h, impact
    )
    k += 1
    if fade > SMALL and d > 0.0:
        z = -ld(record, r + SIGN) * d
        soft = t * w / (fade * F)
        slip_row(
            work, iwork, rows, columns, extra, units, k, sx, sy, z * rho / w, sx, sy, z, soft, record, v, i, h, impact
        )
        k += 1
    return k


@inline
def origin_of(patch, flags, i):
    """The virtual link's origin o."""
    state = flags[i * NF + STATE]
    if state == SURFACE:
        return 0.0, 0.0
    ax, ay = vertex(patch, i, flags[i * NF + I])
    if state == POINT:
        return ax, ay
    bx, by = vertex(patch, i, flags[i * NF + J])
    return 0.5 * (ax + bx), 0.5 * (ay + by)


@inline
def patch_rows(patch, flags, record, v, i, h, impact, work, iwork, rows, columns, extra, units, k):
    """Write the rows and columns of patch i from number k on; returns the next number."""
    first = k
    state = flags[i * NF + STATE]
    mode = flags[i * NF + MODE]
    if state == NONE:
        return k
    r = i * NR
    ox, oy = origin_of(patch, flags, i)
    g = 0.0  # muD (1-E)
    turn = 0.0  # -sgn(wz) muD d E
    sx = 0.0
    sy = 0.0
    if mode != STICK:
        mu = ld(patch, i * NP + MU_D)
        fade = ld(record, r + E)
        g = mu * (1.0 - fade)
        turn = -ld(record, r + SIGN) * mu * ld(record, r + D) * fade
        sx = ld(record, r + S)
        sy = ld(record, r + S + 1)
    if mode == STICK or mode == SPIN:
        qx, qy = ox, oy
        if mode == SPIN:
            qx = ld(record, r + CENTRE)
            qy = ld(record, r + CENTRE + 1)
        elif state != POINT:
            qx, qy = 0.0, 0.0
        there = qx == 0.0 and qy == 0.0
        put_row(work, iwork, rows, columns, units, k, 1.0, 0.0, 0.0, 0.0, 0.0, -qy, 0 if there else -1)
        put_row(work, iwork, rows, columns, units, k + 1, 0.0, 1.0, 0.0, 0.0, 0.0, qx, 1 if there else -1)
        k += 2
    put_row(work, iwork, rows, columns, units, k, 0.0, 0.0, 1.0, oy, -ox, 0.0, 2 if ox == 0.0 and oy == 0.0 else -1)
    st(work, columns + 6 * k, -g * sx)
    st(work, columns + 6 * k + 1, -g * sy)
    st(work, columns + 6 * k + 5, turn + g * (sx * oy - sy * ox))
    k += 1
    if state == SURFACE:
        put_row(work, iwork, rows, columns, units, k, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 3)
        put_row(work, iwork, rows, columns, units, k + 1, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 4)
        st(work, columns + 6 * k + 5, g * sx)
        st(work, columns + 6 * k + 11, g * sy)
        k += 2
    elif state == LINE:
        ax, ay = vertex(patch, i, flags[i * NF + I])
        bx, by = vertex(patch, i, flags[i * NF + J])
        length = math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay))
        cx = (bx - ax) / length
        cy = (by - ay) / length
        put_row(work, iwork, rows, columns, units, k, 0.0, 0.0, 0.0, -cy, cx, 0.0, -1)
        st(work, columns + 6 * k + 5, g * (cx * sy - cy * sx))
        k += 1
    if mode == STICK and state != POINT:
        put_row(work, iwork, rows, columns, units, k, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 5)
        k += 1
    plain(work, extra, first, k)
    if mode == SLIP:
        k = slip_rows(patch, record, v, i, h, impact, work, iwork, rows, columns, extra, units, k)
    return k


@inline
def held_rows(bound, r, iwork, units, k):
    """Numbers of the single rows that are held, from row k on; returns the next."""
    for q in range(r):
        if bound[q] == HELD:
            iwork[units + k] = q
            k += 1
    return k


@inline
def present(f, patch, flags, p, iwork, starts, units, n, work, x):
    """work[x] <- the unknowns that stand for the forces f as far as the hypothesis has them; directions of slip start
    at zero."""
    for i in range(p):
        k = iwork[starts + i]
        state = flags[i * NF + STATE]
        mode = flags[i * NF + MODE]
        for t in range(k, iwork[starts + i + 1]):
            st(work, x + t, 0.0)
        if state == NONE:
            continue
        ox, oy = origin_of(patch, flags, i)
        if mode == STICK or mode == SPIN:
            if mode == STICK:
                st(work, x + k, ld(f, 6 * i))
                st(work, x + k + 1, ld(f, 6 * i + 1))
            k += 2
        fz = ld(f, 6 * i + 2)
        nx = ld(f, 6 * i + 3) - oy * fz
        ny = ld(f, 6 * i + 4) + ox * fz
        st(work, x + k, fz)
        k += 1
        if state == SURFACE:
            st(work, x + k, nx)
            st(work, x + k + 1, ny)
            k += 2
        elif state == LINE:
            ax, ay = vertex(patch, i, flags[i * NF + I])
            bx, by = vertex(patch, i, flags[i * NF + J])
            st(work, x + k, ((bx - ax) * ny - (by - ay) * nx) / math.hypot(bx - ax, by - ay))
            k += 1
        if mode == STICK and state != POINT:
            st(work, x + k, ld(f, 6 * i + 5))
    for k in range(iwork[starts + p], n):
        st(work, x + k, ld(f, 6 * p + iwork[units + k]))


@inline
def along(a, first, work, rows, k, axis):
    """Row k of a patch whose six values start at a[first]: row . a."""
    if axis >= 0:
        return ld(a, first + axis)
    at = rows + 6 * k
    return (
        ld(work, at) * ld(a, first)
        + ld(work, at + 1) * ld(a, first + 1)
        + ld(work, at + 2) * ld(a, first + 2)
        + ld(work, at + 3) * ld(a, first + 3)
        + ld(work, at + 4) * ld(a, first + 4)
        + ld(work, at + 5) * ld(a, first + 5)
    )


@inline
def respond(K, stride, m, first, work, columns, k, axis, y):
    """work[y ..] <- K times force column k of the patch whose rows start at `first` (K is symmetric: rows of K are
    added)."""
    if axis >= 0:
        row = (first + axis) * stride
        for j in range(m):
            st(work, y + j, ld(K, row + j))
        return
    at = columns + 6 * k
    c0 = ld(work, at)
    c1 = ld(work, at + 1)
    c2 = ld(work, at + 2)
    c3 = ld(work, at + 3)
    c4 = ld(work, at + 4)
    c5 = ld(work, at + 5)
    row = first * stride
    for j in range(m):
        t = row + j
        a = c0 * ld(K, t) + c1 * ld(K, t + stride) + c2 * ld(K, t + 2 * stride)
        b = c3 * ld(K, t + 3 * stride) + c4 * ld(K, t + 4 * stride) + c5 * ld(K, t + 5 * stride)
        st(work, y + j, a + b)


@inline
def fill_matrix(K, stride, p, r, work, iwork, rows, columns, A, y, units, starts, n, symmetric):
    """A (n x n): rows K columns; only its upper triangle where symmetric."""
    m = 6 * p + r
    contact = iwork[starts + p]
    for j in range(p + 1):
        last = iwork[starts + j + 1] if j < p else n
        for k in range(iwork[starts + j], last):
            if j < p:
                axis = iwork[units + k] if symmetric else -1
                respond(K, stride, m, 6 * j, work, columns, k, axis, y)
            else:
                respond(K, stride, m, 6 * p, work, columns, k, iwork[units + k], y)
            for i in range(j if symmetric else 0, p):
                for h in range(max(iwork[starts + i], k if symmetric else 0), iwork[starts + i + 1]):
                    x = along(work, y + 6 * i, work, rows, h, iwork[units + h])
                    st(work, A + (k * n + h if symmetric else h * n + k), x)
            for h in range(max(contact, k) if symmetric else contact, n):
                st(work, A + (k * n + h if symmetric else h * n + k), ld(work, y + 6 * p + iwork[units + h]))


@inline
def add_own(p, work, iwork, columns, extra, A, starts, n):
    """What rows have of their own: answers to the pressure of their patch, and softness."""
    for i in range(p):
        for k in range(iwork[starts + i], iwork[starts + i + 1]):
            at = extra + 6 * k
            if ld(work, at + OWN) == 0.0:
                continue
            for l in range(iwork[starts + i], iwork[starts + i + 1]):
                c = columns + 6 * l
                x = ld(work, at + BY_FZ) * ld(work, c + 2)
                x += ld(work, at + BY_NX) * ld(work, c + 3) + ld(work, at + BY_NY) * ld(work, c + 4)
                st(work, A + k * n + l, ld(work, A + k * n + l) + x)
            st(work, A + k * n + k, ld(work, A + k * n + k) + ld(work, at + SOFT))


@inline
def fill_rest(goal, f, a, p, work, iwork, rows, extra, units, starts, n, x, rest):
    """work[rest] <- what the rows want less what they have with the forces f and motion a of the unknowns work[x]."""
    contact = iwork[starts + p]
    for j in range(p):
        for k in range(iwork[starts + j], iwork[starts + j + 1]):
            axis = iwork[units + k]
            at = extra + 6 * k
            now = along(a, 6 * j, work, rows, k, axis)
            if ld(work, at + OWN) != 0.0:
                now += ld(work, at + SOFT) * ld(work, x + k) + ld(work, at + BY_FZ) * ld(f, 6 * j + 2)
                now += ld(work, at + BY_NX) * ld(f, 6 * j + 3) + ld(work, at + BY_NY) * ld(f, 6 * j + 4)
                st(work, rest + k, ld(work, at + WANTED) - now)
            else:
                st(work, rest + k, along(goal, 6 * j, work, rows, k, axis) - now)
    for k in range(contact, n):
        q = 6 * p + iwork[units + k]
        st(work, rest + k, ld(goal, q) - ld(a, q))


@inline
def fill_rebound(patch, flags, free, p, work, iwork, rows, extra, units, starts, n, bounce):
    """Impact: work[bounce] <- -E vc, what rebounds. Returns 1 if that is not zero.

    e_n acts on a patch only where no vertex in contact is parting: the rebound would drive such a vertex into the other
    body."""
    any_bounce = 0
    for j in range(p):
        e_n = ld(patch, j * NP + E_N) if approaching(patch, flags, free, j) else 0.0
        e_t = ld(patch, j * NP + E_T)
        for k in range(iwork[starts + j], iwork[starts + j + 1]):
            v = along(free, 6 * j, work, rows, k, iwork[units + k])
            normal = (
                ld(work, rows + 6 * k + 2) != 0.0
                or ld(work, rows + 6 * k + 3) != 0.0
                or ld(work, rows + 6 * k + 4) != 0.0
            )
            e = 0.0 if ld(work, extra + 6 * k + OWN) != 0.0 else (e_n if normal else e_t)
            st(work, bounce + k, -e * v)
            if e != 0.0:
                any_bounce = 1
    for k in range(iwork[starts + p], n):
        st(work, bounce + k, 0.0)
    return any_bounce


@inline
def approaching(patch, flags, free, i):
    """No vertex in contact is parting."""
    state = flags[i * NF + STATE]
    for k in range(vertex_count(patch, i)):
        touching = state == SURFACE or k == flags[i * NF + I] or (state == LINE and k == flags[i * NF + J])
        x, y = vertex(patch, i, k)
        if touching and ld(free, 6 * i + 2) + ld(free, 6 * i + 3) * y - ld(free, 6 * i + 4) * x > 0.0:
            return False
    return True


@inline
def spread(p, work, iwork, columns, starts, units, n, x, f, to):
    """f[to ..] <- wrenches of the patches and forces of the held rows; the other rows keep theirs."""
    for j in range(p):
        f0 = 0.0
        f1 = 0.0
        f2 = 0.0
        f3 = 0.0
        f4 = 0.0
        f5 = 0.0
        for k in range(iwork[starts + j], iwork[starts + j + 1]):
            at = columns + 6 * k
            z = ld(work, x + k)
            f0 += z * ld(work, at)
            f1 += z * ld(work, at + 1)
            f2 += z * ld(work, at + 2)
            f3 += z * ld(work, at + 3)
            f4 += z * ld(work, at + 4)
            f5 += z * ld(work, at + 5)
        for t, z in enumerate((f0, f1, f2, f3, f4, f5)):
            st(f, to + 6 * j + t, z)
    contact = iwork[starts + p]
    for k in range(contact, n):
        st(f, to + 6 * p + iwork[units + k], ld(work, x + k))


@inline
def response(K, stride, m, f, at, a, to):
    """a[to ..] <- K f[at ..]."""
    for i in range(m):
        st(a, to + i, 0.0)
    add_response(K, stride, m, f, at, a, to)


@inline
def motion_of(K, stride, m, f, free, a):
    """a <- K f + free."""
    for i in range(m):
        st(a, i, ld(free, i))
    add_response(K, stride, m, f, 0, a, 0)


@inline
def add_response(K, stride, m, f, at, a, to):
    """a[to ..] += K f[at ..]."""
    for j in range(m):
        z = ld(f, at + j)
        if z != 0.0:
            row = j * stride
            for i in range(m):
                st(a, to + i, ld(a, to + i) + z * ld(K, row + i))
