"""Patches of virtual links from a world's contacts: frame, region, motion and six rows; what is wanted of them:
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

from bunraku.kernel.compile import inline, part
from bunraku.kernel.record import handle
from bunraku.kernel.table import ints2, reals2
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, scale, sub
from bunraku.model.layout import DA, NW, OMEGA, POS, VEL
from bunraku.step.contact_rows import REST_SPEED
from bunraku.step.rows import body_source, force_pack, lanes_of, new_block, new_pack, tangents, turn_pack
from bunraku.step.step_arrays import OK, ROOM, Step
from bunraku.step.virtual_link.link_arrays import (
    FIRST_CONTACT,
    FIRST_PACK,
    FREE,
    LINK_INTS,
    LINK_REALS,
    NOW,
    ORIGIN,
    PATCH,
    POINTS,
    REGION,
    VERTEX_OF,
)
from bunraku.step.virtual_link.link_goals import begin_with, height_rate, set_goals
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
def origin_of(reals, i):
    """Origin of the frame of patch i."""
    return (reals[i, ORIGIN], reals[i, ORIGIN + 1], reals[i, ORIGIN + 2])


@inline
def in_frame(contacts, reals, i, c, t, u):
    """(x, y) of contact c in the frame of patch i."""
    r = sub(contacts[c].point, origin_of(reals, i))
    return dot(t, r), dot(u, r)


@part
def find_patches(s: Step):
    """Patches, their frames and their motion now and without impulses; returns (status, fastest approach of a point
    that touches [m/s])."""
    h = handle(s)
    work = s.work
    ids = s.detection.ids
    contacts = s.detection.contacts
    shapes = s.detection.kinds
    ints = ints2(h, LINK_INTS)
    reals = reals2(h, LINK_REALS)
    dt = s.numbers.dt
    approach = 0.0
    i = 0
    c = 0
    n_contacts = s.info.contacts
    while c < n_contacts:
        if i >= ints.shape[0]:
            return ROOM, 0.0
        end = c
        middle = (0.0, 0.0, 0.0)
        low = c
        while end < n_contacts and ids[end].patch == ids[c].patch:
            middle = add(middle, contacts[end].point)
            if contacts[end].gap < contacts[low].gap:
                low = end
            end += 1
        n = contacts[c].normal
        t, u = tangents(n)
        x = scale(1.0 / (end - c), middle)
        x = axpy(dot(n, sub(contacts[low].point, x)), n, x)
        for k in range(3):
            reals[i, ORIGIN + k] = x[k]
        a = shapes[ids[c].a].body
        b = shapes[ids[c].b].body
        v, w = motion(work, a, b, x, 0.0)
        put_six(reals, i, NOW, t, u, n, v, w)
        v, w = motion(work, a, b, x, dt)
        put_six(reals, i, FREE, t, u, n, v, w)
        for k in range(c, end):
            px, py = in_frame(contacts, reals, i, k, t, u)
            rate = height_rate(reals, i, FREE, px, py)
            if contacts[k].gap + dt * rate <= 0.0:
                approach = max(approach, -rate)
        ints[i, FIRST_CONTACT] = c
        ints[i, POINTS] = end - c
        ints[i, FIRST_PACK] = -1
        if end - c > VERTICES:
            s.info.fell = 1
        i += 1
        c = end
    s.rows.count.patches = i
    return OK, approach


@part
def choose_region(s: Step, i, approach, e):
    """The region of patch i: vertices in LINK_REALS, their contacts in LINK_INTS.

    Returns (vertices that touch of themselves, whether it bounces).
    """
    h = handle(s)
    contacts = s.detection.contacts
    ints = ints2(h, LINK_INTS)
    reals = reals2(h, LINK_REALS)
    dt = s.numbers.dt
    c = ints[i, FIRST_CONTACT]
    t, u = tangents(contacts[c].normal)
    bounces = False
    if e > 0.0:
        for k in range(c, c + ints[i, POINTS]):
            x, y = in_frame(contacts, reals, i, k, t, u)
            if (
                contacts[k].gap + dt * height_rate(reals, i, FREE, x, y) <= 0.0
                and height_rate(reals, i, NOW, x, y) < -REST_SPEED
            ):
                bounces = True
    reach = 0.0 if bounces else dt * approach
    n = 0
    touching = 0
    for k in range(c, c + min(ints[i, POINTS], VERTICES)):
        x, y = in_frame(contacts, reals, i, k, t, u)
        after = contacts[k].gap + dt * height_rate(reals, i, FREE, x, y)
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
def patch_packs(s: Step, i):
    """The two packs of patch i; returns a status."""
    h = handle(s)
    rows = s.rows
    found = s.detection
    ints = ints2(h, LINK_INTS)
    reals = reals2(h, LINK_REALS)
    c = ints[i, FIRST_CONTACT]
    a = found.kinds[found.ids[c].a].body
    b = found.kinds[found.ids[c].b].body
    n = found.contacts[c].normal
    t, u = tangents(n)
    D = lanes_of(t, u, n)
    sa = body_source(rows, a)
    sb = body_source(rows, b)
    pack = new_pack(rows, sa, sb, THREE)
    if pack == ROOM or new_block(rows, PATCH, pack, rows.packs[pack].first, i) == ROOM:
        return ROOM
    force_pack(s.work, a, b, origin_of(reals, i), D, pack, rows.w)
    ints[i, FIRST_PACK] = pack
    pack = new_pack(rows, sa, sb, THREE)
    if pack == ROOM:
        return ROOM
    turn_pack(D, pack, rows.w)
    return OK


@part
def patch_rows(s: Step):
    """Patches, regions, goals and packs of all contacts; returns a status."""
    h = handle(s)
    info = s.info
    found = s.detection
    ints = ints2(h, LINK_INTS)
    reals = reals2(h, LINK_REALS)
    count = int(len(s.materials) ** 0.5 + 0.5)
    info.bounced = 0
    info.fell = 0
    status, approach = find_patches(s)
    if status != OK:
        return status
    known = 0
    for i in range(s.rows.count.patches):
        c = ints[i, FIRST_CONTACT]
        a = found.ids[c].a
        b = found.ids[c].b
        material = s.materials[found.kinds[a].material * count + found.kinds[b].material]
        touching, bounces = choose_region(s, i, approach, material.restitution)
        if reals[i, REGION + COUNT] == 0.0:
            continue
        reals[i, REGION + MU_S] = material.static
        reals[i, REGION + MU_D] = material.dynamic
        if bounces:
            info.bounced = 1
        set_goals(s, i, material.restitution)
        while known < info.warm and (s.last_ids[known].a < a or (s.last_ids[known].a == a and s.last_ids[known].b < b)):
            known += 1
        begin_with(s, i, known, touching)
        if patch_packs(s, i) != OK:
            return ROOM
    return OK
