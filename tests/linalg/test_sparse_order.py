"""Fronts: every block is eliminated once, what couples meets in a front, and the solution is NumPy's."""

import numpy as np
import pytest

from bunraku.contact.active import NORMAL, OPEN, REGULAR, ROW, SLIP, SMALLEST, STICK
from bunraku.contact.problem import CONTACT, EQUALITY
from bunraku.contact.sparse import Sparse as SparseProblem
from bunraku.contact.sparse_front import factor_fronts, number_unknowns, sparse_substitute
from bunraku.kernel.entry import entry
from bunraku.kernel.record import handle
from bunraku.linalg.sparse_order import order
from contact_problems import Problem
from sparse_problems import Sparse

UNKNOWNS = {OPEN: 0, ROW: 1, NORMAL: 1, SLIP: 2, STICK: 3}


@entry("h i d i")
def linear_solve(h, blocks, softness, symmetric):
    """Number, order, factor, solve. Returns the number of fronts."""
    a = SparseProblem(h)
    a.problem.search.blocks = blocks
    a.problem.search.softness = softness
    a.elimination.count.blocks = blocks
    number_unknowns(a)
    if not order(a.elimination):
        return -1
    if not factor_fronts(a, symmetric == 1):
        return -2
    sparse_substitute(a)
    return a.elimination.count.fronts


def random_graph(seed):
    """Blocks of both sizes between random bodies, some on one body only."""
    rng = np.random.default_rng(seed)
    bodies, count = 2 + seed % 12, 3 + 3 * seed
    blocks, rows, trees = [], [], []
    for _ in range(count):
        contact = rng.random() < 0.7
        blocks.append((CONTACT, (0.5,)) if contact else (EQUALITY, (0.2,)))
        a, b = rng.integers(1, bodies + 1), rng.integers(0, bodies + 1)
        trees.append((a, b))
        part = np.zeros((3 if contact else 1, 6 * bodies))
        for t in {a, b} - {0}:
            part[:, 6 * t - 6 : 6 * t] = rng.normal(size=(len(part), 6))
        rows.append(part)
    J = np.vstack(rows)
    return Sparse(Problem(J @ J.T, np.zeros(len(J)), blocks), trees), rng


@pytest.mark.parametrize("slips", [False, True])
@pytest.mark.parametrize("seed", range(16))
def test_against_numpy(seed, slips):
    q, rng = random_graph(seed)
    a = q.record()
    p = a.problem
    h = 0.3
    T, right, gammas = [], [], []
    for k, (kind, reals) in enumerate(q.p.blocks):
        row = q.p.rows[k]
        state = rng.choice([OPEN, NORMAL, STICK] + [SLIP] * slips) if kind == CONTACT else rng.choice([OPEN, ROW])
        angle, gamma = rng.uniform(0, 6.28), rng.uniform(0, 2)
        active = p.active[k]
        active.state, active.friction, active.gamma = state, (np.cos(angle), np.sin(angle)), gamma
        unit = np.eye(q.m)[row : row + (3 if kind == CONTACT else 1)]
        test, trial = unit[: UNKNOWNS[state]], unit[: UNKNOWNS[state]]
        if state == SLIP:
            across = np.cos(angle) * unit[2] - np.sin(angle) * unit[1]
            along = unit[0] + reals[0] * (np.cos(angle) * unit[1] + np.sin(angle) * unit[2])
            test, trial = np.array([unit[0], across]), np.array([along, across])
        T += list(test)
        right += list(trial)
        gammas += [0.0] * (len(test) - 1) + [gamma * (state in (SLIP, ROW))] if len(test) else []
    count = len(T)
    d = rng.uniform(0.5, 2.0, size=count)
    rhs = rng.normal(size=count)
    p.tiny[:count] = SMALLEST * d
    p.step[:count] = rhs
    fronts = linear_solve.call(handle(a), q.nb, h, int(not slips))
    assert fronts >= (count > 0)
    if count:
        A = np.array(T) @ q.p.K @ np.array(right).T + np.diag(gammas + (h + REGULAR) * d)
        error = A @ p.step[:count] - rhs
        # backward error of an elimination without pivoting; slipping rows make it less than optimal
        size = np.abs(A).max() * np.abs(p.step[:count]).max()
        assert np.abs(error).max() < 1e-10 * max(size, 1.0)
    check_fronts(q, a, fronts)


def check_fronts(q, a, fronts):
    e = a.elimination
    live = {k for k in range(q.nb) if a.problem.active[k].state != OPEN}
    sequence = list(e.sequence[:fronts])
    assert sorted(sequence) == list(range(fronts))
    eliminated, done = set(), set()
    for f in sequence:
        front = e.fronts[f]
        blocks = [int(k) for k in e.pool[front.start : front.start + front.blocks]]
        pivots = set(blocks[: front.pivots])
        assert len(set(blocks)) == len(blocks) and not eliminated & set(blocks)
        assert all(c < 0 or c in done for c in (front.child_a, front.child_b))
        for i in pivots:  # all that couples with a pivot and is still there stands in the front
            coupled = {int(j) for j in q.cols[q.starts[i] : q.starts[i + 1]]} & live
            assert coupled - eliminated <= set(blocks)
        eliminated |= pivots
        done.add(f)
    assert eliminated == live


def test_a_tower_costs_in_proportion_to_its_height():
    # fronts of a chain of bodies with four contacts each never hold more than three bodies' contacts
    count = 60
    trees = [(k // 4 + 1, k // 4) for k in range(4 * count)]
    p = Problem(np.eye(12 * count), np.zeros(12 * count), [(CONTACT, (0.5,))] * (4 * count))
    q = Sparse(p, trees)
    a = q.record()
    for k in range(q.nb):
        a.problem.active[k].state = STICK
    a.problem.tiny[:] = SMALLEST
    a.problem.step[:] = 0.0
    fronts = linear_solve.call(handle(a), q.nb, 0.0, 1)
    assert fronts == count and max(a.elimination.fronts[f].blocks for f in range(fronts)) <= 12
