"""The frames of a film: what the camera sees at even times, side by side from several views, with a title.

A camera stands still and sees all figures at all times, or goes along with the largest figure (`follow`), smoothly.
Scenes are built one after another and drawn on all cores; frames come in order and do not depend on the cores. Checked
in tests/draw/test_film_frames.py.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from bunraku.draw.camera import VIEWS, Camera, fit
from bunraku.draw.caption import write_on
from bunraku.draw.render import check_size, cores, render
from bunraku.draw.solid_scene import Scene
from bunraku.draw.world_pictures import world_scene
from bunraku.errors import InputError, UnknownName, closest
from bunraku.kernel.compile import JIT
from bunraku.recording.motion import between, even_times
from bunraku.recording.reader import Recording

LOOKS = 40  # instants that the camera is fitted to
SMOOTH = 1.5  # s over which a camera that goes along takes the mean
GHOSTS = 8  # earlier instants that a film with strobe leaves standing, at the most
NAMES = {"side": "right"}  # of views, besides those of bunraku.draw.camera
MOST_VIEWS = 4


@dataclass(frozen=True)
class Shot:
    """How a film is taken. views: side by side; width, height [pixels] of all of it; follow: the camera goes along with
    the largest figure; title: above; strobe [s]: between instants that are left standing, paler, 0 for none."""

    views: tuple[str, ...] = ("oblique",)
    width: int = 1280
    height: int = 720
    follow: bool = False
    title: str = ""
    strobe: float = 0.0

    def __post_init__(self) -> None:
        if not 1 <= len(self.views) <= MOST_VIEWS:
            raise InputError(f"film: wanted 1 to {MOST_VIEWS} views, got {len(self.views)}.")
        object.__setattr__(self, "views", tuple(NAMES.get(view, view) for view in self.views))
        for view in self.views:
            check(view, self.width, self.height)
        check_size(self.width // len(self.views), self.height)
        if not 0.0 <= self.strobe < float("inf"):
            raise InputError(f"film: strobe {self.strobe} s is not a time of 0 or more.")

    def panels(self) -> list[tuple[str, int, int]]:
        """(view, first column, width) of every panel."""
        edges = [round(k * self.width / len(self.views)) for k in range(len(self.views) + 1)]
        return [(view, a, b - a) for view, a, b in zip(self.views, edges[:-1], edges[1:])]


def check(view: str, width: int, height: int, even: bool = False) -> None:
    """Refuse what cannot be drawn, before anything is; even: which MP4 (H.264) needs."""
    if view not in VIEWS:
        raise UnknownName(f"there is no view {view!r}.{closest(view, VIEWS)}")
    check_size(width, height)
    if even and (width % 2 or height % 2):
        raise InputError(f"film: {width} x {height} is not even in both directions, which MP4 and WebM need.")


def frames(recording: Recording, fps: float, shot: Shot, cameras: Cameras | None = None) -> Iterator[np.ndarray]:
    """Pictures of a recording, `fps` a second of its time."""
    return pictures_at(recording, even_times(recording.times, fps), shot, cameras)


@dataclass(frozen=True)
class Cameras:
    """The cameras of a shot, one a panel, and the way (n, 3) that they go at the times of the recording's frames."""

    panels: tuple[Camera, ...]
    path: np.ndarray


def cameras_for(recording: Recording, shot: Shot) -> Cameras:
    """Cameras that see all figures at all times."""
    path = way(recording) if shot.follow else np.zeros((len(recording), 3))
    return Cameras(tuple(camera_for_all(recording, view, w / shot.height, path) for view, _, w in shot.panels()), path)


