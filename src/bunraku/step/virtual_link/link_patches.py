"""Patches of virtual links from a world's contacts: frame, region, motion and six rows (N7); what is wanted of them:
link_goals.

The contacts of one pair of shapes are one patch. Frame: z the normal, out of b towards a; x, y two tangents; origin in
the middle of all its points, at the height of the lowest. Its rows (vx vy vz wx wy wz) are two packs, forces and
moments. With gap g and rate u without impulses at a point, the region is the points that can come to touch in this
step,
    g + dt u <= dt (fastest approach of any point that touches),
in an impact with restitution g + dt u <= 0. A patch without such a point is left out. Checked in
tests/world/test_virtual_link_world.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.collision.shape_layout import BODY as SHAPE_BODY
from bunraku.collision.shape_layout import GAP, MATERIAL, NORMAL, POINT, SHAPE_A, SHAPE_B
from bunraku.collision.shape_layout import PATCH as PATCH_ID
from bunraku.kernel.compile import inline, part
from bunraku.kernel.table import ints1, ints2, reals1, reals2
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, scale, sub
from bunraku.model.layout import DA, NW, OMEGA, POS, VEL
from bunraku.step.contact_rows import (
    DYNAMIC,
    REST_SPEED,
    RESTITUTION,
    STATIC,
)
from bunraku.step.rows import FIRST, body_source, force_pack, lanes_of, new_block, new_pack, tangents, turn_pack
from bunraku.step.step_arrays import (
    BOUNCED,
    CONTACTS,
    DT,
    FELL,
    IDS,
    INFO,
    LAST_IDS,
    MATERIALS,
    N_CONTACTS,
    N_WARM,
    NUMBERS,
    OK,
    ROOM,
    SHAPE_INTS,
    model_of,
    rows_of,
)
from bunraku.step.virtual_link.link_arrays import (
    FIRST_CONTACT,
    FIRST_PACK,
    FREE,
    LINK_INTS,
    LINK_REALS,
    N_PATCHES,
    NOW,
    ORIGIN,
    PATCH,
    POINTS,
    REGION,
    VERTEX_OF,
)
from bunraku.step.virtual_link.link_goals import begin_with, height_rate, set_goals, three_of
from bunraku.step.virtual_link.link_layout import (
    COUNT,
    MU_D,
    MU_S,
    VERTEX,
    VERTICES,
)

THREE = np.int64(3)


@inline
def motion(work, a, b, x, dt):
    """(velocity, angular velocity) of body a against b at the point x: now (dt = 0), or after dt without constraint
    impulses."""
    i = a * NW
    j = b * NW
    wa = axpy(dt, ld3(work, i + DA), ld3(work, i + OMEGA))
    wb = axpy(dt, ld3(work, j + DA), ld3(work, j + OMEGA))
    va = add(axpy(dt, ld3(work, i + DA + 3), ld3(work, i + VEL)), cross(wa, sub(x, ld3(work, i + POS))))
    vb = add(axpy(dt, ld3(work, j + DA + 3), ld3(work, j + VEL)), cross(wb, sub(x, ld3(work, j + POS))))
    return sub(va, vb), sub(wa, wb)


@inline
def put_six(reals, i, k, t, u, n, v, w):
    """A motion in the frame (t, u, n) of patch i, six numbers from column k on."""
    reals[i, k] = dot(t, v)
    reals[i, k + 1] = dot(u, v)
    reals[i, k + 2] = dot(n, v)
    reals[i, k + 3] = dot(t, w)
    reals[i, k + 4] = dot(u, w)
    reals[i, k + 5] = dot(n, w)


@inline
def in_frame(data, reals, i, c, t, u):
    """(x, y) of contact c in the frame of patch i."""
    r = sub(three_of(data, c, POINT), three_of(reals, i, ORIGIN))
    return dot(t, r), dot(u, r)


@part
def find_patches(h):
    """Patches, their frames and their motion now and without impulses; returns (status, fastest approach of a point
    that touches [m/s])."""
    _, _, work = model_of(h)
    info = ints1(h, INFO)
    ids = ints2(h, IDS)
    data = reals2(h, CONTACTS)
    shapes = ints2(h, SHAPE_INTS)
    ints = ints2(h, LINK_INTS)
    reals = reals2(h, LINK_REALS)
    dt = reals1(h, NUMBERS)[DT]
    approach = 0.0
    i = 0
    c = 0
    n_contacts = info[N_CONTACTS]
    while c < n_contacts:
        if i >= ints.shape[0]:
            return ROOM, 0.0
        end = c
        middle = (0.0, 0.0, 0.0)
        low = c
        while end < n_contacts and ids[end, PATCH_ID] == ids[c, PATCH_ID]:
            middle = add(middle, three_of(data, end, POINT))
            if data[end, GAP] < data[low, GAP]:
                low = end
            end += 1
        n = three_of(data, c, NORMAL)
        t, u = tangents(n)
        x = scale(1.0 / (end - c), middle)
        x = axpy(dot(n, sub(three_of(data, low, POINT), x)), n, x)
        for k in range(3):
            reals[i, ORIGIN + k] = x[k]
        a = shapes[ids[c, SHAPE_A], SHAPE_BODY]
        b = shapes[ids[c, SHAPE_B], SHAPE_BODY]
        v, w = motion(work, a, b, x, 0.0)
        put_six(reals, i, NOW, t, u, n, v, w)
        v, w = motion(work, a, b, x, dt)
        put_six(reals, i, FREE, t, u, n, v, w)
        for k in range(c, end):
            px, py = in_frame(data, reals, i, k, t, u)
            rate = height_rate(reals, i, FREE, px, py)
            if data[k, GAP] + dt * rate <= 0.0:
                approach = max(approach, -rate)
        ints[i, FIRST_CONTACT] = c
        ints[i, POINTS] = end - c
        ints[i, FIRST_PACK] = -1
        if end - c > VERTICES:
            info[FELL] = 1
        i += 1
        c = end
    rows_of(h).count[N_PATCHES] = i
    return OK, approach


@part
def choose_region(h, i, approach, e):
    """The region of patch i: vertices in LINK_REALS, their contacts in LINK_INTS.

    Returns (vertices that touch of themselves, whether it bounces).
    """
    data = reals2(h, CONTACTS)
    ints = ints2(h, LINK_INTS)
    reals = reals2(h, LINK_REALS)
    dt = reals1(h, NUMBERS)[DT]
    c = ints[i, FIRST_CONTACT]
    t, u = tangents(three_of(data, c, NORMAL))
    bounces = False
    if e > 0.0:
        for k in range(c, c + ints[i, POINTS]):
            x, y = in_frame(data, reals, i, k, t, u)
            if (
                data[k, GAP] + dt * height_rate(reals, i, FREE, x, y) <= 0.0
                and height_rate(reals, i, NOW, x, y) < -REST_SPEED
            ):
                bounces = True
    reach = 0.0 if bounces else dt * approach
    n = 0
    touching = 0
    for k in range(c, c + min(ints[i, POINTS], VERTICES)):
        x, y = in_frame(data, reals, i, k, t, u)
        after = data[k, GAP] + dt * height_rate(reals, i, FREE, x, y)
        if after <= reach:
            ints[i, VERTEX_OF + n] = k
            reals[i, REGION + VERTEX + 2 * n] = x
            reals[i, REGION + VERTEX + 2 * n + 1] = y
            n += 1
            if after <= 0.0:
                touching += 1
    reals[i, REGION + COUNT] = n
    return touching, bounces


@part
def patch_packs(h, i):
    """The two packs of patch i; returns a status."""
    _, _, work = model_of(h)
    rows = rows_of(h)
    ids = ints2(h, IDS)
    shapes = ints2(h, SHAPE_INTS)
    ints = ints2(h, LINK_INTS)
    reals = reals2(h, LINK_REALS)
    c = ints[i, FIRST_CONTACT]
    a = shapes[ids[c, SHAPE_A], SHAPE_BODY]
    b = shapes[ids[c, SHAPE_B], SHAPE_BODY]
    n = three_of(reals2(h, CONTACTS), c, NORMAL)
    t, u = tangents(n)
    D = lanes_of(t, u, n)
    sa = body_source(h, a)
    sb = body_source(h, b)
    pack = new_pack(h, sa, sb, THREE)
    if pack == ROOM or new_block(h, PATCH, pack, rows.packs[pack, FIRST], i) == ROOM:
        return ROOM
    force_pack(work, a, b, three_of(reals, i, ORIGIN), D, pack, rows.w)
    ints[i, FIRST_PACK] = pack
    pack = new_pack(h, sa, sb, THREE)
    if pack == ROOM:
        return ROOM
    turn_pack(D, pack, rows.w)
    return OK


@part
def patch_rows(h):
    """Patches, regions, goals and packs of all contacts; returns a status."""
    info = ints1(h, INFO)
    ids = ints2(h, IDS)
    last_ids = ints2(h, LAST_IDS)
    shapes = ints2(h, SHAPE_INTS)
    materials = reals2(h, MATERIALS)
    ints = ints2(h, LINK_INTS)
    reals = reals2(h, LINK_REALS)
    count = int(materials.shape[0] ** 0.5 + 0.5)
    info[BOUNCED] = 0
    info[FELL] = 0
    status, approach = find_patches(h)
    if status != OK:
        return status
    known = 0
    for i in range(rows_of(h).count[N_PATCHES]):
        c = ints[i, FIRST_CONTACT]
        a = ids[c, SHAPE_A]
        b = ids[c, SHAPE_B]
        m = shapes[a, MATERIAL] * count + shapes[b, MATERIAL]
        touching, bounces = choose_region(h, i, approach, materials[m, RESTITUTION])
        if reals[i, REGION + COUNT] == 0.0:
            continue
        reals[i, REGION + MU_S] = materials[m, STATIC]
        reals[i, REGION + MU_D] = materials[m, DYNAMIC]
        if bounces:
            info[BOUNCED] = 1
        set_goals(h, i, materials[m, RESTITUTION])
        while known < info[N_WARM] and (
            last_ids[known, SHAPE_A] < a or (last_ids[known, SHAPE_A] == a and last_ids[known, SHAPE_B] < b)
        ):
            known += 1
        begin_with(h, i, known, touching)
        if patch_packs(h, i) != OK:
            return ROOM
    return OK
