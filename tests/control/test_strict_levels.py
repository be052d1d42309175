"""Strict levels: what the lower level asks for changes nothing of the upper one; what it gets is the best that is left."""

import numpy as np
import pytest
from scipy.linalg import null_space

import bunraku as bk
from asserts import asserts
from bunraku.control.whole_body import Contact, Task, WholeBody
from bunraku.errors import InputError
from figures import random_figure, random_state

FEET = [(f"{s}_sole", (x, y, 0.0)) for s in ("left", "right") for x in (-0.095, 0.095) for y in (-0.06, 0.06)]


def a_case(rng):
    """(model, q, v, what the upper level is asked for): a human in a random pose, on two feet, one or none, with one to
    four pins and drags, some of the full pose."""
    m = bk.human()
    q = bk.integrate(m, m.neutral(), 0.4 * rng.normal(size=m.nv), 1.0)
    v = 0.5 * rng.normal(size=m.nv)
    feet = int(rng.integers(0, 3))
    contacts = [Contact(link, at, friction=0.7, wanted=rng.normal(size=3)) for link, at in FEET[: 4 * feet]]
    links = rng.permutation(["left_hand", "right_hand", "head", "pelvis"])[: rng.integers(1, 5)]
    tasks = [
        Task(str(link), 5.0 * rng.normal(size=rng.choice([3, 6])), point=0.1 * rng.normal(size=3)) for link in links
    ]
    momentum = {0: (30.0 * rng.normal(), 1e4), 1: (30.0 * rng.normal(), 1e4), 4: (rng.normal(), 2e3)} if feet else {}
    return m, q, v, {"contacts": contacts, "tasks": tasks, "momentum": momentum}


def lower_request(rng, m):
    """Desired joint accelerations and limits, at random."""
    nj = m.nv - 6
    middle, half = 5.0 * rng.normal(size=nj), np.where(rng.random(nj) < 0.3, 10.0 * rng.random(nj), 300.0)
    return {"posture": 40.0 * rng.normal(size=nj), "bounds": (middle - half, middle + half)}


def rows_of(m, q, v, contacts, tasks, momentum):
    """(A, b) of the upper level in (a, forces), from dense formulas: A (a, f) - b are its residuals."""
    forces = 3 * len(contacts)
    k = bk.kinematics(m, q, v)
    A, b = [], []

    def point(x):
        i = m.frame(x.link)
        return type(i)("p", i.body, i.position + i.rotation @ np.asarray(x.point, float), i.rotation, False)

    for x in [*contacts, *tasks]:
        wanted = np.asarray(x.wanted, float)
        n = len(wanted)
        A.append(np.hstack([bk.frame_jacobian(m, q, point(x))[:n], np.zeros((n, forces))]))
        b.append(wanted - k.bias_acceleration(point(x))[:n])
    com = bk.centroidal(m, q, v).com
    for row, (wanted, _) in momentum.items():
        a = np.zeros(m.nv + forces)
        for e, c in enumerate(contacts):
            arm = k.pose(point(c))[0] - com
            for d in range(3):
                f = np.eye(3)[d]
                a[m.nv + 3 * e + d] = np.concatenate([f, np.cross(arm, f)])[row]
        A.append(a[None])
        b.append([wanted])
    return np.vstack(A), np.concatenate(b)


def residual(case, s):
    m, q, v, upper = case
    A, b = rows_of(m, q, v, **upper)
    return A @ np.concatenate([s.a, s.forces.ravel()]) - b


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("rounds", [1, 4])
@asserts("2002/priority/upper")
def test_the_lower_level_changes_nothing_of_the_upper_one(seed, rounds):
    rng = np.random.default_rng(seed)
    case = a_case(rng)
    m, q, v, upper = case
    found = [
        WholeBody(m, priority="2002").solve(q, v, **upper, **lower_request(rng, m), rounds=rounds) for _ in range(3)
    ]
    found.append(WholeBody(m, priority="2002").solve(q, v, **upper, rounds=rounds))
    if len(residual(case, found[0])) < m.nv - 10:  # there is freedom left, and it is used
        assert max(np.abs(s.a - found[0].a).max() for s in found[1:]) > 0.1
    for s in found[1:]:
        assert np.abs(residual(case, s) - residual(case, found[0])).max() < 1e-9


