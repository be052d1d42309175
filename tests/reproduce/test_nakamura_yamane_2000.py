"""What `bunraku reproduce 000` says, by calculations of its own: none of it is read from the report."""

import time

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from virtual_link_cases import box_problem

G = 9.80665
HANDS = ("left_hand", "right_hand")


def hanging(seed: int):
    """(model, q, v, tau): bent within its ranges, its hands at rest (by the least change of rates)."""
    rng = np.random.default_rng(seed)
    model = bk.human()
    q = bk.integrate(model, model.neutral(), np.concatenate([np.zeros(6), 0.15 * rng.normal(size=28)]))
    for name in ("left_knee", "right_knee", "left_elbow", "right_elbow"):
        q[model.joint(name).iq] = rng.uniform(0.3, 1.0)
    H, v = rows(model, q), rng.normal(size=model.nv)
    return model, q, v - np.linalg.pinv(H) @ (H @ v), np.concatenate([np.zeros(6), 15 * rng.normal(size=28)])


def places(model, q) -> np.ndarray:
    """Both hands."""
    k = bk.kinematics(model, q)
    return np.concatenate([k.pose(name)[0] for name in HANDS])


def rows(model, q, h: float = 1e-4) -> np.ndarray:
    """The hands' Jacobian by differences of their places (fourth order)."""
    out = []
    for e in np.eye(model.nv):
        at = [places(model, bk.integrate(model, q, e, k * h)) for k in (-2, -1, 1, 2)]
        out.append((at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h))
    return np.array(out).T


def gauss(model, q, v, tau) -> tuple[np.ndarray, np.ndarray]:
    """(accelerations, forces of the hands) by Gauss' principle: as near to the free acceleration, in the mass matrix, as
    hands that do not accelerate allow; their acceleration without v' by second differences of their places."""
    h = 1e-3
    at = [places(model, bk.integrate(model, q, v, k * h)) for k in (-2, -1, 0, 1, 2)]
    bias = (-at[0] + 16 * at[1] - 30 * at[2] + 16 * at[3] - at[4]) / (12 * h * h)
    free, M, H = bk.aba(model, q, v, tau), bk.crba(model, q), rows(model, q)
    root = np.linalg.cholesky(M)
    # y = root'(a - free): least |y| with (H root'^-1) y = -bias - H free
    y = np.linalg.pinv(np.linalg.solve(root, H.T).T) @ (-bias - H @ free)
    a = free + np.linalg.solve(root.T, y)
    return a, np.linalg.lstsq(H.T, M @ (a - free), rcond=None)[0]


@asserts("2000/eq-20-forces", "2000/eq-20-accelerations", "2000/eq-8", "2000/eq-9")
@pytest.mark.parametrize("seed", range(3))
def test_hanging_on_a_bar_obeys_gauss(seed):
    model, q, v, tau = hanging(seed)
    a, force = gauss(model, q, v, tau)
    world = bk.World(dt=1e-6, integrator="rk4")
    figure = world.add(model, self_collision=False)
    world.q[:], world.v[:], world.tau[:] = q, v, tau
    ties = [world.connect(figure[name]) for name in HANDS]
    here, energy = places(model, q), figure.energy
    world.step()
    got = np.concatenate([tie.force for tie in ties])
    assert np.abs(got - force).max() < 1e-4 * np.abs(force).max()  # the mean over 1 us, differences of places
    assert np.abs((world.v - v) / world.dt - a).max() < 1e-3 * np.abs(a).max()
    world.step(1000)
    assert np.abs(places(model, world.q) - here).max() < 1e-12
    kept = bk.World(dt=1e-5, integrator="rk4")
    figure = kept.add(model, self_collision=False)
    kept.q[:], kept.v[:] = q, v
    for name in HANDS:
        kept.connect(figure[name])
    kept.step(500)  # without torques the hands' forces do no work
    assert figure.energy == pytest.approx(energy, rel=1e-7)


@asserts("2000/eq-21")
def test_blocks_of_the_inverse():
    """(21) against its definition, (A -H'; H 0) (P Q; R S) = 1, for random A and H."""
    rng = np.random.default_rng(4)
    n, m = 12, 5
    X, H = rng.normal(size=(n, n)), rng.normal(size=(m, n))
    A = X @ X.T + np.eye(n)
    inverse = np.linalg.inv(A)
    S = np.linalg.inv(H @ inverse @ H.T)
    P, Q, R = inverse @ (np.eye(n) - H.T @ S @ H @ inverse), inverse @ H.T @ S, -S @ H @ inverse
    for got, wanted in ((A @ P - H.T @ R, np.eye(n)), (A @ Q - H.T @ S, 0), (H @ P, 0), (H @ Q, np.eye(m))):
        assert np.abs(got - wanted).max() < 1e-10


@asserts("2000/nj/air", "2000/nj/bar", "2000/nj/standing")
def test_so_many_unknowns_are_free():
    """Accelerations of the joints alone decide the rest: whatever 28 of them are, with contact forces that are free to be
    what they must be. So 28 random torques with consistent motions span 28 dimensions, and no more."""
    model, q, v, _ = hanging(7)
    M, b = bk.crba(model, q), bk.rnea(model, q, v, np.zeros(model.nv))
    soles = np.vstack([bk.frame_jacobian(model, q, f"{side}_sole") for side in ("left", "right")])
    for H in (np.zeros((0, model.nv)), rows(model, q), soles):
        m = len(H)
        rng, found = np.random.default_rng(1), []
        for _ in range(40):
            tau = np.concatenate([np.zeros(6), rng.normal(size=28)])
            K = np.block([[M, -H.T], [H, np.zeros((m, m))]])
            x = np.linalg.solve(K, np.concatenate([tau - b, np.zeros(m)]))
            found.append(np.concatenate([x, tau[6:]]))
        spread = np.linalg.svd(np.array(found) - found[0], compute_uv=False)
        assert np.sum(spread > 1e-9 * spread[0]) == 28


