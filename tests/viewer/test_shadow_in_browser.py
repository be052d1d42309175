"""Shadows on the page's ground: where the sun puts them, and the softer the higher what casts them is."""

import numpy as np

import bunraku as bk
from bunraku.cli import main
from viewer_browser import browser, open_page, pixels, until

__all__ = ["browser"]
SUN = np.array([0.45, -0.62]) / 1.1  # ahead and left, of a metre of height
HIGH, LOW = (0.8, 0.0, 1.5), (1.2, -1.2, 0.2)  # m: two boxes of 0.4 x 0.4 x 0.1 in the air


def edge(page, picture, x, y):
    """Where light goes through the middle between dark and lit along x about a place, and in how many metres from a fifth
    to four fifths."""
    at = x + np.linspace(-0.08, 0.08, 161)
    rows = []
    for beside in (-0.04, -0.02, 0.0, 0.02, 0.04):
        spots = page.evaluate("all => all.map((p) => bunraku.project(...p))", [[float(a), y + beside, 0] for a in at])
        rows.append([picture[round(v), round(u)].mean() for u, v in spots])
    light = np.mean(rows, axis=0)
    light = light if light[-1] > light[0] else light[::-1]
    at = at - x if light[-1] == np.mean(rows, axis=0)[-1] else (at - x)[::-1]
    share = (light - light[:20].mean()) / (light[-20:].mean() - light[:20].mean())
    begin, middle, end = (at[np.argmax(share > part)] for part in (0.2, 0.5, 0.8))
    return float(middle), abs(float(end - begin))


def test_shadows_soften_with_height(browser, tmp_path):
    world = bk.World()
    world.add_ground()
    world.add(bk.human(), at=(0, 0, 0.901))
    for place in (HIGH, LOW):
        world.add(bk.box((0.4, 0.4, 0.1)), at=place)
    with world.record(tmp_path / "run.bkr"):
        world.step(1)
    assert main(["export", str(tmp_path / "run.bkr"), "--to", "html", "--out", str(tmp_path / "run.html")]) == 0
    page = open_page(browser, (tmp_path / "run.html").as_uri(), width=1100, height=900)
    until(page, "window.bunraku?.ready && bunraku.skins.every(({ shown }) => shown)")
    page.keyboard.press("p")
    page.keyboard.press("3")
    drawn = page.evaluate("bunraku.drawn")
    until(page, f"bunraku.view === 'top' && bunraku.drawn > {drawn}")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    picture = pixels(page)
    # the high one's shadow ends, away from the figure, below its lower edge; the low one's, towards it, below its upper
    high_at, high = edge(page, picture, HIGH[0] + 0.2 - SUN[0] * 1.45, -SUN[1] * 1.5)
    low_at, low = edge(page, picture, LOW[0] - 0.2 - SUN[0] * 0.25, LOW[1] - SUN[1] * 0.2)
    assert abs(high_at) < 0.02 and abs(low_at) < 0.02
    assert low < 0.022 and high > 0.035 and high > 2.2 * low
    assert page.faults == []
    page.close()
