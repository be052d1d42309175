"""Sections 2.1, 2.2, 2.4 and 3.1: links that join and part while the chain moves, their impulses and forces."""

from __future__ import annotations

import numpy as np

import bunraku as bk
from bunraku_reproduce.experiment import Experiment, part

G = 9.80665
SHORT = 1e-8  # s: what a step does besides the birth of a connection is of this order


def falling(seed: int) -> tuple[bk.World, bk.Figure]:
    """The human figure in the air, tumbling."""
    world = bk.World(dt=SHORT, tolerance=1e-12)
    figure = world.add(bk.human(), at=(0, 0, 2))
    for joint in ("left_knee", "right_knee", "left_elbow", "right_elbow"):  # away from their limits
        figure.q[figure.model.joint(joint).iq] = 0.5
    figure.v[:] = 0.5 * np.random.default_rng(seed).normal(size=figure.model.nv)
    figure.v[2] -= 2.0
    return world, figure


def hand_rows(figure: bk.Figure) -> np.ndarray:
    """(6, nv): velocities of both hands."""
    return np.vstack([bk.frame_jacobian(figure.model, figure.q, f"{side}_hand")[:3] for side in ("left", "right")])


@part(
    "Impulses of joining",
    section="2.4",
    how="world.connect(figure['left_hand']); world.step(); restitution=0.3",
    printed="A chain that joins with relative velocity gets the impulse F = (H A^-1 H')^-1 vc (18) and changes "
    "its rates by -A^-1 H' F (19); "
    "rates after it are 0 (14), or -e_i vc_i (15).",
)
def impulses(e: Experiment) -> None:
    for restitution in (0.0, 0.3):
        world, figure = falling(e.seed)
        v, A, H = figure.v.copy(), bk.crba(figure.model, figure.q), hand_rows(figure)
        vc = H @ v
        F = np.linalg.solve(H @ np.linalg.solve(A, H.T), (1 + restitution) * vc)
        ties = [world.connect(figure[f"{side}_hand"], restitution=restitution) for side in ("left", "right")]
        world.step()
        carried = -np.concatenate([tie.force for tie in ties]) * world.dt
        after = H @ figure.v
        if restitution == 0.0:
            e.zero(
                "eq-14",
                "(13), (14)",
                "a human catches a bar with both hands: relative velocity after joining",
                np.abs(after).max(),
                tolerance=1e-5,
                unit="m/s",
            )
            e.zero(
                "eq-18",
                "(16), (18)",
                "impulse against the dense formula, of the largest",
                np.abs(carried - F).max() / np.abs(F).max(),
                tolerance=1e-5,
            )
            change = -np.linalg.solve(A, H.T @ F)
            e.zero(
                "eq-19",
                "(17), (19)",
                "change of all 34 rates against the dense formula, of the largest",
                np.abs(figure.v - v - change).max() / np.abs(change).max(),
                tolerance=1e-5,
            )
            lost = float(0.5 * vc @ np.linalg.solve(H @ np.linalg.solve(A, H.T), vc))
            e.equal(
                "eq-18-energy",
                "2.4",
                "energy that joining costs, vc' B^-1 vc / 2",
                lost,
                float(0.5 * v @ A @ v - 0.5 * figure.v @ A @ figure.v),
                tolerance=1e-4 * lost,
                unit="J",
            )
        else:
            e.zero(
                "eq-15",
                "(15)",
                "with restitution 0.3 on every axis: vc_new = -0.3 vc",
                np.abs(after + 0.3 * vc).max(),
                tolerance=1e-5,
                unit="m/s",
            )
    worst = max(gain(np.random.default_rng([e.seed, k])) for k in range(200))
    e.at_most(
        "eq-15-energy",
        "(15)",
        "largest gain of energy in 200 births, a restitution of its own for each axis",
        1e-6,
        worst,
    )
    world = bk.World(dt=1e-5, gravity=(0, 0, 0))
    a, b = (world.add(bk.sphere(0.1, m), at=(x, 0, 0), name=name) for m, x, name in ((1.0, 0, "a"), (3.0, 1, "b")))
    a.v[0] = 2.0
    world.connect(a, b, axes="x")
    world.step()
    e.equal(
        "two-balls",
        "(18)",
        "1 kg at 2 m/s joins 3 kg at rest: common velocity m1 v / (m1 + m2)",
        0.5,
        b.v[0],
        tolerance=1e-6,
        unit="m/s",
    )


def gain(rng: np.random.Generator) -> float:
    """Part of the energy that a birth with random restitutions adds."""
    world, figure = falling(int(rng.integers(1 << 30)))
    A, v = bk.crba(figure.model, figure.q), figure.v.copy()
    link = figure[rng.choice(["left_hand", "right_foot", "trunk", "head"])]
    world.connect(
        link,
        axes="x y z rx ry rz",
        restitution=dict(zip(("x", "y", "z", "rx", "ry", "rz"), rng.choice([0.0, 0.4, 1.0], 6))),
    )
    world.step()
    return float(figure.v @ A @ figure.v / (v @ A @ v) - 1.0)


