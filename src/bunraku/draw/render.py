"""From a Scene and a Camera to a picture: an array of bytes (height, width, 3), sRGB.

Prepares the two grids of `raycast` (screen tiles, cells across the sunlight) and the shadow map of the triangles, draws
bands of rows side by side on all cores, and turns linear light into sRGB by a table. About 30 ms for 640 x 480 and one
figure on one core (`bunraku bench gait`). Deterministic, whatever the number of cores. Checked in
tests/draw/test_render.py and tests/draw/test_rasterise.py.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from bunraku.draw.camera import Camera, fit
from bunraku.draw.solid_scene import Scene, linear
from bunraku.draw.triangles import ends, joined
from bunraku.errors import InputError
from bunraku.kernel.compile import JIT
from bunraku.kernel.record import handle, put
from bunraku.model.rotations import frame_along

TILE = 16
CELLS = 48
SHADOW = (512, 1024)  # cells of the shadow map, each way: of a picture up to FINE pixels high, and of others
FINE = 500
BAND = 1 << 18  # pixels of a band at the most, so that scratch stays small
GAMMA = np.array(
    [
        round(255.0 * (12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055))
        for v in np.linspace(0.0, 1.0, 4096).tolist()
    ],
    dtype=np.uint8,
)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def render(
    scene: Scene,
    camera: Camera,
    width: int = 640,
    height: int = 480,
    *,
    smooth: bool = True,
    workers: int | None = None,
) -> np.ndarray:
    """Draw a scene; `smooth` casts edge pixels again with four rays; workers: threads, one a core by default."""
    check_size(width, height)
    tables = prepared(scene, camera, width, height, smooth)
    image = np.empty((height, width, 3), dtype=np.uint8)
    many = max(1, (cores() if workers is None else workers) if JIT else 1)
    rows = max(1, min(-(-height // many), BAND // width))
    bands = [(begin, min(begin + rows, height)) for begin in range(0, height, rows)]
    if many == 1 or len(bands) == 1:
        for band in bands:
            draw_band(tables, band, image)
    else:
        with ThreadPoolExecutor(many) as pool:
            list(pool.map(lambda band: draw_band(tables, band, image), bands))
    return image


def prepared(scene: Scene, camera: Camera, width: int, height: int, smooth: bool) -> dict[str, dict[str, np.ndarray]]:
    """The arrays of the kernels' records: of `Triangles` and of `Casting`."""
    centre, reach = scene.spheres()
    tile_starts, tile_members = screen_tiles(camera, centre, reach, width, height)
    sun = np.asarray(scene.sun, dtype=float)
    sun = sun / np.linalg.norm(sun)
    across = frame_along(sun)
    light = np.stack([sun, across[:, 0], across[:, 1]])
    cells, cell_starts, cell_members = light_cells(light, centre, reach)
    fog = 2.5 * float(np.linalg.norm(camera.place - camera_target(scene))) + 3.0
    colors = (*linear(scene.sky), *linear(scene.floor_colors[0]), *linear(scene.floor_colors[1]))
    floor = (0.0, 0.0) if scene.floor is None else (scene.floor, 1.0)
    mesh = joined(scene.surfaces)
    heights, shadow = shadow_of(mesh, light, SHADOW[height > FINE])
    pixel = 2.0 * camera.half_height / height
    lens = np.array([-0.5 * width * pixel, 0.5 * height * pixel, pixel, float(camera.fov > 0.0)])
    axes = np.stack([camera.right, camera.up, camera.forward])
    seen = np.ascontiguousarray((mesh["corners"] - camera.place) @ axes.T)
    places = places_of(seen, lens)
    left, right, top, bottom = extent(places, width, height)
    window = np.array([width, height, 0, 0, 0, left, TILE, int(smooth), right, top, bottom], dtype=np.int64)
    casting = {
        "heights": heights,
        "shadow": shadow,
        "window": window,
        "eye": np.array([*camera.matrix().ravel(), camera.half_height, float(camera.fov > 0.0)]),
        "light": light,
        "cells": cells,
        "look": np.array([*colors, scene.tile, *floor, fog]),
        "solids": scene.rows,
        "tile_starts": tile_starts,
        "tile_members": tile_members,
        "cell_starts": cell_starts,
        "cell_members": cell_members,
    }
    return {"mesh": {**mesh, "lens": lens, "seen": seen, "places": places}, "casting": casting}