@pytest.mark.parametrize("seed", range(6))
@asserts("2002/priority/lower")
def test_what_is_left_is_used_as_well_as_it_can_be(seed):
    """Without contacts and bounds the lower level is a least-squares problem: the accelerations nearest to the desired
    ones among all that keep the upper rows, found by an orthogonal basis of their null space."""
    rng = np.random.default_rng(seed)
    m, q, v, upper = a_case(rng)
    upper = {**upper, "contacts": [], "momentum": {}}
    posture = 20.0 * rng.normal(size=m.nv - 6)
    s = WholeBody(m, priority="2002").solve(q, v, **upper, posture=posture, torque_limits=False)
    M, h = bk.crba(m, q), bk.rnea(m, q, v, np.zeros(m.nv))
    A, b = rows_of(m, q, v, **upper)
    rows, right = np.vstack([A, M[:6]]), np.concatenate([b, -h[:6]])  # nothing pushes the base
    N = null_space(rows)
    best = s.a + N @ np.linalg.lstsq(N[6:], posture - s.a[6:], rcond=None)[0]
    assert np.linalg.norm(s.a[6:] - posture) <= np.linalg.norm(best[6:] - posture) * (1 + 1e-9)
    if np.linalg.matrix_rank(rows) == len(rows):  # pins that can all hold do
        assert np.abs(rows @ s.a - right).max() < 0.05 * (1 + np.abs(right).max())


@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold_in_what_is_left(seed):
    """One hand is asked for; the joints of the other arm stay within their bounds, whatever is desired."""
    rng = np.random.default_rng(seed)
    m, q, v, _ = a_case(rng)
    nj = m.nv - 6
    low, high = np.full(nj, -300.0), np.full(nj, 300.0)
    arm = [j.iv - 6 + k for j in m.joints if j.name in ("right_shoulder", "right_elbow") for k in range(j.nv)]
    low[arm], high[arm] = -1.0, 1.0
    task = Task("left_hand", (1.0, 2.0, -1.0))
    posture = 50.0 * rng.normal(size=nj)
    body = WholeBody(m, priority="2002")
    s = body.solve(q, v, tasks=[task], posture=posture, bounds=(low, high), torque_limits=False, rounds=6)
    assert np.abs(s.a[6:][arm]).max() < 1.0 + 1e-6 and np.isclose(np.abs(s.a[6:][arm]), 1.0, atol=1e-6).any()


def test_weights_let_a_strong_wish_disturb_a_task_and_strict_levels_do_not():
    rng = np.random.default_rng(5)
    m, q, v, _ = a_case(rng)
    task, off = Task("left_hand", (1.0, 2.0, -1.0)), {}
    upper = {"contacts": [], "tasks": [task], "momentum": {}}
    for priority in ("weights", "2002"):
        some = [
            WholeBody(m, priority=priority).solve(q, v, tasks=[task], posture=x, torque_limits=False)
            for x in (np.zeros(m.nv - 6), np.full(m.nv - 6, 100.0))
        ]
        off[priority] = np.abs(np.subtract(*(residual((m, q, v, upper), s) for s in some))).max()
    assert off["weights"] > 1e-3 and off["2002"] < 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_other_figures_keep_their_upper_level_too(seed):
    """Random trees, some on a fixed base, with gears."""
    rng = np.random.default_rng(seed)
    m = random_figure(seed)
    q, v, _ = random_state(m, seed)
    link = m.links[-1].name
    nj = WholeBody(m).joints
    upper = {"contacts": [], "tasks": [Task(link, rng.normal(size=3))], "momentum": {}}
    found = [
        WholeBody(m, priority="2002").solve(
            q, v, tasks=upper["tasks"], posture=10 * rng.normal(size=nj), torque_limits=False
        )
        for _ in range(2)
    ]
    assert np.abs(np.subtract(*(residual((m, q, v, upper), s) for s in found))).max() < 1e-9


def test_an_unknown_priority_is_refused():
    with pytest.raises(InputError, match="priority 'strict' is not one of weights, 2002"):
        WholeBody(bk.human(), priority="strict")
    with pytest.raises(InputError, match="Choreography: priority"):
        bk.Choreography(priority="1988")
