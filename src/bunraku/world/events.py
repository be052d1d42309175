"""Watch: what happens to a recorded world besides its motion: connections made, cut and broken, pushes, notes of
controllers.

An event is a dict of plain values with "time" [s] and "kind": connect, cut, break, push or note. A break is known to
the step in which it happened (`breaks`, written by step.step_log: the number of that step since the last look, 0 for
none); the rest is what a user or a controller did between two steps. Checked in tests/recording/test_recorder.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.model.rotations import quaternion
from bunraku.step.tie_rows import SPRING
from bunraku.world.ties import NAMES, Connection

if TYPE_CHECKING:
    from bunraku.world.world import World


class Watch:
    """See the module text."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.events: list[dict[str, Any]] = []
        self.breaks = np.zeros(0, dtype=np.int64)
        self._known: dict[int, Connection] = {}
        self._alive: set[int] = set()
        self._pushes: list[Any] = []
        self.look(world.time)

    def taken(self) -> list[dict[str, Any]]:
        """The events since this was asked last."""
        out, self.events = self.events, []
        return out

    def note(self, text: str, **more: Any) -> None:
        """Write down a note."""
        self._add(self.world.time, "note", text=str(text), **more)

    def look(self, start: float) -> None:
        """Compare with what was; `start` is the time from which `breaks` counts steps."""
        ties, now = self.world._ties, self.world.time
        for number, connection in ties.connections.items():
            if self._known.get(number) is not connection:
                self._gone(number, start, now, replaced=True)
                self._known[number] = connection
                self._alive.add(number)
                self._add(now, "connect", number=number, **self._ends(number))
        for number in sorted(n for n in self._alive if not ties.kinds[n].active):
            self._gone(number, start, now)
        if len(self.breaks) != len(ties.ints):
            self.breaks = np.zeros(len(ties.ints), dtype=np.int64)
        self.breaks[:] = ties.kinds.column("broken")  # what was broken before has been said
        for push in self.world._pushes:
            if not any(push is p for p in self._pushes):
                figure, link, wrench, end = push
                self._add(now, "push", on=f"{figure}.{link}", wrench=wrench.tolist(), until=float(end))
        self._pushes = list(self.world._pushes)

    def _gone(self, number: int, start: float, now: float, replaced: bool = False) -> None:
        """A connection that held holds no more."""
        if number not in self._alive:
            return
        self._alive.discard(number)
        broken = not replaced and self.world._ties.kinds[number].broken == 1
        step = int(self.breaks[number]) if broken and number < len(self.breaks) else 0
        self._add(start + step * self.world.dt if broken else now, "break" if broken else "cut", number=number)

    def _ends(self, number: int) -> dict[str, Any]:
        """What a connection ties: in words, and as numbers of bodies (0 the world) with the points [m] and turns (wxyz) of
        its frame in theirs."""
        kind, tie = self.world._ties.kinds[number], self.world._ties.ties[number]
        names, bodies = self.world.model.body_names, [int(kind.body_a), int(kind.body_b)]
        points = [[float(x) for x in place] for place in (tie.place_a, tie.place_b)]
        axes, rates = (" ".join(n for k, n in enumerate(NAMES) if int(m) >> k & 1) for m in (kind.axes, kind.rates))
        out = {"a": names[bodies[0]], "b": names[bodies[1]], "axes": axes, "bodies": bodies, "points": points}
        if kind.active == SPRING:
            return {**out, "axes": "spring"}
        turns = [quaternion(np.reshape(turn, (3, 3))).tolist() for turn in (tie.turn_a, tie.turn_b)]
        return {**out, "turns": turns, **({"velocity_axes": rates} if rates else {})}

    def _add(self, time: float, kind: str, **more: Any) -> None:
        self.events.append({"time": float(time), "kind": kind, **more})
