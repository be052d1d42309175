"""Where things stand in the arrays of collision detection.

Shapes reach kernels as `ints` (ns, NI) and `reals` (ns, NF), a row a shape; those that move come first, those fixed
to the world last. Poses of bodies come as one flat array with a stride: body i has its rotation (9, world <- body) at
i * stride and its position (3) behind it. The scratch of `bunraku.dynamics` is such an array (stride NW of
bunraku.model.layout); body 0 is the world.

A contact is a row of `contact_ids` (max, 4) and of `contacts` (max, 7). The contacts of one pair of shapes are one
patch: they share the normal and stand side by side, in the order of a convex polygon, anticlockwise about the normal.
"""

from __future__ import annotations

# kinds of shape; pairs are dispatched with the greater kind first
PLANE, SPHERE, CAPSULE, BOX, CYLINDER, HULL = range(6)
KINDS = {"plane": PLANE, "sphere": SPHERE, "capsule": CAPSULE, "box": BOX, "cylinder": CYLINDER, "mesh": HULL}
KIND_NAMES = ("plane", "sphere", "capsule", "box", "cylinder", "hull")
GENERAL = CYLINDER  # from this kind on, a shape is handled outside kernels (bunraku.collision.general)

# columns of `ints`
KIND = 0
BODY = 1  # body index in the array of poses; 0 is fixed to the world
FIGURE = 2  # which figure the shape belongs to; -1 for fixed shapes of the world
MATERIAL = 3
STRAIGHT = 4  # 1 where TURN is the identity
NI = 5

# columns of `reals`
SIZE = 0  # 3: sphere (r, 0, 0), capsule and cylinder (r, half length, 0), box (half sizes), as in bunraku.model.Shape
PLACE = 3  # 3: centre in the body frame (in the world where fixed)
TURN = 6  # 9: body <- shape, row by row
RADIUS = 15  # of the sphere about the centre that holds the shape; infinite for a plane
NF = 16

# columns of `contact_ids`
SHAPE_A = 0
SHAPE_B = 1
FEATURE = 2  # which corners or edges touch: the same number from step to step while the same ones touch
PATCH = 3
NID = 4

# columns of `contacts`
POINT = 0  # 3: midway between the two surfaces, world
NORMAL = 3  # 3: unit, from b towards a
GAP = 6  # distance between the surfaces along the normal; negative where they overlap
NC = 7

PAIR_POINTS = 8  # most contacts that one pair can have in kernels

# negative results of `detect`
FULL = -1  # the contact arrays are too small (they need PAIR_POINTS spare rows)
PAIRS_FULL = -2  # the array of pairs is too small

# scratch: two polygons of up to ROOM corners (u, v, gap) and (feature, edge); in reals, centres of shapes follow
ROOM = 12
CLIP_REALS = 2 * ROOM * 3
CLIP_INTS = 2 * ROOM * 2
