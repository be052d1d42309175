"""Meshes on the page: drawn, without faults; collision shapes by the layer; a hundred boxes in few draws."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.motion import Recording
from bunraku.viewer.recording_page import page as write_page
from robots import robot
from viewer_browser import browser, near, open_page, pixels, until  # noqa: F401 - a fixture


def shown(browser, world, folder):  # noqa: F811
    """A page of a world as it stands."""
    with world.record(folder / "run.bkr"):
        world.step(1)
    with Recording.open(folder / "run.bkr") as recording:
        write_page(recording, folder / "run.html")
    page = open_page(browser, (folder / "run.html").as_uri(), width=1000, height=600)
    until(page, "window.bunraku && bunraku.drawn > 0")
    return page


@pytest.mark.slow
def test_a_robot_and_its_collision_shapes(browser, tmp_path):  # noqa: F811
    """TALOS: tens of meshes, orange fingers; the layer shows other shapes instead, and goes again."""
    world = bk.World()
    world.add(bk.load(robot("talos_full")), at=(0, 0, 1))
    page = shown(browser, world, tmp_path)
    until(page, "bunraku.cost.triangles > 100000")
    before = pixels(page)
    page.get_by_test_id("layer-shapes").check()
    until(page, "bunraku.cost.triangles < 100000")
    other = pixels(page)
    assert (np.abs(before - other).max(axis=2) > 40).mean() > 0.005
    page.get_by_test_id("layer-shapes").uncheck()
    until(page, "bunraku.cost.triangles > 100000")
    assert near(before, 0xE07B10, 60) > 10  # its hands
    assert page.faults == [] and page.evaluate("bunraku.errors.length") == 0
    page.close()


def test_a_hundred_boxes_in_few_draws(browser, tmp_path):  # noqa: F811
    """With the regions, forces and centres of pressure of all their contacts."""
    world = bk.World()
    world.add_ground()
    for k in range(100):
        world.add(bk.box((0.2, 0.2, 0.2)), at=(0.3 * (k % 10), 0.3 * (k // 10), 0.1))
    world.step(20)
    page = shown(browser, world, tmp_path)
    until(page, "bunraku.cost.calls > 0")
    assert page.evaluate("bunraku.patches().length") == 100 and page.evaluate("bunraku.arrows") >= 400
    assert page.evaluate("bunraku.cost.calls") <= 18 and page.faults == []
    page.close()
