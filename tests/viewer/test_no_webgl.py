"""A browser without WebGL, and a graphics card that goes away: the page says so and shows what it can."""

import numpy as np
import pytest

from bunraku.viewer.one_file import export_html
from viewer_browser import browser, open_page, pixels, until
from viewer_scenes import Walk

__all__ = ["browser"]
WALK = Walk(1.0)
NO_WEBGL = """(() => {
  const get = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
    return kind.includes("webgl") ? null : get.call(this, kind, ...more);
  };
})()"""


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    return export_html(WALK.scene, WALK.frames(), tmp_path_factory.mktemp("page") / "walk.html").as_uri()


def test_a_plain_drawing_without_webgl(browser, url):
    page = open_page(browser, "about:blank", own=True)
    page.add_init_script(NO_WEBGL)
    page.goto(url)
    until(page, "window.bunraku?.ready")
    until(page, "document.getElementById('banner').innerText.includes('no WebGL')")
    first = pixels(page)
    figure = first[..., 0] - first[..., 2]
    assert np.sum(figure > 14) > 3000  # the figure's warm paint
    page.keyboard.press("End")
    until(page, f"bunraku.frame === {WALK.count - 1}")
    until(page, "bunraku.drawn >= 2")
    page.keyboard.press("2")
    until(page, "bunraku.view === 'side'")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert np.sum(np.abs(pixels(page) - first).max(axis=-1) > 20) > 5000
    assert page.get_by_test_id("plot-area").is_visible()
    assert page.faults == [] and page.evaluate("bunraku.errors") == []
    page.close()


def test_a_lost_picture_is_said_and_comes_back(browser, url):
    page = open_page(browser, url)
    until(page, "window.bunraku?.ready")
    before = pixels(page)
    page.evaluate(
        "window.gl = document.getElementById('canvas').getContext('webgl2').getExtension('WEBGL_lose_context');"
        "window.gl.loseContext()"
    )
    until(page, "document.getElementById('banner').textContent.startsWith('The graphics card')")
    page.evaluate("window.gl.restoreContext()")
    until(page, "document.getElementById('banner').hidden")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert np.mean(np.abs(pixels(page) - before).max(axis=-1) > 12) < 0.02  # the same picture
    page.close()
