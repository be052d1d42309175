"""Files for motion generation: the built-in ones give what the Python calls of the examples give, bit for bit; every
mistake is one sentence with file, table and key."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import BunrakuError
from bunraku.motion.generate import generate
from bunraku.scene.generation import built_in, load_generation

EXAMPLES = Path(__file__).parents[2] / "examples"
CASES = {
    "reach": ("generate_reach", 0),
    "squat": ("generate_reach", 1),
    "step": ("generate_step", 0),
    "swing": ("generate_swing", 0),
}


class Stop(Exception):
    """Enough of the example has run."""


def call_of_example(name, which, monkeypatch):
    """The arguments of the `generate` call number `which` of an example; no motion is generated."""
    calls = []

    def caught(*args, **options):
        calls.append((args, options))
        if len(calls) > which:
            raise Stop
        return None

    monkeypatch.setitem(vars(bk), "generate", caught)
    with pytest.raises(Stop):
        runpy.run_path(str(EXAMPLES / f"{name}.py"))
    monkeypatch.undo()
    return calls[which]


@pytest.mark.parametrize("name", CASES)
def test_the_examples_as_files(name, monkeypatch):
    """The first 150 ms of all; of the step also 30 ms from 2.1 s on would begin elsewhere, so its known force is compared
    at all times."""
    args, options = call_of_example(*CASES[name], monkeypatch)
    file = load_generation(name, bk.human())
    assert file.options["seconds"] == options["seconds"] and file.options.get("dt", 1e-3) == options.get("dt", 1e-3)
    short = {"seconds": 0.15}
    ours, theirs = generate(file.model, **file.options | short), generate(*args, **options | short)
    assert np.array_equal(ours.q, theirs.q) and np.array_equal(ours.v, theirs.v)
    assert np.array_equal(ours.torques, theirs.torques) and np.array_equal(ours.frames.forces, theirs.frames.forces)
    for a, b in zip(file.options["trajectories"], options["trajectories"], strict=True):
        assert (a.of, a.begin, a.end, a.weight, a.stiffness, a.axes) == (
            b.of,
            b.begin,
            b.end,
            b.weight,
            b.stiffness,
            b.axes,
        )
        for t in np.linspace(0.0, options["seconds"], 300):
            for one, two in ((a.position, b.position), (a.rotation, b.rotation)):
                assert (one is None) == (two is None)
                if one is not None and two is not None:
                    assert np.array_equal(np.asarray(one(t), dtype=float), np.asarray(two(t), dtype=float))
    for a, b in zip(file.options["contacts"], options["contacts"], strict=True):
        assert (a.frame, a.axes, a.begin, a.end, a.grip, a.fixed) == (b.frame, b.axes, b.begin, b.end, b.grip, b.fixed)
    known = options.get("known", {})
    assert {k: set(x) for k, x in file.options["known"].items()} == {k: set(x) for k, x in known.items()}
    for kind, table in known.items():
        for key, function in table.items():
            for t in np.linspace(0.0, options["seconds"], 400):
                if name == "step" and 1.4 <= t < 2.1:
                    continue  # the foot is in the air
                assert np.array_equal(file.options["known"][kind][key](t), function(t))


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_built_in_files_are_admissible(name):
    motion = load_generation(name, bk.human()).run()
    assert np.all(motion.admissible) and bk.consistency(motion).base < 1e-9


def test_built_in_files_are_those_of_the_examples():
    assert list(built_in())[: len(CASES)] == sorted(CASES)
    assert list(built_in())[len(CASES) :] == ["hand-in-hand", "lift", "plank", "trapeze", "valve"]  # scenes


def written(tmp_path, text):
    path = tmp_path / "m.toml"
    path.write_text(text)
    return path


def test_other_paths_and_known_quantities(tmp_path):
    text = """
