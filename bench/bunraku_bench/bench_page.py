"""`bunraku bench page`: what the viewer's page costs a display frame, in headless Chromium.

Two figures that sway on servos, and a hundred boxes with their contacts, as pages of one file that play, with plots. Of
each: processor time of the page's main thread in scripts (Chromium's ScriptDuration in thread time,
so that what the graphics card, here software, and other programs do does not count), the mean of the best of several
windows of frames; draw calls and triangles of a frame. Pictures are small, as their size changes nothing of that.
Needs Chromium and Playwright, which the extra `test` installs.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bunraku.cli.common import print_json, progress_bar
from bunraku.errors import BunrakuError
from bunraku_bench.bench_dynamics import machine

FLAGS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run")
SIZE = {"width": 800, "height": 450}
WARM = 2  # windows before, in which the page's code gets warm
PATIENCE = 600_000  # ms


def page(json: bool = False, frames: int = 60, windows: int = 6) -> int:
    """Measure what the viewer's page costs a display frame in scripts, draws and triangles.

    Args:
        json: Print JSON.
        frames: Display frames of a window.
        windows: Windows of each scene; the best counts.
    """
    report = measure(frames, windows)
    report["machine"] = machine()
    if json:
        print_json(report)
        return 0
    for name, r in report["scenes"].items():
        print(f"{name:<16} {r['script_ms']:.2f} ms of scripts a frame, {r['calls']} draws, {r['triangles']} triangles")
    print(", ".join(f"{k} {v}" for k, v in report["machine"].items()))
    return 0


def measure(frames: int, windows: int) -> dict[str, Any]:
    """The figures of all scenes."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise BunrakuError("bench page: Playwright is not installed; run `pip install playwright`.") from None
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise BunrakuError("bench page: there is no Chromium; run `apt-get install -y chromium`.")
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        with progress_bar(len(SCENES), "bench page") as update:
            for done, (name, make) in enumerate(SCENES.items()):
                update(done)
                found[name] = watched(browser, recorded(make, Path(folder)), frames, windows)
        browser.close()
    return {"scenes": found}


def watched(browser: Any, url: str, frames: int, windows: int) -> dict[str, float]:
    """What a page costs."""
    tab = browser.new_page(viewport=SIZE)
    tab.set_default_timeout(PATIENCE)
    tab.goto(url)
    shown = "() => window.bunraku?.ready && bunraku.skins.every(({ shown }) => shown)"
    until(tab, shown)
    tools = tab.context.new_cdp_session(tab)
    tools.send("Performance.setTimeDomain", {"timeDomain": "threadTicks"})
    tools.send("Performance.enable")

    def now() -> tuple[int, float]:
        values = {m["name"]: m["value"] for m in tools.send("Performance.getMetrics")["metrics"]}
        return tab.evaluate("bunraku.drawn"), values["ScriptDuration"]

    best = float("inf")
    after(tab, WARM * frames)
    for _ in range(windows):
        drawn, spent = now()
        after(tab, frames)
        later, more = now()
        best = min(best, 1000.0 * (more - spent) / (later - drawn))
    cost = tab.evaluate("bunraku.cost")
    tab.close()
    return {"script_ms": best, "calls": cost["calls"], "triangles": cost["triangles"]}


def after(tab: Any, frames: int) -> None:
    """Wait for so many frames to be drawn."""
    until(tab, f"() => bunraku.drawn >= {tab.evaluate('bunraku.drawn') + frames}")


def until(tab: Any, condition: str) -> None:
    """Wait for a condition; asked seldom, as asking is scripting, too."""
    for _ in range(PATIENCE // 250):
        if tab.evaluate(condition):
            return
        tab.wait_for_timeout(250)
    raise BunrakuError(f"bench page: it never came so far: {condition}")


def two_figures() -> Any:
    """Ann and Ben, pushed a little."""
    import bunraku as bk

    world = bk.World()
    world.add_ground()
    for name, y in (("ann", 0.0), ("ben", 0.8)):
        figure = world.add(bk.human(), name=name, at=(0, y, 0.901))
        figure.servo(2000.0, 60.0)
        world.push(figure["trunk"], [60.0, 0.0, 0.0], 0.1)
    return world


def boxes() -> Any:
    """A hundred of them, dropped onto the ground."""
    import bunraku as bk

    world = bk.World()
    world.add_ground()
    for k in range(100):
        world.add(bk.box((0.2, 0.2, 0.2), 1.0), at=(0.3 * (k % 10), 0.3 * (k // 10), 0.1 + 0.002 * (k % 7)))
    return world


def recorded(make: Callable[[], Any], folder: Path) -> str:
    """The address of a page of one file that plays again and again, 60 frames a second."""
    import bunraku as bk

    world = make()
    name = make.__name__
    with world.record(folder / f"{name}.bkr"):
        world.run(3.0)
    with bk.Recording.open(folder / f"{name}.bkr") as recording:
        bk.page(recording, folder / f"{name}.html", loop=True, fps=60.0)
    return (folder / f"{name}.html").as_uri()


SCENES: dict[str, Callable[[], Any]] = {"two figures": two_figures, "a hundred boxes": boxes}
