"""What recording costs the simulation, and how large the file is: a part of `bunraku bench viewer`.

Method: three worlds with the same standing figure take turns in bursts of BURST steps, a frame a step at 1 kHz: one alone, one alone once more
as a control, one recorded. Recording changes nothing in the motion, so all three do the same steps. The shortest burst of each
counts, on the two clocks of bunraku.cli.bench_viewer. The bursts together are a minute by default; the file is compared with its numbers
(q, v, torques,
and of contacts normals, points, forces) as float32.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

BURST = 1500  # steps
KINDS = ("alone", "control", "recorded")


def measure_recording(rounds: int, standing: Callable[[], Any], update: Callable[[int], None]) -> dict[str, Any]:
    """The figures; `standing` makes a world, `update` is told how many rounds are done."""
    from bunraku.motion import Recording

    worlds = {kind: standing() for kind in KINDS}
    best = {kind: [float("inf"), float("inf")] for kind in KINDS}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.bkr")
        with worlds["recorded"].record(path):
            for done in range(rounds):
                update(done)
                for kind in KINDS[done % 3 :] + KINDS[: done % 3]:
                    began = time.process_time(), time.perf_counter()
                    worlds[kind].step(BURST)
                    took = time.process_time() - began[0], time.perf_counter() - began[1]
                    best[kind] = [min(a, b) for a, b in zip(best[kind], took)]
        size = path.stat().st_size
        with Recording.open(path) as r:
            f = r.frames
            numbers = sum(a.size for a in (f.q, f.v, f.torques, f.normal, f.points, f.forces))
            frames, seconds = len(r), r.duration
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
