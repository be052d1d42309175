"""The viewer's server: gives the page to browsers and frames, scene, connections and status to their WebSockets, in a
thread of its own.

GET / is the page, /ws the WebSocket (bunraku.viewer.messages); anything else is 404. Publishing swaps a pointer and
wakes the loop: the simulation never waits for a viewer. Each viewer has one slot a kind of message: a slow one misses
frames and gets the latest. Bounded are: viewers (MOST_VIEWERS), connections that are not viewers yet (MOST_OPENING,
ASKING seconds each until they ask; where more come, the oldest has to go), the size and the rate of messages, and what may wait in a
socket. What is logged never holds a token. Viewers that do not answer a
ping are dropped. bunraku.viewer.guard says who may connect. Checked in tests/viewer/test_live.py and
test_server_security.py.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import itertools
import json
import logging
import re
import secrets
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any

from websockets.asyncio.server import ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.typing import Subprotocol

from bunraku.errors import InputError
from bunraku.viewer import guard
from bunraku.viewer.messages import MOST_BYTES, Command, pack_file, parse
from bunraku.viewer.page import policy
from bunraku.viewer.stage_messages import Refused

MOST_VIEWERS = 64
MOST_OPENING = 32
ASKING = 3.0  # s to ask for something
HANDSHAKE = 10.0  # s to take the page, too
PING = 20.0  # s
SOCKET_BYTES = 65536  # that may wait in the kernel for one viewer
BREATH = 0.004  # s between two messages of one viewer
MOST_MISTAKES = 20
CLOSING = 1.0  # s
BACKLOG = 512  # connections that may wait for their turn; where more come at once, the kernel lets them hang

SLOTS = ("scene", "overview", "status", "connections", "stage", "frame")
"""Kinds of messages, in the order in which a viewer gets them."""

LOG = logging.getLogger("bunraku.viewer")
LOG.addHandler(logging.NullHandler())
TOKEN = re.compile(r"(token[.=])[\w-]+", re.IGNORECASE)


def without_token(record: logging.LogRecord) -> bool:
    """The same record without the tokens that headers hold."""
    record.msg, record.args = TOKEN.sub(r"\1…", record.getMessage()), ()
    return True


LOG.addFilter(without_token)


class Viewer:
    """One page that watches: what it has been sent, and a note for it alone."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.files: list[bytes] = []
        self.wake = asyncio.Event()
        self.wake.set()
        self.mistakes = 0
        self.greeted = False
        self.note: str | None = None
        self.seen: dict[str, Any] = {}
        self.asleep = False

    def waits_for_frame(self, slots: dict[str, Any]) -> bool:
        """Whether all it lacks is the frame."""
        seen, told = self.seen, self.note is None and self.asleep and not self.wake.is_set()
        return told and slots["frame"] is not None and all(seen.get(k) is slots[k] for k in slots if k != "frame")


