"""Fronts: every block is eliminated once, what couples meets in a front, and the solution is NumPy's."""

import numpy as np
import pytest

from bunraku.contact.active import NORMAL, OPEN, REGULAR, ROW, SLIP, SMALLEST, STICK
from bunraku.contact.blocks import CONTACT, EQUALITY
from bunraku.contact.memory import CLASS, FX, FY, GAMMA, STEP, TINY, VECTORS, block_at
from bunraku.contact.sparse_active import number_unknowns
from bunraku.contact.sparse_front import factor_fronts, substitute_fronts
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow
from bunraku.linalg.sparse_order import (
    BLOCK_LISTS,
    BLOCKS,
    CHILD_A,
    CHILD_B,
    CLUSTER_LISTS,
    FRONT_LISTS,
    ORDER,
    PIVOTS,
    START,
    iwork_size,
    order,
)
from contact_problems import Problem
from sparse_problems import Sparse

UNKNOWNS = {OPEN: 0, ROW: 1, NORMAL: 1, SLIP: 2, STICK: 3}


@entry("II i I I D DD i D i I i d i")
def linear_solve(trees, ntrees, starts, cols, values, reals, nblocks, work, n, iwork, low, h, symmetric):
    """Number, order, factor, solve. Returns (fronts, clusters)."""
    w, iw = borrow(work), borrow(iwork)
    number_unknowns(nblocks, w, n, iw)
    fronts, clusters = order(borrow(trees), nblocks, iw, ntrees)
    matrix = (borrow(starts), borrow(cols), borrow(values), borrow(reals))
    if fronts >= 0:
        if not factor_fronts(*matrix, nblocks, clusters, fronts, w, n, iw, low, work.shape[0], symmetric == 1, h):
            return -2, clusters
        substitute_fronts(nblocks, clusters, fronts, w, n, iw)
    return fronts, clusters


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
    n = (q.m + 3) // 4 * 4 + 8
    low = VECTORS * n + 4 * q.nb
    work = np.full(low + 3 * n * n, np.nan)
    work[: VECTORS * n] = 0.0
    h = 0.3
    T, right, gammas = [], [], []
    for k, (kind, reals) in enumerate(q.p.blocks):
        at, row = block_at(n, k), q.ints[k, 1]
        state = rng.choice([OPEN, NORMAL, STICK] + [SLIP] * slips) if kind == CONTACT else rng.choice([OPEN, ROW])
        angle, gamma = rng.uniform(0, 6.28), rng.uniform(0, 2)
        work[[at + CLASS, at + FX, at + FY, at + GAMMA]] = state, np.cos(angle), np.sin(angle), gamma
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
    work[TINY * n : TINY * n + count] = SMALLEST * d
    work[STEP * n : STEP * n + count] = rhs
    iwork = np.full(iwork_size(q.nb, q.ntrees), -7)
    fronts, clusters = linear_solve.call(
        q.trees, q.ntrees, q.starts, q.cols, q.values, q.reals, q.nb, work, n, iwork, low, h, int(not slips)
    )
    assert fronts >= (count > 0)
    if count:
        A = np.array(T) @ q.p.K @ np.array(right).T + np.diag(gammas + (h + REGULAR) * d)
        error = A @ work[STEP * n : STEP * n + count] - rhs
        # backward error of an elimination without pivoting; slipping rows make it less than optimal
        size = np.abs(A).max() * np.abs(work[STEP * n : STEP * n + count]).max()
        assert np.abs(error).max() < 1e-10 * max(size, 1.0)
    check_fronts(q, iwork, fronts, clusters, work, n)


def check_fronts(q, iwork, fronts, clusters, work, n):
    at = BLOCK_LISTS * q.nb + CLUSTER_LISTS * clusters
    table = iwork[at : at + FRONT_LISTS * fronts].reshape(fronts, FRONT_LISTS)
    live = {k for k in range(q.nb) if work[block_at(n, k) + CLASS] != OPEN}
    sequence = list(table[:, ORDER])
    assert sorted(sequence) == list(range(fronts))
    eliminated, done = set(), set()
    for f in sequence:
        blocks = [int(k) for k in iwork[table[f, START] : table[f, START] + table[f, BLOCKS]]]
        pivots = set(blocks[: table[f, PIVOTS]])
        assert len(set(blocks)) == len(blocks) and not eliminated & set(blocks)
        assert all(c < 0 or c in done for c in table[f, [CHILD_A, CHILD_B]])
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
    n = 12 * count + 8
    work = np.zeros(VECTORS * n + 4 * q.nb + 40 * n * 12)
    for k in range(q.nb):
        work[block_at(n, k) + CLASS] = STICK
    work[TINY * n : (TINY + 1) * n] = SMALLEST
    iwork = np.full(iwork_size(q.nb, q.ntrees), -7)
    fronts, clusters = linear_solve.call(
        q.trees, q.ntrees, q.starts, q.cols, q.values, q.reals, q.nb, work, n, iwork, VECTORS * n + 4 * q.nb, 0.0, 1
    )
    at = BLOCK_LISTS * q.nb + CLUSTER_LISTS * clusters
    table = iwork[at : at + FRONT_LISTS * fronts].reshape(fronts, FRONT_LISTS)
    assert fronts == count and table[:, BLOCKS].max() <= 12
