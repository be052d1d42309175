"""The ray caster against closed forms (areas, shadows) and against sphere tracing of distance functions."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.draw import render as render_module
from bunraku.draw.camera import Camera, look
from bunraku.draw.raycast import FAR, hit, normal
from bunraku.draw.render import render
from bunraku.draw.solid_scene import BOX, CAPSULE, ELLIPSOID, SPHERE, Scene, Solid
from bunraku.errors import InputError
from bunraku.kernel.entry import entry
from bunraku.kernel.record import handle
from bunraku.model.rotations import frame_along

RED = (0.9, 0.1, 0.1)


def above(height: float) -> Camera:
    """An orthographic camera that looks straight down and sees `height` metres; x to the right, y up."""
    x, y, z = np.eye(3)
    return Camera(np.array([0.0, 0.0, 50.0]), x, y, -z, 0.0, height)


def covered(scene: Scene, height: float, pixels: int) -> float:
    """Area in m2 that is not sky, seen from above."""
    picture = render(scene, above(height), pixels, pixels, smooth=False)
    sky = render(Scene(floor=None), above(height), 1, 1)[0, 0]
    return float((picture != sky).any(axis=2).mean() * height**2)


@pytest.mark.parametrize("pixels", [200, 400])
def test_silhouettes_have_the_right_area(pixels: int) -> None:
    """Disc pi r^2; capsule pi r^2 + 2 r L; turned box. Error: less than one pixel along the outline."""
    pixel = 4.0 / pixels
    ball = Scene(floor=None)
    ball.sphere((0.3, -0.2, 1.0), 1.0, RED)
    assert covered(ball, 4.0, pixels) == pytest.approx(np.pi, abs=2.0 * np.pi * pixel * 0.2)
    pill = Scene(floor=None)
    pill.capsule((-0.8, -0.5, 1.0), (0.8, 0.5, 1.0), 0.4, RED)
    length = np.hypot(1.6, 1.0)
    assert covered(pill, 4.0, pixels) == pytest.approx(np.pi * 0.16 + 0.8 * length, abs=7.0 * pixel * 0.2)
    egg = Scene(floor=None)
    egg.shape("ellipsoid", (1.2, 0.7, 0.3), np.array([0.1, 0.2, 1.0]), np.eye(3), RED)
    assert covered(egg, 4.0, pixels) == pytest.approx(np.pi * 1.2 * 0.7, abs=6.1 * pixel * 0.2)
    for kind in ("cone", "cylinder"):  # of 48 sides: the area of a regular polygon
        spire = Scene(floor=None)
        spire.shape(kind, (1.0, 1.0), np.zeros(3), np.eye(3), RED)
        area = 24 * np.sin(2 * np.pi / 48)
        assert covered(spire, 4.0, pixels) == pytest.approx(area, abs=6.3 * pixel * 0.2)
    block = Scene(floor=None)
    turn = frame_along(np.array([0.0, 0.0, 1.0]))
    c, s = np.cos(0.4), np.sin(0.4)
    block.box((0.0, 0.0, 1.0), (1.2, 0.5, 0.3), RED, turn @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]))
    assert covered(block, 4.0, pixels) == pytest.approx(2.4 * 1.0, abs=6.8 * pixel * 0.2)


def distance(kind: int, size: np.ndarray, p: np.ndarray) -> float:
    """Signed distance of a point (own axes) to a primitive, an independent description of the same shape."""
    if kind == SPHERE:
        return float(np.linalg.norm(p) - size[0])
    if kind == CAPSULE:
        return float(np.linalg.norm(p - np.array([0.0, 0.0, np.clip(p[2], -size[1], size[1])])) - size[0])
    if kind == ELLIPSOID:  # along the way out from the middle it is no more than the distance; near the surface exact
        k, g = np.linalg.norm(p / size), np.linalg.norm(p / size**2)
        return float(k * (k - 1) / g) if abs(k - 1) < 1e-2 else float((k - 1) * size.min())
    d = np.abs(p) - size
    return float(np.linalg.norm(np.maximum(d, 0.0)) + min(d.max(), 0.0))


@entry("h D D")
def hit_of(h, o, d):
    return hit(Solid(h), (o[0], o[1], o[2]), (d[0], d[1], d[2]))


@entry("h D")
def normal_of(h, point):
    return normal(Solid(h), (point[0], point[1], point[2]))


@pytest.mark.parametrize("kind", [SPHERE, CAPSULE, BOX, ELLIPSOID])
def test_hits_agree_with_sphere_tracing(kind: int) -> None:
    """300 random rays: the same hit distance to 1e-5 m, the same misses, and outward normals along the distance's
    gradient."""
    rng = np.random.default_rng(kind)
    hits = 0
    for _ in range(300):
        size = rng.uniform(0.2, 0.8, 3)
        turn = frame_along(unit(rng.normal(size=3)))
        centre = rng.normal(size=3) * 0.3
        solid = Solid()
        solid.kind, solid.centre, solid.turn, solid.size = kind, tuple(centre), tuple(turn.ravel()), tuple(size)
        start = unit(rng.normal(size=3)) * 4.0
        way = unit(rng.normal(size=3) * 0.5 - start)
        got = hit_of.call(handle(solid), start, way)
        t, near = 0.0, np.inf
        for _ in range(400):
            near = distance(kind, size, turn.T @ (start + t * way - centre))
            t += near
            if near < 1e-9 or t > 10.0:
                break
        if t > 10.0:
            assert got == FAR
            continue
        if near > 1e-7:
            continue  # grazing: tracing did not settle
        hits += 1
        assert got == pytest.approx(t, abs=1e-5)
        place = start + got * way
        n = np.array(normal_of.call(handle(solid), place))
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-6)
        ahead = distance(kind, size, turn.T @ (place + 1e-4 * n - centre))
        assert ahead == pytest.approx(1e-4, rel=2e-2)
    assert hits > 70


def unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v)


def test_shadow_falls_where_it_must() -> None:
    """Sun straight above a ball at (0, 0, 1): the floor is dark within r of its centre, bright outside."""
    scene = Scene(sun=(0.0, 0.0, 1.0), floor_colors=((0.8, 0.8, 0.8), (0.8, 0.8, 0.8)))
    scene.sphere((0.0, 0.0, 3.0), 0.5, RED)
    # from the side, orthographic, looking down at 45 degrees: the ball is seen at y' = 3 cos 45, its shadow at y' = 0
    camera = look(np.zeros(3), -90.0, 45.0, 50.0, fov=0.0, height=8.0)
    picture = render(scene, camera, 160, 160, smooth=False)
    dark, edge_in, edge_out = (picture_at(picture, camera, p) for p in ((0, 0, 0), (0.45, 0, 0), (0.55, 0, 0)))
    far = picture_at(picture, camera, (2.0, 0.0, 0.0))
    assert dark.sum() < 0.75 * far.sum()
    np.testing.assert_array_equal(dark, edge_in)
    np.testing.assert_array_equal(edge_out, far)
    ball = picture_at(picture, camera, (0.0, 0.0, 3.0))
    assert ball[0] > 2 * ball[1]


def picture_at(picture: np.ndarray, camera: Camera, point: tuple[float, float, float]) -> np.ndarray:
    """Pixel of a world point."""
    column, row = camera.project(np.array(point, dtype=float), picture.shape[1], picture.shape[0])
    return picture[int(row), int(column)].astype(int)


def busy_scene() -> Scene:
    """A hundred solids."""
    rng = np.random.default_rng(0)
    scene = Scene()
    for _ in range(34):
        a, b, c = rng.uniform(-2, 2, 3), rng.uniform(-2, 2, 3), rng.uniform(-2, 2, 3)
        a[2], b[2], c[2] = np.abs(a[2]), np.abs(b[2]), np.abs(c[2])
        scene.sphere(a, 0.2, rng.uniform(0, 1, 3))
        scene.capsule(b, b + rng.normal(size=3) * 0.3, 0.1, rng.uniform(0, 1, 3))
        scene.box(c, rng.uniform(0.05, 0.3, 3), rng.uniform(0, 1, 3), frame_along(unit(rng.normal(size=3))))
    return scene


@pytest.mark.parametrize("fov", [0.0, 40.0, 110.0])
def test_grids_leave_nothing_out(fov: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles and light cells are short cuts only: one tile for the whole picture and one cell give the same bytes."""
    scene = busy_scene()
    camera = look(np.array([0.0, 0.0, 0.8]), -60.0, 20.0, 4.0, fov=fov, height=4.0)
    quick = render(scene, camera, 160, 120)
    monkeypatch.setattr(render_module, "TILE", 1000)
    monkeypatch.setattr(render_module, "CELLS", 1)
    np.testing.assert_array_equal(quick, render(scene, camera, 160, 120))


