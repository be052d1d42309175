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
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from bunraku.cli.common import ContactName, check_seed, check_sweeps, figure, idle, print_json, progress_bar
from bunraku.files import keep_inputs, keep_results, note_results
from bunraku.kernel.needed import prepare

if TYPE_CHECKING:
    from bunraku.control.bushes import Bushes
    from bunraku.gaits.natural_walk import NaturalWalk
    from bunraku.walking.walk_push import Push
    from bunraku.walking.walker import Walker
    from bunraku.world.world import World

OUT = Path("bunraku-walk")
LOADING = "loading"
SHARES = {"plan": (0, 60, LOADING), "prepare": (60, 100, "preparing"), "simulate": (0, 50, "walking")}


@dataclass(frozen=True)
class Rubber:
    """Stiffness and damping of the bushes of one foot; what is not given follows from the figure's weight."""

    bush_stiffness: float | None = None
    """of the bushes, vertical [N/m]; by default the figure's weight on one foot sinks by 2 mm."""
    bush_turning_stiffness: float | None = None
    """of the bushes, pitch and roll [N m/rad]; by default 2 m g h."""
    bush_damping: float | None = None
    """of the bushes, vertical [N s/m]."""
    bush_turning_damping: float | None = None
    """of the bushes, pitch and roll [N m s/rad]."""

    def bushes(self, wanted: bool) -> bool | Bushes:
        """The bushes of a walk."""
        given = {name: x for name, x in vars(self).items() if x is not None}
        if not given:
            return wanted
        if not wanted:
            idle("has no effect without --bushes", **dict.fromkeys(given, True))
        from bunraku.control.bushes import Bushes

        return Bushes(**{name.removeprefix("bush_"): x for name, x in given.items()})


RubberOptions = Annotated[Rubber, tyro.conf.arg(name="")]  # --bush-stiffness


