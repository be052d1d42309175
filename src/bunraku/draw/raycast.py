"""The ray caster's kernels: nearest hit, shadow, shading; spheres, capsules, boxes and a chequered floor.

For a ray o + t d the nearest t of all solids is found: sphere |o + t d - c| = r, capsule = cylinder between two
spheres (quadratics), box by slabs in its own axes (Kay and Kajiya 1986). A hit is lit by the sun (Lambert, Blinn
highlight, sharp shadow) and by the sky (more from above). Two grids keep it quick: screen tiles list the solids
whose bounding disc touches them, and cells of the plane across the sunlight list those that can throw a shadow there.
Pixels where two things or a shadow's edge meet are cast again with 4 rays. Measured in `bunraku bench gait`; checked
in tests/draw/test_render.py against closed forms.
"""

from __future__ import annotations

import math

from bunraku.draw.solid_scene import CAPSULE, SPHERE, Solid
from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.record import Record, int_vector, many, pair, real, ref, vec3, vec3s
from bunraku.kernel.vec import axpy, dot, mtv, mv, scale, sub

FAR = 1e9
FLOOR_ID = -2
SKY_ID = -1


class Eye(Record):
    """Where the picture is taken from."""

    place = vec3()  # m
    right = vec3()
    up = vec3()
    forward = vec3()
    half = real()  # half the picture's height: tan(fov/2), or m for an orthographic one
    perspective = real()  # 1, or 0


class Light(Record):
    """The sun, and two axes across its light."""

    sun = vec3()
    across = vec3s(2)


class Cells(Record):
    """The grid across the sunlight: count x count squares."""

    corner = pair()  # m
    size = real()  # m
    count = real()


class Look(Record):
    """The surroundings; colours linear."""

    sky = vec3()
    floor_colors = vec3s(2)
    tile = real()  # m: of the chequered floor
    floor = real()  # m: its height
    has_floor = real()  # 1, or 0
    fog = real()  # m: where the floor has faded into the sky


class Casting(Record):
    """All that `cast` reads."""

    eye = ref(Eye)
    light = ref(Light)
    cells = ref(Cells)
    look = ref(Look)
    solids = many(Solid)
    tile_starts = int_vector()  # solids of tile k: tile_members[tile_starts[k] : tile_starts[k + 1]]
    tile_members = int_vector()
    cell_starts = int_vector()  # the same of the cells across the sunlight
    cell_members = int_vector()


@inline
def sphere_at(o, d, r):
    """Nearest t > 0 of a ray with a sphere of radius r at the origin, d of length 1; FAR if none."""
    b = dot(o, d)
    disc = b * b - (dot(o, o) - r * r)
    if disc < 0.0:
        return FAR
    t = -b - math.sqrt(disc)
    return t if t > 1e-6 else FAR


@inline
def capsule_at(o, d, r, h):
    """Nearest t > 0 of a ray with a capsule of radius r and half length h along z at the origin."""
    a = d[0] * d[0] + d[1] * d[1]
    if a > 1e-12:
        b = o[0] * d[0] + o[1] * d[1]
        disc = b * b - a * (o[0] * o[0] + o[1] * o[1] - r * r)
        if disc < 0.0:
            return FAR
        t = (-b - math.sqrt(disc)) / a
        z = o[2] + t * d[2]
        if -h <= z <= h:
            return t if t > 1e-6 else FAR
        # outside the cylinder's part: the ray can only meet the cap on that side
        return sphere_at((o[0], o[1], o[2] - (h if z > 0.0 else -h)), d, r)
    return min(sphere_at((o[0], o[1], o[2] - h), d, r), sphere_at((o[0], o[1], o[2] + h), d, r))


@inline
def box_at(o, d, half):
    """Nearest t > 0 of a ray with a box of half sizes at the origin; FAR if none."""
    near, far = -FAR, FAR
    for k in range(3):
        if abs(d[k]) < 1e-12:
            if abs(o[k]) > half[k]:
                return FAR
        else:
            t0, t1 = (-half[k] - o[k]) / d[k], (half[k] - o[k]) / d[k]
            if t0 > t1:
                t0, t1 = t1, t0
            near, far = max(near, t0), min(far, t1)
    if near > far or near < 1e-6:
        return FAR
    return near


@inline
def hit(solid: Solid, o, d):
    """Nearest t of a ray with one solid."""
    away = sub(o, solid.centre)
    if solid.kind == SPHERE:
        return sphere_at(away, d, solid.size[0])
    start, way = mtv(solid.turn, away), mtv(solid.turn, d)
    if solid.kind == CAPSULE:
        return capsule_at(start, way, solid.size[0], solid.size[1])
    return box_at(start, way, solid.size)


@inline
def normal(solid: Solid, point):
    """Outward unit normal of a solid at a point on it."""
    away, size = sub(point, solid.centre), solid.size
    if solid.kind == SPHERE:
        return (away[0] / size[0], away[1] / size[0], away[2] / size[0])
    x, y, z = mtv(solid.turn, away)
    if solid.kind == CAPSULE:
        h = min(max(z, -size[1]), size[1])
        return mv(solid.turn, (x / size[0], y / size[0], (z - h) / size[0]))
    nx = ny = nz = 0.0
    beyond = (abs(x) - size[0], abs(y) - size[1], abs(z) - size[2])
    if beyond[0] >= beyond[1] and beyond[0] >= beyond[2]:
        nx = 1.0 if x > 0.0 else -1.0
    elif beyond[1] >= beyond[2]:
        ny = 1.0 if y > 0.0 else -1.0
    else:
        nz = 1.0 if z > 0.0 else -1.0
    return mv(solid.turn, (nx, ny, nz))


