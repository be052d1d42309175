"""A browser for the tests of the viewer's page: Debian's Chromium driven by Playwright, drawing in software.

Where there is none, the tests are skipped and say why; with CI=true in the environment they fail. `open_page` gives a
page that notes its errors and every address it asks for; `until` polls a condition of the page (with Playwright's
evaluate, which works under the page's strict Content-Security-Policy where its own polling does not).
"""

import io
import os
import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

FLAGS = (
    *("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--no-first-run"),
    "--disable-gpu-rasterization",  # Debian asks for it; without a GPU it draws a page's texts slower than the processor
    "--disable-features=BackForwardCache",  # what a page left behind ends there and then
)
# of the checkout: an installed package holds the built page alone
PAGE_SOURCES = Path(__file__).parents[1] / "src" / "bunraku" / "viewer" / "page"
PATIENCE = float(os.environ.get("BUNRAKU_PATIENCE", "300"))  # s until a condition counts as never met


def missing(sentence):
    """Skip, or fail in CI, where everything must be there."""
    if os.environ.get("CI", "").lower() in ("", "0", "false"):
        pytest.skip(sentence)
    pytest.fail(sentence)


def find_chromium():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    return missing("no Chromium found: the viewer's page cannot be tested; run `apt-get install -y chromium`.")


@pytest.fixture(scope="module")
def browser():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright is not installed: the viewer's page cannot be tested; run `pip install playwright`.")
    program = find_chromium()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        chromium.spare = []
        yield chromium
        chromium.close()


def open_page(
    browser, url, *, width=1280, height=720, theme="light", clock=False, motion="reduce", own=False, **options
):
    """A page at a size; the camera goes at once where it should be unless `motion` is "no-preference". Others
    (has_touch, locale …) are options of Playwright's browser.new_page. A page that was closed is taken again, empty and
    forgetful, which spares the browser a third of the work, unless it has such options or it is to be its `own`: for
    scripts of its own, or a server that waits until nobody is connected."""
    own = own or clock or bool(options)
    page = None if own or not browser.spare else browser.spare.pop()
    if page is None:
        page = new_page(browser, own, color_scheme=theme, reduced_motion=motion, **options)
    page.emulate_media(color_scheme=theme, reduced_motion=motion)
    page.set_viewport_size({"width": width, "height": height})
    page.faults, page.asked, page.refused = [], [], []
    if clock:
        page.clock.install(time=0)
    page.goto(url)
    return page


def new_page(browser, own, **options):
    """A page that notes what goes wrong; not its own, it is emptied and kept where it would be closed."""
    page = browser.new_page(**options)
    page.set_default_timeout(1000 * PATIENCE)
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("console", lambda message: page.faults.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("requestfailed", lambda request: page.refused.append(f"{request.url}: {request.failure}"))

    def keep():
        page.mouse.move(0, 0)
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
        page.goto("about:blank")
        browser.spare.append(page)

    if not own:
        page.close = keep
    return page


def until(page, condition):
    """Wait until a JavaScript expression is true; its last value is in the failure."""
    end = time.monotonic() + PATIENCE
    while not page.evaluate(f"!!({condition})"):
        if time.monotonic() > end:
            state = page.evaluate(
                "Object.fromEntries(Object.entries(window.bunraku ?? {}).filter(([k, v]) => !(v instanceof Function)))"
            )
            pytest.fail(f"never true: {condition}; the page says {state}, faults {getattr(page, 'faults', '')}")
        page.wait_for_timeout(20)


def pixels(page, test_id="canvas"):
    """The element as drawn, an array (height, width, 3)."""
    return np.asarray(Image.open(io.BytesIO(page.get_by_test_id(test_id).screenshot())).convert("RGB")).astype(int)


def near(picture, color, within=40):
    """How many pixels have about this colour (0xrrggbb)."""
    wanted = np.array([color >> 16, color >> 8 & 255, color & 255])
    return int(np.sum(np.max(np.abs(picture - wanted), axis=-1) <= within))
