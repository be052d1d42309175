"""Generation over several trees: the one equation with figures and things joined by grips, against a dense solution and
the laws; and the same motion in a plain world."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.dynamics.functions import momentum_matrix
from bunraku.errors import InputError, UnknownName
from bunraku.model.rotations import rotation_matrix
from bunraku.motion.consistency import consistency
from bunraku.motion.equation import State, solve
from bunraku.motion.generate import WEIGHTS, liked, spread
from bunraku.motion.holding import hold_now, rows_of
from bunraku.motion.requests import Requests
from bunraku.motion.trees import Trees

unit = lambda x: x / np.linalg.norm(x)  # noqa: E731
AXES = ("pose", "x y z", "x z", "y rz", "z rx ry", "x y z rz")


def inertia(rng):
    """Mass, centre and moments of a link."""
    return {"mass": rng.uniform(0.5, 5.0), "com": rng.uniform(-0.1, 0.1, 3), "moments": rng.uniform(0.02, 0.05, 3)}


def random_arm(rng, name, joints):
    """A chain or tree of hinges and balls with a free or fixed root."""
    d = bk.Description(name=name)
    kinds = [bk.hinge, bk.ball]
    for k in range(joints + 1):
        parent = None if k == 0 else f"l{rng.integers(max(0, k - 2), k)}"
        if k == 0:
            joint = bk.free("root") if rng.random() < 0.7 else bk.hinge("root", rng.normal(size=3))
        elif kinds[int(rng.integers(2))] is bk.hinge:
            joint = bk.hinge(f"j{k}", rng.normal(size=3))
        else:
            joint = bk.ball(f"j{k}")
        d.add(f"l{k}", parent, joint, at=rng.uniform(-0.3, 0.3, 3), **inertia(rng))
    return d.build()


def random_scene(seed):
    """A world of two to four trees in a random state with random grips between them: loops, redundant ones too."""
    rng = np.random.default_rng(seed)
    world = bk.World(0.001)
    for k in range(int(rng.integers(2, 5))):
        world.add(random_arm(rng, f"t{k}", int(rng.integers(0, 5))), name=f"t{k}")
    world._prepare()
    model = world.model
    world.q[:] = bk.integrate(model, world.q, rng.normal(size=model.nv), 1.0)
    world.v[:] = rng.normal(size=model.nv)
    links = [f.name for f in model.links]
    contacts = []
    while len(contacts) < int(rng.integers(2, 5)):
        a, b = rng.choice(len(links), 2, replace=False)
        if model.body(links[a]) != model.body(links[b]):
            on = links[b] if rng.random() < 0.8 else None
            rotation = rotation_matrix(unit(rng.normal(size=4))) if on and rng.random() < 0.5 else None
            contacts.append(bk.Contact(links[a], on, str(rng.choice(AXES)), grip=True, rotation=rotation))
    if rng.random() < 0.5:
        contacts.append(contacts[0])  # the same grip twice: redundant
    return world, contacts


def state_with_grips(world, contacts):
    """(trees, state, grips that hold) at the world's state."""
    trees, held = Trees.of(world), {}
    state = State(trees.model, world.q.copy(), world.v.copy())
    hold_now(trees, state, contacts, held, 0.0, world.dt)
    return trees, state, list(held.values())


