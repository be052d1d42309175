"""`bunraku bench choreography`: how much faster than real time a figure is choreographed, and the trials of balance and
endurance.

Method: human(), two feet on the floor, two pins (right hand; left foot with its orientation), the left hand dragged
along a closed curve, steps of 1 ms on one core. The drag moves every sixtieth of a second, as a page would; a portion
is such a move and its steps, whole, Python included. `realtime_factor` is simulated time over processor time of all
portions together (`wall` over real time, which means something on an idle machine only). Latency: after a jump of the
target by 10 cm, simulated time until the hand has gone 1 mm, plus the longest portion's processor time;
`stage_latency_ms`: over a socket (bunraku_bench.bench_stage).
"""

from __future__ import annotations

import time
from typing import Any

from bunraku.cli.common import print_json, progress_bar
from bunraku.errors import InputError
from bunraku_bench.bench_dynamics import machine

FRAME = 1.0 / 60.0


def choreography(
    json: bool = False,
    seconds: float = 10.0,
    grid: bool = False,
    random: float = 0.0,
    relations: bool = False,
    drags: bool = False,
    pushes: bool = False,
    falls: int = 0,
    walks: int = 0,
    grips: bool = False,
    seed: int | None = None,
    stage: bool = True,
) -> int:
    """Measure a choreographed figure.

    Args:
        json: Print JSON.
        seconds: Simulated time [s] of the real-time measurement.
        grid: Sixty hand drags with and without balance instead.
        random: So many simulated seconds of random pins, drags and releases instead.
        relations: The cost of L, Phi and phi against the length of a chain instead.
        drags: Sixty drags of a hand as far as 1.5 m, with steps, instead; --seed turns their directions at random.
        pushes: The largest pushes from eight directions that the figure survives with steps and without, instead;
            --seed turns these directions at random.
        falls: So many random falls to get up from, from --seed on, instead.
        walks: So many random goals among boxes and stairs to walk to, from --seed on, instead.
        grips: The cost of a held box, of two figures hand in hand and of two figures with three things, against a figure
            alone, instead.
        seed: Of the random dance, 0 by default; of other drags and pushes.
        stage: Measure the latency of the stage in the browser's stead, too (half a minute).
    """
    if not 0 < seconds <= 3600 or not 0 <= random <= 86400 or min(seed or 0, falls, walks) < 0:
        raise InputError(
            "bench choreography: --seconds up to 3600, --random up to 86400, --seed, --falls and --walks of 0 or more."
        )
    if grid:
        report = measure_grid()
    elif random > 0:
        report = measure_random(random, seed or 0)
    elif drags:
        report = measure_drags(seed)
    elif pushes:
        report = measure_pushes(seed)
    elif falls > 0:
        report = measure_falls(falls, seed or 0)
    elif walks > 0:
        report = measure_walks(walks, seed or 0)
    elif grips:
        from bunraku_bench.grip_costs import measure_grips

        report = measure_grips(seconds)
    elif relations:
        report = measure_relations()
    else:
        report = measure(seconds)
        if stage:
            from bunraku_bench.bench_stage import measure_stage

            report["stage_latency_ms"] = measure_stage()
    report["machine"] = machine()
    if json:
        print_json(report)
        return 0
    for line in text(report):
        print(line)
    print(", ".join(f"{k} {v}" for k, v in report["machine"].items()))
    return 0


def measure(seconds: float) -> dict[str, Any]:
    """Real time and latency."""
    import numpy as np

    import bunraku as bk

    c = bk.Choreography()
    c.pin("left_foot", axes="pose")
    c.pin("right_hand")
    drag = c.drag("left_hand")
    start = drag.target.copy()
    steps = round(FRAME / c.world.dt)
    c.step(steps)
    began, portions, iterations = (time.process_time(), time.perf_counter()), [], []
    count = max(10, round(seconds / (steps * c.world.dt)))
    with progress_bar(count, "bench choreography") as update:
        for k in range(count):
            first = time.process_time()
            t = c.time
            way = (0.15 * np.sin(2 * t), 0.1 * np.sin(3 * t), 0.15 + 0.15 * np.sin(2.5 * t - 1.5))
            drag.to(start + np.array(way))
            c.step(steps)
            portions.append(time.process_time() - first)
            if k % 20 == 0:
                iterations.append(c.report.iterations)
                update(k)
    cpu, wall = time.process_time() - began[0], time.perf_counter() - began[1]
    simulated = count * steps * c.world.dt
    us = np.array(portions) / steps * 1e6
    found = {v.item.link: v.metres for v in c.violations}
    delay = first_motion()
    return {
        "realtime_factor": simulated / float(np.sum(portions)),
        "realtime_factor_wall": simulated / wall,
        "cpu_s": cpu,
        "simulated_s": simulated,
        "step_us": {
            "least": float(us.min()),
            "median": float(np.median(us)),
            "mean": float(us.mean()),
            "most": float(us.max()),
        },
        "iterations_mean": float(np.mean(iterations)),
        "state": c.report.state,
        "off_target_m": found,
        "first_motion_ms": 1e3 * delay,
        "latency_ms": 1e3 * (delay + max(portions)),
    }


