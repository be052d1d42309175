"""`bunraku bench robots`: public robots with their own shapes, dropped and held by servos, beside MuJoCo; and limp, as
they are.

Method: one thread; robots of PyPI packages (bunraku_bench.robot_files), read by Bunraku; MuJoCo has the twin of each
(bunraku_bench.robot_twin): the same links, joints, limits, shapes, hulls and excluded pairs, so that both do the same
work. Robots fall 5 cm onto a plane (arms stand fixed above it), each joint held where it was by a servo of 30 rad/s (the
diagonal of the mass matrix at the start decides its stiffness). dt = 2 ms, 10 s: 2 s to come to rest, then bursts of
both sides by turns, of which the shortest count; MuJoCo with the faster of its two friction cones, at its default
tolerances. Once with own links apart, once with own links that touch each other, but for pairs that overlap in the
pose at the start, which both leave out. The pose at the start is the neutral one, joints brought within their limits.

The second table: each robot added as it is, limp, half a second, with and without own links; the fastest joint beside
MuJoCo's in the same twin. Where a light link hits, the rate that its joint jumps to depends on how hard contact is, and
MuJoCo's gives way: so its twin runs once more with contacts and limits as hard as steps of 0.2 ms allow.
"""

from __future__ import annotations

import gc
import importlib
import time
from typing import Any

import numpy as np

from bunraku.cli.common import print_json, progress_bar
from bunraku.errors import BunrakuError, MissingExtra
from bunraku_bench.bench_dynamics import machine
from bunraku_bench.robot_files import RobotFile, found

DT = 0.002
DROP = 0.05  # m
BANDWIDTH = 30.0  # rad/s
SETTLE = 1000  # steps before time is taken
LIMP = 250  # steps: half a second
HARD_DT = 0.0002  # s: steps of the twin with hard contacts


def robots(
    json: bool = False, repeats: int = 20, names: tuple[str, ...] = (), held: bool = True, limp: bool = True
) -> int:
    """Compare public robots with their own shapes with MuJoCo: held by servos (time, depth, residual) and limp (the
    fastest joint).

    Args:
        json: Print JSON.
        repeats: Interleaved bursts of each measurement; the minimum counts. 10 s in all.
        names: Which robots; all that are installed by default.
        held: Whether to run the robots held by servos.
        limp: Whether to run the limp ones.
    """
    try:
        mujoco: Any = importlib.import_module("mujoco")
    except ImportError:
        raise MissingExtra('the benchmark needs its peer MuJoCo: pip install "bunraku[bench]".') from None
    chosen = found(names)
    results: list[dict[str, Any]] = []
    loose: list[dict[str, Any]] = []
    refused: list[dict[str, str]] = []
    jobs = [(r, p, job) for r, p in chosen.items() for job, do in (("held", held), ("limp", limp)) if do]
    with progress_bar(len(jobs), "bench robots") as update:
        for done, (robot, path, job) in enumerate(jobs):
            update(done, f"{robot.name} {job}")
            try:
                for own in (False, True):
                    row = (race if job == "held" else slump)(mujoco, robot, path, own, repeats)
                    (results if job == "held" else loose).append(row)
            except (BunrakuError, ValueError) as error:  # ValueError: MuJoCo's compiler
                refused.append(
                    {"name": robot.name, "job": job, "why": " ".join(f"{type(error).__name__}: {error}".split())}
                )
            gc.collect()
    report = {
        "results": results, "summary": {"apart": summary(results, False), "colliding": summary(results, True)},
        "limp": loose, "refused": refused, "machine": machine(),
    }  # fmt: skip
    if json:
        print_json(report)
    else:
        show(report)
    return 0


def load(robot: RobotFile, path: Any) -> Any:
    """Its description, without planes."""
    from bunraku.formats import describe

    d = describe(path, root="fixed" if robot.fixed else "free") if path.suffix == ".urdf" else describe(path)
    for link in d.links:
        link.shapes = [s for s in link.shapes if s.kind != "plane"]
    d.gravity = (0.0, 0.0, -9.80665)
    return d


