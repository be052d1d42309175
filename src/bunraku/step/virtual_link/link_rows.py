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
step and the law phi = -F g(y) of link_friction.py, Newton's step at y = t eta, |eta| = 1, is phi = -F (g(eta) + B C'y / t),
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
from bunraku.kernel.vec import ld6, st6
from bunraku.linalg.dense import padded
from bunraku.step.virtual_link import link_layout as at
from bunraku.step.virtual_link.link_layout import LinkRow, Links, Patch, patch_of
from bunraku.step.virtual_link.link_region import edge, height_rate

SMALL = 1e-12  # of E: no coupling of slip and turn


@inline
def put_row(row: LinkRow, six, axis):
    """A motion and, the same, its wrench. axis: which unit vector it is, -1 if none."""
    st6(row.motion, 0, six)
    st6(row.force, 0, six)
    row.axis = axis
    row.own = 0


@inline
def slip_row(links: Links, patch: Patch, row: LinkRow, c, b, soft):
    """(cx, cy, cz / d) . y + soft z = 0 and its column (bx, by, bz / d) at pv."""
    cx, cy, cz = c
    bx, by, bz = b
    px, py = patch.pv
    h = links.numbers.h
    turn = cy * px - cx * py + cz
    put_row(row, (cx, cy, 0.0, 0.0, 0.0, turn), -1)
    row.force[0] = bx
    row.force[1] = by
    row.force[5] = by * px - bx * py + bz
    wz = patch.wz / (h * patch.fz)
    v = links.v
    now = cx * ld(v, patch.row) + cy * ld(v, patch.row + 1) + turn * ld(v, patch.row + 5)
    row.own = 1
    row.soft = soft / h
    row.by_fz = wz * (cx * py - cy * px)
    row.by_nx = -wz * cx
    row.by_ny = -wz * cy
    row.wanted = -now / h


@inline
def slip_rows(links: Links, patch: Patch, k):
    """Newton's rows for the direction of a sliding patch; returns the next number."""
    F = patch.region.mu_d * patch.fz
    t = patch.speed
    if not (F > 0.0 and t > 0.0):
        return k
    sx, sy = patch.s
    rho, w, fade = patch.rho, patch.turn, patch.fade
    size = (1.0 - fade) / rho if rho > SMALL else 1.0 / w
    slip_row(links, patch, links.rows[k], (-sy, sx, 0.0), (-sy, sx, 0.0), t / (size * F))
    if not (fade > SMALL and patch.d > 0.0):
        return k + 1
    z = -patch.sign * patch.d
    slip_row(links, patch, links.rows[k + 1], (sx, sy, z * rho / w), (sx, sy, z), t * w / (fade * F))
    return k + 2


@inline
def origin_of(patch: Patch):
    """The virtual link's origin o."""
    if patch.state == at.SURFACE:
        return 0.0, 0.0
    ax, ay = patch.region.vertex[patch.low]
    if patch.state == at.POINT:
        return ax, ay
    bx, by = patch.region.vertex[patch.high]
    return 0.5 * (ax + bx), 0.5 * (ay + by)


@inline
def patch_rows(links: Links, patch: Patch, k):
    """Write the rows and columns of a patch from number k on; returns the next number."""
    state = patch.state
    mode = patch.mode
    rows = links.rows
    if state == at.NONE:
        return k
    ox, oy = origin_of(patch)
    g = 0.0  # muD (1-E)
    turn = 0.0  # -sgn(wz) muD d E
    sx = 0.0
    sy = 0.0
    if mode != at.STICK:
        mu = patch.region.mu_d
        g = mu * (1.0 - patch.fade)
        turn = -patch.sign * mu * patch.d * patch.fade
        sx, sy = patch.s
    if mode == at.STICK or mode == at.SPIN:
        qx, qy = ox, oy
        if mode == at.SPIN:
            qx, qy = patch.centre
        elif state != at.POINT:
            qx, qy = 0.0, 0.0
        there = qx == 0.0 and qy == 0.0
        put_row(rows[k], (1.0, 0.0, 0.0, 0.0, 0.0, -qy), 0 if there else -1)
        put_row(rows[k + 1], (0.0, 1.0, 0.0, 0.0, 0.0, qx), 1 if there else -1)
        k += 2
    put_row(rows[k], (0.0, 0.0, 1.0, oy, -ox, 0.0), 2 if ox == 0.0 and oy == 0.0 else -1)
    rows[k].force[0] = -g * sx
    rows[k].force[1] = -g * sy
    rows[k].force[5] = turn + g * (sx * oy - sy * ox)
    k += 1
    if state == at.SURFACE:
        put_row(rows[k], (0.0, 0.0, 0.0, 1.0, 0.0, 0.0), 3)
        put_row(rows[k + 1], (0.0, 0.0, 0.0, 0.0, 1.0, 0.0), 4)
        rows[k].force[5] = g * sx
        rows[k + 1].force[5] = g * sy
        k += 2
    elif state == at.LINE:
        _, _, ex, ey = edge(patch.region, patch.low, patch.high)
        length = math.sqrt(ex * ex + ey * ey)
        cx = ex / length
        cy = ey / length
        put_row(rows[k], (0.0, 0.0, 0.0, -cy, cx, 0.0), -1)
        rows[k].force[5] = g * (cx * sy - cy * sx)
        k += 1
    if mode == at.STICK and state != at.POINT:
        put_row(rows[k], (0.0, 0.0, 0.0, 0.0, 0.0, 1.0), 5)
        k += 1
    return slip_rows(links, patch, k) if mode == at.SLIP else k


