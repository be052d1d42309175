"""`bunraku bench world`: standing and squatting robots beside MuJoCo, and the cost of a step against the number of
contacts.

Method: one thread; the same robot (links, inertias, joints of the URDF; no joint limits or friction, all shapes
replaced by one box a foot), the same gains, dt 2 ms, 8 contact points on a plane, at the default tolerances. Ours:
`world.step(n)` with implicit servos that follow a track. MuJoCo: `mj_step(nstep)` standing and `mujoco.rollout`
squatting, position actuators and joint damping, the faster of the pyramidal and the elliptic cone. Minimum over
interleaved repeats. Stacks: boxes in stacks of five, 4 contacts between neighbours.
"""

from __future__ import annotations

import importlib
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from bunraku.cli.common import print_json, progress_bar
from bunraku.errors import MissingExtra
from bunraku_bench.bench_dynamics import machine, robot_file

DT = 0.002
FRICTION = 0.8
FOOT = (0.1, 0.05, 0.02)  # half sizes [m]
AHEAD = 0.02  # m: the middle of a foot lies ahead of the ankle
DEPTH = 0.3  # rad: how far hips bend in a squat
STEPS = 500  # one squat
STACKS = (1, 5, 10, 25, 50, 100, 200)  # boxes


@dataclass(frozen=True)
class Robot:
    """What the benchmark needs to know of a robot: foot links, how far below them the sole lies, and the joints that
    squat."""

    file: str
    feet: tuple[str, str]
    sole: float
    squat: dict[str, float]  # joint -> rate against the hip's bend
    kp: float
    kd: float


ROBOTS = {
    "simple_humanoid": Robot(
        "simple_humanoid.urdf",
        ("l_ankle", "r_ankle"),
        0.1,
        {f"{s}LEG_{j}": x for s in "LR" for j, x in (("HIP_P", -1.0), ("KNEE", 2.0), ("ANKLE_P", -1.0))},
        10000.0,
        200.0,
    ),
    "talos_reduced": Robot(
        "talos_reduced.urdf",
        ("leg_left_6_link", "leg_right_6_link"),
        0.107,
        {f"leg_{s}_{k}_joint": x for s in ("left", "right") for k, x in ((3, -1.0), (4, 2.0), (5, -1.0))},
        10000.0,
        200.0,
    ),
}


def world(json: bool = False, repeats: int = 30, robots: tuple[str, ...] = tuple(ROBOTS)) -> int:
    """Compare standing and squatting with MuJoCo, for each rigid contact model, and fit the cost of a step against
    contacts.

    Args:
        json: Print JSON.
        repeats: Interleaved repeats of each measurement; the minimum counts.
        robots: Which robots.
    """
    from bunraku.world.contact_models import MODELS

    models = [m for m in ("pgs", "virtual_link") if m in MODELS]
    results: list[dict[str, Any]] = []
    done, stacks = 0, []
    with progress_bar(2 * len(robots) + len(STACKS), "bench world") as update:
        for robot in robots:
            for name in ("stand", "squat"):
                update(done, f"{robot} {name}")
                results += race(robot, name, models, repeats)
                done += 1
        for n in STACKS:
            update(done, f"{n} boxes")
            stacks.append(stack_time(n, repeats))
            done += 1
        boxes = stack_time(32, repeats)
    slope = float(np.polyfit(np.log([s["contacts"] for s in stacks]), np.log([s["us"] for s in stacks]), 1)[0])
    report = {"results": results, "slope_contacts": slope, "stacks": stacks, "boxes_32": boxes, "machine": machine()}
    if json:
        print_json(report)
    else:
        show(report)
    return 0


def description_of(robot: Robot) -> Any:
    """The robot's description with one box a foot and no other shape."""
    import bunraku as bk

    d = bk.load(robot_file(robot.file)).description
    k = bk.kinematics(d.build(), d.build().neutral())
    for link in d.links:
        link.shapes = []
        for j in link.joints:  # an ankle of simple_humanoid does not bend far enough to squat
            j.lower, j.upper, j.friction = -np.inf, np.inf, 0.0
        if link.name in robot.feet:
            R = k.pose(link.name)[1]
            below = R.T @ [AHEAD, 0.0, FOOT[2] - robot.sole]
            link.shapes = [bk.Shape("box", FOOT, tuple(below), R.T, name=f"{link.name}_sole")]
    return d


