"""The camera and the pointer in a real browser: following smoothly, gliding, remembering; names of links."""

import numpy as np
import pytest

from bunraku.viewer.one_file import export_html, read_frame
from viewer_browser import browser, open_page, until
from viewer_scenes import Walk

__all__ = ["browser"]
WALK = Walk(4.0)


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    return export_html(WALK.scene, WALK.frames(), tmp_path_factory.mktemp("page") / "walk.html").as_uri()


def ask(page, name):
    return page.evaluate(f"bunraku.{name}")


def com(frame):
    return read_frame(WALK.frame(frame)).figures[0, :3]


def test_it_follows_smoothly(browser, url):
    """After a small jump of the figure the camera is on its way for a while, and gets there without overshoot."""
    page = open_page(browser, url, motion="no-preference", clock=True)
    until(page, "window.bunraku?.ready")
    page.clock.pause_at(3600)
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    goal, way = com(6)[0] - com(0)[0], []
    for _ in range(40):
        page.clock.run_for(50)
        way.append((ask(page, "target")[0] - com(0)[0]) / goal)
    assert 0.02 < way[0] < 0.9 and np.all(np.diff(way) >= -1e-9) and max(way) <= 1 + 1e-4
    assert way[-1] == pytest.approx(1, abs=1e-3)
    page.close()


def test_views_glide_unless_less_motion_is_asked_for(browser, url):
    page = open_page(browser, url, motion="no-preference", clock=True)
    until(page, "window.bunraku?.ready")
    page.clock.pause_at(3600)
    start = np.array(ask(page, "camera"))
    page.keyboard.press("2")
    page.clock.run_for(100)
    early = np.array(ask(page, "camera"))
    page.clock.run_for(1000)
    end = np.array(ask(page, "camera"))
    far = np.linalg.norm(end - start)
    assert 0.01 * far < np.linalg.norm(early - start) < 0.95 * far
    away = end - ask(page, "target")
    assert away @ (0, -1, 0) / np.linalg.norm(away) > 0.99
    page.close()


def test_it_remembers_where_it_was(browser, url):
    page = open_page(browser, url)
    until(page, "window.bunraku?.ready")
    for key in ("e", "e", "e", "PageUp", "+", "+"):
        page.keyboard.press(key)
    until(page, "bunraku.view === 'free'")
    camera = ask(page, "camera")
    page.reload()
    until(page, "window.bunraku?.ready")
    assert ask(page, "camera") == pytest.approx(camera, abs=1e-6) and ask(page, "view") == "free"
    page.close()


def test_the_link_under_the_pointer_is_named_lit_and_looked_at(browser, url):
    page = open_page(browser, url)
    until(page, "window.bunraku?.ready")
    drawn = ask(page, "drawn")
    page.keyboard.press("1")
    until(page, f"bunraku.view === 'front' && bunraku.drawn > {drawn}")
    box = page.get_by_test_id("canvas").bounding_box()
    head = WALK.names.index("head")

    def over(place):
        u, v = page.evaluate("p => bunraku.project(...p)", [float(x) for x in place])
        page.mouse.move(box["x"] + u, box["y"] + v)

    over(np.add(ask(page, f"pose({head})")[:3], (0, 0, 0.15)))  # its frame is at the neck
    until(page, "bunraku.pointed === 'head'")
    assert page.get_by_test_id("tip").inner_text() == "head" and page.get_by_test_id("tip").is_visible()
    page.keyboard.press("c")  # looks at it
    until(page, f"bunraku.target[2] > {com(0)[2]} + 0.3")
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    until(page, "bunraku.pointed === ''")
    assert page.get_by_test_id("tip").is_hidden() and page.faults == []
    page.close()


def test_it_turns_about_what_is_in_the_middle(browser, url):
    """Behind the figure the pointer's turn is about the figure's surface, not about a point far behind it."""
    page = open_page(browser, url)
    until(page, "window.bunraku?.ready")
    page.keyboard.press("1")
    until(page, "bunraku.view === 'front'")
    box = page.get_by_test_id("canvas").bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 62, box["y"] + 60, steps=2)
    page.mouse.up()
    until(page, "bunraku.view === 'free'")
    assert com(0)[0] + 0.02 < ask(page, "target")[0] < com(0)[0] + 0.25  # on the trunk's front
    page.close()


def test_ghosts_of_a_figure_that_stands_still_are_not_there(browser, tmp_path):
    """Nothing differs from the present: no ghost, so nothing can speckle. A walk has some, in two draws."""
    still = [WALK.frame(0)[:8] + np.float64(k / 30).tobytes() + WALK.frame(0)[16:] for k in range(30)]
    page = open_page(browser, export_html(WALK.scene, still, tmp_path / "still.html").as_uri())
    until(page, "window.bunraku?.ready")
    calls = page.evaluate("bunraku.cost.calls")
    page.keyboard.press("g")
    until(page, "document.querySelector('[data-testid=layer-ghosts]').checked")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert ask(page, "ghosts") == 0
    page.goto(export_html(WALK.scene, WALK.frames(), tmp_path / "walk.html").as_uri())
    until(page, "window.bunraku?.ready")
    page.keyboard.press("g")
    until(page, "bunraku.ghosts > 5")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate("bunraku.cost.calls") <= calls + 8
    page.close()