@inline
def present(links: Links):
    """x <- the unknowns that stand for the forces f as far as the hypothesis has them; directions of slip start at
    zero."""
    f, x, numbers = links.f, links.x, links.numbers
    for i in range(numbers.p):
        patch = patch_of(links, i)
        k = patch.first
        state = patch.state
        mode = patch.mode
        for t in range(k, patch.last):
            st(x, t, 0.0)
        if state == at.NONE:
            continue
        ox, oy = origin_of(patch)
        fx, fy, fz, nx, ny, nz = ld6(f, patch.row)
        if mode == at.STICK or mode == at.SPIN:
            if mode == at.STICK:
                st(x, k, fx)
                st(x, k + 1, fy)
            k += 2
        nx -= oy * fz
        ny += ox * fz
        st(x, k, fz)
        k += 1
        if state == at.SURFACE:
            st(x, k, nx)
            st(x, k + 1, ny)
            k += 2
        elif state == at.LINE:
            _, _, ex, ey = edge(patch.region, patch.low, patch.high)
            st(x, k, (ex * ny - ey * nx) / math.hypot(ex, ey))
            k += 1
        if mode == at.STICK and state != at.POINT:
            st(x, k, nz)
    for k in range(numbers.of_patches, numbers.unknowns):
        st(x, k, ld(f, 6 * numbers.p + links.rows[k].axis))


@inline
def along(row: LinkRow, a, first):
    """A row of a patch whose six values start at a[first]: row . a."""
    if row.axis >= 0:
        return ld(a, first + row.axis)
    m = ld6(row.motion, 0)
    x = ld6(a, first)
    return m[0] * x[0] + m[1] * x[1] + m[2] * x[2] + m[3] * x[3] + m[4] * x[4] + m[5] * x[5]


@inline
def respond(links: Links, row: LinkRow, axis, first):
    """y <- K times the wrench of a patch whose rows start at `first` (K is symmetric: rows of K are added)."""
    K, y, stride, m = links.K, links.y, links.numbers.stride, links.numbers.m
    if axis >= 0:
        start = (first + axis) * stride
        for j in range(m):
            st(y, j, ld(K, start + j))
        return
    c = ld6(row.force, 0)
    start = first * stride
    for j in range(m):
        t = start + j
        a = c[0] * ld(K, t) + c[1] * ld(K, t + stride) + c[2] * ld(K, t + 2 * stride)
        b = c[3] * ld(K, t + 3 * stride) + c[4] * ld(K, t + 4 * stride) + c[5] * ld(K, t + 5 * stride)
        st(y, j, a + b)


@inline
def fill_matrix(links: Links, symmetric):
    """A: rows K columns; only its upper triangle where symmetric."""
    rows, A, y, numbers = links.rows, links.A, links.y, links.numbers
    p, unknowns, contact = numbers.p, numbers.unknowns, numbers.of_patches
    n = padded(unknowns)
    for j in range(p + 1):
        first = patch_of(links, j).first if j < p else contact
        last = patch_of(links, j).last if j < p else unknowns
        for k in range(first, last):
            row = rows[k]
            respond(links, row, row.axis if symmetric or j == p else -1, 6 * j)
            for i in range(j if symmetric else 0, p):
                patch = patch_of(links, i)
                for h in range(max(patch.first, k if symmetric else 0), patch.last):
                    x = along(rows[h], y, 6 * i)
                    st(A, k * n + h if symmetric else h * n + k, x)
            for h in range(max(contact, k) if symmetric else contact, unknowns):
                st(A, k * n + h if symmetric else h * n + k, ld(y, 6 * p + rows[h].axis))


