"""The part of a World that lets it be watched in a browser: `world.view()`.

The viewer stands above the world (docs/architecture.md), so it is looked up by its name when it is asked for, and a world that nobody watches
knows nothing of it. Checked in tests/viewer/test_view.py.
"""

from __future__ import annotations

import importlib
from typing import Any


class Watched:
    """See the module text."""

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
    ) -> Any:
        """Run the world in real time in a thread of its own and show it in the browser; returns a handle (bunraku.viewer.view.View).

        port 0 takes a free one. play False: it stands still until it is told to go on. speed: against real time. host, allow_remote: to be
        reached from other machines. token: of your own, so that a page finds a view that was opened anew. html: another page. While it
        runs, touch the world with `view.lock` held or after `view.pause()`.
        """
        options = {
            "play": play,
            "speed": speed,
            "title": title,
            "host": host,
            "allow_remote": allow_remote,
            "token": token,
        }
        viewer: Any = importlib.import_module("bunraku.viewer.view")
        return viewer.view_world(self, port=port, browser=browser, html=html, **options)
