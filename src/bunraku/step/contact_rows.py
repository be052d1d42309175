"""Rows of contacts: normal and two tangents each, with the right-hand side of a rigid or of a springy contact.

Rigid (Nakaoka et al. 2007, (5)-(10)). With gap g, rate v now, u after the step without impulses:
    g > 0         v+ >= -g/dt           it may close the gap, no more
    g <= 0        v+ >= PUSH (-g)/dt, or >= -PLAY beyond SLOP
                  overlap is taken back slowly, bounded (Nakamura & Yamane 2000, 4.8; bunraku.step.push_apart)
    impact        with restitution e it happens at the part al = g/(-v dt) of the step with the rate vi = v + al (u - v);
                  after it v+ >= -e vi + (1 - al)(u - v), and the positions move as if by
                  (-g + (1 - al) dt (-e vi)) / dt
Springy (`penalty`): a spring k and damper d at the normal and at the tangents, implicit in the contact velocity, never
pulling, inside the cone:
    lam = -dt (k (g + dt v+) + d v+)   =>   v+ + R lam + k g / (d + dt k) = 0,  R = 1 / (dt (d + dt k));
    d = 0 while g > 0
where g counts from the overlap at which the spring was born, and the same with the tangents' stretch s in the place of
g. Impacts are rigid. All write b, so that a solver sees  0 <= lam _|_ (K + R) lam + b >= 0. `p` is the same for
positions where impacts need another. Static friction holds for a contact that stuck in the last step or is new, dynamic
friction for one that slid.

Most points that are seen ahead (the margin) do not close their gap in this step. Where a rigid point did not press in
the last step, and its gap is more than AHEAD times what it would lose, it gets no rows: it is *away*. Impulses of
others may bring it nearer than that, so once they are known the rates of all that are away are looked at; if one of
them would pass its surface the step is done again with rows for all (`away_stay`). Checked in tests/world/.
"""

from __future__ import annotations

import numpy as np

from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import split, wide_ld
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, sub
from bunraku.model.layout import DA, NW, OMEGA, POS, VEL
from bunraku.step.rows import CONTACT, body_source, force_pack, lanes_of, new_block, new_pack, pack_rate, tangents
from bunraku.step.step_arrays import OK, ROOM, RowBlock, Step, W

PUSH = 0.2  # part of an overlap that is taken back in a step
PUSH_SPEED = 0.5  # m/s, at the most
SLOP = 1e-4  # m of overlap from which positions alone are moved
PLAY = 1e-6  # m/s at which deep contacts may approach: what is pressed from two sides is then no contradiction
FAINT = 1e-7  # m of a spring's rest that are nothing
REST_SPEED = 0.01  # m/s of approach below which nothing bounces
THREE = np.int64(3)
AHEAD = 2.0  # times the way of a step


@inline
def find_last(s: Step, start, c):
    """(the last step's number of contact c or -1, where its shapes' contacts begin).

    Both lists are in the order of shapes.
    """
    known = s.info.warm
    this = s.detection.ids[c]
    while start < known and (
        s.last_ids[start].a < this.a or (s.last_ids[start].a == this.a and s.last_ids[start].b < this.b)
    ):
        start += 1
    i = start
    while i < known and s.last_ids[i].a == this.a and s.last_ids[i].b == this.b:
        if s.last_ids[i].feature == this.feature:
            return i, start
        i += 1
    return np.int64(-1), start


@inline
def push_rate(gap, dt):
    """The rate that velocities are asked for where shapes overlap (gap <= 0)."""
    return PUSH * (-gap) / dt if gap >= -SLOP else -PLAY


@inline
def rest_of(s: Step, i, first, c, came):
    """The overlap at which the spring of contact c is at rest: that of its last step i; that of its pair, whose contacts
    began at `first`, where this one is new; where the pair is, all that it cannot have come in a step (`came`, m)."""
    deep = max(-s.detection.contacts[c].gap, 0.0)
    if i >= 0:
        rest = s.memory[i].linked
    else:
        this = s.detection.ids[c]
        known = False
        rest = 0.0
        k = first
        while k < s.info.warm and s.last_ids[k].a == this.a and s.last_ids[k].b == this.b:
            rest = max(rest, s.memory[k].linked)
            known = True
            k += 1
        if not known:
            rest = deep if deep > SLOP + came else 0.0
    rest = min(rest, deep)
    return rest if rest > FAINT else 0.0