@pytest.mark.parametrize("seed", range(30))
def test_the_equation_equals_a_dense_solution(seed):
    """(11) by its whole matrix: unknown a, torques and forces, the contacts' rows exact, then the least weighted deviation."""
    world, contacts = random_scene(seed)
    trees, state, held = state_with_grips(world, contacts)
    Hc, hold = rows_of(state, held, world.dt, 60.0, 300.0)
    numbers = np.concatenate([h.contact.numbers for h in held])
    preferred = liked(state, state.q, (40.0, 12.0), spread(trees.model, WEIGHTS), numbers)
    requests = Requests(trees, contacts, {}, [], 300.0)
    found = solve(state, Hc, hold, requests.rows(state, held, Hc, 0.0), preferred)
    nv, nc, nj = len(state.v), len(Hc), len(state.driven)
    # rows of the dense system over (a, f, tau): M a + b = Hc' f + S tau;  Hc a = hold, as well as it can be met
    S = np.zeros((nv, nj))
    S[state.driven, np.arange(nj)] = 1.0
    equation = np.hstack([state.M, -Hc.T, -S])
    weight = np.concatenate([preferred.a[1], preferred.f[1], preferred.tau[1]])
    want = np.concatenate([preferred.a[0], preferred.f[0], preferred.tau[0]])
    # null space of the equation, then the contacts' rows within it, then least squares within what is left
    x, space = np.linalg.lstsq(equation, -state.b, rcond=None)[0], null_space(equation)
    rows = np.hstack([Hc, np.zeros((nc, nc + nj))])
    y = np.linalg.lstsq(rows @ space, hold - rows @ x, rcond=1e-10)[0]
    x, space = x + space @ y, space @ null_space(rows @ space, 1e-10)
    root = np.sqrt(weight)
    x = x + space @ np.linalg.lstsq(root[:, None] * space, root * (want - x), rcond=1e-12)[0]
    assert np.abs(found.a - x[:nv]).max() < 1e-6 * (1.0 + np.abs(x[:nv]).max())
    assert np.abs(found.f - x[nv : nv + nc]).max() < 1e-6 * (1.0 + np.abs(x[nv:]).max())
    # whatever was asked: the rows of every tree, action and reaction
    left = state.M @ found.a + state.b - Hc.T @ found.f - found.tau
    weight_of_all = trees.model.mass * 9.80665
    assert np.abs(left).max() < 1e-9 * weight_of_all * (1.0 + np.abs(found.f).max() / weight_of_all)


def null_space(A, rank=1e-12):
    """Columns that A maps to zero."""
    _, s, Vt = np.linalg.svd(A)
    return Vt[int(np.count_nonzero(s > rank * s[0])) if len(s) else 0 :].T


@pytest.mark.parametrize("seed", range(30, 40))
def test_momentum_changes_by_external_forces_alone(seed):
    """Grips between trees do not appear in the change of the total momentum, while they hold, begin and end."""
    rng = np.random.default_rng(seed)
    world = bk.World(0.001)
    for k in range(3):
        d = bk.Description(name=f"t{k}")
        d.add("a", None, bk.free("root"), **inertia(rng))
        d.add("b", "a", bk.ball("j"), at=rng.uniform(-0.3, 0.3, 3), **inertia(rng))
        world.add(d.build(), at=rng.uniform(-0.5, 0.5, 3), name=f"t{k}")
    world._prepare()
    world.v[:] = 0.3 * rng.normal(size=world.model.nv)
    contacts = [
        bk.Contact("t0.b", "t1.a", begin=0.02, end=0.08, grip=True),
        bk.Contact("t1.b", "t2", "x y z", begin=0.03, grip=True),
        bk.Contact("t2.b", "t0.a", "x z ry", end=0.05, grip=True),
    ]
    motion = bk.generate(world, seconds=0.1, contacts=contacts)
    model = motion.model
    weight, h = model.mass * 9.80665, 3e-5
    for k in range(0, len(motion) - 1, 7):
        q, v = motion.q[k], motion.v[k]
        # d/dt (A v) = A a + A_dot v, about the centre of mass, which falls: no moment there
        ahead, behind = (momentum_matrix(model, bk.integrate(model, q, v, s * h)) for s in (1.0, -1.0))
        rate = momentum_matrix(model, q) @ motion.a[k + 1] + (ahead - behind) @ v / (2 * h)
        assert np.abs(rate[:3] - model.mass * model.gravity).max() < 1e-9 * weight
        assert np.abs(rate[3:]).max() < 1e-9 * weight
    assert consistency(motion).base < 1e-9
    assert np.abs(motion.ground_reaction).max() == 0.0 and motion.flags["impact"].any()


def test_a_grip_holds_what_it_gripped():
    """Two boxes in free fall, one gripped by the other askew: their pose against each other stays, the force on one is
    minus that on the other."""
    world = bk.World(0.001)
    world.add(bk.box([0.2, 0.2, 0.2], mass=2.0), at=(0, 0, 1), name="a")
    world.add(bk.box([0.1, 0.3, 0.2], mass=1.0), at=(0.3, 0.1, 1.2), name="b", rotation=(0.9, 0.1, 0.3, 0.2))
    world._prepare()
    world["a"].v[3:] = (1.0, 2.0, -1.0)
    motion = bk.generate(world, seconds=0.3, contacts=[bk.Contact("b", "a", begin=0.05, grip=True)])
    kin = bk.kinematics(motion.model, motion.q)
    (pa, Ra), (pb, Rb) = (kin.pose(f"{n}.{world[n].model.links[0].name}") for n in "ab")
    place, turn = np.einsum("nji,nj->ni", Ra, pb - pa)[100:], np.einsum("nji,njk->nik", Ra, Rb)[100:]
    assert np.abs(place - place[0]).max() < 2e-4 and np.abs(turn - turn[0]).max() < 2e-3
    a, b = (motion.force_on(f"{n}.{world[n].model.links[0].name}") for n in "ab")
    assert np.abs(a + b).max() < 1e-12 and np.abs(a).max() > 1.0
    assert bk.replay(motion).base.max() < 1e-3


