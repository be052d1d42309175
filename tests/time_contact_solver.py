"""Times of the contact solver, measured inside a kernel loop: `python tests/time_contact_solver.py` prints the table of
docs/contact-solver.md.

warm: 50 starts, the solution times 1 + 0.01 N(0, 1); cold: from zero. Minimum of 15 repeats.
"""

from time import perf_counter

import numpy as np

from bunraku.contact.pgs import MAX_SWEEPS, TOLERANCE
from bunraku.kernel.record import handle
from contact_problems import Problem, pile, random_problem, solve_repeated, standing, tower

CASES = {
    "figure standing on 8 points": standing(),
    "the same, pushed by 250 N": standing(push=(250.0, 80.0, 0.0)),
    "the same, sliding (mu 0.1)": standing(push=(150.0, 50.0, 0.0), mu=0.1),
    "one box on a slope, sliding": tower(1, 0.3, tilt=0.5),
    "tower of 5 boxes": tower(5),
    "tower of 5, all sliding (mu = 0.5, tilt 0.7)": tower(5, 0.5, tilt=0.7),
    "tower of 10 boxes": tower(10),
    "tower of 10, shaken": tower(10, scatter=1.0),
    "pile of 30 bodies, 60 contacts": pile(30, 60, 0.5, 4),
    "random, 100 contacts, rank 180": random_problem(180, 100, 0, 180),
}


def microseconds(p: Problem, starts: np.ndarray, repeats: int) -> tuple[float, float]:
    """(time of a solve [us], mean sweeps)."""
    d, best, sweeps = p.dense(), np.inf, 0.0
    for _ in range(15):
        start = perf_counter()
        sweeps = solve_repeated.call(handle(d), len(p.b), len(p.blocks), TOLERANCE, MAX_SWEEPS, starts, repeats)
        best = min(best, (perf_counter() - start) / repeats * 1e6)
    return best, sweeps


def main() -> None:
    print("| problem | rows | warm us | steps | cold us | steps | residual |\n|---|---|---|---|---|---|---|")
    for name, scene in CASES.items():
        p = scene if isinstance(scene, Problem) else scene.problem()
        m = len(p.b)
        answer = p.solve()
        starts = answer.lam * (1 + 0.01 * np.random.default_rng(0).normal(size=(50, m)))
        repeats = 50 if m > 50 else 2000
        warm, cold = microseconds(p, starts, repeats), microseconds(p, np.zeros((1, m)), repeats)
        print(
            f"| {name} | {m} | {warm[0]:.1f} | {warm[1]:.1f} | {cold[0]:.1f} | {cold[1]:.0f} | {answer.residual:.0e} |"
        )


if __name__ == "__main__":
    main()
