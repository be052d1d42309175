"""What scripts do of a display frame, counted: calls of the page's functions, calls of WebGL, changes of the document.

`bunraku bench page` measures it in milliseconds, which a test cannot: two figures are 6,000 calls and 1.6 ms on a 2-core
AMD EPYC, a hundred boxes 30,600 (short ones, a few a body) and 1.7 ms. A quarter more is the 2 ms that a frame may take.
Chromium's precise coverage counts them, inlined or not."""

import pytest

from bunraku_bench.bench_page import boxes, recorded, two_figures
from viewer_browser import browser, open_page, until

__all__ = ["browser"]
FRAMES = 10  # a window
WINDOWS = 3  # the first ones are those in which buffers are made

COUNT = """() => {
  window.counted = { drawing: 0, changes: 0 };
  const plain = WebGL2RenderingContext.prototype;
  for (const name of Object.getOwnPropertyNames(plain)) {
    const { value } = Object.getOwnPropertyDescriptor(plain, name);
    if (typeof value !== "function") continue;
    plain[name] = function (...given) {
      window.counted.drawing += 1;
      return value.apply(this, given);
    };
  }
  new MutationObserver((all) => (window.counted.changes += all.length))
    .observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
}"""
MORE = """() => {
  const often = () => { for (let k = 0; k < 10000; k++) bunraku.project(k, 0, 0); requestAnimationFrame(often); };
  often();
}"""


def calls_a_frame(page, tools):
    """Calls of functions in a window of frames that are asked for one by one, a frame."""
    tools.send("Profiler.takePreciseCoverage")
    begin = page.evaluate("bunraku.drawn")
    for _ in range(FRAMES):
        drawn = page.evaluate("bunraku.drawn")
        page.keyboard.press("ArrowRight")
        until(page, f"bunraku.drawn > {drawn}")
    found = tools.send("Profiler.takePreciseCoverage")["result"]
    functions = [function for script in found if script["url"] == page.url for function in script["functions"]]
    calls = sum(function["ranges"][0]["count"] for function in functions)
    return calls / (page.evaluate("bunraku.drawn") - begin)


@pytest.mark.slow
@pytest.mark.parametrize(("make", "most"), [(two_figures, 7_500), (boxes, 38_000)])
def test_a_display_frame_is_little_work(browser, tmp_path, make, most):
    page = open_page(browser, recorded(make, tmp_path), width=320, height=180, own=True)
    until(page, "window.bunraku?.ready && bunraku.skins.every(({ shown }) => shown)")
    assert not page.evaluate("bunraku.playing")  # as the test's browser asks for less motion
    page.evaluate(COUNT)
    tools = page.context.new_cdp_session(page)
    tools.send("Profiler.enable")
    tools.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": False})
    found = [calls_a_frame(page, tools) for _ in range(WINDOWS)]
    drawn = page.evaluate("bunraku.drawn")
    before = page.evaluate("({...counted})")
    calls_a_frame(page, tools)
    frames = page.evaluate("bunraku.drawn") - drawn
    after = page.evaluate("({...counted})")
    drawing, changes = ((after[k] - before[k]) / frames for k in ("drawing", "changes"))
    assert 1_000 < min(found) < most
    assert 50 < drawing < 250 and changes < 200
    page.evaluate(MORE)  # the count bites: a page that does more is over it
    assert calls_a_frame(page, tools) > most
    assert page.faults == []
    page.close()
