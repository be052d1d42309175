"""Triangles in pictures: against rays cast one by one, against solids of the same form, shadows, bands."""

from __future__ import annotations

import numpy as np
import pytest

from bunraku.draw import render as render_module
from bunraku.draw.camera import Camera, look
from bunraku.draw.rasterise import NOTHING, SAMPLES_X, SAMPLES_Y, Triangles, cover
from bunraku.draw.render import places_of, render
from bunraku.draw.solid_scene import Scene, as_bytes
from bunraku.draw.triangles import Surface, joined, turned_profile, vertex_normals
from bunraku.kernel.entry import entry
from bunraku.kernel.record import handle, put

RED = (0.9, 0.1, 0.1)


@entry("h I DDD III")
def cover_of(h, size, nearness, owner):
    cover(Triangles(h), (size[0], size[1]), (size[2], size[3]), nearness, owner)


def ball(centre: np.ndarray, radius: float, rings: int = 60) -> Surface:
    """A sphere of triangles."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, rings)
    s = turned_profile([(radius * np.cos(a), radius * np.sin(a)) for a in angle], 2 * rings)
    return Surface(s.vertices + centre, s.triangles, s.vertices / radius, as_bytes(RED), 0.25)


def rays(camera: Camera, width: int, height: int, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Starts and directions, forward part 1, through points (column, row)."""
    x = camera.half_height * (2 * points[:, :1] - width) / height
    y = camera.half_height * (height - 2 * points[:, 1:]) / height
    side = x * camera.right + y * camera.up
    if camera.fov > 0.0:
        return np.broadcast_to(camera.place, side.shape), camera.forward + side
    return camera.place + side, np.broadcast_to(camera.forward, side.shape)


def nearest(s: Surface, o: np.ndarray, d: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray]:
    """Depth and number of the first triangle along rays (Moeller and Trumbore 1997), -1 where there is none."""
    depth, found = np.full(len(o), np.inf), np.full(len(o), -1)
    for k, (a, b, c) in enumerate(s.vertices[s.triangles]):
        p = np.cross(d, c - a)
        det = p @ (b - a)
        u = np.einsum("ij,ij->i", o - a, p) / det
        q = np.cross(o - a, b - a)
        v = np.einsum("ij,ij->i", d, q) / det
        t = q @ (c - a) / det
        closer = (u >= 0) & (v >= 0) & (u + v <= 1) & (t > least) & (t < depth)
        depth[closer], found[closer] = t[closer], k
    return depth, found


@pytest.mark.parametrize("fov", [0.0, 70.0])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_sample_shows_the_triangle_that_its_ray_meets_first(fov, seed):
    """Random triangles around the eye too, so that some reach behind it; samples within 1e-9 of an edge are left out."""
    rng = np.random.default_rng(seed)
    camera = look(np.zeros(3), 30.0, 20.0, 2.0, fov=fov, height=3.0)
    v = rng.normal(size=(90, 3)) * 1.5
    s = Surface(v, np.arange(90).reshape(30, 3))
    width, height, left, top = 40, 30, 5, 3
    pixel = 2 * camera.half_height / height
    lens = np.array([-0.5 * width * pixel, 0.5 * height * pixel, pixel, float(fov > 0)])
    axes = np.stack([camera.right, camera.up, camera.forward])
    seen = np.ascontiguousarray((v - camera.place) @ axes.T)
    if fov > 0.0:
        assert (seen[:, 2] < 0).any()
    table = put(Triangles(), **joined([s]), lens=lens, seen=seen, places=places_of(seen, lens))
    nearness, owner = np.empty((20, 30, 4)), np.empty((20, 30, 4), dtype=np.int64)
    cover_of.call(handle(table), np.array([width, height, left, top]), nearness, owner)
    places = np.array([
        (left + c + SAMPLES_X[k], top + r + SAMPLES_Y[k]) for r in range(20) for c in range(30) for k in range(4)
    ])  # fmt: skip
    depth, found = nearest(s, *rays(camera, width, height, places), 0.01 if fov > 0 else 0.0)
    agree = owner.ravel() == found
    assert agree.mean() > 0.999 and (found >= 0).mean() > 0.3
    hit = agree & (found >= 0)
    own = 1 / nearness.ravel()[hit] if fov > 0 else -nearness.ravel()[hit]
    assert own.min() > 0.0
    assert np.allclose(own, depth[hit], rtol=1e-9, atol=1e-9)
    assert (nearness.ravel()[owner.ravel() < 0] == NOTHING).all()


def test_a_ball_of_triangles_looks_like_the_solid_one():
    """Same place, light, highlight and shadow: 95 % of the pixels within 4 of 255, the mean within 0.4."""
    camera = look(np.array([0, 0, 0.4]), -60.0, 15.0, 3.0)
    drawn = []
    for kind in range(2):
        scene = Scene()
        if kind:
            scene.sphere((0.1, 0.0, 0.5), 0.4, RED)
        else:
            scene.surface(ball(np.array([0.1, 0.0, 0.5]), 0.4))
        drawn.append(render(scene, camera, 160, 120).astype(float))
    difference = np.abs(drawn[0] - drawn[1]).max(axis=2)
    assert np.percentile(difference, 95) <= 4 and difference.mean() < 0.4


