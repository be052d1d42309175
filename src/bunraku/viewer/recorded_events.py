"""What happened in a recording besides its motion, for the page: connections with the times in which they held, and
marks for the time line.

Events come from a file (bunraku.world.events says what a recorder writes) and are believed only as far as they make
sense. Checked in tests/viewer/test_recorded_events.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bunraku.viewer.recorded import Recorded, figures_of

MOST_EVENTS = 200
LONGEST = 200  # characters


def connections_of_recording(recording: Recorded) -> list[dict[str, Any]]:
    """Every connection and spring that ever held, as `frames.connections_of` lists them, with the times "from" and "to"
    (None: to the end)."""
    nb = 1 + sum(m.nb - 1 for _, m in figures_of(recording))
    out: list[dict[str, Any]] = []
    for e in recording.events:
        kind, number = e["kind"], e.get("number")
        if kind in ("cut", "break"):
            for tie in out:
                if tie["number"] == number and tie["to"] is None:
                    tie["to"] = float(e["time"])
        elif kind == "connect" and _is_tie(e, nb):
            (a, b), (at_a, at_b) = e["bodies"], e["points"]
            tie = {"number": number, "kind": "spring" if e.get("axes") == "spring" else "connection"}
            ends = {"body_a": a - 1, "body_b": b - 1, "point_a": at_a, "point_b": at_b}
            out.append({**tie, **ends, "from": float(e["time"]), "to": None})
    return out


def _is_tie(e: Mapping[str, Any], nb: int) -> bool:
    """Whether an event, which may come from any file, names bodies that exist and finite points."""
    try:
        bodies, points = e["bodies"], np.array(e["points"], dtype=float)
        return all(type(b) is int and 0 <= b < nb for b in bodies) and (
            points.shape == (2, 3) and len(bodies) == 2 and bool(np.all(np.isfinite(points)))
        )
    except (KeyError, TypeError, ValueError):
        return False


def events_of_recording(recording: Recorded) -> list[dict[str, Any]]:
    """Marks for the time line: {"time", "kind", "text"}; what held before the first frame has none.

    The first MOST_EVENTS.
    """
    times = np.asarray(recording.times, dtype=float)
    first, last = (times[0], times[-1]) if len(times) else (0.0, 0.0)
    out = []
    for e in recording.events:
        time, kind = float(e["time"]), str(e["kind"])
        if first - 1e-9 <= time <= last + 1e-9 and not (kind == "connect" and time <= first):
            out.append({"time": time, "kind": kind, "text": _words(kind, e)[:LONGEST]})
    return out[:MOST_EVENTS]


def _words(kind: str, e: Mapping[str, Any]) -> str:
    """An event in a few words."""
    if kind == "connect":
        return f"connected: {e.get('a')} – {e.get('b')} ({e.get('axes')})"
    if kind in ("cut", "break"):
        return f"connection {e.get('number')} {'cut' if kind == 'cut' else 'broke'}"
    if kind == "push":
        return f"push on {e.get('on')}"
    return str(e.get("text", kind))
