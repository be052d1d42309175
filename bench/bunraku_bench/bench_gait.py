"""`bunraku bench gait`: how fast the walking program is on this machine.

Measures one historical integration (against the same source run as plain Python, NUMBA_DISABLE_JIT=1), the exact
integration (against scipy's DOP853 on the same compiled right-hand side, from the same start, in turns, at about the
same error against DOP853 with a tolerance of 1e-13), a survey, every solve of the library, and a frame of the ray
caster. Every time is the shortest of at least three runs, those of a ratio of at least five; surveys run once.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bunraku.cli.common import print_json, progress_bar
from bunraku.gait1988.command_common import table

if TYPE_CHECKING:
    import numpy as np

    from bunraku.gait1988.flow import Flow

ROUNDS = 7
"""Runs of each side of a ratio."""

PLAIN = """
import time
import numpy as np
from bunraku.gait1988.library import flat
from bunraku.gait1988.report_integrator import ReportProgram
program = ReportProgram(flat())
start = np.array([-0.00092496, -0.09368652, 0.70267099, 2.32086754])
times = []
for _ in range(6):
    begin = time.perf_counter()
    program.end(start)
    times.append(time.perf_counter() - begin)
print(min(times[1:]))
"""


def best_of(action: Callable[[], Any], repeats: int) -> float:
    """Shortest time of several runs, s (after one to warm up)."""
    action()
    shortest = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        action()
        shortest = min(shortest, time.perf_counter() - begin)
    return shortest


def in_turns(ours: Callable[[], Any], peer: Callable[[], Any], rounds: int = ROUNDS) -> tuple[float, float]:
    """Shortest times of two actions run in turns, s; ours is repeated to last as long as the peer, so that a busy
    machine slows both alike."""
    repeats = max(1, round(best_of(peer, 1) / best_of(ours, 1)))
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for k, (action, count) in enumerate(((ours, repeats), (peer, 1))):
            begin = time.perf_counter()
            for _ in range(count):
                action()
            best[k] = min(best[k], (time.perf_counter() - begin) / count)
    return best[0], best[1]


def plain_python_seconds() -> float:
    """One historical integration of the same source without compilation, shortest of five."""
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", PLAIN], env=env, capture_output=True, text=True, check=True)
    return float(done.stdout)


def scipy_integration(flow: Flow, start: np.ndarray, rtol: float) -> Callable[[], np.ndarray]:
    """One exact integration by scipy's DOP853 over all pieces of the step, absolute tolerance a tenth of `rtol`."""
    from scipy.integrate import solve_ivp

    def step() -> np.ndarray:
        x = start
        for piece in range(flow.pieces):

            def right(s: float, y: np.ndarray, piece: int = piece) -> np.ndarray:
                return flow.rate(piece, s, y) * flow.h

            span = (flow.frac0[piece], flow.frac1[piece])
            x = solve_ivp(right, span, x, method="DOP853", rtol=rtol, atol=0.1 * rtol).y[:, -1]
        return x

    return step


def gait(*, starts: int = 1000, json: bool = False) -> None:
    """Speed of the 1988 walking program: integration, survey, every solve, a picture.

    Args:
        starts: starts of each survey.
        json: print the numbers as JSON.
    """
    import numpy as np

    from bunraku.draw.render import camera_for, render
    from bunraku.gait1988.flow import Flow
    from bunraku.gait1988.library import GAITS, flat, library_gait, usual
    from bunraku.gait1988.report_integrator import ReportProgram
    from bunraku.gait1988.solved_walk import exact_walk, historical_walk
    from bunraku.gait1988.survey import random_starts, survey
    from bunraku.gait1988.walker_solids import scene_of
    from bunraku.gait1988.zmp import FLAT_CASES, USUAL_CASES

    data: dict[str, Any] = {}
    with progress_bar(6, "historical integration") as update:
        program = ReportProgram(flat())
        start = np.array([-0.00092496, -0.09368652, 0.70267099, 2.32086754])
        data["historical_integration_s"] = best_of(lambda: [program.end(start) for _ in range(250)], 7) / 250.0
        data["historical_plain_python_s"] = plain_python_seconds()
        data["speedup_over_plain_python"] = data["historical_plain_python_s"] / data["historical_integration_s"]
        update(1, "exact integration")
        flow = Flow(flat())
        exact = exact_walk(flat()).start
        peer = scipy_integration(flow, exact, 1e-8)  # gives our accuracy
        ours_s, peer_s = in_turns(lambda: flow.advance(exact, 0, flow.pieces), peer)
        data["exact_integration_s"], data["exact_scipy_dop853_s"] = ours_s, peer_s
        reference = scipy_integration(flow, exact, 1e-13)()
        data["exact_error"] = float(np.abs(flow.advance(exact, 0, flow.pieces) - reference).max())
        data["exact_scipy_error"] = float(np.abs(peer() - reference).max())
        data["speedup_over_scipy"] = data["exact_scipy_dop853_s"] / data["exact_integration_s"]
        update(2, f"survey of {starts} starts, historical")
        for number, method in ((3, "historical"), (4, "exact")):
            begin = time.perf_counter()
            result = survey(flat(), random_starts(starts), method)
            data[f"survey_{method}_s"] = time.perf_counter() - begin
            data[f"survey_{method}_counts"] = result.counts()
            update(number, "survey, exact" if number == 3 else "solves")
        data["survey_starts"] = starts
        solves: dict[str, float] = {"flat, historical": best_of(lambda: historical_walk(flat()), 3)}
        for name, case in [("flat", c) for c in FLAT_CASES] + [("usual", c) for c in USUAL_CASES]:
            solves[f"{name} {case}"] = best_of(lambda name=name, case=case: exact_walk(library_gait(name, case)), 3)
        for name in GAITS:
            if name not in ("flat", "usual"):
                solves[name] = best_of(lambda name=name: exact_walk(library_gait(name)), 3)
        solves["flat, arms free"] = best_of(lambda: exact_walk(flat(), arms_free=True), 3)
        data["solve_s"] = solves
        data["slowest_solve_s"] = max(solves.values())
        update(5, "pictures")
        walk = exact_walk(usual())
        scene = scene_of(walk, np.array([0.5]))
        camera = camera_for(scene, "oblique", 640 / 480)
        data["frame_640x480_s"] = best_of(lambda: render(scene, camera, 640, 480), 5)
        update(6, "done")
    if json:
        print_json(data)
        return
    rows = [
        ("one historical integration", f"{1e3 * data['historical_integration_s']:.3f} ms"),
        ("  same source, plain Python / ours", f"{data['speedup_over_plain_python']:.0f}"),
        ("one exact integration", f"{1e3 * data['exact_integration_s']:.2f} ms"),
        ("  scipy DOP853 / ours", f"{data['speedup_over_scipy']:.1f}"),
        ("  error at the end, ours", f"{data['exact_error']:.0e}"),
        ("  error at the end, scipy", f"{data['exact_scipy_error']:.0e}"),
        (f"survey of {starts} starts, historical", f"{data['survey_historical_s']:.1f} s"),
        (f"survey of {starts} starts, exact", f"{data['survey_exact_s']:.1f} s"),
        ("a 640 x 480 frame", f"{1e3 * data['frame_640x480_s']:.0f} ms"),
        *((f"solve {name}", f"{seconds:.2f} s") for name, seconds in data["solve_s"].items()),
    ]
    print(table(rows, ("what", "measured")))
