"""What the gait commands share: finding and solving a gait, and putting results where the user wants them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from bunraku.cli.common import progress_bar
from bunraku.errors import InputError
from bunraku.files import keep_inputs, read_text, write_bytes, write_text
from bunraku.gait1988.library import GAITS, library_gait
from bunraku.gait1988.pattern import Gait
from bunraku.gait1988.zmp import Zmp

if TYPE_CHECKING:
    from bunraku.gait1988.solved_walk import Walk

Start = tuple[float, float, float, float]


GaitName = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="GAIT")]
View = Literal["right", "left", "top", "front", "oblique"]
FROM_ABOVE = tyro.conf.arg(name="")  # --case, not --which.case


@dataclass(frozen=True)
class Which:
    """Which gait: options of every command."""

    case: str | None = None
    """ZMP case I-V of the flat or usual gait."""
    zmp: str | None = None
    """a ZMP of your own, UNTIL:X,UNTIL:X… in s and m ahead of the foot's centre, e.g. 0.2:-0.02,1.0:0."""
    bidyn: Path | None = None
    """BIDYN cards that belong to GAIT cards."""

    def load(self, gait: str, *outputs: Path | None, forms: tuple[str, ...] = ()) -> Gait:
        """A gait of the library by name, a TOML file, or cards of GAIT (with those of BIDYN beside or given). outputs:
        the files that will be written, which must not be those; forms: the endings of their names, where these say in
        what form they are written."""
        files = gait_files(gait, self.bidyn)
        if self.bidyn is not None and self.bidyn not in files:
            raise InputError(f"--bidyn {self.bidyn} has no effect on {gait!r}, only on cards of GAIT; leave it out.")
        keep_inputs(files, outputs)
        for out in outputs if forms else ():
            if out is not None and out.suffix.lower() not in forms:
                raise InputError(f"{out}: no such form; the name must end in {' or '.join(forms)}.")
        found = find_gait(gait, self.case, self.bidyn)
        return found if self.zmp is None else replace(found, zmp=zmp_of(self.zmp))

    def load_moma(self, gait: str, moma: Path, out: Path | None, forms: tuple[str, ...]) -> Gait:
        """The legs of a gait with MOMA's cards, for which cards of GAIT need none of BIDYN."""
        from bunraku.gait1988.cards import read_dynamics_cards, with_moma

        cards = gait not in GAITS and Path(gait).suffix.lower() not in ("", ".toml")
        keep_inputs([moma], [out])
        legs = replace(self, bidyn=moma if cards else None).load(gait, out, forms=forms)
        return with_moma(legs, read_dynamics_cards(read_text(moma), str(moma), one_start=True))


@dataclass(frozen=True)
class Walking(Which):
    """How it is walked."""

    mode: Literal["exact", "historical"] = "exact"
    """exact (needs no start) or historical (the report's own iteration, errors included)."""
    arms_free: bool = False
    """let shoulders and elbows swing (mode exact)."""

    def walk(
        self,
        gait: str,
        out: Path | None,
        forms: tuple[str, ...] = (),
        *,
        samples: int = 41,
        start: Start | None = None,
    ) -> Walk:
        """Solve, with progress; out: the file that will be written, in one of the forms."""
        import numpy as np

        from bunraku.gait1988.solved_walk import sample_times, solve_walk

        what, state = self.load(gait, out, forms=forms), None
        sample_times(what, samples)
        if start is not None:
            state = np.array(start)
            if self.arms_free:  # they begin hanging
                state = np.zeros(12)
                state[[0, 1, 6, 7]] = start
        with progress_bar(8, f"solving {what.name}") as update:
            return solve_walk(
                what,
                self.mode,
                arms_free=self.arms_free,
                samples=samples,
                start=state,
                progress=lambda number, gap: update(number, f"solving {what.name}: gap {gap:.1e}"),
            )


@dataclass(frozen=True)
class Solving(Walking):
    """How a walk is found."""

    start: Start | None = None
    """theta psi theta' psi' to start from [rad, rad/s]."""
    samples: int = 41
    """rows over the step (mode exact)."""

    def solved(self, gait: str, out: Path | None, forms: tuple[str, ...]) -> Walk:
        """The walk."""
        return self.walk(gait, out, forms, samples=self.samples, start=self.start)


WhichOptions = Annotated[Which, FROM_ABOVE]
WalkingOptions = Annotated[Walking, FROM_ABOVE]
SolvingOptions = Annotated[Solving, FROM_ABOVE]


def gait_files(gait: str, bidyn: Path | None) -> list[Path]:
    """The files that a gait is read from."""
    path = Path(gait)
    if gait in GAITS or not gait:
        return []
    return [path] if path.suffix.lower() == ".toml" else [path, bidyn or path.with_suffix(".bidyn")]


def zmp_of(text: str) -> Zmp:
    """A ZMP written as UNTIL:X,UNTIL:X… (s, m ahead of the foot's centre)."""
    until, x = [], []
    for piece in text.split(","):
        time, _, place = piece.partition(":")
        try:
            until.append(float(time))
            x.append(float(place))
        except ValueError:
            raise InputError(f"--zmp: found {piece!r}, wanted UNTIL:X in s and m, e.g. 0.2:-0.02,1.0:0.") from None
    return Zmp(tuple(until), tuple(x), "own")


def find_gait(gait: str, case: str | None, bidyn: Path | None) -> Gait:
    """See `Which.load`."""
    if gait in GAITS:
        return library_gait(gait, case)
    path = Path(gait)
    if gait and not path.suffix and not path.exists():
        return library_gait(gait, case)  # explains which names there are
    if case is not None:
        raise InputError(f"--case belongs to the library's flat and usual gaits; {gait} brings its own ZMP.")
    text = read_text(path)
    if path.suffix.lower() == ".toml":
        from bunraku.gait1988.gaitfile import read_gait_toml

        return read_gait_toml(text, str(path))
    from bunraku.gait1988.cards import read_dynamics_cards, read_gait_cards, to_gait

    front = read_gait_cards(text, str(path))
    second = bidyn if bidyn is not None else path.with_suffix(".bidyn")
    if bidyn is None and not second.exists():
        raise InputError(
            f"{path}: the cards of GAIT need those of BIDYN (ZMP, starts); give --bidyn FILE or put {second.name} "
            "beside."
        )
    return to_gait(front, read_dynamics_cards(read_text(second), str(second)), path.stem)


def deliver(out: Path | None, makers: dict[str, Callable[[], str | bytes]], default: str) -> None:
    """Print the default form, or write the form that the suffix of `out` names."""
    if out is None:
        content = makers[default]()
        assert isinstance(content, str)
        print(content, end="" if content.endswith("\n") else "\n")
        return
    wrote(out, makers[out.suffix.lower()]())


def wrote(path: Path, content: str | bytes) -> None:
    """Write a file and say so."""
    path = write_text(path, content) if isinstance(content, str) else write_bytes(path, content)
    print(f"wrote {path}", file=sys.stderr)


def table(rows: list[tuple[str, ...]], head: tuple[str, ...]) -> str:
    """A small text table: first column left, others right."""
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]

    def line(row: tuple[str, ...]) -> str:
        return "  ".join(
            cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths))
        ).rstrip()

    return "\n".join([line(head), "  ".join("-" * w for w in widths), *(line(row) for row in rows)])
