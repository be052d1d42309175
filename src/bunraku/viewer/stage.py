"""A choreography that runs while it is watched, pinned and dragged: the stage of `bunraku stage`.

The physics goes on in real time as any live world's (bunraku.viewer.live); what pages ask for waits in order and is
done between two portions of steps. Moves of a target that follow each other count as the last of them. One viewer at a
time holds a figure: who takes hold first owns the drag until it lets go, leaves or is lost; others are told so. Before
every act a snapshot is kept, so that `undo` goes back to it, time and score included, bit for bit. A page sees pins,
targets and how much each is violated in the message that goes before every frame. Checked in tests/viewer/test_stage.py
and test_stage_in_browser.py.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from bunraku.choreography.dance_snapshot import DanceSnapshot
from bunraku.choreography.engine import Choreography
from bunraku.choreography.score import Score
from bunraku.errors import BunrakuError, InputError
from bunraku.viewer.live import Live
from bunraku.viewer.messages import Command
from bunraku.viewer.stage_files import Takes
from bunraku.viewer.stage_grips import actors, grip_or_release, grips_message, is_free_hand, named
from bunraku.viewer.stage_joints import coordinates, panel, shown, with_sliders
from bunraku.viewer.stage_messages import KEYS, Refused, beyond, item_message
from bunraku.viewer.view import View, Where, check_speed, close_views_of, open_view, waits

MOST_WAITING = 64  # acts that may wait to be done
MOST_UNDO = 200  # snapshots kept
SLIGHT = 1e-3  # rad or m beyond a limit that are not worth a word
REPORT = 0.1  # s between two looks at the state of the figure
SLIDING = 1.0  # s: values of a joint that follow each other so soon are one act


class StageOptions(Where, total=False):
    """How a stage is opened: where its page is served, and the options of Stage; play: whether it runs by itself, wait:
    only when a page is ready, which is so by default where a browser opens it."""

    play: bool
    speed: float
    title: str
    score: str | Path | None
    recordings: str | Path | None
    wait: bool | None


@dataclass
class Before:
    """The state before an act; `score` is kept where the act forgets it."""

    act: str
    snapshot: DanceSnapshot
    score: Score | None = None


class Stage(Live):
    """A choreography that runs in real time while it is watched, pinned and dragged: what `bunraku stage` shows. `open`
    serves its page; `Choreography.stage` makes and opens one in one call.

    speed: against real time; playing: whether it runs at once; score: a file that `save` writes as well; recordings: a
    folder where takes stay; wait: it begins when a page is ready. See docs/stage.md.
    """

    goes_back = False
    c: Choreography
    score_file: Path | None
    takes: Takes
    error: str | None
    playing: bool

    def __init__(
        self,
        choreography: Choreography,
        *,
        title: str = "",
        playing: bool = True,
        speed: float = 1.0,
        score: Path | None = None,
        recordings: Path | None = None,
        wait: bool = False,
    ) -> None:
        super().__init__(choreography.world, title=title, playing=playing, speed=speed, wait=wait)
        self.c, self.score_file = choreography, score
        self.takes = Takes(choreography, recordings)
        self._begin = choreography.snapshot()
        self._undo: deque[Before] = deque(maxlen=MOST_UNDO)
        self._acts: deque[Command] = deque()
        self._holder = 0  # who drags; 0: nobody
        self._hand: str | None = None  # name of the drag
        self._hands: set[str] = set()
        self._slid = -1.0  # when a joint's value was last desired
        self._looked, self._seen = -1.0, {"state": "standing", "limits": {}, "joints": {}}

    def open(self, **where: Unpack[Where]) -> View:
        """Serve the page, and open it in the user's browser unless browser=False; returns a handle with its address."""
        close_views_of(self.c.world)
        try:
            return open_view(self, **where)
        except BaseException:
            self.stop()
            raise

    # ---- from the server's thread

    def command(self, order: Command) -> None:
        """Take a command, or refuse it at once."""
        if order.kind not in KEYS:
            super().command(order)
            return
        with self._mail:
            if order.kind in ("to", "drop") and order.viewer != self._holder:
                return  # it was let go meanwhile
            if order.kind == "drag" and self._holder not in (0, order.viewer):
                raise Refused("Somebody else is dragging the figure; please watch, and try again when it is let go.")
            if self._acts and replaces(order, self._acts[-1]):
                self._acts.pop()
            elif len(self._acts) >= MOST_WAITING and order.kind != "drop":
                raise Refused("The stage is busy; try again in a moment.")
            if order.kind == "drag":
                self._holder = order.viewer
            elif order.kind == "drop":
                self._holder = 0
            self._acts.append(order)
        self._woken.set()

    def leave(self, viewer: int) -> None:
        """Who is gone drags no more."""
        self.command(Command("drop", viewer=viewer))

    # ---- in the show's thread

    def stop(self) -> None:
        """End the thread, the drag, the take that is being recorded and its files."""
        super().stop()
        self._release_hand()
        self.takes.close()

    def scene(self) -> dict[str, Any]:
        """The scene message; the page knows by it that this is a stage."""
        model = self.c.model
        grips = [
            {"name": f.name, "link": model.body_names[f.body], "point": np.round(f.position, 6).tolist()}
            for f in model.frames
            if f.body > 0 and f.name not in model.body_names
        ]  # named points that the keyboard can choose beside the links: hands, toes
        return {**super().scene(), "stage": {
            "figure": self.c.figure.name, "actors": actors(self.c), "joints": panel(model), "grips": grips,
        }}  # fmt: skip

    def frame(self) -> bytes:
        """The present frame; what is pinned and dragged goes before it."""
        frame = super().frame()
        if self._audience is not None:
            self._audience.publish("stage", self.message())
        return frame

    def message(self) -> dict[str, Any]:
        """Pins, drags and switches as they are."""
        now = time.perf_counter()
        if not 0 <= now - self._looked < REPORT:
            report = self.c.report
            limits = {
                name: beyond(self.c.model.joint(name), x) for name, x in report.beyond_limits.items() if x > SLIGHT
            }
            joints = {j.name: shown(j, self.c.figure.q[j.q]) for j in with_sliders(self.c.model)}
            self._looked, self._seen = now, {"state": report.state, "limits": limits, "joints": joints}
        items = []
        for v in self.c.violations:
            info = v.item.figure.model.frame(v.item.part)
            items.append(item_message(v, v.item.figure.part.body - 1 + info.body, info.position, info.rotation))
        return {
            "type": "stage",
            **self._seen,
            "items": items,
            "grips": grips_message(self.c),
            "holder": self._holder,
            "balance": self.c.balance,
            "dynamics": self.c.dynamics,
            "steps": self.c.steps,
            "rises": self.c.rises,
            "desired": {name: shown(self.c.model.joint(name), x) for name, x in self.c.dancers[0].desired.items()},
            "recording": self.takes.seconds,
            "take": self.takes.last is not None,
            "making": self.takes.making,
            "undo": self._undo[-1].act if self._undo else None,
        }

    def _obey(self, orders: dict[str, float]) -> bool:
        with self._mail:
            acts, self._acts = self._acts, deque()
        for act in acts:
            try:
                self._do(act)
            except BunrakuError as error:
                self._say(act.viewer, str(error))
                if act.kind == "drag":
                    self._let_go()
        if any(act.kind != "drop" for act in acts):
            self.waiting = False  # who acts is audience enough
        other = super()._obey(orders)
        return other or (bool(acts) and not self.playing)

    def _say(self, viewer: int, text: str) -> None:
        if self._audience is not None:
            self._audience.whisper(viewer, text)

    def _do(self, act: Command) -> None:
        """One act."""
        c, values = self.c, act.data
        if act.kind == "to":
            for drag in c.drags:
                if drag.name == self._hand:
                    drag.to(values["position"])
        elif act.kind == "drop":
            self._release_hand()
        elif act.kind in ("pin", "drag"):
            link, point = named(c, values["link"], values["point"])
            how = {"axes": values.get("axes", "pose" if values["pose"] else "xyz"), "rotation": values.get("rotation")}
            if act.kind == "drag":
                self._release_hand()
            before = self._before(f"{act.kind} {link}")
            made = c.pin(link, point, **how) if act.kind == "pin" else c.drag(link, point, **how)
            self._undo.append(before)
            if act.kind == "drag":
                self._hand = made.name
                self._hands.add(made.name)
        elif act.kind == "release":
            item = c.item(values["name"])
            if item.kind != "pin":
                raise Refused(f"{item.name} is a drag; who holds it lets it go.")
            self._undo.append(self._before(f"release {item.link}"))
            c.release(item)
        elif act.kind == "release_all":
            if c.pins:
                self._undo.append(self._before("release all"))
            for pin in c.pins:
                c.release(pin)
        elif act.kind == "grip":
            self._grip(values)
        elif act.kind == "balance":
            if c.balance != values["on"]:
                self._undo.append(self._before(f"balance {'on' if values['on'] else 'off'}"))
                c.balance = values["on"]
        elif act.kind == "dynamics":
            if c.dynamics != values["on"]:
                self._undo.append(self._before(f"dynamics {'on' if values['on'] else 'off'}"))
                self.takes.switch(False)
                c.dynamics = values["on"]
        elif act.kind in ("steps", "rises"):
            if getattr(c, act.kind) != values["on"]:
                before = self._before(f"{act.kind} {'on' if values['on'] else 'off'}")
                setattr(c, act.kind, values["on"])
                self._undo.append(before)
        elif act.kind == "get_up":
            before = self._before("get up")
            c.get_up()
            self._undo.append(before)
        elif act.kind == "walk":
            before = self._before("walk")
            c.walk_to(values["place"])
            self._undo.append(before)
        elif act.kind in ("desire", "undesire"):
            self._desire(values["joint"], values.get("value"))
        elif act.kind == "undo":
            self._go_back()
        elif act.kind == "reset":
            self.go_to(0.0)
        elif act.kind == "record":
            self.takes.switch(values["on"])
        elif act.kind == "save":
            self._save(act.viewer)
        elif act.kind == "export":
            self.takes.export(values["format"], lambda name, content: self._made(act.viewer, name, content))

    def _grip(self, values: dict[str, Any]) -> None:
        """A hand takes hold, or lets go: the link that is named, else the one that is dragged."""
        c, other = self.c, values.get("other")
        if "link" in values:
            link = named(c, values["link"], values.get("point", (0.0, 0.0, 0.0)))[0]
        else:
            drag = next((d for d in c.drags if d.name == self._hand), None)
            if drag is None or (other is not None and not is_free_hand(c, drag.link)):
                return  # something else was dropped there
            link = drag.link
        before = self._before(f"grip {link}")
        made = grip_or_release(c, link, other)
        self._undo.append(before if made is not None else Before(f"release {link}", before.snapshot))

    def _desire(self, joint: str, value: list[float] | None) -> None:
        """A joint's value is desired, or released; a slider that goes on moving is undone as a whole."""
        x = None if value is None else coordinates(self.c.model, joint, value)
        if value is None and joint not in self.c.desired:
            raise Refused(f"joint {joint!r}: no value of it is desired.")
        act, now = f"{'release joint' if value is None else 'joint'} {joint}", time.perf_counter()
        if not (self._undo and self._undo[-1].act == act and 0 <= now - self._slid < SLIDING):
            self._undo.append(self._before(act))
        self.c.pose({joint: x})
        self._slid = now

    def _before(self, act: str) -> Before:
        return Before(act, self.c.snapshot())

    def _release_hand(self) -> None:
        hand, self._hand = self._hand, None
        for drag in self.c.drags:
            if drag.name == hand:
                self.c.release(drag)

    def _let_go(self) -> None:
        """Nobody drags any more, whatever was asked meanwhile."""
        with self._mail:
            self._holder, self._hand = 0, None

    def _restore(self, snapshot: DanceSnapshot) -> None:
        """Go back in time: a recording ends, and no hand holds on."""
        self.takes.switch(False)
        self._let_go()
        self.c.restore(snapshot)
        for drag in self.c.drags:
            if drag.name in self._hands:
                self.c.release(drag)
        self._owed, self._looked = 0.0, -1.0
        if self.error is not None:
            self.error, self.playing = None, True

    def _go_back(self) -> None:
        if not self._undo:
            raise Refused("There is nothing to undo.")
        before = self._undo.pop()
        self._slid = -1.0
        if before.score is not None:
            self.c.score = before.score
        self._restore(before.snapshot)

    def go_to(self, time: float) -> None:
        """Back to the start, time 0 s, which can be undone; no other time is known."""
        start = self._past.first.time
        if time > start + 0.5 * self.world.dt:
            raise InputError(f"seek: a stage goes back by undo; only its start, t={start:g} s, is known.")
        self._release_hand()
        before = self._before("reset")
        before.score = self.c.score.copied()
        self._undo.append(before)
        self._restore(self._begin)

    def _save(self, viewer: int) -> None:
        """The score, to the page and, where one was given, into the file."""
        name = "score.toml" if self.score_file is None else self.score_file.name
        path = self.c.score.save(self.takes.folder / "score.toml", self.c.time)
        if self._audience is not None:
            self._audience.give(viewer, name, path.read_bytes())
        if self.score_file is not None:
            self.c.score.save(self.score_file, self.c.time)
            self._say(viewer, f"Saved as {self.score_file}.")

    def _made(self, viewer: int, name: str, content: bytes | str) -> None:
        """A file is ready (or a sentence says why not); called by the thread that made it."""
        audience = self._audience
        if audience is None or self._stopped.is_set():
            return
        if isinstance(content, str):
            audience.whisper(viewer, content)
        else:
            audience.give(viewer, name, content)
        with self.lock:
            audience.publish("stage", self.message())


def replaces(new: Command, last: Command) -> bool:
    """Whether a command makes the one that waits before it needless: a target, or a joint's slider, moved on."""
    same = new.kind == last.kind
    return same and (new.kind == "to" or (new.kind == "desire" and new.data["joint"] == last.data["joint"]))


def open_stage(
    choreography: Choreography,
    *,
    play: bool = True,
    speed: float = 1.0,
    title: str = "",
    score: str | Path | None = None,
    recordings: str | Path | None = None,
    wait: bool | None = None,
    **where: Unpack[Where],
) -> View:
    """Run a choreography in real time in a thread of its own and show it with the tools of the stage; see
    Choreography.stage."""
    check_speed("stage", speed)
    close_views_of(choreography.world)
    stage = Stage(
        choreography,
        title=title,
        playing=play,
        speed=speed,
        score=None if score is None else Path(score),
        recordings=None if recordings is None else Path(recordings),
        wait=waits(wait, where),
    )
    return stage.open(**where)
