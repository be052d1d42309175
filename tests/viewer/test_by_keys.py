"""The page by the keyboard alone: no mouse event in this file."""

import numpy as np

import bunraku as bk
from bunraku.viewer.one_file import export_html
from viewer_browser import browser, open_page, until
from viewer_scenes import Walk

__all__ = ["browser"]
EVENTS = [{"time": 0.3, "kind": "push", "text": "a push"}, {"time": 0.7, "kind": "note", "text": "a note"}]


def choose(page, link):
    """Press n until a link is chosen; the page says its name to readers of the screen."""
    for _ in range(40):
        page.keyboard.press("n")
        if page.get_by_test_id("said").inner_text().startswith(f"{link}:"):
            return
    raise AssertionError(f"{link} is never chosen")


def tab_to(page, test_id, most=60):
    """Press Tab until a control has the focus, and a ring that can be seen."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement?.dataset?.testid") == test_id:
            ring = page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)")
            style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert ring >= 2 and style == "solid"
            return
    raise AssertionError(f"{test_id} is never reached by Tab")


def test_pin_drag_undo_record_export(browser, tmp_path):
    c = bk.Choreography()
    c.step(2)
    with c.stage(browser=False) as view:
        page = open_page(browser, view.url, width=900, height=560)
        until(page, "window.bunraku?.ready && bunraku.stage && bunraku.time > 0.1")
        page.keyboard.press("f")
        page.keyboard.press("1")
        tab_to(page, "canvas")
        choose(page, "left hand")
        page.keyboard.press("Enter")
        until(page, "bunraku.stage.items.length === 1 && bunraku.stage.items[0].link === 'left_hand'")
        until(page, "bunraku.pointed === 'left hand' && document.getElementById('tip').textContent === 'left hand'")
        assert page.get_by_test_id("tip").is_visible()

        choose(page, "right hand")
        with view.lock:
            before = c.figure.pose("right_hand")[0].copy()
        for _ in range(8):
            page.keyboard.press("ArrowUp")
        page.keyboard.press("Shift+ArrowRight")  # seen from the front: towards +y
        drag = "bunraku.stage.items.find(i => i.kind === 'drag' && i.link === 'right_hand')"
        until(page, f"{drag}?.target[2] > {before[2] + 0.12} && {drag}?.target[1] > {before[1] + 0.08}")
        until(page, f"{drag}?.metres < 0.03")
        with view.lock:
            moved = c.figure.pose("right_hand")[0] - before
        assert moved[2] > 0.1 and moved[1] > 0.05 and abs(moved[0]) < 0.05
        page.keyboard.press("Escape")
        until(page, "bunraku.stage.items.length === 1 && bunraku.held === null")

        page.keyboard.press("z")
        page.keyboard.press("z")
        until(page, "bunraku.stage.items.length === 0")
        page.keyboard.press("r")
        until(page, "bunraku.stage.recording > 0.2")
        page.keyboard.press("r")
        until(page, "bunraku.stage.take && bunraku.stage.recording === null")
        with page.expect_download() as coming:
            page.keyboard.press("Shift+B")
        coming.value.save_as(tmp_path / "take.bvh")
        assert (tmp_path / "take.bvh").read_text().startswith("HIERARCHY")
        assert not page.faults and page.evaluate("bunraku.errors") == []
        page.close()


def test_enter_pins_where_a_link_was_dragged_and_releases_it(browser):
    c = bk.Choreography()
    c.step(2)
    with c.stage(browser=False) as view:
        page = open_page(browser, view.url, width=900, height=560)
        until(page, "window.bunraku?.ready && bunraku.stage && bunraku.time > 0.1")
        choose(page, "left hand")
        for _ in range(5):
            page.keyboard.press("ArrowUp")
        until(page, "bunraku.stage.items.some(i => i.kind === 'drag')")
        page.keyboard.press("Enter")
        until(page, "bunraku.stage.items.length === 1 && bunraku.stage.items[0].kind === 'pin'")
        page.keyboard.press("Enter")
        until(page, "bunraku.stage.items.length === 0")
        page.keyboard.press("Escape")
        until(page, "bunraku.chosen === -1")
        page.close()


def test_controls_by_tab_views_and_events_by_keys(browser, tmp_path):
    walk = Walk(1.0)
    url = export_html({**walk.scene, "events": EVENTS}, walk.frames(), tmp_path / "walk.html").as_uri()
    page = open_page(browser, url)
    until(page, "window.bunraku?.ready")
    page.keyboard.press("]")
    until(page, "Math.abs(bunraku.time - 0.3) < 1e-6")
    page.keyboard.press("]")
    page.keyboard.press("]")  # there is none later
    until(page, "Math.abs(bunraku.time - 0.7) < 1e-6")
    page.keyboard.press("[")
    until(page, "Math.abs(bunraku.time - 0.3) < 1e-6")
    tab_to(page, "layer-ghosts")
    page.keyboard.press(" ")
    until(page, "bunraku.ghosts > 0 && !bunraku.playing")  # the space bar is the focused box's
    for _ in range(4):  # past the other layers to the list of events
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.time") is not None:
            break
    assert page.evaluate("document.activeElement.dataset.time") == "0.3"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    until(page, "Math.abs(bunraku.time - 0.7) < 1e-6")
    tab_to(page, "timeline")
    page.keyboard.press("ArrowLeft")
    until(page, "bunraku.frame === 20")
    before = np.subtract(page.evaluate("bunraku.camera"), page.evaluate("bunraku.target"))
    for key in ("e", "PageUp", "+"):
        page.keyboard.press(key)
    until(page, "bunraku.view === 'free'")
    after = np.subtract(page.evaluate("bunraku.camera"), page.evaluate("bunraku.target"))
    turned = np.arctan2(after[1], after[0]) - np.arctan2(before[1], before[0])
    risen = np.arcsin(after[2] / np.linalg.norm(after)) - np.arcsin(before[2] / np.linalg.norm(before))
    assert abs(np.degrees(turned) - 10) < 1e-6 and abs(np.degrees(risen) - 10) < 1e-6
    assert abs(np.linalg.norm(after) / np.linalg.norm(before) - 0.88) < 1e-9
    assert page.faults == []
    page.close()