@inline
def rigid_rate(gap, free, dt):
    """b of the normal row of a rigid contact."""
    if gap > 0.0:
        return free + gap / dt
    return free - push_rate(gap, dt)


@inline
def rate_of(work, body, x, n, dt):
    """Rate along n of a body's point x: now (dt = 0), or after dt without constraint impulses."""
    b = body * NW
    om = axpy(dt, ld3(work, b + DA), ld3(work, b + OMEGA))
    vel = axpy(dt, ld3(work, b + DA + 3), ld3(work, b + VEL))
    return dot(n, add(vel, cross(om, sub(x, ld3(work, b + POS)))))


@inline
def presses(s: Step, i):
    """Whether contact i of the last step had an impulse."""
    f = s.memory[i].impulse
    return f[0] != 0.0 or f[1] != 0.0 or f[2] != 0.0


@inline
def gain_of(work, body, x, n):
    """Rate along n that a body's point x gains by the impulses that were last spread."""
    b = body * NW
    return dot(n, add(ld3(work, b + DA + 3), cross(ld3(work, b + DA), sub(x, ld3(work, b + POS)))))


@part
def away_stay(s: Step):
    """Whether no contact without rows passes its surface, with the impulses that were last spread."""
    if s.rows.count.every_point != 0 or s.rows.count.rows == 0:
        return True
    found = s.detection
    for c in range(s.info.contacts):
        spring = s.springs[c]
        if spring.away != 0:
            contact = found.contacts[c]
            a = found.kinds[found.ids[c].a].body
            b = found.kinds[found.ids[c].b].body
            x = contact.point
            n = contact.normal
            rate = spring.rate + gain_of(s.work, a, x, n) - gain_of(s.work, b, x, n)
            if contact.gap + s.numbers.dt * rate < 0.0:
                return False
    return True


@part
def contact_rows(s: Step, soft):
    """Packs and blocks of all contacts, started from the last step; returns a status. soft: 0 rigid, 1 springy."""
    work = s.work
    rows = s.rows
    numbers = s.numbers
    found = s.detection
    dt = numbers.dt
    s.info.bounced = 0
    count = int(len(s.materials) ** 0.5 + 0.5)
    start = np.int64(0)
    aheads = soft == 0 and s.info.exact == 0 and rows.count.every_point == 0
    for c in range(s.info.contacts):
        contact = found.contacts[c]
        first = found.kinds[found.ids[c].a]
        second = found.kinds[found.ids[c].b]
        a = first.body
        b = second.body
        n = contact.normal
        gap = contact.gap
        i, start = find_last(s, start, c)
        spring = s.springs[c]
        spring.away = 0
        if aheads and gap > 0.0 and (i < 0 or not presses(s, i)):
            spring.rate = rate_of(work, a, contact.point, n, dt) - rate_of(work, b, contact.point, n, dt)
            now = rate_of(work, a, contact.point, n, 0.0) - rate_of(work, b, contact.point, n, 0.0)
            if gap > -AHEAD * dt * min(spring.rate, now):
                spring.away = 1
                continue
        pack = new_pack(rows, body_source(rows, a), body_source(rows, b), THREE)
        if pack == ROOM:
            return ROOM
        r = rows.packs[pack].first
        k = new_block(rows, CONTACT, pack, r, c)
        if k == ROOM:
            return ROOM
        t, u = tangents(n)
        force_pack(work, a, b, contact.point, lanes_of(n, t, u), pack, rows.w)
        free, free_t, free_u, _ = split(pack_rate(work, a, b, rows.w, pack, dt))
        now, _, _, _ = split(pack_rate(work, a, b, rows.w, pack, 0.0))
        material = s.materials[first.material * count + second.material]
        slid = False
        stretched = (0.0, 0.0, 0.0)
        if i >= 0:
            f = s.memory[i].impulse
            stretched = ld3(s.memory[i].stretch, 0)
            rows.lam[r] = max(dot(n, f), 0.0)
            rows.lam[r + 1] = dot(t, f)
            rows.lam[r + 2] = dot(u, f)
            slid = s.memory[i].slid != 0.0
        rows.blocks[k].friction = material.dynamic if slid else material.static
        e = material.restitution
        rows.b[r + 1] = free_t
        rows.b[r + 2] = free_u
        spring.soft = 0.0
        spring.soft_tangent = 0.0
        spring.rest = 0.0
        hits = e > 0.0 or (soft != 0 and gap > 0.0)
        if hits and now < -REST_SPEED and gap + dt * free <= 0.0:
            al = min(max(gap / (-now * dt), 0.0), 1.0) if gap > 0.0 else 0.0
            hit = now + al * (free - now)
            rows.b[r] = free - (-e * hit + (1.0 - al) * (free - now))
            rows.p[r] = free - (-gap + (1.0 - al) * dt * (-e * hit)) / dt
            s.info.bounced = 1
        elif soft == 0:
            rows.b[r] = rigid_rate(gap, free, dt)
            rows.p[r] = rows.b[r]
            if gap < -SLOP:
                rows.count.deep = 1
        else:
            spring.rest = rest_of(s, i, start, c, -dt * min(now, 0.0))
            if spring.rest > 0.0:
                rows.count.deep = 1
            k_n = numbers.stiffness
            d = numbers.damping
            d_n = d if gap <= 0.0 else 0.0
            spring.soft = 1.0 / (dt * (d_n + dt * k_n))
            spring.soft_tangent = 1.0 / (dt * (d + dt * k_n))
            rows.b[r] = free + k_n * (gap + spring.rest) / (d_n + dt * k_n)
            rows.p[r] = rows.b[r]
            spring.stretch[0] = dot(t, stretched)
            spring.stretch[1] = dot(u, stretched)
            rows.b[r + 1] += k_n * spring.stretch[0] / (d + dt * k_n)
            rows.b[r + 2] += k_n * spring.stretch[1] / (d + dt * k_n)
        rows.p[r + 1] = rows.b[r + 1]
        rows.p[r + 2] = rows.b[r + 2]
    return OK