@asserts("2000/structure/*")
def test_joining_changes_no_coordinates():
    world = bk.World()
    figure = world.add(bk.human(), at=(0, 0, 2))
    world.step()
    model, q, arrays = world.model, world.q, world._step.source
    for _ in range(3):
        tie = world.connect(figure["left_hand"], figure["right_hand"], axes="x y z rx")
        world.step(5)
        world.disconnect(tie)
    assert world.model is model and world.q is q and world._step.source is arrays and model.nv == 34


@asserts("2000/fig-2/*")
def test_frames_of_contacts():
    world = bk.World(contact="virtual_link")
    world.add_ground()
    side = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # z of the capsule along x
    ball = world.add(bk.sphere(0.1, 1.0), at=(0, 0, 0.1))
    rod = world.add(bk.capsule(0.05, 0.4, 1.0), at=(1, 0, 0.05), rotation=side)
    box = world.add(bk.box((0.2, 0.1, 0.1), 1.0), at=(2, 0, 0.05))
    world.step(5)
    for thing, state in ((ball, "point"), (rod, "line"), (box, "surface")):
        (c,) = thing.contacts
        assert c.state == state and c.frame[1][:, 2] == pytest.approx([0, 0, 1], abs=1e-9)
    assert np.abs(rod.contacts[0].frame[1][:, 0]) == pytest.approx([1, 0, 0], abs=1e-9)


@asserts("2000/zmp/*")
@pytest.mark.parametrize("name", ["one_foot", "stand"])
def test_pressure_and_zero_moment_point(name):
    """The zero-moment point by its definition, from the rates of momentum: the moment of (force, weight) about it has no
    level part."""
    world = bk.load_scene(name).changed(contact="virtual_link").build()
    world.run(0.4)
    figure = world.figures[0]
    before = bk.centroidal(figure.model, figure.q.copy(), figure.v.copy())
    world.step()
    after = bk.centroidal(figure.model, figure.q.copy(), figure.v.copy())
    force = (after.linear - before.linear) / world.dt + [0, 0, before.mass * G]
    turn = (after.angular - before.angular) / world.dt
    com = before.com
    zmp = com[:2] + (np.array([-turn[1], turn[0]]) - com[2] * force[:2]) / force[2]
    soles = [c for c in figure.contacts if c.force[2] > 1.0]
    if name == "one_foot":
        assert len(soles) == 1 and soles[0].cop[:2] == pytest.approx(zmp, abs=2e-5)
    else:
        assert len(soles) == 2 and all(c.margins["edge"] > 0 for c in soles)
        loads = np.array([c.force[2] for c in soles])
        assert loads @ [c.cop[:2] for c in soles] / loads.sum() == pytest.approx(zmp, abs=2e-5)


@asserts("2000/solves/stand", "2000/solves/one_foot", "2000/solves/spin")
@pytest.mark.parametrize("name", ["stand", "one_foot", "spin"])
def test_three_solves_are_enough_where_checks_fail_once(name):
    world = bk.load_scene(name).changed(contact="virtual_link").build()
    for _ in range(400):
        world.step()
        assert world.report.solves <= 3


@asserts("2000/overlap/gone")
def test_overlap_is_taken_back_at_a_bounded_speed():
    world = bk.World(contact="virtual_link")
    world.add_ground()
    box = world.add(bk.box((0.3, 0.3, 0.2), 1.0), at=(0, 0, 0.096))
    speeds = []
    for _ in range(400):
        world.step()
        speeds.append(box.v[2])
    assert max(speeds) <= 0.5 + 1e-6 and box.q[2] == pytest.approx(0.1, abs=1e-5)


@asserts("2000/stable/fall")
def test_long_steps_are_stable():
    world = bk.World(dt=0.01, contact="virtual_link")
    world.add_ground()
    box = world.add(bk.box((0.4, 0.3, 0.2), 2.0), at=(0, 0, 1.1))
    world.run(2.0)
    assert np.abs(box.v).max() < 1e-6 and box.q[2] == pytest.approx(0.1, abs=1e-3)


@asserts("2000/eq-20a")
def test_a_tall_box_that_slides():
    """Newton and Euler for a box of height h that slides: it is braked by muD g, and the moment muD m g h / 2 about its
    centre moves pv by muD h / 2 against the motion."""
    answer = box_problem((0.4, 0.3, 0.2), 2.0, twist=(1.0, 0, 0, 0, 0, 0), dt=1e-7, mu_s=0.8, mu_d=0.6).forces()
    assert answer.state() == ("surface", "slip")
    assert answer.a == pytest.approx([-0.6 * G, 0, 0, 0, 0, 0], abs=1e-6)
    assert -answer.f[4] / answer.f[2] == pytest.approx(0.6 * 0.1, abs=1e-9)


@asserts("2000/cost", "2000/cost/real-time")
def test_a_step_is_far_below_thirty_milliseconds():
    """Processor time; it is 5 us a step on an idle machine, so that a hundredth of what is printed leaves room."""
    world = bk.World(contact="virtual_link")
    world.add_ground()
    world.add(bk.human(body="2000"), at=(0, 0, 0.902)).servo(800.0, 40.0)
    world.step(100)
    began = time.process_time()
    world.step(1000)
    assert (time.process_time() - began) / 1000 < 0.01 * 0.030
