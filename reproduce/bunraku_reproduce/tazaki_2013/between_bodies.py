"""Section 2.8: the inertia between bodies of a tree, by T, S and Θ."""

from __future__ import annotations

import numpy as np

from bunraku_reproduce.experiment import Experiment, part
from bunraku_reproduce.tazaki_2013.as_printed import Articulated
from bunraku_reproduce.tazaki_2013.random_trees import Both, plain


def ways(p: Articulated) -> dict[int, tuple[int, int]]:
    """{body: (its group, the body that carries that)}."""
    return {c: (k, fold[0]) for k, fold in enumerate(p.fold) for c in fold[1]}


def thetas(p: Articulated) -> dict[int, np.ndarray]:
    """Θ of all bodies, from the root on."""
    out = {0: -np.linalg.inv(p.I[0])}
    for k, (outer, at, _, _, _) in enumerate(p.fold):
        for c in at:
            T = p.T(k, c)
            out[c] = T @ out[outer] @ T.T - p.S(k, c, c)
    return out


def response(p: Articulated, i: int, j: int) -> np.ndarray:
    """dA_j for a unit dF on body i by the four steps: dZ inwards to where the ways meet, Θ there, dA outwards."""
    way, theta = ways(p), thetas(p)

    def route(c: int) -> list[int]:
        return [c, *route(way[c][1])] if c else [0]

    from_i, from_j = route(i), route(j)
    dZ = {i: -np.eye(6)}
    for c in from_i[:-1]:
        k, outer = way[c]
        dZ[outer] = p.T(k, c).T @ dZ[c]
    meet = next(c for c in from_i if c in from_j)
    dA = {meet: theta[meet] @ dZ[meet]}
    for c in reversed(from_j[: from_j.index(meet)]):
        k, outer = way[c]
        dA[c] = p.T(k, c) @ dA[outer]
        for d in (d for d in from_i[: from_i.index(meet)] if way[d][0] == k):  # both ways pass one group
            dA[c] = dA[c] - p.S(k, c, d) @ dZ[d]
    return dA[j]


def gaps(both: Both) -> tuple[float, float, float]:
    """Of the root, of bodies with themselves, of all pairs; of the largest response."""
    K, p = both.responses(), both.printed
    theta, size, n = thetas(p), np.abs(both.responses()).max(), len(both.bodies)
    root = np.abs(K[0, 0] + theta[0]).max()
    own = max(np.abs(K[c, c] + theta[c]).max() for c in range(n))
    pairs = max(np.abs(K[j, i] - response(p, i, j)).max() for i in range(n) for j in range(n))
    return root / size, own / size, pairs / size


@part(
    "Inertia between bodies",
    section="2.8",
    how="bk.delassus(model, q, frames, wrenches)",
    printed="A change of force on body i changes the acceleration of body j: δẐ inwards by T', Θ where the ways "
    "meet, δA outwards by T and S; Θ_0 = -Î_0⁻¹, "
    "Θ_c = T Θ_p T' - S.",
)
def between(e: Experiment) -> None:
    found = np.array([gaps(plain(seed)) for seed in range(e.seed, e.seed + 3)]).max(axis=0)
    e.zero(
        "between/root",
        "2.8",
        "Θ_0 = -Î_0⁻¹: the root's answer to a force on itself, of the largest",
        found[0],
        tolerance=1e-10,
    )
    e.zero(
        "between/theta",
        "2.8",
        "Θ_c = T Θ_p T' - S of 9 bodies against our recursion, of the largest",
        found[1],
        tolerance=1e-10,
    )
    e.zero(
        "between/pairs",
        "2.8, steps 1 to 4",
        "δA_j for δf_i of all 81 pairs of bodies, of the largest",
        found[2],
        tolerance=1e-10,
    )
    hinges = ("hinge",) * 6
    geared = [
        Both(s, [0, 1, 0, 2, 3, 1], hinges, [(2, 1, [[-1.3]]), (3, 1, [[0.7]])]) for s in range(e.seed, e.seed + 3)
    ]
    e.zero(
        "between/gears",
        "2.8",
        "with gears it is basically the same: all pairs, of the largest",
        max(gaps(t)[2] for t in geared),
        tolerance=1e-10,
    )
    balls = ("turn", "turn", "hinge", "hinge", "turn")
    one = np.eye(3)
    coupled = [Both(s, [0, 0, 1, 2, 1], balls, [(2, 1, one), (5, 1, 0.5 * one)]) for s in range(e.seed, e.seed + 3)]
    e.zero(
        "between/matrix", "2.8", "and with balls coupled by a matrix", max(gaps(t)[2] for t in coupled), tolerance=1e-10
    )
    both = plain(e.seed)
    K = both.responses()
    e.zero(
        "between/symmetric",
        "2.8",
        "δA_j for δf_i and δA_i for δf_j are each other's transpose, of the largest",
        np.abs(K - K.transpose(1, 0, 3, 2)).max() / np.abs(K).max(),
        tolerance=1e-11,
    )
    e.holds(
        "between/S",
        "2.8",
        "S_cp = J (J'ÎJ)⁻¹ J' δẐ_c",
        "J (J'ÎJ)⁻¹ J'",
        False,
        reason="A slip of the pen: δẐ_c stands twice, in S and after it; with gears S is between two members of "
        "a group, G_c D⁻¹ G_d'.",
    )
