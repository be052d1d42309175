"""Makes the pictures of README and documents anew, all or those that are named, into docs/pictures:

python docs/make_pictures.py [NAME ...] [--out FOLDER]

live, replay and stage are taken in a browser: they need Chromium and `pip install playwright`. pushes draws the table
of docs/walking.md, which `bunraku bench walk --pushes` measures; lamp, swing, robot, dance and ankle are made by the blocks
of their tutorials. Checked in tests/test_pictures.py.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import bunraku as bk

HERE = Path(__file__).parent
FLAGS = [
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--no-first-run",
]
MOST = 400_000  # bytes of a file
SCREEN = {"width": 1280, "height": 720}


def bunraku(*arguments: str) -> None:
    """A command of Bunraku; the script ends if it fails."""
    subprocess.run([sys.executable, "-m", "bunraku", *arguments], check=True)


def keep(picture: Any, path: Path, width: int = 0) -> None:
    """Write a picture (an array, or bytes or the file of a PNG), at most `width` pixels wide; smaller where its file would
    have more than MOST bytes."""
    from PIL import Image

    from bunraku.draw.picture import png_bytes

    if isinstance(picture, Path):
        shutil.copy(picture, path)
    else:
        path.write_bytes(picture if isinstance(picture, bytes) else png_bytes(picture))
    if width and Image.open(path).width > width:
        image = Image.open(path).convert("RGB")
        image.resize((width, round(width * image.height / image.width))).save(path, optimize=True)
    if path.stat().st_size > MOST:
        image = Image.open(path).convert("RGB")
        image.resize((4 * image.width // 5, 4 * image.height // 5)).save(path, optimize=True)


def walk(folder: Path) -> None:
    """The walk of README: strobe picture, loads of the feet."""
    with tempfile.TemporaryDirectory() as scratch:
        bunraku("walk", "--out", f"{scratch}/walk")
        keep(Path(scratch, "walk/strobe.png"), folder / "walk_strobe.png")
        keep(Path(scratch, "walk/forces.png"), folder / "walk_forces.png")


def stairs(folder: Path) -> None:
    """Five stairs on rubber feet."""
    with tempfile.TemporaryDirectory() as scratch:
        bunraku("walk", "--terrain", "stairs 5 of 0.15 m", "--bushes", "--out", f"{scratch}/stairs")
        keep(Path(scratch, "stairs/strobe.png"), folder / "walk_stairs.png")


def carry(folder: Path) -> None:
    """Two walkers with a plank."""
    two = bk.abreast([bk.human(), bk.human()], 20.0, "walk 3 m")
    with tempfile.TemporaryDirectory() as scratch:
        with two.world.record(Path(scratch, "carry.bkr")):
            two.run()
        keep(bk.picture(bk.Recording.open(Path(scratch, "carry.bkr")), most=3), folder / "carry.png", 900)


def film(folder: Path) -> None:
    """Four steps as a film."""
    with tempfile.TemporaryDirectory() as scratch:
        bunraku("walk", "--footsteps", "four steps", "--out", f"{scratch}/walk")
        size = ("--fps", "10", "--width", "400", "--height", "225", "--view", "right")
        bunraku("film", f"{scratch}/walk/walk.bkr", "--out", str(folder / "walk.gif"), *size)


def walk_1988(folder: Path) -> None:
    """The usual walk in the report's own style."""
    style = ("--style", "stick", "--view", "right", "--azimuth", "-70", "--end", "2", "--interval", "0.25")
    with tempfile.TemporaryDirectory() as scratch:
        bunraku("gait", "draw", "usual", *style, "--out", f"{scratch}/walk.png")
        keep(Path(scratch, "walk.png"), folder / "walk-1988.png", 800)


