"""A captured skeleton beside the figure that does its motion: a sheet of instants (PNG), or a film (GIF, MP4, WebM).

The skeleton is drawn as large as the figure and stands on the same floor; the camera of a film goes along with each.
Checked in tests/draw/test_side_by_side.py.
"""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bunraku.draw.film_files import CODECS, encoder, write_video
from bunraku.draw.film_frames import Shot, pictures_at
from bunraku.draw.picture import gif_bytes, png_bytes
from bunraku.errors import InputError
from bunraku.files import write_bytes
from bunraku.model.rotations import matrix, quaternion
from bunraku.motion.solved import without_forces
from bunraku.recording.motion import Motion
from bunraku.recording.reader import Recording

KINDS = {".png": 0.0, ".gif": 20.0, ".mp4": 30.0, ".webm": 30.0}
"""Endings, and frames a second of films."""
INSTANTS = 6  # of a sheet
PANEL, FILM = (240, 300), (640, 720)  # pixels: of one picture of a sheet, of half a film


def side_by_side(
    source: Motion,
    figure: Motion,
    path: str | Path,
    *,
    begin: float = 0.0,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a sheet or a film of a clip and of what `retarget` made of it. begin [s]: where a part begins that was taken of
    the figure's motion."""
    target = Path(path)
    if target.suffix.lower() not in KINDS:
        raise InputError(f"show: {target.name!r} ends in none of {', '.join(KINDS)}.")
    rate = KINDS[target.suffix.lower()]
    if target.suffix.lower() in CODECS:
        encoder()
    n = INSTANTS if not rate else max(2, int(figure.duration * rate) + 1)
    times = np.linspace(0.0, figure.duration, n) if not rate else np.minimum(np.arange(n) / rate, figure.duration)
    theirs = as_large(source, figure)
    theirs = Motion(
        theirs.model, figure.times, theirs.at(figure.times + float(figure.meta.get("begins_s", 0.0)) + begin)
    )
    drawn: list[list[np.ndarray]] = []
    size = FILM if rate else PANEL
    with tempfile.TemporaryDirectory() as folder:
        for k, motion in enumerate((theirs, figure)):
            name = Path(folder) / f"{k}.bkr"
            without_forces(even(motion)).save(name, title=motion.model.name)
            with Recording.open(name) as recording:
                shot = Shot(("oblique",), *size, follow=True)
                images = []
                for image in pictures_at(recording, recording.times[0] + times, shot):
                    images.append(image)
                    if progress is not None:
                        progress(k * n + len(images), 2 * n)
                drawn.append(images)
    if not rate:
        return write_bytes(target, png_bytes(np.vstack([np.hstack(row) for row in drawn])))
    pairs = [np.hstack(pair) for pair in zip(*drawn)]
    if target.suffix.lower() in CODECS:
        return write_video(iter(pairs), target, rate, 2 * size[0], size[1])
    return write_bytes(target, gif_bytes(iter(pairs), 1.0 / rate, sample=pairs[:: max(1, n // 6)], loop=True))


def even(motion: Motion) -> Motion:
    """The motion at even times."""
    steps = np.diff(motion.times)
    return motion if np.ptp(steps) <= 1e-3 * steps.mean() else motion.resampled(1.0 / float(steps.mean()))


def as_large(source: Motion, figure: Motion) -> Motion:
    """The source, upright on the floor, with lengths as the figure's."""
    k = float(figure.meta.get("scale", 1.0))
    described = copy.deepcopy(source.model.description)
    for link in described.links:
        link.position = tuple(k * np.asarray(link.position, dtype=float))
        for joint in link.joints:
            joint.anchor = tuple(k * np.asarray(joint.anchor, dtype=float))
        for shape in link.shapes:
            shape.size, shape.position = (
                tuple(k * np.asarray(shape.size, dtype=float)),
                tuple(k * np.asarray(shape.position, dtype=float)),
            )
    for f in described.frames:
        f.position = tuple(k * np.asarray(f.position, dtype=float))
    model, q = described.build(), source.q.copy()
    turn = np.array(figure.meta.get("upright", np.eye(3)), dtype=float)
    q[:, :3] = k * q[:, :3] @ turn.T
    q[:, 3:7] = quaternion(turn @ matrix(q[:, 3:7]))
    for j in model.joints:
        if j.kind == "slider":
            q[:, j.iq] *= k
    from bunraku.dynamics.functions import kinematics

    low = kinematics(model, q[:: 1 + len(q) // 200]).position[:, 1:, 2].min(axis=1)
    q[:, 2] -= float(np.percentile(low, 5.0)) - 0.02
    return Motion(model, source.times, q, source.meta)
