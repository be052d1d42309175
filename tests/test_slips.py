"""A user's slips in Python: each is one sentence that says what to write; what is printed is short."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError, UnknownName


@pytest.fixture
def world():
    world = bk.World(dt=0.002)
    world.add_ground()
    world.add(bk.box((0.2, 0.2, 0.2), mass=2.0), at=(0.0, 0.0, 0.1))
    return world


@pytest.mark.parametrize("model", [None, 3])
def test_what_is_no_model(world, model):
    with pytest.raises(InputError, match=r"World\.add: .* is no Model; write bk\.human\(\)"):
        world.add(model)


def test_a_name_will_do(world):
    """Wherever a figure is wanted."""
    figure, twin = world.add("human", at=(1.0, 0.0, 0.901)), world.add("human", at=(2.0, 0.0, 0.901), name="twin")
    assert figure.name == "human" and twin.name == "twin" and figure.model is not twin.model
    assert figure.model.nv == bk.human().nv
    assert bk.Humanoid.of("human").model.name == "human"
    hand = bk.Target("left_hand", bk.kinematics(figure.model, figure.q).pose("left_hand")[0])
    assert bk.inverse_kinematics("human", hand, figure.q).reached
    steps = bk.footsteps("one step", "human")
    by_words, by_steps = bk.walking_pattern("human", "one step"), bk.walking_pattern(bk.human(), steps)
    assert np.array_equal(by_words.q, by_steps.q)


@pytest.mark.parametrize(
    "take",
    [
        lambda x: bk.World().add(x),
        lambda x: bk.Choreography(model=x),
        bk.Humanoid.of,
        lambda x: bk.walk(x, "one step"),
        lambda x: bk.inverse_kinematics(x, bk.Target("left_hand", (0.4, 0.3, 1))),
        lambda x: bk.retarget(None, x),
    ],
    ids=["World.add", "Choreography", "Humanoid.of", "walk", "inverse_kinematics", "retarget"],
)
def test_a_name_that_is_none_is_told(take):
    with pytest.raises(InputError, match=r"there is no figure 'g1'\. Available: 'human'\. bk\.load\(path\) reads"):
        take("g1")
    with pytest.raises(InputError, match=r"there is no figure 'humman'\. Closest: 'human'\."):
        take("humman")
    with pytest.raises(InputError, match=r"'g1\.urdf' is a file's name; write bk\.load\('g1\.urdf'\)"):
        take("g1.urdf")


def test_figures_of_a_world_are_no_models(world):
    with pytest.raises(InputError, match=r"<Figure 'box'.*> is no Model; it has one, so add \.model to it\."):
        bk.World().add(world["box"])
    for wrong in ("human", world["box"], None):
        with pytest.raises(InputError, match=r"is no Model; write bk\.human\(\)"):
            bk.aba(wrong, np.zeros(7), np.zeros(6), np.zeros(6))
        with pytest.raises(InputError, match=r"is no Model; write bk\.human\(\)"):
            bk.centroidal(wrong, np.zeros(7))


def test_a_walker_wants_a_pattern():
    with pytest.raises(InputError, match=r"'human' is no pattern; write bk\.walking_pattern"):
        bk.Walker("human")


def test_a_target_is_no_name():
    for wrong in ("left_hand", ["left_hand"]):
        with pytest.raises(InputError, match=r"is no Target; write e\.g\. Target"):
            bk.inverse_kinematics(bk.human(), wrong)


@pytest.mark.parametrize("n", [1.5, -1, np.nan, "1", None])
def test_steps_are_whole_numbers(world, n):
    with pytest.raises(InputError, match="is not a whole number of 0 or more; `run` takes seconds"):
        world.step(n)
    assert world.time == 0.0


@pytest.mark.parametrize("seconds", [-1, -0.001, np.inf, np.nan, "1"])
def test_time_goes_on(world, seconds):
    with pytest.raises(InputError, match="is not a time of 0 or more"):
        world.run(seconds)
    assert world.time == 0.0


def test_links_by_name_or_as_they_are(world):
    box = world["box"]
    for link in ("box.box", "box", box, box["box"]):
        world.push(link, force=(0, 0, 1), seconds=0.01)
        world.disconnect(world.connect(link))
        world.disconnect(world.spring(link, stiffness=10.0, rest=0.1))
    for act in (world.connect, lambda x: world.spring(x, stiffness=1.0), lambda x: world.push(x, (0, 0, 1), 0.1)):
        with pytest.raises(UnknownName, match="no figure 'bxo'"):
            act("bxo.box")
        with pytest.raises(UnknownName, match="'lid'"):
            act("box.lid")
        with pytest.raises(InputError, match=r"3 is no link; write figure\["):
            act(3)


def test_a_push_by_name_is_the_push_of_the_link(world):
    other = bk.World(dt=0.002)
    other.add_ground()
    box = other.add(bk.box((0.2, 0.2, 0.2), mass=2.0), at=(0.0, 0.0, 0.1))
    world.push("box.box", force=(30.0, 0.0, 0.0), seconds=0.05)
    other.push(box["box"], force=(30.0, 0.0, 0.0), seconds=0.05)
    for w in (world, other):
        w.run(0.1)
    assert np.array_equal(world.q, other.q) and world.q[0] > 0.0


def test_what_is_printed_says_what_it_is(world):
    world.run(0.1)
    assert repr(world) == "<World at 0.1 s, dt 0.002 s, pgs, euler: box>"
    assert repr(bk.World()) == "<World at 0 s, dt 0.001 s, pgs, euler: empty>"
    assert repr(world["box"]) == "<Figure 'box': 6 degrees of freedom, 2 kg, at (0.000, 0.000, 0.100)>"
    (contact,) = world.contacts
    assert repr(contact).startswith("<ContactInfo box.box on world.plane: surface, 19.61 N at (")
    assert len(str(world.contacts)) < 120


def test_help_begins_with_what_it_is():
    for thing in (bk.World, bk.Recording, bk.Walker, bk.Choreography, bk.Stage):
        assert not (thing.__doc__ or "").startswith("See the")
