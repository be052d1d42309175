"""The viewer's page with a live server: frames, commands, the token, a lost connection that comes back.

The server here is a small one of the tests' own, on a real socket and with the page's own Content-Security-Policy; it
shows what the page sends and lets a test cut the line.
"""

import json
import struct
import threading

import numpy as np
import pytest
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Response
from websockets.sync.server import serve

from bunraku.viewer import page as built
from viewer_browser import PATIENCE, browser, open_page, until  # noqa: F401
from viewer_client import poll
from viewer_scenes import Walk

TOKEN = "a-token_of-43-characters"


class Server:
    """Hands out the page, sends the scene and frames at a client's hello, notes all commands."""

    def __init__(self, port=0, duration=None):
        self.walk = Walk(1.0)
        self.scene = {**self.walk.scene, "live": duration is None, "duration": duration}
        self.commands, self.offered, self.clients = [], [], []
        self.server = serve(
            self.talk,
            "127.0.0.1",
            port,
            process_request=self.page,
            select_subprotocol=lambda c, offered: self.pick(offered),
        )
        self.port = self.server.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def pick(self, offered):
        self.offered = list(offered)
        return "bunraku"

    def page(self, connection, request):
        if request.path != "/":
            return None
        body = built.html()
        headers = Headers(
            {
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": built.policy(body, connect="'self'"),
            }
        )
        headers["Content-Length"] = str(len(body.encode()))
        return Response(200, "OK", headers, body.encode())

    def talk(self, connection):
        self.clients.append(connection)
        try:
            for text in connection:
                command = json.loads(text)
                self.commands.append(command)
                if command["type"] == "hello":
                    connection.send(json.dumps(self.scene))
                    self.status(True)
                    self.send(range(10))
        except ConnectionClosed:
            pass

    def send(self, numbers):
        for k in numbers:
            self.clients[-1].send(self.walk.frame(k))

    def status(self, playing, error=None, speed=1.0, **more):
        status = {"type": "status", "playing": playing, "speed": speed, "time": 0.0, "ended": False, "error": error}
        self.clients[-1].send(json.dumps({**status, "duration": self.scene["duration"], **more}))

    def close(self):
        for client in self.clients:
            client.close_socket()
        self.server.shutdown()
        self.thread.join(10)


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


def opened(browser, server):  # noqa: F811
    page = open_page(browser, f"http://127.0.0.1:{server.port}/#token={TOKEN}", own=True)
    until(page, "window.bunraku?.ready && bunraku.frames === 10")
    return page


def said(page, server, command):
    """Poll until the server has heard a command."""
    for _ in range(round(50 * PATIENCE)):
        if command in server.commands:
            return
        page.wait_for_timeout(20)
    pytest.fail(f"the server never heard {command}, only {server.commands}")


def test_frames_arrive_and_the_token_is_a_subprotocol(browser, server):  # noqa: F811
    page = opened(browser, server)
    assert server.offered == ["bunraku", f"token.{TOKEN}"]
    assert page.evaluate("[bunraku.connected, bunraku.playing, bunraku.frame]") == [True, True, 9]
    assert page.evaluate("bunraku.pose(0)") == pytest.approx(list(server.walk.pose(server.walk.time(9))[0]), abs=1e-6)
    assert page.get_by_test_id("mode").inner_text() == "Live"
    server.send(range(10, 20))
    until(page, "bunraku.frame === 19")
    hosts = {a.split("/")[2] for a in page.asked if not a.startswith(("data:", "blob:"))}
    assert hosts == {f"127.0.0.1:{server.port}"} and page.faults == []
    page.close()


def test_the_transport_sends_commands_and_shows_the_status(browser, server):  # noqa: F811
    page = opened(browser, server)
    page.get_by_test_id("play").click()
    said(page, server, {"type": "pause"})
    assert page.evaluate("bunraku.playing")  # until the server says otherwise
    server.status(False)
    until(page, "!bunraku.playing")
    page.keyboard.press("ArrowRight")
    said(page, server, {"type": "frame", "n": 1})
    page.keyboard.press(".")
    said(page, server, {"type": "step", "n": 1})
    page.get_by_test_id("speed").select_option("0.25")
    said(page, server, {"type": "speed", "value": 0.25})
    page.get_by_test_id("play").click()
    said(page, server, {"type": "play"})
    server.status(False, error="StepDiverged: t=0.31 s, 'left_foot' speed 3e7 m/s.")
    until(page, "document.getElementById('banner').textContent.includes('StepDiverged')")
    assert page.get_by_test_id("banner").is_visible()
    page.close()


