"""Records of terrain: triangles that stand still, the tree by which they are found, and what is found at them.

All terrains of a scene lie behind one another. Places and normals are in the axes of the terrain. Built by
bunraku.collision.terrain_arrays, read by bunraku.collision.terrain_contacts and its neighbours; the table's record of them is
`Terrains` of bunraku.collision.shape_layout.
"""

from __future__ import annotations

from bunraku.kernel.record import Record, mat3, real, vec3, whole, wholes

TERRAIN_PHASE = 24  # where the table has the phase that meets terrain
TERRAIN_ROOM = 256  # points that one shape can have on one terrain while they are gathered
LEAF = 4  # triangles of a leaf of the tree

FLAT, EDGE, OWN_EDGE = 1, 8, 64  # bits of `TerrainTriangle.edges`, each shifted by the number of the edge


class TerrainHead(Record):
    """One terrain."""

    nodes = whole()  # where its tree begins
    count = whole()  # its nodes
    solid = whole()  # 1: all below it is ground (a height field), 0: a surface with one side


class TerrainNode(Record):
    """A node of the tree, in the order in which it is walked: its children follow it."""

    low = vec3()  # m: the box about all its triangles
    high = vec3()
    skip = whole()  # the node after its last child
    first = whole()  # triangles of a leaf
    count = whole()  # 0 where it is none


class TerrainTriangle(Record):
    """A triangle; its corners stand anticlockwise seen from outside, edge k leads from corner k to the next."""

    normal = vec3()  # of its face: triangles in one plane that hang together are one face
    height = real()  # m: of its plane above the origin
    place_0 = vec3()  # m: its corners
    place_1 = vec3()
    place_2 = vec3()
    low = vec3()  # m: the box about them
    high = vec3()
    corner = wholes(3)  # their vertices
    beside = wholes(3)  # the triangle across an edge, or -1
    beyond = wholes(3)  # the vertex of it that is not on the edge, or -1
    edge = wholes(3)  # numbers of its edges
    edges = (
        whole()
    )  # FLAT: its face goes on; EDGE: the ground is convex or ends there; OWN_EDGE: and this one sees to it
    owned = whole()  # bits: corners where the ground stands out, which this triangle sees to
    face = whole()


class TerrainVertex(Record):
    """A vertex; its neighbours end where those of the next begin."""

    place = vec3()  # m
    normal = vec3()  # unit: mean of the triangles about it
    neighbours = whole()  # where they begin in `bunraku.collision.shape_layout.Terrains`
    inner = whole()  # 1 where it lies inside a face


class TerrainAsk(Record):
    """The shape and the terrain that are to be looked at."""

    a = whole()  # the shape, which moves
    b = whole()  # the terrain
    row = whole()  # the first free contact
    patch = whole()  # number of the first patch
    margin = real()  # m
    turn_a = mat3()  # world <- shape
    turn_b = mat3()


class TerrainPoint(Record):
    """A point that may become a contact, in the axes of the shape."""

    place = vec3()  # m: midway between the surfaces
    normal = vec3()  # out of the ground
    gap = real()  # m
    angle = real()  # rad: about the middle of its patch
    feature = whole()
    patch = whole()
