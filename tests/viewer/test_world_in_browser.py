"""Real worlds, the real server and the real page together: what the browser shows is what the world does."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

import bunraku as bk
from bunraku.cli import main
from bunraku.motion import Recording
from bunraku.viewer.view import view_recording
from viewer_browser import PATIENCE, browser, open_page, pixels, until

__all__ = ["browser"]


def standing():
    world = bk.World(dt=1e-3)
    world.add_ground(friction=0.8)
    fig = world.add(bk.human(), at=(0, 0, 0.901))
    fig.servo(2000.0, 60.0)
    return world


def test_a_live_world_advances_with_forces_and_zmp(browser):
    view = standing().view(browser=False)
    try:
        page = open_page(browser, view.url)
        until(page, "window.bunraku && window.bunraku.connected && window.bunraku.time > 0.2")
        first = page.evaluate("window.bunraku.time")
        until(page, f"window.bunraku.time > {first} + 0.2 && window.bunraku.arrows > 0 && window.bunraku.zmp > 0")
        assert not page.faults
        assert len({tuple(p) for p in pixels(page)[::7, ::7].reshape(-1, 3).tolist()}) > 100
        page.close()
    finally:
        view.close()


def test_a_recording_becomes_a_page_that_plays(browser, tmp_path):
    world = standing()
    with world.record(tmp_path / "run.bkr"):
        world.run(0.5)
    assert main(["export", str(tmp_path / "run.bkr"), "--to", "html", "--out", str(tmp_path / "run.html")]) == 0
    page = open_page(browser, (tmp_path / "run.html").as_uri())
    until(page, "window.bunraku && window.bunraku.ready && window.bunraku.frames > 10")
    page.keyboard.press("Space")
    until(page, "window.bunraku.time > 0.2 && window.bunraku.arrows > 0 && window.bunraku.zmp > 0")
    assert not page.faults
    assert all(a.startswith(("file:", "blob:", "data:")) for a in page.asked)
    page.close()


def test_a_notebook_shows_it_in_place_and_other_pages_cannot(browser, tmp_path):
    """What a cell shows (an iframe), inside of a page of this machine: it runs there. Inside of a file it is refused."""

    class Notebook(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<!doctype html>{cell}".encode())

        def log_message(self, *_):
            pass

    with standing().view(browser=False) as view, ThreadingHTTPServer(("127.0.0.1", 0), Notebook) as notebook:
        cell = view._repr_html_()
        threading.Thread(target=notebook.serve_forever, daemon=True).start()
        page = open_page(browser, f"http://localhost:{notebook.server_address[1]}/")
        inside = page.frames[1]
        until(inside, "window.bunraku?.connected && bunraku.ready && bunraku.time > 0.1")
        page.close()
        (tmp_path / "foreign.html").write_text(f"<!doctype html>{cell}")
        page = open_page(browser, (tmp_path / "foreign.html").as_uri())
        for _ in range(round(50 * PATIENCE)):
            if any("frame-ancestors" in fault or "Content Security Policy" in fault for fault in page.faults):
                break
            page.wait_for_timeout(20)
        assert any("Content Security Policy" in fault for fault in page.faults)
        assert all(f.evaluate("window.bunraku === undefined") for f in page.frames)
        page.close()
        notebook.shutdown()


def started(port, token):
    """`bunraku view stand` in a process of its own; returns it once it has said its address."""
    environment = {**os.environ, "PYTHONPATH": str(Path(bk.__file__).parent.parent), "BUNRAKU_TOKEN": token}
    command = [sys.executable, "-m", "bunraku", "view", "stand", "--no-browser", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None and process.stdout.readline().strip() == f"http://127.0.0.1:{port}/#token={token}"
    return process


def test_a_killed_server_is_missed_and_found_again(browser):
    """The command itself: killed without a goodbye, the page says so; started again at the same address, the page goes
    on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    token = secrets.token_urlsafe(32)
    server = started(port, token)
    try:
        page = open_page(browser, f"http://127.0.0.1:{port}/#token={token}")
        until(page, "window.bunraku?.ready && bunraku.connected && bunraku.time > 0.2")
        page.keyboard.press("2")
        server.kill()
        assert server.wait(30) == -signal.SIGKILL
        until(page, "!bunraku.connected && document.getElementById('banner').textContent.startsWith('Disconnected')")
        assert page.get_by_test_id("banner").is_visible()
        assert page.get_by_test_id("mode").inner_text() == "Disconnected"
        server = started(port, token)
        until(page, "bunraku.connected && bunraku.playing && document.getElementById('banner').hidden")
        reached = page.evaluate("bunraku.time")
        until(page, f"bunraku.time > {reached} + 0.1 && bunraku.arrows > 0")
        assert page.get_by_test_id("mode").inner_text() == "Live" and page.evaluate("bunraku.view") == "side"
        page.close()
    finally:
        server.kill()
        server.wait(30)


