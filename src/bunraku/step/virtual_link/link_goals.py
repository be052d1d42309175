"""What a step wants of a patch, and where the search for its state begins.

Wanted at a point with gap g, rate v now and u without impulses:
    g > 0      v+ >= -g/dt                             it may close the gap, no more
    g <= 0     v+ >= PUSH (-g)/dt, or >= -PLAY beyond SLOP; overlap is taken back slowly, bounded (bunraku.step.push_apart)
    impact     as in bunraku.step.contact_rows, with a second right-hand side for positions
A plane through the points' rates gives vz, wx, wy: points that touch of themselves count, the others only where those
leave it open. vx, vy, wz are wanted to be zero.

The search begins with the last step's state (bunraku.step.virtual_link.link_memory), vertices found again by their
features, and the wrench of the impulses at its points; without them, with the points that touch without impulses:
sticking if they approach (an impact), else as they move. Checked in tests/world/test_virtual_link_world.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline, part
from bunraku.kernel.vec import dot, ld3
from bunraku.step.contact_rows import REST_SPEED, push_rate
from bunraku.step.rows import tangents
from bunraku.step.step_arrays import Step
from bunraku.step.virtual_link.link_arrays import LinkStep, Touch
from bunraku.step.virtual_link.link_layout import LINE, NONE, POINT, SLIP, STICK, SURFACE, Patch, Region
from bunraku.step.virtual_link.link_region import height_rate

FAINT = 1e-6  # weight of a point that does not touch of itself in the plane of rates
# `linked`, the memory of a contact: state + 4 mode + 16 where it is the vertex `low` + 32 where it is `high`
OF_MODE, IS_LOW, IS_HIGH = 4, 16, 32


@inline
def wanted_rate(gap, now, free, e, dt):
    """(rate wanted of a point, the same for positions): see the module text."""
    if e > 0.0 and now < -REST_SPEED and gap + dt * free <= 0.0:
        al = min(max(gap / (-now * dt), 0.0), 1.0) if gap > 0.0 else 0.0
        hit = now + al * (free - now)
        return -e * hit + (1.0 - al) * (free - now), (-gap + (1.0 - al) * dt * (-e * hit)) / dt
    rate = -gap / dt if gap > 0.0 else push_rate(gap, dt)
    return rate, rate


@part
def wanted_plane(s: Step, touch: Touch, region: Region, e, positions):
    """(vz, wx, wy) of the plane vz + wx y - wy x through the weighted rates that are wanted of the points of a patch, for
    velocities or for positions; level where they leave it open."""
    dt = s.numbers.dt
    weight = 0.0
    mx = 0.0
    my = 0.0
    mz = 0.0
    xx = 0.0
    xy = 0.0
    yy = 0.0
    xz = 0.0
    yz = 0.0
    for k in range(region.count):  # means and sums of squares about them, one point after the other
        x, y = region.vertex[k]
        gap = s.detection.contacts[touch.vertex_of[k]].gap
        free = height_rate(touch.free, 0, (x, y))
        velocity, position = wanted_rate(gap, height_rate(touch.now, 0, (x, y)), free, e, dt)
        z = position if positions else velocity
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
    ridge = 1e-12 * (xx + yy) + 1e-30
    xx += ridge
    yy += ridge
    det = xx * yy - xy * xy
    slope_x = (yy * xz - xy * yz) / det
    slope_y = (xx * yz - xy * xz) / det
    return mz - slope_x * mx - slope_y * my, slope_y, -slope_x


@part
def set_goals(s: Step, i, e):
    """What is wanted of the rates of patch i; where nothing bounces, positions want the same."""
    w = LinkStep(s)
    touch, region = w.touches[i], w.links.patches[i].region
    goal = wanted_plane(s, touch, region, e, False)
    goal_p = wanted_plane(s, touch, region, e, True) if e > 0.0 else goal
    for k in range(6):
        touch.goal[k] = goal[k - 2] if 2 <= k < 5 else 0.0
        touch.goal_p[k] = goal_p[k - 2] if 2 <= k < 5 else 0.0


@inline
def add_impulse(lam, r, p, f):
    """Add an impulse f = (x, y, z) at the point p of a patch to the wrench of its six rows, from r on."""
    x, y = p
    lam[r] += f[0]
    lam[r + 1] += f[1]
    lam[r + 2] += f[2]
    lam[r + 3] += y * f[2]
    lam[r + 4] -= x * f[2]
    lam[r + 5] += x * f[1] - y * f[0]


@inline
def recall(s: Step, touch: Touch, patch: Patch, known):
    """The last step's state, pv and wrench of a patch, from contact `known` of the last step on. Returns whether it is
    to be begun with."""
    ids = s.detection.ids
    c = touch.first_contact
    r = s.rows.packs[touch.first_pack].first
    normal = s.detection.contacts[c].normal
    t, u = tangents(normal)
    patch.state = NONE
    patch.mode = STICK
    patch.low = -1
    patch.high = -1
    k = known
    while k < s.info.warm and s.last_ids[k].a == ids[c].a and s.last_ids[k].b == ids[c].b:
        last = s.memory[k]
        code = int(last.linked)
        patch.state = code % OF_MODE
        patch.mode = code // OF_MODE % OF_MODE
        if patch.state == NONE:
            break
        for j in range(patch.region.count):
            if ids[touch.vertex_of[j]].feature == s.last_ids[k].feature:
                if code & IS_LOW:
                    patch.low = j
                if code & IS_HIGH:
                    patch.high = j
                p = ld3(last.impulse, 0)
                add_impulse(s.rows.lam, r, patch.region.vertex[j], (dot(t, p), dot(u, p), dot(normal, p)))
        patch.pv = last.linked_pv
        k += 1
    if patch.state == LINE:
        return patch.low >= 0 and patch.high >= 0
    return patch.state == SURFACE or (patch.state == POINT and patch.low >= 0)


@part
def begin_with(s: Step, i, known, touching):
    """Where the search begins for patch i: the last step's state, from contact `known` of the last step on, or the
    points that touch of themselves."""
    w = LinkStep(s)
    touch, patch = w.touches[i], w.links.patches[i]
    region = patch.region
    dt = s.numbers.dt
    fast = 0.0
    for j in range(region.count):
        fast = min(fast, height_rate(touch.now, 0, region.vertex[j]))
    arrives = touching > 0 and fast < -REST_SPEED
    if arrives:
        s.rows.count.born = 1
    if recall(s, touch, patch, known):
        return
    first = -1
    second = -1
    x = 0.0
    y = 0.0
    for j in range(region.count):
        px, py = region.vertex[j]
        if s.detection.contacts[touch.vertex_of[j]].gap + dt * height_rate(touch.free, 0, (px, py)) <= 0.0:
            x += px / touching
            y += py / touching
            if first < 0:
                first = j
            second = j
    patch.mode = STICK if arrives else SLIP  # its motion decides
    patch.state = SURFACE
    patch.low = 0
    patch.high = 0
    if touching == 0:
        patch.state = NONE
    elif touching == 1:
        patch.state = POINT
        patch.low = first
        patch.high = first
    elif touching == 2 and (second == first + 1 or (first == 0 and second == region.count - 1)):
        patch.state = LINE
        patch.low = first if second == first + 1 else second
        patch.high = second if second == first + 1 else first
    patch.pv = (x, y)
