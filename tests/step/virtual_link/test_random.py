"""Random pushes and impacts: what is answered is right to 1e-8, how often three solves suffice, how often the step is
handed on; never NaN."""

from collections import Counter

import numpy as np
import pytest

from bunraku.step.virtual_link import link_hypotheses as vl
from bunraku.step.virtual_link import link_layout as at
from virtual_link_cases import Answer, Patch, Problem, box_problem, feet_problem, laws


def box(push: float, speed: float):
    """Boxes pushed by normal variates of push m g and 0.2 push m g metre, moving with `speed`."""

    def make(rng) -> Problem:
        m = rng.uniform(0.5, 5)
        wrench = rng.normal(size=6) * m * 9.8 * push * np.array([1, 1, 1, 0.2, 0.2, 0.2])
        return box_problem(tuple(rng.uniform(0.1, 0.6, 3)), m, wrench, rng.normal(size=6) * speed * [1, 1, 0, 0, 0, 5])

    return make


def fall(rng) -> Problem:
    twist = rng.normal(size=6) * [1, 1, 1, 5, 5, 5]
    twist[2] = -abs(twist[2])
    return box_problem(tuple(rng.uniform(0.1, 0.6, 3)), rng.uniform(0.5, 5), twist=twist)


def survey(make, n: int, impact: bool = False) -> tuple[float, float, float]:
    """Shares of problems answered within three solves, within the cap, and handed on, to a world's tolerance; laws
    are checked to the solver's own."""
    rng = np.random.default_rng(0)
    count: Counter[str] = Counter()
    for _ in range(n):
        problem = make(rng)
        solve = problem.impact if impact else problem.forces
        answer: Answer = solve(tolerance=1e-6)
        count["handed on" if answer.status else "three" if answer.solves <= vl.SOLVES else "more"] += 1
        answer = solve()
        assert np.isfinite(answer.f).all()
        assert np.isfinite(answer.a).all()
        if answer.status == at.OK:
            found = laws(problem, answer, impact)
            assert max(v for k, v in found.items() if k != "law") < 1e-8, (found, answer)
            assert found["law"] < 2e-6
            assert all(patch.margin.fz >= 0 for patch in answer.patches)
        else:
            assert answer.reason > 0
    shares = tuple(count[k] / n for k in ("three", "more", "handed on"))
    print(f"three {shares[0]:.3f} more {shares[1]:.3f} handed on {shares[2]:.3f}")
    return shares


# shares measured on 3000 problems stand in docs/virtual-link.md; the bounds here are 1.3 to 2 times those
@pytest.mark.parametrize(
    ("make", "impact", "three", "handed_on"),
    [
        (box(0.1, 0.0), False, 0.98, 0.01),
        (box(0.2, 0.0), False, 0.88, 0.02),
        (box(1.0, 0.0), False, 0.30, 0.12),
        (box(1.0, 0.5), False, 0.50, 0.10),
        (fall, True, 0.22, 0.10),
    ],
    ids=["breath", "gentle", "strong", "strong and moving", "fall"],
)
def test_boxes(make, impact, three, handed_on):
    found = survey(make, 500, impact)
    assert found[0] >= three
    assert found[2] <= handed_on


def test_figure_with_random_torques():
    assert survey(lambda rng: feet_problem(5.0, rng, bend=0.3), 200)[2] <= 0.12


@pytest.mark.parametrize("seed", range(3))
def test_finite_in_finite_out(seed):
    rng = np.random.default_rng(seed)
    for _ in range(200):
        p, r = int(rng.integers(1, 4)), int(rng.integers(0, 3))
        m = 6 * p + r
        H = rng.normal(size=(m, int(rng.integers(1, m + 3)))) * 10.0 ** rng.integers(-3, 4)
        patches = []
        for _ in range(p):
            n = int(rng.integers(1, 9))
            angle = 2 * np.pi * np.arange(n) / n
            region = np.column_stack([np.cos(angle), np.sin(angle)]) * 10.0 ** rng.integers(-6, 2)
            region[rng.integers(0, n)] = region[0]  # repeated vertices
            patches.append(Patch(region * rng.integers(0, 2, 2), *rng.choice([0.0, 0.5, 2.0], 4)))
        scale = 10.0 ** rng.integers(-200, 200)
        K = H @ H.T * rng.choice([0.0, 1.0, 1e-12])
        problem = Problem(K, patches, rng.normal(size=m) * scale, rng.normal(size=m) * 10.0 ** rng.integers(-12, 6))
        for answer in (problem.forces(), problem.impact()):
            assert np.isfinite(answer.f).all()
            assert np.isfinite(answer.a).all()


def test_not_a_number_is_refused():
    problem = box_problem()
    problem.a0[2] = np.nan
    answer = problem.forces()
    assert (answer.status, answer.reason) == (at.FALLBACK, at.NOT_FINITE)
    assert not answer.f.any()
    problem = box_problem()
    problem.K[1, 1] = np.nan
    assert problem.forces().reason == at.NOT_FINITE


def test_painleve_is_handed_on():
    # a rod touching with its end at (x, y) = l/2 (cos q, -sin q) from the centre, dragged so that friction presses the
    # end down: with s = +x, K_zz - muD (-) K_xz = 1/m + (l/2)^2/I cos q (cos q - mu sin q) < 0 for mu large: no force
    # answers, impulse is needed
    m, l, q, mu = 1.0, 1.0, 1.1, 3.0
    I, rx, rz = m * l * l / 12, l / 2 * np.cos(q), -l / 2 * np.sin(q)
    J = np.array(
        [
            [1, 0, 0, 0, rz, 0],
            [0, 1, 0, -rz, 0, rx],
            [0, 0, 1, 0, -rx, 0],
            [0, 0, 0, 1, 0, 0],
            [0, 0, 0, 0, 1, 0],
            [0, 0, 0, 0, 0, 1.0],
        ]
    )
    K = J @ np.diag([1 / m, 1 / m, 1 / m, 1 / I, 1 / I, 1 / I]) @ J.T
    for sx in (1.0, -1.0):
        effective = K[2, 2] - mu * sx * K[2, 0]
        problem = Problem(
            K, [Patch(np.zeros((1, 2)), mu, mu)], J @ [0, 0, -9.8, 0, 0, 0], J @ [sx * 2.0, 0, 0, 0, 0, 0]
        )
        answer = problem.forces()
        assert (answer.status == at.FALLBACK) == (effective < 0)


def test_cap_is_kept():
    rng = np.random.default_rng(2)
    for _ in range(200):
        problem = box(1.0, 0.0)(rng)
        for cap in (1, 3):
            answer = problem.forces(cap=cap)
            assert answer.solves <= cap
            if answer.status == at.OK:
                assert max(v for k, v in laws(problem, answer).items() if k != "law") < 1e-8
            else:
                assert answer.reason in (at.CAPPED, at.SINGULAR)


def test_large_sets():
    # six boxes, each on its own sole, in one call: the same forces as one by one
    rng = np.random.default_rng(4)
    parts = [box(0.15, 0.0)(rng) for _ in range(6)]
    K = np.zeros((36, 36))
    for i, part in enumerate(parts):
        K[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = part.K
    together = Problem(K, [part.patches[0] for part in parts], np.concatenate([part.a0 for part in parts])).forces()
    assert together.status == at.OK
    for i, part in enumerate(parts):
        alone = part.forces()
        assert alone.state() == together.state(i)
        assert together.wrench(i) == pytest.approx(alone.f, abs=1e-5 * np.abs(alone.f).max())
