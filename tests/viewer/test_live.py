"""A world that runs while it is watched: play, pause, step, speed, several viewers, slow ones, errors, and a server
that comes back."""

import threading
import time

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed

import bunraku as bk
from bunraku.errors import InputError
from bunraku.viewer.live import Live
from bunraku.viewer.show import Show
from bunraku.viewer.view import view_world
from viewer_client import PAGE, PATIENCE, address, falling, hear, page, poll, say, standing, until_closed


@pytest.fixture
def view():
    with view_world(falling(), browser=False, html=PAGE, play=False) as view:
        yield view


def test_first_the_scene_then_status_and_a_frame(view):
    with page(view.url) as p:
        say(p, "hello")
        assert hear(p, "scene")["figures"] == ["sphere"]
        assert hear(p, "status")["playing"] is False
        assert hear(p, "frame").time == 0.0


def test_hello_again_gives_all_again(view):
    with page(view.url) as p:
        for _ in range(3):
            say(p, "hello")
            hear(p, "scene")
            hear(p, "frame")


def test_play_and_pause(view):
    with page(view.url) as p:
        say(p, "play")
        assert hear(p, "status", lambda m: m["playing"])
        frame = hear(p, "frame", lambda f: f.time > 0.1)
        assert frame.poses[0, 2] == pytest.approx(2.0 - 0.5 * 9.80665 * frame.time**2, abs=9.81 * frame.time * 1e-3)
        say(p, "pause")
        stopped = hear(p, "status", lambda m: not m["playing"])["time"]
        view.pause()  # waits for the thread
        assert view.time == stopped
        say(p, "step", n=1)  # nothing else moved it meanwhile
        assert hear(p, "frame", lambda f: f.time > stopped).time == pytest.approx(stopped + 0.001, abs=1e-9)


@pytest.mark.parametrize("n", [1, 7, 500])
def test_steps(view, n):
    with page(view.url) as p:
        say(p, "step", n=n)
        status = hear(p, "status", lambda m: m["time"] > 0)
        assert status["time"] == pytest.approx(n * 0.001, abs=1e-9) and status["playing"] is False
        assert view._show.steps == n


@pytest.mark.parametrize("speed", [0.25, 1.0, 4.0])
def test_speed_is_the_rate_of_simulated_to_real_time(speed):
    """Both ends are read off the show itself at instants that a lock makes the same; a portion and a step are the
    grain."""
    with view_world(falling(), browser=False, html=PAGE, speed=speed) as view:

        def now():
            with view.lock:
                return time.perf_counter(), view.time

        poll(lambda: view.time > 0, "the first step")
        begin = now()
        poll(lambda: view.time > begin[1] + 0.5 * speed, "half a second")
        end = now()
        rate = (end[1] - begin[1]) / (end[0] - begin[0])
        assert rate <= speed * (
            1 + (1 / 60 + 0.1) / (end[0] - begin[0])
        )  # never faster: what may be caught up is bounded
        assert rate > 0.1 * speed  # and on a busy machine not much slower


def test_speed_changes_while_it_plays(view):
    with page(view.url) as p:
        say(p, "speed", value=0.5)
        assert hear(p, "status", lambda m: m["speed"] == 0.5)["playing"] is False
        say(p, "play")
        assert hear(p, "status", lambda m: m["playing"])["speed"] == 0.5


def test_back_to_the_start_and_nowhere_else(view):
    with page(view.url) as p:
        say(p, "step", n=100)
        hear(p, "frame", lambda f: f.time == pytest.approx(0.1))
        say(p, "seek", time=0.05)
        assert "only its start" in hear(p, "status", lambda m: m["error"])["error"]
        say(p, "seek", time=0)
        assert hear(p, "frame", lambda f: f.time == 0).poses[0, 2] == pytest.approx(2.0)
        assert view.error is None


def test_several_viewers_see_the_same(view):
    with page(view.url) as a, page(view.url) as b, page(view.url) as c:
        for p in (a, b, c):
            hear(p, "frame")
        assert view.viewers == 3
        say(b, "step", n=25)
        frames = [hear(p, "frame", lambda f: f.time == pytest.approx(0.025)) for p in (a, b, c)]
        assert len({f.sequence for f in frames}) == 1 and all(np.array_equal(f.poses, frames[0].poses) for f in frames)
    poll(lambda: view.viewers == 0, "goodbye")