def test_looking_back_at_what_was_kept(browser, server):  # noqa: F811
    """A running world cannot go back; the page shows frames it kept, and play returns to the present."""
    page = opened(browser, server)
    server.status(False)
    until(page, "!bunraku.playing")
    page.keyboard.press("ArrowLeft")
    until(page, "bunraku.frame === 8")
    area = page.get_by_test_id("plot-area")
    area.click(position={"x": 0.5 * area.bounding_box()["width"], "y": 30})
    until(page, "bunraku.frame === 4")
    page.keyboard.press(" ")
    until(page, "bunraku.frame === 9")
    assert not [c for c in server.commands if c["type"] == "seek"]
    page.close()


def test_the_page_is_ready_when_its_picture_is_drawn(browser, server):  # noqa: F811
    """Once a connection, after the greeting; until then it says what it waits for."""
    server.send = lambda numbers: None  # no frame yet, so no picture
    page = open_page(browser, f"http://127.0.0.1:{server.port}/#token={TOKEN}", own=True)
    until(page, "window.bunraku?.connected && bunraku.playing")
    server.status(True, waiting=True)
    until(page, "bunraku.waiting && document.getElementById('banner').textContent.startsWith('It begins when')")
    assert server.commands == [{"type": "hello"}]
    del server.send
    server.send([0])
    said(page, server, {"type": "ready"})
    server.status(True)
    until(page, "!bunraku.waiting && document.getElementById('banner').hidden")
    server.send([1])
    until(page, "bunraku.frame === 1")
    assert server.commands == [{"type": "hello"}, {"type": "ready"}] and page.faults == []
    page.close()


def test_restart_and_going_on_from_an_earlier_moment(browser, server):  # noqa: F811
    page = opened(browser, server)
    page.get_by_test_id("restart").click()
    said(page, server, {"type": "restart"})
    assert page.get_by_test_id("loop").is_hidden() and page.get_by_test_id("go-on").is_hidden()
    server.status(False)
    until(page, "!bunraku.playing")
    page.keyboard.press("Home")  # to the beginning, of what the page has seen
    until(page, "bunraku.frame === 0 && bunraku.past === 0")
    page.keyboard.press("ArrowRight")
    until(page, "bunraku.frame === 1")
    until(page, "document.getElementById('go-on').innerText.includes('Go on from here')")  # a display frame later
    page.get_by_test_id("go-on").click()
    said(page, server, {"type": "go_on", "time": server.walk.time(1)})
    until(page, "bunraku.past === null && bunraku.frames === 2")
    server.send([2, 3])
    until(page, "bunraku.frame === 3 && bunraku.frames === 4")
    page.keyboard.press("ArrowLeft")
    until(page, "bunraku.frame === 2")
    page.keyboard.press("k")
    said(page, server, {"type": "go_on", "time": server.walk.time(2)})
    page.keyboard.press("0")
    until(page, "bunraku.past === null")
    page.close()


def test_a_world_slower_than_asked_has_a_badge(browser, server):  # noqa: F811
    page = opened(browser, server)
    badge = page.get_by_test_id("rate")
    assert badge.is_hidden()
    for rate, speed, shown in ((0.083, 1.0, "0.083 × real time"), (0.96, 1.0, None), (1.5, 2.0, "1.5 × real time")):
        server.status(True, rate=rate, speed=speed)
        until(page, f"bunraku.rate === {rate} && bunraku.speed === {speed}")
        until(
            page,
            "document.getElementById('rate').hidden" if shown is None else "!document.getElementById('rate').hidden",
        )
        assert shown is None or badge.inner_text() == shown
    server.status(False, rate=None)
    until(page, "document.getElementById('rate').hidden")
    page.close()


def test_a_tab_that_sleeps_wakes_with_the_latest(browser, server):  # noqa: F811
    """Frozen by the browser as one in the background, while frames go on: awake again it shows the last of them."""
    page = opened(browser, server)
    tools = page.context.new_cdp_session(page)
    tools.send("Page.setWebLifecycleState", {"state": "frozen"})
    server.send(range(10, 25))
    tools.send("Page.setWebLifecycleState", {"state": "active"})
    until(page, "bunraku.connected && bunraku.frame === 24")
    assert page.faults == []
    page.close()


def test_a_replayed_recording_seeks_on_the_server(browser):  # noqa: F811
    server = Server(duration=1.0)
    page = opened(browser, server)
    area = page.get_by_test_id("plot-area")
    width = area.bounding_box()["width"]
    area.click(position={"x": 0.6 * width, "y": 30})
    for _ in range(round(50 * PATIENCE)):
        if any(c["type"] == "seek" for c in server.commands):
            break
        page.wait_for_timeout(20)
    seek = [c for c in server.commands if c["type"] == "seek"]
    assert seek and seek[0]["time"] == pytest.approx(0.6, abs=2 / width)
    assert page.get_by_test_id("loop").is_visible()
    page.keyboard.press("l")
    said(page, server, {"type": "loop", "on": 1})
    server.status(True, loop=True)
    until(page, "document.getElementById('loop').getAttribute('aria-pressed') === 'true'")
    page.keyboard.press("ArrowLeft")
    said(page, server, {"type": "frame", "n": -1})
    server.send([3])  # the server answers from an earlier time: the frame takes its place, later ones stay
    until(page, "bunraku.frames === 10 && bunraku.frame === 3")
    page.close()
    server.close()


