"""The stage in a real browser: the mouse pins, drags and lets go; undo, scores and files; two pages; what ends a drag."""

import numpy as np
import pytest

import bunraku as bk
from viewer_actor import Actor
from viewer_browser import browser, near, open_page, pixels, until
from viewer_client import poll

__all__ = ["browser"]
PIN, DRAG = 0xD0A215, 0xF2610C


@pytest.fixture
def c():
    c = bk.Choreography()
    c.step(2)
    return c


@pytest.fixture
def view(c):
    with c.stage(browser=False) as view:
        yield view


def test_a_click_pins_and_a_click_on_the_pin_releases(browser, view, c):
    a = Actor(browser, view, c)
    before = near(pixels(a.page), PIN, 30)
    a.click(a.foot())
    a.until("bunraku.stage.items.length === 1")
    (pin,) = a.page.evaluate("bunraku.stage.items")
    assert pin["kind"] == "pin" and pin["link"] in ("left_foot", "left_toe", "left_sole") and pin["pose"] is False
    assert [p.axes for p in c.pins] == ["xyz"]
    a.settle()
    assert near(pixels(a.page), PIN, 30) > before + 20  # a diamond is there
    assert "left" in a.page.get_by_test_id("pins").inner_text()
    a.click(pin["target"])
    a.until("bunraku.stage.items.length === 0")
    assert c.pins == ()
    a.close()


def test_shift_and_the_switch_pin_the_whole_pose(browser, view, c):
    a = Actor(browser, view, c)
    a.page.keyboard.down("Shift")
    a.click(a.foot())
    a.page.keyboard.up("Shift")
    a.until("bunraku.stage.items.length === 1 && bunraku.stage.items[0].pose")
    a.page.get_by_test_id("pose").click()
    a.click(a.of("head"))
    a.until("bunraku.stage.items.length === 2 && bunraku.stage.items[1].pose")
    assert [p.axes for p in c.pins] == ["pose", "pose"]
    a.page.keyboard.press("x")
    a.until("bunraku.stage.items.length === 0")
    a.close()


def test_dragging_raises_a_hand_while_a_pinned_foot_holds(browser, view, c):
    a = Actor(browser, view, c)
    a.page.keyboard.down("Shift")
    a.click(a.foot())
    a.page.keyboard.up("Shift")
    a.until("bunraku.stage.items.length === 1")
    a.click(a.of("left_hand"))  # nothing but its pin holds this one
    a.until("bunraku.stage.items.length === 2 && bunraku.stage.items[1].link === 'left_hand'")
    foot, camera = a.of("left_foot"), a.page.evaluate("bunraku.camera")
    hand = a.grasp("right_hand", (0, -0.05, 0.25))
    a.until("bunraku.stage.items.some(i => i.kind === 'drag' && i.link === 'right_hand')")
    a.until("bunraku.stage.holder === bunraku.number && bunraku.stage.items[2].metres < 0.03")
    assert a.of("right_hand")[2] > hand[2] + 0.15
    assert np.linalg.norm(a.of("left_foot") - foot) < 0.005
    assert a.page.evaluate("bunraku.stage.items[1].metres") < 0.005
    a.settle()
    assert near(pixels(a.page), DRAG, 30) > 20  # its target is drawn
    assert a.page.evaluate("bunraku.camera") == camera  # the view did not turn
    a.page.mouse.up()
    a.until("bunraku.stage.holder === 0 && bunraku.stage.items.length === 2 && bunraku.held === null")
    assert a.page.get_by_test_id("figure-state").inner_text() == "Standing"
    a.page.mouse.move(*a.pixel((0, 1.2, 1.6)))  # beside the figure the mouse turns the view again
    a.page.mouse.down()
    a.page.mouse.move(*a.pixel((0, 0.9, 1.5)), steps=3)
    a.page.mouse.up()
    a.until("bunraku.view === 'free'")
    a.close()


