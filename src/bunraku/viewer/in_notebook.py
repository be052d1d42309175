"""What a notebook shows of a world, a choreography and a recording that is the last line of a cell.

A world and a choreography are a still picture of now; a recording is its page, which plays inside of the cell: in a frame
of its own (`srcdoc`), which may run its script and nothing else of the notebook's. A page keeps at most MOST frames. Where
something cannot be drawn, an empty world say, the words of `repr` are shown. `world.view()` and `c.stage()` show them live.
Checked in tests/viewer/test_in_notebook.py, and in a browser in tests/viewer/test_world_in_browser.py.
"""

from __future__ import annotations

import html

from bunraku.draw.film import picture
from bunraku.draw.picture import png_bytes
from bunraku.errors import BunrakuError
from bunraku.recording.reader import Recording
from bunraku.viewer.recording_page import FPS, page_text
from bunraku.world.world import World

WIDTH, HEIGHT = 720, 450  # of a still picture, pixels
HIGH = 520  # of a page, pixels
MOST = 900  # frames of a page


def still(source: World | Recording) -> bytes | None:
    """A PNG of a world as it stands, or of a recording in strobe; None where there is nothing to draw."""
    if not source.figures:
        return None
    try:
        return png_bytes(picture(source, width=WIDTH, height=HEIGHT))
    except BunrakuError:
        return None


def inline(recording: Recording) -> str | None:
    """A recording's page in a frame; None where it cannot be made."""
    try:
        fps = min(FPS, MOST / max(recording.duration, 1e-9))
        text = page_text(recording, fps=fps, loop=True)
    except BunrakuError:
        return None
    return (
        f'<iframe srcdoc="{escaped(text)}" sandbox="allow-scripts allow-downloads" width="100%" '
        f'height="{HIGH}" style="border:0" title="{escaped(recording.title or recording.path.name)}"></iframe>'
    )


def escaped(text: str) -> str:
    """Text inside of an attribute, in ASCII, so that no notebook can read it in another encoding: the page's script would
    no longer be the one that its policy allows."""
    return html.escape(text, quote=True).encode("ascii", "xmlcharrefreplace").decode()
