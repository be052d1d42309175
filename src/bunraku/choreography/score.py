"""Scores: what is done to a figure, by time, in a TOML file that an animator can read and write; performed again it
gives the same motion.

    format = "bunraku score"
    version = 1
    model = "human"
    seconds = 3.0

    [options]                       # of Choreography: dt, contact, sweeps, integrator, balance, dynamics, priority, …
    [[pin]]
    link = "left_foot"              # point, axes, weight, at, rotation (wxyz) as in Choreography.pin
    begin = 0.0                     # s
    end = 2.5                       # s; without: it stays

    [[drag]]
    link = "right_hand"
    begin = 0.5
    end = 2.0
    path = [[0.5, 0.4, -0.3, 1.2], [1.5, 0.5, -0.3, 1.4]]   # time, x, y, z [, w, x, y, z]: the target; it stays between

    [[pose]]
    time = 0.2
    joints = { left_elbow = 0.5 }   # release = ["left_elbow"] ends it

    [[balance]]                     # [[dynamics]] and [[steps]] likewise
    time = 1.0
    on = false                      # figure = "bob": of another figure than the first; so [[walk]], [[get_up]]

    [[cast]]                        # a further figure (model, at, yaw, or start: all coordinates), or
    name = "box"                    # a thing: shape, size or radius and length, mass, at, rotation, friction, fixed
    shape = "box"
    size = [0.2, 0.2, 0.2]
    at = [0.4, -0.2, 1.0]

    [[grip]]
    link = "right_hand"
    to = "box"                      # or "bob.left_hand"
    begin = 0.6
    end = 2.4                       # axes, break_force, break_torque, reach as in Choreography.grip

`start`, all coordinates at the beginning, is written by `save` and may be left out: the figure then stands. Times are
rounded to steps; what has the same time is done in the order grips, pins, drags, poses, balance, dynamics, steps, and ends
before beginnings; grips among themselves as they were made and ended (`order`).
Checked in tests/choreography/test_score.py and tests/choreography/test_grips.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from bunraku.choreography.cast import Member, put_on_stage
from bunraku.choreography.performing import events, play
from bunraku.choreography.score_check import read_score
from bunraku.choreography.score_text import score_text
from bunraku.errors import InputError
from bunraku.files import parse_toml, read_text, write_text
from bunraku.model.rotations import quaternion

if TYPE_CHECKING:
    from bunraku.choreography.dance_options import DanceOptions
    from bunraku.choreography.dancer import Told
    from bunraku.choreography.engine import Choreography
    from bunraku.choreography.grips import Grip
    from bunraku.choreography.pins import Pin
    from bunraku.model.model import Model

BIGGEST = 64 * 2**20  # bytes


@dataclass
class Act:
    """One pin or drag of a score. `rotation` as of Choreography.pin; `path` rows: time, x, y, z [, quaternion wxyz]."""

    kind: str
    link: str
    begin: float
    end: float | None = None
    point: tuple[float, ...] = (0.0, 0.0, 0.0)
    axes: str = "xyz"
    weight: float | None = None
    at: tuple[float, ...] | None = None
    rotation: tuple[float, ...] | None = None
    path: list[tuple[float, ...]] = field(default_factory=list)
    name: str = ""


@dataclass
class GripAct:
    """One grip of a score; `order`: its beginning's and end's numbers among those of all grips."""

    link: str
    to: str
    begin: float
    end: float | None = None
    axes: str | None = None
    break_force: float = math.inf
    break_torque: float = math.inf
    reach: float | None = None
    order: tuple[int, ...] = (0, 0)
    name: str = ""


@dataclass
class Score:
    """What is done to a figure, by time: pins, drags, poses (an empty one releases), balance, dynamics, steps. A Choreography
    writes one down as it goes; `save` and `load` keep it as TOML, `Choreography.perform` does it again. Times [s],
    places [m]; docs/choreography.md."""

    model: str = "human"
    start: tuple[float, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    acts: list[Act] = field(default_factory=list)
    poses: list[tuple[float, dict[str, list[float]]]] = field(default_factory=list)
    balances: list[tuple[float, bool]] = field(default_factory=list)
    dynamics: list[tuple[float, bool]] = field(default_factory=list)
    steps: list[tuple[float, bool]] = field(default_factory=list)
    rises: list[tuple[float, bool]] = field(default_factory=list)
    get_ups: list[float] = field(default_factory=list)
    walks: list[tuple[float, tuple[float, ...], float | None]] = field(default_factory=list)
    seconds: float | None = None
    cast: list[Member] = field(default_factory=list)  # further figures, and things
    grips: list[GripAct] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)  # what other figures were told
    name: str = ""  # of the first figure, where it was given one
    source: str = "score"

    # ---- written down while it happens -----------------------------------------------------------------------------

    def begin(self, time: float, item: Pin, weight: float) -> None:
        """A pin or drag was made at a time [s]."""
        R = item.rotation if item.axes == "pose" else None
        turn = item.frame if R is None else tuple(quaternion(R).tolist())
        self.acts.append(
            Act(
                item.kind,
                item.link,
                time,
                point=tuple(item.point.tolist()),
                axes=item.axes,
                weight=weight,
                at=tuple(item.target.tolist()),
                rotation=turn,
                name=item.name,
            )
        )

    def _of(self, item: Pin) -> Act:
        return next(a for a in reversed(self.acts) if a.name == item.name)

    def move(self, time: float, item: Pin) -> None:
        """A target was moved at a time [s]."""
        row = (time, *item.target.tolist())
        if item.axes == "pose" and item.rotation is not None:
            row += tuple(quaternion(item.rotation).tolist())
        path = self._of(item).path
        if path and path[-1][0] == time:
            path.pop()
        path.append(row)

    def end(self, time: float, item: Pin) -> None:
        """A pin or drag was released at a time [s]; a move at the same time has done nothing."""
        act = self._of(item)
        act.end = time
        while act.path and act.path[-1][0] == time > act.begin:
            act.path.pop()

    def pose(self, time: float, joints: dict[str, list[float]]) -> None:
        """Joint values [rad or m] were desired at a time [s]."""
        self.poses.append((time, joints))

    def switch_dynamics(self, time: float, on: bool) -> None:
        """Dynamics was switched at a time [s]."""
        self.dynamics.append((time, on))

    def tell(self, time: float, figure: str | None, what: str, value: Any) -> None:
        """At a time [s] balance, steps or getting up by itself were switched, or it was told to get up, or to walk somewhere; figure: who,
        None the first."""
        if figure is not None:
            self.told.append((time, figure, what, value))
        elif what == "get_up":
            self.get_ups.append(time)
        elif what == "walk":
            self.walks.append((time, *value))
        else:
            {"balance": self.balances, "steps": self.steps, "rises": self.rises}[what].append((time, value))

    def grip(self, time: float, grip: Grip, reach: float) -> None:
        """A hand gripped at a time [s] what was within its reach [m]."""
        strength = {"break_force": grip.break_force, "break_torque": grip.break_torque}
        order = (self._grip_events(), 0)
        self.grips.append(
            GripAct(grip.link, grip.other, time, None, grip.axes, **strength, reach=reach, order=order, name=grip.name)
        )

    def ungrip(self, time: float, grip: Grip) -> None:
        """It let go at a time [s]."""
        act = next(a for a in reversed(self.grips) if a.name == grip.name)
        act.end, act.order = time, (act.order[0], self._grip_events())

    def _grip_events(self) -> int:
        return 1 + max((n for a in self.grips for n in a.order), default=0)

    def copied(self) -> Score:
        """A score that what is done from now on does not change."""
        acts = [replace(a, path=list(a.path)) for a in self.acts]
        return replace(
            self,
            acts=acts,
            poses=list(self.poses),
            balances=list(self.balances),
            dynamics=list(self.dynamics),
            steps=list(self.steps),
            rises=list(self.rises),
            get_ups=list(self.get_ups),
            walks=list(self.walks),
            grips=[replace(a) for a in self.grips],
            told=list(self.told),
            cast=list(self.cast),
        )

    def mark(self) -> tuple[Any, ...]:
        """Where it is now, for `cut`."""
        ends = [(a.end, len(a.path)) for a in self.acts]
        return (
            len(self.acts),
            ends,
            len(self.poses),
            len(self.balances),
            len(self.dynamics),
            len(self.steps),
            len(self.rises),
            len(self.get_ups),
            len(self.walks),
            len(self.told),
            [(a.end, a.order) for a in self.grips],
        )

    def cut(self, mark: tuple[Any, ...]) -> None:
        """Forget what was written down since `mark`."""
        del self.acts[mark[0] :], self.poses[mark[2] :], self.balances[mark[3] :], self.dynamics[mark[4] :]
        del self.steps[mark[5] :], self.rises[mark[6] :], self.get_ups[mark[7] :], self.walks[mark[8] :]
        del self.told[mark[9] :], self.grips[len(mark[10]) :]
        for grip, (end, order) in zip(self.grips, mark[10]):
            grip.end, grip.order = end, order
        for act, (end, length) in zip(self.acts, mark[1]):
            act.end = end
            del act.path[length:]

    # ---- performed -------------------------------------------------------------------------------------------------

    @property
    def length(self) -> float:
        """Seconds it takes: `seconds` where given, else until half a second after the last thing that happens."""
        if self.seconds is not None:
            return self.seconds
        times = [t for a in self.acts for t in (a.begin, a.end or 0.0, *(row[0] for row in a.path))]
        return (
            max(
                [
                    0.0,
                    *times,
                    *(t for t, _ in (*self.poses, *self.balances, *self.dynamics, *self.steps, *self.rises)),
                    *self.get_ups,
                    *(walk[0] for walk in self.walks),
                    *(told[0] for told in self.told),
                    *(t for a in self.grips for t in (a.begin, a.end or 0.0)),
                ]
            )
            + 0.5
        )

    def choreography(
        self, model: Model | None = None, *, models: Mapping[str, Model] | None = None, **options: Unpack[DanceOptions]
    ) -> Choreography:
        """A choreography at the score's beginning. model: the first figure; models: others, by name, that are not
        human()."""
        from bunraku.choreography.engine import Choreography

        if model is None and self.model != "human":
            raise InputError(f"{self.source}: its model is {self.model!r}; give the model to perform it with.")
        given = {**({"at": self.start} if self.start else {}), **self.options, **options}
        if self.name and "name" not in given:
            given["name"] = self.name
        c = Choreography(model, **given)
        put_on_stage(c, self.cast, models or {}, self.source)
        return c

    def events(self, dt: float) -> list[tuple[int, float, Any]]:
        """(step, order, what) of everything that happens in steps of dt [s], sorted."""
        return events(self, dt)

    def play(self, c: Choreography, progress: Callable[[float], None] | None = None) -> None:
        """Do all of it to a choreography from its present time on, up to `length` [s]."""
        play(self, c, progress)

    # ---- file ------------------------------------------------------------------------------------------------------

    def save(self, path: str | Path, seconds: float | None = None) -> Path:
        """Write it as TOML; seconds: its length, the present one by default."""
        write_text(Path(path), score_text(self, seconds if seconds is not None else self.seconds))
        return Path(path)

    @staticmethod
    def load(path: str | Path) -> Score:
        """Read a score; every mistake is one sentence with its place."""
        name = Path(path).name
        return read_score(parse_toml(read_text(path, BIGGEST), name), name)
