"""Opening a viewer: a show, its server and the user's browser; the handle that `world.view()` returns.

    view = world.view()                 # runs the world in real time and opens a browser
    view.url, view.pause(), view.play(), view.step(10), view.speed(0.25)
    with view.lock: world.push(fig["trunk"], force=(80, 0, 0), seconds=0.1)
    view.close()

While a view runs a world, touch the world only with `view.lock` held or after `view.pause()`. With `play=False` the
world stands still; one who steps it himself calls `view.show()`. In a notebook the last line of a cell shows the page
in place. Checked in tests/viewer/test_view.py.
"""

from __future__ import annotations

import atexit
import html as markup
import sys
import threading
from typing import Any, TypedDict, Unpack

from bunraku.errors import InputError
from bunraku.viewer.live import Live
from bunraku.viewer.messages import FASTEST, MOST_STEPS, SLOWEST, Command
from bunraku.viewer.own_browser import open_browser
from bunraku.viewer.page import html as page_html
from bunraku.viewer.player import Player
from bunraku.viewer.recorded import Recorded
from bunraku.viewer.server import Server
from bunraku.viewer.show import Show
from bunraku.world.world import World

_OPEN: set[View] = set()


class View:
    """A running viewer, as `World.view` and `Choreography.stage` return it: `url`, `pause`, `play`, `step`, `speed`,
    `seek`, `close`; a context manager. Touch the world meanwhile with `lock` held or after `pause()`. Times in s."""

    def __init__(self, show: Show, server: Server) -> None:
        self._show, self._server = show, server
        self._closed = threading.Event()
        _OPEN.add(self)

    @property
    def url(self) -> str:
        """The page's address; who knows it may watch and command."""
        return self._server.url

    @property
    def lock(self) -> threading.Lock:
        """Held while the view touches its world."""
        return self._show.lock

    @property
    def time(self) -> float:
        """Time shown [s]."""
        return self._show.time

    @property
    def error(self) -> str | None:
        """Why it stopped, if something went wrong."""
        return self._show.error

    @property
    def waiting(self) -> bool:
        """Whether it begins only when a page is ready, and none has been yet."""
        return self._show.waiting

    @property
    def viewers(self) -> int:
        """How many pages are watching."""
        return len(self._server.viewers)

    def shows(self, world: World) -> bool:
        """Whether it runs this world."""
        return isinstance(self._show, Live) and self._show.world is world

    def play(self) -> None:
        """Go on."""
        self._show.command(Command("play"))

    def pause(self) -> None:
        """Pause; on return the world may be touched."""
        self._show.pause_now()

    def step(self, n: int = 1) -> None:
        """Pause, and do single steps, of a recording frames; also back (n < 0)."""
        if not 1 <= abs(n) <= MOST_STEPS:
            raise InputError(f"view: {n} steps are not between 1 and {MOST_STEPS}.")
        self._show.command(Command("step", n))

    def speed(self, value: float) -> None:
        """How fast it plays: seconds shown a second."""
        check_speed("view", value)
        self._show.command(Command("speed", float(value)))

    def seek(self, time: float) -> None:
        """Show another time [s]; a live world goes back to it, exactly where nobody pushed it, and has no future."""
        self._show.command(Command("seek", float(time)))

    def restart(self) -> None:
        """Play from the beginning: a world goes back to its first state, bit for bit."""
        self._show.command(Command("restart"))

    def show(self) -> None:
        """Publish the world as it stands, for one who steps it himself."""
        self._show.show()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it is closed, at most so many seconds; returns whether it is."""
        return self._closed.wait(seconds)

    def close(self) -> None:
        """End it: the world stands still, the address is gone. Closing twice does no harm."""
        if not self._closed.is_set():
            self._show.stop()
            self._server.close()
            self._closed.set()
            _OPEN.discard(self)

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<View {'closed' if self._closed.is_set() else self.url}>"

    def _repr_html_(self) -> str:
        if self._closed.is_set():
            return "<p>The viewer is closed.</p>"
        url = markup.escape(self.url, quote=True)
        frame = f'<iframe src="{url}" width="100%" height="600" style="border:0" title="Bunraku"></iframe>'
        return f'{frame}<p><a href="{url}" target="_blank" rel="noreferrer">Open in a tab of its own</a></p>'


class Where(TypedDict, total=False):
    """Where a page is served, and to whom; port 0 takes a free one. browser: whether the user's opens it.

    html: another page.
    """

    port: int
    browser: bool
    host: str
    allow_remote: bool
    token: str | None
    html: str | None


def open_view(show: Show, *, browser: bool = True, html: str | None = None, **where: Any) -> View:
    """Serve a show and, if wanted, let the user's browser see it; `where`: the rest of Where."""
    server = Server(page_html() if html is None else html, show.command, on_leave=show.leave, **where)
    server.start()
    try:
        show.start(server)
    except BaseException:
        server.close()
        raise
    view = View(show, server)
    if browser and "ipykernel" not in sys.modules:  # a notebook shows it in place
        open_browser(view.url, lambda: view.viewers > 0, view.wait)
    return view


def check_speed(who: str, speed: float) -> None:
    """InputError for a speed that the page could not ask for."""
    if not SLOWEST <= speed <= FASTEST:
        raise InputError(f"{who}: speed {speed} is not between {SLOWEST:g} and {FASTEST:g}.")


def close_views_of(world: World) -> None:
    """Two threads must not step one world."""
    for earlier in [v for v in _OPEN if v.shows(world)]:
        earlier.close()


def view_world(
    world: World,
    *,
    play: bool = True,
    speed: float = 1.0,
    title: str = "",
    wait: bool | None = None,
    **where: Unpack[Where],
) -> View:
    """Run a world in real time and show it; see World.view."""
    check_speed("view", speed)
    close_views_of(world)
    return open_view(Live(world, title=title, playing=play, speed=speed, wait=waits(wait, where)), **where)


def view_recording(
    recording: Recorded,
    *,
    play: bool = True,
    speed: float = 1.0,
    title: str = "",
    wait: bool | None = None,
    loop: bool = False,
    **where: Unpack[Where],
) -> View:
    """Play a recording; loop: again and again."""
    check_speed("view", speed)
    how = {"playing": play, "speed": speed, "wait": waits(wait, where), "loop": loop}
    return open_view(Player(recording, title=title, **how), **where)


def waits(wait: bool | None, where: Where) -> bool:
    """Whether a show begins only when a page is ready: as wished, else where a browser is to open it."""
    return where.get("browser", True) if wait is None else wait


@atexit.register
def _close_all() -> None:
    for view in list(_OPEN):
        view.close()