def poses(model: Any, robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """(start, track of one squat (STEPS, nq)): knees a little bent, soles on the ground, the centre of mass above the
    middle of the feet."""
    import bunraku as bk

    def bent(depth: float, lean: float) -> np.ndarray:
        """Hips, knees and ankles bent by `depth`; ankles lean further, hips keep the trunk upright."""
        q = model.neutral()
        q[:3] = 0.0
        for k, (name, rate) in enumerate(robot.squat.items()):
            q[model.joint(name).iq] += rate * depth + (0.0 if k % 3 == 1 else (lean if k % 3 == 2 else -lean))
        return q

    def balanced(depth: float) -> np.ndarray:
        """The lean that brings the centre of mass above the feet, by secants."""
        x, y = 0.0, 0.05
        fx = ahead(bent(depth, x))
        for _ in range(20):
            fy = ahead(bent(depth, y))
            if abs(fy) < 1e-9 or fy == fx:
                break
            x, y, fx = y, y - fy * (y - x) / (fy - fx), fy
        return bent(depth, y)

    def ahead(q: np.ndarray) -> float:
        k = bk.kinematics(model, q)
        return float(bk.centroidal(model, q, np.zeros(model.nv)).com[0] - k.pose(robot.feet[0])[0][0] - AHEAD)

    q = balanced(0.1)
    q[2] = robot.sole - min(bk.kinematics(model, q).pose(f)[0][2] for f in robot.feet)
    cycle = 0.5 - 0.5 * np.cos(2 * np.pi * DT * np.arange(1, STEPS + 1))
    depths = np.linspace(0.0, 1.0, 21)
    rows = np.array([balanced(0.1 + DEPTH * c) for c in depths])
    return q, np.stack([np.interp(cycle, depths, column) for column in rows.T], axis=1)


def ours(robot: Robot, contact: str) -> tuple[Any, Any, np.ndarray]:
    """(world, figure, track)."""
    import bunraku as bk

    model = description_of(robot).build()
    q, track = poses(model, robot)
    w = bk.World(dt=DT, contact=contact)
    w.add_ground(friction=FRICTION)
    fig = w.add(model)
    fig.q[:] = q
    fig.servo(robot.kp, robot.kd, effort=np.inf)
    return w, fig, track


def peers(robot: Robot) -> list[tuple[Any, Any, np.ndarray, np.ndarray]]:
    """MuJoCo's (model, data, controls of a squat, start of the joints) for both cones."""
    try:
        mujoco: Any = importlib.import_module("mujoco")
    except ImportError:
        raise MissingExtra('the benchmark needs its peer MuJoCo: pip install "bunraku[bench]".') from None
    import bunraku as bk
    from bunraku_bench.bench_mujoco import twin

    d = description_of(robot)
    model = d.build()
    q, track = poses(model, robot)
    out = []
    for cone in (mujoco.mjtCone.mjCONE_PYRAMIDAL, mujoco.mjtCone.mjCONE_ELLIPTIC):
        spec, names = twin(mujoco, d, robot.kp, robot.kd, FRICTION)
        spec.option.timestep, spec.option.cone, spec.option.gravity = DT, cone, bk.World().gravity
        m = spec.compile()
        data = mujoco.MjData(m)
        data.qpos[:3], data.qpos[3:7] = q[:3], q[3:7]
        index = [model.joint(n).iq for n in names]
        for n, i in zip(names, index):
            data.qpos[m.joint(n).qposadr[0]] = q[i]
        data.ctrl[:] = q[index]
        mujoco.mj_forward(m, data)
        out.append((m, data, track[:, index].copy(), q))
    return out


def race(name: str, job: str, models: list[str], repeats: int) -> list[dict[str, Any]]:
    """Time a step of all sides, turn by turn."""
    mujoco: Any = importlib.import_module("mujoco")
    rollout: Any = importlib.import_module("mujoco.rollout")
    robot = ROBOTS[name]
    worlds = {m: ours(robot, m) for m in models}
    rivals = peers(robot)
    for w, fig, track in worlds.values():
        w.step(STEPS)
        if job == "squat":
            fig.follow(track)
            w.step(STEPS)
        w.forget_worst()
    states = []
    for m, data, _, _ in rivals:
        mujoco.mj_step(m, data, STEPS)
        state = np.zeros(mujoco.mj_stateSize(m, mujoco.mjtState.mjSTATE_FULLPHYSICS))
        mujoco.mj_getState(m, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        states.append(state)
    best = dict.fromkeys([*worlds, 0, 1], float("inf"))
    for _ in range(repeats):
        for key, (w, fig, track) in worlds.items():
            if job == "squat":
                fig.follow(track)
            start = time.perf_counter()
            w.step(STEPS)
            best[key] = min(best[key], time.perf_counter() - start)
        for key, (m, data, controls, _) in enumerate(rivals):
            start = time.perf_counter()
            if job == "squat":
                rollout.rollout(m, data, states[key], controls[None])
            else:
                mujoco.mj_step(m, data, STEPS)
            best[key] = min(best[key], time.perf_counter() - start)
    peer = min(best[0], best[1]) / STEPS * 1e6
    out = []
    for key, (w, fig, _) in worlds.items():
        if not standing(w, fig):
            raise RuntimeError(f"{name} fell over while it was to {job} ({key}); the figures would mean nothing.")
        us = best[key] / STEPS * 1e6
        r = w.report
        out.append(
            {"name": job, "robot": name, "contact": key, "ours_us": us, "peer_us": peer, "ratio": peer / us, "contacts": r.contacts,
             "peer_contacts": int(rivals[0][1].ncon), "sweeps": r.most_sweeps, "residual_max": r.worst_residual, "unsolved": r.unsolved_in_all,
             "fallbacks": r.fallbacks}
        )  # fmt: skip
    return out


def standing(w: Any, fig: Any) -> bool:
    """Whether its weight still rests on its feet and it is upright."""
    up = 1.0 - 2.0 * (fig.q[4] ** 2 + fig.q[5] ** 2)
    return bool(w.report.contacts >= 4 and up > 0.9)


def stack_time(boxes: int, repeats: int) -> dict[str, Any]:
    """Time a step of boxes in stacks of five at rest."""
    import bunraku as bk

    w = bk.World(dt=0.001)
    w.add_ground(friction=0.6)
    for k in range(boxes):
        stack = k // 5
        w.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(0.3 * (stack % 8), 0.3 * (stack // 8), 0.05 + 0.1 * (k % 5)))
    w.step(200)
    w.forget_worst()
    n = max(5, 2000 // boxes)
    best = float("inf")
    for _ in range(max(5, repeats // 2)):
        start = time.perf_counter()
        w.step(n)
        best = min(best, (time.perf_counter() - start) / n)
    r = w.report
    return {
        "boxes": boxes,
        "contacts": r.contacts,
        "us": best * 1e6,
        "residual_max": r.worst_residual,
        "unsolved": r.unsolved_in_all,
    }


def show(report: dict[str, Any]) -> None:
    """Print tables."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    table = Table("job", "robot", "contact", "Bunraku us", "MuJoCo us", "ratio", "contacts", "sweeps", "residual")
    for r in report["results"]:
        table.add_row(
            r["name"], r["robot"], r["contact"], f"{r['ours_us']:.2f}", f"{r['peer_us']:.2f}", f"{r['ratio']:.2f}", str(r["contacts"]),
            str(r["sweeps"]), f"{r['residual_max']:.1e}",
        )  # fmt: skip
    console.print(table)
    table = Table("boxes in stacks of five", "contacts", "us a step", "residual")
    for s in [*report["stacks"], report["boxes_32"]]:
        table.add_row(str(s["boxes"]), str(s["contacts"]), f"{s['us']:.1f}", f"{s['residual_max']:.1e}")
    console.print(table)
    console.print(f"time grows with contacts by exponent {report['slope_contacts']:.3f}")
    console.print(", ".join(f"{k} {v}" for k, v in report["machine"].items()))