def main(
    *,
    model: str = "human",
    mapping: Path | None = None,
    footsteps: str | None = None,
    terrain: str | None = None,
    gait: Literal["natural", "careful"] | None = None,
    speed: float | None = None,
    pace: Literal["slowly", "usual", "briskly"] | None = None,
    carry: str | None = None,
    contact: ContactName = "pgs",
    sweeps: int | None = None,
    integrator: Literal["euler", "rk4"] = "euler",
    servo: Literal["pd", "velocity", "position"] = "pd",
    bushes: bool = False,
    rubber: RubberOptions = Rubber(),
    stabiliser: bool = True,
    push: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = (),
    seed: int = 0,
    out: Path = OUT,
    force: bool = False,
    pictures: bool = True,
    compare: Path | None = None,
    view: bool = False,
    browser: bool = True,
    port: int = 0,
    json: bool = False,
) -> int:
    """Make a figure walk in the physical world; prints a short table, writes a film, pictures, plots, a recording and a
    page.

    Args:
        model: human, a file of `bunraku human`, or a URDF or MJCF file of a humanoid.
        mapping: a TOML file that says which links are its feet, hands and trunk, where that cannot be found (docs/walking.md).
        footsteps: words, e.g. "walk 5 m at 0.8 m/s, turn 90 degrees, walk 3 m at 1.5 m/s" (natural), "walk 2 m, turn 90 degrees, two
            steps back slowly" or "eight steps in place" (careful), "nineteen" (19 steps in 20 s with a bend and steps backwards),
            or a TOML file; "ten steps" by default.
        terrain: "stairs 5 of 0.15 m", "stairs down", "slope 5 degrees", "stairs as a mesh", "building", which bring their footsteps, or
            "bumps 2 cm", "rough 2 cm".
        gait: natural: as people walk, by steps from mechanics (the human figure; where a speed is given or nothing else is asked);
            careful: footsteps anywhere, stairs, sideways, backwards, bumps, any humanoid.
        speed: of a natural walk, where the words do not say it: 0.3 to 1.8 m/s for a figure of 1.7 m; 1.3 by default.
        pace: of a careful walk, where the footsteps do not say: slowly (0.28 m/s for the human figure), usual (0.67 m/s) or briskly (0.73 m/s);
            "walk 2 m slowly" says it in words. Bumps are walked slowly by default, stairs and slopes always with care.
        carry: what a careful walker carries: "10kg" or "10 kg in front" (a box, both hands), "20 kg on the back", "8 kg in the left hand".
        contact: the contact model.
        sweeps: the most sweeps in a step with contact pgs_2007; 120 by default.
        integrator: euler, or rk4 (Runge-Kutta 4), with which servos and rubber are softer.
        servo: how joints follow the pattern where no stabiliser is.
        bushes: rubber between ankles and feet.
        stabiliser: keep the balance by the figure's own sensors; --no-stabiliser replays the pattern by servos alone.
        push: a force on the trunk for 0.1 s, N@SECONDS[:DIRECTION], e.g. 300@2.5:left; ahead, back, left, right or degrees to the left;
            may be given several times.
        seed: start of the random numbers of the sensors' noise.
        out: folder for the results.
        force: replace results of another figure, or of another command, in that folder.
        pictures: draw film, strobe picture and plots, and make the page.
        compare: a CSV file of a measured series, laid over the plots, e.g. with the header "time [s],left foot force [N]" (docs/walking.md).
        view: walk live in the browser instead, until Ctrl-C.
        browser: open the page in the browser.
        port: where the live view listens; 0 takes a free port.
        json: print the summary as JSON.
    """
    check_seed(seed)
    if view:
        idle(
            "has no effect with --view",
            compare=compare is not None,
            out=out != OUT,
            force=force,
            no_pictures=not pictures,
            json=json,
        )
    else:
        idle("has no effect without --view", port=port != 0, no_browser=not browser)
        from bunraku.cli.walk_output import FILES

        keep_inputs([model, mapping, footsteps, compare], [out / name for name in FILES])
        keep_results(out, FILES, f"walk {Path(model).stem}", force)
    if stabiliser:
        idle("has no effect with the stabiliser, which --no-stabiliser takes away", servo=servo != "pd")
    if not pictures:
        idle("has no effect without pictures", compare=compare is not None)
    soles = rubber.bushes(bushes)
    check_sweeps(sweeps, contact)
    seconds: dict[str, float] = {}
    with progress_bar(100, LOADING) as update:
        from bunraku.humanoid.parts import humanoid
        from bunraku.walking.carrying import carrying, said
        from bunraku.walking.walk import check_plan, in_words, walk
        from bunraku.walking.walk_push import push_of
        from bunraku.world.contact_models import check, sweeps_of

        check(contact, integrator)
        sweeps_of(contact, sweeps)
        pushes = [push_of(words) for words in push]
        if carry is not None:
            said(carry)
        careful = {
            "mapping": mapping is not None,
            "terrain": terrain is not None,
            "pace": pace is not None,
            "carry": carry is not None,
            "sweeps": sweeps is not None,
            "integrator": integrator != "euler",
            "no_stabiliser": not stabiliser,
        }
        if is_natural(model, footsteps, gait, speed, any(careful.values())):
            idle("is of careful walks, not of natural ones", **careful)
            if view:
                from bunraku.gaits.walk_ways import natural_walker

                body = None if model == "human" else figure(model)
                walker = natural_walker(body, footsteps, speed, contact=contact, bushes=soles, seed=seed)
                return live(walker.world, walker, lambda p: p.along(walker.heading), pushes, browser=browser, port=port)
            return natural(
                model, footsteps, speed, contact, soles, pushes, seed, Output(out, force, pictures, compare, json)
            )
        if speed is not None:
            idle("is of natural walks; careful ones have a pace", speed=True)
        check_plan(footsteps, terrain, pace)
        body = figure(model)
        measured = None
        if compare is not None:
            from bunraku.formats.measured import read_measured

            measured = read_measured(compare, body)
        h = humanoid(body, mapping)
        options = {
            "contact": contact,
            "integrator": integrator,
            "servo": servo,
            "bushes": bushes,
            "stabiliser": stabiliser,
        }
        how = {**options, "sweeps": sweeps, "bushes": soles, "seed": seed}
        if view:
            from bunraku.walking.walk import planned
            from bunraku.walking.walker import Walker

            pattern, ground = planned(h if carry is None else carrying(h, carry), footsteps, terrain, pace)
            walker = Walker(pattern, terrain=ground, **how)
            return live(walker.world, walker, lambda p: p.force(pattern), pushes, browser=browser, port=port)
        clock = Clock(seconds, update)
        prepare("walk", contact)
        done = walk(
            h, footsteps, terrain=terrain, pace=pace, carry=carry, pushes=pushes, path=out / "walk.bkr", progress=clock, **how,
        )  # fmt: skip
        clock.stop()
        from bunraku.cli.walk_output import Looks, summary_of, text, write

        note_results(out, f"walk {Path(model).stem}")
        data = summary_of(done)
        data |= {"model": model, "footsteps": in_words(footsteps, terrain, carry), **options, "folder": str(out)}
        with done.recording as recording:
            notes = write(data, done.report, recording, out, Looks(pictures, measured), seconds, update)
    data["seconds"] = seconds
    if json:
        print_json(data)
        return 0
    print("\n".join([*text(data), *notes]))
    return 0


