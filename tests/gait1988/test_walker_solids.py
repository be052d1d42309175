"""The walking figure in pictures: sides, strobe, stairs, film, plots, files."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from bunraku.draw.picture import gif_bytes, png_bytes
from bunraku.draw.render import camera_for, render
from bunraku.draw.solid_scene import BOX
from bunraku.errors import InputError, UnknownName
from bunraku.gait1988.checks import progress
from bunraku.gait1988.library import flat, library_gait, stairs_up
from bunraku.gait1988.plots import walk_plots
from bunraku.gait1988.solved_walk import Walk, exact_walk
from bunraku.gait1988.walker_solids import Look, film, scene_of, shots, strobe, strobe_interval, strobe_times, times_of


@pytest.fixture(scope="module")
def walk() -> Walk:
    return exact_walk(flat())


def share(picture: np.ndarray, which: str) -> float:
    """Share of strongly blue (left limbs) or orange (right limbs) pixels."""
    red, blue = picture[..., 0].astype(int), picture[..., 2].astype(int)
    return float((blue - red > 60).mean() if which == "left" else (red - blue > 90).mean())


def test_each_side_is_seen_from_its_own_side(walk: Walk) -> None:
    pictures = {
        view: strobe(walk, np.array([0.5]), Look(view, width=200, height=200))
        for view in ("right", "left", "front", "top", "oblique")
    }
    assert share(pictures["right"], "right") > 1.5 * share(pictures["right"], "left")
    assert share(pictures["left"], "left") > 1.5 * share(pictures["left"], "right")
    front = pictures["front"]
    columns = np.arange(200)
    blue = ((front[..., 2].astype(int) - front[..., 0]) > 60).sum(axis=0)
    orange = ((front[..., 0].astype(int) - front[..., 2]) > 90).sum(axis=0)
    assert (blue @ columns) / blue.sum() > (orange @ columns) / orange.sum() + 20  # its left is on our right
    assert len({picture.tobytes() for picture in pictures.values()}) == 5


def test_strobe_spreads_over_the_way(walk: Walk) -> None:
    """Nine shots in two steps: as many figures in the scene, over twice the step length."""
    times = times_of(0.0, 2.0, 0.25)
    assert len(times) == 9
    one, many = scene_of(walk, times[:1]), scene_of(walk, times)
    assert len(many.solids) == 9 * len(one.solids)
    extent = many.bounds()[1][0] - many.bounds()[0][0]
    single = one.bounds()[1][0] - one.bounds()[0][0]
    assert extent - single == pytest.approx(2 * progress(walk), abs=0.15)


@pytest.mark.parametrize("name", ["flat", "usual", "stairs_up"])
@pytest.mark.parametrize("view", ["oblique", "right"])
def test_what_is_drawn_fills_the_picture(name: str, view: str) -> None:
    """Things (not floor or sky: drawn once with, once without them) reach from edge to edge in width or height, inside
    the margin of 3 % (and a pixel): nearer the camera cannot go."""
    walk = exact_walk(library_gait(name))
    times = strobe_times(walk)
    assert len(times) == (4 if name == "stairs_up" else 6)
    scene = scene_of(walk, times, view=view)
    camera = camera_for(scene, view, 2.0)
    scene.floor = None
    with_things = render(scene, camera, 400, 200)
    scene.solids.clear()
    seen = (with_things != render(scene, camera, 400, 200)).any(axis=2)
    rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    left, above = (0.5 * size * (1.0 - 1.0 / 1.06) - 1.0 for size in (400, 200))
    assert min(rows[0], 199 - rows[-1]) > above and min(columns[0], 399 - columns[-1]) > left
    assert np.ptp(rows) > 185 or np.ptp(columns) > 372


@pytest.mark.parametrize("name", ["flat", "usual", "smooth", "long_stride", "stairs_up"])
def test_strobe_figures_stand_apart_in_different_phases(name: str) -> None:
    walk = exact_walk(library_gait(name))
    interval = strobe_interval(walk)
    assert interval / walk.gait.step_time * progress(walk) >= 0.4
    assert (4.0 * interval / walk.gait.step_time) % 2.0 == 1.0
    np.testing.assert_allclose(strobe_times(walk, 1.0, 9.0, 2.0), [1.0, 3.0, 5.0, 7.0, 9.0])


def test_feet_stand_on_the_floor(walk: Walk) -> None:
    """The lowest point of the drawn figure is the sole at z = 0 (the swinging foot of the report's gait dips 4.9
    mm)."""
    for t in (0.0, 0.5, 1.0, 1.5):
        scene = scene_of(walk, np.array([t]))
        boxes = [solid for solid in scene.solids if solid.kind == BOX]
        lowest = min(solid.centre[2] - solid.size[2] for solid in boxes)
        assert -0.0051 < lowest < 1e-9


def test_stairs_are_under_the_feet() -> None:
    """The carrying sole rests on its tread at every step; the swinging one is never inside a tread."""
    walk = exact_walk(stairs_up(), samples=101)
    for t in (0.5, 1.5, 2.5):
        scene = scene_of(walk, np.array([t]), (0.0, 3.0))
        boxes = [solid for solid in scene.solids if solid.kind == BOX]
        treads = [box for box in boxes if box.size[1] > 0.3]
        soles = [box for box in boxes if box.size[1] < 0.1]
        heights = []
        for sole in soles:
            under = [tread for tread in treads if abs(tread.centre[0] - sole.centre[0]) <= tread.size[0]]
            heights.append(sole.centre[2] - sole.size[2] - (under[0].centre[2] + under[0].size[2]))
        assert min(heights) == pytest.approx(0.0, abs=2e-4)
        assert max(heights) > 0.01


def test_film_and_files(walk: Walk) -> None:
    """A GIF with the right number of frames and time; a PNG that reads back to the same bytes."""
    frames = list(film(walk, times_of(0.0, 0.4, 0.1), Look("right", width=120, height=90)))
    assert len(frames) == 5
    data = Image.open(io.BytesIO(gif_bytes(frames, 0.1)))
    assert (data.n_frames, data.size) == (5, (120, 90))
    assert data.info["duration"] == 100
    assert data.info["loop"] == 0
    back = np.asarray(Image.open(io.BytesIO(png_bytes(frames[0]))))
    np.testing.assert_array_equal(back, frames[0])


def test_the_camera_follows(walk: Walk) -> None:
    """One cycle later the film's picture shows the same figure (the chequered floor is shifted by 2 x 0.277 m)."""
    first, later = film(walk, np.array([0.25, 2.25]), Look("right", width=160, height=120))
    figure = np.abs(first.astype(int) - later).max(axis=2) < 24
    assert figure[:70].mean() > 0.97