def draw_band(tables: dict[str, dict[str, np.ndarray]], band: tuple[int, int], image: np.ndarray) -> None:
    """Draw rows begin ... end - 1 of a picture."""
    from bunraku.draw.raycast import Casting, cast

    height, width = image.shape[:2]
    begin, end = band
    first, last = max(begin - 1, 0), min(end + 1, height)
    window = tables["casting"]["window"]
    left, (right, top, bottom) = int(window[5]), (int(x) for x in window[8:])
    columns = right - left if top < last and first < bottom else 0
    own = window[:8].copy()
    own[2:5] = first, begin, end
    casting = put(Casting(), **{**tables["casting"], "window": own})
    put(casting.mesh, **tables["mesh"])
    nearness, owner = np.empty((last - first, columns, 4)), np.empty((last - first, columns, 4), dtype=np.int64)
    ids = np.empty((last - first, width), dtype=np.int64)
    shades = np.empty((last - first, width, 3), dtype=np.uint8)
    cast.call(handle(casting), GAMMA, nearness, owner, ids, shades, image)


def places_of(seen: np.ndarray, lens: np.ndarray) -> np.ndarray:
    """(n, 2): column and row of corners in the eye's axes; nan of those behind the eye."""
    from bunraku.draw.rasterise import NEAREST

    left, top, pixel, perspective = lens
    flat, depth = seen[:, :2], seen[:, 2:]
    if perspective > 0.0:
        flat = flat / np.where(depth < 1.0 / NEAREST, np.nan, depth)
    return np.column_stack([(flat[:, 0] - left) / pixel, (top - flat[:, 1]) / pixel])


def extent(places: np.ndarray, width: int, height: int) -> tuple[int, int, int, int]:
    """Columns left ... right - 1 and rows top ... bottom - 1 of a picture that triangles can touch."""
    behind = np.isnan(places[:, 0])
    if behind.all():  # or there are none
        return 0, 0, 0, 0
    if behind.any():
        return 0, width, 0, height
    (left, top), (right, bottom) = ends(places)
    columns = [min(max(x, 0), width) for x in (math.floor(left), math.ceil(right) + 1)]
    rows = [min(max(x, 0), height) for x in (math.floor(top), math.ceil(bottom) + 1)]
    return columns[0], columns[1], rows[0], rows[1]


def shadow_of(mesh: dict[str, np.ndarray], light: np.ndarray, cells: int) -> tuple[np.ndarray, np.ndarray]:
    """Heights of the triangles along the sunlight in cells x cells squares, and where these lie (`ShadowMap`)."""
    if not len(mesh["triangles"]):
        return np.zeros((1, 1)), np.array([0.0, 0.0, 1.0, 0.0])
    from bunraku.draw.rasterise import Triangles, shadow_map

    seen = np.ascontiguousarray(mesh["corners"] @ np.stack([light[1], light[2], -light[0]]).T)
    low, high = ends(seen)
    size = max(float((high - low)[:2].max()) / cells * 1.0001, 1e-6)
    lens = np.array([low[0], high[1], size, 0.0])
    heights = np.empty((cells, cells))
    table = put(Triangles(), **{**mesh, "lens": lens, "seen": seen, "places": places_of(seen, lens)})
    shadow_map.call(handle(table), heights)
    return heights, np.array([low[0], high[1], size, float(cells)])