class Server:
    """See the module text.

    `start` listens; `publish`, `whisper` and `give` may be called from any thread and never wait.
    """

    def __init__(
        self,
        html: str,
        on_command: Callable[[Command], None],
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        allow_remote: bool = False,
        token: str | None = None,
        on_leave: Callable[[int], None] | None = None,
    ) -> None:
        guard.check_address(host, port, allow_remote)
        self.html, self.on_command = html.replace("\r\n", "\n"), on_command
        self.host, self.port = "127.0.0.1" if host == "localhost" else host, port
        self.token = secrets.token_urlsafe(32) if token is None else guard.check_token(token)
        self.on_leave, self._numbers = on_leave, itertools.count(1)
        self.viewers: dict[Viewer, ServerConnection] = {}
        self.sockets: dict[Gate, None] = {}  # the oldest first
        self.slots: dict[str, Any] = dict.fromkeys(SLOTS)
        self._pending = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread: threading.Thread | None = None

    # ---- from any thread

    @property
    def url(self) -> str:
        """The page's address with its token, for the user's eyes only."""
        name = socket.gethostname() if self.host in ("0.0.0.0", "::") else self.host
        return f"http://{f'[{name}]' if ':' in name else name}:{self.port}/#token={self.token}"

    def start(self) -> None:
        """Listen; raises an InputError where that cannot be."""
        ready: Future[int] = Future()
        self._thread = threading.Thread(target=self._serve, args=(ready,), name="bunraku server", daemon=True)
        self._thread.start()
        try:
            self.port = ready.result()
        except OSError as error:
            where = f"port {self.port} of {self.host}"
            if error.errno == errno.EADDRINUSE:
                raise InputError(f"{where} is in use; choose another with --port, or 0 for a free one.") from None
            raise InputError(f"{where} cannot be listened on ({error.strerror or error}); choose another.") from None

    def close(self) -> None:
        """Say goodbye to the viewers and end the thread."""
        loop, stop = self._loop, self._stop
        if loop is not None and stop is not None:
            with contextlib.suppress(RuntimeError):  # it has ended already
                loop.call_soon_threadsafe(stop.set)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def publish(self, kind: str, message: bytes | dict[str, Any]) -> None:
        """Let the viewers have a message, in place of one of its kind (SLOTS) that they did not get yet."""
        stale = dict.fromkeys(("overview", "connections", "frame")) if kind == "scene" else {}  # of the scene before
        if isinstance(message, dict):
            self.slots = {**self.slots, **stale, kind: json.dumps(message, allow_nan=False, separators=(",", ":"))}
        else:
            self.slots = {**self.slots, kind: message}
        loop = self._loop
        if loop is not None and not self._pending:
            self._pending = True
            with contextlib.suppress(RuntimeError):  # it has ended
                loop.call_soon_threadsafe(self._wake)

    def whisper(self, viewer: int, text: str) -> None:
        """A sentence for one viewer."""
        self._to_one(viewer, lambda v: setattr(v, "note", text))

    def give(self, viewer: int, name: str, content: bytes) -> None:
        """A file for one viewer to keep."""
        self._to_one(viewer, lambda v: v.files.append(pack_file(name, content)))

    def _to_one(self, number: int, do: Callable[[Viewer], None]) -> None:
        def now() -> None:
            for viewer in self.viewers:
                if viewer.number == number:
                    do(viewer)
                    viewer.wake.set()

        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # it has ended
                self._loop.call_soon_threadsafe(now)

    # ---- in the server's thread

    def _wake(self) -> None:
        """Hand the frame to those who have all but it and nothing in their way; the others' own tasks see to them."""
        self._pending = False
        now, ready = self.slots, []
        for viewer, connection in self.viewers.items():
            if viewer.waits_for_frame(now) and not connection.transport.get_write_buffer_size():
                viewer.seen["frame"] = now["frame"]
                ready.append(connection)
            else:
                viewer.wake.set()
        if ready:
            broadcast(ready, now["frame"])

    def _serve(self, ready: Future[int]) -> None:
        try:
            asyncio.run(self._main(ready))
        except Exception as error:
            LOG.exception("the server ended")
            if not ready.done():
                ready.set_exception(error)
        finally:
            self._loop = None

    async def _main(self, ready: Future[int]) -> None:
        self._stop = asyncio.Event()
        server = await serve(
            self._attend,
            self.host,
            self.port,
            subprotocols=[Subprotocol(guard.PROTOCOL)],
            compression=None,
            process_request=self._answer,
            server_header=None,
            open_timeout=HANDSHAKE,
            ping_interval=PING,
            ping_timeout=PING,
            close_timeout=HANDSHAKE,
            max_size=MOST_BYTES,
            max_queue=4,
            write_limit=SOCKET_BYTES // 4,
            logger=LOG,
            backlog=BACKLOG,
            create_connection=partial(Gate, owner=self),  # pyright: ignore[reportArgumentType]
        )
        self._loop = asyncio.get_running_loop()
        ready.set_result(next(iter(server.sockets)).getsockname()[1])
        await self._stop.wait()
        for connection in list(self.sockets):
            if connection.protocol.state is not State.OPEN:
                connection.transport.abort()
        server.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(server.wait_closed(), CLOSING)
        for connection in list(self.sockets):
            connection.transport.abort()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(server.wait_closed(), CLOSING)

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answer a request, or None to let a WebSocket in."""
        if isinstance(connection, Gate):
            connection.asked = True
        if getattr(request, "method", "GET") != "GET":  # older versions of websockets turn the others away themselves
            refused = answer(connection, HTTPStatus.METHOD_NOT_ALLOWED, "Only GET is answered here.")
            refused.headers["Allow"] = "GET"
            return refused
        hosts = request.headers.get_all("Host")
        if not guard.host_allowed(hosts, self.host, self.port):
            return answer(
                connection, HTTPStatus.FORBIDDEN, "This address is not that of the viewer; open the one it printed."
            )
        if request.path == "/":
            given = answer(connection, HTTPStatus.OK, self.html, "text/html; charset=utf-8")
            own = f"'self' ws://{hosts[0].strip()}"
            given.headers["Content-Security-Policy"] = policy(self.html, connect=own, frames=guard.FRAMES)
            return given
        if request.path != "/ws":
            return answer(connection, HTTPStatus.NOT_FOUND, "There is nothing here.")
        if not guard.origin_allowed(request.headers.get_all("Origin"), hosts[0]):
            return answer(connection, HTTPStatus.FORBIDDEN, "Only the viewer's own page may connect.")
        if not guard.token_allowed(request.headers.get_all("Sec-WebSocket-Protocol"), self.token):
            return answer(connection, HTTPStatus.FORBIDDEN, "The token is missing or wrong; open the whole address.")
        return None

    async def _attend(self, connection: ServerConnection) -> None:
        """One viewer from its first message to its last."""
        if len(self.viewers) >= MOST_VIEWERS:
            await connection.close(1013, f"There are {MOST_VIEWERS} viewers already; try again later.")
            return
        viewer = Viewer(next(self._numbers))
        self.viewers[viewer] = connection
        sender = asyncio.create_task(self._send(connection, viewer))
        try:
            async for message in connection:
                self._hear(viewer, message)
                if viewer.mistakes > MOST_MISTAKES:
                    await connection.close(1008, "Too many messages that make no sense.")
                await asyncio.sleep(BREATH)
        except ConnectionClosed:
            pass
        finally:
            del self.viewers[viewer]
            sender.cancel()
            if self.on_leave is not None:
                self.on_leave(viewer.number)

    def _hear(self, viewer: Viewer, message: str | bytes) -> None:
        try:
            command = parse(message)
            if command.kind != "hello":
                self.on_command(replace(command, viewer=viewer.number))
            elif viewer.greeted:  # the first finds all on its way
                viewer.seen.clear()
            viewer.greeted = True
        except InputError as error:
            viewer.note = str(error)
            viewer.mistakes += not isinstance(error, Refused)
        viewer.wake.set()

    async def _send(self, connection: ServerConnection, viewer: Viewer) -> None:
        """Send what is new, the scene first; a slow viewer finds the latest when it is ready again."""
        with contextlib.suppress(ConnectionClosed):
            await connection.send(json.dumps({"type": "you", "number": viewer.number}))
            while True:
                viewer.asleep = True
                await viewer.wake.wait()
                viewer.wake.clear()
                viewer.asleep = False
                now = self.slots
                for slot, message in now.items():
                    if message is not None and viewer.seen.get(slot) is not message:
                        viewer.seen[slot] = message
                        await connection.send(message)
                while viewer.files:
                    await connection.send(viewer.files.pop(0))
                if viewer.note is not None and now["status"] is not None:
                    note, viewer.note = viewer.note, None
                    await connection.send(json.dumps({**json.loads(now["status"]), "error": note, "note": True}))


class Gate(ServerConnection):
    """A connection for which, where there are too many that are not viewers, the oldest of these has to go: who opens
    many and says nothing keeps nobody out."""

    def __init__(self, *args: Any, owner: Server, **options: Any) -> None:
        super().__init__(*args, **options)
        self.owner, self.asked = owner, False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count it."""
        super().connection_made(transport)
        opening = [other for other in self.owner.sockets if other.protocol.state is not State.OPEN]
        for oldest in opening[: len(opening) + 1 - MOST_OPENING]:
            self.owner.sockets.pop(oldest, None)
            oldest.transport.abort()
        self.owner.sockets[self] = None
        self.loop.call_later(ASKING, lambda: self.asked or self.transport.abort())
        taken = transport.get_extra_info("socket")
        if taken is not None:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BYTES)

    def connection_lost(self, exc: Exception | None) -> None:
        """Make room."""
        self.owner.sockets.pop(self, None)
        super().connection_lost(exc)


def answer(
    connection: ServerConnection, status: HTTPStatus, text: str, kind: str = "text/plain; charset=utf-8"
) -> Response:
    """A plain answer with the headers that all of them have."""
    response = connection.respond(status, text if kind.startswith("text/html") else text + "\n")
    for name, value in {**guard.HEADERS, "Content-Type": kind}.items():
        while name in response.headers:
            del response.headers[name]
        response.headers[name] = value
    return response
