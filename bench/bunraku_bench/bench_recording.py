"""What recording costs the simulation, and how large the file is: a part of `bunraku bench viewer`.

Method: one world with a standing figure does bursts of BURST steps by turns: alone, alone once more as a control, and
recorded, a frame a step at 1 kHz. Worlds differ by some per cent in where their arrays lie, so it is one. A burst is a
block long, so every recorded burst writes as many frames as it makes. The shortest burst of each counts, on the two
clocks of bunraku_bench.bench_viewer. The recorded bursts together are a minute by default; the file is compared with
its numbers (q, v, torques, and of contacts normals, points, forces) as float32.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

BURST = 1536  # steps: a block
KINDS = ("alone", "control", "recorded")


def measure_recording(rounds: int, standing: Callable[[], Any], update: Callable[[int], None]) -> dict[str, Any]:
    """The figures; `standing` makes a world, `update` is told how many rounds are done."""
    from bunraku.motion import Recording

    world = standing()
    best = {kind: [float("inf"), float("inf")] for kind in KINDS}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.bkr")
        with world.record(path) as recorder:
            log = recorder.log
            for done in range(rounds):
                update(done)
                for kind in KINDS[done % 3 :] + KINDS[: done % 3]:
                    log.leave()
                    if kind == "recorded":
                        log.enter()
                    began = time.process_time(), time.perf_counter()
                    world.step(BURST)
                    took = time.process_time() - began[0], time.perf_counter() - began[1]
                    best[kind] = [min(a, b) for a, b in zip(best[kind], took)]
        size = path.stat().st_size
        with Recording.open(path) as r:
            f = r.frames
            numbers = sum(a.size for a in (f.q, f.v, f.torques, f.normal, f.points, f.forces))
            frames, seconds = len(r), len(r) * r.dt
    report: dict[str, Any] = {"seconds": seconds, "frames": frames, "bytes": size, "size_ratio": size / (4 * numbers)}
    for k, clock in enumerate(("cpu", "wall")):
        alone, control, recorded = (best[kind][k] / BURST * 1e6 for kind in KINDS)
        report[clock] = {
            "alone_us": alone,
            "recorded_us": recorded,
            "percent": 100 * (recorded / alone - 1),
            "control_percent": 100 * (control / alone - 1),
        }
    return report
