"""Takes of a stage: recordings that are switched on and off, and what is made of them for other programs.

A take is written while the world runs (World.record, float64). Films and tables are made by a process of its own,
`bunraku export`, so that the stage goes on in real time meanwhile. Files live in a folder that ends with the stage,
takes in one of the user's where it was given. Checked in tests/viewer/test_stage.py.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bunraku.errors import BunrakuError
from bunraku.files import part_of
from bunraku.viewer.stage_messages import Refused

if TYPE_CHECKING:
    from bunraku.choreography.engine import Choreography
    from bunraku.recording.recorder import Recorder

RATES = {"csv": 100.0, "bvh": 60.0, "gif": 20.0}  # frames a second
LARGEST = 100 * 2**20  # bytes that are sent to a page
LONGEST = 600.0  # s that making a file may take


class Takes:
    """See the module text. `last` is the take that ended last, `making` the format of which a file is being made."""

    def __init__(self, choreography: Choreography, kept: Path | None = None) -> None:
        self.c, self.kept = choreography, kept
        if kept is not None:
            kept.mkdir(parents=True, exist_ok=True)
        self._scratch = tempfile.TemporaryDirectory(prefix="bunraku-stage-", ignore_cleanup_errors=True)
        self.folder = Path(self._scratch.name)
        self.last: Path | None = None
        self.making: str | None = None
        self._recorder: Recorder | None = None
        self._began, self._number = 0.0, 0
        self._process: subprocess.Popen[str] | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    @property
    def seconds(self) -> float | None:
        """How long the take has been recorded; None while none is."""
        return None if self._recorder is None else round(self.c.time - self._began, 3)

    def switch(self, on: bool) -> None:
        """Begin a take, or end it; doing so twice does no harm."""
        if on and self._recorder is None:
            folder = self.folder if self.kept is None else self.kept
            self._number += 1
            while (path := folder / f"take-{self._number}.bkr").exists() or part_of(path).exists():
                self._number += 1
            self._recorder, self._began = self.c.record(path, title=path.stem), self.c.time
        elif not on and self._recorder is not None:
            recorder, self._recorder = self._recorder, None
            if self.c.time > self._began:
                self.last = recorder.close()
            else:
                recorder.close().unlink(missing_ok=True)

    def export(self, kind: str, ready: Callable[[str, Any], None]) -> None:
        """Make a file of the last take; ready(name, bytes) is called by another thread, ready(name, sentence) where it
        went wrong."""
        if self.making is not None:
            raise Refused(f"A {self.making.upper()} file is being made; one at a time.")
        self.switch(False)
        if self.last is None:
            raise Refused("There is no take yet: record something first (r), then export it.")
        self.making = kind
        self._thread = threading.Thread(
            target=self._make, args=(self.last, kind, ready), name="bunraku export", daemon=True
        )
        self._thread.start()

    def _make(self, take: Path, kind: str, ready: Callable[[str, Any], None]) -> None:
        out = self.folder / f"{take.stem}.{kind}"
        command = [sys.executable, "-m", "bunraku", "export", str(take), "--to", kind, "--out", str(out)]
        content: bytes | str
        try:
            self._process = subprocess.Popen(
                [*command, "--fps", str(RATES[kind])],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
            )
            if self._closed:
                self._process.kill()
            _, said = self._process.communicate(timeout=LONGEST)
            if self._process.returncode:
                reason = (said.strip().splitlines() or ["no reason was given"])[-1]
                content = f"The {kind.upper()} file could not be made: {reason}"
            elif out.stat().st_size > LARGEST:
                content = f"The {kind.upper()} file has more than {LARGEST >> 20} MB; use `bunraku export` on the take."
            else:
                content = out.read_bytes()
        except (OSError, subprocess.TimeoutExpired) as error:
            content = f"The {kind.upper()} file could not be made: {error}"
            if self._process is not None:
                self._process.kill()
        self.making = None
        ready(out.name, content)

    def close(self) -> None:
        """End the take and what is being made of it; remove the files that nobody asked to keep."""
        self._closed = True
        with contextlib.suppress(BunrakuError, OSError):  # the disk is full: nothing to keep
            self.switch(False)
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
        if self._thread is not None:
            self._thread.join(5.0)
        self._scratch.cleanup()
