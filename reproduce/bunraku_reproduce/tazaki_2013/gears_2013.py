"""Sections 2.6 and 2.7: gears in series (30) to (35), in parallel (36) to (40), and joints of several degrees of freedom."""

from __future__ import annotations

import numpy as np

import bunraku as bk
from bunraku_reproduce.experiment import Experiment, part
from bunraku_reproduce.tazaki_2013.random_trees import Both

HINGES = ("hinge",) * 4


def shared(seed: int, parents: list[int], kinds: tuple[str, ...], couplings: list) -> list[Both]:
    """Five random trees."""
    return [Both(s, parents, kinds, couplings) for s in range(seed, seed + 5)]


def dense_gap(both: Both) -> float:
    """Accelerations of the tree without gears, tied by multipliers, against ours, of the largest."""
    d = both.model.description
    kept = d.gears, d.matrix_gears
    d.gears, d.matrix_gears = [], []
    plain = d.build()
    d.gears, d.matrix_gears = kept
    q, v, tau = plain.neutral(), np.zeros(plain.nv), np.zeros(plain.nv)
    q[:7], v[:6] = both.x[:7], both.rates[:6]
    G = np.zeros((plain.nv, both.model.nv))
    G[:6, :6] = np.eye(6)
    for c, b in enumerate(both.bodies[1:], 1):
        theirs, ours = plain.joint(f"j{c}"), both.model.joint(f"j{c}")
        q[theirs.q] = both.q[c] if b.kind != "turn" else both.x[ours.q]
        v[theirs.v] = both.v[c]
        columns = 1 if ours.matrix is None else ours.matrix.shape[1]
        block = np.eye(ours.nv) if ours.nv else np.array([[ours.ratio]]) if ours.matrix is None else ours.matrix
        G[theirs.v, ours.iv : ours.iv + max(ours.nv, columns)] = block
    H = null_rows(G)
    M, bias = bk.crba(plain, q), bk.rnea(plain, q, v, np.zeros(plain.nv))
    tau = np.linalg.lstsq(G.T, both.torque, rcond=None)[0]
    system = np.block([[M, -H.T], [H, np.zeros((len(H), len(H)))]])
    a = np.linalg.solve(system, np.concatenate([tau - bias, np.zeros(len(H))]))[: plain.nv]
    ours = G @ bk.aba(both.model, both.x, both.rates, both.torque)
    return float(np.abs(ours - a).max() / np.abs(a).max())


def null_rows(G: np.ndarray) -> np.ndarray:
    """Rows H with H G = 0."""
    u, s, _ = np.linalg.svd(G)
    return u[:, np.sum(s > 1e-10) :].T


@part(
    "Gears in series",
    section="2.6",
    how="d.gear('second', 'first', ratio)",
    printed="Body 2 on body 1 on body 0, q2' = γ q1': velocity (32) and acceleration (35) as if body 2 hung on "
    "body 0, with the Jacobian X21 J1 + γ J2.",
)
def series(e: Experiment) -> None:
    trees = shared(e.seed, [0, 1, 2, 1], HINGES, [(2, 1, [[-1.7]])])
    gaps = []
    for both in trees:
        t = both.tree
        V2 = t.X[2] @ t.X[1] @ t.V[0] + (t.X[2] @ t.J[1] - 1.7 * t.J[2]) @ both.v[1]
        k = bk.kinematics(both.model, both.x, both.rates)
        gaps.append(np.abs(both.turned(2, V2) - k.velocity("b2")).max() / np.abs(V2).max())
    e.zero(
        "series/32",
        "(30) to (32)",
        "velocity of the second body, ours against (32), of the largest",
        max(gaps),
        tolerance=1e-12,
    )
    gaps = []
    for both in trees:
        t, p = both.tree, both.printed
        A2 = t.X[2] @ t.X[1] @ p.A[0] + t.X[2] @ t.C[1] + t.C[2] + (t.X[2] @ t.J[1] - 1.7 * t.J[2]) @ p.rates[0]
        ours = both.accelerations(bk.aba(both.model, both.x, both.rates, both.torque))[2]
        gaps.append(np.abs(both.turned(2, A2) - ours).max() / np.abs(A2).max())
    e.zero(
        "series/35",
        "(33) to (35)",
        "its acceleration after forward dynamics, of the largest",
        max(gaps),
        tolerance=1e-11,
    )
    e.zero(
        "series/dense",
        "2.6",
        "joint accelerations against the dense equation with a multiplier for the gear",
        max(dense_gap(both) for both in trees),
        tolerance=1e-9,
    )
    e.equal(
        "series/dof",
        "2.6",
        "the gear takes a degree of freedom away: joints 4, rates",
        3,
        trees[0].model.nv - 6,
        tolerance=0,
    )
    chain = shared(e.seed, [0, 1, 2, 3], HINGES, [(2, 1, [[0.5]]), (3, 2, [[-2.0]]), (4, 3, [[1.2]])])
    e.zero(
        "series/chain",
        "2.6",
        "a chain of three gears: accelerations of all bodies, of the largest",
        max(both.acceleration_gap() for both in chain),
        tolerance=1e-11,
    )
    d = bk.Description("apart")
    body = {"mass": 1.0, "moments": (1, 1, 1)}
    for k in range(3):
        d.add(f"l{k}", f"l{k - 1}" if k else None, bk.hinge(f"j{k}", (1, 0, 0)), at=(0, 0, 1), **body)
    d.gear("j2", "j0")
    e.holds(
        "series/others",
        "2.6",
        "gears between joints that are not neighbours are left to the constraint solver",
        "one gear kept as a constraint row",
        len(d.build().kept_gears) == 1,
    )


