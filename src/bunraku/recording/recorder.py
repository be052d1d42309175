"""Recorder: writes what a world does into a file of frames (.bkr) while it steps.

    with world.record("run.bkr") as recorder:      # every=5: a frame every five steps
        world.run(2.0)
        recorder.note("and now the other foot")    # or world.note(...), from a controller
    bunraku.Recording.open("run.bkr")

The file (world.blockfile) begins with JSON: the format and its version, Bunraku's version, units, columns, dt, gravity,
and every figure and fixed shape as a description (world.plain). Blocks of up to 1536 frames (world.frames) and of
events (JSON) follow, each handed to the system as it is made. It is called name.part until the recording ends: also by
an error, which it then notes. An error never replaces an older file of that name: the recording then stays as
name.part, and the error says so. Simulating goes on bit for bit as without. Checked in
tests/recording/test_recorder.py; cost and size in docs/recordings.md.
"""

# pyright: reportPrivateUsage=false, reportUnnecessaryIsInstance=false
from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from bunraku.errors import InputError
from bunraku.model.plain import to_plain
from bunraku.recording.blockfile import SUMMED, BlockWriter
from bunraku.world.frames import LAYOUT, Frames
from bunraku.world.log import Log
from bunraku.world.views import owner_of

if TYPE_CHECKING:
    from typing import Self

    from bunraku.world.world import World

FORMAT, VERSION = "bunraku recording", 2
FRAMES, FRAMES_1, EVENTS = SUMMED, b"FRAM", b"EVNT"  # FRAMES_1: of version 1, with a CRC-32 of the whole content
UNITS = {
    "times": "s", "q": "m or rad; quaternions w x y z", "v": "m/s or rad/s", "torques": "N m or N", "points": "m", "forces": "N",
}  # fmt: skip


class Recorder:
    """Writes what a world does into a file while it steps; `World.record` makes one. A context manager, or `close` it.

    every: steps a frame; meta: plain values of the user's own, kept in the file; precise: float64 instead of float32,
    twice as large. See docs/recordings.md.
    """

    world: World
    frames: int  # written so far
    precise: bool
    log: Log

    def __init__(
        self,
        world: World,
        path: str | Path,
        every: int = 1,
        *,
        title: str = "",
        meta: dict[str, Any] | None = None,
        precise: bool = False,
    ) -> None:
        if not isinstance(every, int) or every < 1:
            raise InputError(f"record: every {every} is not a whole number of 1 or more.")
        if world._log is not None:
            raise InputError("record: the world is being recorded already; end that recording first.")
        world._prepare()
        self.world, self.frames, self.precise = world, 0, bool(precise)
        try:
            text = header(world, every, title, meta or {})
            json.dumps(text, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"record: meta holds what JSON cannot ({error}); use numbers, text, lists, dicts."
            ) from None
        self._file = BlockWriter(path, text)
        self._open = True
        self.log = Log(world, self._take, every, self.precise)

    @property
    def path(self) -> Path:
        """Where the recording is, or will be when it ends."""
        return self._file.path

    def note(self, text: str, **more: Any) -> None:
        """Write down an event of kind "note" at the present time."""
        self.log.watch.note(text, **more)

    def close(self, *, replace: bool = True) -> Path:
        """End the recording; the file gets its name.

        replace False: an older file of that name stays, and this one is name.part.
        """
        if self._open:
            self._open = False
            self.log.leave()
            self.log.end()
            self._file.close(replace=replace)
        return self.path

    def _take(self, frames: Frames, events: list[dict[str, Any]]) -> None:
        """A read-out of the log."""
        n = len(frames)
        if n:
            self._file.add(FRAMES, frames.pieces(self.precise), n, float(frames.times[0]), float(frames.times[-1]))
            self.frames += n
        if events:
            times = [e["time"] for e in events]
            text = json.dumps(to_plain_events(events), allow_nan=False)
            self._file.add(EVENTS, text.encode(), len(events), min(times), max(times))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._open or error is None:
            self.close()
            return
        wanted = self.path
        self.note(str(error) or type(error).__name__, error=type(error).__name__)
        path = self.close(replace=False)
        kept = "" if path == wanted else f"; {wanted} is as it was"
        error.add_note(f"The recording up to there: {path}{kept}.")


def to_plain_events(events: list[dict[str, Any]]) -> list[Any]:
    """Events as JSON has them."""
    return [{key: to_plain(value) for key, value in e.items()} for e in events]


def header(world: World, every: int, title: str, meta: dict[str, Any]) -> dict[str, Any]:
    """What a recording says about its world."""
    from bunraku.version import __version__

    whose = zip(world._geometry.figure.tolist(), world._geometry.body.tolist())
    shapes = [[figure, body, owner_of(world, k)[1]] for k, (figure, body) in enumerate(whose)]
    return {
        "format": FORMAT,
        "version": VERSION,
        "bunraku": __version__,
        "title": title,
        "dt": world.dt,
        "every": every,
        "contact": world.contact,
        "gravity": to_plain(world.gravity),
        "units": UNITS,
        "columns": [list(row) for row in LAYOUT],
        "dofs": list(world.model.dof_names),
        "figures": [
            {"name": f.name, "description": to_plain(f.model.description), "gravity": to_plain(f.model.gravity)}
            for f in world.figures
        ],
        "fixed": [to_plain(f.shape) for f in world._fixed],
        "shapes": shapes,
        "meta": meta,
    }
