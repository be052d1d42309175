"""A world that runs while it is watched: play, pause, step, speed, several viewers, slow ones, errors, and a server
that comes back."""

import threading
import time
from types import SimpleNamespace

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


def test_back_to_any_moment_and_not_ahead(view):
    with page(view.url) as p:
        say(p, "step", n=100)
        hear(p, "frame", lambda f: f.time == pytest.approx(0.1))
        say(p, "seek", time=0.05)
        assert hear(p, "frame", lambda f: f.time == pytest.approx(0.05)).poses[0, 2] < 2.0
        say(p, "seek", time=0.07)
        assert "has no future" in hear(p, "status", lambda m: m["error"])["error"]
        say(p, "seek", time=0)
        assert hear(p, "frame", lambda f: f.time == 0).poses[0, 2] == pytest.approx(2.0)
        assert view.error is None
        say(p, "loop", on=1)
        assert "has no end" in hear(p, "status", lambda m: m["error"])["error"]


def test_a_show_waits_for_its_audience():
    """Not before a page says that it is ready does time go on; a viewer alone is not enough."""
    with view_world(falling(), browser=False, html=PAGE, wait=True) as view, page(view.url) as p:
        status = hear(p, "status")
        assert status["waiting"] and status["playing"] and view.waiting
        say(p, "hello")
        say(p, "speed", value=2.0)
        assert hear(p, "status", lambda m: m["speed"] == 2.0)["waiting"] and view.time == 0.0
        say(p, "ready")
        assert hear(p, "status", lambda m: not m["waiting"])["playing"]
        hear(p, "frame", lambda f: f.time > 0.05)


@pytest.mark.parametrize("act", ["play", "pause", "step", "restart"])
def test_who_asks_for_something_is_audience_enough(act):
    with view_world(falling(), browser=False, html=PAGE, wait=True) as view:
        getattr(view, act)()
        poll(lambda: not view.waiting, "the beginning")
        poll(lambda: view._show.playing is (act in ("play", "restart")), "the act")
        assert act != "pause" or view.time == 0.0


def test_a_browser_that_opens_is_waited_for(monkeypatch):
    monkeypatch.setattr("bunraku.viewer.view.open_browser", lambda *_: None)
    for options, waiting in (
        ({}, True),
        ({"browser": False}, False),
        ({"wait": False}, False),
        ({"play": False}, False),
    ):
        with falling().view(html=PAGE, **options) as view:
            assert view.waiting is waiting


def tumbling(seed):
    """A box thrown at random: contacts that slide, stick and open."""
    rng = np.random.default_rng(seed)
    world = bk.World()
    world.add_ground(friction=0.4)
    box = world.add(bk.box((0.3, 0.2, 0.1), 1.0), at=(0, 0, 0.4))
    box.v[:] = rng.normal(size=6)
    return world


@pytest.mark.parametrize("seed", range(4))
def test_going_on_from_an_earlier_moment_is_exact(seed):
    """Back to a random moment, and on again: bit for bit the world that never went back. Restart as well."""
    rng = np.random.default_rng(100 + seed)
    world, same = tumbling(seed), tumbling(seed)
    show = Live(world, playing=False)
    show.forward(int(rng.integers(600, 1500)))
    for _ in range(5):
        end = round(world.time / world.dt)
        back, on = int(rng.integers(0, end)), int(rng.integers(1, 900))
        show.go_to(back * world.dt)
        assert world.time == pytest.approx(back * world.dt, abs=1e-9)
        show.forward(on)
        same.restore(Live(tumbling(seed))._past.first)
        same.step(back + on)
        assert np.array_equal(world.q, same.q) and np.array_equal(world.v, same.v)
        assert world.time == pytest.approx(same.time, abs=1e-12)  # its last digit depends on how steps are put together
    show.go_to(-np.inf)
    assert np.array_equal(world.q, tumbling(seed).q) and world.time == 0.0


