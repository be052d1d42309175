"""The parts of a World that let it be recorded and watched: `world.record()`, `world.note()`, `world.view()`, and what
a notebook shows of it.

Recordings and the viewer stand above the world (docs/architecture.md), so they are looked up by name when they are
asked for, and a world that nobody records or watches knows nothing of them. Checked in tests/recording/test_recorder.py
and tests/viewer/test_view.py.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bunraku.step.step_log import ARRAYS

if TYPE_CHECKING:
    from bunraku.recording.recorder import Recorder
    from bunraku.viewer.view import View
    from bunraku.world.log import Log


class Watched:
    """See the module text."""

    _log: Log | None = None
    _arrays = ARRAYS  # of its table, with those of a log

    def record(
        self,
        path: str | Path,
        every: int = 1,
        *,
        title: str = "",
        meta: dict[str, Any] | None = None,
        precise: bool = False,
    ) -> Recorder:
        """Record into a file from now on, a frame every `every` steps: a context manager, or end it with `close()`.

        title, meta: kept in the file; meta holds plain values of your own. precise: all numbers as float64.
        """
        recorder: Any = importlib.import_module("bunraku.recording.recorder")
        return recorder.Recorder(self, path, every, title=title, meta=meta, precise=precise)

    def note(self, text: str) -> None:
        """Put an event with a text into the recording, if there is one: for controllers."""
        if self._log is not None:
            self._log.watch.note(text)

    def view(
        self,
        port: int = 0,
        browser: bool = True,
        *,
        play: bool = True,
        speed: float = 1.0,
        title: str = "",
        host: str = "127.0.0.1",
        allow_remote: bool = False,
        token: str | None = None,
        html: str | None = None,
        wait: bool | None = None,
    ) -> View:
        """Run the world in real time in a thread of its own and show it in the browser; returns a handle
        (bunraku.viewer.view.View).

        port 0 takes a free one. play False: it stands still until it is told to go on. speed: against real time. host,
        allow_remote: to be reached from other machines. token: of your own, so that a page finds a view that was opened
        anew. html: another page. wait: whether it begins only when a page shows it; where browser is True by default.
        While it runs, touch the world with `view.lock` held or after `view.pause()`.
        """
        viewer: Any = importlib.import_module("bunraku.viewer.view")
        served = {"host": host, "allow_remote": allow_remote, "token": token, "html": html, "wait": wait}
        return viewer.view_world(self, port=port, browser=browser, play=play, speed=speed, title=title, **served)

    def _repr_png_(self) -> bytes | None:
        """A notebook shows it as it stands."""
        shown: Any = importlib.import_module("bunraku.viewer.in_notebook")
        return shown.still(self)
