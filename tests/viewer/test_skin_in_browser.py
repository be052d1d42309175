"""Skins on the page: bones as in Python, cheap, and physics shapes instead of them on request."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.cli import main
from bunraku.draw.skin import poses_of, skin_of
from bunraku.dynamics.functions import kinematics
from bunraku.model.rotations import exponential
from draws import fresh_rng
from viewer_browser import browser, open_page, pixels, until

__all__ = ["browser"]


def two_figures():
    world = bk.World(dt=1e-3)
    world.add_ground(friction=0.8)
    for name, y in (("ann", 0.0), ("ben", 0.8)):
        fig = world.add(bk.human(), name=name, at=(0, y, 0.901))
        fig.servo(2000.0, 60.0)
    return world


def test_vertices_are_where_python_has_them(browser):
    """Random attitudes of all joints, in the page as `Skin.posed` has them, to the rounding of weights and places."""
    rng = fresh_rng()
    world = two_figures()
    for figure in world.figures:
        q = figure.q  # a view
        for joint in figure.model.joints:
            if joint.kind == "ball":
                q[joint.q] = exponential(rng.normal(scale=0.5, size=3))
            elif joint.kind == "hinge":
                q[joint.q] = rng.uniform(0, 2)
    view = world.view(browser=False, play=False)
    try:
        page = open_page(browser, view.url)
        until(page, "window.bunraku && window.bunraku.ready && window.bunraku.skins.length == 2")
        until(page, "window.bunraku.skins.every(({ shown }) => shown)")
        for number, figure in enumerate(world.figures):
            skin = skin_of(figure.model)
            assert skin is not None
            pose = kinematics(figure.model, figure.q)
            wanted = skin.posed(poses_of(pose.rotation, pose.position)).vertices
            picks = rng.integers(len(wanted), size=60)
            got = page.evaluate(f"{picks.tolist()}.map((k) => window.bunraku.skinVertex({number}, k))")
            assert np.abs(np.array(got) - wanted[picks]).max() < 2e-3
        assert not page.faults
        page.close()
    finally:
        view.close()


SENT = """() => {
  const sent = { bytes: 0, begin: bunraku.drawn };
  for (const name of ["bufferSubData", "bufferData", "texSubImage2D"]) {
    const plain = WebGL2RenderingContext.prototype[name];
    WebGL2RenderingContext.prototype[name] = function (...given) {
      const data = given.find((x) => ArrayBuffer.isView(x));
      const of = name === "bufferSubData" ? (given[4] ? given[4] * data.BYTES_PER_ELEMENT : data?.byteLength) : data?.byteLength;
      sent.bytes += of ?? 0;
      return plain.apply(this, given);
    };
  }
  window.sent = () => sent.bytes / Math.max(bunraku.drawn - sent.begin, 1);
}"""


def test_two_figures_keep_within_the_budget(browser, tmp_path):
    """At most 60,000 triangles and 24 calls in the picture, and 30 kB a frame to the graphics card; the skins, the shapes
    on request, in a page of one file."""
    world = two_figures()
    with world.record(tmp_path / "run.bkr"):
        world.run(0.2)
    assert main(["export", str(tmp_path / "run.bkr"), "--to", "html", "--out", str(tmp_path / "run.html")]) == 0
    page = open_page(browser, (tmp_path / "run.html").as_uri())
    until(page, "window.bunraku && window.bunraku.ready && window.bunraku.skins.every(({ shown }) => shown)")
    drawn = page.evaluate("window.bunraku.drawn")
    page.keyboard.press("End")
    until(page, f"window.bunraku.drawn > {drawn} && window.bunraku.time > 0.19")
    page.wait_for_timeout(200)
    cost = page.evaluate("window.bunraku.cost")  # with what casts shadows
    skins = page.evaluate("window.bunraku.skins")
    assert sum(s["triangles"] for s in skins) <= 56_000 and all(500 < s["shadow"] < 4_000 for s in skins)
    assert 45_000 < cost["triangles"] <= 60_000 and cost["calls"] <= 24
    page.evaluate(SENT)
    page.keyboard.press("Home")
    until(page, "bunraku.frame === 0")
    for k in (1, 2, 3, 4):
        drawn = page.evaluate("bunraku.drawn")
        page.keyboard.press("ArrowRight")
        until(page, f"bunraku.frame === {k} && bunraku.drawn > {drawn}")
    assert 1_000 < page.evaluate("window.sent()") < 30_000
    dressed = pixels(page)
    page.keyboard.press("i")
    until(page, "window.bunraku.skins.every(({ shown }) => !shown)")
    until(page, f"window.bunraku.cost.triangles != {cost['triangles']}")
    bare = pixels(page)
    assert np.mean(np.any(np.abs(dressed.astype(int) - bare.astype(int)) > 20, axis=2)) > 0.005
    page.keyboard.press("i")
    until(page, "window.bunraku.skins.every(({ shown }) => shown)")
    assert not page.faults
    page.close()


def test_scenes_without_skins_still_show(browser, tmp_path):
    """A page of version 0.1 had no skins in its scene: shapes are all there is."""
    world = two_figures()
    with world.record(tmp_path / "run.bkr"):
        world.run(0.05)
    assert main(["export", str(tmp_path / "run.bkr"), "--to", "html", "--out", str(tmp_path / "run.html")]) == 0
    text = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert '"skins":[{' in text
    start = text.index('"skins":[{')
    end = text.index('"figures":', start)
    (tmp_path / "old.html").write_text(text[:start] + text[end:], encoding="utf-8")
    page = open_page(browser, (tmp_path / "old.html").as_uri())
    until(page, "window.bunraku && window.bunraku.ready && window.bunraku.cost.triangles > 1000")
    assert page.evaluate("window.bunraku.skins") == [] and not page.faults
    page.close()


def test_damaged_skin_leaves_the_shapes(browser, tmp_path):
    world = two_figures()
    with world.record(tmp_path / "run.bkr"):
        world.run(0.05)
    assert main(["export", str(tmp_path / "run.bkr"), "--to", "html", "--out", str(tmp_path / "run.html")]) == 0
    text = (tmp_path / "run.html").read_text(encoding="utf-8")
    (tmp_path / "bad.html").write_text(text.replace('"triangles":', '"triangles":1', 1), encoding="utf-8")
    page = open_page(browser, (tmp_path / "bad.html").as_uri())
    until(page, "window.bunraku && window.bunraku.ready && window.bunraku.cost.triangles > 1000")
    assert page.evaluate("window.bunraku.skins.some(({ shown }) => !shown)")
    assert not page.faults
    page.close()


@pytest.fixture(autouse=True)
def _made_once():
    """The skin is there before the page waits for it."""
    assert skin_of(bk.human()) is not None
