"""`bunraku bench shapes`: single convex shapes and pairs of them beside MuJoCo.

Method: one thread, both sides by turns in one run, the minimum of many repeats. *Steps*: a box, a cylinder, a hull of 64
vertices (its flat base down) at rest on a plane, dt = 2 ms; MuJoCo with the faster of its two friction cones. *Pairs*:
40 pairs of random hulls of 64 vertices, turned at random, each pair far from the others; detection alone, poses of bodies
known, a pair's share of one call with the broad phase in it. 1 mm inside each other, and 2 cm apart. Bunraku looks 1 cm
ahead, MuJoCo not at all, as both do by themselves. The ratio is to MuJoCo as it comes, which finds patches as we do;
"its other way" is with one point a pair (MULTICCD off).
"""

from __future__ import annotations

import importlib
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.cli.common import print_json
from bunraku.errors import MissingExtra
from bunraku_bench.bench_dynamics import machine

DT = 0.002
PAIRS = 40
VERTICES = 64
DEEP, APART, MARGIN = 0.001, 0.02, 0.01  # m
BURST = 200  # steps


def shapes(json: bool = False, repeats: int = 60, seed: int = 0) -> int:
    """Compare single convex shapes at rest, and detection of pairs of hulls, with MuJoCo.

    Args:
        json: Print JSON.
        repeats: Interleaved bursts of each measurement; the minimum counts.
        seed: Of the hulls and their poses.
    """
    try:
        mujoco: Any = importlib.import_module("mujoco")
    except ImportError:
        raise MissingExtra('the benchmark needs its peer MuJoCo: pip install "bunraku[bench]".') from None
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        rows = [standing(mujoco, kind, rng, repeats, Path(folder)) for kind in ("box", "cylinder", "hull")]
        rows += [
            meeting(mujoco, what, gap, rng, repeats, Path(folder))
            for what, gap in (("touching", -DEEP), ("apart", APART))
        ]
    if json:
        print_json({"results": rows, "machine": machine()})
    else:
        show(rows)
    return 0


def ball_of_points(rng: np.random.Generator) -> np.ndarray:
    """Vertices of a random hull, all of them on an ellipsoid."""
    x = rng.normal(size=(VERTICES, 3))
    return x / np.linalg.norm(x, axis=1, keepdims=True) * (0.12, 0.1, 0.08)


def turn(rng: np.random.Generator) -> np.ndarray:
    """A random rotation."""
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q if np.linalg.det(q) > 0 else -q


def mesh(points: np.ndarray, path: Path) -> Any:
    """A shape: a mesh file of the hull of points."""
    from bunraku.collision import convex_hull
    from bunraku.model.description import Shape

    hull = convex_hull(points)
    lines = ["v " + " ".join(map(repr, map(float, p))) for p in hull.vertices + hull.centre]
    lines += ["f " + " ".join(str(int(k) + 1) for k in t) for t in hull.triangles]
    path.write_text("\n".join(lines) + "\n")
    return Shape("mesh", mesh=str(path))


def interleaved(repeats: int, *jobs: Callable[[], Any]) -> list[float]:
    """Least seconds of each job, turn by turn."""
    best = [float("inf")] * len(jobs)
    for _ in range(repeats):
        for k, job in enumerate(jobs):
            began = time.perf_counter()
            job()
            best[k] = min(best[k], time.perf_counter() - began)
    return best


def twins(mujoco: Any, model: Any, ground: float | None, **flags: Any) -> list[tuple[Any, Any]]:
    """MuJoCo's (model, data) with either cone."""
    from bunraku_bench.robot_twin import twin

    out = []
    for cone in (mujoco.mjtCone.mjCONE_PYRAMIDAL, mujoco.mjtCone.mjCONE_ELLIPTIC):
        spec = twin(mujoco, model, ground, {}, True)
        spec.option.timestep, spec.option.cone = DT, cone
        for name, value in flags.items():
            setattr(spec.option, name, value)
        m = spec.compile()
        out.append((m, mujoco.MjData(m)))
    return out


