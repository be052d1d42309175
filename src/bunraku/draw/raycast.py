"""The ray caster's kernels: nearest hit, shadow, shading; spheres, capsules, boxes and a chequered floor.

For a ray o + t d the nearest t of all primitives is found: sphere |o + t d - c| = r, capsule = cylinder between two
spheres (quadratics), box by slabs in its own axes (Kay and Kajiya 1986). A hit is lit by the sun (Lambert, Blinn
highlight, sharp shadow) and by the sky (more from above). Two grids keep it quick: screen tiles list the primitives
whose bounding disc touches them, and cells of the plane across the sunlight list those that can throw a shadow there.
Pixels where two things or a shadow's edge meet are cast again with 4 rays. Measured in `bunraku bench gait`; checked
in tests/draw/test_render.py against closed forms.
"""

from __future__ import annotations

import math

import numpy as np

from bunraku.draw.solid_scene import CAPSULE, CENTRE, COLOR, GLOSS, KIND, SIZE, SPHERE, TURN
from bunraku.kernel.compile import inline, kernel

FAR = 1e9
FLOOR_ID = -2
SKY_ID = -1


@inline
def sphere_at(ox, oy, oz, dx, dy, dz, r):
    """Nearest t > 0 of a ray with a sphere of radius r at the origin, d of length 1; FAR if none."""
    b = ox * dx + oy * dy + oz * dz
    c = ox * ox + oy * oy + oz * oz - r * r
    disc = b * b - c
    if disc < 0.0:
        return FAR
    t = -b - math.sqrt(disc)
    return t if t > 1e-6 else FAR


@inline
def capsule_at(ox, oy, oz, dx, dy, dz, r, h):
    """Nearest t > 0 of a ray with a capsule of radius r and half length h along z at the origin."""
    a = dx * dx + dy * dy
    best = FAR
    if a > 1e-12:
        b = ox * dx + oy * dy
        disc = b * b - a * (ox * ox + oy * oy - r * r)
        if disc < 0.0:
            return FAR
        t = (-b - math.sqrt(disc)) / a
        z = oz + t * dz
        if -h <= z <= h:
            return t if t > 1e-6 else FAR
        # outside the cylinder's part: the ray can only meet the cap on that side
        return sphere_at(ox, oy, oz - (h if z > 0.0 else -h), dx, dy, dz, r)
    best = sphere_at(ox, oy, oz - h, dx, dy, dz, r)
    return min(best, sphere_at(ox, oy, oz + h, dx, dy, dz, r))


@inline
def box_at(ox, oy, oz, dx, dy, dz, hx, hy, hz):
    """Nearest t > 0 of a ray with a box of half sizes at the origin; FAR if none."""
    near, far = -FAR, FAR
    for o, d, half in ((ox, dx, hx), (oy, dy, hy), (oz, dz, hz)):
        if abs(d) < 1e-12:
            if abs(o) > half:
                return FAR
        else:
            t0, t1 = (-half - o) / d, (half - o) / d
            if t0 > t1:
                t0, t1 = t1, t0
            near, far = max(near, t0), min(far, t1)
    if near > far or near < 1e-6:
        return FAR
    return near


@inline
def hit(p, ox, oy, oz, dx, dy, dz):
    """Nearest t of a ray with one primitive row p."""
    x, y, z = ox - p[CENTRE], oy - p[CENTRE + 1], oz - p[CENTRE + 2]
    if p[KIND] == SPHERE:
        return sphere_at(x, y, z, dx, dy, dz, p[SIZE])
    lx = p[TURN] * x + p[TURN + 3] * y + p[TURN + 6] * z
    ly = p[TURN + 1] * x + p[TURN + 4] * y + p[TURN + 7] * z
    lz = p[TURN + 2] * x + p[TURN + 5] * y + p[TURN + 8] * z
    ex = p[TURN] * dx + p[TURN + 3] * dy + p[TURN + 6] * dz
    ey = p[TURN + 1] * dx + p[TURN + 4] * dy + p[TURN + 7] * dz
    ez = p[TURN + 2] * dx + p[TURN + 5] * dy + p[TURN + 8] * dz
    if p[KIND] == CAPSULE:
        return capsule_at(lx, ly, lz, ex, ey, ez, p[SIZE], p[SIZE + 1])
    return box_at(lx, ly, lz, ex, ey, ez, p[SIZE], p[SIZE + 1], p[SIZE + 2])


