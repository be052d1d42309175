"""A figure that holds a thing: what its model then weighs, where its hands are, how the thing is tied."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import BunrakuError, InputError
from bunraku.humanoid.held_load import Load, line_of, with_load
from bunraku.humanoid.parts import humanoid
from draws import fresh_rng

G = 9.80665


@pytest.fixture(scope="module")
def human():
    return humanoid(bk.human())


def two_hands(mass=8.0, **options):
    held = {"left_hand": (0.0, 0.2, 0.0), "right_hand": (0.0, -0.2, 0.0)}
    return Load(bk.box((0.2, 0.3, 0.2), mass), (0.35, 0.0, 1.05), held, **options)


def test_hands_are_where_they_hold(human):
    h = with_load(human, two_hands())
    k = bk.kinematics(h.model, h.stand)
    place, R = h.holding.pose(h.stand)
    for link, point in h.holding.load.held.items():
        assert k.pose(link)[0] == pytest.approx(place + R @ point, abs=5e-3)
    assert h.stand[:2] != pytest.approx(human.stand[:2], abs=0.01)  # the hips go back: both weigh on the soles
    both = bk.centroidal(h.model, h.stand).com
    assert both[:2] == pytest.approx([0, 0], abs=1e-6)


def test_one_link_carries_all_of_it_with_its_inertia(human):
    """Mass, centre of mass and inertia about any axis are those of figure and thing frozen together, by Steiner."""
    rng = fresh_rng()
    size, mass = rng.uniform(0.1, 0.5, 3), rng.uniform(1, 20)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    thing = bk.box(size, mass)
    h = with_load(human, Load(thing, (-0.3, 0.1, 1.2), {"trunk": None}, turn))
    assert h.model.mass == pytest.approx(human.model.mass + mass)
    q, v = human.stand, np.zeros(human.model.nv)
    v[3:6] = rng.normal(size=3)  # all turns about the base, as one
    w = bk.kinematics(human.model, q, v).twist[1, 3:]
    c = np.array([-0.3, 0.1, 1.2])
    speed = np.cross(w, c - q[:3])
    inertia = turn @ np.diag(mass / 12 * (np.sum(size**2) - size**2)) @ turn.T
    energy = 0.5 * mass * speed @ speed + 0.5 * w @ inertia @ w
    alone, both = (float(bk.centroidal(m, q, v).kinetic) for m in (human.model, h.model))
    assert both - alone == pytest.approx(energy, rel=1e-9)
    centre = (human.model.mass * bk.centroidal(human.model, q).com + mass * c) / h.model.mass
    assert bk.centroidal(h.model, q).com == pytest.approx(centre, abs=1e-9)


def test_hands_share_it_so_that_none_needs_a_moment(human):
    """With points x_i = c + r_i - r mass and first moment are those of the thing, whatever the hands hold it at."""
    thing = bk.box((0.2, 0.3, 0.2), 8.0)
    held = {"left_hand": (0.05, 0.2, 0.03), "right_hand": (-0.02, -0.2, 0.03)}
    h = with_load(human, Load(thing, (0.35, 0.0, 1.02), held))
    q = human.stand.copy()
    for name, x in h.holding.joints.items():
        q[h.model.joint(name).q] = x
    first = h.model.mass * bk.centroidal(h.model, q).com - human.model.mass * bk.centroidal(human.model, q).com
    assert first == pytest.approx(8.0 * np.array([0.35, 0.0, 1.02]), abs=8.0 * 0.005)


def test_a_part_of_it_where_others_hold_it_too(human):
    alone = two_hands(20.0)
    shared = Load(alone.thing, alone.place, alone.held, others=[(0.0, 1.0, 0.0), (0.0, 1.4, 0.0)])
    assert (alone.carried, shared.carried) == (20.0, 10.0)
    assert with_load(human, shared).model.mass == pytest.approx(human.model.mass + 10.0)


def test_in_a_world_it_hangs_in_the_hands(human):
    h = with_load(human, two_hands(8.0))
    world = bk.World(0.001)
    world.add_ground()
    figure = world.add(human.model)
    figure.q[:] = h.stand
    thing = h.holding.add_to(world, h.stand)
    ties = h.holding.tie(world, figure, thing)
    names = [j.name for j in human.model.joints if j.nv and j.kind != "free"]
    figure.target_q[:] = h.stand
    figure.servo(4000.0, 200.0, joints=names, effort=np.inf)
    world.run(0.3)
    assert [float(np.linalg.norm(tie.force)) for tie in ties] == pytest.approx([4.0 * G, 4.0 * G], abs=4.0)


def test_the_line_of_hands():
    load = two_hands()
    R = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    axes = line_of(load, R)
    assert np.abs(axes[:, 0]) == pytest.approx([1, 0, 0]) and np.linalg.det(axes) == pytest.approx(1)
    many = Load(load.thing, load.place, load.held, others=[(0.3, 0.0, 0.0)])
    assert line_of(many, R) is None
    assert line_of(Load(load.thing, load.place, {"trunk": None}), R) is None


@pytest.mark.parametrize(
    "held, place, says",
    [
        ({"left_hand": (0, 0, 0)}, (3.0, 0, 1), "ends 2.*m from where it should hold"),
        ({"left_foot": (0, 0, 0)}, (0.3, 0, 0), "not the end of an arm"),
        ({}, (0.3, 0, 1), "nothing holds"),
        ({"left_hand": (0, 0)}, (0.3, 0, 1), "no place"),
        ({"left_hand": (0, 0, np.nan)}, (0.3, 0, 1), "no place"),
        ({"tail": (0, 0, 0)}, (0.3, 0, 1), "tail"),
    ],
)
def test_what_cannot_be_held(human, held, place, says):
    with pytest.raises(BunrakuError, match=says):
        with_load(human, Load(bk.box((0.2, 0.2, 0.2), 1.0), place, held))


def test_too_heavy_twice_and_not_loose(human):
    with pytest.raises(InputError, match=r"would need .* N m at 'left_"):
        with_load(human, two_hands(60.0))
    with pytest.raises(InputError, match="holds 'box' already"):
        with_load(with_load(human, two_hands()), two_hands())
    with pytest.raises(InputError, match="not one loose body"):
        Load(bk.human(), (0, 0, 1), {"trunk": None})
