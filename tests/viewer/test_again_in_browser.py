"""Shows in a browser: they wait for their audience, play by themselves, loop, begin anew and go on from an earlier
moment; notebooks play recordings."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

import bunraku as bk
from bunraku.cli import main
from bunraku.viewer.view import view_recording
from viewer_browser import browser, open_page, until

__all__ = ["browser"]


def tumbling():
    world = bk.World()
    world.add_ground(friction=0.5)
    box = world.add(bk.box((0.3, 0.2, 0.1), 1.0), at=(0, 0, 0.5), name="box")
    box.v[:] = (1.0, 0.3, 0.0, 2.0, 3.0, 1.0)
    return world


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    world = tumbling()
    path = tmp_path_factory.mktemp("again") / "box.bkr"
    with world.record(path):
        world.run(0.4)
    return path


def test_a_world_waits_for_the_page_and_goes_on_from_an_earlier_moment(browser):
    """By the page's own buttons: back to the beginning, on a little, and from there again exactly as before."""
    world = tumbling()
    with world.view(browser=False, wait=True) as view:
        assert view.waiting and view.time == 0.0
        page = open_page(browser, view.url)
        until(page, "window.bunraku?.ready && !bunraku.waiting && bunraku.playing && bunraku.time > 0.3")
        first = page.evaluate("bunraku.times()")[0]
        page.keyboard.press("Home")
        until(page, f"bunraku.past === {first} && !bunraku.playing")
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        until(page, "bunraku.frame === 5")
        moment, pose = page.evaluate("[bunraku.time, bunraku.pose(0)]")
        page.get_by_test_id("go-on").click()
        until(page, f"bunraku.past === null && bunraku.playing && bunraku.time > {moment} + 0.2")
        view.pause()
        reached, same = round(world.time / world.dt), tumbling()
        same.step(round(moment / world.dt))
        assert same.q[:3] == pytest.approx(pose[:3], abs=1e-6)
        same.step(reached - round(moment / world.dt))
        assert np.array_equal(world.q, same.q) and np.array_equal(world.v, same.v)
        page.get_by_test_id("restart").click()
        until(page, "bunraku.playing && bunraku.times()[0] < 0.05 && bunraku.frames > 3")
        assert page.faults == []
        page.close()


def test_a_recording_waits_loops_and_steps_by_displayed_frames(browser, recorded):
    with bk.Recording.open(recorded) as r, view_recording(r, browser=False, wait=True, loop=True) as view:
        start = float(r.times[0])
        assert view.time == start
        page = open_page(browser, view.url)
        until(page, "window.bunraku?.ready && bunraku.playing && bunraku.loop && bunraku.time > 0.3")
        until(page, "bunraku.playing && bunraku.time < 0.2")
        page.get_by_test_id("loop").click()
        until(page, "!bunraku.loop && !bunraku.playing")  # it has come to its end
        page.keyboard.press("Home")
        until(page, f"bunraku.time === {start}")
        page.keyboard.press("ArrowRight")
        until(page, f"Math.abs(bunraku.time - {start} - 0.016) < 1e-6")
        page.keyboard.press(".")
        until(page, f"Math.abs(bunraku.time - {start} - 0.017) < 1e-6")
        page.keyboard.press("0")
        until(page, "bunraku.playing")
        assert page.faults == []
        page.close()


def exported(recorded, path, *options):
    assert main(["export", str(recorded), "--out", str(path), *options]) == 0
    return path.as_uri()


def test_an_exported_page_plays_by_itself(browser, recorded, tmp_path):
    """And stops at its end; not where its maker or its reader does not want it."""
    page = open_page(browser, exported(recorded, tmp_path / "a.html"), motion="no-preference")
    until(page, "window.bunraku?.ready && bunraku.time > 0.39 && !bunraku.playing")
    page.get_by_test_id("restart").click()
    until(page, "bunraku.playing")
    page.close()
    calm = open_page(browser, exported(recorded, tmp_path / "b.html"))
    still = open_page(browser, exported(recorded, tmp_path / "c.html", "--no-play"), motion="no-preference")
    for page in (calm, still):
        until(page, "window.bunraku?.ready && bunraku.drawn > 0")
        page.wait_for_timeout(200)
        assert page.evaluate("[bunraku.playing, bunraku.frame]") == [False, 0]
        page.keyboard.press("Space")
        until(page, "bunraku.frame > 0")
        page.close()


def test_an_exported_page_loops(browser, recorded, tmp_path):
    page = open_page(browser, exported(recorded, tmp_path / "a.html", "--loop"), motion="no-preference")
    until(page, "window.bunraku?.ready && bunraku.loop && bunraku.playing && bunraku.time > 0.3")
    until(page, "bunraku.time < 0.2 && bunraku.playing")
    page.keyboard.press("l")
    until(page, "!bunraku.loop && !bunraku.playing")
    page.close()


def test_a_notebook_plays_a_recording_in_place(browser, recorded):
    """What a cell shows, inside of another page: it plays there, and cannot reach what is around it."""
    with bk.Recording.open(recorded) as r:
        cell = r._repr_html_()

    class Notebook(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<!doctype html><title>t</title>{cell}".encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Notebook) as notebook:
        threading.Thread(target=notebook.serve_forever, daemon=True).start()
        page = open_page(browser, f"http://127.0.0.1:{notebook.server_address[1]}/", motion="no-preference")
        inside = page.frames[1]
        until(inside, "window.bunraku?.ready && bunraku.playing && bunraku.loop && bunraku.frame > 2")
        assert (
            inside.evaluate("(() => { try { return parent.document.title } catch { return 'closed' } })()") == "closed"
        )
        page.close()
        notebook.shutdown()
