"""Times of the contact solver for large islands: `python tests/time_sparse_solver.py` prints the table of
docs/contact-solver.md.

warm: 20 starts, the solution times 1 + 0.01 N(0, 1), the median; cold: from zero, the least of 3. Calls from Python, in
milliseconds.
"""

import numpy as np

from contact_problems import tower
from sparse_problems import heap, sparse_scene

CASES = {
    "tower of 5 boxes": tower(5),
    "tower of 10": tower(10),
    "tower of 20": tower(20),
    "tower of 40": tower(40),
    "tower of 10, shaken": tower(10, scatter=1.0),
    "tower of 20, shaken": tower(20, scatter=1.0),
    "tower of 40, shaken": tower(40, scatter=1.0),
    "heap of 30 boxes": heap(4),
    "heap of 91 boxes": heap(6),
    "heap of 204 boxes": heap(8),
    "heap of 204, shaken a little (0.1)": heap(8, scatter=0.1),
    "heap of 30, shaken": heap(4, scatter=1.0),
    "heap of 91, shaken": heap(6, scatter=1.0),
    "heap of 204, shaken": heap(8, scatter=1.0),
    "heap of 385 boxes": heap(10),
}


def main() -> None:
    print("| problem | contacts | warm ms | steps | cold ms | steps | worst residual | energy J |")
    print("|---|---|---|---|---|---|---|---|")
    sparse_scene(tower(1)).solve()
    for name, scene in CASES.items():
        q = sparse_scene(scene)
        cold, seconds = q.solve(max_sweeps=3000), [q.seconds]
        for _ in range(2 if q.seconds < 0.5 else 0):
            q.solve(max_sweeps=3000)
            seconds.append(q.seconds)
        warm, times = [], []
        for seed in range(20):
            warm.append(q.solve(cold.lam * (1 + 0.01 * np.random.default_rng(seed).normal(size=q.m))))
            times.append(q.seconds)
        v = scene.after(warm[0].lam)
        energy = 0.5 * v @ (v / np.diag(scene.W))
        worst = max(a.residual for a in [cold, *warm])
        print(
            f"| {name} | {q.nb} | {1e3 * np.median(times):.2f} | {np.mean([a.sweeps for a in warm]):.0f} "
            f"| {1e3 * min(seconds):.2f} | {cold.sweeps} | {worst:.0e} | {energy:.0e} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
