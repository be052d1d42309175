"""`bunraku record SCENE --out run.bkr`: run a scene and write every step, or every n-th, into a recording.

SCENE is a TOML file (docs/scenes.md) or the name of a built-in scene. Stopped by Ctrl-C or by a step that fails, the
recording ends there and is whole; where there is an older file of its name, that one stays and the new one is called
run.bkr.part. What can be made of it: `bunraku export`.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import tyro

from bunraku.cli.common import Changes, SceneChanges, print_json, progress_bar
from bunraku.errors import InputError
from bunraku.files import ends_in, keep_inputs
from bunraku.kernel.needed import prepare

CHUNKS = 100


def main(
    scene: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SCENE")] = "",
    /,
    *,
    out: Path | None = None,
    changes: SceneChanges = Changes(),  # noqa: B008 - frozen
    every: int = 1,
    json: bool = False,
) -> int:
    """Run a scene and record it.

    Args:
        scene: a TOML scene file, or the name of a built-in scene (see `bunraku run --list`).
        out: the recording to write; SCENE.bkr in this folder by default.
        every: a frame every so many steps.
        json: print the summary as JSON.
    """
    if every < 1:
        raise InputError(f"--every {every} is not a number of 1 or more.")
    chosen = changes.scene(scene)
    target = out if out is not None else Path(f"{chosen.name}.bkr")
    keep_inputs(chosen.files, [target])
    ends_in(target, ".bkr", what="a recording")
    with progress_bar(CHUNKS, "loading") as update:
        world = chosen.build()
        prepare("record", world.contact)
        steps = max(1, round(chosen.seconds / world.dt))
        meta = {"scene": chosen.name, "about": chosen.about, "view": chosen.view}
        began = time.perf_counter()
        with world.record(target, every, title=chosen.name, meta=meta) as recorder:
            done = 0
            for k in range(CHUNKS):
                world.step(steps * (k + 1) // CHUNKS - done)
                done = steps * (k + 1) // CHUNKS
                update(k + 1, f"recording {chosen.name}")
        wall = time.perf_counter() - began
    size = recorder.path.stat().st_size
    data = {
        "file": str(recorder.path), "scene": chosen.name, "contact": world.contact, "dt_s": world.dt, "steps": steps, "every": every,
        "frames": recorder.frames, "simulated_s": steps * world.dt, "wall_s": wall, "bytes": size,
    }  # fmt: skip
    if json:
        print_json(data)
    else:
        print(
            f"{recorder.path}: {recorder.frames} frames, {steps * world.dt:g} s of {chosen.name}, {size / 1e6:.2f} MB"
        )
    return 0
