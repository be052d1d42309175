"""A recording as a page: one HTML file that plays by itself in a browser, without a server.

    page(Recording.open("walk.bkr"), "walk.html")
Checked in tests/cli/test_export_command.py.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bunraku.files import write_text
from bunraku.recording.motion import even_times
from bunraku.recording.reader import Recording
from bunraku.viewer import one_file
from bunraku.viewer.messages import scene_message
from bunraku.viewer.recorded import RecordedFrames

FPS = 30.0


def page(
    recording: Recording,
    path: str | Path,
    *,
    fps: float = FPS,
    title: str | None = None,
    loop: bool = False,
    play: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a page that shows a recording: figures, contacts, forces, curves.

    fps: frames a second that it keeps. title: the recording's own by default. loop: it plays again and again. play: by
    itself, when it is opened, unless its reader prefers less motion. progress(done, all): told of frames.
    """
    text = page_text(recording, fps=fps, title=title, loop=loop, play=play, progress=progress)
    return write_text(Path(path), text)


def page_text(
    recording: Recording,
    *,
    fps: float = FPS,
    title: str | None = None,
    loop: bool = False,
    play: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> str:
    """The text of that page; options as of `page`."""
    source = RecordedFrames(recording)
    numbers = sorted({recording.frame_at(float(t)) for t in even_times(recording.times, fps)})

    def told(done: int) -> None:
        if progress is not None:
            progress(done, len(numbers))

    scene = scene_message(recording, recording.title if title is None else title)
    scene |= {"play": play, "loop": loop}
    return one_file.page_text(scene, (source.frame(k) for k in numbers), progress=told)