@dataclass(frozen=True)
class Output:
    """What a walk leaves behind."""

    folder: Path
    force: bool
    pictures: bool
    compare: Path | None
    json: bool


def is_natural(model: str, footsteps: str | None, gait: str | None, speed: float | None, careful: bool) -> bool:
    """Whether it walks as people do: where that or a speed is asked for, or nothing at all."""
    if gait is not None:
        return gait == "natural"
    if speed is not None or (footsteps is not None and "m/s" in footsteps):
        return True
    return model == "human" and footsteps is None and not careful


def natural(
    model: str,
    footsteps: str | None,
    speed: float | None,
    contact: str,
    bushes: bool | Bushes,
    pushes: list[Push],
    seed: int,
    to: Output,
) -> int:
    """Walk as people do."""
    from bunraku.cli.walk_output import Looks, summary_of, text, write
    from bunraku.gaits.walk_ways import walk

    seconds: dict[str, float] = {}
    with progress_bar(100, LOADING) as update:
        body = None if model == "human" else figure(model)
        measured = None
        if to.compare is not None:
            from bunraku.formats.measured import read_measured
            from bunraku.gaits.natural_walk import default_figure

            measured = read_measured(to.compare, body or default_figure())
        clock = Clock(seconds, update)
        done = walk(
            body, footsteps, gait="natural", speed=speed, contact=contact, bushes=bushes, pushes=pushes, seed=seed,
            path=to.folder / "walk.bkr", progress=clock,
        )  # fmt: skip
        clock.stop()
        note_results(to.folder, f"walk {Path(model).stem}")
        data = summary_of(done)
        data |= {"model": model, "footsteps": footsteps or "ten steps", "gait": "natural", "contact": contact}
        data |= {"planned_m": done.planned_metres}
        data |= {
            "bushes": bool(bushes),
            "stabiliser": True,
            "servo": "pd",
            "integrator": "euler",
            "folder": str(to.folder),
        }
        with done.recording as recording:
            notes = write(data, done.report, recording, to.folder, Looks(to.pictures, measured), seconds, update)
    data["seconds"] = seconds
    if to.json:
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
    world: World,
    walker: Walker | NaturalWalk,
    force: Callable[[Push], tuple[float, float, float]],
    pushes: list[Push],
    *,
    browser: bool,
    port: int,
) -> int:
    """Walk in the browser, in real time."""
    from bunraku.cli.page_options import own_token, stay
    from bunraku.viewer.view import view_world

    start = world.snapshot()  # an address is given only once the figure can walk: the first step compiles
    world.step(1)
    world.restore(start)
    half = 0.5 * world.dt

    def push_now(_: Any) -> None:
        for p in pushes:
            if -half <= world.time - p.time < half:
                world.push(walker.figure[walker.humanoid.trunk], force(p), p.seconds)

    if pushes:
        world.add_controller(push_now)
    title = f"{walker.model.name} walks"
    return stay(view_world(world, title=title, browser=browser, port=port, token=own_token(), wait=True))
