"""Rows of a step: contacts, joint limits and connections become blocks with a right-hand side.

Contact (document 001, (5)-(10)): normal and two tangents. With gap g, rate v now, u after the step without impulses:
    g > 0                     v+ >= -g/dt           it may close the gap, no more
    g <= 0                    v+ >= min(PUSH (-g)/dt, PUSH_SPEED)     overlap is taken back slowly, bounded (000, 4.8)
    impact, restitution e     it happens at the part al = g/(-v dt) of the step with the rate vi = v + al (u - v); after it
                              v+ >= -e vi + (1 - al)(u - v), and the positions move as if by  (-g + (1 - al) dt (-e vi)) / dt
Limit: one bounded row at each end that the joint would reach. Connection: one equality a constrained axis, with the error taken back.
All write b, the rate after the step less what is wanted, so that solvers see  0 <= lam _|_ K lam + b >= 0  or  K lam + b = 0.
`row_p` is the same for positions where impacts with restitution need another. Checked in tests/world/.
"""

from __future__ import annotations

from bunraku.collision.layout import BODY as SHAPE_BODY
from bunraku.collision.layout import GAP, MATERIAL, NORMAL, POINT, SHAPE_A, SHAPE_B
from bunraku.constraint.rows import (
    BLOCK_KIND,
    BLOCKS,
    BODY,
    BOUNDED,
    CONTACT,
    EQUALITY,
    FIRST_ROW,
    JOINT,
    ORIGIN,
    ROOM,
    ROWS,
    body_rate,
    side,
    source,
    tangents,
    turn_side,
)
from bunraku.model.layout import NW, POS, ROT
from bunraku.spatial.kernel import inline, part
from bunraku.spatial.vec import add, col, dot, ld3, ld9, mm, mt, mv, sub

PUSH = 0.2  # part of an overlap that is taken back in a step
PUSH_SPEED = 0.5  # m/s, at the most
REST_SPEED = 0.01  # m/s of approach below which nothing bounces
LIMIT_NEAR = 1e-3  # rad or m ahead of a limit from which it counts
TIE = 0.8  # part of a connection's error that is taken back in a step

# columns of connection tables
ACTIVE, BODY_A, BODY_B, AXES = range(4)
PLACE_A, TURN_A, PLACE_B, TURN_B, SOFT = 0, 3, 12, 15, 24


@inline
def new_block(kind, lines, origin, rows):
    """Room for a block of some rows: its number, or ROOM."""
    k = rows.count[BLOCKS]
    r = rows.count[ROWS]
    if k >= rows.blocks.shape[0] or r + lines > rows.row_source.shape[0]:
        return ROOM
    rows.blocks[k, BLOCK_KIND] = kind
    rows.blocks[k, FIRST_ROW] = r
    rows.blocks[k, ORIGIN] = origin
    for j in range(3):
        rows.block_reals[k, j] = 0.0
    rows.count[BLOCKS] = k + 1
    rows.count[ROWS] = r + lines
    return k


@inline
def force_row(work, a, b, sa, sb, x, d, row, rows):
    """A row for a force along d at x on body a and its opposite on body b."""
    rows.row_source[row, 0] = sa
    rows.row_source[row, 1] = sb
    side(work, a, x, d, 1.0, rows.row_w, row, 0)
    side(work, b, x, d, -1.0, rows.row_w, row, 6)


@inline
def row_rate(work, a, b, row_w, row, dt):
    """Rate along a row between two bodies."""
    x = 0.0
    if a != 0:
        x += body_rate(work, a, row_w, row, 0, dt)
    if b != 0:
        x += body_rate(work, b, row_w, row, 6, dt)
    return x


@part
def contact_rows(work, scene, contacts, dt, rows):
    """Blocks of all contacts; returns (status, whether positions need rows of their own)."""
    ids = scene.ids
    data = scene.data
    bounced = 0
    for c in range(contacts):
        a = scene.shape_ints[ids[c, SHAPE_A], SHAPE_BODY]
        b = scene.shape_ints[ids[c, SHAPE_B], SHAPE_BODY]
        sa = source(rows.body_source, BODY, a, rows)
        sb = source(rows.body_source, BODY, b, rows)
        k = new_block(CONTACT, 3, c, rows)
        if k == ROOM or sa == ROOM or sb == ROOM:
            return ROOM, 0
        r = rows.blocks[k, FIRST_ROW]
        x = (data[c, POINT], data[c, POINT + 1], data[c, POINT + 2])
        n = (data[c, NORMAL], data[c, NORMAL + 1], data[c, NORMAL + 2])
        t, u = tangents(n)
        force_row(work, a, b, sa, sb, x, n, r, rows)
        force_row(work, a, b, sa, sb, x, t, r + 1, rows)
        force_row(work, a, b, sa, sb, x, u, r + 2, rows)
        for j in range(3):
            rows.row_b[r + j] = row_rate(work, a, b, rows.row_w, r + j, dt)
            rows.row_p[r + j] = rows.row_b[r + j]
        ma = scene.shape_ints[ids[c, SHAPE_A], MATERIAL]
        mb = scene.shape_ints[ids[c, SHAPE_B], MATERIAL]
        rows.block_reals[k, 0] = scene.friction[ma, mb]
        e = scene.restitution[ma, mb]
        gap = data[c, GAP]
        free = rows.row_b[r]
        now = row_rate(work, a, b, rows.row_w, r, 0.0)
        if e > 0.0 and now < -REST_SPEED and gap + dt * free <= 0.0:
            part = min(max(gap / (-now * dt), 0.0), 1.0) if gap > 0.0 else 0.0
            hit = now + part * (free - now)
            rows.row_b[r] = free - (-e * hit + (1.0 - part) * (free - now))
            rows.row_p[r] = free - (-gap + (1.0 - part) * dt * (-e * hit)) / dt
            bounced = 1
        elif gap > 0.0:
            rows.row_b[r] = free + gap / dt
            rows.row_p[r] = rows.row_b[r]
        else:
            rows.row_b[r] = free - min(PUSH * (-gap) / dt, PUSH_SPEED)
            rows.row_p[r] = rows.row_b[r]
    return 0, bounced


