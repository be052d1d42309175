"""What is kept of virtual links from step to step, in ContactMemory: a force at every point of a patch, and where the
search begins.

Forces at points. Normal forces n_k >= 0 at the touching vertices with sum fz and centre pv: one point, or two by the
lever, exactly; on a surface the one of least norm, n_k = c0 + c1 x + c2 y, moved towards a triangle of vertices around
pv until none is negative. Friction follows them,
    f_k = n_k / fz f + w n_k ez x (r_k - pv),   w = nzv / sum n_k |r_k - pv|^2 ,
with the right sum and the right moment about the normal (lost where all pressure is on one point).

State. linked = state + 4 mode + 16 at vertex `low` + 32 at vertex `high` on every contact of the patch, linked_pv = pv in the
patch's frame: bunraku.step.virtual_link.link_goals reads them, `link_state` shows them. After a step that the iterative
solver finished they follow from its forces. Part of every snapshot. Checked in
tests/world/test_virtual_link_world.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import add, dot, ld6, scale, sub
from bunraku.step.contact_rows import keep_id
from bunraku.step.rows import tangents
from bunraku.step.step_arrays import Step
from bunraku.step.virtual_link.link_arrays import LinkStep, Touch
from bunraku.step.virtual_link.link_goals import IS_HIGH, IS_LOW, OF_MODE
from bunraku.step.virtual_link.link_layout import LINE, NONE, SLIP, STICK, SURFACE, Patch, Region
from bunraku.step.virtual_link.link_region import edge

PRESSING = 1e-6  # of a patch's force: a point with less does not count as touching
STATES = ("none", "point", "line", "surface")


def link_state(linked: float) -> str:
    """The state of the patch that a contact belongs to, from its memory `linked`."""
    return STATES[int(linked) % OF_MODE]


@inline
def twice_area(a, b, c):
    """Of the triangle a b c, positive anticlockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@inline
def share_triangle(region: Region, p, out):
    """Shares of a unit of pressure at p among three vertices around it."""
    best = -1e300
    a = region.vertex[0]
    for k in range(1, region.count - 1):  # the triangle of the fan around vertex 0 that holds p
        b = region.vertex[k]
        c = region.vertex[k + 1]
        whole = twice_area(a, b, c)
        if not whole > 0.0:
            continue
        sa = twice_area(p, b, c) / whole
        sb = twice_area(a, p, c) / whole
        sc = 1.0 - sa - sb
        if min(sa, sb, sc) > best:
            best = min(sa, sb, sc)
            for j in range(region.count):
                out[j] = 0.0
            out[0] = max(sa, 0.0)
            out[k] = max(sb, 0.0)
            out[k + 1] = max(sc, 0.0)


@part
def share_surface(region: Region, p, touch: Touch):
    """Shares of a unit of pressure at p among the vertices of a surface."""
    share, corner = touch.share, touch.corner
    n = region.count
    x, y = p
    mx = 0.0
    my = 0.0
    for k in range(n):
        px, py = region.vertex[k]
        mx += px / n
        my += py / n
    xx = 0.0
    xy = 0.0
    yy = 0.0
    for k in range(n):
        px, py = region.vertex[k]
        xx += (px - mx) * (px - mx)
        xy += (px - mx) * (py - my)
        yy += (py - my) * (py - my)
    det = xx * yy - xy * xy
    cx = (yy * (x - mx) - xy * (y - my)) / det
    cy = (xx * (y - my) - xy * (x - mx)) / det
    least = 1.0
    for k in range(n):
        px, py = region.vertex[k]
        share[k] = 1.0 / n + cx * (px - mx) + cy * (py - my)
        least = min(least, share[k])
    if least >= 0.0:
        return
    share_triangle(region, p, corner)
    step = 1.0
    for k in range(n):
        if share[k] < 0.0:
            step = min(step, corner[k] / (corner[k] - share[k]))
    for k in range(n):
        share[k] = max(corner[k] + step * (share[k] - corner[k]), 0.0)


@part
def share_out(patch: Patch, p, touch: Touch):
    """Shares of a unit of pressure at p among the vertices of a patch."""
    if patch.state == SURFACE:
        share_surface(patch.region, p, touch)
        return
    for k in range(patch.region.count):
        touch.share[k] = 0.0
    t = 0.0
    if patch.state == LINE:
        ax, ay, ex, ey = edge(patch.region, patch.low, patch.high)
        t = ((p[0] - ax) * ex + (p[1] - ay) * ey) / (ex * ex + ey * ey)
        t = min(max(t, 0.0), 1.0)
        touch.share[patch.high] = t
    touch.share[patch.low] = 1.0 - t