@part
def keep_contacts(s: Step, soft):
    """Remember this step's contacts, their impulses, whether they slide, and the springs' stretch.

    `b` still is the right-hand side.
    """
    rows = s.rows
    s.info.warm = s.info.contacts
    for c in range(s.info.contacts):
        if s.springs[c].away != 0:
            memory = s.memory[c]
            for j in range(3):
                memory.impulse[j] = 0.0
                memory.stretch[j] = 0.0
            memory.slid = 0.0
            keep_id(s, c)
    for k in range(rows.count.blocks):
        block = rows.blocks[k]
        if block.kind != CONTACT:  # contacts come first
            break
        c = block.origin
        r = block.row
        pressed = rows.lam[r]
        cone = block.friction * pressed
        sheared = (rows.lam[r + 1] ** 2 + rows.lam[r + 2] ** 2) ** 0.5
        slides = 1.0 if pressed > 0.0 and sheared >= cone * (1.0 - 1e-9) else 0.0
        memory = s.memory[c]
        for j in range(3):
            x, y, z, _ = split(wide_ld(rows.w, W * block.pack + 4 * (3 + j)))
            memory.impulse[j] = pressed * x + rows.lam[r + 1] * y + rows.lam[r + 2] * z
            stretch = 0.0
            if soft != 0 and pressed > 0.0 and s.springs[c].soft_tangent > 0.0:
                # v+ = -R lam - k s / (d + dt k) where it sticks; where it slides, the stretch that makes this friction
                # at rest
                k_n = s.numbers.stiffness
                d = s.numbers.damping
                dt = s.numbers.dt
                s_t = -(rows.lam[r + 1] / dt) / k_n
                s_u = -(rows.lam[r + 2] / dt) / k_n
                if slides == 0.0:
                    s_t -= d * slip_rate(s, block, 0) / k_n
                    s_u -= d * slip_rate(s, block, 1) / k_n
                stretch = s_t * y + s_u * z
            memory.stretch[j] = stretch
        memory.slid = slides
        memory.linked = s.springs[c].rest
        keep_id(s, c)


@inline
def keep_id(s: Step, c):
    """Remember which contact c is."""
    this = s.detection.ids[c]
    last = s.last_ids[c]
    last.a = this.a
    last.b = this.b
    last.feature = this.feature
    last.patch = this.patch


@inline
def slip_rate(s: Step, block: RowBlock, j):
    """v+ of tangent j of a sticking, springy contact: from its own law."""
    spring = s.springs[block.origin]
    k_n = s.numbers.stiffness
    lam = s.rows.lam[block.row + 1 + j]
    return -spring.soft_tangent * lam - k_n * spring.stretch[j] / (s.numbers.damping + s.numbers.dt * k_n)
