"""`bunraku bench beside`: benchmarks of two versions, or of the two ways to a kernel, in turns on one machine.

Each round runs every benchmark once a side, each run a process of its own; a figure is the least of its rounds, and a
ratio above 1 says that this version takes longer. The other side is another checkout of Bunraku (`--checkout`, its own
sources and benchmarks, kernels compiled into its own cache) or, without one, this version with kernels that Numba
compiles in the process. Figures are the numbers of a report whose names end in a unit of time and belong to us.
"""

from __future__ import annotations

import json as js
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import tyro

from bunraku.cli.common import print_json, progress_bar
from bunraku.errors import InputError

NAMES = ("dynamics", "world")
UNITS = ("us", "ms", "s", "us_step", "us_state")
OTHERS = ("peer", "mujoco", "pinocchio", "machine")  # words of figures that are not ours
WARM = {"dynamics": ["--repeats", "1"], "world": ["--repeats", "1"]}  # enough to have all kernels compiled


def beside(
    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="NAME")] = NAMES,
    /,
    *,
    checkout: Path | None = None,
    rounds: int = 2,
    json: bool = False,
) -> int:
    """Run benchmarks of two versions, or of native kernels and Numba in the process, in turns and print ratios.

    Args:
        names: Which benchmarks: choreography, dynamics, gait, viewer, walk, world.
        checkout: A folder with another version's sources; without it, this version with kernels that Numba compiles in
            the process.
        rounds: How often each side runs each benchmark; the least of a figure counts.
        json: Print JSON.
    """
    from bunraku_bench.bench_commands import COMMANDS

    for name in names:
        if name not in COMMANDS or name in ("beside", "startup"):
            known = ", ".join(sorted(set(COMMANDS) - {"beside", "startup"}))
            raise InputError(f"beside: there is no benchmark {name!r} to run; there are {known}.")
    if rounds < 1:
        raise InputError(f"beside: rounds {rounds} is not a whole number of 1 or more.")
    ours, other = (
        environment(None),
        environment(checkout) if checkout else {**environment(None), "BUNRAKU_KERNELS": "jit"},
    )
    found: dict[str, tuple[list[float], list[float]]] = {}
    with progress_bar(2 * len(names) * (rounds + 1), "bench beside") as update:
        done = 0
        for turn in range(rounds + 1):  # the first one compiles
            for name in names:
                for side, env in enumerate((ours, other)):
                    update(done, f"{name}, {('this', 'the other')[side]}" + ("" if turn else ", first run"))
                    report = one_run(name, env, WARM.get(name, []) if turn == 0 else [])
                    done += 1
                    for key, value in figures(report) if turn else ():
                        found.setdefault(f"{name}/{key}", ([], []))[side].append(value)
    rows = [
        {"figure": key, "this": min(a), "other": min(b), "ratio": min(a) / min(b)}
        for key, (a, b) in found.items()
        if a and b and min(b) > 0
    ]
    if json:
        print_json({"rows": rows, "other": str(checkout or "BUNRAKU_KERNELS=jit")})
        return 0
    wide = max((len(r["figure"]) for r in rows), default=10)
    print(f"{'':{wide}}  {'this':>10}  {'other':>10}   ratio")
    for r in rows:
        print(f"{r['figure']:{wide}}  {r['this']:10.4g}  {r['other']:10.4g}  {r['ratio']:6.3f}")
    return 0


def environment(checkout: Path | None) -> dict[str, str]:
    """Of a process that runs this version, or the one in a folder."""
    env = {**os.environ, "BUNRAKU_QUIET": "1"}
    env.pop("BUNRAKU_KERNELS", None)
    if checkout is None:
        return env
    root = Path(checkout).resolve()
    if not (root / "src" / "bunraku" / "__init__.py").is_file():
        raise InputError(f"--checkout {checkout}: there is no src/bunraku in it; name a folder of Bunraku's sources.")
    paths = [str(root / part) for part in ("src", "bench", "reproduce") if (root / part).is_dir()]
    return {**env, "PYTHONPATH": os.pathsep.join(paths)}


def one_run(name: str, env: dict[str, str], options: list[str]) -> Any:
    """The report of one benchmark as a process of its own."""
    command = [sys.executable, "-m", "bunraku", "bench", name, "--json", *options]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        raise InputError(f"beside: `bunraku bench {name}` ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return js.loads(done.stdout)


def figures(report: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """(name, number) of every time of ours in a report; entries of lists are named by their words and counts."""
    if isinstance(report, dict):
        for key, value in report.items():
            if not any(word in key for word in OTHERS):
                yield from figures(value, f"{path}/{key}" if path else key)
    elif isinstance(report, list):
        for k, value in enumerate(report):
            yield from figures(value, f"{path}[{label(value, k)}]")
    elif isinstance(report, int | float) and not isinstance(report, bool):
        last = path.rpartition("/")[2]
        if last in UNITS or last.rpartition("_")[2] in UNITS:
            yield path, float(report)


def label(entry: Any, k: int) -> str:
    """What tells an entry of a list from the others: its words, else its whole numbers, else its place."""
    if not isinstance(entry, dict):
        return str(k)
    words = [v for v in entry.values() if isinstance(v, str)]
    counts = [f"{n} {v}" for n, v in entry.items() if isinstance(v, int) and not isinstance(v, bool)]
    return " ".join(words) or " ".join(counts[:1]) or str(k)
