"""Responses to impulses against J M^-1 J' on random trees with every kind of joint and gears, and on forests."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.dynamics.delassus_kernel import factor
from bunraku.dynamics.work import opened
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow
from bunraku.kernel.record import handle, put
from bunraku.model.layout import COUNT, DOF, FOLLOWS, IV, SLOT
from bunraku.model.matrix_gears import leads_of
from bunraku.step.response import (
    BASE,
    HOP,
    SQUARE,
    add_impulse,
    entry_of,
    forget_impulses,
    respond_blocks,
    spread_impulses,
    trace_joint,
    trace_way,
)
from bunraku.step.step_arrays import Traces
from bunraku.world.room import longest_way
from figures import KINDS, SCREWS, random_figure, relative
from matrix_figures import FORMS, random_description


@entry("h D I DD D h D")
def answers(handle, q, bodies, wrench, torques, h, dv):
    """The pool of responses of all pairs of the given bodies; dv caused by the impulses `wrench` (nb, 6), (n, f) at the
    bodies' origins, and by torques on joints. One kernel, as it takes ten seconds to compile."""
    ints, reals, work = opened(handle)
    traces = Traces(h)
    n = bodies.shape[0]
    factor(ints, reals, borrow(q), work)
    for a in range(n):
        trace_way(ints, reals, work, traces, a, bodies[a])
    for a in range(n):
        for b in range(a + 1):
            respond_blocks(ints, work, traces, a, b, SQUARE * (a * n + b), SQUARE * (b * n + a))
    forget_impulses(ints, work)
    for i in range(1, ints.shape[0]):
        moment = (wrench[i, 0], wrench[i, 1], wrench[i, 2])
        force = (wrench[i, 3], wrench[i, 4], wrench[i, 5])
        trace_way(ints, reals, work, traces, 0, i)
        add_impulse(ints, work, traces, 0, moment, force)
        leads = ints[i, FOLLOWS] == 0 if ints[i, SLOT] != 0 else ints[i, COUNT] >= 1
        t = torques[ints[i, IV]] if leads and ints[i, DOF] == 1 else 0.0
        if t != 0.0:
            trace_joint(ints, reals, work, traces, 0, i)
            add_impulse(ints, work, traces, 0, (t, 0.0, 0.0), (0.0, 0.0, 0.0))
    spread_impulses(ints, reals, work, borrow(dv))


def traces_of(n: int, way: int) -> Traces:
    """Room for n sources with so many hops to the world."""
    ints = {"lengths": np.zeros(n, dtype=np.int64), "hops": np.zeros((n, way), dtype=np.int64)}
    reals = {"joints": np.zeros((n, way * HOP)), "roots": np.zeros((n, BASE)), "pool": np.empty(n * n * SQUARE)}
    return put(Traces(), **ints, **reals)


def body_jacobians(m, q):
    """J (nb, 6, nv) of the bodies' origins, (angular, linear)."""
    J = np.zeros((m.nb, 6, m.nv))
    twist = np.array([bk.kinematics(m, q, e).twist for e in np.eye(m.nv)])
    J[:, :3], J[:, 3:] = twist[:, :, 3:].transpose(1, 2, 0), twist[:, :, :3].transpose(1, 2, 0)
    return J


@pytest.mark.parametrize("kinds", [KINDS, SCREWS])
@pytest.mark.parametrize("seed", range(10))
def test_blocks_and_impulses(seed, kinds):
    answers_like_the_dense_matrix(random_figure(seed, links=9, kinds=kinds), seed)


@pytest.mark.parametrize("seed", range(12))
def test_groups_coupled_by_a_matrix(seed):
    m = random_description(seed, FORMS[seed % 3], "free" if seed % 2 else "fixed").build()
    if seed == 8:
        assert max(rates for _, _, rates in leads_of(m.ints)) > 3  # more than one hop
    answers_like_the_dense_matrix(m, seed)


def answers_like_the_dense_matrix(m, seed):
    """Blocks, and what impulses do, against J M^-1 J'."""
    rng = np.random.default_rng(seed)
    q = bk.random_configuration(m, rng)
    bodies = np.arange(1, m.nb)
    n = len(bodies)
    traces, work = traces_of(n, longest_way(m)), bk.Work(m)  # the handle is valid while its Work lives
    J = body_jacobians(m, q)
    M = bk.crba(m, q)
    wanted = np.einsum("aik,bjk->abij", J, np.linalg.solve(M, J.reshape(-1, m.nv).T).T.reshape(m.nb, 6, m.nv))
    wrench = rng.normal(size=(m.nb, 6))
    wrench[0] = 0
    dv = np.empty(m.nv)
    torques = np.zeros(m.nv)
    for j in m.joints:
        if j.nv and j.kind in ("hinge", "slider", "universal"):
            torques[j.v] = rng.normal(size=j.nv)
    answers.call(work.handle, q, bodies, wrench, torques, handle(traces), dv)
    assert (
        relative(
            traces.pool.reshape(n, n, SQUARE)[:, :, [[entry_of(i, j) for j in range(6)] for i in range(6)]],
            wanted[1:, 1:],
        )
        < 1e-9
    )
    assert relative(dv, np.linalg.solve(M, torques + np.einsum("aik,ai->k", J, wrench))) < 1e-9