@part
def keep_patches(s: Step):
    """Remember this step's contacts: forces at points from the patches' wrenches, and the states."""
    w = LinkStep(s)
    s.info.warm = s.info.contacts
    for c in range(s.info.contacts):
        keep_id(s, c)
        memory = s.memory[c]
        for k in range(3):
            memory.impulse[k] = 0.0
            memory.stretch[k] = 0.0
        memory.slid = 0.0
        memory.linked = 0.0
        memory.linked_pv = (0.0, 0.0)
    for i in range(s.rows.count.patches):
        touch, patch = w.touches[i], w.links.patches[i]
        if touch.first_pack >= 0 and patch.state != NONE:
            # the wrench: six rows, two packs one after the other
            keep_patch(s, touch, patch, ld6(s.rows.lam, s.rows.packs[touch.first_pack].first))


@part
def keep_patch(s: Step, touch: Touch, patch: Patch, wrench):
    """The same for the contacts of one patch."""
    fx, fy, fz, nx, ny, nz = wrench
    if not fz > 0.0:
        return
    region = patch.region
    x = -ny / fz
    y = nx / fz
    share_out(patch, (x, y), touch)
    turn = nz - x * fy + y * fx
    square = 0.0
    for k in range(region.count):
        px, py = region.vertex[k]
        square += touch.share[k] * fz * ((px - x) * (px - x) + (py - y) * (py - y))
    w = turn / square if square > 1e-12 * fz else 0.0
    c0 = touch.first_contact
    normal = s.detection.contacts[c0].normal
    t, u = tangents(normal)
    for c in range(c0, c0 + touch.contacts):
        s.memory[c].linked = patch.state + OF_MODE * patch.mode
        s.memory[c].linked_pv = (x, y)
    for k in range(region.count):
        memory = s.memory[touch.vertex_of[k]]
        px, py = region.vertex[k]
        share = touch.share[k]
        f = add(
            scale(share * fz, normal),
            add(scale(share * fx - w * share * fz * (py - y), t), scale(share * fy + w * share * fz * (px - x), u)),
        )
        for j in range(3):
            memory.impulse[j] = f[j]
        memory.slid = 0.0 if patch.mode == STICK else 1.0
        if patch.state != SURFACE and k == patch.low:
            memory.linked += IS_LOW
        if patch.state != SURFACE and k == patch.high:
            memory.linked += IS_HIGH


@part
def keep_points(s: Step):
    """After the iterative solver: states from the forces at the points."""
    ids = s.detection.ids
    contacts = s.detection.contacts
    memory = s.memory
    c = 0
    while c < s.info.contacts:
        n = contacts[c].normal
        t, u = tangents(n)
        end = c
        total = 0.0
        middle = (0.0, 0.0, 0.0)
        centre = (0.0, 0.0, 0.0)
        while end < s.info.contacts and ids[end].patch == ids[c].patch:
            press = max(dot(n, memory[end].impulse), 0.0)
            x = contacts[end].point
            total += press
            middle = add(middle, x)
            centre = add(centre, scale(press, x))
            end += 1
        count = 0
        first = -1
        second = -1
        slides = 0.0
        for k in range(c, end):
            memory[k].linked = 0.0
            if total > 0.0 and dot(n, memory[k].impulse) > PRESSING * total:
                count += 1
                slides = max(slides, memory[k].slid)
                if first < 0:
                    first = k
                second = k
        state = min(count, 3)
        if count == 2 and second != first + 1:
            if first == c and second == end - 1:  # the edge that closes the polygon
                first, second = second, first
            else:
                state = SURFACE
        if state != NONE:
            r = sub(scale(1.0 / total, centre), scale(1.0 / (end - c), middle))
            for k in range(c, end):
                memory[k].linked = state + OF_MODE * (SLIP if slides != 0.0 else STICK)
                memory[k].linked_pv = (dot(t, r), dot(u, r))
            if state != SURFACE:
                memory[first].linked += IS_LOW
                memory[second].linked += IS_HIGH
        c = end