def standing(mujoco: Any, kind: str, rng: np.random.Generator, repeats: int, folder: Path) -> dict[str, Any]:
    """A shape at rest on its flat base: time a step of both sides."""
    import bunraku as bk
    from bunraku.model.description import Shape

    z = 0.1
    if kind == "hull":
        points = ball_of_points(rng)
        points[: VERTICES // 4, 2] = -0.08  # its base
        shape = mesh(points, folder / "standing.obj")
        z = -float(points[:, 2].min())
    else:
        shape = Shape(kind, (0.1, 0.1, 0.1) if kind == "box" else (0.1, 0.1))
    d = bk.Description(kind)
    d.add("thing", None, bk.free("root"), mass=1.0, moments=(0.004, 0.004, 0.004), shapes=[shape])
    d.links[0].position = (0.0, 0.0, z)
    model = d.build()
    w = bk.World(dt=DT)
    w.add_ground(friction=0.8)
    w.add(model)
    rivals = twins(mujoco, model, 0.0)
    w.step(500)
    for m, data in rivals:
        mujoco.mj_step(m, data, 500)
    best, *theirs = interleaved(
        repeats, lambda: w.step(BURST), *[lambda m=m, data=data: mujoco.mj_step(m, data, BURST) for m, data in rivals]
    )
    us, peer = 1e6 * best / BURST, 1e6 * min(theirs) / BURST
    return {
        "name": f"{kind} at rest, a step", "ours_us": us, "peer_us": peer, "ratio": us / peer, "other_us": 1e6 * max(theirs) / BURST,
        "contacts": w.report.contacts, "peer_contacts": int(rivals[0][1].ncon),
    }  # fmt: skip


def meeting(mujoco: Any, what: str, gap: float, rng: np.random.Generator, repeats: int, folder: Path) -> dict[str, Any]:
    """Pairs of hulls: time of detection, a pair's share."""
    import bunraku as bk
    from bunraku.collision import Contacts, Geometry, Placed

    first, along, turns = np.zeros((PAIRS, 3)), np.zeros((PAIRS, 3)), [turn(rng) for _ in range(2 * PAIRS)]
    meshes = [mesh(ball_of_points(rng), folder / f"{what}{k}.obj") for k in range(2 * PAIRS)]
    for k in range(PAIRS):
        first[k], along[k] = (2.0 * (k % 8), 2.0 * (k // 8), 0.0), turn(rng)[0]

    def pairs(away: np.ndarray) -> Any:
        d = bk.Description("pairs")
        for k in range(2 * PAIRS):
            place = first[k // 2] + k % 2 * away[k // 2] * along[k // 2]
            d.add(f"thing{k}", None, bk.free(f"root{k}"), at=place, rotation=turns[k], mass=1.0, moments=(0.004,) * 3,
                  shapes=[meshes[k]])  # fmt: skip
        return d.build()

    away = np.full(PAIRS, 0.3)
    contacts = Contacts(Geometry.of([Placed(pairs(away))]))
    poses = np.zeros((0, 12))
    for _ in range(20):  # moved together until the gap along the normal is the one that is wanted
        model = pairs(away)
        k = bk.kinematics(model, model.neutral())
        poses = np.hstack([k.rotation.reshape(-1, 9), k.position])
        count = contacts.detect(poses, 0.3)
        nearest: dict[int, tuple[float, float]] = {}
        for (a, _), data in zip(contacts.ids[:count, :2], contacts.data[:count]):
            pair = int(a) // 2
            slope = abs(float(data[3:6] @ along[pair]))
            nearest[pair] = min(nearest.get(pair, (np.inf, 1.0)), (float(data[6]), slope))
        away -= [(nearest[p][0] - gap) / max(nearest[p][1], 0.3) for p in range(PAIRS)]
    model = pairs(away)
    count = contacts.detect(poses, MARGIN)
    rivals = []
    for flags in ({}, {"disableflags": int(getattr(mujoco.mjtDisableBit, "mjDSBL_MULTICCD", 0))}):
        m, data = twins(mujoco, model, None, **flags)[0]
        mujoco.mj_kinematics(m, data)
        mujoco.mj_comPos(m, data)
        mujoco.mj_collision(m, data)
        rivals.append((m, data))
    best, *theirs = interleaved(
        10 * repeats, lambda: contacts.detect(poses, MARGIN),
        *[lambda m=m, data=data: mujoco.mj_collision(m, data) for m, data in rivals],
    )  # fmt: skip
    us, peer, other = (1e6 * t / PAIRS for t in (best, *theirs))
    return {
        "name": f"two hulls {what}, detection", "ours_us": us, "peer_us": peer, "ratio": us / peer, "other_us": other,
        "contacts": count, "peer_contacts": int(rivals[0][1].ncon),
    }  # fmt: skip


def show(rows: list[dict[str, Any]]) -> None:
    """Print a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table("", "Bunraku us", "MuJoCo us", "of MuJoCo's", "its other way us", "contacts")
    for r in rows:
        table.add_row(
            r["name"], f"{r['ours_us']:.2f}", f"{r['peer_us']:.2f}", f"{r['ratio']:.2f}", f"{r['other_us']:.2f}",
            f"{r['contacts']} ({r['peer_contacts']})",
        )  # fmt: skip
    Console().print(table)