def first_motion() -> float:
    """Simulated time [s] from a jump of the target by 10 cm until the hand has gone 1 mm towards it."""
    import numpy as np

    import bunraku as bk

    c = bk.Choreography()
    drag = c.drag("left_hand")
    at = drag.target.copy()
    drag.to(at + np.array([0.0, 0.0, 0.1]))
    began = c.time
    while np.linalg.norm(c.figure.pose("left_hand")[0] - at) < 1e-3 and c.time < began + 1.0:
        c.step()
    return c.time - began


def measure_grid() -> dict[str, Any]:
    """All drags, with and without balance."""
    from dataclasses import asdict

    from bunraku_bench.drag_trials import grid

    began = time.perf_counter()
    with progress_bar(120, "drags") as update:
        trials = grid(True, update) + grid(False, lambda n: update(60 + n))
    rows = [{**asdict(t), "good": t.good} for t in trials]
    near = {b: [t.good for t in trials if t.balance == b and t.distance <= 0.4] for b in (True, False)}
    return {
        "with_balance": sum(near[True]) / len(near[True]),
        "without_balance": sum(near[False]) / len(near[False]),
        "standing_of_60": sum(t.balance and t.end == "standing" for t in trials),
        "standing_of_60_without": sum(not t.balance and t.end == "standing" for t in trials),
        "all_finite": all(t.finite for t in trials),
        "wall_s": time.perf_counter() - began,
        "trials": rows,
    }


def turn_of(seed: int | None) -> float:
    """An angle about z [rad] by which directions are turned; 0 without a seed."""
    import numpy as np

    return 0.0 if seed is None else float(np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi))


def measure_drags(seed: int | None) -> dict[str, Any]:
    """Sixty drags as far as 1.5 m, with steps."""
    from dataclasses import asdict

    from bunraku.model.rotations import about
    from bunraku_bench.drag_trials import directions
    from bunraku_bench.stage_trials import far_drags

    began = time.perf_counter()
    with progress_bar(1, "drags") as update:
        found = far_drags(update, directions() @ about(2, turn_of(seed)).T)
    return {
        "far_drags": [{**asdict(f), "good": f.good} for f in found],
        "standing": sum(f.end == "standing" for f in found),
        "near": sum(f.good for f in found),
        "wall_s": time.perf_counter() - began,
    }


def measure_pushes(seed: int | None) -> dict[str, Any]:
    """The largest pushes on the stage."""
    import numpy as np

    import bunraku as bk
    from bunraku_bench.stage_trials import largest_stage_pushes

    degrees = (np.arange(0.0, 360.0, 45.0) + (0.0 if seed is None else np.degrees(turn_of(seed)) % 45.0)).tolist()
    rows = {}
    with progress_bar(2, "pushes") as update:
        for k, steps in enumerate((True, False)):
            rows["with steps" if steps else "without"] = largest_stage_pushes(
                bk.Choreography(steps=steps), degrees, progress=lambda x, k=k: update(k + x)
            )
    return {"largest_pushes": rows, "degrees": degrees}


def measure_falls(count: int, seed: int) -> dict[str, Any]:
    """Random falls."""
    from dataclasses import asdict

    from bunraku_bench.fall_trials import fall_trials

    with progress_bar(1, "falls") as update:
        found = fall_trials(seed, count, progress=update)
    return {"falls": [asdict(f) for f in found], "up": sum(f.up for f in found)}


def measure_walks(count: int, seed: int) -> dict[str, Any]:
    """Random goals."""
    from dataclasses import asdict

    from bunraku_bench.goal_trials import goal_trials

    with progress_bar(1, "walks") as update:
        found = goal_trials(seed, count, progress=update)
    return {"walks": [asdict(f) for f in found], "reached": sum(f.reached for f in found)}


def measure_random(seconds: float, seed: int) -> dict[str, Any]:
    """Endurance."""
    from dataclasses import asdict

    from bunraku_bench.random_dance import RandomDance

    began = time.perf_counter()
    dance = RandomDance(seed)
    seen = dance.run(seconds)
    wall = time.perf_counter() - began
    return {**asdict(seen), "wall_s": wall, "seed": seed}


