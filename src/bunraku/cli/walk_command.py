"""`bunraku walk`: a figure walks in the physical world: plan, simulate, report; film, pictures, plots, recording and a
page that plays by itself.

Without arguments the human figure takes ten steps. Footsteps (words or a TOML file) become a walking pattern
(bunraku.walking.walking_pattern), a Walker (bunraku.walking.walker) plays it by servos or with the stabiliser, its
recording is reported on (bunraku.walking.walk_report). The 1988 program is `bunraku gait run`. What goes wrong by the
user's hand ends with one sentence and exit code 2; a fall is no mistake, it is reported.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from bunraku.cli.common import figure, print_json, progress_bar
from bunraku.errors import InputError, closest
from bunraku.files import keep_inputs

if TYPE_CHECKING:
    from bunraku.walking.walker import Walker
    from bunraku.walking.walking_pattern import WalkingPattern

DIRECTIONS = {"ahead": 0.0, "forward": 0.0, "left": 90.0, "back": 180.0, "backward": 180.0, "right": -90.0}
PUSH = re.compile(r"(?P<newtons>\d+(?:\.\d+)?)@(?P<time>\d+(?:\.\d+)?)(?::(?P<to>[a-z]+|-?\d+(?:\.\d+)?))?")
PUSH_SECONDS = 0.1
TEN = "ten steps"


@dataclass(frozen=True)
class Push:
    """A force [N] on the trunk for 0.1 s from a time [s] on; it leads `degrees` to the left of where the figure heads."""

    newtons: float
    time: float
    degrees: float


def main(
    *,
    model: str = "human",
    mapping: Path | None = None,
    footsteps: str | None = None,
    terrain: str | None = None,
    pace: Literal["slowly", "usual", "briskly"] | None = None,
    contact: str = "pgs",
    servo: Literal["pd", "velocity", "position"] = "pd",
    bushes: bool = False,
    stabiliser: bool = True,
    push: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = (),
    seed: int = 0,
    out: Path = Path("bunraku-walk"),
    pictures: bool = True,
    view: bool = False,
    browser: bool = True,
    port: int = 0,
    json: bool = False,
) -> int:
    """Make a figure walk in the physical world; prints a short table, writes a film, pictures, plots, a recording and a
    page.

    Args:
        model: human, or a URDF or MJCF file of a humanoid.
        mapping: a TOML file that says which links are its feet, hands and trunk, where that cannot be found (docs/walking.md).
        footsteps: words, e.g. "walk 2 m, turn 90 degrees, two steps back slowly", or a TOML file; "ten steps" by default.
        terrain: "stairs 5 of 0.15 m", "stairs down", "slope 5 degrees", which bring their footsteps, or "bumps 2 cm".
        pace: how fast, where the footsteps do not say: slowly (0.28 m/s for the human figure), usual (0.67 m/s) or briskly (0.73 m/s);
            "walk 2 m slowly" says it in words. Bumps are walked slowly by default, stairs and slopes always with care.
        contact: the contact model: pgs, virtual_link or penalty.
        servo: how joints follow the pattern where no stabiliser is.
        bushes: rubber between ankles and feet.
        stabiliser: keep the balance by the figure's own sensors; --no-stabiliser replays the pattern by servos alone.
        push: a force on the trunk for 0.1 s, N@SECONDS[:DIRECTION], e.g. 300@2.5:left; ahead, back, left, right or degrees to the left;
            may be given several times.
        seed: start of the random numbers of the sensors' noise.
        out: folder for the results.
        pictures: draw film, strobe picture and plots, and make the page.
        view: walk live in the browser instead, until Ctrl-C.
        browser: open the page in the browser.
        port: where the live view listens; 0 takes a free port.
        json: print the summary as JSON.
    """
    pushes = [push_of(text) for text in push]
    if seed < 0:
        raise InputError(f"--seed {seed} is not a number of 0 or more.")
    if not view:
        from bunraku.cli.walk_output import FILES

        keep_inputs([model, mapping, footsteps], [out / name for name in FILES])
    said = ", ".join(x for x in (footsteps, terrain) if x) or TEN
    options = {"contact": contact, "servo": servo, "bushes": bushes, "stabiliser": stabiliser, "seed": seed}
    seconds: dict[str, float] = {}
    with progress_bar(100, "loading (the first run compiles, two to three minutes)") as update:
        with timed(seconds, "plan"):
            pattern, ground = pattern_of(model, mapping, footsteps, terrain, pace)
        late = [p for p in pushes if p.time > pattern.duration]
        if late:
            raise InputError(f"--push at {late[0].time:g} s is after the walk, which takes {pattern.duration:.1f} s.")
        from bunraku.walking.walker import Walker

        update(60, "preparing")
        with timed(seconds, "prepare"):
            walker = Walker(pattern, terrain=ground, **options)
        if view:  # an address is given only once the figure can walk: the first step compiles
            start = walker.world.snapshot()
            walker.world.step(1)
            walker.world.restore(start)
    if view:
        return live(walker, pushes, browser=browser, port=port)
    with progress_bar(100, "walking") as update:
        with timed(seconds, "simulate"):
            factor = simulate(walker, pushes, out / "walk.bkr", title=f"{pattern.model.name}: {said}", update=update)
        from bunraku.cli.walk_output import report_of, summary_of, write

        with timed(seconds, "report"):
            report = report_of(walker, out / "walk.bkr")
        data = summary_of(report, walker, factor)
        data |= {
            "model": model,
            "footsteps": said,
            **{k: v for k, v in options.items() if k != "seed"},
            "folder": str(out),
        }
        notes = write(data, report, out, pictures, seconds, update)
    data["seconds"] = seconds
    if json:
        print_json(data)
        return 0
    from bunraku.cli.walk_output import text

    print("\n".join([*text(data), *notes]))
    return 0


@contextmanager
def timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    """Note how long something took."""
    began = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - began


def push_of(text: str) -> Push:
    """'300@2.5:left' as a Push."""
    found = PUSH.fullmatch(text.strip().lower())
    if not found:
        raise InputError(f"--push {text!r} is not N@SECONDS or N@SECONDS:DIRECTION; write e.g. 300@2.5:left.")
    to = found["to"] or "ahead"
    if to[-1].isdigit():
        degrees = float(to)
    elif to in DIRECTIONS:
        degrees = DIRECTIONS[to]
    else:
        raise InputError(
            f"--push {text!r}: there is no direction {to!r}.{closest(to, DIRECTIONS)} Or give degrees to the left."
        )
    return Push(float(found["newtons"]), float(found["time"]), degrees)


def pattern_of(
    model: str, mapping: Path | None, words: str | None, terrain: str | None = None, pace: str | None = None
) -> tuple[WalkingPattern, tuple[Any, ...]]:
    """(the walking pattern of a figure by name or file, over footsteps in words or of a file; shapes of the terrain)."""
    from bunraku.cli.walk_ground import brings_steps, terrain_of
    from bunraku.humanoid.parts import humanoid
    from bunraku.walking.footsteps import footsteps, read_footsteps
    from bunraku.walking.walking_pattern import walking_pattern

    h = humanoid(figure(model), mapping)
    if terrain is not None and brings_steps(terrain):
        if words is not None:
            raise InputError(f"--terrain {terrain!r} brings its own footsteps; leave --footsteps out.")
        if pace is not None:
            raise InputError(f"--terrain {terrain!r} is walked with care, at its own pace; leave --pace out.")
        ground = terrain_of(terrain, h, None)
        return walking_pattern(h, ground.steps, begin=ground.begin), ground.shapes
    words = TEN if words is None else words
    looks_like_file = words.endswith(".toml") or Path(words).is_file()
    free = pace or ("usual" if terrain is None else "slowly")
    steps = read_footsteps(words, h, pace=free) if looks_like_file else footsteps(words, h, pace=free)
    return walking_pattern(h, steps, pace=free), terrain_of(terrain, h, steps).shapes if terrain is not None else ()


def force_of(push: Push, pattern: WalkingPattern) -> tuple[float, float, float]:
    """The force [N] of a push in world axes: its direction counts from the planned heading at its time."""
    k = min(int(push.time / pattern.dt), len(pattern.times) - 1)
    ahead = pattern.sole_rotation[k, :, :, 0].sum(axis=0)
    angle = math.atan2(float(ahead[1]), float(ahead[0])) + math.radians(push.degrees)
    return push.newtons * math.cos(angle), push.newtons * math.sin(angle), 0.0


def simulate(walker: Walker, pushes: list[Push], path: Path, *, title: str, update: Any) -> float:
    """Walk to the end or the fall, recorded; a second of the fall is kept. Returns how many times faster than real
    time, from the first look on, as kernels compile in the very first step."""
    world, first = walker.world, []

    def progress(_: float) -> None:
        if not first:
            first.extend((world.time, time.perf_counter()))
        update(round(50 * min(world.time / walker.duration, 1.0)), "walking")

    with world.record(path, title=title, meta={"view": "oblique"}):
        for p in sorted(pushes, key=lambda p: p.time):
            if walker.fell is None and p.time > world.time:
                walker.run(seconds=p.time - world.time, progress=progress)
            if walker.fell is None:
                world.push(walker.figure[walker.humanoid.trunk], force_of(p, walker.pattern), PUSH_SECONDS)
        if walker.fell is None:
            walker.run(progress=progress)
        if walker.fell is not None:
            world.run(1.0)
        return (world.time - first[0]) / max(time.perf_counter() - first[1], 1e-9) if first else 0.0


def live(walker: Walker, pushes: list[Push], *, browser: bool, port: int) -> int:
    """Walk in the browser, in real time."""
    from bunraku.cli.page_options import own_token, stay
    from bunraku.viewer.view import view_world

    half = 0.5 * walker.world.dt

    def push_now(world: Any) -> None:
        for p in pushes:
            if -half <= world.time - p.time < half:
                world.push(walker.figure[walker.humanoid.trunk], force_of(p, walker.pattern), PUSH_SECONDS)

    if pushes:
        walker.world.add_controller(push_now)
    return stay(
        view_world(walker.world, title=f"{walker.model.name} walks", browser=browser, port=port, token=own_token())
    )