@inline
def add_own(links: Links):
    """What rows have of their own: answers to the pressure of their patch, and softness."""
    rows, A, n = links.rows, links.A, padded(links.numbers.unknowns)
    for i in range(links.numbers.p):
        patch = patch_of(links, i)
        for k in range(patch.first, patch.last):
            row = rows[k]
            if row.own == 0:
                continue
            for l in range(patch.first, patch.last):
                force = rows[l].force
                x = row.by_fz * force[2]
                x += row.by_nx * force[3] + row.by_ny * force[4]
                st(A, k * n + l, ld(A, k * n + l) + x)
            st(A, k * n + k, ld(A, k * n + k) + row.soft)


@inline
def fill_rest(links: Links):
    """rest <- what the rows want less what they have with the forces f and motion a of the unknowns x."""
    f, a, goal, x, rest, numbers = links.f, links.a, links.goal, links.x, links.rest, links.numbers
    for j in range(numbers.p):
        patch = patch_of(links, j)
        six = patch.row
        for k in range(patch.first, patch.last):
            row = links.rows[k]
            now = along(row, a, six)
            if row.own != 0:
                now += row.soft * ld(x, k) + row.by_fz * ld(f, six + 2)
                now += row.by_nx * ld(f, six + 3) + row.by_ny * ld(f, six + 4)
                st(rest, k, row.wanted - now)
            else:
                st(rest, k, along(row, goal, six) - now)
    for k in range(numbers.of_patches, numbers.unknowns):
        q = 6 * numbers.p + links.rows[k].axis
        st(rest, k, ld(goal, q) - ld(a, q))


@inline
def fill_rebound(links: Links):
    """Impact: rest <- -E vc, what rebounds. Returns 1 if that is not zero.

    e_n acts on a patch only where no vertex in contact is parting: the rebound would drive such a vertex into the other
    body."""
    any_bounce = 0
    numbers = links.numbers
    for j in range(numbers.p):
        patch = patch_of(links, j)
        e_n = patch.region.e_n if approaching(links, patch) else 0.0
        for k in range(patch.first, patch.last):
            row = links.rows[k]
            v = along(row, links.free, patch.row)
            normal = row.motion[2] != 0.0 or row.motion[3] != 0.0 or row.motion[4] != 0.0
            e = 0.0 if row.own != 0 else (e_n if normal else patch.region.e_t)
            st(links.rest, k, -e * v)
            if e != 0.0:
                any_bounce = 1
    for k in range(numbers.of_patches, numbers.unknowns):
        st(links.rest, k, 0.0)
    return any_bounce


@inline
def approaching(links: Links, patch: Patch):
    """No vertex in contact is parting."""
    for k in range(patch.region.count):
        touching = patch.state == at.SURFACE or k == patch.low or (patch.state == at.LINE and k == patch.high)
        if touching and height_rate(links.free, patch.row, patch.region.vertex[k]) > 0.0:
            return False
    return True


@inline
def spread(links: Links, f):
    """f <- wrenches of the patches and forces of the held rows; the other rows keep theirs."""
    rows, x, numbers = links.rows, links.x, links.numbers
    for j in range(numbers.p):
        patch = patch_of(links, j)
        w = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for k in range(patch.first, patch.last):
            c = ld6(rows[k].force, 0)
            z = ld(x, k)
            w = (
                w[0] + z * c[0],
                w[1] + z * c[1],
                w[2] + z * c[2],
                w[3] + z * c[3],
                w[4] + z * c[4],
                w[5] + z * c[5],
            )
        st6(f, patch.row, w)
    for k in range(numbers.of_patches, numbers.unknowns):
        st(f, 6 * numbers.p + rows[k].axis, ld(x, k))


@inline
def motion_of(links: Links):
    """a <- K f + free."""
    for i in range(links.numbers.m):
        st(links.a, i, ld(links.free, i))
    add_response(links, links.f, links.a)


@inline
def add_response(links: Links, f, a):
    """a += K f."""
    K, stride, m = links.K, links.numbers.stride, links.numbers.m
    for j in range(m):
        z = ld(f, j)
        if z != 0.0:
            row = j * stride
            for i in range(m):
                st(a, i, ld(a, i) + z * ld(K, row + i))