def test_plots_are_pictures(walk: Walk) -> None:
    for name, data in walk_plots(walk).items():
        picture = np.asarray(Image.open(io.BytesIO(data)).convert("L"))
        assert picture.shape[0] > 300, name
        assert 0.01 < (picture < 200).mean() < 0.3, name


def test_azimuth_turns_the_view(walk: Walk) -> None:
    """-90 is the right side, 0 ahead, 90 the left side: the same bytes as the named views' azimuths at their elevation."""

    def seen(view: str, azimuth: float | None) -> np.ndarray:
        return strobe(walk, np.array([0.3]), Look(view, azimuth, width=120, height=90))

    for view, azimuth in (("right", -90.0), ("left", 90.0), ("front", 0.0)):
        assert np.array_equal(seen(view, None), seen(view, azimuth))
    assert not np.array_equal(seen("right", -70.0), seen("right", None))


def test_shots_share_one_camera(walk: Walk) -> None:
    """A figure that stands still is drawn at the same place: the same time twice gives the same bytes."""
    a, b, c = shots(walk, np.array([0.25, 0.25, 0.5]), Look("right", width=120, height=90))
    assert np.array_equal(a, b) and not np.array_equal(b, c)


def test_bad_requests(walk: Walk) -> None:
    with pytest.raises(UnknownName, match=r"there is no style 'sticks'\. Closest: 'stick'"):
        Look(style="sticks")
    for azimuth in (np.nan, 400.0):
        with pytest.raises(InputError, match="azimuth: wanted degrees"):
            Look(azimuth=azimuth)
    for times in ((1.0, 0.5, 0.1), (0.0, 1.0, 0.0), (-1.0, 1.0, 0.1), (0.0, np.nan, 0.1)):
        with pytest.raises(InputError, match="times"):
            times_of(*times)
    with pytest.raises(InputError, match="too many"):
        times_of(0.0, 1e6, 0.001)
    with pytest.raises(InputError, match="no frames"):
        gif_bytes([], 0.1)