@inline
def normal(p, x, y, z):
    """Outward unit normal of a primitive at a point on it."""
    x, y, z = x - p[CENTRE], y - p[CENTRE + 1], z - p[CENTRE + 2]
    if p[KIND] == SPHERE:
        return x / p[SIZE], y / p[SIZE], z / p[SIZE]
    lx = p[TURN] * x + p[TURN + 3] * y + p[TURN + 6] * z
    ly = p[TURN + 1] * x + p[TURN + 4] * y + p[TURN + 7] * z
    lz = p[TURN + 2] * x + p[TURN + 5] * y + p[TURN + 8] * z
    if p[KIND] == CAPSULE:
        h = min(max(lz, -p[SIZE + 1]), p[SIZE + 1])
        nx, ny, nz = lx / p[SIZE], ly / p[SIZE], (lz - h) / p[SIZE]
    else:
        gx, gy, gz = abs(lx) - p[SIZE], abs(ly) - p[SIZE + 1], abs(lz) - p[SIZE + 2]
        nx = ny = nz = 0.0
        if gx >= gy and gx >= gz:
            nx = 1.0 if lx > 0.0 else -1.0
        elif gy >= gz:
            ny = 1.0 if ly > 0.0 else -1.0
        else:
            nz = 1.0 if lz > 0.0 else -1.0
    return (
        p[TURN] * nx + p[TURN + 1] * ny + p[TURN + 2] * nz,
        p[TURN + 3] * nx + p[TURN + 4] * ny + p[TURN + 5] * nz,
        p[TURN + 6] * nx + p[TURN + 7] * ny + p[TURN + 8] * nz,
    )


@inline
def shadowed(prims, light, cells, starts, members, x, y, z):
    """Whether something lies between the point and the sun. light: sun, two axes across it (3, 3); cells: corner x,
    y, size, count."""
    u = light[1, 0] * x + light[1, 1] * y + light[1, 2] * z
    v = light[2, 0] * x + light[2, 1] * y + light[2, 2] * z
    count = int(cells[3])
    i, j = math.floor((u - cells[0]) / cells[2]), math.floor((v - cells[1]) / cells[2])
    if i < 0 or j < 0 or i >= count or j >= count:
        return False
    cell = j * count + i
    for k in range(starts[cell], starts[cell + 1]):  # noqa: SIM110 - a kernel has no generators
        if hit(prims[members[k]], x, y, z, light[0, 0], light[0, 1], light[0, 2]) < FAR:
            return True
    return False


@inline
def trace(prims, first, last, members, light, cells, starts, shadow_members, look, o, d, color):
    """Colour (linear) of one ray. look: sky (3), floor colours (6), tile, floor height, floor there (0/1), fog.
    Returns an id: 2 * thing + (1 if in shadow), thing = -1 sky, -2 floor, else the primitive."""
    best, thing = FAR, SKY_ID
    for k in range(first, last):
        t = hit(prims[members[k]], o[0], o[1], o[2], d[0], d[1], d[2])
        if t < best:
            best, thing = t, members[k]
    if look[11] > 0.0 and d[2] < -1e-9 and o[2] > look[10]:
        t = (look[10] - o[2]) / d[2]
        if t < best:
            best, thing = t, FLOOR_ID
    if thing == SKY_ID:
        for c in range(3):
            color[c] = look[c]
        return 2 * thing
    x, y, z = o[0] + best * d[0], o[1] + best * d[1], o[2] + best * d[2]
    gloss = 0.0
    if thing == FLOOR_ID:
        nx, ny, nz = 0.0, 0.0, 1.0
        odd = (math.floor(x / look[9]) + math.floor(y / look[9])) % 2
        base = 3 + 3 * odd
        red, green, blue = look[base], look[base + 1], look[base + 2]
    else:
        p = prims[thing]
        nx, ny, nz = normal(p, x, y, z)
        red, green, blue, gloss = p[COLOR], p[COLOR + 1], p[COLOR + 2], p[GLOSS]
    sx, sy, sz = light[0, 0], light[0, 1], light[0, 2]
    facing = nx * sx + ny * sy + nz * sz
    dark = facing <= 0.0
    if not dark:
        lift = 1e-4
        dark = shadowed(prims, light, cells, starts, shadow_members, x + lift * nx, y + lift * ny, z + lift * nz)
    sky = 0.30 + 0.14 * nz
    sun, shine = 0.0, 0.0
    if not dark:
        sun = 0.72 * facing
        hx, hy, hz = sx - d[0], sy - d[1], sz - d[2]
        size = math.sqrt(hx * hx + hy * hy + hz * hz)
        half = max(0.0, (nx * hx + ny * hy + nz * hz) / size)
        shine = gloss * half**40
    bright = sky + sun
    color[0], color[1], color[2] = red * bright + shine, green * bright + shine, blue * bright + shine
    if thing == FLOOR_ID:  # the floor fades into the sky
        fade = 1.0 - math.exp(-((best / look[12]) ** 2))
        for c in range(3):
            color[c] += fade * (look[c] - color[c])
    return 2 * thing + (1 if dark else 0)