def test_the_target_follows_the_pointer_at_once(browser, view, c):
    """Also while the world stands still: the page does not wait for the server.

    Level and upright planes with their keys.
    """
    a = Actor(browser, view, c)
    a.page.keyboard.press("4")
    a.settle()
    view.pause()
    a.until("!bunraku.playing")
    time = a.page.evaluate("bunraku.time")
    at = a.grasp("right_hand", (0, 0, 0.1))
    x, y, z = a.page.evaluate("bunraku.held")
    assert z > at[2] + 0.04
    px, py = a.pixel((x, y, z))
    a.page.keyboard.down("Shift")
    a.page.mouse.move(px + 30, py + 10, steps=3)
    u, v, w = a.page.evaluate("bunraku.held")
    assert w == pytest.approx(z, abs=1e-9) and np.hypot(u - x, v - y) > 0.01
    a.page.keyboard.up("Shift")
    a.page.keyboard.down("Alt")
    a.page.mouse.move(px + 60, py - 40, steps=3)
    r, s, t = a.page.evaluate("bunraku.held")
    assert [r, s] == pytest.approx([u, v], abs=1e-9) and t > w + 0.01
    a.page.keyboard.up("Alt")
    a.until(f"Math.abs(bunraku.stage.items[0].target[2] - {t}) < 1e-4")
    assert a.page.evaluate("bunraku.time") == time
    a.page.mouse.up()
    a.until("bunraku.stage.items.length === 0")
    a.close()


def test_undo_and_balance_by_keys(browser, view, c):
    a = Actor(browser, view, c)
    a.click(a.foot())
    a.until("bunraku.stage.items.length === 1")
    a.page.keyboard.press("b")
    a.until(
        "!bunraku.stage.balance && document.getElementById('balance-button').getAttribute('aria-pressed') === 'false'"
    )
    assert c.balance is False
    a.page.keyboard.press("Control+z")
    a.until("bunraku.stage.balance && bunraku.stage.items.length === 1")
    a.page.get_by_test_id("undo").click()
    a.until("bunraku.stage.items.length === 0 && bunraku.stage.undo === null")
    assert a.page.get_by_test_id("undo").is_disabled() and c.pins == () and c.score.acts == []
    a.close()


def test_a_saved_score_replays_to_the_same_pose(browser, c, tmp_path):
    """What was done with the mouse, downloaded by the browser and performed without a display."""
    with c.stage(browser=False, score=tmp_path / "mine.toml") as view:
        a = Actor(browser, view, c)
        a.click(a.foot())
        a.until("bunraku.stage.items.length === 1")
        a.grasp("right_hand", (0, -0.1, 0.2))
        a.until("bunraku.stage.items.length === 2 && bunraku.stage.items[1].metres < 0.05")
        a.page.mouse.up()
        a.until("bunraku.stage.items.length === 1")
        now = a.page.evaluate("bunraku.time")
        a.until(f"bunraku.time > {now} + 0.2")
        a.page.keyboard.press("Space")
        a.until("!bunraku.playing")
        with a.page.expect_download() as coming:
            a.page.get_by_test_id("save").click()
        coming.value.save_as(tmp_path / "downloaded.toml")
        assert coming.value.suggested_filename == "mine.toml"
        a.until("bunraku.files.length === 1 && document.getElementById('banner').textContent.startsWith('Saved as')")
        end = c.figure.q.copy()
        a.close()
    assert (tmp_path / "downloaded.toml").read_bytes() == (tmp_path / "mine.toml").read_bytes()
    again = bk.Choreography.perform(bk.Score.load(tmp_path / "downloaded.toml"))
    assert np.max(np.abs(again.figure.q - end)) < 1e-6
    assert len(c.score.acts) == 2 and len(c.score.acts[1].path) > 1


def test_a_take_is_recorded_and_downloaded(browser, view, c, tmp_path):
    a = Actor(browser, view, c)
    assert a.page.get_by_test_id("export-bvh").is_disabled()
    a.page.keyboard.press("r")
    a.until("bunraku.stage.recording > 0.2 && document.getElementById('record-button').textContent.startsWith('Stop')")
    a.page.keyboard.press("r")
    a.until("bunraku.stage.recording === null && bunraku.stage.take && !document.getElementById('bvh-button').disabled")
    with a.page.expect_download() as coming:
        a.page.get_by_test_id("export-bvh").click()
    coming.value.save_as(tmp_path / "take.bvh")
    assert (tmp_path / "take.bvh").read_text().startswith("HIERARCHY")
    a.close()


