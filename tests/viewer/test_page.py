"""The viewer's page in a real browser, as an exported file: what it shows, its transport, plots, keys, views and
layout."""

import numpy as np
import pytest

from bunraku.viewer.one_file import export_html, read_frame
from viewer_browser import browser, near, open_page, pixels, until  # noqa: F401
from viewer_scenes import SIDES, WEIGHT, Walk

ZMP, COM, LINK, SURFACE = 0xD6336C, 0x2F6FDB, 0xD0A215, 0x1F9E8A  # colours of the page's legend
READY = "window.bunraku?.ready"
DOUBLE, SINGLE = 39, 33  # frames: both feet carry (one on its heel edge), one foot carries
PIN = (1.2, 1.1, 0.6)
HAND = {
    "number": 0,
    "kind": "connection",
    "body_a": 7,
    "body_b": -1,
    "point_a": [0.0, 0.0, -0.28],
    "point_b": PIN,
}
WALK = Walk(4.0, connections=[HAND])


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    return export_html(WALK.scene, WALK.frames(), tmp_path_factory.mktemp("page") / "walk.html").as_uri()


@pytest.fixture
def page(browser, url):  # noqa: F811
    page = open_page(browser, url)
    until(page, READY)
    yield page
    assert page.faults == [] and page.evaluate("bunraku.errors") == []
    page.close()


def ask(page, name):
    return page.evaluate(f"bunraku.{name}")


def scrub(page, frame):
    """Put the time line to a frame, as a hand does: the slider's value, then its event."""
    page.get_by_test_id("timeline").evaluate(
        "(e, t) => { e.value = t; e.dispatchEvent(new Event('input')) }", WALK.time(frame)
    )
    until(page, f"bunraku.frame === {frame}")
    settle(page)


def settle(page):
    """Two turns of the page's loop, so that what was asked for is drawn."""
    page.evaluate(
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))"
    )


