"""Records of collision detection: shapes, the contacts between them, and what detection works with.

A shape is a ShapeKind and a ShapeForm, rows of two arrays of the same length; those that move come first, those fixed
to the world last. Poses of bodies come as one flat array with a stride: body i has its rotation (9, world <- body) at
i * stride and its position (3) behind it. The scratch of `bunraku.dynamics` is such an array (stride NW of
bunraku.model.layout); body 0 is the world.

A contact is a ContactId and a Contact. The contacts of one pair of shapes are one patch: they share the normal and
stand side by side, in the order of a convex polygon, anticlockwise about the normal.
"""

from __future__ import annotations

from bunraku.kernel.record import Record, inner, int_vector, many, mat3, real, vec3, whole

# kinds of shape; pairs are dispatched with the greater kind first
PLANE, SPHERE, CAPSULE, BOX, CYLINDER, HULL = range(6)
KINDS = {"plane": PLANE, "sphere": SPHERE, "capsule": CAPSULE, "box": BOX, "cylinder": CYLINDER, "mesh": HULL}
GENERAL = CYLINDER  # from this kind on, a shape is handled outside kernels (bunraku.collision.general)

PAIR_POINTS = 8  # most contacts that one pair can have in kernels
ROOM = 12  # corners of a polygon that is clipped

# negative results of detection
FULL = -1  # the contact arrays are too small (they need PAIR_POINTS spare rows)
PAIRS_FULL = -2  # the array of pairs is too small


class ShapeKind(Record):
    """What a shape is, and whose."""

    kind = whole()
    body = whole()  # index in the array of poses; 0 is fixed to the world
    figure = whole()  # which figure it belongs to; -1 for fixed shapes of the world
    material = whole()
    straight = whole()  # 1 where it is not turned in its body


class ShapeForm(Record):
    """Sizes of a shape and its place in its body (in the world where it is fixed)."""

    size = vec3()  # m: sphere (r, 0, 0), capsule and cylinder (r, half length, 0), box half sizes (as in Shape)
    place = vec3()  # m: its centre
    turn = mat3()  # body <- shape
    radius = real()  # m: of the sphere about the centre that holds the shape; infinite for a plane


class ShapeNow(Record):
    """Where a shape is in the world: scratch of detection."""

    centre = vec3()  # m
    low = real()  # m: where it begins along the axis of the sweep


class ShapePair(Record):
    """Two shapes by number, a < b."""

    a = whole()
    b = whole()


class ContactId(Record):
    """Which contact it is."""

    a = whole()  # shape
    b = whole()
    feature = whole()  # which corners or edges touch: the same number from step to step while the same ones touch
    patch = whole()


class Contact(Record):
    """Where two shapes touch."""

    point = vec3()  # m: midway between the two surfaces, world
    normal = vec3()  # unit, from b towards a
    gap = real()  # m: distance between the surfaces along the normal; negative where they overlap


class Corner(Record):
    """A corner of a polygon on a face (bunraku.collision.clip)."""

    u = real()  # m
    v = real()
    gap = real()


class CornerName(Record):
    """What a corner is, and the edge that follows it."""

    feature = whole()
    edge = whole()


class Clip(Record, after=64):  # arrays of a table below 64 belong to contact solvers
    """Room for two polygons, one behind the other."""

    corners = many(Corner)
    names = many(CornerName)


class Detection(Record):
    """What detection works on."""

    clip = inner(Clip)
    kinds = many(ShapeKind)
    forms = many(ShapeForm)
    now = many(ShapeNow)
    pairs = many(ShapePair)  # candidates; twice as many as can be found by sweeping
    excluded = int_vector()  # sorted numbers a * ns + b of pairs that never touch
    order = int_vector()  # (ns) shapes along the axis of the sweep: kept from call to call
    starts = int_vector()  # (ns + 1) of the pairs of each shape
    ids = many(ContactId)
    contacts = many(Contact)
