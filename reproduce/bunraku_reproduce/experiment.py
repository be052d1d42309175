"""A part of a document – an experiment, figure, table or group of claims – and what it writes: rows and pictures.

A row has what the document says, what we get, and a verdict: "good" within the tolerance, "differs" where a reason says
why not, "open" for what Bunraku does not do yet. `bunraku_reproduce` explains how parts are written. Checked in
tests/reproduce/test_experiment.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

Verdict = Literal["good", "differs", "open", "failed"]
Value = float | str | None
BUSY = "Times are measured while the part runs: other work on the machine can spoil them; run it again on an idle one."
"""The reason where a time is not as it should be."""


@dataclass(frozen=True)
class Row:
    """One value or claim of a document beside ours."""

    key: str
    """unique in the document; what comes before "/" groups rows"""
    place: str
    """section, equation, figure or table of the document"""
    claim: str
    """what is printed there, in words"""
    printed: Value
    ours: Value
    difference: float | None = None
    tolerance: float | None = None
    """how far ours may be from the printed value"""
    unit: str = ""
    verdict: Verdict = "failed"
    reason: str = ""
    """where we differ, why; where it is open, what it waits for"""


@dataclass(frozen=True)
class Picture:
    """A picture of ours beside a description of the printed one."""

    data: bytes
    """PNG or GIF"""
    caption: str

    @property
    def kind(self) -> str:
        """Its media type."""
        return "image/gif" if self.data[:3] == b"GIF" else "image/png"


@dataclass(frozen=True)
class Part:
    """A function that does one experiment, with what the page says about it."""

    title: str
    section: str
    """of the document"""
    run: Callable[[Experiment], None]
    figures: tuple[str, ...] = ()
    """numbers of printed figures that it makes"""
    tables: tuple[str, ...] = ()
    how: str = ""
    """the command or Python that makes it"""
    printed: str = ""
    """what the document shows there"""

    @property
    def name(self) -> str:
        """Its function's name: an anchor of the page."""
        return self.run.__name__

    @property
    def place(self) -> str:
        """Where it stands in the document."""
        names = [f"section {self.section}"] if self.section else []
        return ", ".join(names + [f"Fig. {f}" for f in self.figures] + [f"Table {t}" for t in self.tables])


def part(
    title: str, *, section: str = "", figure: str = "", table: str = "", how: str = "", printed: str = ""
) -> Callable[[Callable[[Experiment], None]], Part]:
    """Make a part of a function. figure, table: numbers, several with commas."""

    def make(run: Callable[[Experiment], None]) -> Part:
        return Part(title, section, run, _listed(figure), _listed(table), how, printed)

    return make


def _listed(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


@dataclass
class Experiment:
    """What a part writes to, and what its user gave."""

    clip: Path | None = None
    """a captured motion of the user's"""
    seed: int = 0
    rows: list[Row] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)

    def equal(
        self,
        key: str,
        place: str,
        claim: str,
        printed: float,
        ours: float,
        *,
        tolerance: float,
        unit: str = "",
        reason: str = "",
    ) -> None:
        """A printed number and ours."""
        off = float(ours) - float(printed)
        row = Row(key, place, claim, float(printed), float(ours), off, tolerance, unit)
        self._judge(row, abs(off) <= tolerance, reason)

    def zero(
        self, key: str, place: str, claim: str, ours: float, *, tolerance: float, unit: str = "", reason: str = ""
    ) -> None:
        """An equation of the document: ours is how far its two sides are apart."""
        off = float(ours)
        row = Row(key, place, claim, "both sides equal", off, off, tolerance, unit)
        self._judge(row, abs(off) <= tolerance, reason)

    def at_most(
        self, key: str, place: str, claim: str, printed: float, ours: float, *, unit: str = "", reason: str = ""
    ) -> None:
        """A printed bound that ours must not be above."""
        row = Row(key, place, claim, f"≤ {printed:g}", float(ours), float(ours) - printed, None, unit)
        self._judge(row, ours <= printed, reason)

    def at_least(
        self, key: str, place: str, claim: str, printed: float, ours: float, *, unit: str = "", reason: str = ""
    ) -> None:
        """A printed bound that ours must not be below."""
        row = Row(key, place, claim, f"≥ {printed:g}", float(ours), float(ours) - printed, None, unit)
        self._judge(row, ours >= printed, reason)

    def table(
        self,
        key: str,
        place: str,
        claim: str,
        printed: Any,
        ours: Any,
        *,
        tolerance: float,
        unit: str = "",
        reason: str = "",
    ) -> None:
        """Many printed numbers in one row: the one that is farthest off is shown. What is illegible is NaN."""
        theirs, mine = np.asarray(printed, float).ravel(), np.asarray(ours, float).ravel()
        if theirs.shape != mine.shape:
            raise ValueError(f"{key}: {theirs.size} printed values and {mine.size} of ours")
        known = np.isfinite(theirs)
        if not known.any():
            raise ValueError(f"{key}: no printed value is legible")
        off = np.where(known, mine - theirs, 0.0)
        k = int(np.argmax(np.where(np.isnan(off), np.inf, np.abs(off))))
        claim = f"{claim} ({int(known.sum())} values, the farthest off)"
        row = Row(key, place, claim, float(theirs[k]), float(mine[k]), float(off[k]), tolerance, unit)
        self._judge(row, bool(abs(off[k]) <= tolerance), reason)

    def holds(self, key: str, place: str, claim: str, ours: str, ok: bool, *, reason: str = "") -> None:
        """A claim in words. ours: what we found; ok: whether the claim holds there."""
        self._judge(Row(key, place, claim, None, ours), bool(ok), reason)

    def waits(self, key: str, place: str, claim: str, what: str) -> None:
        """What Bunraku does not do yet. what: what has to come first."""
        self._add(Row(key, place, claim, None, None, verdict="open", reason=what))

    def picture(self, data: bytes, caption: str) -> None:
        """A PNG or GIF. caption: what the printed one shows, and what ours does."""
        self.pictures.append(Picture(data, caption))

    def _judge(self, row: Row, ok: bool, reason: str) -> None:
        verdict: Verdict = "good" if ok else "differs" if reason else "failed"
        self._add(replace(row, verdict=verdict, reason="" if ok else reason))

    def _add(self, row: Row) -> None:
        if any(other.key == row.key for other in self.rows):
            raise ValueError(f"two rows are called {row.key}")
        self.rows.append(row)