@pytest.mark.parametrize("how", ["blur", "pointercancel", "Escape", "hidden", "closed", "lost", "gone"])
def test_what_ends_a_drag(browser, view, c, how):
    a = Actor(browser, view, c)
    a.grasp("right_hand", (0, -0.1, 0.15))
    a.until("bunraku.stage.items.length === 1 && bunraku.stage.holder === bunraku.number")
    if how == "blur":
        a.page.evaluate("window.dispatchEvent(new Event('blur'))")
    elif how == "pointercancel":
        a.page.evaluate(
            "document.getElementById('canvas').dispatchEvent(new PointerEvent('pointercancel', {pointerId: 1}))"
        )
    elif how == "Escape":
        a.page.keyboard.press("Escape")
    elif how == "hidden":
        a.page.evaluate(
            "Object.defineProperty(document, 'hidden', {value: true}); document.dispatchEvent(new Event('visibilitychange'))"
        )
    elif how == "closed":
        a.page.close()
    elif how == "gone":  # the server itself
        view.close()
        a.until("!bunraku.connected && bunraku.held === null")
    else:  # the connection breaks; the page comes back by itself and holds nothing
        number = a.page.evaluate("bunraku.number")
        for viewer, connection in list(view._server.viewers.items()):
            if viewer.number == number:
                view._server._loop.call_soon_threadsafe(connection.transport.abort)
        a.until("bunraku.held === null")
        a.until(f"bunraku.connected && bunraku.number > {number}")
    poll(lambda: c.drags == () and view._show._holder == 0, "letting go")
    if how == "gone":
        a.page.close()
    elif how != "closed":
        a.until("bunraku.held === null")
        a.page.mouse.up()
        a.until("bunraku.stage?.items.length === 0")  # and the release of the button pins nothing
        if how == "lost":
            a.page.faults.clear()  # the browser itself may say that a connection was lost
        a.close()


def test_a_second_viewer_is_told_that_another_drags(browser, view, c):
    a, b = Actor(browser, view, c), Actor(browser, view, c, theme="dark")
    a.grasp("right_hand", (0, -0.1, 0.15))
    b.until("bunraku.stage.holder !== 0 && bunraku.stage.holder !== bunraku.number && bunraku.stage.items.length === 1")
    assert b.page.get_by_test_id("holder").inner_text() == "Somebody else is dragging"
    assert a.page.get_by_test_id("holder").inner_text() == "You are dragging"
    b.grasp("left_hand", (0, 0.1, 0.1))
    b.until("bunraku.notes.some(text => text.includes('else is dragging'))")
    b.until("bunraku.held === null")
    b.page.mouse.up()
    assert [d.link for d in c.drags] == ["right_hand"]
    a.page.mouse.up()
    b.until("bunraku.stage.holder === 0 && document.getElementById('holder').textContent === ''")
    b.until("document.getElementById('banner').hidden")  # the word is soon forgotten
    b.grasp("left_hand", (0, 0.1, 0.1))
    a.until("bunraku.stage.holder !== 0 && bunraku.stage.items[0]?.link === 'left_hand'")
    b.page.mouse.up()
    a.close()
    b.close()


def test_violated_pins_say_how_much(browser, view, c):
    """Two pins of one hand at places that cannot both be."""
    a = Actor(browser, view, c)
    with view.lock:
        at = c.figure.pose("left_hand")[0]
        c.pin("left_hand", at=at + np.array([0.0, 0.3, 0.3]))
        c.pin("left_hand", at=at + np.array([0.0, 0.3, -0.3]))
    a.until("bunraku.stage.items.length === 2 && bunraku.stage.items.every(i => i.metres > 0.1)")
    a.until(
        "[...document.querySelectorAll('#labels span')].filter(e => !e.hidden && e.textContent.endsWith('cm')).length === 2"
    )
    assert a.page.locator("#pins li.violated").count() == 2
    a.close()


@pytest.mark.parametrize("width, height, theme", [(1024, 640, "light"), (1280, 720, "dark"), (1920, 1080, "dark")])
def test_the_desk_on_laptop_and_projector(browser, view, c, width, height, theme):
    a = Actor(browser, view, c, width=width, height=height, theme=theme)
    side = a.page.get_by_test_id("side").bounding_box()
    for name in (
        "balance",
        "pose",
        "undo",
        "reset",
        "release-all",
        "record",
        "save",
        "export-bvh",
        "export-csv",
        "export-gif",
    ):
        button = a.page.get_by_test_id(name)
        button.scroll_into_view_if_needed()
        box = button.bounding_box()
        assert side["x"] <= box["x"] and box["x"] + box["width"] <= side["x"] + side["width"] + 0.5
        assert side["y"] <= box["y"] and box["y"] + box["height"] <= side["y"] + side["height"] + 0.5
        assert button.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    a.page.keyboard.press("?")
    assert a.page.get_by_test_id("help").is_visible() and "balance" in a.page.get_by_test_id("help").inner_text()
    a.close()


def slide(page, name, part):
    """Press a joint's slider at a part of its length; returns its element."""
    slider = page.get_by_label(name, exact=True)
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + part * box["width"], box["y"] + 0.5 * box["height"], steps=5)
    page.mouse.up()
    return slider


