"""What is kept of virtual links from step to step, in ContactMemory: a force at every point of a patch, and where the
search begins.

Forces at points. Normal forces n_k >= 0 at the touching vertices with sum fz and centre pv: one point, or two by the
lever, exactly; on a surface the one of least norm, n_k = c0 + c1 x + c2 y, moved towards a triangle of vertices around
pv until none is negative. Friction follows them,
    f_k = n_k / fz f + w n_k ez x (r_k - pv),   w = nzv / sum n_k |r_k - pv|^2 ,
with the right sum and the right moment about the normal (lost where all pressure is on one point).

State. linked = state + 4 mode + 16 at vertex I + 32 at vertex J on every contact of the patch, linked_pv = pv in the
patch's frame: bunraku.step.virtual_link.link_goals reads them, `link_state` shows them. After a step that the iterative
solver finished they follow from its forces. Part of every snapshot. Checked in
tests/world/test_virtual_link_world.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline, part
from bunraku.kernel.record import handle
from bunraku.kernel.table import ints2, reals1, reals2
from bunraku.kernel.vec import add, dot, scale, sub
from bunraku.step.rows import tangents
from bunraku.step.step_arrays import Step
from bunraku.step.virtual_link.link_arrays import (
    FIRST_CONTACT,
    FIRST_PACK,
    LINK_INTS,
    LINK_REALS,
    LINK_WORK,
    POINTS,
    REGION,
    START,
    VERTEX_OF,
)
from bunraku.step.virtual_link.link_goals import IS_I, IS_J, OF_MODE
from bunraku.step.virtual_link.link_layout import COUNT, LINE, MODE, NONE, SLIP, STATE, STICK, SURFACE, VERTEX, I, J

PRESSING = 1e-6  # of a patch's force: a point with less does not count as touching
STATES = ("none", "point", "line", "surface")


def link_state(linked: float) -> str:
    """The state of the patch that a contact belongs to, from its memory `linked`."""
    return STATES[int(linked) % OF_MODE]


@inline
def corner(reals, i, k):
    """Vertex k of the region of patch i."""
    return reals[i, REGION + VERTEX + 2 * k], reals[i, REGION + VERTEX + 2 * k + 1]


@inline
def twice_area(ax, ay, bx, by, cx, cy):
    """Of the triangle a b c, positive anticlockwise."""
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


@part
def share_surface(reals, i, n, x, y, out):
    """Shares of a unit of pressure at (x, y) among the n vertices of patch i into out[:n]; out[n:2n] is scratch."""
    mx = 0.0
    my = 0.0
    for k in range(n):
        px, py = corner(reals, i, k)
        mx += px / n
        my += py / n
    xx = 0.0
    xy = 0.0
    yy = 0.0
    for k in range(n):
        px, py = corner(reals, i, k)
        xx += (px - mx) * (px - mx)
        xy += (px - mx) * (py - my)
        yy += (py - my) * (py - my)
    det = xx * yy - xy * xy
    cx = (yy * (x - mx) - xy * (y - my)) / det
    cy = (xx * (y - my) - xy * (x - mx)) / det
    least = 1.0
    for k in range(n):
        px, py = corner(reals, i, k)
        out[k] = 1.0 / n + cx * (px - mx) + cy * (py - my)
        least = min(least, out[k])
    if least >= 0.0:
        return
    best = -1e300
    ax, ay = corner(reals, i, 0)
    for k in range(1, n - 1):  # the triangle of the fan around vertex 0 that holds (x, y)
        bx, by = corner(reals, i, k)
        cx, cy = corner(reals, i, k + 1)
        whole = twice_area(ax, ay, bx, by, cx, cy)
        if not whole > 0.0:
            continue
        sa = twice_area(x, y, bx, by, cx, cy) / whole
        sb = twice_area(ax, ay, x, y, cx, cy) / whole
        sc = 1.0 - sa - sb
        if min(sa, sb, sc) > best:
            best = min(sa, sb, sc)
            for j in range(n):
                out[n + j] = 0.0
            out[n] = max(sa, 0.0)
            out[n + k] = max(sb, 0.0)
            out[n + k + 1] = max(sc, 0.0)
    step = 1.0
    for k in range(n):
        if out[k] < 0.0:
            step = min(step, out[n + k] / (out[n + k] - out[k]))
    for k in range(n):
        out[k] = max(out[n + k] + step * (out[k] - out[n + k]), 0.0)


@part
def share_line(reals, i, first, second, x, y, n, out):
    """The same on the line between two vertices."""
    for k in range(n):
        out[k] = 0.0
    ax, ay = corner(reals, i, first)
    bx, by = corner(reals, i, second)
    ex = bx - ax
    ey = by - ay
    t = ((x - ax) * ex + (y - ay) * ey) / (ex * ex + ey * ey)
    t = min(max(t, 0.0), 1.0)
    out[first] = 1.0 - t
    out[second] = t


@part
def keep_patches(s: Step):
    """Remember this step's contacts: forces at points from the patches' wrenches, and the states."""
    h = handle(s)
    rows = s.rows
    ints = ints2(h, LINK_INTS)
    reals = reals2(h, LINK_REALS)
    out = reals1(h, LINK_WORK)
    s.info.warm = s.info.contacts
    for c in range(s.info.contacts):
        this = s.detection.ids[c]
        last = s.last_ids[c]
        last.a = this.a
        last.b = this.b
        last.feature = this.feature
        last.patch = this.patch
        memory = s.memory[c]
        for k in range(3):
            memory.impulse[k] = 0.0
            memory.stretch[k] = 0.0
        memory.slid = 0.0
        memory.linked = 0.0
        memory.linked_pv = (0.0, 0.0)
    for i in range(rows.count.patches):
        pack = ints[i, FIRST_PACK]
        state = ints[i, START + STATE]
        if pack < 0 or state == NONE:
            continue
        r = rows.packs[pack].first  # the wrench: six rows, two packs one after the other
        fx = rows.lam[r]
        fy = rows.lam[r + 1]
        fz = rows.lam[r + 2]
        if not fz > 0.0:
            continue
        mode = ints[i, START + MODE]
        low = ints[i, START + I]
        high = ints[i, START + J]
        n = int(reals[i, REGION + COUNT])
        x = -rows.lam[r + 4] / fz
        y = rows.lam[r + 3] / fz
        if state == SURFACE:
            share_surface(reals, i, n, x, y, out)
        elif state == LINE:
            share_line(reals, i, low, high, x, y, n, out)
        else:
            share_point(out, n, low)
        turn = rows.lam[r + 5] - x * fy + y * fx
        square = 0.0
        for k in range(n):
            px, py = corner(reals, i, k)
            square += out[k] * fz * ((px - x) * (px - x) + (py - y) * (py - y))
        w = turn / square if square > 1e-12 * fz else 0.0
        c0 = ints[i, FIRST_CONTACT]
        normal = s.detection.contacts[c0].normal
        t, u = tangents(normal)
        for c in range(c0, c0 + ints[i, POINTS]):
            s.memory[c].linked = state + OF_MODE * mode
            s.memory[c].linked_pv = (x, y)
        for k in range(n):
            memory = s.memory[ints[i, VERTEX_OF + k]]
            px, py = corner(reals, i, k)
            share = out[k]
            f = add(
                scale(share * fz, normal),
                add(scale(share * fx - w * share * fz * (py - y), t), scale(share * fy + w * share * fz * (px - x), u)),
            )
            for j in range(3):
                memory.impulse[j] = f[j]
            memory.slid = 0.0 if mode == STICK else 1.0
            if state != SURFACE and k == low:
                memory.linked += IS_I
            if state != SURFACE and k == high:
                memory.linked += IS_J


@inline
def share_point(out, n, k):
    """All on vertex k."""
    for j in range(n):
        out[j] = 0.0
    out[k] = 1.0


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
                memory[first].linked += IS_I
                memory[second].linked += IS_J
        c = end
