"""Records of collision detection: shapes, the contacts between them, and what detection works with.

A shape is a ShapeKind and a ShapeForm, rows of two arrays of the same length; those that move come first, those fixed
to the world last. Poses of bodies come as one flat array with a stride: body i has its rotation (9, world <- body) at
i * stride and its position (3) behind it. The scratch of `bunraku.dynamics` is such an array (stride NW of
bunraku.model.layout); body 0 is the world.

A contact is a ContactId and a Contact. The contacts of one pair of shapes are one patch: they share the normal and
stand side by side, in the order of a convex polygon, anticlockwise about the normal.
"""

from __future__ import annotations

from bunraku.collision.terrain_layout import (
    TerrainAsk,
    TerrainHead,
    TerrainNode,
    TerrainPoint,
    TerrainTriangle,
    TerrainVertex,
)
from bunraku.kernel.record import Record, inner, int_vector, many, mat3, real, ref, vec3, whole, wholes

# kinds of shape; pairs are dispatched with the greater kind first
PLANE, SPHERE, CAPSULE, BOX, CYLINDER, HULL, CONE, ELLIPSOID, TERRAIN = range(9)
KINDS = {
    "plane": PLANE, "sphere": SPHERE, "capsule": CAPSULE, "box": BOX,
    "cylinder": CYLINDER, "mesh": HULL, "cone": CONE, "ellipsoid": ELLIPSOID,
    "terrain": TERRAIN,
}  # fmt: skip
CONVEX = CYLINDER  # from this kind on, bunraku.collision.convex handles a shape
CONVEX_PHASE = 31  # where the table has the phase that does

PAIR_POINTS = 8  # most contacts that one pair can have in kernels
ROOM = 12  # corners of a polygon that is clipped, of two boxes
RING = 16  # corners of a hull's face in kernels
POLYGON = 2 * RING + 4  # corners of a polygon that is clipped, of two hulls
OCTANTS = 8
POLYTOPE, POLYTOPE_FACES = 128, 280  # corners and faces of the polytope that grows in bunraku.collision.epa

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
    hull = whole()  # which of the scene's hulls, or of its terrains, it is


class ShapeForm(Record):
    """Sizes of a shape and its place in its body (in the world where it is fixed)."""

    size = vec3()  # m: sphere (r, 0, 0), capsule, cylinder and cone (r, half length, 0), box and ellipsoid half sizes
    place = vec3()  # m: its centre
    turn = mat3()  # body <- shape
    radius = real()  # m: of the sphere about the centre that holds the shape; infinite for a plane
    half = vec3()  # m: half sizes of the box about the centre that holds it


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


class HullHead(Record):
    """One convex hull of a scene."""

    starts = wholes(OCTANTS)  # vertices from which a climb begins, by the signs of its direction


class HullVertex(Record):
    """A vertex of a hull; its neighbours and its faces end where those of the next vertex begin."""

    place = vec3()  # m: from the centre of the hull's box
    neighbours = whole()  # where they begin in `Hulls.neighbours`
    faces = whole()  # where they begin in `Hulls.around`


class HullFace(Record):
    """A face of a hull; its corners end where those of the next face begin."""

    normal = vec3()  # outward
    corners = whole()  # where they begin in `Hulls.ring`


class Hulls(Record, after=Clip.layout.slots):
    """All hulls of a scene, behind one another, each once; a last vertex and a last face end the lists."""

    heads = many(HullHead)
    vertices = many(HullVertex)
    faces = many(HullFace)
    neighbours = int_vector()  # vertices
    around = int_vector()  # faces at a vertex
    ring = int_vector()  # vertices, anticlockwise seen from outside


class Meeting(Record):
    """The pair of shapes that the convex phase is to look at, the greater kind first, and what it has found."""

    a = whole()
    b = whole()
    row = whole()  # the first free contact
    margin = real()  # m
    turn_a = mat3()  # world <- shape
    turn_b = mat3()


class PairMemory(Record):
    """A direction that held two shapes apart: it saves time and changes no result."""

    key = whole()  # a * ns + b + 1
    axis = vec3()  # unit, from b towards a, in the axes of a
    vertex_a = whole()
    vertex_b = whole()


class DifferencePoint(Record):
    """A point w = a - b of the difference of two shapes, in the axes of a."""

    w = vec3()  # m
    a = vec3()
    b = vec3()
    vertex_a = whole()
    vertex_b = whole()
    weight = real()  # its part in the point nearest to the origin


class PolytopeFace(Record):
    """A triangle of the polytope that grows inside the difference of two shapes."""

    normal = vec3()  # outward
    height = real()  # m: of its plane above the origin
    i = whole()
    j = whole()
    k = whole()
    alive = whole()


class PolytopeEdge(Record):
    """An edge of the hole in it."""

    i = whole()
    j = whole()


class FacePoint(Record):
    """A corner of the part of a shape that looks along a direction, in the axes of a."""

    place = vec3()  # m
    number = whole()


class Candidate(Record):
    """A point that may become a contact, in the axes of a."""

    place = vec3()  # m: midway between the surfaces
    gap = real()  # m
    feature = whole()
    kept = whole()


class Convex(Record, after=Hulls.layout.slots):
    """Scratch of the convex phase."""

    meeting = ref(Meeting)
    memory = many(PairMemory)
    points = many(DifferencePoint)
    faces = many(PolytopeFace)
    edges = many(PolytopeEdge)
    part_a = many(FacePoint)
    part_b = many(FacePoint)
    candidates = many(Candidate)


class Terrains(Record, after=Convex.layout.slots):
    """All terrains of a scene (bunraku.collision.terrain_layout); a last vertex ends the lists."""

    ask = ref(TerrainAsk)
    heads = many(TerrainHead)
    nodes = many(TerrainNode)
    triangles = many(TerrainTriangle)
    vertices = many(TerrainVertex)
    neighbours = int_vector()  # vertices
    points = many(TerrainPoint)
    chosen = int_vector()  # points of a patch


class Detection(Record):
    """What detection works on."""

    clip = inner(Clip)
    hulls = inner(Hulls)
    convex = inner(Convex)
    terrains = inner(Terrains)
    kinds = many(ShapeKind)
    forms = many(ShapeForm)
    now = many(ShapeNow)
    pairs = many(ShapePair)  # candidates; twice as many as can be found by sweeping
    excluded = int_vector()  # sorted numbers a * ns + b of pairs that never touch
    order = int_vector()  # (ns) shapes along the axis of the sweep: kept from call to call
    starts = int_vector()  # (ns + 1) of the pairs of each shape
    ids = many(ContactId)
    contacts = many(Contact)
