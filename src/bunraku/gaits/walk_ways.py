"""`bk.walk`: a figure walks in the physical world, in one call, as a person does or with care.

    done = walk(speed=1.3)                                              # ten steps, from standing to standing
    done = walk(bk.human(1.8, 73, body="1996"), "walk 5 m at 0.8 m/s", path="walk.bkr")
    done.fell, done.report.speed

gait "natural": steps from mechanics (gaits.gait_library) that are kept up on the figure's sensors (gaits.natural_walk), at
0.3 to 1.8 m/s; for figures of `human`. gait "careful": footsteps anywhere, stairs, slopes, sideways, backwards, any humanoid
(bunraku.walking.walk). Natural where a speed is given, careful else. Checked in tests/gaits/test_walk_ways.py.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, overload

from bunraku.control.bushes import Bushes
from bunraku.control.stabiliser import Gains
from bunraku.errors import InputError
from bunraku.gaits.natural_walk import NaturalWalk, height_of
from bunraku.gaits.natural_words import legs_of
from bunraku.humanoid.held_load import Load
from bunraku.humanoid.parts import Humanoid, humanoid
from bunraku.model.model import Model
from bunraku.recording.reader import Recording
from bunraku.walking.terrain import Terrain
from bunraku.walking.walk import TEN, Pace, Progress, Steps, Walk, Walked, in_words, silent
from bunraku.walking.walk import walk as careful_walk
from bunraku.walking.walk_push import Push, push_of
from bunraku.walking.walk_report import walk_report

SPEED = 1.3  # m/s: people's comfortable speed (Bohannon 1997), of a figure of 1.7 m
FALLING = 1.0  # s recorded after a fall
WAYS = ("natural", "careful")


class NaturalWalked(Walked[NaturalWalk]):
    """A natural walk that was done."""

    @property
    def planned_steps(self) -> int:
        """How many steps were planned."""
        return len(self.walker.planned)

    @property
    def planned_metres(self) -> float:
        """How far they go along their way [m]."""
        return self.walker.planned_metres


@overload
def walk(
    figure: Humanoid | Model | str | None = None,
    footsteps: Steps | None = None,
    *,
    speed: float,
    gait: Literal["natural"] | None = None,
    bushes: bool | Bushes = False,
    contact: str = "pgs",
    pushes: Sequence[Push | str] = (),
    seed: int = 0,
    path: str | Path | None = None,
    title: str | None = None,
    progress: Progress | None = None,
) -> NaturalWalked: ...
@overload
def walk(
    figure: Humanoid | Model | str | None = None,
    footsteps: Steps | None = None,
    *,
    gait: Literal["natural"],
    speed: float | None = None,
    bushes: bool | Bushes = False,
    contact: str = "pgs",
    pushes: Sequence[Push | str] = (),
    seed: int = 0,
    path: str | Path | None = None,
    title: str | None = None,
    progress: Progress | None = None,
) -> NaturalWalked: ...
@overload
def walk(
    figure: Humanoid | Model | str | None = None,
    footsteps: Steps | None = None,
    *,
    gait: Literal["careful"] | None = None,
    terrain: str | Terrain | None = None,
    pace: Pace | None = None,
    carry: str | Load | None = None,
    bushes: bool | Bushes = False,
    stabiliser: bool | Gains | None = None,
    servo: Literal["pd", "velocity", "position"] | None = None,
    contact: str = "pgs",
    sweeps: int | None = None,
    integrator: Literal["euler", "rk4"] | None = None,
    pushes: Sequence[Push | str] = (),
    seed: int = 0,
    path: str | Path | None = None,
    title: str | None = None,
    progress: Progress | None = None,
) -> Walk: ...
def walk(
    figure: Humanoid | Model | str | None = None,
    footsteps: Steps | None = None,
    *,
    gait: Literal["natural", "careful"] | None = None,
    speed: float | None = None,
    terrain: str | Terrain | None = None,
    pace: Pace | None = None,
    carry: str | Load | None = None,
    bushes: bool | Bushes = False,
    stabiliser: bool | Gains | None = None,
    servo: Literal["pd", "velocity", "position"] | None = None,
    contact: str = "pgs",
    sweeps: int | None = None,
    integrator: Literal["euler", "rk4"] | None = None,
    pushes: Sequence[Push | str] = (),
    seed: int = 0,
    path: str | Path | None = None,
    title: str | None = None,
    progress: Progress | None = None,
) -> Walk | NaturalWalked:
    """Plan a walk and do it in a physical world of its own.

    figure: the human figure by default. footsteps: words, e.g. "walk 5 m at 0.8 m/s, turn 90 degrees" (natural) or "walk 2 m,
    two steps back slowly" (careful), a TOML file or a list (careful); "ten steps" by default. gait: natural or careful;
    speed [m/s]: of a natural walk, 0.3 to 1.8 for a figure of 1.7 m, where the words do not say it. bushes: rubber
    between ankles and feet. contact: of the World. pushes: on the trunk, e.g. "300@2.5:left", 300 N at 2.5 s. seed: of the
    sensors' noise. path: where the recording stays; without one it lives as long as `recording` is open. progress(what,
    share): told how far it is. terrain, pace, carry, stabiliser, servo, sweeps, integrator: of a careful walk
    (bunraku.walking.walk).
    """
    careful: dict[str, Any] = {
        "terrain": terrain, "pace": pace, "carry": carry, "stabiliser": stabiliser, "servo": servo, "sweeps": sweeps,
        "integrator": integrator,
    }  # fmt: skip
    given = {name: x for name, x in careful.items() if x is not None}
    if gait is not None and gait not in WAYS:
        raise InputError(f"walk: there is no gait {gait!r}; say natural or careful.")
    if not (gait == "natural" or (gait is None and says_speed(footsteps, speed))):
        if speed is not None:
            raise InputError("walk: a careful walk has a pace (slowly, usual, briskly), no speed; leave the speed out.")
        return careful_walk(
            figure, footsteps, bushes=bushes, contact=contact, pushes=pushes, seed=seed, path=path, title=title,
            progress=progress, **given,
        )  # fmt: skip
    if given:
        raise InputError(f"walk: {next(iter(given))} is of careful walks; a natural one has a speed.")
    tell = progress or silent
    tell("plan", 0.0)
    walker = natural_walker(figure, footsteps, speed, bushes=bushes, contact=contact, seed=seed)
    blows = sorted((p if isinstance(p, Push) else push_of(p) for p in pushes), key=lambda p: p.time)
    if blows and blows[-1].time > walker.duration:
        raise InputError(f"push at {blows[-1].time:g} s is after the walk, which takes {walker.duration:.1f} s.")
    said = title or f"{walker.rigid.name}: {in_words(footsteps, None)}"
    if path is not None:
        return done(walker, Path(path), blows, said, tell)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # an open file outlives its name
        return done(walker, Path(folder) / "walk.bkr", blows, said, tell)


def says_speed(footsteps: Steps | None, speed: float | None) -> bool:
    """Whether a walk is asked for by its speed."""
    return speed is not None or (isinstance(footsteps, str) and "m/s" in footsteps)


def natural_walker(
    figure: Humanoid | Model | str | None, footsteps: Steps | None, speed: float | None = None, **options: Any
) -> NaturalWalk:
    """The walker of a natural walk, before its first step."""
    if footsteps is not None and (not isinstance(footsteps, str) or footsteps.endswith(".toml")):
        raise InputError("walk: single footsteps are walked with gait careful; say a natural walk in words.")
    model = None if figure is None else figure.model if isinstance(figure, Humanoid) else humanoid(figure).model
    height = height_of(model)
    usual = SPEED * (height / 1.7) ** 0.5 if speed is None else speed
    return NaturalWalk(model, legs_of(TEN if footsteps is None else footsteps, usual, height), **options)


def done(walker: NaturalWalk, path: Path, pushes: Sequence[Push], title: str, tell: Progress) -> NaturalWalked:
    """Let it walk to its end or its fall, recorded into a file, and report on it."""
    world, end = walker.world, walker.duration
    tell("prepare", 0.0)
    with world.record(path, title=title, meta={"view": "oblique"}):
        walker.run(0.02)
        begin, real = world.time, time.perf_counter()
        told = lambda _: tell("simulate", min(world.time / end, 1.0))  # noqa: E731
        for p in pushes:
            if walker.fell is None and p.time > world.time:
                walker.run(p.time - world.time, progress=told)
            if walker.fell is None:
                world.push(walker.figure[walker.humanoid.trunk], p.along(walker.heading), p.seconds)
        if walker.fell is None:
            walker.run(end - world.time, progress=told)
        factor = (world.time - begin) / max(time.perf_counter() - real, 1e-9)
        if walker.fell is not None:
            world.run(FALLING)
    tell("report", 0.0)
    recording = Recording.open(path)
    try:
        driven = {j.name for j in walker.rigid.joints}
        report = walk_report(recording, walker.humanoid, driven=driven)
    except BaseException:
        recording.close()
        raise
    return NaturalWalked(walker, recording, report, factor)