def test_opens_from_the_file_system_draws_and_asks_nobody(page, url):
    assert page.title() == "Walk – Bunraku"
    assert (ask(page, "frames"), ask(page, "frame"), ask(page, "playing")) == (WALK.count, 0, False)
    assert ask(page, "duration") == pytest.approx(4.0)
    picture = pixels(page)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 2000  # shading, shadows, a fading grid
    middle = picture[:, picture.shape[1] // 3 : 2 * picture.shape[1] // 3]
    red_over_blue = middle[..., 0] - middle[..., 2]
    assert np.sum(red_over_blue > 14) > 5000  # the figure's warm paint
    foreign = [a for a in page.asked if a != url and not a.startswith(("data:", "blob:"))]
    assert foreign == []


def test_shadow_lies_on_the_ground(page):
    """The crate (0.4 m high, at x 1.2 y 1.1) keeps the sun from the ground behind it and not from that before it."""
    scrub(page, 60)
    page.get_by_test_id("view-top").click()
    page.get_by_test_id("canvas").hover()
    for _ in range(4):
        page.mouse.wheel(0, 400)
    until(page, "bunraku.project(1.13, 1.44, 0)[1] > 20")
    settle(page)
    picture = pixels(page)
    places = ((1.13, 1.44, 0.0), (1.13, 0.69, 0.0))  # between lines of the grid
    behind, before = (picture[round(y), round(x)] for x, y in (ask(page, f"project{at}") for at in places))
    assert np.ptp(before) < 16 and before.min() > 200
    assert np.all(behind < before - 30)


def test_plays_pauses_and_stops_at_the_end(page):
    page.get_by_test_id("play").click()
    until(page, "bunraku.playing && bunraku.time > 0.1 && bunraku.frame > 2")
    page.get_by_test_id("play").click()
    until(page, "!bunraku.playing")
    held = ask(page, "time")
    settle(page)
    assert ask(page, "time") == held
    scrub(page, WALK.count - 4)
    page.get_by_test_id("play").click()
    until(page, f"!bunraku.playing && bunraku.frame === {WALK.count - 1}")
    page.get_by_test_id("play").click()
    until(page, "bunraku.time < 2")  # from the start again


@pytest.mark.parametrize("speed", [0.5, 2.0])
def test_speed_scales_time(browser, url, speed):  # noqa: F811
    """With the browser's clock in our hands: 0.8 s of it are 0.8 s times the speed, to two turns of the loop (16 ms
    each)."""
    page = open_page(browser, url, clock=True)
    until(page, READY)
    page.clock.pause_at(3600)  # the clock started at zero; from here on it moves only when told
    page.get_by_test_id("speed").select_option(str(speed).removesuffix(".0"))
    page.get_by_test_id("play").click()
    page.clock.run_for(100)
    before = ask(page, "time")
    page.clock.run_for(800)
    assert ask(page, "time") - before == pytest.approx(0.8 * speed, abs=0.034 * speed)
    page.close()


@pytest.mark.parametrize("frame", [0, SINGLE, DOUBLE, WALK.count - 1])
def test_scrubbing_shows_the_numbers_of_that_time(page, frame):
    scrub(page, frame)
    wanted = read_frame(WALK.frame(frame))
    spread = np.ptp([read_frame(f).poses for f in WALK.frames()], axis=0)
    for body in (0, 5, 12):
        error = np.abs(np.array(ask(page, f"pose({body})")) - wanted.poses[body])
        assert np.all(error <= spread[body] / 131064 + 1e-6)
    assert ask(page, "channel(0)") == pytest.approx(wanted.channels[0], abs=WEIGHT / 131064 + 1e-3)
    assert np.allclose(np.reshape(ask(page, "contacts()"), (-1, 10)), wanted.contacts, atol=0.02)
    assert page.get_by_test_id("clock").inner_text() == f"{WALK.time(frame):.2f} / 4.00 s"


def test_a_click_on_a_plot_seeks(page):
    area = page.get_by_test_id("plot-area")
    box = area.bounding_box()
    for part in (0.25, 0.7):
        area.click(position={"x": part * box["width"], "y": box["height"] / 2})
        until(page, f"Math.abs(bunraku.time - {4.0 * part}) < {2 * 4.0 / box['width']}")
    settle(page)
    line = page.locator(".plot-now").bounding_box()
    shown = WALK.time(ask(page, "frame"))
    assert line["x"] - box["x"] == pytest.approx(shown / 4.0 * box["width"], abs=2.0)


def test_plots_by_group_with_values_at_the_present(page):
    scrub(page, SINGLE)
    assert ask(page, "group") == "forces"
    for group in ("torques", "angles", "energy", "zmp", "forces"):
        before = pixels(page, "chart")
        page.get_by_test_id(f"group-{group}").click()
        until(page, f"bunraku.group === '{group}'")
        settle(page)
        names = [c["name"] for c in WALK.scene["channels"] if c["group"] == group]
        assert page.locator("#channels .name").all_inner_texts() == names
        assert np.sum(pixels(page, "chart") != before) > 500
    for frame in (SINGLE, DOUBLE):
        scrub(page, frame)
        for channel, side in enumerate(("left", "right")):
            shown = page.get_by_test_id(f"channel-{channel}").locator(".value").inner_text()
            load = WALK.load(WALK.time(frame))[side] * WEIGHT
            assert float(shown.replace("−", "-")) == pytest.approx(load, abs=0.06)
    before = near(pixels(page, "chart"), 0x2F6FDB)
    page.get_by_test_id("channel-0").click()
    settle(page)
    assert page.get_by_test_id("channel-0").get_attribute("aria-pressed") == "false"
    assert before > 400  # the first line's blue was there


def test_of_many_curves_the_busiest_are_drawn_and_listed_first(browser, tmp_path):  # noqa: F811
    """Torque i swings by 20 + i N m: of 18 the last six are drawn."""
    walk = Walk(2.0, channels=40)
    page = open_page(browser, export_html(walk.scene, walk.frames(), tmp_path / "many.html").as_uri())
    until(page, READY)
    page.get_by_test_id("group-torques").click()
    torques = [i for i, c in enumerate(walk.scene["channels"]) if c["group"] == "torques"]
    rows = page.locator("#channels button")
    listed = [int(rows.nth(i).get_attribute("data-testid").removeprefix("channel-")) for i in range(rows.count())]
    assert listed == torques[-6:] + torques[:-6]
    pressed = [rows.nth(i).get_attribute("aria-pressed") for i in range(rows.count())]
    assert pressed == ["true"] * 6 + ["false"] * (len(torques) - 6)
    page.close()


def test_force_arrows_and_their_layer(page):
    scrub(page, SINGLE)
    assert ask(page, "arrows") == 5  # one foot: four corners and their sum
    with_arrows = near(pixels(page), SURFACE, 60)
    page.get_by_test_id("layer-forces").uncheck()
    until(page, "bunraku.arrows === 0")
    settle(page)
    assert with_arrows > near(pixels(page), SURFACE, 60) + 40
    page.get_by_test_id("layer-forces").check()
    scrub(page, DOUBLE)
    assert ask(page, "arrows") == 8  # a sole and a heel's edge: 4 + 1 + 2 + 1


def test_zmp_and_support_polygon(page):
    scrub(page, DOUBLE)
    assert (ask(page, "zmp"), ask(page, "support")) == (1, 1)
    page.get_by_test_id("view-top").click()
    settle(page)
    picture = pixels(page)
    both = near(picture, ZMP)
    x, y = ask(page, "project({}, {}, {})".format(*WALK.zmp(WALK.time(DOUBLE))))
    assert (
        near(picture[round(y) - 2 : round(y) + 3, round(x) - 2 : round(x) + 3], ZMP) >= 5
    )  # a bead of 11 mm where it belongs
    page.get_by_test_id("layer-support").uncheck()
    until(page, "bunraku.support === 0")
    settle(page)
    mark = near(pixels(page), ZMP)
    page.get_by_test_id("layer-zmp").uncheck()
    until(page, "bunraku.zmp === 0")
    settle(page)
    assert both > mark + 100 and mark > near(pixels(page), ZMP) + 30


def test_centres_of_pressure_are_the_force_weighted_middle(page):
    scrub(page, DOUBLE)
    t = WALK.time(DOUBLE)
    patches = {round(p["total"][2]): p for p in ask(page, "patches()")}
    assert ask(page, "pressures") == 2
    for side in SIDES:
        share = WALK.load(t)[side]
        patch = patches[round(WEIGHT * share)]
        back = -0.065 if share < 0.35 else 0.03  # the heel's edge, or the middle of the sole
        middle = [WALK.foot(side, t)[0] + back, SIDES[side] * WALK.wide, 0.0]
        assert patch["pressure"] == pytest.approx(middle, abs=1e-3)


def test_contact_states_are_counted_and_coloured(page):
    scrub(page, DOUBLE)
    assert [page.get_by_test_id(f"state-{s}").inner_text() for s in ("surface", "line", "point")] == ["1", "1", "0"]
    scrub(page, SINGLE)
    assert [page.get_by_test_id(f"state-{s}").inner_text() for s in ("surface", "line", "point")] == ["1", "0", "0"]
    page.get_by_test_id("layer-forces").uncheck()
    page.get_by_test_id("layer-support").uncheck()
    settle(page)
    regions = near(pixels(page), SURFACE, 60)
    page.get_by_test_id("layer-regions").uncheck()
    settle(page)
    assert regions > near(pixels(page), SURFACE, 60) + 20


@pytest.mark.parametrize(("layer", "color", "least"), [("com", COM, 150), ("connections", LINK, 100)])
def test_layers_of_mass_and_connections(page, layer, color, least):
    scrub(page, DOUBLE)
    with_layer = near(pixels(page), color)
    page.get_by_test_id(f"layer-{layer}").uncheck()
    settle(page)
    assert with_layer > near(pixels(page), color) + least


def test_marks_are_seen_before_the_ground_and_through_things(page):
    """The pin has bare ground behind it, the centre of mass is inside of the trunk: both are there in full colour."""
    scrub(page, DOUBLE)
    picture = pixels(page)
    com = read_frame(WALK.frame(DOUBLE)).figures[0, :3]
    for place, color in ((PIN, LINK), (com, COM)):
        x, y = ask(page, "project({}, {}, {})".format(*place))
        assert near(picture[round(y) - 2 : round(y) + 3, round(x) - 2 : round(x) + 3], color) >= 20


def test_the_path_of_the_centre_of_mass_grows(page):
    scrub(page, 5)
    short = near(pixels(page), COM)
    scrub(page, WALK.count - 1)
    assert near(pixels(page), COM) > short + 100


def test_ghosts_show_the_whole_motion(page):
    page.get_by_test_id("view-side").click()
    settle(page)
    plain = pixels(page)
    page.keyboard.press("g")
    until(page, "bunraku.ghosts > 5")
    settle(page)
    assert np.sum(np.max(np.abs(pixels(page) - plain), axis=-1) > 5) > 10000
    page.keyboard.press("g")
    until(page, "bunraku.ghosts === 0")


@pytest.mark.parametrize(
    ("key", "name", "axis"),
    [("1", "front", (1, 0, 0)), ("2", "side", (0, -1, 0)), ("3", "top", (0, 0, 1)), ("4", "iso", (0.65, -0.68, 0.35))],
)
def test_views_look_along_their_axes(page, key, name, axis):
    page.keyboard.press(key)
    until(page, f"bunraku.view === '{name}'")
    away = np.subtract(ask(page, "camera"), ask(page, "target"))
    assert np.dot(away / np.linalg.norm(away), axis) > 0.99
    assert page.get_by_test_id(f"view-{name}").get_attribute("aria-pressed") == "true"


def test_the_camera_follows_the_figure_and_can_stay(page):
    com = read_frame(WALK.frame(60)).figures[0, :3]
    scrub(page, 60)
    assert ask(page, "target") == pytest.approx(com, abs=1e-3)
    page.keyboard.press("f")
    scrub(page, 0)
    assert ask(page, "target") == pytest.approx(com, abs=1e-3)


def test_dragging_turns_the_camera(page):
    before = ask(page, "camera")
    box = page.get_by_test_id("canvas").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 320, box["y"] + 210, steps=4)
    page.mouse.up()
    until(page, "bunraku.view === 'free'")
    assert np.linalg.norm(np.subtract(ask(page, "camera"), before)) > 0.5