def test_the_shadow_of_a_plate_lies_where_the_sun_throws_it():
    """A square of 0.4 m at height 1 under a sun towards (1, 0, 1): its shadow is the square moved by -1 in x."""
    square = np.array([[-0.2, -0.2, 1.0], [0.2, -0.2, 1.0], [0.2, 0.2, 1.0], [-0.2, 0.2, 1.0]])
    scene = Scene(sun=(1.0, 0.0, 1.0), floor_colors=((0.8,) * 3, (0.8,) * 3))
    scene.surface(Surface(square, [[0, 1, 2], [0, 2, 3]]))
    x, y, z = np.eye(3)
    image = render(scene, Camera(np.array([0.0, 0.0, 50.0]), x, y, -z, 0.0, 4.0), 400, 400).astype(float)
    dark = image[:, :150].mean(axis=2)
    dark = dark < 0.5 * (dark.min() + dark.max())
    rows, columns = np.nonzero(dark)
    assert dark.sum() * 1e-4 == pytest.approx(0.16, rel=0.05)
    assert columns.mean() + 0.5 == pytest.approx(100, abs=1) and rows.mean() + 0.5 == pytest.approx(200, abs=1)


def test_depth_decides_between_triangles_and_solids():
    """A ball of triangles half inside a box: each is seen where it is in front."""
    scene = Scene(floor=None)
    scene.surface(ball(np.array([0.0, 0.0, 0.5]), 0.5))
    scene.box((0.0, 0.0, 0.2), (0.6, 0.6, 0.5), (0.1, 0.2, 0.9))
    x, y, z = np.eye(3)
    image = render(scene, Camera(np.array([0.0, 0.0, 9.0]), x, y, -z, 0.0, 2.0), 100, 100).astype(int)
    red, blue = (image[..., 0] > image[..., 2] + 20), (image[..., 2] > image[..., 0] + 20)
    assert red.sum() * 4e-4 == pytest.approx(np.pi * (0.25 - 0.04), rel=0.03)  # the cap above z = 0.7
    assert (red.sum() + blue.sum()) * 4e-4 == pytest.approx(1.44, rel=0.02)


def test_bands_and_threads_do_not_show(monkeypatch):
    scene = Scene()
    scene.surface(ball(np.array([0.0, 0.0, 0.5]), 0.4, 20))
    scene.shape("cone", (0.2, 0.3), np.array([0.5, 0.2, 0.3]), np.eye(3), RED)
    scene.box((0.0, 0.4, 0.2), (0.6, 0.1, 0.2), (0.1, 0.2, 0.9))
    camera = look(np.array([0, 0, 0.4]), 40.0, 15.0, 3.0)
    whole = render(scene, camera, 90, 70, workers=1)
    assert np.array_equal(whole, render(scene, camera, 90, 70, workers=3))
    monkeypatch.setattr(render_module, "BAND", 90 * 4)
    assert np.array_equal(whole, render(scene, camera, 90, 70, workers=2))


def test_edges_are_smooth_where_a_figure_hides_a_part_of_itself():
    """Two squares of one surface, one behind the other in another shade: pixels between them are mixed."""
    square = np.array([[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]])
    low = np.repeat(np.array([[255, 255, 255], [60, 60, 60]], dtype=np.uint8), 4, axis=0)
    turn = np.array([[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1]])
    v = np.concatenate([2 * square, 0.9 * square @ turn.T + [0, 0, 0.2]])
    scene = Scene(floor=None)
    scene.surface(Surface(v, [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]], None, low, 0.0))
    x, y, z = np.eye(3)
    camera = Camera(np.array([0.0, 0.0, 9.0]), x, y, -z, 0.0, 1.6)
    rough, smooth = (len(np.unique(render(scene, camera, 60, 60, smooth=s))) for s in (False, True))
    assert smooth > rough + 2


def test_normals_point_outwards():
    for profile in (((1.0, -1.0), (1.0, 1.0)), ((1.0, -1.0), (0.0, 1.0)), ((0.5, 0.0), (0.2, 1.0), (0.0, 1.5))):
        s = turned_profile(profile, 24)
        corners = s.vertices[s.triangles]
        facets = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        assert s.normals is not None
        real = np.linalg.norm(facets, axis=1) > 1e-12
        assert (np.einsum("ij,ij->i", facets, s.normals[s.triangles].sum(axis=1))[real] > 0).all()
        volume = np.einsum("ij,ij->i", corners[:, 0], facets).sum() / 6
        assert volume > 0.1
        assert np.allclose(np.linalg.norm(vertex_normals(s.vertices, s.triangles), axis=1), 1)
