"""A real world, the real server and the real page together: a figure stands, and the browser shows it."""

import bunraku as bk
from bunraku.cli import main
from viewer_browser import browser, open_page, pixels, until

__all__ = ["browser"]


def standing():
    world = bk.World(dt=1e-3)
    world.add_ground(friction=0.8)
    fig = world.add(bk.human(), at=(0, 0, 0.901))
    fig.servo(2000.0, 60.0)
    return world


def test_a_live_world_advances_with_forces_and_zmp(browser):
    view = standing().view(browser=False)
    try:
        page = open_page(browser, view.url)
        until(page, "window.bunraku && window.bunraku.connected && window.bunraku.time > 0.2")
        first = page.evaluate("window.bunraku.time")
        until(page, f"window.bunraku.time > {first} + 0.2 && window.bunraku.arrows > 0 && window.bunraku.zmp > 0")
        assert not page.faults
        assert len({tuple(p) for p in pixels(page)[::7, ::7].reshape(-1, 3).tolist()}) > 100
    finally:
        view.close()


def test_a_recording_becomes_a_page_that_plays(browser, tmp_path):
    world = standing()
    with world.record(tmp_path / "run.bkr"):
        world.run(0.5)
    assert main(["export", str(tmp_path / "run.bkr"), "--to", "html", "--out", str(tmp_path / "run.html")]) == 0
    page = open_page(browser, (tmp_path / "run.html").as_uri())
    until(page, "window.bunraku && window.bunraku.ready && window.bunraku.frames > 10")
    page.keyboard.press("Space")
    until(page, "window.bunraku.time > 0.2 && window.bunraku.arrows > 0 && window.bunraku.zmp > 0")
    assert not page.faults
    assert all(a.startswith(("file:", "blob:", "data:")) for a in page.asked)
