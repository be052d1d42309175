"""Labels, roles, contrast of the page, measured by axe-core in a real browser at four sizes, light and dark."""

import pytest

import bunraku as bk
from bunraku.viewer.one_file import export_html
from viewer_axe import axe
from viewer_browser import browser, open_page, until
from viewer_scenes import Walk

__all__ = ["browser"]
SIZES = [(1920, 1080), (1280, 720), (760, 1000), (390, 844)]
EVENTS = [
    {"time": 0.2, "kind": "push", "text": "push of the trunk"},
    {"time": 0.6, "kind": "break", "text": "grip broke"},
]


def settle(page):
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def check_at_all_sizes(page, least):
    """No violation at any size, light and dark, the drawer open where there is one; at least so many texts measured."""
    page.keyboard.press("j")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for _ in ("light", "dark"):
            page.evaluate("document.getElementById('theme-button').click()")
            menu = page.get_by_test_id("menu-button")
            if menu.is_visible():
                menu.click()
            settle(page)
            violations, passes = axe(page)
            assert violations == [], f"{width} x {height}, {page.evaluate('bunraku.theme')}"
            assert passes["color-contrast"] > least and passes["button-name"] > 10
            if menu.is_visible():
                page.get_by_test_id("close-menu").click()


@pytest.mark.slow
def test_a_recording(browser, tmp_path):
    walk = Walk(1.0, channels=16)
    scene = {**walk.scene, "events": EVENTS, "limits": {"joint 1 angles": [-1.0, 1.0]}}
    page = open_page(browser, export_html(scene, walk.frames(), tmp_path / "walk.html").as_uri())
    until(page, "window.bunraku?.ready")
    check_at_all_sizes(page, 25)
    page.keyboard.press("?")
    violations, _ = axe(page)
    assert violations == []
    page.close()


@pytest.mark.slow
def test_the_stage(browser):
    c = bk.Choreography()
    c.step(2)
    c.pin("left_foot", axes="pose")
    with c.stage(browser=False) as view:
        page = open_page(browser, view.url)
        until(page, "window.bunraku?.ready && bunraku.stage?.items.length === 1")
        page.keyboard.press("p")
        check_at_all_sizes(page, 25)
        page.close()


def test_the_checker_bites(browser, tmp_path):
    """A pale text and a button without a name are found."""
    walk = Walk(0.3)
    page = open_page(browser, export_html(walk.scene, walk.frames(), tmp_path / "walk.html").as_uri())
    until(page, "window.bunraku?.ready")
    page.evaluate(
        """() => {
          const [text, button] = [document.createElement("p"), document.createElement("button")];
          text.textContent = "pale"; text.style.color = "#c0c4c8";
          document.getElementById("side").prepend(text, button);
        }"""
    )
    violations, _ = axe(page)
    assert {v.split(":")[0] for v in violations} == {"color-contrast", "button-name"}
    page.close()
