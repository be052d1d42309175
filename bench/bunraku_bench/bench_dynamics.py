"""`bunraku bench dynamics`: aba, rnea, crba and Jacobians against Pinocchio, and the cost of aba against size.

Method: one thread, both sides called from Python with their workspaces (`Work` and `out`; `Data`), the same robot with
a free base, the minimum over interleaved repeats of a burst of calls. Batch: 256 states in one call of ours, per state,
against one call a state of the peer.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.cli.common import print_json, progress_bar
from bunraku.errors import MissingExtra

ROBOTS = {"talos_reduced": "talos_reduced.urdf", "simple_humanoid": "simple_humanoid.urdf"}
CHAINS = (10, 20, 50, 100, 200, 500, 1000, 2000)
BATCH = 256


def dynamics(json: bool = False, repeats: int = 60, seed: int = 0) -> int:
    """Compare aba, rnea, crba and Jacobians with Pinocchio, and fit the cost of aba against the length of a chain.

    Args:
        json: Print JSON.
        repeats: Interleaved repeats of each measurement; the minimum counts.
        seed: Seed of the random states.
    """
    rng = np.random.default_rng(seed)
    results: list[dict[str, Any]] = []
    done, sizes, times = 0, [], []
    with progress_bar(5 * len(ROBOTS) + len(CHAINS), "bench dynamics") as update:
        for robot, file in ROBOTS.items():
            for name, ours, peer, per in pairs(robot_file(file), rng):
                update(done, f"{robot} {name}")
                o, p = interleaved(ours, peer, repeats)
                o /= per
                results.append({"name": name, "robot": robot, "ours_us": o, "peer_us": p, "ratio": p / o})
                done += 1
        for n in CHAINS:
            update(done, f"chain of {n}")
            sizes.append(n)
            times.append(chain_time(n, rng, repeats))
            done += 1
    slope = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    report = {
        "results": results,
        "slope_aba": slope,
        "chain": [{"links": n, "us": t} for n, t in zip(sizes, times)],
        "machine": machine(),
    }
    if json:
        print_json(report)
    else:
        show(report)
    return 0


def robot_file(name: str) -> Path:
    """A URDF of the package example-robot-data."""
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        raise MissingExtra('the benchmark needs its peers and robots: pip install "bunraku[bench]".') from None
    for f in files:
        if f.name == name:
            return Path(str(f.locate()))
    raise MissingExtra(f"example-robot-data has no {name}; a newer version is needed.")


def pairs(path: Path, rng: np.random.Generator):  # type: ignore[no-untyped-def]
    """(name, our call, the peer's call, states a call of ours) for one robot."""
    try:
        pin: Any = importlib.import_module("pinocchio")
    except ImportError:
        raise MissingExtra('the benchmark needs its peer Pinocchio: pip install "bunraku[bench]".') from None
    import bunraku as bk

    m = bk.load(path)
    pm = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    data = pm.createData()
    pq = pin.randomConfiguration(pm, -np.ones(pm.nq), np.ones(pm.nq))
    work, a = bk.Work(m), np.empty(m.nv)
    M, J = np.empty((m.nv, m.nv)), np.empty((m.nv, 6))
    Q = np.array([bk.random_configuration(m, rng) for _ in range(BATCH)])
    V, T = rng.normal(size=(BATCH, m.nv)), 10 * rng.normal(size=(BATCH, m.nv))
    A = np.empty((BATCH, m.nv))
    q, v, tau = Q[0].copy(), V[0].copy(), T[0].copy()
    yield "aba", lambda: bk.aba(m, q, v, tau, work=work, out=a), lambda: pin.aba(pm, data, pq, v, tau), 1
    yield "rnea", lambda: bk.rnea(m, q, v, tau, work=work, out=a), lambda: pin.rnea(pm, data, pq, v, tau), 1
    yield "crba", lambda: bk.crba(m, q, work=work, out=M), lambda: pin.crba(pm, data, pq), 1
    yield "jacobians", lambda: bk.joint_jacobians(m, q, work=work, out=J), lambda: pin.computeJointJacobians(pm, data, pq), 1  # fmt: skip
    yield "aba_batch", lambda: bk.aba(m, Q, V, T, work=work, out=A), lambda: pin.aba(pm, data, pq, v, tau), BATCH


def burst(call: Callable[[], Any], n: int) -> float:
    """Microseconds a call."""
    start = time.perf_counter()
    for _ in range(n):
        call()
    return (time.perf_counter() - start) / n * 1e6


def interleaved(ours: Callable[[], Any], peer: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """The minimum of both, measured turn by turn in bursts of about a millisecond."""
    ours()
    peer()
    no, np_ = (max(1, int(1000 / max(burst(f, 20), 0.1))) for f in (ours, peer))
    best_ours = best_peer = float("inf")
    for _ in range(repeats):
        best_ours = min(best_ours, burst(ours, no))
        best_peer = min(best_peer, burst(peer, np_))
    return best_ours, best_peer


def chain_time(n: int, rng: np.random.Generator, repeats: int) -> float:
    """Microseconds of aba on a chain of n hinges with changing axes."""
    import bunraku as bk

    figure = bk.Description(name=f"chain{n}")
    for i in range(n):
        axis = ((1, 0, 0), (0, 1, 0), (0, 0, 1))[i % 3]
        figure.add(
            f"l{i}",
            f"l{i - 1}" if i else None,
            bk.hinge(f"j{i}", axis),
            at=(0.1, 0.02, -0.1),
            mass=1.0,
            com=(0.05, 0, 0),
            moments=(0.01, 0.02, 0.02),
        )
    m = figure.build()
    q, v, tau = rng.uniform(-0.1, 0.1, m.nq), rng.normal(size=m.nv), rng.normal(size=m.nv)
    work, a = bk.Work(m), np.empty(m.nv)

    def call() -> None:
        bk.aba(m, q, v, tau, work=work, out=a)

    call()
    count = max(1, int(1000 / max(burst(call, 3), 0.1)))
    return min(burst(call, count) for _ in range(max(5, repeats // 2)))


def machine() -> dict[str, str]:
    """Processor and versions, for the record."""
    cpu = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            cpu = next((line.split(":", 1)[1].strip() for line in f if line.startswith("model name")), cpu)
    except OSError:
        pass
    versions = {}
    for name in ("numba", "numpy", "pin", "mujoco"):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {"cpu": cpu, "python": sys.version.split()[0], **versions}


def show(report: dict[str, Any]) -> None:
    """Print a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table("call", "robot", "Bunraku us", "Pinocchio us", "ratio")
    for r in report["results"]:
        table.add_row(r["name"], r["robot"], f"{r['ours_us']:.2f}", f"{r['peer_us']:.2f}", f"{r['ratio']:.2f}")
    console = Console()
    console.print(table)
    console.print(
        f"aba on chains of {CHAINS[0]} to {CHAINS[-1]} links: time grows with exponent {report['slope_aba']:.3f}"
    )
    console.print(", ".join(f"{k} {v}" for k, v in report["machine"].items()))
