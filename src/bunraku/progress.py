"""What people see who wait: one display for all bars, on stderr while that is a terminal, and nothing elsewhere.

    with progress_bar(100, "running") as update:
        update(40, "still running")

Bars inside bars stand below each other in the same display. `patience(text)` shows that something is going on wherever
no bar is open for longer than a moment, until something is printed; `leave()` ends all of it, where a command has come
to what it waits for. What is printed while bars are open stands above them.
`BUNRAKU_QUIET=1` silences it. Checked in tests/test_progress.py.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import partial
from typing import Any

MOMENT = 0.5  # s: what is shorter needs no display


def quiet() -> bool:
    """Whether the user wants no word of it."""
    return os.environ.get("BUNRAKU_QUIET", "") not in ("", "0")


def watched() -> bool:
    """Whether somebody can see a bar."""
    return sys.stderr.isatty() and not quiet()


class Display:
    """The bars that are open, drawn by one display of rich, which lives while there are any."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.rich: Any = None
        self.bars: list[Any] = []
        self.waiting: str | None = None  # what is said where no bar is open
        self.pulse: Any = None  # its task

    def begin(self, text: str, total: float | None) -> Any:
        """Open a bar."""
        with self.lock:
            self._pulse(False)
            self.bars.append(self._draw(text, total))
            return self.bars[-1]

    def update(self, task: Any, done: float, text: str | None = None) -> None:
        """Move a bar on."""
        with self.lock:
            if task in self.bars:
                self.rich.update(task, completed=done, description=text)

    def end(self, task: Any) -> None:
        """Close a bar."""
        with self.lock:
            if task in self.bars:
                self.bars.remove(task)
                self.rich.remove_task(task)
                self._rest()

    def wait(self, text: str | None) -> None:
        """Say `text` wherever no bar is open; None: no longer."""
        with self.lock:
            self.waiting = text
            self._rest()

    def aside(self, write: Callable[[str], Any], text: str) -> Any:
        """Write something where the display is, which comes back when the line has ended."""
        with self.lock:
            self.wait(None)
            if self.rich is not None:
                self.rich.stop()
            try:
                return write(text)
            finally:
                if self.rich is not None and text.endswith("\n"):
                    self.rich.start()

    def leave(self) -> None:
        """Close everything."""
        with self.lock:
            self.waiting = None
            for task in self.bars:
                self.rich.remove_task(task)
            self.bars.clear()
            self._rest()

    def _rest(self) -> None:
        """What is left to show: the bars, else what is waited for, else nothing."""
        self._pulse(not self.bars and self.waiting is not None)
        if not self.bars and self.waiting is None and self.rich is not None:
            self.rich.stop()
            self.rich = None

    def _pulse(self, shown: bool) -> None:
        if shown and self.pulse is None:
            self.pulse = self._draw(self.waiting or "", None)
        elif not shown and self.pulse is not None:
            self.rich.remove_task(self.pulse)
            self.pulse = None

    def _draw(self, text: str, total: float | None) -> Any:
        if self.rich is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            words = TextColumn("{task.description}", markup=False)
            columns = (SpinnerColumn(), words, BarColumn(24), TimeElapsedColumn())
            console = Console(file=getattr(sys.stderr, "stream", sys.stderr))
            self.rich = Progress(  # which would break lines of what is printed, if it were let
                *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
            )
            self.rich.start()
        return self.rich.add_task(text, total=total)


class Above:
    """A stream to the terminal on which the display is: what is written stands above it."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        return DISPLAY.aside(self.stream.write, text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


DISPLAY = Display()
leave = DISPLAY.leave


def _nobody(done: float, text: str | None = None) -> None:
    """Nobody is told."""


@contextmanager
def progress_bar(total: float | None, text: str) -> Generator[Callable[..., None], None, None]:
    """A bar while it lasts; yields update(done, text). total: what `done` counts up to; None where that is not known."""
    if not watched():
        yield _nobody
        return
    task = DISPLAY.begin(text, total)
    try:
        yield partial(DISPLAY.update, task)
    finally:
        DISPLAY.end(task)


@contextmanager
def patience(text: str) -> Generator[None, None, None]:
    """While it lasts, nobody sits before a terminal on which nothing moves: after a MOMENT without a bar `text` does."""
    if not watched():
        yield
        return
    clock = threading.Timer(MOMENT, DISPLAY.wait, (text,))
    clock.daemon = True
    clock.start()
    streams: list[Any] = [Above(s) if s.isatty() else s for s in (sys.stdout, sys.stderr)]
    try:
        with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
            yield
    finally:
        clock.cancel()
        DISPLAY.leave()
