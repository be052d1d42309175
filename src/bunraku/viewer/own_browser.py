"""Opening the page in the user's browser without telling its token to others.

What a program is started with, every user of a machine can read in the list of processes. So the browser gets the name
of a file, which only the user can read, in a folder that only the user can enter; it leads on to the address. The file
is removed when a page has come, after PATIENCE, and at the end of the process. A thread does it, as some browsers, those
of a terminal above all, return only when they are closed. Checked in tests/viewer/test_own_browser.py.
"""

from __future__ import annotations

import html
import json
import os
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

PATIENCE = 60.0  # s: a browser may have to start first
LOOK = 0.2  # s between two looks whether the page has come
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Bunraku</title>
<meta http-equiv="refresh" content="1; url={link}"><script>location.replace({script})</script></head>
<body><a href="{link}">To the page</a></body></html>
"""


def open_browser(url: str, has_come: Callable[[], bool], ended: Callable[[float], bool]) -> threading.Thread:
    """Let the user's browser see an address, in a thread of its own; has_come(): whether it does, ended(seconds): waits
    so long, and says whether that does not matter any more."""
    thread = threading.Thread(target=_open, args=(url, has_come, ended), name="bunraku browser", daemon=True)
    thread.start()
    return thread


def _open(url: str, has_come: Callable[[], bool], ended: Callable[[float], bool]) -> None:
    with tempfile.TemporaryDirectory(prefix="bunraku-page-", ignore_cleanup_errors=True) as folder:  # mode 0700
        path = Path(folder) / "open.html"
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            script = json.dumps(url).replace("<", "\\u003c")
            file.write(PAGE.format(link=html.escape(url, quote=True), script=script))
        webbrowser.open(path.as_uri())
        for _ in range(round(PATIENCE / LOOK)):
            if has_come() or ended(LOOK):
                break
