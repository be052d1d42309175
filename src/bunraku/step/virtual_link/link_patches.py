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
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, scale, sub
from bunraku.model.layout import DA, NW, OMEGA, POS, VEL
from bunraku.step.contact_rows import REST_SPEED, SLOP
from bunraku.step.rows import body_source, force_pack, lanes_of, new_block, new_pack, tangents, turn_pack
from bunraku.step.step_arrays import OK, ROOM, Step
from bunraku.step.virtual_link.link_arrays import PATCH, LinkStep, Touch
from bunraku.step.virtual_link.link_goals import begin_with, set_goals
from bunraku.step.virtual_link.link_layout import VERTICES
from bunraku.step.virtual_link.link_region import height_rate

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
def put_rates(rates, frame, moves):
    """A motion (v, w) in a frame of three axes: six numbers."""
    for k in range(2):
        for j in range(3):
            rates[3 * k + j] = dot(frame[j], moves[k])


@inline
def bodies_of(s: Step, c):
    """The two bodies of contact c."""
    found = s.detection
    return found.kinds[found.ids[c].a].body, found.kinds[found.ids[c].b].body


@inline
def in_frame(s: Step, touch: Touch, c, axes):
    """(x, y) of contact c in the frame of a patch, whose first two axes are given."""
    r = sub(s.detection.contacts[c].point, touch.origin)
    return dot(axes[0], r), dot(axes[1], r)


@part
def find_patches(s: Step):
    """Patches, their frames and their motion now and without impulses; returns (status, fastest approach of a point
    that touches [m/s])."""
    touches = LinkStep(s).touches
    ids = s.detection.ids
    contacts = s.detection.contacts
    dt = s.numbers.dt
    approach = 0.0
    i = 0
    c = 0
    while c < s.info.contacts:
        if i >= len(touches):
            return ROOM, 0.0
        touch = touches[i]
        end = c
        middle = (0.0, 0.0, 0.0)
        low = c
        while end < s.info.contacts and ids[end].patch == ids[c].patch:
            middle = add(middle, contacts[end].point)
            if contacts[end].gap < contacts[low].gap:
                low = end
            end += 1
        touch.first_contact = c
        touch.contacts = end - c
        touch.first_pack = -1
        n = contacts[c].normal
        t, u = tangents(n)
        x = scale(1.0 / (end - c), middle)
        touch.origin = axpy(dot(n, sub(contacts[low].point, x)), n, x)
        a, b = bodies_of(s, c)
        put_rates(touch.now, (t, u, n), motion(s.work, a, b, touch.origin, 0.0))
        put_rates(touch.free, (t, u, n), motion(s.work, a, b, touch.origin, dt))
        for k in range(c, end):
            rate = height_rate(touch.free, 0, in_frame(s, touch, k, (t, u)))
            if contacts[k].gap + dt * rate <= 0.0:
                approach = max(approach, -rate)
        if end - c > VERTICES:
            s.info.fell = 1
        i += 1
        c = end
    s.rows.count.patches = i
    return OK, approach


@part
def choose_region(s: Step, i, approach, e):
    """The region of patch i and the contacts of its vertices.

    Returns (vertices that touch of themselves, whether it bounces).
    """
    w = LinkStep(s)
    touch, region = w.touches[i], w.links.patches[i].region
    contacts = s.detection.contacts
    dt = s.numbers.dt
    c = touch.first_contact
    axes = tangents(contacts[c].normal)
    bounces = False
    if e > 0.0:
        for k in range(c, c + touch.contacts):
            p = in_frame(s, touch, k, axes)
            if (
                contacts[k].gap + dt * height_rate(touch.free, 0, p) <= 0.0
                and height_rate(touch.now, 0, p) < -REST_SPEED
            ):
                bounces = True
    reach = 0.0 if bounces else dt * approach
    n = 0
    touching = 0
    for k in range(c, c + min(touch.contacts, VERTICES)):
        p = in_frame(s, touch, k, axes)
        after = contacts[k].gap + dt * height_rate(touch.free, 0, p)
        if contacts[k].gap < -SLOP:
            s.rows.count.deep = 1
        if after <= reach:
            touch.vertex_of[n] = k
            region.vertex[n] = p
            n += 1
            if after <= 0.0:
                touching += 1
    region.count = n
    return touching, bounces


@part
def patch_packs(s: Step, i):
    """The two packs of patch i; returns a status."""
    rows = s.rows
    touch = LinkStep(s).touches[i]
    a, b = bodies_of(s, touch.first_contact)
    n = s.detection.contacts[touch.first_contact].normal
    t, u = tangents(n)
    D = lanes_of(t, u, n)
    sa = body_source(rows, a)
    sb = body_source(rows, b)
    pack = new_pack(rows, sa, sb, THREE)
    if pack == ROOM or new_block(rows, PATCH, pack, rows.packs[pack].first, i) == ROOM:
        return ROOM
    force_pack(s.work, a, b, touch.origin, D, pack, rows.w)
    touch.first_pack = pack
    pack = new_pack(rows, sa, sb, THREE)
    if pack == ROOM:
        return ROOM
    turn_pack(D, pack, rows.w)
    return OK


@part
def patch_rows(s: Step):
    """Patches, regions, goals and packs of all contacts; returns a status."""
    info = s.info
    w = LinkStep(s)
    found = s.detection
    kinds = int(len(s.materials) ** 0.5 + 0.5)
    info.bounced = 0
    info.fell = 0
    status, approach = find_patches(s)
    if status != OK:
        return status
    known = 0
    for i in range(s.rows.count.patches):
        c = w.touches[i].first_contact
        a = found.ids[c].a
        b = found.ids[c].b
        material = s.materials[found.kinds[a].material * kinds + found.kinds[b].material]
        touching, bounces = choose_region(s, i, approach, material.restitution)
        region = w.links.patches[i].region
        if region.count == 0:
            continue
        region.mu_s = material.static
        region.mu_d = material.dynamic
        if bounces:
            info.bounced = 1
        set_goals(s, i, material.restitution)
        if patch_packs(s, i) != OK:
            return ROOM
        while known < info.warm and (s.last_ids[known].a < a or (s.last_ids[known].a == a and s.last_ids[known].b < b)):
            known += 1
        begin_with(s, i, known, touching)
    return OK
