"""The kernels that draw: nearest hit, shadow, shading; spheres, capsules, boxes, ellipsoids, triangles and a chequered
floor.

For a ray o + t d the nearest t of all solids is found: sphere |o + t d - c| = r, capsule = cylinder between two
spheres (quadratics), box by slabs in its own axes (Kay and Kajiya 1986). A hit is lit by the sun (Lambert, Blinn
highlight, sharp shadow) and by the sky (more from above). Two grids keep it quick: screen tiles list the solids
whose bounding disc touches them, and cells of the plane across the sunlight list those that can throw a shadow there.
Triangles come from a z-buffer (bunraku.draw.rasterise) and are one more candidate of every ray; the shadow that they
throw is read from a map along the sunlight, the mean over 4 x 4 of its cells, which makes its edge soft. Pixels where
two things meet, or of a figure that differ from a neighbour by more than CONTRAST, are cast again with 4 rays (Mitchell 1987). A
picture is drawn in bands of rows, each with a row of its neighbours, and does not depend on them. Measured in `bunraku
bench gait`; checked in tests/draw/test_render.py and tests/draw/test_rasterise.py against closed forms.
"""

from __future__ import annotations

import math

from bunraku.draw.rasterise import NOTHING, SAMPLES_X, SAMPLES_Y, Triangles, cover, mixed, shares, surface_normal
from bunraku.draw.solid_scene import CAPSULE, ELLIPSOID, SPHERE, Solid
from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.kernel.record import Record, inner, int_vector, many, matrix, pair, real, ref, vec3, vec3s, whole
from bunraku.kernel.vec import axpy, dot, mtv, mv, scale, sub

FAR = 1e9
FLOOR_ID = -2
SKY_ID = -1
CONTRAST = 10.0  # of 255


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


class ShadowMap(Record):
    """Where the map of the triangles' heights along the sunlight lies: count x count squares."""

    corner = pair()  # m: of the first cell, along `across`; rows go down from there
    size = real()  # m: of a cell
    count = real()  # 0: there are no triangles


class Window(Record):
    """A band of rows of a picture, and where triangles lie in it."""

    width = whole()  # of the picture
    height = whole()
    first = whole()  # row of the picture that scratch begins with
    begin = whole()  # rows that are written: begin ... end - 1
    end = whole()
    left = whole()  # column that the z-buffer begins with
    tile = whole()  # pixels of a screen tile
    smooth = whole()


class Casting(Record):
    """All that `cast` reads."""

    mesh = inner(Triangles)
    heights = matrix()  # the shadow map
    shadow = ref(ShadowMap)
    window = ref(Window)
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
def ellipsoid_at(o, d, half):
    """Nearest t > 0 of a ray with an ellipsoid of half sizes at the origin: with a sphere in axes that are scaled."""
    start = (o[0] / half[0], o[1] / half[1], o[2] / half[2])
    way = (d[0] / half[0], d[1] / half[1], d[2] / half[2])
    a = dot(way, way)
    b = dot(start, way)
    disc = b * b - a * (dot(start, start) - 1.0)
    if disc < 0.0:
        return FAR
    t = (-b - math.sqrt(disc)) / a
    return t if t > 1e-6 else FAR


@inline
def hit(solid: Solid, o, d):
    """Nearest t of a ray with one solid."""
    away = sub(o, solid.centre)
    if solid.kind == SPHERE:
        return sphere_at(away, d, solid.size[0])
    start, way = mtv(solid.turn, away), mtv(solid.turn, d)
    if solid.kind == CAPSULE:
        return capsule_at(start, way, solid.size[0], solid.size[1])
    if solid.kind == ELLIPSOID:
        return ellipsoid_at(start, way, solid.size)
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
    if solid.kind == ELLIPSOID:
        out = (x / (size[0] * size[0]), y / (size[1] * size[1]), z / (size[2] * size[2]))
        return mv(solid.turn, scale(1.0 / math.sqrt(dot(out, out)), out))
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
    """Whether a solid lies between the point and the sun."""
    light, cells = c.light, c.cells
    if len(c.cell_members) == 0:
        return False
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
def lit_through(c: Casting, point, n):
    """Share of the sunlight that triangles leave at a point with normal n: 1 less the mean of cells above it."""
    shadow, light = c.shadow, c.light
    count = int(shadow.count)
    if count == 0:
        return 1.0
    p = axpy(2.0 * shadow.size, n, point)  # a surface does not shade itself
    x = (dot(light.across[0], p) - shadow.corner[0]) / shadow.size - 0.5
    y = (shadow.corner[1] - dot(light.across[1], p)) / shadow.size - 0.5
    column, row = math.floor(x), math.floor(y)
    if column < -2 or row < -2 or column >= count + 1 or row >= count + 1:
        return 1.0
    fx, fy = x - column, y - row
    height = dot(light.sun, p) + 2.0 * shadow.size
    dark = 0.0
    for j in range(4):  # a tent of the width of 3 cells, wherever the point lies in its cell
        for i in range(4):
            u, v = column + i - 1, row + j - 1
            if 0 <= u < count and 0 <= v < count and c.heights[v, u] > height:
                dark += (1.0 - fx, 1.0, 1.0, fx)[i] * (1.0 - fy, 1.0, 1.0, fy)[j]
    return 1.0 - dark / 9.0


