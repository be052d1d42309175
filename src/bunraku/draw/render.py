"""From a Scene and a Camera to a picture: an array of bytes (height, width, 3), sRGB.

Prepares the two grids of `raycast` (screen tiles, cells across the sunlight), casts, and turns linear light into sRGB
by a table. About 50 ms for 640 x 480 and one figure on one core (`bunraku bench gait`). Deterministic. Checked in
tests/draw/test_render.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.draw.camera import Camera, fit
from bunraku.draw.solid_scene import Scene, linear
from bunraku.errors import InputError
from bunraku.kernel.record import handle, put
from bunraku.model.rotations import frame_along

TILE = 16
CELLS = 48
GAMMA = np.array(
    [
        round(255.0 * (12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055))
        for v in np.linspace(0.0, 1.0, 4096).tolist()
    ],
    dtype=np.uint8,
)


def render(scene: Scene, camera: Camera, width: int = 640, height: int = 480, *, smooth: bool = True) -> np.ndarray:
    """Draw a scene; `smooth` casts edge pixels again with four rays."""
    from bunraku.draw.raycast import Casting, cast

    check_size(width, height)
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
    casting = put(
        Casting(),
        eye=np.array([*camera.matrix().ravel(), camera.half_height, float(camera.fov > 0.0)]),
        light=light,
        cells=cells,
        look=np.array([*colors, scene.tile, *floor, fog]),
        solids=scene.rows,
        tile_starts=tile_starts,
        tile_members=tile_members,
        cell_starts=cell_starts,
        cell_members=cell_members,
    )
    ids = np.empty((height, width), dtype=np.int64)
    image = np.empty((height, width, 3), dtype=np.uint8)
    cast.call(handle(casting), TILE, GAMMA, int(smooth), ids, image)
    return image


def camera_for(scene: Scene, view: str, aspect: float) -> Camera:
    """A camera that sees all that a scene holds, as large as it fits."""
    centres, radii = scene.outline()
    return fit(view, centres, aspect, radius=radii)


def render_view(scene: Scene, view: str, width: int, height: int) -> np.ndarray:
    """Draw all that a scene holds."""
    return render(scene, camera_for(scene, view, width / height), width, height)


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
