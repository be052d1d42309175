"""Background: work done in order by a thread of its own, while the caller goes on.

Writing and check sums let other threads run, so a recording's files cost the steps of a world little as long as a second core is free. At
most MOST pieces of work wait; then the
caller does, too. What fails is raised where the next piece is given, or at the end, and nothing is done after it. Checked in
tests/world/test_background.py.
"""

from __future__ import annotations

from collections.abc import Callable
from queue import Queue
from threading import Thread

MOST = 2


class Background:
    """See the module text."""

    def __init__(self) -> None:
        self._todo: Queue[Callable[[], None] | None] = Queue(MOST)
        self._error: BaseException | None = None
        self._thread = Thread(target=self._loop, name="bunraku background", daemon=True)
        self._thread.start()

    def do(self, work: Callable[[], None]) -> None:
        """Do this after what was given before."""
        self._check()
        self._todo.put(work)

    def end(self) -> None:
        """Wait until all is done."""
        if self._thread.is_alive():
            self._todo.put(None)
            self._thread.join()
        self._check()

    def _loop(self) -> None:
        while (work := self._todo.get()) is not None:
            if self._error is None:
                try:
                    work()
                except BaseException as error:
                    self._error = error

    def _check(self) -> None:
        if self._error is not None:
            raise self._error