def test_keys(page):
    page.keyboard.press("ArrowRight")
    until(page, "bunraku.frame === 1")
    page.keyboard.press("Shift+ArrowRight")
    until(page, "bunraku.frame === 11")
    page.keyboard.press("ArrowLeft")
    until(page, "bunraku.frame === 10")
    page.keyboard.press("End")
    until(page, f"bunraku.frame === {WALK.count - 1}")
    page.keyboard.press("Home")
    until(page, "bunraku.frame === 0")
    page.keyboard.press("ArrowDown")
    until(page, "bunraku.speed === 0.5")
    page.keyboard.press("ArrowUp")
    until(page, "bunraku.speed === 1")
    page.keyboard.press(" ")
    until(page, "bunraku.playing")
    page.keyboard.press(" ")
    until(page, "!bunraku.playing")
    page.keyboard.press("p")
    assert page.get_by_test_id("plots").is_hidden()
    page.keyboard.press("p")
    assert page.get_by_test_id("plots").is_visible()
    page.keyboard.press("?")
    assert page.get_by_test_id("help").is_visible()
    page.keyboard.press("Escape")
    assert page.get_by_test_id("help").is_hidden()


def test_step_buttons(page):
    page.get_by_test_id("forward").click()
    page.get_by_test_id("forward").click()
    until(page, "bunraku.frame === 2")
    page.get_by_test_id("back").click()
    until(page, "bunraku.frame === 1")


