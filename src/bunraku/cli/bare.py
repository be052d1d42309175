"""A bare `bunraku`: opens the stage where somebody sits before a terminal and a display, and prints the help elsewhere.

Checked in tests/cli/test_bare.py.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

HINT = "bunraku stage: the figure comes up in your browser (`bunraku --help` lists all commands)."


def opens_stage() -> bool:
    """Whether there are a terminal, for reading and for writing, and a display."""
    terminal = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))
    return terminal and has_display(os.environ, sys.platform)


def has_display(environment: Mapping[str, str], platform: str) -> bool:
    """Whether a browser of this machine has somewhere to be seen. Desktops of Linux and its relatives name their
    display; Windows and macOS have one, unless one came from another machine; a browser that was chosen counts as one."""
    if environment.get("BROWSER"):
        return True
    if platform in ("win32", "darwin"):
        return not (environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