def test_camera_inside_a_primitives_bounds() -> None:
    """A bounding sphere around the camera covers every tile: a long capsule beside the camera is still drawn."""
    scene = Scene(floor=None)
    scene.capsule((0.5, -5.0, 0.0), (0.5, 5.0, 0.0), 0.2, RED)
    camera = look(np.array([1.0, 0.0, 0.0]), 180.0, 0.0, 1.0, fov=90.0)
    picture = render(scene, camera, 80, 60)
    assert picture[30, 40, 0] > 1.5 * picture[30, 40, 2]


def test_smooth_edges_are_between() -> None:
    """Edge pixels mix both sides; other pixels do not change."""
    scene = Scene(floor=None)
    scene.sphere((0.0, 0.0, 0.0), 1.0, RED, gloss=0.0)
    hard = render(scene, above(3.0), 60, 60, smooth=False).astype(int)
    soft = render(scene, above(3.0), 60, 60).astype(int)
    changed = (hard != soft).any(axis=2)
    assert 20 < changed.sum() < 400
    sky = hard[0, 0]
    assert np.all(soft[changed].max(axis=0) <= np.maximum(sky, hard.max(axis=(0, 1))))


def test_same_bytes_every_time() -> None:
    scene = busy_scene()
    camera = look(np.zeros(3), 30.0, 20.0, 6.0)
    np.testing.assert_array_equal(render(scene, camera, 80, 60), render(scene, camera, 80, 60))


def test_bad_scenes() -> None:
    with pytest.raises(InputError, match="cannot be drawn"):
        Scene().sphere((np.nan, 0, 0), 1.0, RED)
    with pytest.raises(InputError, match="cannot be drawn"):
        Scene().box((0, 0, 0), (1.0, -1.0, 1.0), RED)
    with pytest.raises(InputError, match="16384"):
        render(Scene(), above(1.0), 0, 10)
    point = Scene()
    point.capsule((0, 0, 0), (0, 0, 0), 0.1, RED)
    assert point.solids[0].kind == SPHERE