def test_pins_come_and_go_and_the_plots_stay(browser):
    """A world that is pinned and released while it runs: the page shows it, and keeps its frames, its curves and their
    choice."""
    world = standing()
    with world.view(browser=False) as view:
        page = open_page(browser, view.url)
        until(page, "window.bunraku?.ready && bunraku.time > 0.3 && bunraku.connections === 0")
        page.get_by_test_id("group-torques").click()
        until(page, "bunraku.group === 'torques'")
        page.get_by_test_id("channels").locator("button").nth(2).click()
        chosen = page.locator("#channels button[aria-pressed=true]").evaluate_all("all => all.map(e => e.title)")
        view.pause()
        until(page, "!bunraku.playing")
        kept = page.evaluate("bunraku.frames")
        pin = world.connect(world["human"]["left_hand"])
        view.show()
        until(page, "bunraku.connections === 1 && bunraku.pins === 1 && bunraku.pulls === 0")
        world.step(20)
        view.show()
        until(page, "bunraku.pulls === 1")  # its force is drawn, an arrow beside those of the feet
        world.disconnect(pin)
        view.show()
        until(page, "bunraku.connections === 0 && bunraku.pulls === 0")
        assert page.evaluate("bunraku.frames") == kept + 1 > 11 and page.evaluate("bunraku.group") == "torques"
        assert (
            page.locator("#channels button[aria-pressed=true]").evaluate_all("all => all.map(e => e.title)") == chosen
        )
        world.add(bk.sphere(0.1), at=(1, 0, 0.5), name="late")  # other links: another scene
        view.show()
        until(page, "bunraku.bodies === 14 && bunraku.frames === 1")
        assert not page.faults
        page.close()


def test_each_figure_has_its_own_support(browser):
    """Marbles lie beside every corner of a figure's soles, nearer to it than any joint of the figure, and another
    figure is in the air: places alone do not tell whose a contact is. The polygon is that of the soles' points, and the
    one in the air has none."""
    world = bk.World(dt=1e-3)
    world.add_ground()
    low = world.add(bk.human(), at=(0, 0, 0.901), name="low")
    low.servo(3000.0, 60.0)
    world.step(10)
    for sole in [c for c in world.contacts if c.force[2] > 1]:
        for k, corner in enumerate(sole.points):
            away = np.sign(corner - sole.points.mean(axis=0))
            world.add(bk.sphere(0.02, 0.1), at=(*(corner + 0.025 * away)[:2], 0.02), name=f"{sole.bodies[0][1]} {k}")
    world.add(bk.human(), at=(0.5, 0, 1.5), name="high")
    world.step(10)
    soles = [c for c in world.contacts if c.bodies[0][0] == "low" and c.force[2] > 1]
    points = np.vstack([c.points for c in soles])
    assert len(world.contacts) >= 10 and len(points) == 8
    with world.view(browser=False, play=False) as view:
        page = open_page(browser, view.url)
        until(page, "window.bunraku?.ready && bunraku.zmp > 0")
        own, others = page.evaluate("bunraku.supports()")
        assert page.evaluate("bunraku.support") == 1 and others == []
        assert np.allclose(np.min(own, axis=0), points.min(axis=0), atol=1e-6)
        assert np.allclose(np.max(own, axis=0), points.max(axis=0), atol=1e-6)
        page.close()


@pytest.fixture(scope="module")
def pinned(tmp_path_factory):
    """A recording that begins at 0.5 s; a hand is pinned from 0.7 to 0.9 s, a spring pulls from 0.8 s on."""
    world = standing()
    world.run(0.5)
    path = tmp_path_factory.mktemp("pinned") / "run.bkr"
    with world.record(path):
        world.run(0.2)
        pin = world.connect(world["human"]["left_hand"])
        world.run(0.1)
        world.spring(world["human"]["trunk"], at_b=(1.0, 0.0, 1.2), stiffness=50.0, rest=0.2)
        world.run(0.1)
        world.disconnect(pin)
        world.run(0.3)
    return path