def measure_relations(repeats: int = 30) -> dict[str, Any]:
    """Microseconds of the kernel of L, Phi, phi of three links on chains, and the exponent with which they grow."""
    import numpy as np

    import bunraku as bk
    from bunraku.choreography.relations import relate

    sizes, times = (32, 64, 128, 256, 512), []
    for n in sizes:
        figure = bk.Description(name="chain")
        for i in range(n):
            joint = bk.free("base") if i == 0 else bk.hinge(f"j{i}", ((1, 0, 0), (0, 1, 0))[i % 2])
            figure.add(
                f"l{i}", f"l{i - 1}" if i else None, joint, at=(0.1, 0.02, -0.1), mass=1.0, com=(0.05, 0, 0), moments=(0.01, 0.02, 0.02)
            )  # fmt: skip
        m = figure.build()
        q, v, work, nj = m.neutral(), np.zeros(m.nv), bk.Work(m), m.nv - 6
        bodies, points = np.array([n // 3, n // 2, n - 1], dtype=np.int64), np.zeros((3, 3))
        rest = (np.zeros((nj, 6)), np.zeros((18, 12)), np.zeros((18, 18)), np.zeros((18, nj)), np.zeros(18))
        relate.call(work.handle, q, v, bodies, points, *rest)
        best = float("inf")
        for _ in range(repeats):
            began = time.perf_counter()
            for _ in range(50):
                relate.call(work.handle, q, v, bodies, points, *rest)
            best = min(best, (time.perf_counter() - began) / 50)
        times.append(1e6 * best)
    growth = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    return {"links": list(sizes), "us": times, "exponent": growth}


def text(report: dict[str, Any]) -> list[str]:
    """The report in words."""
    if "trials" in report:
        lines = [
            f"{t['direction'][0]:6.2f} {t['direction'][1]:6.2f} {t['direction'][2]:6.2f}  {t['distance']:.2f} m  "
            f"{'balance' if t['balance'] else 'without':<8} {100 * t['reached']:6.1f} cm off  {t['end']}"
            for t in report["trials"]
        ]
        return [
            *lines,
            f"up to 0.4 m, standing at the end and the hand within 5 cm: {report['with_balance']:.2f} with balance, "
            f"{report['without_balance']:.2f} without",
            f"standing at the end: {report['standing_of_60']} of 60 with balance, {report['standing_of_60_without']} "
            "without; "
            f"{report['wall_s']:.0f} s",
        ]
    if "far_drags" in report:
        lines = [
            f"{t['direction'][0]:6.2f} {t['direction'][1]:6.2f} {t['direction'][2]:6.2f}  {t['distance']:.2f} m  "
            f"{100 * t['reached']:6.1f} cm off  {t['steps']} steps, {t['steps_in_all']} in all  {t['end']}"
            for t in report["far_drags"]
        ]
        of = len(lines)
        said = f"standing at the end: {report['standing']} of {of}; and the hand within 5 cm: {report['near']}"
        return [*lines, f"{said}; {report['wall_s']:.0f} s"]
    if "largest_pushes" in report:
        head = f"{'largest push [N s/kg]':22}" + "".join(f"{d:7.0f}" for d in report["degrees"]) + "   mean  least"
        return [head] + [
            f"{name:22}" + "".join(f"{x:7.2f}" for x in row) + f"{sum(row) / len(row):7.2f}{min(row):7.2f}"
            for name, row in report["largest_pushes"].items()
        ]
    if "falls" in report and "up" in report:
        lines = [
            f"seed {f['seed']}: {f['kind']}, {f['height']:.2f} m, friction {f['friction']:.2f}: "
            + (f"up after {f['seconds']:.1f} s" if f["up"] else f"not up ({f['end']})")
            for f in report["falls"]
        ]
        return [*lines, f"up within 20 s and for 2 s: {report['up']} of {len(lines)}"]
    if "grips" in report:
        from bunraku_bench.grip_costs import grip_lines

        return grip_lines(report["grips"])
    if "walks" in report:
        lines = [
            f"seed {w['seed']}: {w['metres']:.2f} m away, {w['steps']} steps, {w['seconds']:.0f} s: {100 * w['off']:.1f} cm and "
            f"{w['degrees']:.1f} degrees off, {'nothing touched' if not w['touched'] else 'touched ' + w['touched']}  {w['end']}"
            for w in report["walks"]
        ]
        return [*lines, f"within 10 cm and 5 degrees, nothing touched: {report['reached']} of {len(lines)}"]
    if "actions" in report:
        return [
            f"{report['seconds']:.0f} s simulated in {report['wall_s']:.0f} s: {report['actions']} actions, "
            f"{report['falls']} falls, "
            f"{report['errors']} errors, {'all finite' if report['finite'] else 'NOT FINITE'}; "
            f"memory {report['memory_early']:.1f} MB early, {report['memory']:.1f} MB at the end"
        ]
    if "exponent" in report:
        rows = ", ".join(f"{n} links {t:.1f} us" for n, t in zip(report["links"], report["us"]))
        return [f"L, Phi, phi of three links: {rows}; time grows with exponent {report['exponent']:.2f}"]
    s = report["step_us"]
    staged = [
        f"stage: a drag's message to a frame with the hand {what}: median {t['median']:.1f} ms, {t['least']:.1f} to "
        f"{t['most']:.1f}"
        for t, what in ((report["stage_latency_ms"]["seen"], "0.1 mm away"), (report["stage_latency_ms"]["clear"], "1 mm away"))
    ] if "stage_latency_ms" in report else []  # fmt: skip
    return [
        f"realtime_factor {report['realtime_factor']:.1f} (processor time), {report['realtime_factor_wall']:.1f} "
        "(real time)",
        f"a step: {s['least']:.1f} us least, {s['median']:.1f} median, {s['mean']:.1f} mean, {s['most']:.1f} most; "
        f"{report['state']}",
        f"latency {report['latency_ms']:.1f} ms, of which {report['first_motion_ms']:.1f} ms until the hand has gone "
        "1 mm",
        *staged,
    ]
