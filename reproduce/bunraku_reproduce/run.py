"""Runs the parts of a document one after another. A part that fails is shown as failed; the others go on."""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bunraku.errors import InputError
from bunraku_reproduce.documents import Document
from bunraku_reproduce.experiment import Experiment, Part, Row


@dataclass
class Done:
    """A part that ran."""

    part: Part
    experiment: Experiment
    seconds: float
    error: str = ""
    """what was raised, if anything"""

    @property
    def failed(self) -> bool:
        """Whether it raised something, or has a row that is off without a reason."""
        return bool(self.error) or any(row.verdict == "failed" for row in self.experiment.rows)


@dataclass
class Report:
    """A document with all of its parts that ran."""

    document: Document
    parts: list[Done] = field(default_factory=list)

    @property
    def rows(self) -> list[tuple[Part, Row]]:
        """All rows, with their parts."""
        return [(done.part, row) for done in self.parts for row in done.experiment.rows]

    @property
    def failed(self) -> list[Done]:
        """Parts that failed."""
        return [done for done in self.parts if done.failed]

    def count(self, verdict: str) -> int:
        """How many rows have a verdict."""
        return sum(row.verdict == verdict for _, row in self.rows)


def select(documents: tuple[Document, ...], figure: str) -> list[tuple[Document, list[Part]]]:
    """The parts to run; with a figure's number, "6.1", "6.1(b)" or "Fig. 6.1", those that make it."""
    wanted = re.sub(r"^fig(ure|\.)?\s*", "", figure.strip(), flags=re.IGNORECASE)
    names = {wanted, re.sub(r"\s*\([a-z]\)$", "", wanted)} - {""}
    found = [(d, [p for p in d.parts() if not figure or names & set(p.figures)]) for d in documents]
    if figure and not any(parts for _, parts in found):
        there = sorted({f for d in documents for p in d.parts() for f in p.figures}, key=_in_order)
        raise InputError(f"--figure {figure!r}: no such figure is made; there are {', '.join(there) or 'none'}.")
    return [(d, parts) for d, parts in found if parts or not figure]


def _in_order(figure: str) -> list[int]:
    """Fig. 7.10 comes after Fig. 7.9."""
    return [int(n) for n in re.findall(r"\d+", figure)]


def run(
    wanted: list[tuple[Document, list[Part]]],
    clip: Path | None,
    seed: int,
    show: Callable[[int, str], None] = lambda done, text: None,
) -> list[Report]:
    """Run the parts. show(number of parts done, what comes next): for a bar."""
    reports = []
    count = 0
    for document, parts in wanted:
        report = Report(document)
        for each in parts:
            show(count, f"{document.cited}: {each.title}")
            report.parts.append(one(each, Experiment(clip, seed)))
            count += 1
        reports.append(report)
    return reports


def one(each: Part, experiment: Experiment) -> Done:
    """Run one part."""
    began = time.perf_counter()
    error = ""
    try:
        each.run(experiment)
        if not experiment.rows:
            raise ValueError("the part wrote no row")
    except Exception as e:  # whatever it is, it is shown on the page, and the exit code says so
        error = f"{type(e).__name__}: {e}"
        place = traceback.extract_tb(e.__traceback__)[-1]
        error += f" ({Path(place.filename).name}:{place.lineno})"
    return Done(each, experiment, time.perf_counter() - began, error)


def as_data(reports: list[Report]) -> dict[str, Any]:
    """All rows as JSON has them."""
    rows = [
        {"document": r.document.number, "cited": r.document.cited, "section": row.place, "part": part.title}
        | {k: v for k, v in vars(row).items() if k != "place"}
        | {"how": part.how}
        for r in reports
        for part, row in r.rows
    ]
    failed = [
        {"document": r.document.number, "part": done.part.title, "error": done.error or "a row is off without a reason"}
        for r in reports
        for done in r.failed
    ]
    counts = {v: sum(r.count(v) for r in reports) for v in ("good", "differs", "open", "failed")}
    return {"counts": counts, "rows": rows, "failed": failed}