def pictures_at(
    recording: Recording, times: np.ndarray, shot: Shot, cameras: Cameras | None = None
) -> Iterator[np.ndarray]:
    """Pictures (height, width, 3) of a recording at some times [s]."""
    cameras = cameras or cameras_for(recording, shot)
    many = cores() if JIT else 1
    pending: deque[Future[np.ndarray]] = deque()
    with ThreadPoolExecutor(many) as pool:
        try:
            for t in times:
                at = np.array([np.interp(t, recording.times, x) for x in cameras.path.T])
                states = instants(recording, float(t), shot.strobe)
                panels = [
                    (world_scene(recording, states, view), replace(camera, place=camera.place + at))
                    for view, camera in zip(shot.views, cameras.panels)
                ]
                pending.append(pool.submit(drawn, panels, shot))
                if len(pending) > 2 * many:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()


def instants(recording: Recording, t: float, strobe: float) -> list[np.ndarray]:
    """The states of a frame at time t [s]: now, and before it those of every `strobe` seconds."""
    first = float(recording.times[0])
    earlier: list[float] = []
    if strobe > 0.0:
        passed = int(np.ceil((t - first) / strobe - 1e-9))
        earlier = [first + k * strobe for k in range(max(0, passed - GHOSTS), passed)]
    return [between(recording.model, recording.times, recording.q, time) for time in (*earlier, t)]


def drawn(panels: list[tuple[Scene, Camera]], shot: Shot) -> np.ndarray:
    """One frame: its panels side by side, with the title."""
    image = np.empty((shot.height, shot.width, 3), dtype=np.uint8)
    for (scene, camera), (_, first, width) in zip(panels, shot.panels()):
        image[:, first : first + width] = render(scene, camera, width, shot.height, workers=1)
        if first:
            image[:, first - 1 : first + 1] = 255
    several = [(view, first) for view, first, _ in shot.panels()] if len(shot.views) > 1 else []
    return write_on(image, shot.title, several)


def way(recording: Recording) -> np.ndarray:
    """(n, 3): where the largest figure's free base goes, without its sway: means over SMOOTH seconds; zeros where it
    has none [m]."""
    f = recording.figure()
    if f.model.joints[0].kind != "free":
        return np.zeros((len(recording), 3))
    place = recording.q[:, f.part.q][:, :3].astype(float)
    rows = max(1, round(0.5 * SMOOTH / max(recording.duration / max(len(recording) - 1, 1), 1e-9)))
    padded = np.concatenate([np.repeat(place[:1], rows, axis=0), place, np.repeat(place[-1:], rows, axis=0)])
    total = np.concatenate([np.zeros((1, 3)), np.cumsum(padded - place[0], axis=0)])
    return place[0] + (total[2 * rows + 1 :] - total[: -2 * rows - 1]) / (2 * rows + 1)


def count(recording: Recording, fps: float) -> int:
    """How many frames a film has."""
    return len(even_times(recording.times, fps))


def camera_for_all(recording: Recording, view: str, aspect: float, along: np.ndarray | None = None) -> Camera:
    """A camera that sees all figures at all times, looked at LOOKS of them; of one that goes along a way (n, 3), its
    place at the way's origin, and what does not move is not looked at."""
    rows = np.linspace(0, len(recording) - 1, min(LOOKS, len(recording))).round().astype(int)
    still = along is None or not np.any(along)
    outlines = [world_scene(recording, [recording.q[r]], view, fixed=still).outline() for r in rows]
    shift = np.zeros((len(recording), 3)) if along is None else along
    centres = np.concatenate([c - shift[r] for (c, _), r in zip(outlines, rows)])
    return fit(view, centres, aspect, radius=np.concatenate([r for _, r in outlines]))


def along(recording: Recording, most: int, apart: float) -> list[int]:
    """Up to `most` frames: the last, and those before it between which the largest figure goes `apart` [m]; the first
    where it is far enough."""
    steps: np.ndarray = np.linalg.norm(np.diff(way(recording), axis=0), axis=1)
    gone: np.ndarray = np.concatenate([[0.0], np.cumsum(steps)])
    count = min(most - 1, int(gone[-1] / apart + 0.4))
    marks = [max(float(gone[-1]) - k * apart, 0.0) for k in range(count, 0, -1)]
    return [*(int(k) for k in np.searchsorted(gone, marks)), len(recording) - 1]