def test_forces_keep_within_their_most():
    """A beam on two grips of the world: one may carry 4 N only, the other carries the rest; where neither can, it is told."""
    world = bk.World(0.001)
    d = bk.Description(name="beam")
    d.add("beam", None, bk.free("root"), mass=1.0, moments=(0.01, 0.1, 0.1))
    d.frame("left", "beam", (0.0, 0.4, 0.0))
    d.frame("right", "beam", (0.0, -0.4, 0.0))
    world.add(d.build(), at=(0, 0, 1), name="beam")
    grips = [bk.Contact("beam.left", None, grip=True, most=[50, 50, 4.0, 50, 50, 50]), bk.Contact("beam.right", grip=True)]  # fmt: skip
    held = bk.generate(world, seconds=0.02, contacts=grips)
    W = 9.80665
    upward = held.frames.force[:, 2].reshape(-1, 2)
    assert np.abs(upward.sum(axis=1) - W).max() < 1e-6 * W and np.abs(upward[:, 0]).max() <= 4.0 * (1 + 1e-6)
    assert not held.flags["unmet"].any()
    lone = bk.generate(world, seconds=0.02, contacts=[bk.Contact("beam", grip=True, most=4.0, break_force=3.0)])
    assert lone.flags["unmet"][1:].all() and lone.flags["breaks"][1:].all()


def test_a_saved_motion_of_several_is_a_recording(tmp_path):
    world = bk.World(0.002)
    world.add_ground()
    world.add(bk.box([0.3, 0.3, 0.2], mass=3.0), at=(0, 0, 0.1), name="low")
    world.add(bk.box([0.2, 0.2, 0.2], mass=1.0), at=(0, 0, 0.3), name="high")
    motion = bk.generate(world, seconds=0.1, dt=0.002, contacts=[bk.Contact("low"), bk.Contact("high", "low")])
    W = 9.80665
    assert motion.admissible.all()
    assert np.allclose(motion.force_on("high.box")[1:, 2], W) and np.allclose(motion.force_on("low.box")[1:, 2], 3 * W)
    assert np.allclose(motion.ground_reaction[1:, 2], 4 * W)
    read = bk.Recording.open(motion.save(tmp_path / "two.bkr"))
    assert [f.name for f in read.figures] == ["low", "high"]
    found = consistency(read)
    assert found.base < 1e-9 and found.pull == 0.0


def test_mistakes():
    world = bk.World(0.001)
    with pytest.raises(InputError, match="empty"):
        bk.generate(world, seconds=0.1)
    world.add(bk.box([0.2, 0.2, 0.2], mass=2.0), name="box")
    world.add(bk.human(), name="ann")
    for error, words, contact in (
        (UnknownName, "no link or frame 'bx'.*box", bk.Contact("ann.left_hand", "bx")),
        (UnknownName, "left_hnd", bk.Contact("ann.left_hnd", "box")),
        (InputError, "same body", bk.Contact("box", "box.box")),
    ):
        with pytest.raises(error, match=words):
            bk.generate(world, seconds=0.01, contacts=[contact])
    with pytest.raises(UnknownName, match="left_hnd"):
        bk.generate(world, seconds=0.01, trajectories=[bk.Trajectory("ann.left_hnd", lambda t: np.zeros(3))])
    with pytest.raises(InputError, match=r"ann\.com"):
        bk.generate(world, seconds=0.01, trajectories=[bk.Trajectory("an.com", lambda t: np.zeros(3))])
    for words, options in (("above 0", {"break_force": 0.0}), ("one number", {"most": [1.0, 2.0]})):
        with pytest.raises(InputError, match=words):
            bk.Contact("box", **options)
