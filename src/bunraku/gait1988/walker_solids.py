"""The walking figure of the report as solids: one instant, several superimposed (strobe), any view, stairs included.

Head a sphere, limbs and trunk capsules, feet boxes; left limbs blue, right limbs orange, so that the sides can be
told apart. In a strobe picture earlier figures are paler, and all stand far enough apart to be seen one by one.
Checked by looking, and in tests/gait1988/test_walker_solids.py (what is seen where).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bunraku.draw.camera import Camera, fit
from bunraku.draw.render import camera_for, check_size, render
from bunraku.draw.solid_scene import Scene, pale
from bunraku.errors import InputError, UnknownName, closest
from bunraku.gait1988.checks import progress, sole_of
from bunraku.gait1988.line_figure import drawing
from bunraku.gait1988.solved_walk import Walk
from bunraku.gait1988.steps import posture
from bunraku.gait1988.twelve_bodies import BODY_NAMES, D
from bunraku.gait1988.twelve_body_model import LEFT, MIDDLE, RIGHT, shapes_of
from bunraku.model.rotations import rotation_matrix

STYLES = ("solid", "stick")
STAIR = (0.80, 0.77, 0.70)
APART = 0.4
"""Way between two figures of a strobe picture, m: about what a figure with bent forearms takes up."""
FIGURES, STAIR_FIGURES = 6, 4
"""Figures in a strobe picture: as many as fill one twice as wide as high."""


def add_figure(scene: Scene, walk: Walk, time: float, paleness: float = 0.0) -> None:
    """Put the figure at one time into a scene."""
    pose, sole = posture(walk, time), sole_of(walk.gait)
    for body, name in enumerate(BODY_NAMES):
        place, turn = pose.places[body], pose.rotations[body]
        side = name.startswith("left") != pose.odd
        color = (LEFT if side else RIGHT) if "_" in name else MIDDLE
        for s in shapes_of(body, walk.arms_free, sole):
            at, axes = place + turn @ s.position, turn @ rotation_matrix(s.rotation)
            tint = pale(color if s.color is None else s.color, paleness)
            scene.shape(s.kind, s.size, pose.fixed(at), axes * np.outer(pose.flip, pose.flip), tint)


def add_stairs(scene: Scene, walk: Walk, first: float, last: float) -> None:
    """Treads under a walk on stairs, from one time to another."""
    rise, step = walk.gait.rise, progress(walk)
    if rise == 0.0:
        return
    middle = 0.5 * sum(sole_of(walk.gait))
    span = walk.gait.step_time
    numbers = range(int(np.floor(first / span)) - 1, int(np.floor(last / span)) + 2)
    bottom = min(rise * n for n in numbers) - 0.02
    for n in numbers:
        top = rise * n
        half = 0.5 * (top - bottom)
        scene.box((n * step + middle, -D, bottom + half), (0.5 * step, 0.42, half), STAIR, gloss=0.0)
    scene.floor = bottom


def times_of(start: float, end: float, interval: float) -> np.ndarray:
    """Times from start to end, both included where the interval allows."""
    if not (np.isfinite([start, end, interval]).all() and 0.0 <= start <= end and interval > 0.0):
        raise InputError(f"times: wanted 0 <= from <= to and an interval above 0, got {start}, {end} and {interval}.")
    if (end - start) / interval > 20_000:
        raise InputError(
            f"times: {(end - start) / interval:.0f} pictures are too many; take a longer interval than {interval} s."
        )
    return start + interval * np.arange(int(np.floor((end - start) / interval + 1e-6)) + 1)


def strobe_interval(walk: Walk) -> float:
    """Time between the figures of a strobe picture, s, by which they can be told apart: the figure has moved on by
    APART, and an odd number of quarter steps lets each figure show another phase of the walk."""
    quarter, way = 0.25 * walk.gait.step_time, 0.25 * abs(progress(walk))
    number = 1
    while number * way < APART and number < 15:
        number += 2
    return number * quarter


def strobe_times(walk: Walk, begin: float = 0.0, end: float | None = None, interval: float | None = None) -> np.ndarray:
    """Times of a strobe picture: FIGURES of them (on stairs STAIR_FIGURES), `strobe_interval` apart, unless told
    otherwise."""
    count = FIGURES if walk.gait.rise == 0.0 else STAIR_FIGURES
    apart = strobe_interval(walk) if interval is None else interval
    return times_of(begin, begin + (count - 1) * apart if end is None else end, apart)


def scene_of(walk: Walk, times: np.ndarray, stairs: tuple[float, float] | None = None, view: str = "oblique") -> Scene:
    """A scene with the figure at each of the times, the later the stronger; the sun stands on the camera's side."""
    scene = Scene(sun=(0.35, 0.5 if view == "left" else -0.5, 0.9))
    add_stairs(scene, walk, *(stairs or (float(times[0]), float(times[-1]))))
    for k, t in enumerate(times):
        add_figure(scene, walk, float(t), 0.0 if len(times) == 1 else 0.68 * (1.0 - k / (len(times) - 1)))
    return scene