def test_a_lost_connection_is_said_and_comes_back(browser):  # noqa: F811
    first = Server()
    page = opened(browser, first)
    page.keyboard.press("2")
    first.close()
    until(page, "!bunraku.connected && document.getElementById('banner').textContent.startsWith('Disconnected')")
    assert page.get_by_test_id("banner").is_visible()
    assert page.get_by_test_id("mode").inner_text() == "Disconnected"
    again = Server(port=first.port)
    until(page, "bunraku.connected && bunraku.frames === 10 && document.getElementById('banner').hidden")
    poll(lambda: len(again.commands) > 1, "a greeting, and that it is ready")
    assert again.commands == [{"type": "hello"}, {"type": "ready"}]
    assert page.evaluate("bunraku.view") == "side"
    page.close()
    again.close()


def test_connections_come_and_go_while_it_runs(browser, server):  # noqa: F811
    """Other connections, or the same scene again, leave frames and view alone; another scene does not."""
    page = opened(browser, server)
    page.keyboard.press("1")
    until(page, "bunraku.view === 'front' && bunraku.connections === 0")
    ends = {"body_a": 7, "body_b": -1, "point_a": [0.0, 0.0, 0.0], "point_b": [1.0, 1.0, 0.5]}
    grip = {"number": 0, "kind": "connection", **ends}
    server.clients[-1].send(json.dumps({"type": "connections", "connections": [grip, {**grip, "body_b": 3}]}))
    until(page, "bunraku.connections === 2 && bunraku.pins === 1")
    assert page.evaluate("[bunraku.frames, bunraku.view]") == [10, "front"]
    server.clients[-1].send(json.dumps(server.scene))  # the same scene once more, as after a lost connection
    until(page, "bunraku.connections === 0")
    assert page.evaluate("[bunraku.frames, bunraku.view]") == [10, "front"]
    server.clients[-1].send(json.dumps({**server.scene, "title": "Another"}))
    until(page, "bunraku.frames === 0 && document.getElementById('title').textContent === 'Another'")
    page.close()


def test_garbage_from_the_server_is_noted_and_passed_over(browser, server):  # noqa: F811
    page = opened(browser, server)
    for garbage in (b"BKF1", bytes(64), b"BKF1" + bytes(60) + b"\xff" * 8, "{", '{"type": "scene"}'):
        server.clients[-1].send(garbage)
    server.send([10])
    until(page, "bunraku.frame === 10")
    assert len(page.evaluate("bunraku.errors")) >= 4 and page.faults == []
    page.close()


def test_controls_are_off_while_the_server_is_gone(browser):  # noqa: F811
    """Looking back at what the page kept goes on; what needs the server waits for it."""
    first = Server()
    page = opened(browser, first)
    assert page.get_by_test_id("play").is_enabled()
    first.close()
    until(page, "!bunraku.connected && document.getElementById('play').disabled")
    assert page.get_by_test_id("speed").is_disabled() and page.get_by_test_id("timeline").is_enabled()
    page.keyboard.press("ArrowLeft")
    until(page, "bunraku.frame === 8")
    again = Server(port=first.port)
    until(page, "bunraku.connected && !document.getElementById('play').disabled")
    assert page.get_by_test_id("speed").is_enabled()
    page.close()
    again.close()


def test_a_long_show_and_a_sleeping_tab_keep_a_bounded_past(browser, server):  # noqa: F811
    """A tab that draws nothing goes on hearing; 6,000 frames later it has at most 4,800 of them, in order: the latest
    half minute, and of all before it some from everywhere, the first among them; nothing of the page has grown with their
    number."""
    page = opened(browser, server)
    page.evaluate("window.requestAnimationFrame = () => 0")  # asleep: no more display frames
    nodes = page.evaluate("document.getElementsByTagName('*').length")
    head, body = server.walk.frame(9)[:8], server.walk.frame(9)[16:]
    for k in range(10, 6000):
        server.clients[-1].send(head + struct.pack("<d", k / 60) + body)
    until(page, f"Math.abs(bunraku.time - {5999 / 60}) < 1e-6")
    times = np.array(page.evaluate("bunraku.times()"))
    assert 3000 <= len(times) <= 4800 and times[0] == 0.0 and np.all(np.diff(times) > 0)
    assert np.diff(times).max() < 0.2 and np.allclose(np.diff(times[-1700:]), 1 / 60)
    assert page.evaluate("document.getElementsByTagName('*').length") == nodes
    assert page.evaluate("[bunraku.errors.length, bunraku.notes.length]") == [0, 0] and page.faults == []
    page.close()
