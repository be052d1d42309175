"""`bunraku walk`: a figure walks in the physical world: plan, simulate, report; film, pictures, plots, recording and a
page that plays by itself.

Without arguments the human figure takes ten steps. The walk itself is bunraku.walking.walk; this adds what people look
at. The 1988 program is `bunraku gait run`. What goes wrong by the user's hand ends with one sentence and exit code 2; a
fall is no mistake, it is reported.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from bunraku.cli.common import check_seed, figure, idle, print_json, progress_bar
from bunraku.files import keep_inputs, keep_results, note_results

if TYPE_CHECKING:
    from bunraku.humanoid.parts import Humanoid
    from bunraku.walking.walk_push import Push

OUT = Path("bunraku-walk")
LOADING = "loading"
SHARES = {"plan": (0, 60, LOADING), "prepare": (60, 100, "preparing"), "simulate": (0, 50, "walking")}


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
    out: Path = OUT,
    force: bool = False,
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
        contact: the contact model, e.g. pgs, virtual_link or penalty.
        servo: how joints follow the pattern where no stabiliser is.
        bushes: rubber between ankles and feet.
        stabiliser: keep the balance by the figure's own sensors; --no-stabiliser replays the pattern by servos alone.
        push: a force on the trunk for 0.1 s, N@SECONDS[:DIRECTION], e.g. 300@2.5:left; ahead, back, left, right or degrees to the left;
            may be given several times.
        seed: start of the random numbers of the sensors' noise.
        out: folder for the results.
        force: replace results of another figure, or of another command, in that folder.
        pictures: draw film, strobe picture and plots, and make the page.
        view: walk live in the browser instead, until Ctrl-C.
        browser: open the page in the browser.
        port: where the live view listens; 0 takes a free port.
        json: print the summary as JSON.
    """
    check_seed(seed)
    if view:
        idle("has no effect with --view", out=out != OUT, force=force, no_pictures=not pictures, json=json)
    else:
        idle("has no effect without --view", port=port != 0, no_browser=not browser)
        from bunraku.cli.walk_output import FILES

        keep_inputs([model, mapping, footsteps], [out / name for name in FILES])
        keep_results(out, FILES, f"walk {Path(model).stem}", force)
    if stabiliser:
        idle("has no effect with the stabiliser, which --no-stabiliser takes away", servo=servo != "pd")
    seconds: dict[str, float] = {}
    with progress_bar(100, LOADING) as update:
        from bunraku.humanoid.parts import humanoid
        from bunraku.walking.walk import check_plan, in_words, walk
        from bunraku.walking.walk_push import push_of
        from bunraku.world.contact_models import check

        check(contact, "euler")
        check_plan(footsteps, terrain, pace)
        pushes = [push_of(words) for words in push]
        h = humanoid(figure(model), mapping)
        options = {"contact": contact, "servo": servo, "bushes": bushes, "stabiliser": stabiliser}
        if view:
            return live(h, footsteps, terrain, pace, pushes, {**options, "seed": seed}, browser=browser, port=port)
        clock = Clock(seconds, update)
        done = walk(
            h, footsteps, terrain=terrain, pace=pace, pushes=pushes, seed=seed, path=out / "walk.bkr", progress=clock,
            **options,
        )  # fmt: skip
        clock.stop()
        from bunraku.cli.walk_output import summary_of, text, write

        note_results(out, f"walk {Path(model).stem}")
        data = summary_of(done)
        data |= {"model": model, "footsteps": in_words(footsteps, terrain), **options, "folder": str(out)}
        with done.recording as recording:
            notes = write(data, done.report, recording, out, pictures, seconds, update)
    data["seconds"] = seconds
    if json:
        print_json(data)
        return 0
    print("\n".join([*text(data), *notes]))
    return 0


class Clock:
    """Shows how far a walk is, and notes how long each of its parts took [s]."""

    def __init__(self, seconds: dict[str, float], update: Callable[..., None]) -> None:
        self.seconds, self.update = seconds, update
        self.part, self.began = "", time.perf_counter()

    def __call__(self, part: str, share: float) -> None:
        if part != self.part:
            self.stop()
            self.part = part
        if part in SHARES:
            begin, end, text = SHARES[part]
            self.update(round(begin + share * (end - begin)), text)

    def stop(self) -> None:
        """The present part ends."""
        now = time.perf_counter()
        if self.part:
            self.seconds[self.part] = now - self.began
        self.part, self.began = "", now


@contextmanager
def timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    """Note how long something took."""
    began = time.perf_counter()
    yield
    seconds[name] = time.perf_counter() - began


def live(
    h: Humanoid,
    footsteps: str | None,
    terrain: str | None,
    pace: Any,
    pushes: list[Push],
    options: dict[str, Any],
    *,
    browser: bool,
    port: int,
) -> int:
    """Walk in the browser, in real time."""
    from bunraku.cli.page_options import own_token, stay
    from bunraku.viewer.view import view_world
    from bunraku.walking.walk import planned
    from bunraku.walking.walker import Walker

    pattern, ground = planned(h, footsteps, terrain, pace)
    walker = Walker(pattern, terrain=ground, **options)
    start = walker.world.snapshot()  # an address is given only once the figure can walk: the first step compiles
    walker.world.step(1)
    walker.world.restore(start)
    half = 0.5 * walker.world.dt

    def push_now(world: Any) -> None:
        for p in pushes:
            if -half <= world.time - p.time < half:
                world.push(walker.figure[walker.humanoid.trunk], p.force(pattern), p.seconds)

    if pushes:
        walker.world.add_controller(push_now)
    return stay(
        view_world(walker.world, title=f"{walker.model.name} walks", browser=browser, port=port, token=own_token())
    )