def start_pose(model: Any) -> np.ndarray:
    """q: neutral, with joints within their limits."""
    from bunraku.collision.rest_overlaps import brought_within_limits

    return brought_within_limits(model, model.neutral())


def at_rest(d: Any) -> tuple[float, list[tuple[str, str]]]:
    """(height of the lowest point, pairs of links whose shapes overlap) in the pose at the start."""
    import bunraku as bk
    from bunraku.collision import Contacts, Geometry, Placed

    model = d.build()
    g = Geometry.of([Placed(model, 0)])
    if g.ns == 0:
        return 0.0, []
    k = bk.kinematics(model, start_pose(model))
    poses = np.hstack([k.rotation.reshape(-1, 9), k.position])
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    low = np.inf
    for s in range(g.ns):
        form, hull = g.forms[s], g.hulls.get(s)
        points = hull.vertices if hull is not None else corners * np.asarray(form.half)
        x = np.asarray(form.place) + points @ np.reshape(form.turn, (3, 3)).T
        low = min(low, float((k.position[g.body[s]] + x @ k.rotation[g.body[s]].T)[:, 2].min()))
    contacts = Contacts(g)
    n = contacts.detect(poses, 0.0)
    overlapping = {(g.links[a], g.links[b]) for a, b in contacts.ids[:n, :2]}
    return low, sorted(overlapping)


def servo_gains(model: Any) -> dict[str, tuple[float, float]]:
    """Stiffness and damping by joint: a bandwidth of BANDWIDTH, critically damped, for what the joint has to move."""
    import bunraku as bk

    inertia = np.diag(bk.crba(model, model.neutral()))
    least = 1e-3 * float(np.median(inertia)) if len(inertia) else 0.0
    out = {}
    for j in model.joints:
        if j.nv == 1 and j.kind in ("hinge", "slider"):
            m = max(float(inertia[j.iv]), least)
            out[j.name] = (m * BANDWIDTH**2, 2 * m * BANDWIDTH)
    return out


def ours(model: Any, ground: float, gains: dict[str, tuple[float, float]], own: bool) -> tuple[Any, Any]:
    """(world, figure)."""
    import bunraku as bk

    w = bk.World(dt=DT, gravity=(0.0, 0.0, -9.80665))
    w.add_ground(friction=0.8, height=ground)
    fig = w.add(model, self_collision=own, friction=0.8)
    fig.q[:] = start_pose(model)
    if gains:
        stiffness, damping = np.array(list(gains.values())).T
        fig.servo(stiffness, damping, target=fig.q, joints=list(gains), effort=np.inf)
    return w, fig


def peers(
    mujoco: Any, model: Any, ground: float, gains: dict[str, tuple[float, float]], own: bool, dt: float = DT
) -> list[Any]:
    """MuJoCo's (model, data) with either cone."""
    from bunraku_bench.robot_twin import twin

    out = []
    for cone in (mujoco.mjtCone.mjCONE_PYRAMIDAL, mujoco.mjtCone.mjCONE_ELLIPTIC):
        spec = twin(mujoco, model, ground, gains, own)
        spec.option.timestep, spec.option.cone, spec.option.gravity = dt, cone, (0.0, 0.0, -9.80665)
        m = spec.compile()
        data = mujoco.MjData(m)
        q = start_pose(model)
        for j in model.joints:
            if j.nv == 1 and j.kind in ("hinge", "slider"):
                data.qpos[m.joint(j.name).qposadr[0]] = q[j.iq]
        for name in gains:
            j = m.joint(name)
            data.ctrl[[k for k in range(m.nu) if m.actuator_trnid[k, 0] == j.id]] = data.qpos[j.qposadr[0]]
        out.append((m, data))
    return out


