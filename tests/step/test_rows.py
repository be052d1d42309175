"""K of a whole world's rows against J M^-1 J', with J by finite differences of the rows' own rates."""

import numpy as np

import bunraku as bk
from bunraku.kernel.entry import entry
from bunraku.kernel.record import handle
from bunraku.kernel.table import run
from bunraku.step.euler import FREE, ROWS, TOUCH
from bunraku.step.island import fill_matrix, gather
from bunraku.step.step_arrays import Step


@entry("h")
def assemble(h):
    """Rows and K of the first island; returns its size."""
    for k in (FREE, TOUCH, ROWS):
        status = run(h, k)
        if status < 0:
            return status
    s = Step(h)
    start = s.rows.island_start
    for t in range(start.shape[0] - 1):
        if start[t + 1] > start[t]:
            m, _ = gather(s, start[t], start[t + 1], s.rows.b)
            fill_matrix(s, start[t], start[t + 1], m)
            return m
    return 0


def scene():
    """A figure with one foot on the floor holding a box that is tied to the world, a joint at its limit, a spring."""
    world = bk.World(dt=1e-3)
    world.add_ground()
    fig = world.add(bk.human(), at=(0, 0, 0.9))
    box = world.add(bk.box((0.1, 0.2, 0.1), 2.0), at=(0.3, 0.2, 1.0))
    rng = np.random.default_rng(3)
    fig.v[:], box.v[:] = 0.3 * rng.normal(size=fig.v.size), 0.3 * rng.normal(size=6)
    world.connect(fig["left_hand"], box, at=(0.3, 0.2, 1.0), axes="x y z ry")
    world.connect(box, None, at=(0.3, 0.25, 1.0), axes="x z rx")
    world.spring(fig["trunk"], box, stiffness=100.0, damping=3.0)
    knee = next(j for j in fig.model.joints if "knee" in j.name)
    fig.q[knee.iq] = knee.lower[0] - 0.001
    return world


def rates(world):
    """b of all rows without what was asked for: the difference to v = 0 is J v."""
    m = assemble.call(handle(world._step))
    assert m > 0
    rows = world._step.rows
    index = np.zeros(m, dtype=int)
    for p in range(rows.count.packs):
        pack = rows.packs[p]
        for j in range(pack.lines):
            index[pack.place + j] = pack.first + j
    return rows.b[index].copy(), world._step.island.K[:m, :m].copy()


def test_matrix_of_rows():
    """Rows' rates are b = J (v + dt v') + const; v' = A^-1 (tau - …): so a torque dtau changes b by dt J A^-1 dtau, and
    K = J A^-1 J'."""
    world = scene()
    start = world.snapshot()
    world.step()  # makes room
    world.restore(start)
    b0, K = rates(world)
    n = world.model.nv
    response = np.zeros((len(b0), n))
    for k in range(n):
        world.tau[k] += 1.0
        response[:, k] = (rates(world)[0] - b0) / world.dt
        world.tau[k] -= 1.0
    M = bk.crba(world.model, world.q)
    J = response @ M
    wanted = J @ np.linalg.solve(M, J.T)
    assert np.abs(K - wanted).max() < 1e-7 * np.abs(wanted).max()
    assert np.allclose(K, K.T)