@dataclass(frozen=True)
class Look:
    """How a walk is looked at: view, azimuth in degrees instead of the view's own (0 from ahead, -90 from the right, 90
    from the left; None: as the view has it), style "solid" or "stick" (lines, as the report's pictures), pixels."""

    view: str = "oblique"
    azimuth: float | None = None
    style: str = "solid"
    width: int = 1280
    height: int = 640

    def __post_init__(self) -> None:
        check_size(self.width, self.height)
        if self.style not in STYLES:
            raise UnknownName(f"there is no style {self.style!r}.{closest(self.style, STYLES)}")
        if self.azimuth is not None and not -360.0 <= self.azimuth <= 360.0:
            raise InputError(f"azimuth: wanted degrees between -360 and 360, got {self.azimuth:g}.")

    def camera(self, scene: Scene) -> Camera:
        """A camera that sees all of a scene."""
        return camera_for(scene, self.view, self.width / self.height, self.azimuth)

    def draw(self, walk: Walk, times: np.ndarray, ends: tuple[float, float], camera: Camera) -> np.ndarray:
        """The figure at all of the times, with the stairs of a time from … to; colours (height, width, 3)."""
        if self.style == "stick":
            return drawing(walk, times, ends, camera, (self.width, self.height))
        return render(scene_of(walk, times, ends, self.view), camera, self.width, self.height)


def strobe(walk: Walk, times: np.ndarray, look: Look | None = None) -> np.ndarray:
    """One picture with the figure at all of the times."""
    seen, ends = look or Look(), (float(times[0]), float(times[-1]))
    return seen.draw(walk, times, ends, seen.camera(scene_of(walk, times, view=seen.view)))


def shots(walk: Walk, times: np.ndarray, look: Look | None = None) -> Iterator[np.ndarray]:
    """A picture of each time, from one camera that sees them all."""
    seen, ends = look or Look(), (float(times[0]), float(times[-1]))
    camera = seen.camera(scene_of(walk, times, view=seen.view))
    for k in range(len(times)):
        yield seen.draw(walk, times[k : k + 1], ends, camera)


def film(walk: Walk, times: np.ndarray, look: Look | None = None) -> Iterator[np.ndarray]:
    """Frames of a film, one after another, from a camera that goes along with the figure; 480 x 360 by default."""
    seen = look or Look(width=480, height=360)
    ends = float(times[0]), float(times[-1])
    span = walk.gait.step_time
    speed = np.array([progress(walk), 0.0, walk.gait.rise]) / span
    places, radii = [], []
    for t in np.linspace(0.0, 2.0 * span, 9):
        scene = Scene()
        add_figure(scene, walk, float(t))
        centres, reach = scene.outline()
        places.append(centres - speed * t)
        radii.append(reach)
    aspect, radius = seen.width / seen.height, np.concatenate(radii)
    camera = fit(seen.view, np.concatenate(places), aspect, radius=radius, azimuth=seen.azimuth)
    base = camera.place
    for t in times:
        moved = Camera(base + speed * float(t), camera.right, camera.up, camera.forward, camera.fov)
        yield seen.draw(walk, np.array([t]), ends, moved)
