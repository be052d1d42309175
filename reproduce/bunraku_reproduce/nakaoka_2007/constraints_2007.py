"""Section 2: constraint points and vectors, forces and accelerations, forces and velocities, conditions."""

from __future__ import annotations

import numpy as np

import bunraku as bk
from bunraku_reproduce.experiment import Experiment, part


@part(
    "Constraint points and constraint vectors",
    section="2.1",
    figure="1",
    how="world.add(bk.box(…)); world.connect(…, axes='x z'); world.report.rows",
    printed="A contact between two bodies with its normal c1 and two tangents c2, c3; a point that "
    "connects two bodies.",
)
def vectors(e: Experiment) -> None:
    world = bk.World()
    world.add_ground()
    world.add(bk.box((0.3, 0.2, 0.1), mass=2.0), at=(0, 0, 0.05))
    world.step()
    (patch,) = world.contacts
    place = "2.1, Fig. 1(a)"
    many = len(patch.points)
    e.holds(
        "vectors/points", place, "lines and surfaces are sets of contact points", f"a box stands on {many}", many == 4
    )
    e.equal(
        "vectors/contact",
        place,
        "vectors of a contact point, two of them friction's",
        3,
        world.report.rows / len(patch.points),
        tolerance=0,
    )
    rows = []
    for axes in ("x", "x z", "x y z", "x y z rx", "x y z rx ry", "x y z rx ry rz"):
        tied = bk.World()
        body = tied.add(bk.box((0.3, 0.2, 0.1), mass=2.0), at=(0, 0, 1.0))
        tied.connect(body, at=(0.1, 0, 1.0), axes=axes)
        tied.step()
        rows.append(tied.report.rows)
    e.table(
        "vectors/connection",
        "2.1, Fig. 1(b)",
        "vectors of a connection: as many as it constrains",
        [1, 2, 3, 4, 5, 6],
        rows,
        tolerance=0,
    )


def touching(seed: int) -> tuple[bk.Model, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A figure that moves: model, q, v, Jacobian J (12, nv) of twelve constraint vectors, J' v: three at each foot,
    three at the trunk, three between the hands (action and reaction)."""
    rng, m = np.random.default_rng(seed), bk.human()
    q = bk.integrate(m, m.neutral(), 0.3 * rng.normal(size=m.nv))
    v = rng.normal(size=m.nv)
    k = bk.kinematics(m, q, v)
    rows, bias = [], []
    for a, b in (("left_foot", None), ("right_foot", None), ("trunk", None), ("left_hand", "right_hand")):
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        J, x = bk.frame_jacobian(m, q, a)[:3], k.bias_acceleration(a)[:3]
        if b is not None:
            J, x = J - bk.frame_jacobian(m, q, b)[:3], x - k.bias_acceleration(b)[:3]
        rows.append(turn @ J)
        bias.append(turn @ x)
    return m, q, v, np.concatenate(rows), np.concatenate(bias)


@part(
    "Forces, accelerations and velocities",
    section="2.2, 2.3",
    how="bk.aba(model, q, v, tau, f_ext); bk.crba(model, q)",
    printed="Equations (1) to (5): a = A f + a0 from forward dynamics with unit forces, v = K f + b.",
)
def relation(e: Experiment) -> None:
    m, q, v, J, bias = touching(e.seed)
    M, rng = bk.crba(m, q), np.random.default_rng(e.seed + 1)

    def a(f: np.ndarray) -> np.ndarray:
        """Accelerations along the vectors by forward dynamics with the forces f."""
        return J @ bk.aba(m, q, v, J.T @ f) + bias

    a0 = a(np.zeros(12))
    A = np.stack([a(unit) - a0 for unit in np.eye(12)], axis=1)
    dense = J @ np.linalg.solve(M, J.T)
    f, size = rng.normal(size=12), float(np.abs(dense).max())
    still = np.linalg.solve(M, -bk.rnea(m, q, v, np.zeros(m.nv)))
    e.zero(
        "relation/linear",
        "(1)",
        "a = A f + a0, relative to a",
        np.abs(a(f) - A @ f - a0).max() / np.abs(a(f)).max(),
        tolerance=1e-10,
    )
    e.zero(
        "relation/free",
        "(1)",
        "a0 by forward dynamics without forces and by the dense equation, relative",
        np.abs(a0 - J @ still - bias).max() / np.abs(a0).max(),
        tolerance=1e-9,
    )
    e.zero(
        "relation/columns",
        "(2), (3)",
        "columns of A by unit forces and J M⁻¹ Jᵀ, relative to the largest entry",
        np.abs(A - dense).max() / size,
        tolerance=1e-9,
    )
    world, K, b, lam, after = one_step(e.seed)
    e.zero(
        "relation/velocity",
        "(4), (5)",
        "v = K f + b of the contact points after a step, relative to b",
        np.abs(K @ lam + b - after).max() / np.abs(b).max(),
        tolerance=1e-9,
    )
    e.holds(
        "relation/cost",
        "2.2",
        "cost O(n m + m²), linear in the degrees of freedom",
        f"bodies passed for {hops()[0]} and {hops()[1]} links of a chain: in proportion",
        hops()[2] == 0,
    )
    del world


def one_step(seed: int) -> tuple[bk.World, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A box that slides on the ground, one step: world, K and b of its contact points by dense formulas at the step's
    start, impulses, and the points' velocities after it."""
    rng, world = np.random.default_rng(seed), bk.World()
    world.add_ground(friction=0.4)
    box = world.add(bk.box((0.3, 0.2, 0.1), mass=2.0), at=(0, 0, 0.05))
    box.v[:] = (*rng.normal(size=2), 0.0, 0.0, 0.0, 0.5)
    q, v, M = box.q.copy(), box.v.copy(), bk.crba(box.model, box.q)
    world.step()
    (patch,) = world.contacts
    J = np.concatenate(
        [np.hstack([np.eye(3), -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])]) for x, y, z in patch.points - q[:3]]
    )
    free = v + world.dt * bk.aba(box.model, q, v, np.zeros(6))
    return world, J @ np.linalg.solve(M, J.T), J @ free, world.dt * patch.forces.ravel(), J @ box.v