def of_a_page(page: str, file: str, name: str) -> Callable[[Path], None]:
    """A picture that the blocks of a page make, typed from top to bottom in an empty folder."""

    def take(folder: Path) -> None:
        text = (HERE / page).read_text(encoding="utf-8")
        blocks = re.findall(r"^```(python|bash)\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
        folder, names = folder.resolve(), {}
        with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
            for language, code in blocks:
                if language == "bash":
                    path = f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}"
                    subprocess.run(["bash", "-euc", code], check=True, env={**os.environ, "PATH": path})
                else:
                    exec(compile(code, page, "exec"), names)
            keep(Path(file), folder / f"{name}.png", 800)

    return take


def pushes(folder: Path) -> None:
    """The table of docs/walking.md as a plot."""
    from bunraku.draw.walk_plots import push_plot

    lines = (HERE / "walking.md").read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("| | 0°"))
    cells = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines[first : first + 6]]
    degrees = [float(cell.rstrip("°")) for cell in cells[0][:-1]]
    table = {row[0]: [float(x) for x in row[1:-1]] for row in cells[2:]}
    keep(push_plot(table, degrees, "human: largest push survived"), folder / "walk_pushes.png")


def figure2(folder: Path) -> None:
    """The left hand dragged down by 30 cm (Yamane & Nakamura 2002, Fig. 2): with dynamics, by kinematics alone."""
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
        picture, camera = drawn(c, states, "front", (480, 640), camera)
        halves.append(picture)
    keep(np.hstack(halves), folder / "figure2.png")


def steps(folder: Path) -> None:
    """Pushed ahead: a quick step, feet together again. A hand dragged 1.2 m to the left: steps after it."""
    pushed = bk.Choreography()
    pushed.run(0.1)
    mass = bk.human().mass
    pushed.world.push(pushed.figure["trunk"], [0.75 * mass / 0.1, 0.0, 0.0], 0.1)
    dragged = bk.Choreography()
    hold = dragged.drag("left_hand")
    start = hold.target.copy()

    def pull(seconds: float) -> None:
        hold.to(start + np.array([0.0, 1.2, 0.1]) * min(seconds / 1.5, 1.0))

    rows = [
        row(pushed, (0.0, 0.35, 0.6, 0.9, 1.4, 3.0), lambda seconds: None),
        row(dragged, (0.0, 0.8, 1.5, 2.2, 3.0, 4.5), pull),
    ]
    keep(np.vstack(rows), folder / "steps.png")


def getting_up(folder: Path) -> None:
    """It has fallen onto its back, rolls over and gets up."""
    c = bk.Choreography(rises=False, steps=False)
    c.run(0.2)
    c.world.push(c.figure["trunk"], (bk.human().mass / 0.1 * np.array([-1.6, -0.3, 0.0])).tolist(), 0.1)
    c.run(0.3)
    c.balance = False  # limbs give way
    c.run(3.0)
    c.balance = c.steps = True
    c.get_up()
    states = [c.world.q.copy()]
    while (c.rising or c.report.state != "standing") and c.world.time < 25.0:
        c.run(0.1)
        states.append(c.world.q.copy())
    c.run(1.0)
    states.append(c.world.q.copy())
    picks = np.linspace(0, len(states) - 1, 12).round().astype(int)
    tiles = tiles_of(c, [in_the_middle(c, states[i]) for i in picks], (230, 200), 120.0)
    keep(np.vstack([np.hstack(tiles[:6]), np.hstack(tiles[6:])]), folder / "getting-up.png")


def in_the_middle(c: bk.Choreography, q: np.ndarray) -> np.ndarray:
    """The same state with the figure's centre of mass above the origin."""
    out = q.copy()
    root = c.figure.part.q.start
    out[root : root + 2] -= bk.centre_of_mass(c.figure.model, out[c.figure.part.q])[:2]
    return out