@pytest.mark.parametrize(("width", "height"), [(900, 560), (390, 844)])
def test_joint_values_are_desired_and_released(browser, view, c, width, height):
    page = open_page(browser, view.url, width=width, height=height)
    until(page, "window.bunraku?.ready && bunraku.stage && bunraku.time > 0.1")
    panel = page.get_by_test_id("joints")
    assert not panel.is_visible()
    page.get_by_test_id("joints-button").click()
    until(page, "document.querySelectorAll('.joint input').length > 20")
    box = panel.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] + box["height"] <= height
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    slide(page, "left elbow", 0.6)
    until(page, "bunraku.stage.desired.left_elbow?.[0] > 1.2")
    until(page, "Math.abs(bunraku.stage.joints.left_elbow[0] - bunraku.stage.desired.left_elbow[0]) < 0.1")
    row = page.locator("[data-joint=left_elbow]")
    assert "desired" in row.get_attribute("class") and "°" in row.inner_text()
    slide(page, "neck y", 0.7)
    until(page, "bunraku.stage.desired.neck?.[1] > 0.2")
    row.get_by_role("button").click()
    until(page, "!('left_elbow' in bunraku.stage.desired)")
    page.keyboard.press("z")
    until(page, "'left_elbow' in bunraku.stage.desired")
    with view.lock:
        assert set(c.desired) == {"left_elbow", "neck"} and len(c.score.poses) >= 2
    assert not page.faults and page.evaluate("bunraku.errors") == []
    page.close()


def test_joint_panel_shows_the_joints_as_it_opens(browser, view, c):
    page = open_page(browser, view.url, width=900, height=560)
    until(page, "window.bunraku?.ready && bunraku.stage && bunraku.time > 0.1")
    # within one task of the page: no message of the server comes between
    slider, now = page.evaluate(
        """() => {
          document.querySelector('[data-testid=joints-button]').click();
          const slider = document.querySelector('[data-joint=right_elbow] input');
          return [Number(slider.value), bunraku.stage.joints.right_elbow[0]];
        }"""
    )
    assert slider == pytest.approx(now, abs=0.02) and 0.1 < now < 2
    page.close()


def test_arrows_move_a_slider_and_not_the_time(browser, view, c):
    page = open_page(browser, view.url, width=900, height=560)
    until(page, "window.bunraku?.ready && bunraku.stage && bunraku.time > 0.1")
    page.keyboard.press("j")
    page.get_by_label("right elbow", exact=True).focus()
    page.keyboard.press("End")
    until(page, "bunraku.stage.desired.right_elbow?.[0] > 2.5")
    assert page.evaluate("bunraku.playing")
    page.close()


def test_kinematics_and_axes_are_switches(browser, view, c):
    a = Actor(browser, view, c)
    a.page.keyboard.press("d")
    a.until("bunraku.stage.dynamics === false")
    assert a.page.get_by_test_id("dynamics").get_attribute("aria-pressed") == "false"
    assert a.page.get_by_test_id("record").is_disabled()
    a.page.get_by_test_id("dynamics").click()
    a.until("bunraku.stage.dynamics === true")
    a.page.get_by_test_id("axes").select_option("own z")
    a.click(a.foot())
    a.until("bunraku.stage.items.length === 1")
    assert c.pins[0].axes == "z" and c.pins[0].frame is not None
    a.close()


def test_taking_hold_of_the_past_says_so(browser, view, c):
    a = Actor(browser, view, c)
    a.page.keyboard.press("Space")
    a.until("!bunraku.playing")
    a.page.keyboard.press("Shift+ArrowLeft")
    a.until("bunraku.frame < bunraku.frames - 1")
    a.click(a.of("head"))
    a.until("document.getElementById('banner').textContent.startsWith('This is the past')")
    assert a.page.evaluate("bunraku.stage.items.length") == 0
    a.page.keyboard.press("End")
    a.until("bunraku.frame === bunraku.frames - 1")
    a.click(a.of("head"))
    a.until("bunraku.stage.items.length === 1")
    a.close()


def test_the_joint_panel_says_limits_and_torques(browser, view, c):
    a = Actor(browser, view, c)
    a.page.keyboard.press("j")
    row = a.page.locator("[data-joint=left_knee]")
    a.until("/N m/.test(document.querySelector('[data-joint=left_knee] .torque').textContent)")
    shown = float(row.locator(".torque").inner_text().split()[0].replace("−", "-"))
    assert abs(shown) < 500 and "°" in row.locator("input").get_attribute("title")
    a.close()
