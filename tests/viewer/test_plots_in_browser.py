"""The plots in a real browser: ranges that peaks do not flatten, several at a time, values at the pointer, files."""

import csv
import io
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

import bunraku as bk
from bunraku.viewer.one_file import export_html
from viewer_browser import browser, near, open_page, pixels, until
from viewer_scenes import WEIGHT, Walk

__all__ = ["browser"]
SPIKE, AT = 9e4, 70  # N, frame: an impact
BLUE, ORANGE = 0x2F6FDB, 0xD9661F  # the first two curves


class Hit(Walk):
    """A walk with one impact in the force of the left foot, or with several."""

    at: tuple[int, ...] = (AT,)

    def values(self, t):
        values = super().values(t)
        if any(abs(t - self.time(k)) < 1e-9 for k in self.at):
            values[0] = SPIKE
        return values


HIT = Hit(4.0, channels=14)


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    return export_html(HIT.scene, HIT.frames(), tmp_path_factory.mktemp("plots") / "hit.html").as_uri()


@pytest.fixture
def page(browser, url):
    page = open_page(browser, url)
    until(page, "window.bunraku?.ready && bunraku.group === 'forces'")
    yield page
    assert page.faults == [] and page.evaluate("bunraku.errors") == []
    page.close()


def height_of(page, color):
    """Part of the plot's height that a curve takes, but for a mark at its edge."""
    rows = np.flatnonzero([near(row[None], color, 30) > 8 for row in pixels(page, "plot-area")])
    return np.ptp(rows) / page.get_by_test_id("plot-area").bounding_box()["height"] if len(rows) else 0.0


def test_a_peak_is_cut_off_and_marked(page):
    """With the impact of 90 kN in full the weight of 680 N is a line at the bottom; cut off, it fills the plot."""
    until(page, "bunraku.cut === 1")
    assert height_of(page, ORANGE) > 0.5
    page.get_by_test_id("whole-range").click()
    until(page, "bunraku.cut === 0")
    assert height_of(page, ORANGE) < 0.1
    assert page.get_by_test_id("whole-range").get_attribute("aria-pressed") == "true"
    page.get_by_test_id("whole-range").click()
    until(page, "bunraku.cut === 1")
    page.get_by_test_id("group-energy").click()
    until(page, "bunraku.group === 'energy' && bunraku.cut === 0")  # no peak there, nothing cut


def test_several_plots_side_by_side(page):
    page.get_by_test_id("several").click()
    page.get_by_test_id("group-torques").click()
    until(page, "bunraku.plots === 2")
    page.get_by_test_id("group-zmp").click()
    until(page, "bunraku.plots === 3")
    boxes = [box.bounding_box() for box in page.get_by_test_id("plot-area").all()]
    assert len(boxes) == 3 and all(a["x"] + a["width"] < b["x"] for a, b in pairwise(boxes))
    assert {page.locator(f"[data-testid=group-{g}]").get_attribute("aria-pressed") for g in ("forces", "zmp")} == {
        "true"
    }
    listed = page.locator("#channels .name").all_inner_texts()
    assert listed == [c["name"] for g in ("forces", "torques", "zmp") for c in HIT.scene["channels"] if c["group"] == g]
    page.get_by_test_id("plot-area").nth(1).click(position={"x": 0.5 * boxes[1]["width"], "y": 20})
    until(page, f"Math.abs(bunraku.time - 2.0) < {2 * 4.0 / boxes[1]['width']}")
    page.get_by_test_id("group-torques").click()
    until(page, "bunraku.plots === 2")
    page.get_by_test_id("several").click()
    until(page, "bunraku.plots === 1")


def test_values_at_the_pointer(page):
    area = page.get_by_test_id("plot-area")
    box = area.bounding_box()
    value = page.get_by_test_id("channel-1").locator(".value")
    for frame in (20, 55):
        page.mouse.move(box["x"] + (HIT.time(frame) + 0.3 / HIT.fps) / 4.0 * box["width"], box["y"] + 30)
        until(page, f"document.getElementById('plot-time').textContent === 'at {HIT.time(frame):.3f} s'")
        assert float(value.inner_text()) == pytest.approx(HIT.load(HIT.time(frame))["right"] * WEIGHT, abs=2.0)
    page.mouse.move(box["x"] + 40, box["y"] - 200)
    until(page, "document.getElementById('plot-time').textContent === ''")  # the present again
    assert float(value.inner_text()) == pytest.approx(HIT.load(0.0)["right"] * WEIGHT, abs=2.0)


def test_saved_as_picture_and_table(page, tmp_path):
    with page.expect_download() as coming:
        page.get_by_test_id("plot-csv").click()
    assert coming.value.suggested_filename == "Walk_forces.csv"
    coming.value.save_as(tmp_path / "a.csv")
    rows = list(csv.reader(io.StringIO((tmp_path / "a.csv").read_text())))
    assert rows[0] == ["time [s]", "left foot Fz [N]", "right foot Fz [N]"] and len(rows) == HIT.count + 1
    table = np.array(rows[1:], dtype=float)
    assert np.allclose(table[:, 0], [HIT.time(k) for k in range(HIT.count)], atol=1e-5)
    wanted = np.array([HIT.values(HIT.time(k))[:2] for k in range(HIT.count)])
    assert np.allclose(table[:, 1:], wanted, atol=SPIKE / 65000)
    with page.expect_download() as coming:
        page.get_by_test_id("plot-png").click()
    coming.value.save_as(tmp_path / "a.png")
    picture = np.asarray(Image.open(tmp_path / "a.png").convert("RGB")).astype(int)
    chart = page.get_by_test_id("plot-area").bounding_box()
    assert picture.shape[1] > chart["width"] and picture.shape[0] > chart["height"]
    assert near(picture, BLUE, 30) > 400 and near(picture, ORANGE, 30) > 400
    assert near(picture[-30:], BLUE, 30) > 20  # its legend


def test_no_peak_of_a_long_run_is_lost(browser, tmp_path):
    """More frames than are drawn of a curve: impacts of a single frame are among what is drawn, wherever they are."""
    hit = Hit(70.0, channels=2)
    assert hit.count > 2000
    hit.at = (101, 702, 1203, 1604)
    page = open_page(browser, export_html(hit.scene, hit.frames(), tmp_path / "long.html").as_uri())
    until(page, "window.bunraku?.ready && bunraku.group === 'forces' && bunraku.cut === 4")
    assert page.faults == []
    page.close()


def test_rounding_is_no_motion(browser, tmp_path):
    """Things at rest: of nine forces the upward ones are shown first, which carry, not those that are noise about zero."""
    world = bk.World()
    world.add_ground()
    for k in range(3):
        world.add(bk.box((0.2, 0.2, 0.2), 5.0 + k), name=f"box{k}", at=(0.4 * k, 0, 0.1))
    world.run(0.5)
    with world.record(tmp_path / "rest.bkr"):
        world.run(0.5)
    with bk.Recording.open(tmp_path / "rest.bkr") as recording:
        bk.page(recording, tmp_path / "rest.html")
    page = open_page(browser, (tmp_path / "rest.html").as_uri())
    until(page, "window.bunraku?.ready && bunraku.group === 'forces'")
    until(page, "document.querySelectorAll('.channel').length === 9")
    shown = page.evaluate("[...document.querySelectorAll('.channel[aria-pressed=true]')].map((e) => e.innerText)")
    assert len(shown) == 6 and sum("force z" in name for name in shown) == 3
    assert page.faults == []
    page.close()