@inline
def aim(camera, half, perspective, width, height, column, row, o, d):
    """Ray through a point of the picture (in pixels)."""
    x = half * (2.0 * column - width) / height
    y = half * (height - 2.0 * row) / height
    size = 1.0
    if perspective:
        size = math.sqrt(1.0 + x * x + y * y)
        for k in range(3):
            o[k] = camera[0, k]
            d[k] = (camera[3, k] + x * camera[1, k] + y * camera[2, k]) / size
    else:
        for k in range(3):
            o[k] = camera[0, k] + x * camera[1, k] + y * camera[2, k]
            d[k] = camera[3, k]


@inline
def coded(value, gamma):
    """Byte of a linear light value, from the table of sRGB."""
    return gamma[int(min(max(value, 0.0), 1.0) * 4095.0 + 0.5)]


@kernel
def cast(
    prims,
    camera,
    half,
    perspective,
    tile,
    tile_starts,
    tile_members,
    light,
    cells,
    starts,
    members,
    look,
    gamma,
    smooth,
    ids,
    image,
):
    """Fill image[h, w, 3] (bytes, sRGB) and ids[h, w]; with smooth > 0 edge pixels get four rays."""
    height, width = ids.shape
    across = (width + tile - 1) // tile
    o, d, color = np.zeros(3), np.zeros(3), np.zeros(3)
    for row in range(height):
        for column in range(width):
            cell = (row // tile) * across + column // tile
            aim(camera, half, perspective, width, height, column + 0.5, row + 0.5, o, d)
            first, last = tile_starts[cell], tile_starts[cell + 1]
            ids[row, column] = trace(prims, first, last, tile_members, light, cells, starts, members, look, o, d, color)
            for c in range(3):
                image[row, column, c] = coded(color[c], gamma)
    if smooth == 0:
        return
    for row in range(height):
        for column in range(width):
            here = ids[row, column]
            edge = (column > 0 and ids[row, column - 1] != here) or (
                column + 1 < width and ids[row, column + 1] != here
            )
            edge = (
                edge
                or (row > 0 and ids[row - 1, column] != here)
                or (row + 1 < height and ids[row + 1, column] != here)
            )
            if not edge:
                continue
            cell = (row // tile) * across + column // tile
            first, last = tile_starts[cell], tile_starts[cell + 1]
            red, green, blue = 0.0, 0.0, 0.0
            for k in range(4):  # a rotated square of rays
                cx, cy = (0.375, 0.875, 0.125, 0.625)[k], (0.125, 0.375, 0.625, 0.875)[k]
                aim(camera, half, perspective, width, height, column + cx, row + cy, o, d)
                trace(prims, first, last, tile_members, light, cells, starts, members, look, o, d, color)
                red, green, blue = red + min(color[0], 1.0), green + min(color[1], 1.0), blue + min(color[2], 1.0)
            image[row, column, 0] = coded(red / 4.0, gamma)
            image[row, column, 1] = coded(green / 4.0, gamma)
            image[row, column, 2] = coded(blue / 4.0, gamma)
