"""What a step wants of a patch, and where the search for its state begins.

Wanted at a point with gap g, rate v now and u without impulses:
    g > 0      v+ >= -g/dt                             it may close the gap, no more
    g <= 0     v+ >= min(PUSH (-g)/dt, PUSH_SPEED)     overlap is taken back slowly, bounded
    impact     as in bunraku.step.contact_rows, with a second right-hand side for positions
A plane through the points' rates gives vz, wx, wy: points that touch of themselves count, the others only where those
leave it open. vx, vy, wz are wanted to be zero.

The search begins with the last step's state (bunraku.step.virtual_link.link_memory), vertices found again by their
features, and the wrench of the impulses at its points; without them, with the points that touch without impulses:
sticking if they approach (an impact), else as they move. Checked in tests/world/test_virtual_link_world.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline, part
from bunraku.kernel.record import handle
from bunraku.kernel.table import ints2, reals2
from bunraku.kernel.vec import dot, ld3
from bunraku.step.contact_rows import PUSH, PUSH_SPEED, REST_SPEED
from bunraku.step.rows import tangents
from bunraku.step.step_arrays import Step
from bunraku.step.virtual_link.link_arrays import (
    FIRST_CONTACT,
    FREE,
    GOAL,
    GOAL_P,
    LINK_INTS,
    LINK_REALS,
    NOW,
    REGION,
    START,
    START_PV,
    VERTEX_OF,
    WRENCH,
)
from bunraku.step.virtual_link.link_layout import (
    COUNT,
    LINE,
    MODE,
    NONE,
    SLIP,
    STATE,
    STICK,
    SURFACE,
    VERTEX,
    I,
    J,
)
from bunraku.step.virtual_link.link_layout import POINT as POINT_STATE

FAINT = 1e-6  # weight of a point that does not touch of itself in the plane of rates
# LINKED, the memory of a contact: state + 4 mode + 16 where it is vertex I + 32 where it is J
OF_MODE, IS_I, IS_J = 4, 16, 32


@inline
def height_rate(reals, i, k, x, y):
    """Rate along the normal at (x, y) of the motion in columns k .. k + 5."""
    return reals[i, k + 2] + reals[i, k + 3] * y - reals[i, k + 4] * x


@inline
def wanted_rate(gap, now, free, e, dt):
    """(rate wanted of a point, the same for positions): see the module text."""
    if e > 0.0 and now < -REST_SPEED and gap + dt * free <= 0.0:
        al = min(max(gap / (-now * dt), 0.0), 1.0) if gap > 0.0 else 0.0
        hit = now + al * (free - now)
        return -e * hit + (1.0 - al) * (free - now), (-gap + (1.0 - al) * dt * (-e * hit)) / dt
    rate = -gap / dt if gap > 0.0 else min(PUSH * (-gap) / dt, PUSH_SPEED)
    return rate, rate


@inline
def plane(weight, mx, my, mz, xx, xy, yy, xz, yz):
    """(vz, wx, wy) of the plane vz + wx y - wy x through weighted points, from their sums about (mx, my); level where
    they leave it open."""
    ridge = 1e-12 * (xx + yy) + 1e-30
    xx += ridge
    yy += ridge
    det = xx * yy - xy * xy
    slope_x = (yy * xz - xy * yz) / det
    slope_y = (xx * yz - xy * xz) / det
    return mz - slope_x * mx - slope_y * my, slope_y, -slope_x


@part
def set_goals(s: Step, i, e):
    """What is wanted of the rates of patch i."""
    h = handle(s)
    contacts = s.detection.contacts
    ints = ints2(h, LINK_INTS)
    reals = reals2(h, LINK_REALS)
    dt = s.numbers.dt
    n = int(reals[i, REGION + COUNT])
    for side in range(2 if e > 0.0 else 1):
        weight = 0.0
        mx = 0.0
        my = 0.0
        mz = 0.0
        xx = 0.0
        xy = 0.0
        yy = 0.0
        xz = 0.0
        yz = 0.0
        for k in range(n):  # means and sums of squares about them, one point after the other
            x = reals[i, REGION + VERTEX + 2 * k]
            y = reals[i, REGION + VERTEX + 2 * k + 1]
            gap = contacts[ints[i, VERTEX_OF + k]].gap
            free = height_rate(reals, i, FREE, x, y)
            velocity, position = wanted_rate(gap, height_rate(reals, i, NOW, x, y), free, e, dt)
            z = velocity if side == 0 else position
            count = 1.0 if gap + dt * free <= 0.0 else FAINT
            weight += count
            dx = x - mx
            dy = y - my
            dz = z - mz
            share = count / weight
            mx += dx * share
            my += dy * share
            mz += dz * share
            xx += count * dx * (x - mx)
            xy += count * dx * (y - my)
            yy += count * dy * (y - my)
            xz += count * dx * (z - mz)
            yz += count * dy * (z - mz)
        vz, wx, wy = plane(weight, mx, my, mz, xx, xy, yy, xz, yz)
        to = GOAL if side == 0 else GOAL_P
        for k in range(6):
            reals[i, to + k] = 0.0
        reals[i, to + 2] = vz
        reals[i, to + 3] = wx
        reals[i, to + 4] = wy
    if not e > 0.0:  # nothing bounces: positions want the same
        for k in range(6):
            reals[i, GOAL_P + k] = reals[i, GOAL + k]


@part
def begin_with(s: Step, i, known, touching):
    """Where the search begins for patch i: the last step's state, from contact `known` of the last step on, or the
    points that touch of themselves."""
    h = handle(s)
    contacts = s.detection.contacts
    ids = s.detection.ids
    ints = ints2(h, LINK_INTS)
    reals = reals2(h, LINK_REALS)
    dt = s.numbers.dt
    c = ints[i, FIRST_CONTACT]
    n = int(reals[i, REGION + COUNT])
    state = NONE
    mode = STICK
    low = -1
    high = -1
    for j in range(6):
        reals[i, WRENCH + j] = 0.0
    normal = contacts[c].normal
    t, u = tangents(normal)
    fast = 0.0
    for j in range(n):
        x = reals[i, REGION + VERTEX + 2 * j]
        y = reals[i, REGION + VERTEX + 2 * j + 1]
        fast = min(fast, height_rate(reals, i, NOW, x, y))
    if touching > 0 and fast < -REST_SPEED:
        s.rows.count.born = 1
    k = known
    while k < s.info.warm and s.last_ids[k].a == ids[c].a and s.last_ids[k].b == ids[c].b:
        last = s.memory[k]
        code = int(last.linked)
        state = code % OF_MODE
        mode = code // OF_MODE % OF_MODE
        if state == NONE:
            break
        for j in range(n):
            if ids[ints[i, VERTEX_OF + j]].feature == s.last_ids[k].feature:
                if code & IS_I:
                    low = j
                if code & IS_J:
                    high = j
                x = reals[i, REGION + VERTEX + 2 * j]
                y = reals[i, REGION + VERTEX + 2 * j + 1]
                p = ld3(last.impulse, 0)
                fx = dot(t, p)
                fy = dot(u, p)
                fz = dot(normal, p)
                reals[i, WRENCH] += fx
                reals[i, WRENCH + 1] += fy
                reals[i, WRENCH + 2] += fz
                reals[i, WRENCH + 3] += y * fz
                reals[i, WRENCH + 4] -= x * fz
                reals[i, WRENCH + 5] += x * fy - y * fx
        pv = last.linked_pv
        reals[i, START_PV] = pv[0]
        reals[i, START_PV + 1] = pv[1]
        k += 1
    if state == SURFACE or (state == LINE and low >= 0 and high >= 0) or (state == POINT_STATE and low >= 0):
        ints[i, START + STATE] = state
        ints[i, START + I] = low
        ints[i, START + J] = high
        ints[i, START + MODE] = mode
        return
    first = -1
    second = -1
    x = 0.0
    y = 0.0
    for j in range(n):
        px = reals[i, REGION + VERTEX + 2 * j]
        py = reals[i, REGION + VERTEX + 2 * j + 1]
        if contacts[ints[i, VERTEX_OF + j]].gap + dt * height_rate(reals, i, FREE, px, py) <= 0.0:
            x += px / touching
            y += py / touching
            if first < 0:
                first = j
            second = j
    ints[i, START + MODE] = SLIP  # its motion decides
    if touching > 0 and fast < -REST_SPEED:
        ints[i, START + MODE] = STICK
    ints[i, START + STATE] = SURFACE
    ints[i, START + I] = 0
    ints[i, START + J] = 0
    if touching == 0:
        ints[i, START + STATE] = NONE
    elif touching == 1:
        ints[i, START + STATE] = POINT_STATE
        ints[i, START + I] = first
        ints[i, START + J] = first
    elif touching == 2 and (second == first + 1 or (first == 0 and second == n - 1)):
        ints[i, START + STATE] = LINE
        ints[i, START + I] = first if second == first + 1 else second
        ints[i, START + J] = second if second == first + 1 else first
    reals[i, START_PV] = x
    reals[i, START_PV + 1] = y