@part(
    "Structures that change",
    section="3.1",
    how='bk.load_scene("bar"); world.connect(…), world.disconnect(…)',
    printed="The force of a joint is computed with the motion: a hand leaves the bar when it is pulled beyond "
    "a limit. Joining changes neither the "
    "degrees of freedom nor the coordinates. Any of six motions can be constrained: gimbals, compliant joints.",
)
def changes(e: Experiment) -> None:
    scene = bk.load_scene("bar")
    world = scene.build()
    size, joined = world.model.nv, len(world.connections)
    pulls: list[float] = []
    while all(c.active for c in world.connections.values()) and world.time < 2.0:
        world.step()
        pulls.append(max(float(np.linalg.norm(c.force)) for c in world.connections.values()))
    e.holds(
        "bar/released",
        "3.1",
        "a hand lets go in the step in which the force exceeds its limit (520 N)",
        f"at {world.time:.3f} s by {pulls[-1]:.0f} N, {pulls[-2]:.0f} N one step before",
        pulls[-1] > 520 >= max(pulls[:-1]),
    )
    for c in world.connections.values():
        world.disconnect(c)
    start, flight = bk.centroidal(world.model, world.q, world.v), 0.1
    world.run(flight)
    end = bk.centroidal(world.model, world.q, world.v)
    way = start.linear / start.mass * flight + [0, 0, -0.5 * G * flight**2]
    e.zero(
        "bar/flight",
        "3.1",
        "from then on its centre of mass flies freely",
        np.abs(end.com - start.com - way).max(),
        tolerance=G * flight * world.dt,
        unit="m",
    )
    e.equal(
        "structure/dof",
        "3.1, 6 (1)",
        "degrees of freedom with two joints more, and without",
        size,
        world.model.nv,
        tolerance=0,
    )
    e.holds(
        "structure/coordinates",
        "3.1",
        "no new choice of generalised coordinates",
        f"{joined} joints went; q has {world.q.size} numbers",
        joined == 2 and world.q.size == world.model.nq,
    )
    world = bk.World(dt=0.001, integrator="rk4")
    fig = bk.Description(name="bob")
    fig.add("bob", None, bk.free("root"), mass=1.0, moments=(1e-6,) * 3)
    bob = world.add(fig.build(), at=(-1, 0, 0))
    grip = world.connect(bob, at=(0, 0, 0), break_force=2 * G)
    while grip.active and world.time < 1.0:
        world.step()
    angle = np.degrees(np.arccos(-bob.q[2]))
    rate = np.degrees(np.sqrt(2 * G * 2 / 3)) * world.dt
    e.equal(
        "release-angle",
        "3.1",
        "a swing from level bears 3 m g cos: with 2 m g it lets go at arccos(2/3)",
        np.degrees(np.arccos(2 / 3)),
        angle,
        tolerance=2 * rate,
        unit="deg",
    )
    from bunraku.draw.picture import png_bytes
    from bunraku.draw.world_pictures import strobe

    e.picture(
        png_bytes(strobe(scene.run(), 720, 420)),
        "Not printed there: the swing on the bar that the text speaks of; the figure lets go and flies.",
    )


@part(
    "Joints of any kind",
    section="3.1",
    how="world.connect(…, axes=…, rotation=…, velocity_axes=…, compliance=…)",
    printed="Gimbals and joints that give way are said to be easy with any of six motions tied. "
    "Non-holonomic constraints: H of (3) can be "
    "had, and all that follows holds (2.2).",
)
def kinds(e: Experiment) -> None:
    turn = np.array([np.cos(0.35), np.sin(0.35), 0, 0])
    world = bk.World(dt=0.001, integrator="rk4")
    box = world.add(bk.box((0.3, 0.2, 0.1), 2.0), at=(0.3, 0.1, 0.2))
    world.connect(None, box, at=(0, 0, 0), axes="x y z rz", rotation=turn)
    start = box.energy
    world.run(1.0)
    R0, R = rotation(turn), box.pose("box")[1] @ rotation(turn)
    e.zero(
        "gimbal/square",
        "3.1",
        "a universal joint in an oblique frame, swung for 1 s: cosine between the axes of its cross",
        float(R0[:, 0] @ R[:, 1]),
        tolerance=1e-10,
    )
    e.zero(
        "gimbal/energy",
        "(8), (9)",
        "and its energy, of which its forces take none",
        box.energy - start,
        tolerance=1e-6,
        unit="J",
    )
    world = bk.World(dt=0.001, integrator="rk4", gravity=(0, 0, 0))
    box = world.add(bk.box((0.1, 0.1, 0.1), 1.0))
    world.connect(box, axes="x y rx ry rz", rotation=turn)
    world.connect(box, axes="z", rotation=turn, compliance=1 / 400)
    box.q[:3] += 0.05 * rotation(turn)[:, 2]
    world.run(0.5)
    e.equal(
        "compliant",
        "3.1",
        "a joint that gives way along one oblique axis: A cos(sqrt(k/m) t) after 0.5 s",
        0.05 * np.cos(20 * 0.5),
        float(box.q[:3] @ rotation(turn)[:, 2]),
        tolerance=1e-6,
        unit="m",
    )
    recorded = bk.load_scene("skate").changed(integrator="rk4").build()
    recorded.run(2.0)
    a, k = np.radians(20), G * np.sin(np.radians(20)) / (2 * 1.5**2)
    across = np.array([np.cos(a), 0, -np.sin(a)])
    place = recorded["skate"].q[:3]
    e.table(
        "skate",
        "2.2",
        "non-holonomic: a skate that spins on a slope of 20 degrees goes along a cycloid, after 2 s",
        (k * np.sin(3.0) ** 2, k * (3.0 - 0.5 * np.sin(6.0))),
        (place @ across, place[1]),
        tolerance=1e-6,
        unit="m",
    )
    e.equal(
        "rolling",
        "2.2",
        "non-holonomic: a ball rolls down with 5/7 g sin a, way after 2 s",
        5 / 7 * G * np.sin(a) * 2,
        float((recorded["ball"].q[:3] - [0, -1, 0]) @ across),
        tolerance=1e-6,
        unit="m",
    )


def rotation(q: np.ndarray) -> np.ndarray:
    """A turn about x, given as a quaternion, as a matrix."""
    c, s = q[0] ** 2 - q[1] ** 2, 2 * q[0] * q[1]
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