@part
def limit_rows(q, v, a, ends, dt, rows):
    """Blocks of joint limits that the step may reach; returns a status."""
    for d in range(ends.lower.shape[0]):
        i = ends.body[d]
        if i <= 0:
            continue
        x = q[ends.iq[d]]
        free = v[d] + dt * a[d]
        for end in range(2):
            sign = 1.0 if end == 0 else -1.0
            gap = x - ends.lower[d] if end == 0 else ends.upper[d] - x
            if gap + dt * sign * free > LIMIT_NEAR:
                continue
            s = source(rows.joint_source, JOINT, i, rows)
            k = new_block(BOUNDED, 1, 2 * d + end, rows)
            if k == ROOM or s == ROOM:
                return ROOM
            r = rows.blocks[k, FIRST_ROW]
            rows.row_source[r, 0] = s
            rows.row_source[r, 1] = -1
            for j in range(12):
                rows.row_w[r, j] = 0.0
            rows.row_w[r, 0] = sign
            rows.block_reals[k, 1] = 0.0
            rows.block_reals[k, 2] = 1e300
            rows.row_b[r] = sign * free + (gap / dt if gap > 0.0 else max(PUSH * gap / dt, -PUSH_SPEED))
            rows.row_p[r] = rows.row_b[r]
    return 0


@inline
def rotation_error(E):
    """Rotation vector of a rotation matrix (m3)."""
    x = 0.5 * (E[7] - E[5])
    y = 0.5 * (E[2] - E[6])
    z = 0.5 * (E[3] - E[1])
    s = (x * x + y * y + z * z) ** 0.5
    c = 0.5 * (E[0] + E[4] + E[8] - 1.0)
    # angle over sine, from the two: the series near zero, bounded near half a turn
    k = 1.0 + s * s / 6.0 if s < 1e-4 and c > 0.0 else angle(s, c) / max(s, 1e-9)
    return (k * x, k * y, k * z)


@inline
def angle(s, c):
    """atan2(s, c) for s >= 0 by halving twice, then its series: within 1e-12."""
    h = (s * s + c * c) ** 0.5
    t = s / (h + c) if h + c > 1e-12 else 1e12  # tan of half the angle
    t = t / (1.0 + (1.0 + t * t) ** 0.5)
    t = t / (1.0 + (1.0 + t * t) ** 0.5)
    t = t / (1.0 + (1.0 + t * t) ** 0.5)
    t2 = t * t
    p = 1.0 / 23.0
    for k in range(10, -1, -1):
        p = 1.0 / (2.0 * k + 1.0) - t2 * p
    return 16.0 * t * p


@inline
def nine(table, row, k):
    """Nine numbers of a table: a 3x3 matrix."""
    return (
        table[row, k],
        table[row, k + 1],
        table[row, k + 2],
        table[row, k + 3],
        table[row, k + 4],
        table[row, k + 5],
        table[row, k + 6],
        table[row, k + 7],
        table[row, k + 8],
    )


@part
def connection_rows(work, tied, dt, rows):
    """Blocks of all connections; returns a status."""
    for c in range(tied.ints.shape[0]):
        if tied.ints[c, ACTIVE] == 0:
            continue
        a = tied.ints[c, BODY_A]
        b = tied.ints[c, BODY_B]
        sa = source(rows.body_source, BODY, a, rows)
        sb = source(rows.body_source, BODY, b, rows)
        Ra = ld9(work, a * NW + ROT)
        Rb = ld9(work, b * NW + ROT)
        pa = (tied.reals[c, PLACE_A], tied.reals[c, PLACE_A + 1], tied.reals[c, PLACE_A + 2])
        pb = (tied.reals[c, PLACE_B], tied.reals[c, PLACE_B + 1], tied.reals[c, PLACE_B + 2])
        xa = add(ld3(work, a * NW + POS), mv(Ra, pa))
        xb = add(ld3(work, b * NW + POS), mv(Rb, pb))
        Fa = mm(Ra, nine(tied.reals, c, TURN_A))
        Fb = mm(Rb, nine(tied.reals, c, TURN_B))
        gap = sub(xa, xb)
        twist = rotation_error(mm(Fa, mt(Fb)))
        for axis in range(6):
            if (tied.ints[c, AXES] >> axis) & 1 == 0:
                continue
            k = new_block(EQUALITY, 1, 6 * c + axis, rows)
            if k == ROOM or sa == ROOM or sb == ROOM:
                return ROOM
            r = rows.blocks[k, FIRST_ROW]
            j = axis % 3
            d = col(Fa, 0) if j == 0 else (col(Fa, 1) if j == 1 else col(Fa, 2))
            if axis < 3:
                force_row(work, a, b, sa, sb, xb, d, r, rows)
                error = dot(d, gap)
            else:
                rows.row_source[r, 0] = sa
                rows.row_source[r, 1] = sb
                turn_side(d, 1.0, rows.row_w, r, 0)
                turn_side(d, -1.0, rows.row_w, r, 6)
                error = dot(d, twist)
            rows.block_reals[k, 0] = tied.reals[c, SOFT]
            rows.row_b[r] = row_rate(work, a, b, rows.row_w, r, dt) + TIE * error / dt
            rows.row_p[r] = rows.row_b[r]
    return 0
