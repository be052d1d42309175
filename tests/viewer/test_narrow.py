"""The page on narrow screens with touch: every control is within reach of a finger at 390 and 760 pixels' width."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.viewer.one_file import export_html
from viewer_browser import browser, open_page, until
from viewer_scenes import Walk

__all__ = ["browser"]
SIZES = [(390, 844), (760, 1000)]
LEAST = 40  # px, of a finger's target
EVENTS = [{"time": 0.2, "kind": "push", "text": "push of the trunk"}]

# of every control that is shown now: whether its middle is on the screen and on top, and its smaller side
SHOWN = """() => {
  const out = {};
  for (const e of document.querySelectorAll('button, select, input, canvas')) {
    if (e.closest('#events, dialog, .joint, .uplot') || !e.checkVisibility({ visibilityProperty: true })) continue;
    const name = e.dataset.testid ?? e.id ?? e.textContent;
    const pressed = e.type === 'checkbox' ? e.closest('label') : e;
    pressed.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    const { left, top, width, height } = pressed.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const hit = document.elementFromPoint(x, e.tagName === 'CANVAS' ? top + 60 : y);
    if (hit && (pressed.contains(hit) || hit.contains(pressed) && hit.id === 'line')) out[name] = Math.min(width, height);
  }
  return out;
}"""
ALL = """() => [...document.querySelectorAll('button, select, input, canvas')]
  .filter(e => !e.closest('#events, dialog, .joint, .uplot') && !e.closest('[hidden]')).map(e => e.dataset.testid ?? e.id ?? e.textContent)"""

# controls of the plots that run off the screen, before anybody scrolls
CUT_OFF = """() => [...document.querySelectorAll('#plot-bar button')].filter((e) => {
  const { left, right, height } = e.getBoundingClientRect();
  return height > 0 && (left < -1 || right > innerWidth + 1);
}).map(e => e.textContent)"""


def within_reach(page):
    """Smaller side of every control that can be reached, the drawer closed or open, the plots too."""
    found = page.evaluate(SHOWN)
    if page.get_by_test_id("plots").is_hidden():
        page.get_by_test_id("plots-button").tap()
        until(page, "document.querySelector('#channels button') !== null")
        found.update(page.evaluate(SHOWN))
        assert page.evaluate(CUT_OFF) == []
        page.get_by_test_id("plots-button").tap()
    page.get_by_test_id("menu-button").tap()
    until(page, "document.getElementById('side').getBoundingClientRect().right <= innerWidth + 1")
    until(page, "document.getElementById('side').getBoundingClientRect().bottom <= innerHeight + 1")
    found.update(page.evaluate(SHOWN))
    page.get_by_test_id("close-menu").tap()
    until(page, "getComputedStyle(document.getElementById('side')).visibility === 'hidden'")
    return found


def check(page, width):
    found = within_reach(page)
    wanted = set(page.evaluate(ALL))
    assert wanted - set(found) == set()
    assert {name: size for name, size in found.items() if size < LEAST} == {}
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.getElementById('bar').scrollWidth") <= width
    return wanted


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_recording(browser, tmp_path, width, height):
    walk = Walk(1.0, channels=12)
    url = export_html({**walk.scene, "events": EVENTS}, walk.frames(), tmp_path / "walk.html").as_uri()
    page = open_page(browser, url, width=width, height=height, has_touch=True, is_mobile=True)
    until(page, "window.bunraku?.ready")
    wanted = check(page, width)
    assert {"timeline", "layer-ghosts", "plot-csv", "channel-0", "speed", "follow"} <= wanted
    page.get_by_test_id("menu-button").tap()
    page.get_by_test_id("event-list").get_by_role("button").tap()
    until(page, "Math.abs(bunraku.time - 0.2) < 0.02")
    page.get_by_test_id("layer-ghosts").tap()
    until(page, "bunraku.ghosts > 0")
    page.get_by_test_id("close-menu").tap()
    page.get_by_test_id("help-button").tap()
    dialog = page.get_by_test_id("help").bounding_box()
    assert dialog["x"] >= 0 and dialog["x"] + dialog["width"] <= width and dialog["height"] <= height
    for control in (page.get_by_test_id("language"), page.get_by_test_id("help").get_by_role("button")):
        box = control.bounding_box()
        assert box["height"] >= LEAST and box["y"] + box["height"] <= height
    page.get_by_test_id("help").get_by_role("button").tap()
    assert page.get_by_test_id("help").is_hidden() and page.faults == []
    page.close()


def test_the_stage_by_touch(browser):
    """Tap a link: it is pinned; drag one; undo, record from the drawer; the name of the link is told."""
    c = bk.Choreography()
    c.step(2)
    with c.stage(browser=False) as view:
        page = open_page(browser, view.url, width=390, height=844, has_touch=True, is_mobile=True)
        until(page, "window.bunraku?.ready && bunraku.stage && bunraku.time > 0.1")
        page.keyboard.press("1")
        wanted = check(page, 390)
        assert {"balance", "pose", "dynamics", "axes", "undo", "reset", "release-all", "record", "save"} <= wanted
        assert {"export-bvh", "export-csv", "export-gif", "joints-button", "plots-button"} <= wanted
        box = page.get_by_test_id("canvas").bounding_box()

        def pixel(link, up=0.0):
            with view.lock:
                at = c.figure.pose(link)[0] + np.array([0, 0, up])
            u, v = page.evaluate("p => bunraku.project(...p)", [float(x) for x in at])
            return box["x"] + u, box["y"] + v

        page.get_by_test_id("joints-button").tap()  # all of the figure is seen above the sheet of sliders
        until(page, "canvas.getBoundingClientRect().bottom <= joints.getBoundingClientRect().top + 1")
        sheet = page.get_by_test_id("joints").bounding_box()
        until(page, "bunraku.project(0, 0, 0)[1] < canvas.clientHeight")
        assert sheet["y"] + sheet["height"] <= box["y"] + box["height"] + 1 and sheet["height"] > 150
        assert box["y"] < pixel("head")[1] < pixel("left_foot")[1] < pixel("left_foot", -0.1)[1] < sheet["y"]
        page.get_by_test_id("joints-button").tap()
        until(page, f"Math.abs(canvas.clientHeight - {box['height']}) < 1")

        page.touchscreen.tap(*pixel("left_hand"))
        until(page, "bunraku.stage.items.length === 1 && bunraku.stage.items[0].kind === 'pin'")
        finger = page.context.new_cdp_session(page)
        start, end = pixel("right_hand"), pixel("right_hand", 0.2)
        for kind, at in (("touchStart", start), ("touchMove", np.mean([start, end], axis=0)), ("touchMove", end)):
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": at[0], "y": at[1]}]})
        until(page, "bunraku.stage.items.some(i => i.kind === 'drag' && i.link === 'right_hand')")
        assert page.evaluate("bunraku.held") is not None
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        until(page, "bunraku.stage.items.length === 1 && bunraku.held === null")
        page.get_by_test_id("menu-button").tap()
        page.get_by_test_id("undo").tap()
        page.get_by_test_id("undo").tap()
        until(page, "bunraku.stage.items.length === 0")
        page.get_by_test_id("record").tap()
        until(page, "bunraku.stage.recording > 0.1")
        record = page.get_by_test_id("record")
        assert record.evaluate("e => e.scrollWidth <= e.clientWidth + 1 && e.getBoundingClientRect().height < 60")
        record.tap()
        until(page, "bunraku.stage.take")
        assert not page.faults
        page.close()