def test_light_and_dark(page):
    light = pixels(page).mean()
    page.keyboard.press("t")
    until(page, "bunraku.theme === 'dark'")
    settle(page)
    assert light > 180 and pixels(page).mean() < 80
    assert pixels(page, "plots").mean() < 80


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_overlaps_or_is_cut(browser, url, size, theme):  # noqa: F811
    page = open_page(browser, url, width=size[0], height=size[1], theme=theme)
    until(page, READY)
    assert ask(page, "theme") == theme
    boxes = {name: page.locator(f"#{name}").bounding_box() for name in ("bar", "view", "side", "plots", "transport")}
    names = list(boxes)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            p, q = boxes[a], boxes[b]
            across = min(p["x"] + p["width"], q["x"] + q["width"]) - max(p["x"], q["x"])
            down = min(p["y"] + p["height"], q["y"] + q["height"]) - max(p["y"], q["y"])
            assert min(across, down) <= 0.5, f"{a} and {b} overlap"
    area = sum(b["width"] * b["height"] for b in boxes.values())
    assert area == pytest.approx(size[0] * size[1], rel=2e-3)
    cut = page.evaluate(
        "['bar', 'side', 'states', 'transport', 'groups', 'views'].map(id => document.getElementById(id))"
        ".filter(e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1).map(e => e.id)"
    )
    assert cut == []
    assert boxes["view"]["height"] > 0.5 * size[1]
    page.close()


def test_names_are_text_and_foreign_scripts_do_not_run(browser, tmp_path):  # noqa: F811
    """Markup in names stays text; a script added to the open page is stopped by the policy."""
    evil = "</script><script>window.taken = 1</script><img src=x onerror='window.taken = 2'>"
    walk = Walk(0.5, title=evil)
    walk.scene["channels"][0]["name"] = walk.scene["bodies"][0]["name"] = evil
    page = open_page(browser, export_html(walk.scene, walk.frames(), tmp_path / "evil.html").as_uri())
    until(page, READY)
    assert page.get_by_test_id("title").inner_text() == evil
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.taken = 3'; document.body.append(s) }"
    )
    page.evaluate(
        "() => { const i = document.createElement('img'); i.src = 'https://example.invalid/x.png'; document.body.append(i) }"
    )
    settle(page)
    assert page.evaluate("window.taken === undefined")
    assert sum("Content Security Policy" in fault for fault in page.faults) >= 2
    assert page.refused == ["https://example.invalid/x.png: csp"]
    page.close()


def test_damaged_data_gives_a_sentence(browser, url, tmp_path):  # noqa: F811
    from pathlib import Path
    from urllib.parse import urlparse

    text = Path(urlparse(url).path).read_text(encoding="utf-8")
    start = text.index('id="bunraku-frames">') + 400
    (tmp_path / "cut.html").write_text(text[:start] + text[text.index("</script>", start) :], encoding="utf-8")
    page = open_page(browser, (tmp_path / "cut.html").as_uri())
    until(page, "window.bunraku?.errors.length > 0")
    assert page.get_by_test_id("banner").is_visible() and page.get_by_test_id("banner").inner_text()
    page.close()
