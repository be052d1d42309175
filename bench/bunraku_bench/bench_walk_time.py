"""Timings of walking figures: a step against the number of contact points, real time without and with stabiliser, and
MuJoCo replaying the same walk.

Figure: `figure_36`, human() with a hinge at each wrist: 30 joint degrees of freedom, as HRP-2 has, and six of bushes
below the ankles: 36 (and a free base). Its soles are boxes cut into k pieces each, four points a piece: 4 k points on
one foot, 8 k on both. It walks ten steps ahead, replayed by servos inside `world.step`; its bushes are firm enough to
do without a stabiliser. Time is that of pieces of 20 steps, least over interleaved repeats, Python included; pieces are
sorted by the contact points at their ends, if these are equal. Stabiliser: human() on bushes as they come, the same ten
steps, sensors and law every 4 ms, looks whether it fell included. MuJoCo: simple_humanoid with box soles, without
ranges and friction of joints, the same track and gains by position actuators (`mujoco.rollout`), the faster of the
pyramidal and the elliptic cone.
"""

from __future__ import annotations

import copy
import importlib.util
import time
from typing import Any

import numpy as np

from bunraku.errors import MissingExtra
from bunraku_bench.bench_dynamics import robot_file

DT = 0.001
FRICTION = 0.8
PIECE = 20  # steps timed together
CUTS = (1, 2, 3, 4, 6)  # pieces of a sole
KP, KD = 3e4, 600.0  # N m/rad and N m s/rad of all servos
STEPS, LENGTH = 10, 0.25  # m for a leg of 0.83 m
FIRM, SINK, RATIO = 20.0, 0.0005, 0.5  # bushes: turning stiffness over m g h, m that one foot sinks, damping ratio
RARE = 0.02  # of all pieces: fewer do not make a row


def figure_36() -> Any:
    """human() with a hinge at each wrist, 30 degrees of freedom; a Description."""
    import bunraku as bk
    from bunraku.model.human import describe_human

    d = describe_human()
    for side in ("left", "right"):
        arm = next(x for x in d.links if x.name == f"{side}_lower_arm")
        fist = next(s for s in arm.shapes if s.kind == "sphere")
        end = np.asarray(fist.position) + np.array([0.0, 0.0, 0.03])
        arm.shapes.remove(fist)
        fist.position = (0.0, 0.0, -0.03)
        arm.inertia.mass -= 0.4
        d.add(f"{side}_fist", arm.name, bk.hinge(f"{side}_wrist", (0, 1, 0), lower=-1.2, upper=1.2, effort=20.0), at=end, mass=0.4,
              com=(0, 0, -0.03), moments=(4e-4, 4e-4, 4e-4), shapes=[fist])  # fmt: skip
        d.collide_exclude.append((arm.name, f"{side}_fist"))
    d.name = "human36"
    return d


def cut_soles(description: Any, feet: tuple[str, str], pieces: int) -> Any:
    """The same with every box of the feet cut across into pieces."""
    d = copy.deepcopy(description)
    for link in d.links:
        if link.name in feet:
            link.shapes = [p for s in link.shapes for p in (cut(s, pieces) if s.kind == "box" else [s])]
    return d


def cut(box: Any, pieces: int) -> list[Any]:
    """A box cut into equal pieces along its x axis."""
    from bunraku.model.rotations import rotation_matrix

    x, y, z = box.size
    turn, out = rotation_matrix(box.rotation), []
    for k in range(pieces):
        at = np.asarray(box.position) + turn[:, 0] * x * ((2 * k + 1) / pieces - 1)
        part = copy.deepcopy(box)
        part.size, part.position, part.name = (x / pieces, y, z), tuple(at), f"{box.name}{k}"
        out.append(part)
    return out


def straight(figure: Any, count: int = STEPS) -> Any:
    """The walking pattern of the benchmark: careful steps ahead, the last closing the feet, 1 ms apart."""
    from bunraku.humanoid.parts import humanoid
    from bunraku.walking.footsteps import beside
    from bunraku.walking.pace import LEVEL, care_of
    from bunraku.walking.walking_pattern import walking_pattern

    h = humanoid(figure)
    length = LENGTH * h.legs[0] / 0.83
    steps = [beside(h, (k + 1) % 2, min(k + 1, count - 1) * length, 0.0, 0.0) for k in range(count)]
    single, double = care_of(h)
    return walking_pattern(h, steps, style=LEVEL, single=single, double=double).at_rate(DT)


