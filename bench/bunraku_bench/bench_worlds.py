"""`bunraku bench worlds`: many worlds of a robot beside mujoco.rollout, on one thread and on two.

Method: the robots of `bench world` (box feet, 8 contacts, dt 2 ms, the same gains), 64 worlds a side. Jobs: `stand` after
small shoves (0.02 m/s), `squat`, each world in a phase of its own, `shove`, each world pushed by 40 N for 0.1 s at its own
time in every second. Ours: `bk.Worlds`, four steps a call. The peer: `mujoco.rollout`, all steps of a turn in one call,
which spares it calls and cold starts, with the faster of its two cones. One thread: processor time; two: time by the
clock, which means something on an idle machine alone. Minimum over interleaved turns; all must stay upright.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bunraku.cli.common import print_json, progress_bar
from bunraku_bench.bench_dynamics import machine
from bunraku_bench.bench_world import DT, ROBOTS, STEPS, Robot, ours, peers

JOBS = ("stand", "squat", "shove")
CALL = 4  # steps a call of ours
TURN = 100  # steps of a turn
SHOVE, SHOVE_STEPS, PERIOD = 40.0, 50, 500  # N, steps, steps
PUSHED = "base_link"  # of both robots


def worlds(
    json: bool = False,
    repeats: int = 12,
    count: int = 64,
    robots: tuple[str, ...] = tuple(ROBOTS),
    jobs: tuple[str, ...] = JOBS,
    threads: tuple[int, ...] = (1, 2),
) -> int:
    """Compare many worlds of standing, squatting and shoved robots with mujoco.rollout.

    Args:
        json: Print JSON.
        repeats: Interleaved turns of each side; the minimum counts.
        count: How many worlds each side has.
        robots: Which robots.
        jobs: What they do: stand, squat, shove.
        threads: Numbers of threads.
    """
    results: list[dict[str, Any]] = []
    with progress_bar(len(robots) * len(jobs), "bench worlds") as update:
        for k, (robot, job) in enumerate((r, j) for r in robots for j in jobs):
            update(k, f"{robot} {job}")
            results += race(robot, job, count, repeats, threads)
    report = {"results": results, "machine": machine()}
    if json:
        print_json(report)
    else:
        show(report)
    return 0


def race(name: str, job: str, count: int, repeats: int, threads: tuple[int, ...]) -> list[dict[str, Any]]:
    """Time a world-step of both sides, turn by turn."""
    robot, rng = ROBOTS[name], np.random.default_rng(0)
    kicks = 0.02 * rng.normal(size=(count, 3))
    phases = rng.integers(0, STEPS, count)
    our_turns = {n: OurTurn(robot, job, n, kicks, phases) for n in threads}
    their_turns = {
        (n, k): TheirTurn(peer, job, n, kicks, phases) for n in threads for k, peer in enumerate(peers(robot))
    }
    best: dict[Any, float] = {}
    for _ in range(repeats):
        for n, turn in our_turns.items():
            best[n] = min(best.get(n, np.inf), timed(turn, n))
        for key, turn in their_turns.items():
            best[key] = min(best.get(key, np.inf), timed(turn, key[0]))
    out = []
    for n, turn in our_turns.items():
        turn.check(f"{name} fell over while it was to {job}")
        us = best[n] / (TURN * count) * 1e6
        peer = min(best[n, 0], best[n, 1]) / (TURN * count) * 1e6
        out.append(
            {"name": job, "robot": name, "threads": n, "worlds": count, "ours_us": us, "peer_us": peer, "ratio": peer / us,
             "residual_max": float(turn.worlds.residual.max()), "residual_median": float(np.median(turn.worlds.residual))}
        )  # fmt: skip
    return out


def timed(turn: Callable[[], None], threads: int) -> float:
    """Seconds of a turn: of one core, or by the clock where there are several threads."""
    clock = time.process_time if threads == 1 else time.perf_counter
    start = clock()
    turn()
    return clock() - start


class OurTurn:
    """A turn of `bk.Worlds`."""

    def __init__(self, robot: Robot, job: str, threads: int, kicks: np.ndarray, phases: np.ndarray) -> None:
        import bunraku as bk

        world, figure, track = ours(robot, "pgs")
        world.step(STEPS)
        if job == "squat":
            rows = np.concatenate([np.tile(track[-1], (STEPS, 1)), track, track])  # it waits for its time
            figure.follow(rows, np.zeros((len(rows), world.v.size)))  # rates of targets are none of the peer's
        self.job, self.phases, self.at, self.link = job, phases, 0, f"{figure.name}.{PUSHED}"
        self.worlds = bk.Worlds(world, len(kicks), threads)
        self.worlds.v[:, :3] += kicks
        if job == "squat":
            self.worlds.track_at[:] = phases
        for _ in range(2 * STEPS // TURN):
            self()
        self.worlds.residual[:] = 0.0

    def __call__(self) -> None:
        if self.job == "squat":
            self.worlds.track_at[self.worlds.track_at >= 2 * STEPS] -= STEPS
        for _ in range(TURN // CALL):
            if self.job == "shove":
                now = (self.phases - self.at) % PERIOD < CALL
                if now.any():
                    self.worlds.push(now, self.link, (SHOVE, 0, 0), SHOVE_STEPS * DT)
            self.worlds.step(CALL)
            self.at += CALL

    def check(self, otherwise: str) -> None:
        """All are upright and none stands still."""
        up = 1.0 - 2.0 * (self.worlds.q[:, 4] ** 2 + self.worlds.q[:, 5] ** 2)
        if self.worlds.status.any() or not np.all(up > 0.9):
            raise RuntimeError(f"{otherwise}; the figures would mean nothing.")


class TheirTurn:
    """A turn of mujoco.rollout."""

    def __init__(
        self,
        peer: tuple[Any, Any, np.ndarray, np.ndarray],
        job: str,
        threads: int,
        kicks: np.ndarray,
        phases: np.ndarray,
    ) -> None:
        mujoco: Any = importlib.import_module("mujoco")
        self.rollout: Any = importlib.import_module("mujoco.rollout").rollout
        self.model, data, track, _ = peer
        self.job, self.phases, self.at = job, phases, 0
        mujoco.mj_step(self.model, data, STEPS)
        kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = np.zeros(mujoco.mj_stateSize(self.model, kind))
        mujoco.mj_getState(self.model, data, state, kind)
        self.states = np.tile(state, (len(kicks), 1))
        self.states[:, 1 + self.model.nq : 4 + self.model.nq] += kicks
        self.data = [mujoco.MjData(self.model) for _ in range(threads)]
        self.track, self.still = track, data.ctrl.copy()
        self.spec = mujoco.mjtState.mjSTATE_CTRL
        if job == "shove":
            self.spec = int(self.spec) | int(mujoco.mjtState.mjSTATE_XFRC_APPLIED)
            self.body = int(mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_BODY, PUSHED))
        for _ in range(2 * STEPS // TURN):
            self()

    def __call__(self) -> None:
        steps = self.at + np.arange(TURN)
        if self.job == "squat":
            row = self.phases[:, None] + steps
            control = self.track[np.where(row < STEPS, -1, row % STEPS)]
        else:
            control = np.tile(self.still, (len(self.states), TURN, 1))
        self.asked = control[:, -1]
        if self.job == "shove":
            force = np.zeros((len(self.states), TURN, 6 * self.model.nbody))
            force[:, :, 6 * self.body] = SHOVE * ((steps - self.phases[:, None]) % PERIOD < SHOVE_STEPS)
            control = np.concatenate([control, force], axis=2)
        states, _ = self.rollout(
            self.model, self.data, self.states, control, control_spec=int(self.spec), persistent_pool=True
        )
        self.states = states[:, -1].copy()
        self.at += TURN


def show(report: dict[str, Any]) -> None:
    """The figures as a table."""
    print(f"{report['machine']}; one thread: processor time, more: by the clock")
    print(
        f"{'job':8s} {'robot':18s} {'threads':>7s} {'ours us':>8s} {'rollout us':>10s} {'ratio':>6s} {'residual':>9s}"
    )
    for r in report["results"]:
        print(
            f"{r['name']:8s} {r['robot']:18s} {r['threads']:7d} {r['ours_us']:8.2f} {r['peer_us']:10.2f} "
            f"{r['ratio']:6.2f} {r['residual_max']:9.1e}"
        )