def race(mujoco: Any, robot: RobotFile, path: Any, own: bool, repeats: int) -> dict[str, Any]:
    """A robot held by servos: time a step of both sides, turn by turn."""
    d = load(robot, path)
    low, overlapping = at_rest(d)
    d.collide_exclude = [*d.collide_exclude, *overlapping]
    model = d.build()
    if not any(shape.role != "visual" for shape in model.shapes):
        raise BunrakuError(f"{robot.name} has no shapes that touch: nothing to compare.")
    gains = servo_gains(model)
    ground = low - DROP
    w, fig = ours(model, ground, gains, own)
    rivals = peers(mujoco, model, ground, gains, own)
    burst = max(1, (5000 - SETTLE) // repeats)
    began = time.perf_counter()
    w.step(1)
    first = time.perf_counter() - began
    deepest = fastest = 0.0
    for _ in range(SETTLE // 10):
        w.step(10)
        deepest, fastest = max(deepest, w.report.penetration), max(fastest, float(np.abs(w.v[own_joints(fig)]).max()))
    for m, data in rivals:
        mujoco.mj_step(m, data, SETTLE)
    best, theirs = float("inf"), [float("inf")] * len(rivals)
    peer_fastest = 0.0
    for _ in range(repeats):
        began = time.perf_counter()
        w.step(burst)
        best = min(best, time.perf_counter() - began)
        deepest, fastest = max(deepest, w.report.penetration), max(fastest, float(np.abs(w.v[own_joints(fig)]).max()))
        for k, (m, data) in enumerate(rivals):
            began = time.perf_counter()
            mujoco.mj_step(m, data, burst)
            theirs[k] = min(theirs[k], time.perf_counter() - began)
        peer_fastest = max(peer_fastest, float(np.abs(rivals[0][1].qvel).max()))
    r = w.report
    us, peer = best / burst * 1e6, min(theirs) / burst * 1e6
    return {
        "robot": robot.name, "kind": robot.kind, "package": robot.package, "own_links": own, "nv": int(model.nv),
        "shapes": int(w._geometry.ns), "pairs": len(w._geometry.pairs), "overlapping_at_rest": len(overlapping),
        "ours_us": us, "peer_us": peer, "ratio": peer / us, "contacts": r.contacts, "rows": r.rows, "peer_contacts": int(rivals[0][1].ncon),
        "sweeps": r.most_sweeps, "residual_max": r.worst_residual, "unsolved": r.unsolved_in_all, "deepest_m": deepest,
        "fastest": fastest, "peer_fastest": peer_fastest, "first_step_s": first,
    }  # fmt: skip


def own_joints(fig: Any) -> Any:
    """The rates of a figure's joints without its free base."""
    root = fig.model.joints[0] if fig.model.joints else None
    first = 6 if root is not None and root.kind == "free" else 0
    return slice(fig.part.v.start + first, fig.part.v.stop)


def slump(mujoco: Any, robot: RobotFile, path: Any, own: bool, _repeats: int) -> dict[str, Any]:
    """A robot added as it is and left limp for half a second: its fastest joint, and MuJoCo's."""
    d = load(robot, path)
    low, overlapping = at_rest(d)
    model = d.build()
    w, fig = ours(model, low - 1e-3, {}, own)
    row: dict[str, Any] = {"robot": robot.name, "kind": robot.kind, "own_links": own, "diverged": ""}
    fastest = 0.0
    began = time.process_time()
    try:
        for _ in range(LIMP):
            w.step()
            if (joints := own_joints(fig)).stop > joints.start:
                fastest = max(fastest, float(np.abs(w.v[joints]).max()))
    except BunrakuError as error:
        row["diverged"] = f"{type(error).__name__}: {error}"
    row["seconds"] = time.process_time() - began
    d.collide_exclude = [*d.collide_exclude, *overlapping]
    twins = (peers(mujoco, d.build(), low - 1e-3, {}, own, dt)[0] for dt in (DT, HARD_DT))
    (m, data), (hard, hard_data) = twins
    for x in (hard.geom_solref, hard.jnt_solref):
        x[:] = 2 * HARD_DT, 1.0
    hard.geom_solimp[:, :2] = 0.999
    peer, hard_peer = fastest_joint(mujoco, m, data), fastest_joint(mujoco, hard, hard_data)
    r = w.report
    row |= {
        "fastest": fastest, "peer_fastest": peer, "hard_peer_fastest": hard_peer,
        "overlapping_at_rest": len(overlapping), "unsolved": r.unsolved_in_all,
        "peer_warnings": int(sum(x.number for x in data.warning)),
    }  # fmt: skip
    return row


def fastest_joint(mujoco: Any, m: Any, data: Any) -> float:
    """The greatest rate of a joint, the free base's aside, in the time of LIMP steps."""
    free = 6 if m.njnt and m.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE else 0
    fastest = 0.0
    for _ in range(round(LIMP * DT / m.opt.timestep)):
        mujoco.mj_step(m, data)
        fastest = max(fastest, float(np.abs(data.qvel[free:]).max(initial=0.0)))
    return fastest


def summary(results: list[dict[str, Any]], own: bool) -> dict[str, Any]:
    """Median and least ratio, worst depth and residual."""
    rows = [r for r in results if r["own_links"] == own]
    if not rows:
        return {}
    ratios = [r["ratio"] for r in rows]
    return {
        "robots": len(rows), "median_ratio": float(np.median(ratios)), "least_ratio": min(ratios),
        "slowest": min(rows, key=lambda r: r["ratio"])["robot"], "deepest_m": max(r["deepest_m"] for r in rows),
        "residual_max": max(r["residual_max"] for r in rows), "unsolved": sum(r["unsolved"] for r in rows),
    }  # fmt: skip


def show(report: dict[str, Any]) -> None:
    """Print tables."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    for own, title in ((False, "held, own links apart"), (True, "held, own links collide")):
        rows = [r for r in report["results"] if r["own_links"] == own]
        if not rows:
            continue
        table = Table("robot", "dof", "shapes", "pairs", "Bunraku us", "MuJoCo us", "ratio", "contacts", "depth mm", "residual",
                      "fastest", title=title)  # fmt: skip
        for r in sorted(rows, key=lambda r: r["ratio"]):
            table.add_row(
                r["robot"], str(r["nv"]), str(r["shapes"]), str(r["pairs"]), f"{r['ours_us']:.1f}", f"{r['peer_us']:.1f}",
                f"{r['ratio']:.2f}", f"{r['contacts']} ({r['peer_contacts']})", f"{1e3 * r['deepest_m']:.3f}", f"{r['residual_max']:.0e}",
                f"{r['fastest']:.2f}",
            )  # fmt: skip
        console.print(table)
        s = report["summary"]["colliding" if own else "apart"]
        console.print(
            f"{s['robots']} robots: median ratio {s['median_ratio']:.2f}, least {s['least_ratio']:.2f} ({s['slowest']}); "
            f"deepest {1e3 * s['deepest_m']:.3f} mm, residual {s['residual_max']:.1e}, unsolved islands {s['unsolved']}"
        )
    if report["limp"]:
        table = Table(
            "robot",
            "own links",
            "fastest rad/s",
            "MuJoCo's",
            "with hard contacts",
            "overlaps at rest",
            "unsolved",
            "",
            title="limp, 0.5 s",
        )
        for r in report["limp"]:
            table.add_row(
                r["robot"], "collide" if r["own_links"] else "apart", f"{r['fastest']:.1f}", f"{r['peer_fastest']:.1f}",
                f"{r['hard_peer_fastest']:.1f}", str(r["overlapping_at_rest"]), str(r["unsolved"]), r["diverged"],
            )  # fmt: skip
        console.print(table)
    for r in report["refused"]:
        console.print(f"{r['name']} ({r['job']}): {r['why']}")
    console.print(", ".join(f"{k} {v}" for k, v in report["machine"].items()))
