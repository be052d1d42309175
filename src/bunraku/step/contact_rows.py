"""Rows of contacts: normal and two tangents each, with the right-hand side of a rigid or of a springy contact.

Rigid (document 001, (5)-(10)). With gap g, rate v now, u after the step without impulses:
    g > 0                     v+ >= -g/dt           it may close the gap, no more
    g <= 0                    v+ >= min(PUSH (-g)/dt, PUSH_SPEED)     overlap is taken back slowly, bounded (000, 4.8)
    impact, restitution e     it happens at the part al = g/(-v dt) of the step with the rate vi = v + al (u - v); after it
                              v+ >= -e vi + (1 - al)(u - v), and the positions move as if by  (-g + (1 - al) dt (-e vi)) / dt
Springy (`penalty`): a spring k and damper d at the normal and at the tangents, implicit in the contact velocity, never
pulling, inside the cone:
    lam = -dt (k (g + dt v+) + d v+)   =>   v+ + R lam + k g / (d + dt k) = 0,  R = 1 / (dt (d + dt k));   d = 0 while g > 0
and the same with the tangents' stretch s in the place of g. Impacts are rigid. All write b, so that a solver sees  0 <=
lam _|_ (K + R) lam + b >= 0. `p` is the same for positions where impacts need another. Static friction holds for a
contact that stuck in the last step or is new, dynamic friction for one that slid. Checked in tests/world/.
"""

from __future__ import annotations

import numpy as np

from bunraku.collision.shape_layout import BODY as SHAPE_BODY
from bunraku.collision.shape_layout import FEATURE, GAP, MATERIAL, NORMAL, POINT, SHAPE_A, SHAPE_B
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import split, wide_ld
from bunraku.kernel.table import ints1, ints2, reals1, reals2
from bunraku.kernel.vec import dot
from bunraku.step.rows import (
    CONTACT,
    FIRST,
    FIRST_ROW,
    ORIGIN,
    PACK,
    W,
    body_source,
    force_pack,
    lanes_of,
    new_block,
    new_pack,
    pack_rate,
    tangents,
)
from bunraku.step.step_arrays import (
    BOUNCED,
    CONTACTS,
    DT,
    IDS,
    INFO,
    LAST_FORCE,
    LAST_IDS,
    MATERIALS,
    N_CONTACTS,
    N_WARM,
    NUMBERS,
    OK,
    RATIO,
    ROOM,
    SHAPE_INTS,
    SOFT,
    STIFFNESS,
    STRETCH,
    model_of,
    rows_of,
)

PUSH = 0.2  # part of an overlap that is taken back in a step
PUSH_SPEED = 0.5  # m/s, at the most
REST_SPEED = 0.01  # m/s of approach below which nothing bounces
SLIPS = 1e-4  # m/s of slip from which a contact counts as sliding

# columns of MATERIALS, a row a pair of materials
STATIC, DYNAMIC, RESTITUTION = range(3)
# columns of LAST_FORCE: impulse (3), stretch of the tangents (3), whether it slid; memory of virtual links
# (bunraku.step.virtual_link.link_memory)
IMPULSE, STRETCHED, SLID, LINKED, LINKED_PV = 0, 3, 6, 7, 8
FORCE_COLUMNS = 10
THREE = np.int64(3)


@inline
def find_last(ids, last, known, start, c):
    """(the last step's number of contact c or -1, where its shapes' contacts begin).

    Both lists are in the order of shapes.
    """
    while start < known and (
        last[start, SHAPE_A] < ids[c, SHAPE_A]
        or (last[start, SHAPE_A] == ids[c, SHAPE_A] and last[start, SHAPE_B] < ids[c, SHAPE_B])
    ):
        start += 1
    i = start
    while i < known and last[i, SHAPE_A] == ids[c, SHAPE_A] and last[i, SHAPE_B] == ids[c, SHAPE_B]:
        if last[i, FEATURE] == ids[c, FEATURE]:
            return i, start
        i += 1
    return np.int64(-1), start


@inline
def rigid_rate(gap, free, dt):
    """b of the normal row of a rigid contact."""
    if gap > 0.0:
        return free + gap / dt
    return free - min(PUSH * (-gap) / dt, PUSH_SPEED)