def test_play_shows_the_whole_recording(browser, pinned):
    """Plots and range hold all of it from the start, at its own times; seeking and stepping go to its own frames, both
    ways."""
    with Recording.open(pinned) as r, view_recording(r, browser=False, play=False) as view:
        page = open_page(browser, view.url)
        until(page, "window.bunraku?.ready")
        assert page.get_by_test_id("mode").inner_text() == "Recording"
        assert page.evaluate("[bunraku.time, bunraku.duration, bunraku.frames]") == pytest.approx([0.5, 0.7, 701])
        area = page.get_by_test_id("plot-area")
        area.click(position={"x": 0.5 * area.bounding_box()["width"], "y": 30})
        until(page, "Math.abs(bunraku.time - 0.85) < 0.003")
        at = page.evaluate("bunraku.time")
        k = round((at - 0.5) / r.dt)
        assert page.evaluate("bunraku.pose(0)")[:3] == pytest.approx(r.q[k, :3].tolist(), abs=1e-6)
        page.keyboard.press(",")
        until(page, f"Math.abs(bunraku.time - {at - r.dt}) < 1e-6")
        page.keyboard.press(".")
        until(page, f"Math.abs(bunraku.time - {at}) < 1e-6")
        page.keyboard.press("ArrowLeft")  # a displayed frame: at most a sixtieth of a second, 16 ms of the recording's
        until(page, f"Math.abs(bunraku.time - {at - 16 * r.dt}) < 1e-6")
        page.keyboard.press("Shift+ArrowRight")  # ten of them: 1/6 s
        until(page, f"Math.abs(bunraku.time - {at + 150 * r.dt}) < 1e-6")
        assert page.evaluate("bunraku.frames") == 701 and not page.faults
        page.close()


def test_marks_on_the_time_line(browser, pinned):
    """What happened is marked: two connections made, one cut; a click on the mark goes there."""
    with Recording.open(pinned) as r, view_recording(r, browser=False, play=False) as view:
        page = open_page(browser, view.url)
        until(page, "window.bunraku?.ready")
        marks = page.locator("#events button")
        assert [m[:16] for m in marks.evaluate_all("all => all.map(e => e.title)")] == [
            "0.700 s: connect", "0.800 s: connect", "0.900 s: connect",
        ]  # fmt: skip
        line = page.get_by_test_id("timeline").bounding_box()
        for k, part in enumerate((2 / 7, 3 / 7, 4 / 7)):
            box = marks.nth(k).bounding_box()
            middle = box["x"] + box["width"] / 2
            assert middle == pytest.approx(line["x"] + 8 + part * (line["width"] - 16), abs=1.5)
        marks.nth(2).click()
        until(page, "Math.abs(bunraku.time - 0.9) < 1e-6 && bunraku.pins === 1")
        page.close()


def test_marks_on_the_time_line_by_keys(browser, pinned):
    """Tab stops at them once, with a ring; arrows, Home and End go along them and are no steps there; Enter goes there."""
    with Recording.open(pinned) as r, view_recording(r, browser=False, play=False) as view:
        page = open_page(browser, view.url)
        until(page, "window.bunraku?.ready")
        page.get_by_test_id("forward").focus()
        inside = "document.activeElement?.parentElement?.id === 'events'"
        for _ in range(4):  # the button that loops lies between, where there is one
            page.keyboard.press("Tab")
            if page.evaluate(inside):
                break
        now = "document.activeElement.getAttribute('aria-label').slice(0, 7)"
        assert page.evaluate(now) == "0.700 s"
        assert page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)") >= 2
        before = page.evaluate("bunraku.frame")
        for key, label in (("ArrowRight", "0.800 s"), ("End", "0.900 s"), ("ArrowRight", "0.900 s"),
                           ("Home", "0.700 s"), ("ArrowLeft", "0.700 s"), ("ArrowRight", "0.800 s")):  # fmt: skip
            page.keyboard.press(key)
            assert page.evaluate(now) == label
        assert page.evaluate("bunraku.frame") == before
        page.keyboard.press("Enter")
        until(page, "Math.abs(bunraku.time - 0.8) < 1e-6")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.dataset.testid") == "timeline"
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(now) == "0.800 s"
        assert not page.faults
        page.close()


def seek(page, time):
    page.get_by_test_id("timeline").evaluate("(e, t) => { e.value = t; e.dispatchEvent(new Event('input')) }", time)
    until(page, f"Math.abs(bunraku.time - {time}) < 0.02")


@pytest.mark.parametrize("how", ["play", "html"])
def test_a_recording_shows_pins_and_springs_while_they_held(browser, pinned, tmp_path, how):
    assert main(["export", str(pinned), "--to", "html", "--out", str(tmp_path / "run.html")]) == 0
    with Recording.open(pinned) as r, view_recording(r, browser=False, play=False) as view:
        page = open_page(browser, view.url if how == "play" else (tmp_path / "run.html").as_uri())
        until(page, "window.bunraku?.ready")
        for time, held in ((0.6, [0, 0]), (0.75, [1, 1]), (0.85, [2, 2]), (1.0, [1, 1]), (0.65, [0, 0])):
            seek(page, time)
            until(page, f"bunraku.connections === {held[0]} && bunraku.pins === {held[1]}")
        assert not page.faults
        page.close()