@inline
def tent(x):
    """The integral of a square wave that is 1 in [0, 1), -1 in [1, 2) and so on."""
    y = x - 2.0 * math.floor(0.5 * x)
    return 1.0 - abs(y - 1.0)


@inline
def chequer(c: Casting, point, ray, best):
    """Share of the second colour of the floor in the pixel about a point of it: means over the pixel's widths along x
    and y, from the derivatives of the point p = o + s w, w = forward + x right + y up:  dp/dx = s (right - w right_z / w_z)."""
    eye, tile = c.eye, c.look.tile
    _, d, _, _ = ray
    pixel = c.mesh.lens.pixel
    if eye.perspective > 0.0:
        pixel *= best * dot(d, eye.forward)
    slope = 1.0 / d[2]
    across = axpy(-eye.right[2] * slope, d, eye.right)
    up = axpy(-eye.up[2] * slope, d, eye.up)
    a_tile, mean = 1.0 / tile, 1.0
    for k in range(2):
        width = max(pixel * (abs(across[k]) + abs(up[k])) * a_tile, 1e-9)
        at = point[k] * a_tile
        mean *= (tent(at + 0.5 * width) - tent(at - 0.5 * width)) / width
    return 0.5 - 0.5 * mean


@inline
def trace(c: Casting, tile, ray, triangle, nearness):
    """One ray (start, direction, x, y of the picture) through a screen tile: an id, and its colour (linear).

    triangle, nearness: the nearest triangle there, or -1. The id is 2 * thing + (1 if in shadow); thing is -1 for the
    sky, -2 for the floor, else the number of a solid, or, from their count on, of a surface.
    """
    look, sun, t = c.look, c.light.sun, c.mesh
    o, d, x, y = ray
    best, thing = FAR, SKY_ID
    solids = len(c.solids)
    if triangle >= 0:
        depth = 1.0 / nearness if c.eye.perspective > 0.0 else -nearness
        best, thing = depth / dot(d, c.eye.forward), solids + t.triangles[triangle, 3]
    for k in range(c.tile_starts[tile], c.tile_starts[tile + 1]):
        at = hit(c.solids[c.tile_members[k]], o, d)
        if at < best:
            best, thing = at, c.tile_members[k]
    if look.has_floor > 0.0 and d[2] < -1e-9 and o[2] > look.floor:
        at = (look.floor - o[2]) / d[2]
        if at < best:
            best, thing = at, FLOOR_ID
    if thing == SKY_ID:
        return 2 * thing, look.sky
    point = axpy(best, d, o)
    gloss = 0.0
    if thing == FLOOR_ID:
        n = (0.0, 0.0, 1.0)
        odd = chequer(c, point, ray, best)
        base = axpy(odd, sub(look.floor_colors[1], look.floor_colors[0]), look.floor_colors[0])
    elif thing >= solids:
        share = shares(t, triangle, x, y)
        n = surface_normal(t, triangle, share, d)
        base, gloss = mixed(t.colors, t, triangle, share), t.gloss[thing - solids]
    else:
        solid = c.solids[thing]
        n = normal(solid, point)
        base, gloss = solid.color, solid.gloss
    facing = dot(n, sun)
    lit = 0.0
    if facing > 0.0 and not shadowed(c, axpy(1e-4, n, point)):
        lit = lit_through(c, point, n)
    bright, shine = 0.30 + 0.14 * n[2], 0.0
    if lit > 0.0:
        bright += 0.72 * facing * lit
        if gloss > 0.0:
            half = sub(sun, d)
            shine = lit * gloss * max(0.0, dot(n, half) / math.sqrt(dot(half, half))) ** 40
    color = axpy(bright, base, (shine, shine, shine))
    if thing == FLOOR_ID:  # the floor fades into the sky
        fade = 1.0 - math.exp(-((best / look.fog) ** 2))
        color = axpy(fade, sub(look.sky, color), color)
    return 2 * thing + (1 if lit < 0.5 else 0), color


