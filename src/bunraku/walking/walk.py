"""Walk: a figure walks in the physical world, in one call: plan, simulate, record, report.

    done = walk(bk.human(), "walk 2 m, turn 90 degrees", bushes=True, pushes=["60@2.0:left"], path="walk.bkr")
    done.fell, done.report.distance, done.report.speed, done.recording.zmp

Footsteps in words, of a file or in a list become a walking pattern (bunraku.walking.walking_pattern), a Walker
(bunraku.walking.walker) plays it by servos or with the stabiliser, its recording is reported on
(bunraku.walking.walk_report). A walk that falls is no error: `fell` says when, and a second of the fall is recorded.
`bunraku walk` is this with a film, plots and a page. Units SI. Checked in tests/walking/test_walk.py.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar

from bunraku.control.bushes import Bushes
from bunraku.control.stabiliser import Gains
from bunraku.errors import InputError
from bunraku.humanoid.held_load import Load
from bunraku.humanoid.parts import Humanoid, humanoid
from bunraku.model.model import Model
from bunraku.recording.reader import Recording
from bunraku.walking.carrying import carrying
from bunraku.walking.footsteps import Footstep, footsteps, read_footsteps, steps_in
from bunraku.walking.load_report import load_report
from bunraku.walking.nineteen_steps import nineteen_steps
from bunraku.walking.step_words import parts_of
from bunraku.walking.terrain import Terrain
from bunraku.walking.terrain_words import brings_steps, check_terrain, terrain
from bunraku.walking.walk_push import Push, push_of
from bunraku.walking.walk_report import WalkReport, walk_report
from bunraku.walking.walker import Walker
from bunraku.walking.walking_pattern import WalkingPattern, walking_pattern
from bunraku.world.figure import Figure
from bunraku.world.world import World

TEN, NINETEEN = "ten steps", "nineteen"
FALLING = 1.0  # s recorded after a fall
Steps = str | Path | Sequence[Footstep]
Pace = Literal["slowly", "usual", "briskly"]
Progress = Callable[[str, float], None]


class WalkerOf(Protocol):
    """What the two kinds of walkers have in common."""

    world: World
    figure: Figure

    @property
    def fell(self) -> float | None: ...


W = TypeVar("W", bound=WalkerOf)


@dataclass(frozen=True, eq=False)
class Walked(Generic[W]):
    """A walk that was done: the walker as it stands at the end, the recording of it all, the report on it, and how many
    times faster than real time it was simulated."""

    walker: W
    recording: Recording
    report: WalkReport
    real_time_factor: float

    @property
    def world(self) -> World:
        """The world as it stands at the end; it can be stepped on."""
        return self.walker.world

    @property
    def figure(self) -> Figure:
        """The figure in that world."""
        return self.walker.figure

    @property
    def fell(self) -> float | None:
        """When it fell [s]; None where it did not."""
        return self.walker.fell

    def __repr__(self) -> str:
        end = "upright" if self.fell is None else f"fell at {self.fell:.2f} s"
        r = self.report
        return f"<Walk of {r.figure!r}: {len(r.landings)} steps, {r.distance:.2f} m at {r.speed:.2f} m/s, {end}>"


class Walk(Walked[Walker]):
    """A walk over footsteps that was done."""

    @property
    def pattern(self) -> WalkingPattern:
        """What was planned."""
        return self.walker.pattern

    @property
    def planned_steps(self) -> int:
        """How many footsteps were planned."""
        return len(self.pattern.steps)

    @property
    def load(self) -> dict[str, Any] | None:
        """What it carried and what that changed (bunraku.walking.load_report); None where it carried nothing."""
        return None if self.walker.holding is None else load_report(self.walker, self.report)


def walk(
    figure: Humanoid | Model | str | None = None,
    footsteps: Steps | None = None,
    *,
    terrain: str | Terrain | None = None,
    pace: Pace | None = None,
    carry: str | Load | None = None,
    bushes: bool | Bushes = False,
    stabiliser: bool | Gains = True,
    servo: Literal["pd", "velocity", "position"] = "pd",
    contact: str = "pgs",
    sweeps: int | None = None,
    integrator: Literal["euler", "rk4"] = "euler",
    pushes: Sequence[Push | str] = (),
    seed: int = 0,
    path: str | Path | None = None,
    title: str | None = None,
    progress: Progress | None = None,
) -> Walk:
    """Plan a walk and do it in a physical world of its own.

    figure: human() by default. footsteps: words, e.g. "walk 2 m, turn 90 degrees, two steps back slowly", a TOML file,
    a list, or "nineteen", the walk of 19 steps in 20 s (bunraku.walking.nineteen_steps); "ten steps" by default.
    terrain: words, "stairs 5 of 0.15 m", "slope 5 degrees", which bring their
    footsteps, "stairs as a mesh", or "bumps 2 cm", "rough 2 cm". pace: where the footsteps do not say it. carry: "10 kg",
    "20 kg on the back", "8 kg in the left hand", or a Load. bushes: rubber between ankles and feet.
    stabiliser: keep the balance by the figure's own sensors; without it `servo` replays the pattern. contact,
    sweeps, integrator: of the World. pushes: on the trunk, e.g. "300@2.5:left", 300 N at 2.5 s. seed: of the sensors' noise.
    path: where the recording stays; without one it lives as long as `recording` is open. progress(what, share): told
    how far it is with "plan", "prepare", "simulate" and "report".
    """
    tell = progress or silent
    blows = [p if isinstance(p, Push) else push_of(p) for p in pushes]
    h = humanoid("human" if figure is None else figure)
    tell("plan", 0.0)
    h = h if carry is None else carrying(h, carry)
    pattern, ground = planned(h, footsteps, terrain, pace)
    late = [p for p in blows if p.time > pattern.duration]
    if late:
        raise InputError(f"push at {late[0].time:g} s is after the walk, which takes {pattern.duration:.1f} s.")
    tell("prepare", 0.0)
    walker = Walker(
        pattern, contact=contact, sweeps=sweeps, integrator=integrator, servo=servo, bushes=bushes,
        stabiliser=stabiliser, terrain=ground, seed=seed,
    )  # fmt: skip
    said = title or f"{pattern.model.name}: {in_words(footsteps, terrain, carry)}"
    if path is not None:
        return walked(walker, path, pushes=blows, title=said, progress=tell)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # an open file outlives its name
        return walked(walker, Path(folder) / "walk.bkr", pushes=blows, title=said, progress=tell)


def silent(what: str, share: float) -> None:
    """Nobody is told how far it is."""


def in_words(footsteps: Steps | None, terrain: str | Terrain | None, carry: str | Load | None = None) -> str:
    """What was asked for, for titles and tables."""
    if footsteps is not None and not isinstance(footsteps, str | Path):
        footsteps = f"{len(footsteps)} footsteps"
    words = [str(footsteps or ""), terrain if isinstance(terrain, str) else "" if terrain is None else "a terrain"]
    with_it = "" if carry is None else f" with {carry if isinstance(carry, str) else carry.thing.name}"
    return (", ".join(x for x in words if x) or TEN) + with_it


def planned(
    h: Humanoid, steps: Steps | None, ground: str | Terrain | None = None, pace: Pace | None = None
) -> tuple[WalkingPattern, Terrain | None]:
    """(the walking pattern over footsteps, the terrain under them); see `walk`."""
    check_plan(steps, ground, pace)
    if ground is not None and (isinstance(ground, Terrain) or brings_steps(ground)):
        known = ground if isinstance(ground, Terrain) else terrain(ground, h)
        return walking_pattern(h, known.steps, begin=known.begin), known
    if steps == NINETEEN:
        pattern = nineteen_steps(h)
        if ground is None:
            return pattern, None
        known = terrain(ground, h, pattern.steps)
        return (pattern if known.steps == tuple(pattern.steps) else nineteen_steps(h, known.steps)), known
    wanted = TEN if steps is None else steps
    usual = pace or ("usual" if ground is None else "slowly")
    if isinstance(wanted, Path) or (isinstance(wanted, str) and is_file(wanted)):
        found = read_footsteps(wanted, h, pace=usual)
    else:
        found = footsteps(wanted, h, pace=usual)
    if ground is None:
        return walking_pattern(h, found, pace=usual), None
    known = terrain(ground, h, found)
    return walking_pattern(h, known.steps, pace=usual), known


def check_plan(steps: Steps | None, ground: str | Terrain | None, pace: Pace | None) -> None:
    """InputError for a walk that no figure understands; asked before one is made ready."""
    if isinstance(ground, str):
        check_terrain(ground)
    if ground is not None and (isinstance(ground, Terrain) or brings_steps(ground)):
        name = repr(ground) if isinstance(ground, str) else "given"
        if steps is not None:
            raise InputError(f"terrain {name} brings its own footsteps; leave the footsteps out.")
        if pace is not None:
            raise InputError(f"terrain {name} is walked with care, at its own pace; leave the pace out.")
    if steps == NINETEEN:
        if pace is not None:
            raise InputError(f"footsteps {NINETEEN!r} have times of their own, 20 s in all; leave the pace out.")
    elif isinstance(steps, Path) or (isinstance(steps, str) and is_file(steps)):
        steps_in(steps)
    elif isinstance(steps, str):
        parts_of(steps)


def is_file(words: str) -> bool:
    """Whether footsteps name a file."""
    return words.endswith(".toml") or (bool(words) and Path(words).exists())


def walked(
    walker: Walker,
    path: str | Path,
    *,
    pushes: Sequence[Push] = (),
    title: str = "",
    progress: Progress | None = None,
) -> Walk:
    """Let a walker walk to its end or its fall, recorded into a file, and report on it."""
    tell = progress or silent
    factor = simulate(walker, path, pushes, title, tell)
    tell("report", 0.0)
    recording = Recording.open(path)
    try:
        driven = {j.name for j in walker.humanoid.model.joints}
        report = walk_report(recording, walker.humanoid, walker.pattern, driven=driven)
    except BaseException:
        recording.close()
        raise
    return Walk(walker, recording, report, factor)


def simulate(walker: Walker, path: str | Path, pushes: Sequence[Push], title: str, progress: Progress) -> float:
    """Walk, recorded; returns how many times faster than real time, from the first look on, as kernels compile in the
    very first step."""
    world = walker.world
    first: list[float] = []

    def look(_: float) -> None:
        if not first:
            first.extend((world.time, time.perf_counter()))
        progress("simulate", min(world.time / walker.duration, 1.0))

    with world.record(path, title=title, meta={"view": "oblique"}):
        for p in sorted(pushes, key=lambda p: p.time):
            if walker.fell is None and p.time > world.time:
                walker.run(seconds=p.time - world.time, progress=look)
            if walker.fell is None:
                world.push(walker.figure[walker.humanoid.trunk], p.force(walker.pattern), p.seconds)
        if walker.fell is None:
            walker.run(progress=look)
        if walker.fell is not None:
            world.run(FALLING)
        return (world.time - first[0]) / max(time.perf_counter() - first[1], 1e-9) if first else 0.0
