"""A recording as a page: one HTML file that plays by itself in a browser, without a server.

    page(Recording.open("walk.bkr"), "walk.html")
Checked in tests/cli/test_export_command.py.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bunraku.recording.motion import even_times
from bunraku.recording.reader import Recording
from bunraku.viewer.messages import scene_message
from bunraku.viewer.one_file import export_html
from bunraku.viewer.recorded import RecordedFrames

FPS = 30.0


def page(
    recording: Recording,
    path: str | Path,
    *,
    fps: float = FPS,
    title: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a page that shows a recording: figures, contacts, forces, curves.

    fps: frames a second that it keeps. title: the recording's own by default. progress(done, all): told of frames.
    """
    source = RecordedFrames(recording)
    numbers = sorted({recording.frame_at(float(t)) for t in even_times(recording.times, fps)})
    frames = (source.frame(k) for k in numbers)

    def told(done: int) -> None:
        if progress is not None:
            progress(done, len(numbers))

    scene = scene_message(recording, recording.title if title is None else title)
    return export_html(scene, frames, Path(path), progress=told)