[motion]
seconds = 0.02
dt = 0.002
friction = 0.6
stiffness = 50
bound = 200
posture = [30, 10]
weights = { torque = 1e-4, neck = 2.0 }
[start]
stand = true
[[contact]]
frame = "left_sole"
[[contact]]
frame = "right_sole"
[[trajectory]]
of = "com"
samples = [[0, "com.x", "com.y", "com.z"], [0.01, "com.x", "com.y", "com.z"], [0.02, "com.x", "com.y", "com.z - 1e-4"]]
axes = "x z"
weight = 2
[[trajectory]]
of = "left_elbow"
waypoints = [[0, 0.35], [0.5, 0.6]]
[[trajectory]]
of = "right_hand"
at = ["right_hand.x + 0.01 * t", "right_hand.y", "right_hand.z"]
[[known]]
acceleration = "right_elbow"
value = "0.1 * t"
[[known]]
torque = "neck"
value = [0.0, "unknown", 0.0]
[[known]]
force = "left_sole"
value = ["unknown", "unknown", 300, "unknown", "unknown", "unknown"]
"""
    human = bk.human()
    found = load_generation(written(tmp_path, text), human).run()
    q = bk.stand(human)
    com, hand = bk.centre_of_mass(human, q), bk.kinematics(human, q).pose("right_hand")[0]
    nan = np.nan
    wanted = generate(
        human, seconds=0.02, dt=0.002, friction=0.6, stiffness=50, bound=200, posture=(30, 10), weights={"torque": 1e-4, "neck": 2.0}, start=q,
        contacts=[bk.Contact("left_sole"), bk.Contact("right_sole")],
        trajectories=[
            bk.Trajectory("com", bk.samples([0, 0.01, 0.02], [com, com, com - [0, 0, 1e-4]]), axes="x z", weight=2),
            bk.Trajectory("left_elbow", bk.waypoints([(0, 0.35), (0.5, 0.6)])),
            bk.Trajectory("right_hand", lambda t: hand + np.array([0.01 * t, 0, 0])),
        ],
        known={
            "acceleration": {"right_elbow": lambda t: 0.1 * t}, "torque": {"neck": [0.0, nan, 0.0]},
            "force": {"left_sole": [nan, nan, 300.0, nan, nan, nan]},
        },
    )  # fmt: skip
    assert np.array_equal(found.q, wanted.q) and np.array_equal(found.torques, wanted.torques)
    assert found.friction == 0.6


GOOD = """[motion]
seconds = 0.01
[start]
stand = true
[[contact]]
frame = "left_sole"
[[trajectory]]
of = "com"
at = ["com.x", "com.y", "com.z"]
[[known]]
torque = "neck"
value = 0
"""
BAD = [
    ("[motion]", "[motoin]", "there is no table [motoin]. Closest: 'motion'"),
    ("[motion]", "[[motion]]", "write [motion] as the head of this table"),
    ("[[contact]]", "[contact]", "write [[contact]] as the head of this table"),
    ("seconds = 0.01", "", "[motion]: 'seconds' is missing"),
    ("seconds = 0.01", "seconds = -1", "[motion]: seconds = -1 should be a number above 0"),
    ("seconds = 0.01", "seconds = 0.01\nstep = 1", "[motion]: there is no key 'step'"),
    ("seconds = 0.01", "seconds = 0.01\nposture = [1]", "[motion]: posture = [1] should be 2 numbers of 0 or more"),
    ("seconds = 0.01", "seconds = 0.01\nweights = { torque = -1 }", "[motion]: weights = {'torque': -1} should be a table"),
    ("seconds = 0.01", "seconds = 0.01\nweights = { nek = 1 }", "has no joint 'nek'"),
    ("seconds = 0.01", "seconds = 0.01\ndt = 0.5", "0.01 s in steps of 0.5 s is no motion"),
    ("stand = true", "lower = 0.1", "[start]: lower has no effect without stand = true"),
    ("stand = true", "stand = 1", "[start]: stand = 1 should be true or false"),
    ("stand = true", "pose = { left_kne = 1 }", "[start]: pose: figure 'human' has no joint 'left_kne'. Closest: 'left_knee'"),
    ("stand = true", "pose = { neck = 1 }", "[start]: pose: neck = 1 should be 4 numbers, got 1"),
    ("stand = true", "pose = { neck = [1, 1, 0, 0] }", "should be a quaternion w x y z of length 1"),
    ("stand = true", "shift = [0, 0, 't']", "[start]: shift = [0, 0, 't'] should not depend on t"),
    ('frame = "left_sole"', 'frame = "left_soul"', "[[contact]] 1: frame = 'left_soul': figure 'human' has no such link or frame. Closest"),
    ('frame = "left_sole"', 'frame = "left_sole"\naxes = "w"', "[[contact]] 1: contact of 'left_sole': axes 'w' is no list"),
    ('frame = "left_sole"', 'frame = "left_sole"\nfrom = 2\nuntil = 1', "[[contact]] 1: until = 1 is not after from = 2"),
    ('frame = "left_sole"', 'frame = "left_sole"\non = "bar"', "[[contact]] 1: on = 'bar': there is no [[fixed]] of that name"),
    ('frame = "left_sole"', "", "[[contact]] 1: 'frame' is missing"),
    ('of = "com"', 'of = "comm"', "[[trajectory]] 1: of = 'comm': figure 'human' has no such link, frame or joint. Closest: 'com'"),
    ('of = "com"', 'of = "com"\nswing = 1', "'swing' and 'at' are two paths; leave one of them out"),
    ('of = "com"', 'of = "com"\nrotation = "start"', "[[trajectory]] 1: rotation: the centre of mass has none"),
    ('of = "com"', 'of = "left_knee"', "[[trajectory]] 1: at = ['com.x', 'com.y', 'com.z'] should be 1 number, got 3"),
    ('"com.z"]', '"com.w"]', "[[trajectory]] 1: at: 'com.w' should be a number, or a formula of t, pi"),
    ('"com.z"]', '"hat.z"]', "[[trajectory]] 1: at: 'hat.z' should be of a figure that has a 'hat'"),
    ('"com.z"]', '"1 / t"]', "[[trajectory]] 1: at = ['com.x', 'com.y', '1 / t'] should be a formula that has a value at t = 0"),
    ('at = ["com.x", "com.y", "com.z"]', "", "[[trajectory]] 1: trajectory of 'com': give a position, a rotation, or both"),
    ('at = ["com.x", "com.y", "com.z"]', "waypoints = [[0, 1]]", "waypoints = [[0, 1]] should be a list of [t, x, y, z], times rising"),
    ('at = ["com.x", "com.y", "com.z"]', "waypoints = [[1, 0, 0, 0], [0, 0, 0, 0]]", "should be a list of [t, x, y, z], times rising"),
    ('at = ["com.x", "com.y", "com.z"]', "samples = [[1, 0, 0, 0]]", "samples = [[1, 0, 0, 0]] should be a list of"),
    ('at = ["com.x", "com.y", "com.z"]', "swing = { start = [0, 0, 0] }", "should be a table with start, goal and, if wanted, height"),
    ('at = ["com.x", "com.y", "com.z"]', "swing = { start = [0, 0, 0], goal = [0, 0, 0] }", "swing needs from and until"),
    ('torque = "neck"', 'torque = "root"', "a free base has no torque"),
    ('torque = "neck"', 'torque = "nek"', "[[known]] 1: torque = 'nek': figure 'human' has no such joint. Closest: 'neck'"),
    ('torque = "neck"', 'force = "right_sole"', "[[known]] 1: force = 'right_sole': figure 'human' has no such contact"),
    ('torque = "neck"', "", "[[known]] 1: write one of torque, acceleration, force"),
    ("value = 0", "", "[[known]] 1: write value = …, or, of a force, share"),
    ("value = 0", "value = [1, 2]", "[[known]] 1: value = [1, 2] should be 3 numbers, got 2"),
    ("value = 0", "value = 'x'", "[[known]] 1: value: 'x' should be a number, or a formula"),
    ("value = 0", "value = 0\n[[known]]\ntorque = 'neck'\nvalue = 1", "[[known]] 2: torque of 'neck' is known already"),
    ("value = 0", "value = 0\n[[known]]\nforce = 'left_sole'\nshare = { along = 'x' }", "should be a table with along, with"),
    ("value = 0", "value = 0\n[[known]]\nforce = 'left_sole'\nshare = { along = 'head', with = 'right_sole' }", "along = 'head' has no [[traj"),
    ("value = 0", "value = 0\n[[fixed]]\nshape = 'box'", "[[fixed]] 1: a box needs 'size'"),
    ("value = 0", "value = 0\n[[fixed]]\nshape = 'sphere'\nradius = 1\nposition = [1]", "[[fixed]] 1: position = [1] should be 3 numbers, got 1"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "sentence"), BAD, ids=range(len(BAD)))
def test_mistakes(old, new, sentence, tmp_path):
    assert old in GOOD
    with pytest.raises(BunrakuError) as error:
        load_generation(written(tmp_path, GOOD.replace(old, new)), bk.human()).run()
    said = str(error.value)
    assert said.startswith("m.toml: ") and sentence in said and "\n" not in said


def test_the_good_one(tmp_path):
    assert len(load_generation(written(tmp_path, GOOD), bk.human()).run()) == 11