@inline
def aim(eye: Eye, width, height, column, row):
    """Start and direction of the ray through a point of the picture (in pixels), and that point as x, y."""
    x = eye.half * (2.0 * column - width) / height
    y = eye.half * (height - 2.0 * row) / height
    if eye.perspective > 0.0:
        way = axpy(x, eye.right, axpy(y, eye.up, eye.forward))
        return eye.place, scale(1.0 / math.sqrt(1.0 + x * x + y * y), way), x, y
    return axpy(x, eye.right, axpy(y, eye.up, eye.place)), eye.forward, x, y


@inline
def coded(value, gamma):
    """Byte of a linear light value, from the table of sRGB."""
    return gamma[int(min(max(value, 0.0), 1.0) * 4095.0 + 0.5)]


@inline
def differ(ids, first, row, column, other_row, other_column):
    """Whether two pixels show different things, or colours that differ by more than CONTRAST."""
    if ids[row, column] != ids[other_row, other_column]:
        return True
    if ids[row, column] < 0:  # floor and sky are smooth
        return False
    for k in range(3):  # noqa: SIM110 - a kernel has no generators
        if abs(1.0 * first[row, column, k] - 1.0 * first[other_row, other_column, k]) > CONTRAST:  # bytes have no sign
            return True
    return False


@inline
def at_an_edge(ids, first, row, column):
    """Whether a neighbour of a pixel shows something else."""
    rows, width = ids.shape
    return (
        (column > 0 and differ(ids, first, row, column, row, column - 1))
        or (column + 1 < width and differ(ids, first, row, column, row, column + 1))
        or (row > 0 and differ(ids, first, row, column, row - 1, column))
        or (row + 1 < rows and differ(ids, first, row, column, row + 1, column))
    )


@inline
def half_covered(owner, row, column):
    """Whether some sample points of a pixel show triangles and others do not."""
    some = owner[row, column, 0] >= 0
    return (
        (owner[row, column, 1] >= 0) != some
        or (owner[row, column, 2] >= 0) != some
        or (owner[row, column, 3] >= 0) != some
    )


@entry("h B DDD III II BBB BBB", nogil=True)
def cast(h, gamma, nearness, owner, ids, first, image):
    """Fill the rows of a band of image[h, w, 3] (bytes, sRGB). nearness, owner (rows, columns, 4), ids (rows, w), first
    (rows, w, 3) are scratch over the rows of the band and their neighbours; if smooth, edge pixels get four rays."""
    c = Casting(h)
    eye, w = c.eye, c.window
    width, height, tile = w.width, w.height, w.tile
    rows, columns = ids.shape[0], owner.shape[1]
    across = (width + tile - 1) // tile
    cover(c.mesh, (width, height), (w.left, w.first), nearness, owner)
    for row in range(rows):
        for column in range(width):
            at = column - w.left
            triangle, near, cx, cy = -1, NOTHING, 0.5, 0.5
            if 0 <= at < columns and owner[row, at, 0] >= 0:
                triangle, near, cx, cy = owner[row, at, 0], nearness[row, at, 0], SAMPLES_X[0], SAMPLES_Y[0]
            ray = aim(eye, width, height, column + cx, w.first + row + cy)
            ids[row, column], color = trace(c, ((w.first + row) // tile) * across + column // tile, ray, triangle, near)
            for k in range(3):
                first[row, column, k] = coded(color[k], gamma)
    for row in range(w.begin - w.first, w.end - w.first):
        for column in range(width):
            at = column - w.left
            seen = 0 <= at < columns
            if w.smooth == 0 or not (at_an_edge(ids, first, row, column) or (seen and half_covered(owner, row, at))):
                for k in range(3):
                    image[w.first + row, column, k] = first[row, column, k]
                continue
            red, green, blue = 0.0, 0.0, 0.0
            for k in range(4):
                triangle, near = -1, NOTHING
                if seen:
                    triangle, near = owner[row, at, k], nearness[row, at, k]
                ray = aim(eye, width, height, column + SAMPLES_X[k], w.first + row + SAMPLES_Y[k])
                _, color = trace(c, ((w.first + row) // tile) * across + column // tile, ray, triangle, near)
                red, green, blue = red + min(color[0], 1.0), green + min(color[1], 1.0), blue + min(color[2], 1.0)
            image[w.first + row, column, 0] = coded(red / 4.0, gamma)
            image[w.first + row, column, 1] = coded(green / 4.0, gamma)
            image[w.first + row, column, 2] = coded(blue / 4.0, gamma)