def test_a_slow_reader_gets_the_latest_and_holds_up_nobody():
    """One that reads nothing for a while has only what fits into the sockets' buffers waiting, then the newest; the
    world never waits."""
    world = bk.World()
    world.add_ground()
    for k in range(100):  # large frames
        world.add(bk.sphere(0.05, 1.0), at=(0.3 * (k % 10), 0.3 * (k // 10), 5.0))
    with (
        view_world(world, browser=False, html=PAGE) as view,
        page(view.url, max_queue=1) as slow,
        page(view.url) as quick,
    ):
        first = hear(slow, "frame").sequence
        size = 32 + 4 * (100 * 13 + 49)
        most = 8 * 2**20 // size  # frames that kernel buffers of both ends may hold
        while view._show._frames.sequence < first + 300:
            hear(quick, "frame")
        newest, count, last = view._show._frames.sequence, 0, 0
        while last < newest:
            last, count = hear(slow, "frame").sequence, count + 1
            assert count <= most + 300
        assert view.error is None


def test_frames_wait_in_no_queue():
    """With a thousand frames published while a viewer's socket is full, the server holds one of them."""
    from bunraku.viewer.server import Server

    server = Server(PAGE, print)
    server.start()
    try:
        with page(server.url, max_queue=1) as slow:
            poll(lambda: server.viewers, "a viewer")
            frames = [bytes([k % 256]) * 200_000 for k in range(1000)]
            for frame in frames:  # 200 MB would not fit: were one waited for, this would never end
                server.publish("frame", frame)
            (connection,) = server.viewers.values()
            assert connection.transport.get_write_buffer_size() < 3 * len(frames[0])
            got = 0
            while (message := slow.recv(timeout=PATIENCE)) != frames[-1]:
                got += isinstance(message, bytes)
            assert got < 200
    finally:
        server.close()


def test_a_step_that_diverges_becomes_a_sentence():
    world = falling()
    with view_world(world, browser=False, html=PAGE, play=False) as view, page(view.url) as p:
        with view.lock:
            world.v[0] = np.nan
        say(p, "play")
        status = hear(p, "status", lambda m: m["error"])
        assert "not finite" in status["error"] and status["playing"] is False
        assert view.error == status["error"]
        with view.lock:
            world.v[0] = 0.0
        say(p, "play")
        assert hear(p, "status", lambda m: m["playing"])["error"] is None
        hear(p, "frame", lambda f: f.time > 0.05)


def test_a_controller_that_raises_becomes_a_sentence():
    world = falling()

    def controller(world):
        if world.time > 0.02:
            raise ZeroDivisionError("by the user's own hand")

    world.add_controller(controller)
    with view_world(world, browser=False, html=PAGE) as view, page(view.url) as p:
        assert hear(p, "status", lambda m: m["error"])["error"] == "ZeroDivisionError: by the user's own hand"


def test_a_figure_added_later_and_a_connection_cut():
    world = falling()
    with view_world(world, browser=False, html=PAGE, play=False) as view, page(view.url) as p:
        assert len(hear(p, "scene")["bodies"]) == 1
        with view.lock:
            world.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(1, 0, 1))
            tie = world.connect(world["box"])
        view.show()
        scene = hear(p, "scene")
        assert len(scene["bodies"]) == 2 and len(scene["connections"]) == 1
        assert len(hear(p, "frame").poses) == 2
        with view.lock:
            world.disconnect(tie)
        view.step()
        assert hear(p, "connections")["connections"] == []
        with page(view.url) as late:  # who comes later gets the scene as it was made, and then what has changed since
            assert len(hear(late, "scene")["connections"]) == 1
            assert hear(late, "connections")["connections"] == [] and hear(late, "frame")
        with view.lock:
            world.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(2, 0, 1), name="third")
        view.show()
        assert hear(p, "scene")["connections"] == []


def test_a_world_that_cannot_keep_up_still_hears_commands():
    world = falling()
    world.add_controller(lambda w: time.sleep(0.01))  # ten times slower than real time
    with view_world(world, browser=False, html=PAGE) as view, page(view.url) as p:
        hear(p, "frame", lambda f: f.time > 0.005)
        say(p, "pause")
        assert hear(p, "status", lambda m: not m["playing"])
        say(p, "step", n=100_000)  # would take a quarter of an hour
        seen = view.time
        for _ in range(3):  # and is seen on its way
            seen = hear(p, "frame", lambda f, seen=seen: f.time > seen).time
        say(p, "pause")
        view.pause()
        assert view._show.steps < 50_000


def test_a_server_killed_and_started_again_on_its_port():
    world = falling()
    view = view_world(world, browser=False, html=PAGE)
    host, old = address(view.url)
    with page(view.url) as p:
        hear(p, "frame")
        view.close()
        with pytest.raises(ConnectionClosed):
            until_closed(p)
    with pytest.raises(OSError), page(view.url):
        pass
    with view_world(world, browser=False, html=PAGE, port=int(host.split(":")[1])) as again:
        assert address(again.url)[0] == host and address(again.url)[1] != old
        with page(again.url) as p:
            hear(p, "frame", lambda f: f.time > 0)


def test_a_port_in_use(view):
    port = int(address(view.url)[0].split(":")[1])
    with pytest.raises(InputError, match=f"port {port} of 127.0.0.1 is in use"):
        view_world(falling(), browser=False, html=PAGE, port=port)


def test_closing_ends_the_threads_even_with_viewers_and_idle_connections():
    before = set(threading.enumerate())
    view = view_world(falling(), browser=False, html=PAGE)
    import socket

    port = int(address(view.url)[0].split(":")[1])
    with page(view.url) as p, socket.create_connection(("127.0.0.1", port)):
        hear(p, "frame")
        poll(lambda: len(view._server.sockets) == 2, "the idle one")
        view.close()
        view.close()
    assert not {t for t in threading.enumerate() if t.name.startswith("bunraku")} - before


def test_real_time_is_kept_by_a_figure():
    """A standing figure at speed 1 is in step with the clock within what is allowed to be caught up."""
    with view_world(standing(), browser=False, html=PAGE) as view:
        poll(lambda: view.time > 0.2, "a start")
        assert view.error is None


def test_a_show_says_what_it_lacks():
    show = Show()
    for call in (show.scene, show.frame, lambda: show.advance(1.0), lambda: show.forward(1), lambda: show.go_to(0.0)):
        with pytest.raises(NotImplementedError):
            call()
    assert isinstance(Live(falling()), Show)