def row(c: bk.Choreography, times: Sequence[float], each: Callable[[float], None]) -> np.ndarray:
    """Pictures of a figure at these times [s] after now, side by side; `each` is asked every fiftieth of a second."""
    states, begun = [], c.world.time
    for end in times:
        while c.world.time - begun < end - 1e-6:
            each(c.world.time - begun)
            c.run(0.02)
        states.append(c.world.q.copy())
    return np.hstack(tiles_of(c, states))


def tiles_of(
    c: bk.Choreography, states: list[np.ndarray], size: tuple[int, int] = (240, 300), azimuth: float | None = None
) -> list[np.ndarray]:
    """Each state in a picture of its own, all by one camera; azimuth [degrees]: where from."""
    from bunraku.draw.render import camera_for
    from bunraku.draw.world_pictures import world_scene

    camera = camera_for(world_scene(c.world, states, "oblique"), "oblique", size[0] / size[1], azimuth)
    return [drawn(c, [q], "oblique", size, camera)[0] for q in states]


def drawn(
    c: bk.Choreography, states: list[np.ndarray], view: str, size: tuple[int, int], camera: Any
) -> tuple[np.ndarray, Any]:
    """A strobe picture of states, and the camera that took it."""
    from bunraku.draw.render import camera_for, render
    from bunraku.draw.world_pictures import world_scene

    scene = world_scene(c.world, states, view)
    camera = camera or camera_for(scene, view, size[0] / size[1])
    return np.asarray(render(scene, camera, *size)), camera


def filtered(folder: Path) -> None:
    """A noisy walk, filtered (docs/motion-generation.md): strobe picture, ground reaction and zero-moment point."""
    from bunraku.draw.filtered import plot_filtered
    from bunraku.formats.bvh_motion import from_motion, to_motion

    human = bk.human()
    captured = from_motion(bk.walk_motion(human, 6, length=0.4))
    place = np.array([c.endswith("position") for j in captured.joints for c in j.channels])
    captured.values[:] += np.random.default_rng(7).normal(size=captured.values.shape) * np.where(place, 0.5, 1.0)
    done = bk.dynamics_filter(bk.retarget(to_motion(captured), human))
    print(done.text())
    keep(plot_filtered(done), folder / "ground_reaction.png")
    with tempfile.TemporaryDirectory() as scratch, bk.Recording.open(done.solved.save(Path(scratch, "w.bkr"))) as r:
        bk.picture(r, folder / "filtered_walk.png", view="oblique", width=1280, height=560, most=8)


def sweeps(folder: Path) -> None:
    """The published iteration beside ours."""
    bk.sweep_plot(folder / "sweeps.png")


def strobe(folder: Path) -> None:
    """A swing on a bar and its end on the floor."""
    with tempfile.TemporaryDirectory() as scratch:
        bunraku("record", "bar", "--out", f"{scratch}/bar.bkr")
        bunraku("export", f"{scratch}/bar.bkr", "--to", "png", "--out", str(folder / "strobe.png"))


def wait(page: Any, condition: str) -> None:
    """Until the page says so, for five minutes at the most."""
    end = time.monotonic() + 300
    while not page.evaluate(f"!!({condition})"):
        if time.monotonic() > end:
            raise SystemExit(f"the page never came so far: {condition}")
        page.wait_for_timeout(50)