@inline
def shadowed(c: Casting, point):
    """Whether something lies between the point and the sun."""
    light, cells = c.light, c.cells
    u, v = dot(light.across[0], point), dot(light.across[1], point)
    count = int(cells.count)
    i, j = math.floor((u - cells.corner[0]) / cells.size), math.floor((v - cells.corner[1]) / cells.size)
    if i < 0 or j < 0 or i >= count or j >= count:
        return False
    cell = j * count + i
    for k in range(c.cell_starts[cell], c.cell_starts[cell + 1]):  # noqa: SIM110 - a kernel has no generators
        if hit(c.solids[c.cell_members[k]], point, light.sun) < FAR:
            return True
    return False


@inline
def trace(c: Casting, tile, o, d):
    """One ray through a screen tile: an id, and its colour (linear).

    The id is 2 * thing + (1 if in shadow); thing is -1 for the sky, -2 for the floor, else the number of a solid.
    """
    look, sun = c.look, c.light.sun
    best, thing = FAR, SKY_ID
    for k in range(c.tile_starts[tile], c.tile_starts[tile + 1]):
        t = hit(c.solids[c.tile_members[k]], o, d)
        if t < best:
            best, thing = t, c.tile_members[k]
    if look.has_floor > 0.0 and d[2] < -1e-9 and o[2] > look.floor:
        t = (look.floor - o[2]) / d[2]
        if t < best:
            best, thing = t, FLOOR_ID
    if thing == SKY_ID:
        return 2 * thing, look.sky
    point = axpy(best, d, o)
    gloss = 0.0
    if thing == FLOOR_ID:
        n = (0.0, 0.0, 1.0)
        odd = (math.floor(point[0] / look.tile) + math.floor(point[1] / look.tile)) % 2
        base = look.floor_colors[odd]
    else:
        solid = c.solids[thing]
        n = normal(solid, point)
        base, gloss = solid.color, solid.gloss
    facing = dot(n, sun)
    dark = facing <= 0.0
    if not dark:
        dark = shadowed(c, axpy(1e-4, n, point))
    bright, shine = 0.30 + 0.14 * n[2], 0.0
    if not dark:
        bright += 0.72 * facing
        half = sub(sun, d)
        shine = gloss * max(0.0, dot(n, half) / math.sqrt(dot(half, half))) ** 40
    color = axpy(bright, base, (shine, shine, shine))
    if thing == FLOOR_ID:  # the floor fades into the sky
        fade = 1.0 - math.exp(-((best / look.fog) ** 2))
        color = axpy(fade, sub(look.sky, color), color)
    return 2 * thing + (1 if dark else 0), color


@inline
def aim(eye: Eye, width, height, column, row):
    """Start and direction of the ray through a point of the picture (in pixels)."""
    x = eye.half * (2.0 * column - width) / height
    y = eye.half * (height - 2.0 * row) / height
    if eye.perspective > 0.0:
        way = axpy(x, eye.right, axpy(y, eye.up, eye.forward))
        return eye.place, scale(1.0 / math.sqrt(1.0 + x * x + y * y), way)
    return axpy(x, eye.right, axpy(y, eye.up, eye.place)), eye.forward


@inline
def coded(value, gamma):
    """Byte of a linear light value, from the table of sRGB."""
    return gamma[int(min(max(value, 0.0), 1.0) * 4095.0 + 0.5)]


@inline
def at_an_edge(ids, row, column):
    """Whether a neighbour of a pixel shows something else."""
    height, width = ids.shape
    here = ids[row, column]
    return (
        (column > 0 and ids[row, column - 1] != here)
        or (column + 1 < width and ids[row, column + 1] != here)
        or (row > 0 and ids[row - 1, column] != here)
        or (row + 1 < height and ids[row + 1, column] != here)
    )


@entry("h i B i II BBB", nogil=True)
def cast(h, tile, gamma, smooth, ids, image):
    """Fill image[h, w, 3] (bytes, sRGB) and ids[h, w]; with smooth > 0 edge pixels get four rays."""
    c = Casting(h)
    eye = c.eye
    height, width = ids.shape
    across = (width + tile - 1) // tile
    for row in range(height):
        for column in range(width):
            o, d = aim(eye, width, height, column + 0.5, row + 0.5)
            ids[row, column], color = trace(c, (row // tile) * across + column // tile, o, d)
            for k in range(3):
                image[row, column, k] = coded(color[k], gamma)
    if smooth == 0:
        return
    for row in range(height):
        for column in range(width):
            if not at_an_edge(ids, row, column):
                continue
            red, green, blue = 0.0, 0.0, 0.0
            for k in range(4):  # a rotated square of rays
                cx, cy = (0.375, 0.875, 0.125, 0.625)[k], (0.125, 0.375, 0.625, 0.875)[k]
                o, d = aim(eye, width, height, column + cx, row + cy)
                _, color = trace(c, (row // tile) * across + column // tile, o, d)
                red, green, blue = red + min(color[0], 1.0), green + min(color[1], 1.0), blue + min(color[2], 1.0)
            image[row, column, 0] = coded(red / 4.0, gamma)
            image[row, column, 1] = coded(green / 4.0, gamma)
            image[row, column, 2] = coded(blue / 4.0, gamma)