def camera_for(scene: Scene, view: str, aspect: float, azimuth: float | None = None) -> Camera:
    """A camera that sees all that a scene holds, as large as it fits; azimuth [degrees]: instead of the view's own."""
    centres, radii = scene.outline()
    return fit(view, centres, aspect, radius=radii, azimuth=azimuth)


def render_view(scene: Scene, view: str, width: int, height: int, azimuth: float | None = None) -> np.ndarray:
    """Draw all that a scene holds."""
    return render(scene, camera_for(scene, view, width / height, azimuth), width, height)


def check_size(width: int, height: int) -> None:
    """Refuse a picture without pixels or with absurdly many."""
    if not (1 <= width <= 16384 and 1 <= height <= 16384):
        raise InputError(f"picture: wanted a size of 1 to 16384 pixels, got {width} x {height}.")


def camera_target(scene: Scene) -> np.ndarray:
    """Middle of what is drawn."""
    low, high = scene.bounds()
    return 0.5 * (low + high)


def lists(touch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lists from a table touch[cell, thing]: starts (cells + 1) and members."""
    cell, member = np.nonzero(touch)
    starts = np.zeros(len(touch) + 1, dtype=np.int64)
    np.cumsum(np.bincount(cell, minlength=len(touch)), out=starts[1:])
    return starts, member.astype(np.int64)


def overlap(low: np.ndarray, high: np.ndarray, first: float, size: float, count: int) -> np.ndarray:
    """(count, things): whether the interval low … high of a thing meets cell k, first + k size … first + (k+1) size."""
    edge = first + size * np.arange(count)[:, None]
    return (low[None] <= edge + size) & (high[None] >= edge)


def screen_tiles(
    camera: Camera, centre: np.ndarray, reach: np.ndarray, width: int, height: int
) -> tuple[np.ndarray, np.ndarray]:
    """Solids for every screen tile, from the discs that their bounding spheres cover (a little generous)."""
    across, down = -(-width // TILE), -(-height // TILE)
    d = centre - camera.place
    x, y, z = d @ camera.right, d @ camera.up, d @ camera.forward
    if camera.fov > 0.0:
        near = z <= reach * 1.001
        safe = np.where(near, 1.0, z)
        radius = np.where(
            near,
            np.inf,
            reach * np.sqrt(x * x + y * y + z * z) / np.where(near, 1.0, safe * safe - reach * reach) * 1.05,
        )
        radius = radius * np.where(near, 1.0, np.sqrt(1.0 + (x / safe) ** 2 + (y / safe) ** 2))
        x, y = np.where(near, 0.0, x / safe), np.where(near, 0.0, y / safe)
    else:
        radius = reach
    scale = 0.5 * height / camera.half_height
    column, row, size = 0.5 * width + scale * x, 0.5 * height - scale * y, scale * radius + 1.0
    in_x = overlap(column - size, column + size, 0.0, TILE, across)
    in_y = overlap(row - size, row + size, 0.0, TILE, down)
    return lists((in_y[:, None] & in_x[None]).reshape(down * across, -1))


def light_cells(light: np.ndarray, centre: np.ndarray, reach: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cells of the plane across the sunlight: (corner, corner, size, count), starts, members."""
    u, v = centre @ light[1], centre @ light[2]
    if not len(centre):
        return np.array([0.0, 0.0, 1.0, 1.0]), np.zeros(2, dtype=np.int64), np.zeros(0, dtype=np.int64)
    low_u, low_v = (u - reach).min(), (v - reach).min()
    size = max((u + reach).max() - low_u, (v + reach).max() - low_v) / CELLS * 1.0001
    in_u = overlap(u - reach, u + reach, low_u, size, CELLS)
    in_v = overlap(v - reach, v + reach, low_v, size, CELLS)
    starts, members = lists((in_v[:, None] & in_u[None]).reshape(CELLS * CELLS, -1))
    return np.array([low_u, low_v, size, float(CELLS)]), starts, members
