"""The files that one contact step of a world passes, in the order in which it first enters them.

    python docs/trace_step.py

A figure stands on two box feet, contact `pgs`, nothing is recorded; its kernels run as plain Python. The rule: a file
counts when one of its functions runs in `world.step()`, after a step that made everything ready; the order is that of
the first call in each file, and a change of folder is a file whose folder is not that of the file before it. `kernel/`
is the language that kernels are written in (vectors, lanes, tables, records): it is entered everywhere and says nothing
of a step, so it stands once, at its first place, as one file and one folder. Checked in tests/step/test_trace.py.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FrameType
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"

import bunraku as bk
from bunraku.world import World

SOURCE = Path(bk.__file__).parent
LANGUAGE = "kernel"


def standing() -> World:
    """A figure on two box feet, a step after its start."""
    description = bk.human().description
    for link in description.links:
        link.shapes = [shape for shape in link.shapes if link.name.endswith("foot")]
    world = World(dt=0.002)
    world.add_ground(friction=0.8)
    figure = world.add(description.build(), at=(0.0, 0.0, 0.901), self_collision=False)
    figure.servo(3000.0, 60.0)
    world.step()
    return world


def passed(world: World) -> list[Path]:
    """Files of the package, relative to it, in the order in which `world.step()` first enters them."""
    order: dict[str, None] = {}

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            order.setdefault(frame.f_code.co_filename)

    sys.setprofile(watch)
    world.step()
    sys.setprofile(None)
    files = [Path(name) for name in order]
    return [p.relative_to(SOURCE) for p in files if p.is_relative_to(SOURCE)]


def stations(files: list[Path]) -> list[list[Path]]:
    """The files one by one, those of the language as one."""
    language = [p for p in files if p.parts[0] == LANGUAGE]
    out = []
    for p in files:
        if p not in language:
            out.append([p])
        elif p == language[0]:
            out.append(language)
    return out


def main() -> None:
    """Print them."""
    world = standing()
    if world.report.contacts != 8:
        raise SystemExit(f"the figure stands on {world.report.contacts} points instead of 8.")
    folder, changes, total = None, -1, 0
    found = stations(passed(world))
    for station in found:
        lines = sum(len((SOURCE / p).read_text(encoding="utf-8").splitlines()) for p in station)
        names = [str(station[0]), *(p.name for p in station[1:])]
        changes += station[0].parent != folder
        folder, total = station[0].parent, total + lines
        print(f"{lines:5}  {', '.join(names)}")
    print(f"{len(found)} files, {total} lines, {changes} changes of folder")


if __name__ == "__main__":
    main()