class Replay:
    """A pattern replayed by servos in a world of its own, again and again from the same start. `names`: joints of the
    pattern; others (bushes) are passive."""

    def __init__(self, model: Any, pattern: Any, contact: str) -> None:
        import bunraku as bk

        known = pattern.humanoid.model
        self.world = bk.World(dt=DT, contact=contact)
        self.world.add_ground(friction=FRICTION)
        self.figure = self.world.add(model, self_collision=False)
        self.q, self.v = np.tile(model.neutral(), (len(pattern.q), 1)), np.zeros((len(pattern.q), model.nv))
        for j in known.joints:
            mine = model.joint(j.name)
            self.q[:, mine.q], self.v[:, mine.v] = pattern.q[:, j.q], pattern.v[:, j.v]
        self.figure.q[:] = self.q[0]
        servos = [j.name for j in known.joints if j.nv and j.kind != "free"]
        self.figure.servo(KP, KD, joints=servos, effort=np.inf)
        self.world.step(300)  # settle on bushes
        self.start = self.world.snapshot()
        self.end = pattern.q[-1, :3]

    def __len__(self) -> int:
        return len(self.q)

    def again(self) -> None:
        """Back to the start, the whole walk ahead."""
        self.world.restore(self.start)
        self.figure.follow(self.q, self.v)

    def pieces(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Seconds a step of every piece, and the contact points at its begin and end."""
        self.again()
        n, w = len(self) // PIECE, self.world
        seconds, points = np.zeros(n), np.zeros(n + 1, dtype=int)
        points[0] = w.report.contacts
        for k in range(n):
            began = time.perf_counter()
            w.step(PIECE)
            seconds[k] = (time.perf_counter() - began) / PIECE
            points[k + 1] = w.report.contacts
        return seconds, points[:-1], points[1:]

    def whole(self) -> float:
        """Seconds a step of the whole walk at once."""
        self.again()
        began = time.perf_counter()
        self.world.step(len(self))
        return (time.perf_counter() - began) / len(self)

    @property
    def upright(self) -> bool:
        """Whether it stands where the pattern ends, within a quarter of a metre."""
        return bool(np.abs(self.figure.q[:3] - self.end).max() < 0.25)


def against_contacts(
    repeats: int, contact: str = "pgs", *, cuts: tuple[int, ...] = CUTS, steps: int = STEPS, update: Any = None
) -> dict[str, Any]:
    """Microseconds a step against contact points (Fig. 7 of the paper on the contact solver)."""
    import bunraku as bk
    from bunraku.control.bushes import Bushes, bushes

    rigid = figure_36().build()
    pattern = straight(rigid, steps)
    h = pattern.humanoid
    feet = (h.feet[0].link, h.feet[1].link)
    height = float(bk.centroidal(rigid, h.stand).com[2])
    weight, inertia = rigid.mass * 9.80665, rigid.mass * height**2
    down, turn = weight / SINK, FIRM * weight * height
    damped = 2 * RATIO * (down * rigid.mass) ** 0.5, 2 * RATIO * (turn * inertia) ** 0.5
    soft = bushes(rigid, feet, Bushes(down, turn, *damped))
    replays = []
    for k in cuts:
        if update is not None:
            update(f"soles of {k} pieces")
        replays.append(Replay(cut_soles(soft, feet, k).build(), pattern, contact))
    best: list[Any] = [None] * len(replays)
    for _ in range(repeats):
        for k, r in enumerate(replays):
            seconds, begin, end = r.pieces()
            best[k] = (seconds if best[k] is None else np.minimum(seconds, best[k][0]), begin, end)
    fell = [k for k, r in zip(cuts, replays) if not r.upright]
    if fell:
        raise RuntimeError(f"the figure fell with soles of {fell} pieces; the figures would mean nothing.")
    rows: dict[int, list[float]] = {}
    total = 0
    for seconds, begin, end in best:
        for x, a, b in zip(seconds, begin, end):
            if a == b:
                rows.setdefault(int(a), []).append(1e6 * float(x))
                total += 1
    table = [
        {"points": n, "us": float(np.median(x)), "us_most": float(np.max(x)), "pieces": len(x)}
        for n, x in sorted(rows.items()) if len(x) >= RARE * total / len(replays)
    ]  # fmt: skip
    model = replays[0].figure.model
    mean = float(np.mean(best[0][0]))
    return {
        "figure": "human() with a hinge at each wrist and bushes below the ankles",
        "joint_dof": model.nv - 6, "bodies": model.nb - 1, "contact": contact, "table": table,
        "mean_us": 1e6 * mean, "real_time_factor": DT / mean,
    }  # fmt: skip


def with_stabiliser(repeats: int, contact: str = "pgs", *, steps: int = STEPS) -> dict[str, Any]:
    """The walk of human() with bushes and stabiliser: microseconds a step, least over interleaved repeats of every
    piece."""
    import bunraku as bk
    from bunraku.walking.walker import Walker

    walker = Walker(straight(bk.human(), steps), contact=contact, bushes=True, stabiliser=True, dt=DT)
    start = walker.world.snapshot()
    walker.run(PIECE * DT)  # kernels are there
    pieces = round(walker.duration / DT) // PIECE
    best = np.full(pieces, np.inf)
    for _ in range(repeats):
        walker.world.restore(start)
        for k in range(pieces):
            began = time.perf_counter()
            walker.run(PIECE * DT)
            best[k] = min(best[k], (time.perf_counter() - began) / PIECE)
            if walker.fell is not None:
                raise RuntimeError(f"the figure fell at {walker.fell:.2f} s; the figures would mean nothing.")
    assert walker.stabiliser is not None
    mean = float(best.mean())
    return {
        "figure": "human() with bushes below the ankles and stabiliser", "joint_dof": walker.model.nv - 6, "contact": contact,
        "period_ms": 1e3 * walker.stabiliser.period, "mean_us": 1e6 * mean, "real_time_factor": DT / mean,
    }  # fmt: skip


def bare(description: Any, feet: tuple[str, str]) -> Any:
    """Without ranges, friction and shapes but the boxes of the feet: what both simulators have alike."""
    d = copy.deepcopy(description)
    for link in d.links:
        link.shapes = [s for s in link.shapes if link.name in feet and s.kind == "box" and s.role != "visual"]
        for j in link.joints:
            j.lower, j.upper, j.friction, j.damping, j.stiffness = -np.inf, np.inf, 0.0, 0.0, 0.0
    return d


def against_mujoco(
    repeats: int, contacts: tuple[str, ...] = ("pgs", "virtual_link"), *, steps: int = STEPS
) -> dict[str, Any]:
    """A walk of simple_humanoid on both sides: the same links, hinges, boxes, gains and track."""
    import bunraku as bk
    from bunraku_bench.bench_mujoco import MujocoReplay

    if importlib.util.find_spec("mujoco") is None:
        raise MissingExtra('the benchmark needs its peer MuJoCo: pip install "bunraku[bench]".')
    name = "simple_humanoid"
    pattern = straight(bk.load(robot_file(f"{name}.urdf")), steps)
    h = pattern.humanoid
    d = bare(h.model.description, (h.feet[0].link, h.feet[1].link))
    ours = {c: Replay(d.build(), pattern, c) for c in contacts}
    peers = {cone: MujocoReplay(d, pattern, DT, FRICTION, KP, KD, cone=cone) for cone in ("pyramidal", "elliptic")}
    best = dict.fromkeys([*ours, *peers], np.inf)
    for _ in range(repeats):
        for key, side in (*ours.items(), *peers.items()):
            best[key] = min(best[key], side.whole())
    fell = [key for key, side in (*ours.items(), *peers.items()) if not side.upright]
    cone = min(peers, key=lambda c: best[c])
    return {
        "robot": name, "joint_dof": d.build().nv - 6, "steps": steps, "simulated_s": len(pattern.q) * DT,
        "ours": [
            {"contact": c, "us": 1e6 * best[c], "ratio": best[cone] / best[c], "real_time_factor": DT / best[c]} for c in ours
        ],
        "mujoco": {"us": 1e6 * best[cone], "cone": cone, "real_time_factor": DT / best[cone]}, "fell": fell,
    }  # fmt: skip
