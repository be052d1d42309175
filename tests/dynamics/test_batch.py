"""A batch gives what its states give one by one, for every function, every batch length, and mixed shapes; bad shapes
are refused clearly."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.dynamics.aba_kernel import aba_many
from bunraku.dynamics.arguments import BAD_SIZE, OK
from bunraku.dynamics.rnea_kernel import rnea_many
from figures import SCREWS, random_figure, random_forces, random_state

M = random_figure(5, links=12)


def states(n):
    rows = [random_state(M, s) for s in range(n)]
    return tuple(np.array(x) for x in zip(*rows))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 13])
def test_lanes_give_the_same_bits(n):
    q, v, tau = states(n)
    assert np.array_equal(bk.aba(M, q, v, tau), [bk.aba(M, *s) for s in zip(q, v, tau)])
    assert np.array_equal(bk.rnea(M, q, v, tau), [bk.rnea(M, *s) for s in zip(q, v, tau)])


def test_lanes_give_the_same_bits_of_screws():
    m = random_figure(3, links=12, kinds=SCREWS)
    assert any(j.kind == "helical" for j in m.joints)
    q, v, tau = (np.array(x) for x in zip(*[random_state(m, s) for s in range(6)]))
    assert np.array_equal(bk.aba(m, q, v, tau), [bk.aba(m, *s) for s in zip(q, v, tau)])
    assert np.array_equal(bk.rnea(m, q, v, tau), [bk.rnea(m, *s) for s in zip(q, v, tau)])


def test_forces_in_a_batch():
    q, v, tau = states(6)
    f = np.array([random_forces(M, s) for s in range(6)])
    assert np.array_equal(bk.aba(M, q, v, tau, f), [bk.aba(M, *s) for s in zip(q, v, tau, f)])
    assert np.array_equal(bk.rnea(M, q, v, tau, f[0]), [bk.rnea(M, *s, f[0]) for s in zip(q, v, tau)])


def test_other_functions():
    q, v, _ = states(3)
    frame = M.links[-1].name
    assert np.array_equal(bk.crba(M, q), [bk.crba(M, x) for x in q])
    assert np.array_equal(bk.joint_jacobians(M, q), [bk.joint_jacobians(M, x) for x in q])
    assert np.array_equal(bk.frame_jacobian(M, q, frame), [bk.frame_jacobian(M, x, frame) for x in q])
    assert np.array_equal(bk.momentum_matrix(M, q), [bk.momentum_matrix(M, x) for x in q])
    assert np.array_equal(bk.energy(M, q, v), [bk.energy(M, *s) for s in zip(q, v)])
    assert np.array_equal(bk.centre_of_mass(M, q), [bk.centre_of_mass(M, x) for x in q])
    many, one = bk.kinematics(M, q, v), [bk.kinematics(M, *s) for s in zip(q, v)]
    assert np.array_equal(many.pose(frame)[0], [k.pose(frame)[0] for k in one])
    assert np.array_equal(many.velocity(frame), [k.velocity(frame) for k in one])
    rows = np.eye(3)
    assert np.array_equal(bk.delassus(M, q, [frame] * 3, rows), [bk.delassus(M, x, [frame] * 3, rows) for x in q])


def test_one_row_serves_a_whole_batch():
    q, v, tau = states(4)
    assert np.array_equal(bk.aba(M, q, v[0], tau), [bk.aba(M, x, v[0], t) for x, t in zip(q, tau)])


def test_lists_slices_and_other_types_are_converted():
    q, v, tau = (x[0] for x in states(1))
    wanted = bk.aba(M, q, v, tau)
    assert np.array_equal(bk.aba(M, list(q), v.tolist(), tuple(tau)), wanted)
    wide = np.zeros((M.nv, 2))
    wide[:, 1] = v
    assert np.array_equal(bk.aba(M, q, wide[:, 1], tau), wanted)
    frozen = q.copy()
    frozen.flags.writeable = False
    assert np.array_equal(bk.aba(M, frozen, v, tau), wanted)
    assert np.allclose(bk.aba(M, q, np.zeros(M.nv, int), np.zeros(M.nv, np.float32)), bk.aba(M, q, 0 * v, 0 * v))


def test_out_and_work():
    q, v, tau = (x[0] for x in states(1))
    work, out = bk.Work(M), np.empty(M.nv)
    assert bk.aba(M, q, v, tau, work=work, out=out) is out
    assert np.array_equal(out, bk.aba(M, q, v, tau))
    for f in (bk.crba, bk.joint_jacobians, lambda *args, **more: bk.frame_jacobian(*args, "l1", **more)):
        wanted = f(M, q)
        out = np.full_like(wanted, np.nan)
        assert f(M, q, work=work, out=out) is out and np.array_equal(out, wanted)


def test_a_work_of_another_figure_is_refused():
    q, v, tau = states(2)
    other = bk.Work(bk.box((1, 1, 1)))
    calls = (
        lambda: bk.aba(M, q[0], v[0], tau[0], work=other),
        lambda: bk.aba(M, q, v, tau, work=other),
        lambda: bk.rnea(M, q[0], v[0], tau[0], work=other),
        lambda: bk.crba(M, q[0], work=other),
        lambda: bk.crba(M, q, work=other),
        lambda: bk.joint_jacobians(M, q[0], work=other),
        lambda: bk.frame_jacobian(M, q[0], "l1", work=other),
        lambda: bk.kinematics(M, q, v, work=other),
        lambda: bk.centroidal(M, q[0], work=other),
        lambda: bk.momentum_matrix(M, q[0], work=other),
        lambda: bk.delassus(M, q[0], ["l1"], np.eye(3)[:1], work=other),
        lambda: bk.rnea_derivatives(M, q[0], v[0], tau[0], work=other),
        lambda: bk.aba(M.with_gravity((0, 0, 0)), q[0], v[0], tau[0], work=bk.Work(M)),
    )
    for call in calls:
        with pytest.raises(bk.InputError, match="another figure"):
            call()


def test_work_survives_copies_and_pickles():
    import copy
    import pickle

    q, v, tau = (x[0] for x in states(1))
    for again in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
        m, work = again((M, bk.Work(M))) if again is not copy.copy else (M, copy.copy(bk.Work(M)))
        assert np.array_equal(bk.aba(m, q, v, tau, work=work), bk.aba(M, q, v, tau))


def test_threads_have_their_own_default_work():
    from concurrent.futures import ThreadPoolExecutor

    q, v, tau = states(64)
    wanted = bk.aba(M, q, v, tau)
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda s: bk.aba(M, *s), zip(q, v, tau)))
    assert np.array_equal(got, wanted)


def test_empty_batches():
    q, v, tau = np.empty((0, M.nq)), np.empty((0, M.nv)), np.empty((0, M.nv))
    assert bk.aba(M, q, v, tau).shape == (0, M.nv)
    assert bk.crba(M, q).shape == (0, M.nv, M.nv)
    assert bk.kinematics(M, q, v).position.shape == (0, M.nb, 3)
    assert bk.delassus(M, q, ["l0"] * 2, np.eye(3)[:2]).shape == (0, 2, 2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda q, v, t: bk.aba(M, q[:-1], v, t), r"q has shape"),
        (lambda q, v, t: bk.aba(M, q, v[1:], t), r"v has shape"),
        (lambda q, v, t: bk.rnea(M, q, v, np.zeros((2, M.nv))), r"a has shape"),
        (lambda q, v, t: bk.aba(M, q, "abc", t), r"v must be real numbers"),
        (lambda q, v, t: bk.aba(M, q + 1j, v, t), r"q must be real numbers"),
        (lambda q, v, t: bk.aba(M, q, v, t, "abc"), r"f_ext must be real numbers"),
        (lambda q, v, t: bk.frame_jacobian(M, q, None), r"frame must be"),
        (lambda q, v, t: bk.inverse_kinematics(M, []), r"no target"),
        (lambda q, v, t: bk.wrenches(M, q, [("l0", (1, 2, 3, 4))]), r"3 numbers"),
        (lambda q, v, t: bk.aba(M, q, v, t, np.zeros((2, 6))), r"f_ext has shape"),
        (lambda q, v, t: bk.aba(M, q, v, t, out=np.zeros(3)), r"out must be"),
        (lambda q, v, t: bk.aba(M, np.zeros((2, 3, 4)), v, t), r"q has shape"),
        (lambda q, v, t: bk.crba(M, q, out=np.zeros((M.nv, M.nv), order="F")), r"out must be"),
        (lambda q, v, t: bk.crba(M, q[1:]), r"q has shape"),
        (lambda q, v, t: bk.frame_jacobian(M, q, "nothing"), r"no link or frame"),
        (lambda q, v, t: bk.delassus(M, q, ["l0"], np.zeros((2, 3))), r"directions has shape"),
        (lambda q, v, t: bk.delassus(M, q, [999], np.zeros((1, 3))), r"body 999"),
    ],
)
def test_bad_arguments_get_one_clear_sentence(call, words):
    q, v, tau = (x[0] for x in states(1))
    with pytest.raises(bk.BunrakuError, match=words) as caught:
        call(q, v, tau)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kernel", [aba_many, rnea_many])
def test_kernels_of_batches_look_at_sizes_themselves(kernel):
    """Every length of every argument; what is not filled stays as it was."""
    m = bk.human()
    good = [np.zeros((5, m.nq)), np.zeros((5, m.nv)), np.zeros((5, m.nv)), np.full((5, m.nv), 7.0)]
    good[0][:] = m.neutral()
    work = bk.Work(m)
    for k in range(4):
        for shape in ((4, good[k].shape[1]), (5, good[k].shape[1] - 1), (6, good[k].shape[1] + 1)):
            bad = [x if i != k else np.full(shape, 7.0) for i, x in enumerate(good)]
            assert kernel.call(work.handle, *bad) == BAD_SIZE
            assert (bad[3] == 7.0).all()
    assert kernel.call(work.handle, *good) == OK and not (good[3] == 7.0).any()
