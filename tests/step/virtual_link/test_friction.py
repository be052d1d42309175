"""Friction of N9: rows and signs against direct computation, work never positive, the law of a slip met by the answer."""

import numpy as np
import pytest

from asserts import asserts
from bunraku.kernel.entry import entry
from bunraku.kernel.record import handle
from bunraku.step.virtual_link import link_layout as at
from bunraku.step.virtual_link import link_rows as rows
from virtual_link_cases import G, Patch, box_problem, cross2, laws, rectangle, vertex_motion

STATES = {"point": (at.POINT, 2, 2), "line": (at.LINE, 1, 2), "surface": (at.SURFACE, 0, 0)}


def hypothesis(state, rng, mode=at.SLIP):
    """A patch in a state, sliding along a random s; its rows and the wrenches that go with them."""
    patch = Patch(rectangle(0.4, 0.3) + np.array([0.03, -0.05]), mu_s=0.9, mu_d=0.7)
    buffers = at.Buffers(1)
    buffers.state(np.eye(6), 0.0, 0.0, 0.0, [patch.record()])
    buffers.numbers.h = 1e-3
    thought = buffers.patches[0]
    thought.mode = mode
    thought.state, thought.low, thought.high = STATES[state]
    angle = rng.uniform(0, 2 * np.pi)
    thought.s = np.cos(angle), np.sin(angle)
    thought.fade, thought.sign, thought.d = rng.uniform(0, 1), rng.choice([-1.0, 1.0]), rng.uniform(0.05, 0.2)
    if state == "point":
        thought.fade = 0.0
    thought.centre = 0.02, 0.01
    n = patch_rows.call(handle(buffers.links))
    columns = buffers.links.rows.column
    return patch, thought, columns("motion")[:n], columns("force")[:n]


@entry("h")
def patch_rows(h):
    links = at.Links(h)
    return rows.patch_rows(links, links.patches[0], 0)


@asserts("2000/eq-29-sign", "2000/eq-34-35", "2000/eq-36")
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("seed", range(5))
def test_columns_are_the_friction_of_the_pressure(state, seed):
    rng = np.random.default_rng(seed)
    patch, thought, motion, columns = hypothesis(state, rng)
    k = int(np.flatnonzero(motion[:, 2])[0])
    x = rng.normal(size=len(columns)) * 0.3
    x[k] = rng.uniform(1, 5)
    w = x @ columns
    fz, s, E = w[2], np.array(thought.s), thought.fade
    pv = np.array([-w[4], w[3]]) / fz
    f = -patch.mu_d * fz * (1 - E) * s
    nzv = -thought.sign * patch.mu_d * fz * thought.d * E
    assert fz == pytest.approx(x[k])
    assert np.abs(w[:2] - f).max() < 1e-12
    assert abs(w[5] - (nzv + pv[0] * f[1] - pv[1] * f[0])) < 1e-12
    # power of a slip along s at pv, turning with the sign: -muD fz ((1-E) |u| + d E |wz|), never positive
    speed, turn = rng.uniform(0, 2, 2)
    wz = thought.sign * turn
    v = speed * s - wz * np.array([-pv[1], pv[0]])
    power = w @ np.array([*v, 0, 0, 0, wz])
    assert power == pytest.approx(-patch.mu_d * fz * ((1 - E) * speed + thought.d * E * turn), abs=1e-12)


@asserts("2000/table-1/*", "2000/table-2/*")
def test_rows_of_the_table():
    # Table 1: which motions a state constrains; the frame's origin and line direction are the region's
    rng = np.random.default_rng(0)
    twist = rng.normal(size=6)
    for state, count in (("point", 3), ("line", 5), ("surface", 6)):
        patch, _, motion, columns = hypothesis(state, rng, at.STICK)
        assert len(motion) == count
        assert np.array_equal(motion, columns)  # sticking: rows and columns are dual
        touching = {"point": [2], "line": [1, 2], "surface": [0, 1, 2, 3]}[state]
        # a twist that none of the rows sees leaves every touching vertex at rest
        null = np.linalg.svd(motion)[2][len(motion) :]
        for t in null:
            for k in touching:
                assert np.abs(vertex_motion(t, patch.region[k])).max() < 1e-12
        assert np.linalg.matrix_rank(motion) == count
        assert np.abs(motion @ twist).max() > 0
        # sliding and spinning rows
        assert len(hypothesis(state, rng, at.SLIP)[2]) == {"point": 1, "line": 2, "surface": 3}[state]
        assert len(hypothesis(state, rng, at.SPIN)[2]) == {"point": 3, "line": 4, "surface": 5}[state]


@asserts("2000/eq-33", "2000/eq-33-shared")
def test_static_moment_limit_and_what_follows():
    # (33): stuck while |nz| <= d muS fz; beyond, it turns against muD fz d
    problem = box_problem(mu_s=0.8, mu_d=0.6)
    d = problem.forces().patches[0].d
    weight = 2.0 * G
    below, above = (box_problem(push=(0, 0, 0, 0, 0, k * 0.8 * weight * d), mu_s=0.8, mu_d=0.6) for k in (0.999, 1.001))
    assert below.forces().state() == ("surface", "stick")
    answer = above.forces()
    assert answer.state() == ("surface", "slip")
    assert answer.wrench()[5] == pytest.approx(-0.6 * weight * d, rel=1e-9)
    # (31), (33) together: force and moment share the limit, nzS = d (muS fz - |f|)
    for k, mode in ((0.49, "stick"), (0.51, "slip")):
        push = (0.5 * 0.8 * weight, 0, 0, 0, 0, k * 0.8 * weight * d)
        flat = box_problem(size=(0.4, 0.3, 1e-6), push=push, mu_s=0.8, mu_d=0.6)
        assert flat.forces().state() == ("surface", mode)


def test_equal_coefficients_share_the_static_limit_continuously():
    # with muS = muD, force and moment just past (33) are those just before it
    push = np.array([4.0, 2.0, 0, 0, 0, 0.0])
    problem = box_problem(size=(0.4, 0.3, 1e-6), push=push, mu_s=0.7, mu_d=0.7)
    d, weight = problem.forces().patches[0].d, 2.0 * G
    push[5] = d * (0.7 * weight - np.hypot(4.0, 2.0)) * (1 + 1e-9)
    first = box_problem(size=(0.4, 0.3, 1e-6), push=push, mu_s=0.7, mu_d=0.7).forces()
    assert first.wrench()[5] == pytest.approx(-push[5], rel=1e-6)
    assert np.abs(first.wrench()[:2] + push[:2]).max() < 1e-6


def test_slip_opposes_friction_and_the_law_is_met():
    rng = np.random.default_rng(5)
    kinds = set()
    for _ in range(60):
        twist = rng.normal(size=6) * [1, 1, 0, 0, 0, 8]
        problem = box_problem(tuple(rng.uniform(0.1, 0.5, 3)), 1.5, twist=twist, push=rng.normal(size=6) * 0.3)
        answer = problem.forces()
        if answer.status == at.OK:
            found = laws(problem, answer)
            kinds.add(answer.state()[1])
            assert max(v for k, v in found.items() if k != "law") < 1e-8
            assert found["law"] < 2e-6
            u = problem.v + problem.dt * answer.a
            pv = np.array(answer.patches[0].pv)
            power = answer.wrench()[:2] @ vertex_motion(u, pv)[:2]
            nzv = answer.wrench()[5] - cross2(pv, answer.wrench()[:2])
            assert power + nzv * u[5] <= 1e-9
    assert kinds == {"slip", "spin"}
