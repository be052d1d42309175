"""`python -m tests.mutants [NAME …]`: try mutants and print what killed each; exit code 1 where one survives.

Names choose mutants whose name or file holds one of them; --folder those of a folder of the package; --sample N of what
is chosen, by --seed. --list shows them and tries none; --table prints Markdown; --json FILE writes all that is known.
Exit code 2: a mutant does not fit the sources any more, or its tests fail without it.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from .catalogue import MUTANTS
from .mutant import Mutant
from .trial import ROOT, Result, attempts


def options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """What was asked for."""
    p = argparse.ArgumentParser(prog="python -m tests.mutants", description=(__doc__ or "").split("\n\n")[0])
    p.add_argument("names", nargs="*", metavar="NAME", help="part of a mutant's name or file")
    p.add_argument("--folder", action="append", default=[], help="of the package, e.g. dynamics; may be repeated")
    p.add_argument("--sample", type=int, metavar="N", help="try N of those chosen, by chance")
    p.add_argument("--seed", type=int, default=0, help="of the sample")
    p.add_argument("--jobs", type=int, default=1, metavar="N", help="how many at a time")
    p.add_argument("--list", action="store_true", help="show them, try none")
    p.add_argument("--table", action="store_true", help="print Markdown")
    p.add_argument("--json", type=Path, metavar="FILE", help="write the table to a file")
    return p.parse_args(arguments)


def choose(given: argparse.Namespace) -> list[Mutant]:
    """The mutants that were asked for."""
    chosen = [
        m
        for m in MUTANTS
        if (not given.names or any(n in m.name or n in m.file for n in given.names))
        and (not given.folder or m.folder in given.folder)
    ]
    if given.sample is not None and given.sample < len(chosen):
        wanted = set(random.Random(given.seed).sample(range(len(chosen)), given.sample))
        chosen = [m for k, m in enumerate(chosen) if k in wanted]
    return chosen


def line(r: Result) -> str:
    """A row of the table."""
    by = r.test.removeprefix("tests/") + ": " if r.test else ""
    return f"{r.verdict:<9} {r.seconds:6.1f} s  {r.mutant.folder + ': ' + r.mutant.name:<58} {by}{r.why[:100]}"


def markdown(results: Sequence[Result]) -> str:
    """The table of README.md."""
    rows = [
        f"| {r.mutant.folder} | {r.mutant.name} | {r.test.removeprefix('tests/').split('[')[0] or r.verdict} | {r.seconds:.1f} |"
        for r in results
    ]
    return "\n".join(["| folder | mutant | killed by | s |", "|---|---|---|---|", *rows])


def main(arguments: Sequence[str] | None = None) -> int:
    """See the module text."""
    given = options(arguments)
    chosen = choose(given)
    if not chosen:
        print("no mutant is called so; --list shows them.", file=sys.stderr)
        return 2
    troubles = [x for x in (m.trouble(ROOT) for m in chosen) if x]
    if troubles:
        print("\n".join(troubles), file=sys.stderr)
        return 2
    if given.list:
        print("\n".join(f"{m.folder + ': ' + m.name:<58} {' '.join(m.tests)}" for m in chosen))
        return 0
    done: list[Result] = []

    def tell(result: Result) -> None:
        done.append(result)
        print(f"[{len(done)}/{len(chosen)}] {line(result)}", file=sys.stderr, flush=True)

    try:
        results = attempts(chosen, max(1, given.jobs), tell)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 2
    print(markdown(results) if given.table else "\n".join(line(r) for r in results))
    killed = sum(r.verdict == "killed" for r in results)
    print(f"{killed} of {len(results)} mutants killed")
    if given.json:
        given.json.write_text(json.dumps([r.as_dict() for r in results], indent=1) + "\n", encoding="utf-8")
    return 0 if killed == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
