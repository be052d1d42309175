"""The contact solver on problems with known solutions, on multibody problems, and where it must give up."""

from pathlib import Path

import numpy as np
import pytest

import bunraku as bk
from bunraku.contact.pgs import BROKEN, LIMIT, SOLVED, STUCK
from bunraku.contact.problem import BOUNDED, CONTACT, EQUALITY
from contact_problems import CORNERS, G, Problem, Scene, box_inverse, pile, point_rows, standing, tower

DT = 0.001


def solved(scene: Scene, **options):
    """The velocities after the step, and the answer, checked against every law."""
    p = scene.problem()
    answer = p.solve(**options)
    assert answer.status == SOLVED, (answer.sweeps, answer.residual)
    assert answer.residual <= 1e-6
    assert p.residual(answer.lam) == pytest.approx(answer.residual, rel=1e-3, abs=1e-9)
    p.check(answer)
    return scene.after(answer.lam), answer


@pytest.mark.parametrize("mu", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("offset", [-0.02, -0.001, 0.001, 0.02])
def test_box_on_a_slope(mu, offset):
    # sticks below tan(a) = mu; slides with g (sin a - mu cos a) above; a flat box does not tip
    angle = np.arctan(mu) + offset
    scene = tower(1, mu, DT, half=(0.2, 0.2, 0.02), tilt=angle)
    v, answer = solved(scene)
    down = max(0.0, G * DT * (np.sin(angle) - mu * np.cos(angle)))
    assert np.abs(v - [down, 0, 0, 0, 0, 0]).max() < 1e-6 * G * DT * 10
    assert answer.lam[::3].sum() == pytest.approx(2.0 * G * DT * np.cos(angle), rel=1e-6)


@pytest.mark.parametrize("direction", [0.0, 0.3, 1.0, 2.2, 4.0])
def test_sliding_box_brakes_straight(direction):
    # friction mu m g dt exactly against the sliding velocity, whatever the yaw
    scene = tower(1, 0.5, DT, half=(0.2, 0.1, 0.01))
    way = np.array([np.cos(direction), np.sin(direction), 0])
    scene.velocity[:3] += 2.0 * way
    v, answer = solved(scene, tolerance=1e-10)
    friction = answer.lam.reshape(4, 3)[:, 1:].sum(axis=0)
    assert np.abs(friction + 0.5 * 2.0 * G * DT * way[:2]).max() < 1e-6 * 2.0 * G * DT
    assert np.abs(v[:3] - (2.0 - 0.5 * G * DT) * way).max() < 1e-8


@pytest.mark.parametrize("force", [9.0, 40.0])
def test_grip_between_two_plates(force):
    # two plates that slide along x only press a 2 kg box with `force` each; friction carries 2 mu F against m g
    mu, mass, half = 0.5, 2.0, np.array([0.05, 0.05, 0.05])
    W = np.zeros((8, 8))
    W[:6, :6] = box_inverse(mass, half)
    W[6, 6] = W[7, 7] = 1 / 0.3
    J = np.zeros((24, 8))
    for k, side in enumerate((-1, 1)):
        axes = np.array([[0, 1, 0], [0, 0, 1], [-side, 0, 0]])  # normal out of the plate, into the box
        for c, (y, z) in enumerate(CORNERS):
            rows = slice(12 * k + 3 * c, 12 * k + 3 * c + 3)
            J[rows, :6] = point_rows(half * [side, y, z], axes)
            J[rows, 6 + k] = -axes[[2, 0, 1], 0]
    velocity = DT * np.r_[0, 0, -G, 0, 0, 0, force / 0.3, -force / 0.3]
    v, answer = solved(Scene(J, W, velocity, [(CONTACT, (mu,))] * 8))
    fall = min(0.0, DT * (2 * mu * force / mass - G))
    assert np.abs(v - [0, 0, fall, 0, 0, 0, 0, 0]).max() < 1e-5 * np.abs(velocity).max()
    assert answer.lam[:12:3].sum() == pytest.approx(force * DT, rel=1e-5)


@pytest.mark.parametrize("push", [5.0, 50.0])
def test_box_pushed_against_a_wall(push):
    # floor friction carries up to mu m g = 9.8 N, the wall the rest; nothing moves, and the forces balance
    scene = tower(1, 0.5, DT, half=(0.1, 0.1, 0.1))
    axes = np.array([[0, 1, 0], [0, 0, 1], [-1, 0, 0]])
    wall = [point_rows(np.array([0.1, 0.1 * y, 0.1 * z]), axes) for y, z in CORNERS]
    scene.J = np.vstack([scene.J, *wall])
    scene.blocks = scene.blocks + [(CONTACT, (0.3,))] * 4
    scene.velocity[0] += push * DT / 2.0
    v, answer = solved(scene)
    assert np.abs(v).max() < 1e-5 * np.abs(scene.velocity).max()
    total = scene.J.T @ answer.lam
    assert np.abs(total - [-push * DT, 0, 2.0 * G * DT, 0, 0, 0]).max() < 1e-5 * push * DT
    if push > 10:
        assert answer.lam[12::3].sum() >= (push - 0.5 * 2.0 * G - 1e-3) * DT - 0.3 * push * DT


def test_redundant_loop():
    # 12 equalities of rank 4: the same motion as Gauss's principle gives, and impulses no larger than the least-norm
    # ones by much
    rng = np.random.default_rng(4)
    J = rng.normal(size=(12, 4)) @ rng.normal(size=(4, 9))
    W = np.diag(rng.uniform(0.5, 2.0, 9))
    velocity = rng.normal(size=9)
    v, answer = solved(Scene(J, W, velocity, [(EQUALITY, (0.0,))] * 12))
    least = -np.linalg.pinv(J @ W @ J.T, rcond=1e-10) @ J @ velocity
    assert np.abs(v - (velocity + W @ J.T @ least)).max() < 1e-6
    assert np.linalg.norm(answer.lam) < 2 * np.linalg.norm(least)


def test_contradicting_equalities_end_soon_and_bounded():
    # the same row asked for 1 m/s and for 1.1 m/s: halfway between, and the solver says so
    p = Problem(np.ones((2, 2)), np.array([-1.0, -1.1]), [(EQUALITY, (0.0,))] * 2)
    answer = p.solve()
    assert answer.status == STUCK and answer.sweeps < 20
    assert answer.lam.sum() == pytest.approx(1.05, abs=0.01) and abs(answer.lam).max() < 10
    assert answer.residual == pytest.approx(p.residual(answer.lam)) and answer.residual > 1e-2


@pytest.mark.parametrize("lift", [0.0, 1.0])
def test_joint_limit_against_a_contact(lift):
    # mass 1 (1 kg) on the ground, mass 2 (3 kg) may not come nearer to it: limit 3 g dt, ground 4 g dt; lifted, the
    # limit lets go
    J = np.zeros((4, 4))
    J[0, 2], J[1, 0], J[2, 1] = 1, 1, 1  # mass 1: x y z, mass 2: z
    J[3, 3], J[3, 2] = 1, -1
    W = np.diag([1.0, 1.0, 1.0, 1 / 3.0])
    scene = Scene(J, W, np.array([0, 0, -G * DT, lift - G * DT]), [(CONTACT, (0.5,)), (BOUNDED, (0.0, 0.0, np.inf))])
    v, answer = solved(scene)
    expected = [1.0, 0, 0, 0] if lift else [4.0, 0, 0, 3.0]
    assert np.abs(answer.lam / (G * DT) - expected).max() < 1e-3 * max(1, lift / (G * DT))
    assert v[3] == pytest.approx(lift - G * DT if lift else 0.0, abs=1e-5)


def test_single_rows():
    # Coulomb friction of a joint: +-0.2 N s on an inertia of 2; compliance: v + c lam = 0
    for v0, lam, v in ((0.05, -0.1, 0.0), (0.5, -0.2, 0.4), (-0.5, 0.2, -0.4)):
        answer = Problem(np.array([[0.5]]), np.array([v0]), [(BOUNDED, (0.0, -0.2, 0.2))]).solve()
        assert answer.status == SOLVED
        assert answer.lam[0] == pytest.approx(lam, abs=1e-8) and answer.v[0] == pytest.approx(v, abs=1e-8)
    answer = Problem(np.array([[0.5]]), np.array([3.0]), [(EQUALITY, (1.5,))]).solve()
    assert answer.lam[0] == pytest.approx(-1.5, rel=1e-6)


@pytest.mark.parametrize("push", [(0, 0, 0), (150, 0, 0), (250, 80, 0), (100, -200, 100)])
@pytest.mark.parametrize("mu", [0.1, 0.4, 0.8])
def test_standing_figure(push, mu):
    scene = standing(push=push, mu=mu)
    _, answer = solved(scene)
    assert answer.sweeps <= 25
    again = scene.problem().solve(lam=answer.lam)
    assert again.sweeps == 0 and np.array_equal(again.lam, answer.lam)


@pytest.mark.parametrize("seed", range(12))
def test_figure_in_many_poses(seed):
    rng = np.random.default_rng(seed)
    fig = bk.human()
    bend = np.r_[np.zeros(6), 0.3 * rng.normal(size=fig.nv - 6)]
    solved(
        standing(bk.integrate(fig, fig.neutral(), bend), push=200 * rng.normal(size=3), mu=(0.2, 0.5, 0.9)[seed % 3])
    )


def test_resting_tower():
    scene = tower(10)
    v, answer = solved(scene)
    # a row's error is 1e-6 of the free velocity; ten levels add up, and a rotation is a row over 0.1 m
    assert np.abs(v).max() < 1e-6 * G * DT * 10 / 0.1
    weights = answer.lam.reshape(10, 4, 3)[:, :, 0].sum(axis=1)
    assert np.allclose(weights, 2.0 * G * DT * np.arange(10, 0, -1), rtol=1e-5)
    rng = np.random.default_rng(0)
    warm = scene.problem().solve(answer.lam * (1 + 0.01 * rng.normal(size=120)))
    assert warm.status == SOLVED and warm.sweeps <= 5


@pytest.mark.parametrize("tilt", [0.1, 0.5, 0.7])
@pytest.mark.parametrize("scatter", [0.0, 1.0, 5.0])
def test_towers_on_slopes(tilt, scatter):
    for count in (2, 5, 10):
        solved(tower(count, 0.5, tilt=tilt, scatter=scatter, seed=count))


def test_mass_ratio_of_a_million():
    scene = tower(3, masses=np.array([1.0, 1e3, 1e6]))
    v, _ = solved(scene)
    assert np.abs(v).max() < 1e-5 * G * DT


@pytest.mark.parametrize("seed", range(30))
def test_piles(seed):
    bodies = (1, 3, 8, 15, 30)[seed % 5]
    solved(pile(bodies, 3 * bodies + seed % 7, (0.2, 0.5, 1.0)[seed % 3], seed))


def test_room_around_the_problem_is_not_touched():
    p = standing(push=(150, 0, 0)).problem()
    assert np.array_equal(p.solve(room=7).lam, p.solve().lam)


def test_immovable_pair():
    # a box on the floor, and in the same island a contact and a row that nothing can move
    p = tower(1).problem()
    m = len(p.b)
    K = np.zeros((m + 4, m + 4))
    K[:m, :m] = p.K
    blocks = [*p.blocks, (CONTACT, (0.5,)), (BOUNDED, (0.0, -1.0, np.inf))]
    alone = p.solve()
    quiet = Problem(K, np.r_[p.b, 1e-3, 1e-3, 0, 1e-3], blocks).solve()
    assert quiet.status == SOLVED and np.allclose(quiet.lam[:m], alone.lam, atol=1e-9)
    assert list(quiet.lam[m:]) == [0, 0, 0, -1.0]  # the last row is at its lower bound, as its law asks
    approaching = Problem(K, np.r_[p.b, -1e-3, 1e-3, 0, 1e-3], blocks).solve()
    assert approaching.status == STUCK and approaching.sweeps < 20 and approaching.residual > 1e-3
    assert np.allclose(approaching.lam[:m], alone.lam, atol=1e-8)


def test_box_in_a_closing_vice_stays_bounded():
    # two immovable jaws close on one mass: no impulse can help, each push only moves the other side's error
    K = np.zeros((6, 6))
    K[np.ix_([0, 3], [0, 3])] = [[1.0, -1.0], [-1.0, 1.0]]
    K[np.ix_([1, 4], [1, 4])] = K[np.ix_([2, 5], [2, 5])] = 1.0
    p = Problem(K, np.array([-1.0, 0.5, 0, -1.0, 0.5, 0]), [(CONTACT, (0.5,))] * 2)
    answer = p.solve(max_sweeps=200)
    assert answer.status == LIMIT and answer.sweeps <= 200
    assert np.isfinite(answer.lam).all() and abs(answer.lam).max() < 1e6
    assert answer.residual == pytest.approx(p.residual(answer.lam), rel=1e-6)


@pytest.mark.parametrize("cap", [0, 1, 2, 5])
def test_the_cap_holds(cap):
    p = tower(10, tilt=0.5, scatter=2.0).problem()
    start = np.random.default_rng(0).normal(size=len(p.b))
    for lam in (None, start):
        answer = p.solve(lam, max_sweeps=cap)
        assert answer.status == LIMIT and answer.sweeps <= cap
        assert np.isfinite(answer.lam).all()
        rows = answer.lam.reshape(-1, 3)
        assert (np.hypot(rows[:, 1], rows[:, 2]) <= 0.6 * rows[:, 0] * (1 + 1e-12)).all()
        assert answer.residual == pytest.approx(p.residual(answer.lam), rel=1e-6)


def test_bad_numbers():
    p = standing().problem()
    good = p.solve()
    assert p.solve(np.full(24, np.nan)).status == SOLVED  # a broken warm start is a cold start
    assert p.solve(np.full(24, 1e12)).status == SOLVED
    for broken in (np.nan, np.inf):
        q = Problem(p.K, p.b.copy(), p.blocks)
        q.b[5] = broken
        answer = q.solve(good.lam)
        assert answer.status == BROKEN and not answer.lam.any() and answer.residual == np.inf


def test_nothing_to_do():
    p = tower(1).problem()
    p.b[:] = 0.0
    answer = p.solve()
    assert answer.status == SOLVED and answer.sweeps == 0 and not answer.lam.any()
    assert Problem(np.zeros((0, 0)), np.zeros(0), []).solve().status == SOLVED


@pytest.mark.parametrize("seed", range(8))
def test_a_limp_figure_that_lies(seed):
    # step 1345 of the scene `fall`: eleven contacts, 35 rows of rank 27, and slips so slow that the answer lies at the
    # end of a long valley; a softened problem that is not carried on beyond its answer creeps down it for thousands of
    # steps. Noise on b, within what the rows allow, draws problems of its kind.
    with np.load(Path(__file__).parents[1] / "data" / "lying.npz") as file:
        K, b = file["K"], file["b"]
    rng = np.random.default_rng(seed)
    noise = K @ rng.normal(size=len(b))
    b = b + seed * 1e-4 * np.abs(b).max() / np.abs(noise).max() * noise
    p = Problem(K, b, [(CONTACT, (0.8,))] * 11 + [(BOUNDED, (0.0, 0.0, np.inf))] * 2)
    answer = p.solve()
    assert answer.status == SOLVED and answer.sweeps < 1000, (answer.sweeps, answer.residual)
    p.check(answer)


def test_a_contact_that_jams_with_a_limit():
    # from a fall as well: the limit pushes the point into the ground, friction pushes the joint into its limit, so the
    # only answer is a hundred times what b asks of each alone, and errors rise on the way there
    K = np.array(
        [
            [0.76762701, -0.20075966, 0.24559751, -4.77306412],
            [-0.20075966, 0.70835846, 0.3140718, 3.29038279],
            [0.24559751, 0.3140718, 0.6621681, -0.93556236],
            [-4.77306412, 3.29038279, -0.93556236, 38.1495898],
        ]
    )
    b = np.array([-0.02388654, 1.54760715, 0.51831231, 0.19326569])
    p = Problem(K, b, [(CONTACT, (0.8,)), (BOUNDED, (0.0, 0.0, np.inf))])
    answer = p.solve()
    assert answer.status == SOLVED, (answer.sweeps, answer.residual)
    p.check(answer)
    assert answer.lam[0] > 50 * -b[0] / K[0, 0] and answer.lam[3] > 0.1