@part(
    "Gears in parallel, and joints of several degrees of freedom",
    section="2.7",
    how="d.gear(…); d.couple(followers, leaders, matrix)",
    printed="One q moves several bodies on one parent: (36) to (40), for any number of degrees of freedom; the "
    "serial gear is a case of it.",
)
def parallel(e: Experiment) -> None:
    trees = shared(e.seed, [0, 0, 0, 2], HINGES, [(2, 1, [[-1.5]]), (3, 1, [[0.4]])])
    e.zero(
        "parallel/38",
        "(37), (38)",
        "acceleration of the common q, ours against the printed sums, of the largest",
        max(
            np.abs(bk.aba(t.model, t.x, t.rates, t.torque)[6] - t.printed.rates[0][0])
            / np.abs(t.printed.rates[0]).max()
            for t in trees
        ),
        tolerance=1e-10,
    )
    e.zero(
        "parallel/39",
        "(39), (40)",
        "accelerations of the parent and all bodies, of the largest",
        max(t.acceleration_gap() for t in trees),
        tolerance=1e-11,
    )
    e.zero(
        "parallel/dense",
        "2.7",
        "joint accelerations against the dense equation with multipliers",
        max(dense_gap(t) for t in trees),
        tolerance=1e-9,
    )
    e.holds(
        "parallel/36",
        "(36)",
        "the bias of (36) is multiplied by q''",
        "Ĉ alone, as in (15) and (35)",
        False,
        reason="A slip of the pen: an acceleration times an acceleration; (38) to (40) have Ĉ alone.",
    )
    rng = np.random.default_rng(e.seed)
    one = np.eye(3)
    cases = {
        "balls": (
            [0, 0, 0, 2],
            ("turn", "turn", "turn", "hinge"),
            [(2, 1, one), (3, 1, -one)],
            "three balls on one body",
        ),
        "serial": (
            [0, 1, 2, 2],
            ("turn", "turn", "turn", "hinge"),
            [(2, 1, one), (3, 2, rng.normal(size=(3, 3)))],
            "three balls in a row",
        ),
        "mixed": (
            [0, 1, 0, 1],
            ("turn", "hinge", "slider", "turn"),
            [(2, 1, rng.normal(size=(1, 3))), (3, 1, rng.normal(size=(1, 3))), (4, 1, rng.normal(size=(3, 3)))],
            "a ball that moves a hinge, a slider and a ball",
        ),
    }
    for key, (parents, kinds, couplings, words) in cases.items():
        found = shared(e.seed, parents, kinds, couplings)
        gap = max(
            np.abs(bk.aba(t.model, t.x, t.rates, t.torque)[6:9] - t.printed.rates[0]).max()
            / np.abs(t.printed.rates[0]).max()
            for t in found
        )
        e.zero(
            f"matrix/{key}",
            "(36) to (40)",
            f"{words}, coupled by a matrix: accelerations of the group, of the largest",
            gap,
            tolerance=1e-9,
        )
        e.zero(
            f"matrix/{key}-dense",
            "2.7",
            "the same against the dense equation with multipliers",
            max(dense_gap(t) for t in found),
            tolerance=1e-9,
        )