def hops() -> tuple[int, int, int]:
    """Links of two chains of hinges, and how far the bodies that a unit force on the last one passes are from growing
    in proportion: a way to the base has every body once."""
    from bunraku.world.room import longest_way

    ways = []
    for n in (12, 48):
        d = bk.Description(f"chain{n}")
        for k in range(n):
            d.add(
                f"link{k}",
                f"link{k - 1}" if k else None,
                bk.hinge(f"joint{k}", (0, 1, 0)),
                at=(0, 0, -0.1 if k else 1),
                mass=1.0,
                com=(0, 0, -0.05),
                moments=(1e-3, 1e-3, 1e-3),
            )
        ways.append(longest_way(d.build()) - 1)
    return 12, 48, abs(ways[1] - 4 * ways[0])


@part(
    "Constraint conditions",
    section="2.4",
    how="World(contact='pgs'), bunraku.contact.pgs",
    printed="Conditions (6) to (10) of contacts, (11) to (13) of the mixed linear complementarity problem.",
)
def conditions(e: Experiment) -> None:
    from bunraku.scene.sweep_study import random_pile, solved

    rng = np.random.default_rng(e.seed)
    worst: dict[str, float] = dict.fromkeys(("6", "7", "8", "9", "10"), 0.0)
    for _ in range(60):
        K, b, mu = random_pile(rng)
        lam, _ = solved(K, b, mu, "pgs", 2500)
        f, v, scale = lam.reshape(-1, 3), (K @ lam + b).reshape(-1, 3), np.abs(b).max()
        push, inside = f[:, 0], np.hypot(f[:, 1], f[:, 2]) < (1 - 1e-6) * mu * f[:, 0]
        found = {
            "6": max(0.0, -push.min() / push.max()),
            "7": max(0.0, -v[:, 0].min() / scale),
            "8": np.abs(np.minimum(push / push.max(), v[:, 0] / scale)).max(),
            "9": np.abs(v[inside, 1:]).max(initial=0.0) / scale,
            "10": max(0.0, (np.hypot(f[:, 1], f[:, 2]) - mu * push).max() / push.max()),
        }
        worst = {k: max(worst[k], found[k]) for k in worst}
    claims = {
        "6": "normal forces push",
        "7": "bodies do not approach",
        "8": "a force, or a velocity that parts: not both",
        "9": "what friction holds does not slip",
        "10": "friction inside the cone",
    }
    for k, claim in claims.items():
        e.zero(f"conditions/{k}", f"({k})", f"{claim}: worst of 60 random piles, relative", worst[k], tolerance=1e-6)
    e.zero(
        "conditions/11-13",
        "(11) – (13)",
        "bounded rows: between the bounds v = 0, at them v ≥ 0 and v ≤ 0: worst of 60 random problems, relative",
        bounded(rng),
        tolerance=1e-6,
    )


def bounded(rng: np.random.Generator) -> float:
    """How far (11) to (13) are from holding on random problems of rows with bounds."""
    from bunraku.contact.pgs import make_dense, solve_one
    from bunraku.contact.problem import BOUNDED
    from bunraku.kernel.record import handle

    worst = 0.0
    for _ in range(60):
        F, d = rng.normal(size=(8, 12)), make_dense(8, 8)
        d.K[:], d.problem.b[:] = F @ F.T, F @ rng.normal(size=12)
        for k in range(8):
            row = d.problem.blocks[k]
            row.kind, row.row, row.low, row.high = BOUNDED, k, -0.05, 0.1
        solve_one.call(handle(d), 8, 8, 1e-9, 2500)
        f, v = d.problem.lam[:8], d.K @ d.problem.lam[:8] + d.problem.b
        off = np.where(f <= -0.05, np.minimum(v, 0), np.where(f >= 0.1, np.maximum(v, 0), v))
        outside = max(0.0, float((-0.05 - f).max()), float((f - 0.1).max()))
        worst = max(worst, float(np.abs(off).max() / np.abs(d.problem.b).max()), outside)
    return worst
