"""A show: something that plays in a thread of its own, answers commands, and publishes a frame sixty times a second.

`Live` (a world) and `Player` (a recording) say how time goes on; this file holds what they share. Commands come from
the server's thread or from the user's and are kept in a mailbox where the latest wins, never in a queue. With `wait` it
begins when a page says that it is ready: its first picture is drawn and somebody sees it. The thread
holds `lock` while it touches what it shows, so
    with view.lock: world.push(...)
is safe from elsewhere. Whatever goes wrong becomes the sentence of a status; the thread goes on. Checked in
tests/viewer/test_live.py.
"""

from __future__ import annotations

import math
import threading
import time
from typing import TYPE_CHECKING, Any

from bunraku.errors import BunrakuError, InputError
from bunraku.viewer.messages import MOST_STEPS, VALUES, Command

if TYPE_CHECKING:
    from bunraku.viewer.server import Server

PERIOD = 1.0 / 60.0
BEHIND = 0.1  # s of real time that may be caught up; what is beyond is dropped
RATED = 1.0  # s of real time over which the rate is measured


class Show:
    """See the module text. A subclass gives `advance`, `forward`, `go_to`, `frame`, `scene`, `time` and `duration`.

    `waiting`: nobody has been there yet; `rate`: seconds shown a second while it plays, None before that is known.
    """

    goes_back = True
    """Whether any earlier time can be returned to; else the start alone."""

    def __init__(self, *, playing: bool = True, speed: float = 1.0, wait: bool = False, loop: bool = False) -> None:
        self.playing, self.speed, self.ended, self.loop = playing, float(speed), False, loop
        self.waiting, self.rate = wait and playing, None
        self._rated = 0.0, 0.0  # s of real time, s shown in it
        self.error: str | None = None
        self.lock = threading.Lock()
        self._mail = threading.Lock()
        self._orders: dict[str, float] = {}
        self._woken, self._stopped = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._audience: Server | None = None
        self._told: Any = None

    # ---- what a subclass says

    @property
    def time(self) -> float:
        """Time shown [s]."""
        raise NotImplementedError

    @property
    def duration(self) -> float | None:
        """How long it is [s]; None while it is live."""
        raise NotImplementedError

    def scene(self) -> dict[str, Any]:
        """The scene message."""
        raise NotImplementedError

    def frame(self) -> bytes:
        """The present frame."""
        raise NotImplementedError

    def overview(self) -> bytes:
        """Frames from all of it, one after another; none where the end is not known."""
        return b""

    def advance(self, seconds: float) -> bool:
        """Let time go on while playing; returns whether anything changed."""
        raise NotImplementedError

    def forward(self, n: int) -> None:
        """Single steps, back where n < 0."""
        raise NotImplementedError

    def by_frames(self, n: int) -> None:
        """Go on, or back, by frames as they are displayed: of a sixtieth of a second each."""
        raise NotImplementedError

    def go_to(self, time: float) -> None:
        """Show another time."""
        raise NotImplementedError

    # ---- commands, from any thread

    def command(self, order: Command) -> None:
        """Take a command; it is done by the show's thread. An InputError refuses what makes no sense here."""
        if order.kind not in VALUES:
            raise InputError(f"message: {order.kind!r} is for a stage; `bunraku stage` opens one.")
        back = order.kind == "go_on" or (order.kind in ("step", "frame") and order.value < 0)
        if back and not self.goes_back:
            raise InputError("message: a stage goes back by undo, or to its start.")
        if order.kind == "loop" and self.duration is None:
            raise InputError("message: a live world has no end; recordings play again and again.")
        with self._mail:
            o = self._orders
            if order.kind in ("play", "pause"):
                o["playing"] = order.kind == "play"
            elif order.kind in ("step", "frame"):
                o[order.kind] = max(-MOST_STEPS, min(o.get(order.kind, 0) + order.value, MOST_STEPS))
                o["playing"] = False
            elif order.kind == "go_on":
                o["seek"], o["playing"] = order.value, True
            elif order.kind == "restart":
                o["seek"], o["playing"] = -math.inf, True
            elif order.kind in ("speed", "seek", "loop"):
                o[order.kind] = order.value
            if order.kind not in ("speed", "loop", "hello"):
                o["begin"] = 1
            o["tell"] = 1
        self._woken.set()

    def leave(self, viewer: int) -> None:
        """A viewer is gone; what it held is let go where something can be held."""

    def pause_now(self) -> None:
        """Pause; on return the show's thread leaves its world alone until it is told to go on."""
        self.command(Command("pause"))
        with self.lock:
            pass

    def status(self) -> dict[str, Any]:
        """The status message."""
        times = {"time": self.time, "duration": self.duration}
        state = {"playing": self.playing, "speed": self.speed, "ended": self.ended, "error": self.error}
        state |= {"waiting": self.waiting, "rate": self.rate, "loop": self.loop}
        return {"type": "status", **times, **state}

    # ---- the thread

    def start(self, audience: Server) -> None:
        """Publish the first frame and begin."""
        self._audience = audience
        with self.lock:
            audience.publish("scene", self.scene())
            if overview := self.overview():
                audience.publish("overview", overview)
            audience.publish("frame", self.frame())
        self._tell()
        self._thread = threading.Thread(target=self._run, name="bunraku show", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread; once it has ended nobody touches the world."""
        self._stopped.set()
        self._woken.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
            self._thread = None

    def show(self) -> None:
        """Publish the present frame, for one who moves things himself."""
        if self._audience is not None:
            with self.lock:
                self._audience.publish("frame", self.frame())

    def _run(self) -> None:
        last = time.perf_counter()
        while not self._stopped.is_set():
            now = time.perf_counter()
            elapsed, last = now - last, now
            with self.lock:
                self._turn(elapsed)
            if not self.playing or self.waiting:
                self._woken.wait()
                last = time.perf_counter()
            else:
                self._woken.wait(max(0.0, now + PERIOD - time.perf_counter()))
            self._woken.clear()

    def _turn(self, elapsed: float) -> None:
        """Do what was ordered, or go on by some real time; publish what changed."""
        with self._mail:
            orders, self._orders = self._orders, {}
        audience = self._audience
        if self._stopped.is_set() or audience is None:
            return
        try:
            changed = self._obey(orders)
            if self.playing and not self.waiting and not changed:
                before = self.time
                changed |= self.advance(min(elapsed, BEHIND) * self.speed)
                self._rate(elapsed, self.time - before)
        except BunrakuError as error:
            self._fail(str(error))
            changed = True
        except Exception as error:  # a controller of the user's may raise anything
            self._fail(f"{type(error).__name__}: {error}")
            changed = True
        if changed:
            try:
                audience.publish("frame", self.frame())
            except Exception as error:  # nothing to show, yet the thread must live to say so
                self._fail(f"{type(error).__name__}: {error}")
        if "tell" in orders or self._now() != self._told:
            self._tell()

    def _obey(self, orders: dict[str, float]) -> bool:
        """Returns whether another state is to be shown."""
        self.speed, self.loop = orders.get("speed", self.speed), bool(orders.get("loop", self.loop))
        jumps = bool({"seek", "step", "frame"} & orders.keys())
        if orders.get("playing") or jumps:
            self.error = None
        if "begin" in orders:
            self.waiting = False
        if jumps or "speed" in orders or "playing" in orders:
            self.rate, self._rated = None, (0.0, 0.0)
        self.playing = bool(orders.get("playing", self.playing))
        if "seek" in orders:
            self.ended = False
            self.go_to(orders["seek"])
        if "step" in orders:
            self.forward(int(orders["step"]))
        if "frame" in orders:
            self.by_frames(int(orders["frame"]))
        elif self.playing and self.ended:
            self.ended = False
            self.go_to(-math.inf)
        return jumps

    def _rate(self, real: float, shown: float) -> None:
        """Some real time [s] has passed, and so much was shown in it: of the sum over about a second the rate is told."""
        if shown < 0:  # it began anew
            self._rated = 0.0, 0.0
            return
        self._rated = self._rated[0] + real, self._rated[1] + shown
        if self._rated[0] >= RATED:
            self.rate = float(f"{self._rated[1] / self._rated[0]:.2g}")
            self._rated = 0.0, 0.0

    def _fail(self, sentence: str) -> None:
        self.error, self.playing, self.rate = sentence, False, None

    def _now(self) -> Any:
        return self.playing, self.speed, self.ended, self.error, self.waiting, self.rate, self.loop

    def _tell(self) -> None:
        self._told = self._now()
        if self._audience is not None:
            self._audience.publish("status", self.status())