def in_browser(take: Callable[[Any, Path], None], folder: Path) -> None:
    """A picture that is taken in a browser."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        take(browser, folder)
        browser.close()


def live(browser: Any, folder: Path) -> None:
    """A figure on its feet and a box, live."""
    world = bk.World(dt=1e-3)
    world.add_ground(friction=0.8)
    fig = world.add(bk.human(), at=(0, 0, 0.901))
    world.add(bk.box((0.3, 0.2, 0.2), 5.0), at=(0.6, 0.4, 0.4))
    fig.servo(2000.0, 60.0)
    with world.view(browser=False) as view:
        page = browser.new_page(viewport=SCREEN)
        page.goto(view.url)
        wait(page, "window.bunraku?.time > 2 && bunraku.arrows > 0 && bunraku.skins.every(({ shown }) => shown)")
        page.screenshot(path=folder / "live.png")


def replay(browser: Any, folder: Path) -> None:
    """The swing in a page of one file, dark."""
    with tempfile.TemporaryDirectory() as scratch:
        run, html = Path(scratch, "bar.bkr"), Path(scratch, "bar.html")
        bunraku("record", "bar", "--out", str(run))
        bunraku("export", str(run), "--to", "html", "--out", str(html))
        page = browser.new_page(viewport=SCREEN, color_scheme="dark", reduced_motion="reduce")
        page.goto(html.as_uri())
        wait(page, "window.bunraku?.ready && bunraku.frames > 10 && bunraku.skins.every(({ shown }) => shown)")
        for _ in range(11):
            page.keyboard.press("ArrowRight")  # a sixtieth of a second, or the next frame
        wait(page, "bunraku.time > 0.3")
        page.wait_for_timeout(1500)
        page.screenshot(path=folder / "replay.png")


def stage(browser: Any, folder: Path) -> None:
    """The stage while a hand is dragged by the mouse, the other hand pinned up, a foot with its whole pose."""
    c = bk.Choreography(steps=False)
    with c.stage(browser=False, title="human on the stage") as view:
        page = browser.new_page(viewport=SCREEN)
        page.goto(view.url)
        wait(page, "window.bunraku?.ready && bunraku.stage && bunraku.time > 0.2")
        wait(page, "bunraku.skins.every(({ shown }) => shown)")
        page.get_by_test_id("follow").uncheck()
        box = page.get_by_test_id("canvas").bounding_box()

        def pixel(point: np.ndarray) -> tuple[float, float]:
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


PICTURES: dict[str, tuple[Callable[[Path], None], tuple[str, ...]]] = {
    "walk": (walk, ("walk_strobe", "walk_forces")),
    "stairs": (stairs, ("walk_stairs",)),
    "carry": (carry, ("carry",)),
    "pushes": (pushes, ("walk_pushes",)),
    "figure2": (figure2, ("figure2",)),
    "steps": (steps, ("steps",)),
    "getting-up": (getting_up, ("getting-up",)),
    "filtered": (filtered, ("filtered_walk", "ground_reaction")),
    "sweeps": (sweeps, ("sweeps",)),
    "strobe": (strobe, ("strobe",)),
    "live": (lambda folder: in_browser(live, folder), ("live",)),
    "replay": (lambda folder: in_browser(replay, folder), ("replay",)),
    "stage": (lambda folder: in_browser(stage, folder), ("stage",)),
    "film": (film, ("walk",)),
    "walk-1988": (walk_1988, ("walk-1988",)),
    "lamp": (of_a_page("tutorials/articulated.md", "lamp.png", "lamp"), ("lamp",)),
    "swing": (of_a_page("tutorials/connections.md", "swing.png", "swing"), ("swing",)),
    "robot": (of_a_page("tutorials/roboticist.md", "robot.png", "robot"), ("robot",)),
    "dance": (of_a_page("tutorials/choreography.md", "dance/strobe.png", "dance"), ("dance",)),
    "ankle": (of_a_page("tutorials/biomechanist.md", "ankle.png", "ankle"), ("ankle",)),
}
"""What makes pictures, and their names."""


def main(arguments: Sequence[str]) -> None:
    """The pictures that are named, or all."""
    names = list(arguments)
    folder = HERE / "pictures"
    if "--out" in names:
        k = names.index("--out")
        folder = Path(names[k + 1])
        del names[k : k + 2]
    if unknown := [name for name in names if name not in PICTURES]:
        raise SystemExit(f"no picture is called {unknown[0]!r}; there are {', '.join(PICTURES)}")
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or PICTURES:
        print(f"{name} …", flush=True)
        PICTURES[name][0](folder)
    print(f"pictures in {folder}")


if __name__ == "__main__":
    main(sys.argv[1:])
