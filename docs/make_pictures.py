"""Makes the pictures of README and documents: walks, the live page, the replay page, the stage, a strobe picture,
and Fig. 2 of Yamane & Nakamura 2002.
Needs Chromium and `pip install playwright`, but for --figure2 and --walk.

python docs/make_pictures.py [FOLDER]
python docs/make_pictures.py --figure2
python docs/make_pictures.py --stage
python docs/make_pictures.py --walk
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import bunraku as bk

FLAGS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--no-first-run",
]


def wait(page, condition: str) -> None:
    """Until the page says so, for a minute at the most."""
    end = time.monotonic() + 60
    while not page.evaluate(f"!!({condition})"):
        if time.monotonic() > end:
            raise SystemExit(f"the page never came so far: {condition}")
        page.wait_for_timeout(50)


def bunraku(*arguments: str) -> None:
    """A command of Bunraku; the script ends if it fails."""
    subprocess.run([sys.executable, "-m", "bunraku", *arguments], check=True)


def small(source: Path, target: Path, most: int = 400_000) -> None:
    """A copy of a picture; smaller where its file would have more than `most` bytes."""
    from PIL import Image

    shutil.copy(source, target)
    if target.stat().st_size > most:
        picture = Image.open(source).convert("RGB")
        picture.resize((4 * picture.width // 5, 4 * picture.height // 5)).save(target, optimize=True)


def walks(folder: Path) -> None:
    """Ten steps, and stairs on rubber feet."""
    with tempfile.TemporaryDirectory() as scratch:
        bunraku("walk", "--out", f"{scratch}/walk")
        bunraku("walk", "--terrain", "stairs 5 of 0.15 m", "--bushes", "--out", f"{scratch}/stairs")
        for name, source in (
            ("walk_strobe", "walk/strobe"),
            ("walk_forces", "walk/forces"),
            ("walk_stairs", "stairs/strobe"),
        ):
            small(Path(scratch, f"{source}.png"), folder / f"{name}.png")


def figure2(folder: Path) -> None:
    """The left hand dragged down by 30 cm (Yamane & Nakamura 2002, Fig. 2): with dynamics, by kinematics alone."""
    from bunraku.draw.picture import png_bytes
    from bunraku.draw.render import camera_for, render
    from bunraku.draw.world_pictures import world_scene

    halves, camera = [], None
    for options in ({"balance": False}, {"dynamics": False}):
        c = bk.Choreography(**options)
        drag = c.drag("left_hand")
        start, states = drag.target.copy(), [c.world.q.copy()]
        for k in range(50):
            drag.to(start - [0.0, 0.0, 0.3 * (k + 1) / 50])
            c.run(0.02)
            if k in (24, 49):
                states.append(c.world.q.copy())
        scene = world_scene(c.world, states, "front")
        camera = camera or camera_for(scene, "front", 480 / 640)
        halves.append(render(scene, camera, 480, 640))
    (folder / "figure2.png").write_bytes(png_bytes(np.hstack(halves)))


def stage(browser, folder: Path) -> None:
    """The stage while a hand is dragged by the mouse, the other hand pinned up, a foot with its whole pose."""
    c = bk.Choreography()
    with c.stage(browser=False, title="human on the stage") as view:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(view.url)
        wait(page, "window.bunraku && window.bunraku.ready && window.bunraku.stage && window.bunraku.time > 0.2")
        page.get_by_test_id("follow").uncheck()
        box = page.get_by_test_id("canvas").bounding_box()

        def pixel(point) -> tuple[float, float]:
            u, v = page.evaluate("p => bunraku.project(...p)", [float(x) for x in point])
            return box["x"] + u, box["y"] + v

        with view.lock:
            c.pin("left_foot", axes="pose")
            hold = c.drag("left_hand")
            reach = hold.target.copy()
        for k in range(40):  # as a hand would, not at once
            with view.lock:
                hold.to(reach + (k + 1) / 40 * np.array([-0.05, 0.45, 0.55]))
            page.wait_for_timeout(30)
        wait(page, "bunraku.stage.items.some(i => i.kind === 'drag' && i.metres < 0.02)")
        with view.lock:
            hold.release()
            c.pin("left_hand")
            hand = c.figure.pose("right_hand")[0].copy()
        x, y = pixel(hand)
        page.mouse.move(x, y)
        page.mouse.down()
        for k in range(12):
            page.mouse.move(x - 9 * k, y - 20 * k)
            page.wait_for_timeout(40)
        wait(page, "bunraku.stage.items.every(i => i.metres < 0.1) && bunraku.stage.holder === bunraku.number")
        page.wait_for_timeout(1500)
        page.screenshot(path=folder / "stage.png")
        page.mouse.up()


def main() -> None:
    """All pictures; with --figure2 or --walk those alone, which need no browser; with --stage that one."""
    if "--walk" in sys.argv:
        walks(Path(__file__).parent / "pictures")
        return
    if "--figure2" in sys.argv:
        figure2(Path(__file__).parent / "pictures")
        return
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if "--stage" in sys.argv:
        with sync_playwright() as playwright:
            stage(playwright.chromium.launch(executable_path=chromium, args=FLAGS), Path(__file__).parent / "pictures")
        return
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "pictures")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)

        world = bk.World(dt=1e-3)
        world.add_ground(friction=0.8)
        fig = world.add(bk.human(), at=(0, 0, 0.901))
        world.add(bk.box((0.3, 0.2, 0.2), 5.0), at=(0.6, 0.4, 0.4))
        fig.servo(2000.0, 60.0)
        view = world.view(browser=False)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(view.url)
        wait(page, "window.bunraku && window.bunraku.time > 2 && window.bunraku.arrows > 0")
        page.screenshot(path=folder / "live.png")
        view.close()

        run, html = Path(scratch, "bar.bkr"), Path(scratch, "bar.html")
        bunraku("record", "bar", "--out", str(run))
        bunraku("export", str(run), "--to", "html", "--out", str(html))
        bunraku("export", str(run), "--to", "png", "--out", str(folder / "strobe.png"))
        page = browser.new_page(viewport={"width": 1280, "height": 720}, color_scheme="dark")
        page.goto(html.as_uri())
        wait(page, "window.bunraku && window.bunraku.ready && window.bunraku.frames > 10")
        page.keyboard.press("Space")
        wait(page, "window.bunraku.time > 0.3")
        page.keyboard.press("Space")
        page.screenshot(path=folder / "replay.png")
        stage(browser, folder)
        browser.close()
    figure2(folder)
    walks(folder)
    print(f"pictures in {folder}")


if __name__ == "__main__":
    main()
