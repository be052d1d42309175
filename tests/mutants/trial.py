"""Trying mutants on copies of the package: first their tests pass on a copy as it is, then each mutant must fail them.

A copy has the package, the tests and pyproject.toml; PYTHONPATH puts its package before an installed one. A mutant is
*killed* when an assertion of one of its tests fails, or an error that a test expects does not come. One that stumbles
on import, in a fixture or over an error of Python's own is no test's merit and counts as *broken*.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from .mutant import Mutant

ROOT = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns("node_modules", "dist", "__pycache__")
ASSERTIONS = ("assert ", "AssertionError", "Failed: ")
PATIENCE = 600.0  # s for one mutant, and for every ten tests of all


@dataclass(frozen=True)
class Result:
    """How a mutant ended: "killed", "survived" or "broken"; by which test, why, after how many seconds of the processor."""

    mutant: Mutant
    verdict: str
    test: str
    why: str
    seconds: float

    def as_dict(self) -> dict[str, object]:
        """Plain values."""
        m = self.mutant
        return {
            "name": m.name, "file": m.file, "old": m.old, "new": m.new, "tests": list(m.tests),
            "verdict": self.verdict, "test": self.test, "why": self.why, "seconds": round(self.seconds, 2),
        }  # fmt: skip


@contextmanager
def copies(count: int) -> Iterator[list[Path]]:
    """Copies of package and tests in temporary folders."""
    with tempfile.TemporaryDirectory(prefix="bunraku-mutants-") as scratch:
        folders = [Path(scratch) / str(k) for k in range(count)]
        for folder in folders:
            for part in ("src", "tests"):
                shutil.copytree(ROOT / part, folder / part, ignore=LEFT_OUT)
            shutil.copy(ROOT / "pyproject.toml", folder)
        yield folders


def run(folder: Path, tests: Sequence[str], plain: bool) -> dict[str, Any]:
    """Outcome of tests in a copy."""
    environment = {
        **os.environ, "PYTHONPATH": os.pathsep.join([str(folder / "src"), str(folder)]), "BUNRAKU_QUIET": "1",
        "NUMBA_DISABLE_JIT": "1" if plain else "0", "PYTHONDONTWRITEBYTECODE": "1", "BUNRAKU_PATIENCE": "30",
    }  # fmt: skip
    file = folder / "outcome.json"
    file.unlink(missing_ok=True)
    ids, patience = [f"tests/{t}" for t in tests], PATIENCE * (1 + len(tests) // 10)
    command = [sys.executable, "-m", "tests.mutants.outcome", str(file), *ids]
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=patience)
    except subprocess.TimeoutExpired:
        return nothing(f"still running after {patience:g} s")
    if not file.exists():
        said = (done.stderr or done.stdout).strip().splitlines()
        return nothing(said[-1] if said else "pytest said nothing")
    return json.loads(file.read_text(encoding="utf-8"))


def nothing(why: str) -> dict[str, Any]:
    """The outcome of a run that came to no end."""
    return {"code": -1, "seconds": 0.0, "passed": 0, "failed": None, "broken": why}


def sound(folder: Path, chosen: Sequence[Mutant]) -> str:
    """The tests of all chosen mutants, on the copy as it is; "" where they pass, else what went wrong."""
    for plain in (True, False):
        tests = sorted({t for m in chosen if m.plain == plain for t in m.tests})
        if not tests:
            continue
        out = run(folder, tests, plain)
        if out["code"] != 0 or not out["passed"]:
            return f"without any mutant: {out['failed'] or out['broken'] or 'no test ran'}"
    return ""


def attempt(folder: Path, mutant: Mutant) -> Result:
    """Put a mutant into a copy, run its tests, take it out again."""
    before = mutant.put_into(folder / "src/bunraku")
    try:
        out = run(folder, mutant.tests, mutant.plain)
    finally:
        (folder / "src/bunraku" / mutant.file).write_text(before, encoding="utf-8")
    failed, seconds = out["failed"], out["seconds"]
    if failed and failed["why"].startswith(ASSERTIONS):
        return Result(mutant, "killed", failed["test"], failed["why"], seconds)
    if failed or out["broken"]:
        return Result(mutant, "broken", "", str(failed or out["broken"]), seconds)
    return Result(mutant, "survived", "", f"{out['passed']} tests passed", seconds)


def attempts(chosen: Sequence[Mutant], jobs: int, tell: Callable[[Result], None]) -> list[Result]:
    """All of them, `jobs` at a time; `tell` hears of each. Raises RuntimeError where the tests do not pass as it is."""
    with copies(jobs) as folders:
        trouble = sound(folders[0], chosen)
        if trouble:
            raise RuntimeError(trouble)
        free: SimpleQueue[Path] = SimpleQueue()
        for folder in folders:
            free.put(folder)

        def one(mutant: Mutant) -> Result:
            folder = free.get()
            try:
                result = attempt(folder, mutant)
            finally:
                free.put(folder)
            tell(result)
            return result

        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(one, chosen))