@part
def contact_rows(h, soft):
    """Packs and blocks of all contacts, started from the last step; returns a status. soft: 0 rigid, 1 springy."""
    _, _, work = model_of(h)
    rows = rows_of(h)
    ids = ints2(h, IDS)
    data = reals2(h, CONTACTS)
    shapes = ints2(h, SHAPE_INTS)
    materials = reals2(h, MATERIALS)
    last_ids = ints2(h, LAST_IDS)
    last = reals2(h, LAST_FORCE)
    info = ints1(h, INFO)
    numbers = reals1(h, NUMBERS)
    stretch = reals2(h, STRETCH)
    softness = reals2(h, SOFT)
    dt = numbers[DT]
    count = int(materials.shape[0] ** 0.5 + 0.5)
    start = np.int64(0)
    info[BOUNCED] = 0
    for c in range(info[N_CONTACTS]):
        a = shapes[ids[c, SHAPE_A], SHAPE_BODY]
        b = shapes[ids[c, SHAPE_B], SHAPE_BODY]
        pack = new_pack(h, body_source(h, a), body_source(h, b), THREE)
        if pack == ROOM:
            return ROOM
        r = rows.packs[pack, FIRST]
        k = new_block(h, CONTACT, pack, r, c)
        if k == ROOM:
            return ROOM
        x = (data[c, POINT], data[c, POINT + 1], data[c, POINT + 2])
        n = (data[c, NORMAL], data[c, NORMAL + 1], data[c, NORMAL + 2])
        t, u = tangents(n)
        force_pack(work, a, b, x, lanes_of(n, t, u), pack, rows.w)
        free, free_t, free_u, _ = split(pack_rate(work, a, b, rows.w, pack, dt))
        now, _, _, _ = split(pack_rate(work, a, b, rows.w, pack, 0.0))
        m = shapes[ids[c, SHAPE_A], MATERIAL] * count + shapes[ids[c, SHAPE_B], MATERIAL]
        i, start = find_last(ids, last_ids, info[N_WARM], start, c)
        slid = False
        s = (0.0, 0.0, 0.0)
        if i >= 0:
            f = (last[i, IMPULSE], last[i, IMPULSE + 1], last[i, IMPULSE + 2])
            s = (last[i, STRETCHED], last[i, STRETCHED + 1], last[i, STRETCHED + 2])
            rows.lam[r] = max(dot(n, f), 0.0)
            rows.lam[r + 1] = dot(t, f)
            rows.lam[r + 2] = dot(u, f)
            slid = last[i, SLID] != 0.0
        rows.reals[k, 0] = materials[m, DYNAMIC if slid else STATIC]
        gap = data[c, GAP]
        e = materials[m, RESTITUTION]
        rows.b[r + 1] = free_t
        rows.b[r + 2] = free_u
        softness[c, 0] = 0.0
        softness[c, 1] = 0.0
        hits = e > 0.0 or (soft != 0 and gap > 0.0)
        if hits and now < -REST_SPEED and gap + dt * free <= 0.0:
            al = min(max(gap / (-now * dt), 0.0), 1.0) if gap > 0.0 else 0.0
            hit = now + al * (free - now)
            rows.b[r] = free - (-e * hit + (1.0 - al) * (free - now))
            rows.p[r] = free - (-gap + (1.0 - al) * dt * (-e * hit)) / dt
            info[BOUNCED] = 1
        elif soft == 0:
            rows.b[r] = rigid_rate(gap, free, dt)
            rows.p[r] = rows.b[r]
        else:
            k_n = numbers[STIFFNESS]
            d = numbers[RATIO]
            d_n = d if gap <= 0.0 else 0.0
            softness[c, 0] = 1.0 / (dt * (d_n + dt * k_n))
            softness[c, 1] = 1.0 / (dt * (d + dt * k_n))
            rows.b[r] = free + k_n * gap / (d_n + dt * k_n)
            rows.p[r] = rows.b[r]
            stretch[c, 0] = dot(t, s)
            stretch[c, 1] = dot(u, s)
            rows.b[r + 1] += k_n * stretch[c, 0] / (d + dt * k_n)
            rows.b[r + 2] += k_n * stretch[c, 1] / (d + dt * k_n)
        rows.p[r + 1] = rows.b[r + 1]
        rows.p[r + 2] = rows.b[r + 2]
    return OK


@part
def keep_contacts(h, soft):
    """Remember this step's contacts, their impulses, whether they slide, and the springs' stretch.

    `b` still is the right-hand side.
    """
    rows = rows_of(h)
    ids = ints2(h, IDS)
    last_ids = ints2(h, LAST_IDS)
    last = reals2(h, LAST_FORCE)
    info = ints1(h, INFO)
    numbers = reals1(h, NUMBERS)
    softness = reals2(h, SOFT)
    info[N_WARM] = info[N_CONTACTS]
    for k in range(rows.blocks.shape[0]):
        if k >= info[N_CONTACTS]:  # contacts come first
            break
        c = rows.blocks[k, ORIGIN]
        r = rows.blocks[k, FIRST_ROW]
        pack = rows.blocks[k, PACK]
        mu = rows.reals[k, 0]
        pressed = rows.lam[r]
        cone = mu * pressed
        sheared = (rows.lam[r + 1] ** 2 + rows.lam[r + 2] ** 2) ** 0.5
        slides = 1.0 if pressed > 0.0 and sheared >= cone * (1.0 - 1e-9) else 0.0
        for j in range(3):
            w = wide_ld(rows.w, W * pack + 4 * (3 + j))
            x, y, z, _ = split(w)
            last[c, IMPULSE + j] = pressed * x + rows.lam[r + 1] * y + rows.lam[r + 2] * z
            s = 0.0
            if soft != 0 and pressed > 0.0 and softness[c, 1] > 0.0:
                # v+ = -R lam - k s / (d + dt k) where it sticks; where it slides, the stretch that makes this friction
                # at rest
                k_n = numbers[STIFFNESS]
                d = numbers[RATIO]
                dt = numbers[DT]
                s_t = -(rows.lam[r + 1] / dt) / k_n
                s_u = -(rows.lam[r + 2] / dt) / k_n
                if slides == 0.0:
                    s_t -= d * slip_rate(h, k, 1) / k_n
                    s_u -= d * slip_rate(h, k, 2) / k_n
                s = s_t * y + s_u * z
            last[c, STRETCHED + j] = s
        last[c, SLID] = slides
        for j in range(4):
            last_ids[c, j] = ids[c, j]


@inline
def slip_rate(h, k, j):
    """v+ of tangent j of a sticking, springy contact: from its own law."""
    rows = rows_of(h)
    numbers = reals1(h, NUMBERS)
    c = rows.blocks[k, ORIGIN]
    r = rows.blocks[k, FIRST_ROW]
    s = reals2(h, STRETCH)[c, j - 1]
    k_n = numbers[STIFFNESS]
    return -reals2(h, SOFT)[c, 1] * rows.lam[r + j] - k_n * s / (numbers[RATIO] + numbers[DT] * k_n)