def test_go_on_and_restart_over_the_socket():
    with view_world(tumbling(0), browser=False, html=PAGE, play=False) as view, page(view.url) as p:
        first = hear(p, "frame")
        say(p, "step", n=700)
        later = hear(p, "frame", lambda f: f.time == pytest.approx(0.7))
        say(p, "go_on", time=0.3)
        assert hear(p, "status", lambda m: m["playing"])
        view.pause()
        say(p, "seek", time=0.3)
        hear(p, "frame", lambda f: f.time == pytest.approx(0.3, abs=1e-9))
        say(p, "step", n=400)
        assert np.array_equal(hear(p, "frame", lambda f: abs(f.time - later.time) < 1e-9).poses, later.poses)
        say(p, "restart")
        assert hear(p, "status", lambda m: m["playing"])["time"] < 0.7
        say(p, "pause")
        say(p, "seek", time=-1)
        assert np.array_equal(hear(p, "frame", lambda f: f.time == 0.0).poses, first.poses)


def test_arrow_keys_step_displayed_frames(view):
    """A sixtieth of a second, 17 steps of 1 ms; and back, to the very state."""
    with page(view.url) as p:
        say(p, "frame", n=2)
        assert hear(p, "frame", lambda f: f.time > 0).time == pytest.approx(0.034)
        say(p, "frame", n=-1)
        assert hear(p, "frame", lambda f: f.time < 0.03).time == pytest.approx(0.017)
        say(p, "step", n=-3)
        assert hear(p, "frame", lambda f: f.time < 0.017).time == pytest.approx(0.014)


def test_the_rate_is_what_was_shown_over_real_time():
    """Driven by hand: three real seconds in which a third, or all, was shown; a pause forgets it."""
    show = Live(falling())
    for k in range(180):
        show._rate(1 / 60, 1 / 180)
        assert (show.rate is None) == (k < 59)
    assert show.rate == pytest.approx(0.33)
    for _ in range(61):
        show._rate(1 / 60, 2 / 60)
    assert show.rate == 2.0 and show.status()["rate"] == 2.0
    show._obey({"playing": False})
    assert show.rate is None


def test_a_world_slower_than_real_time_says_so():
    world = falling()
    world.add_controller(lambda w: time.sleep(0.01))  # at most a tenth of real time
    with view_world(world, browser=False, html=PAGE) as view, page(view.url) as p:
        assert hear(p, "status", lambda m: m["rate"] is not None)["rate"] <= 0.1


def test_nothing_grows_while_it_runs(monkeypatch):
    """An hour in turns of a tenth of a second, driven by hand: what is kept is bounded."""
    import tracemalloc

    world = bk.World(dt=0.1)
    world.add_ground()
    world.add(bk.sphere(0.1, 1.0), at=(0, 0, 0.1))
    show, published = Live(world), {}
    show._audience = SimpleNamespace(publish=published.__setitem__, whisper=None)
    monkeypatch.setattr(show, "frame", lambda: b"")  # its cost is measured elsewhere
    show._past.most = 20
    sizes = []
    for minute in range(60):
        for _ in range(600):
            show._turn(0.1)
        if minute == 9:
            tracemalloc.start()
        elif minute > 9 and minute % 10 == 9:
            sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert world.time == pytest.approx(3600, abs=1) and len(show._past) <= 20 and show._past.times[0] == 0.0
    assert max(sizes) - sizes[0] < 200_000, sizes


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


def test_a_walk_goes_on_from_an_earlier_moment_and_begins_anew():
    """With its stabiliser, whose memory and noise go back, too: the walk that never went back, bit for bit."""
    from bunraku.humanoid.parts import humanoid
    from bunraku.walking.walk import planned
    from bunraku.walking.walker import Walker

    pattern, ground = planned(humanoid(bk.human(), None), "two steps", None, None)
    world, same = (Walker(pattern, terrain=ground, stabiliser=True, seed=3).world for _ in range(2))
    same.step(1200)
    show = Live(world, playing=False)
    show.forward(1300)
    for back in (0.7, -np.inf):
        show.go_to(back)
        show.forward(1200 - round(world.time / world.dt))
        assert np.array_equal(world.q, same.q) and np.array_equal(world.v, same.v)
