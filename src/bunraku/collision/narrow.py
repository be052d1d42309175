"""Shapes where their bodies are now: their poses in the world, whether two are near, and the contacts of a pair.

`pair_contacts` fills rows of the contact arrays (bunraku.collision.shape_layout) and returns the next free row. Pairs
are dispatched with the greater kind first; where that exchanges a and b, normals and order are turned round, so that
the normal always points from b to a.
"""

from __future__ import annotations

from bunraku.collision.ball import box_sphere, capsule_sphere, sphere_sphere
from bunraku.collision.boxes import box_box
from bunraku.collision.capsule import capsule_capsule
from bunraku.collision.capsule_box import box_capsule
from bunraku.collision.plane import ball_plane, box_plane, capsule_plane
from bunraku.collision.shape_layout import BOX, CAPSULE, PLANE, SPHERE, Detection
from bunraku.kernel.compile import inline, kernel
from bunraku.kernel.vec import add, dot, ld3, ld9, mm, mv, scale, sub


@inline
def place_shapes(d: Detection, poses, stride):
    """Find the centre of every shape in the world."""
    for s in range(len(d.kinds)):
        x = d.forms[s].place
        body = d.kinds[s].body
        if body > 0:
            x = add(mv(ld9(poses, body * stride), x), ld3(poses, body * stride + 9))
        d.now[s].centre = x


@inline
def rotation_of(d: Detection, poses, stride, s):
    """World <- shape."""
    body = d.kinds[s].body
    if body == 0:
        return d.forms[s].turn
    if d.kinds[s].straight == 1:
        return ld9(poses, body * stride)
    return mm(ld9(poses, body * stride), d.forms[s].turn)


@inline
def axis_of(d: Detection, poses, stride, s):
    """The z axis of a shape in the world."""
    turn = d.forms[s].turn
    z = (turn[2], turn[5], turn[8])
    body = d.kinds[s].body
    return z if body == 0 else mv(ld9(poses, body * stride), z)


@inline
def near(d: Detection, poses, stride, margin, a, b):
    """Whether the bounding spheres of two shapes, or a sphere and a plane, are closer than the margin."""
    w = sub(d.now[a].centre, d.now[b].centre)
    if d.kinds[b].kind == PLANE:
        return dot(w, axis_of(d, poses, stride, b)) < d.forms[a].radius + margin
    if d.kinds[a].kind == PLANE:
        return -dot(w, axis_of(d, poses, stride, a)) < d.forms[b].radius + margin
    r = d.forms[a].radius + d.forms[b].radius + margin
    return dot(w, w) < r * r


@inline
def turn_round(d: Detection, first, row):
    """Negate the normals of a patch and reverse its order."""
    for r in range(first, row):
        d.contacts[r].normal = scale(-1.0, d.contacts[r].normal)
    low = first
    high = row - 1
    while low < high:
        x, y = d.contacts[low], d.contacts[high]
        x.point, y.point = y.point, x.point
        x.normal, y.normal = y.normal, x.normal
        x.gap, y.gap = y.gap, x.gap
        f, g = d.ids[low], d.ids[high]
        f.feature, g.feature = g.feature, f.feature
        low += 1
        high -= 1


@kernel  # a function of its own, compiled once and shared by every kernel that detects contacts
def pair_contacts(d: Detection, poses, stride, margin, a, b, patch, row):
    """Contacts of the shapes a and b from `row` on, with PAIR_POINTS rows free. Returns the next free row."""
    swap = d.kinds[a].kind < d.kinds[b].kind
    x = b if swap else a
    y = a if swap else b
    kx = d.kinds[x].kind
    ky = d.kinds[y].kind
    cx = d.now[x].centre
    cy = d.now[y].centre
    hx = d.forms[x].size
    hy = d.forms[y].size
    first = row
    if kx == BOX:
        box = (cx, rotation_of(d, poses, stride, x), hx)
        if ky == PLANE:
            row = box_plane(box, (cy, axis_of(d, poses, stride, y)), margin, d, row)
        elif ky == SPHERE:
            row = box_sphere(box, (cy, hy[0]), margin, d, row)
        elif ky == CAPSULE:
            row = box_capsule(box, (cy, axis_of(d, poses, stride, y), hy[0], hy[1]), margin, d, row)
        else:
            row = box_box(box, (cy, rotation_of(d, poses, stride, y), hy), margin, d, row)
    elif kx == CAPSULE:
        capsule = (cx, axis_of(d, poses, stride, x), hx[0], hx[1])
        if ky == SPHERE:
            row = capsule_sphere(capsule, (cy, hy[0]), margin, d, row)
        elif ky == PLANE:
            row = capsule_plane(capsule, (cy, axis_of(d, poses, stride, y)), margin, d, row)
        else:
            row = capsule_capsule(capsule, (cy, axis_of(d, poses, stride, y), hy[0], hy[1]), margin, d, row)
    elif kx == SPHERE:
        if ky == PLANE:
            row = ball_plane((cx, hx[0]), (cy, axis_of(d, poses, stride, y)), 0, margin, d, row)
        else:
            row = sphere_sphere((cx, hx[0]), (cy, hy[0]), margin, d, row)
    if swap:
        turn_round(d, first, row)
    for r in range(first, row):
        d.ids[r].a = a
        d.ids[r].b = b
        d.ids[r].patch = patch
    return row
