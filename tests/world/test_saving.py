"""Saving and loading: on bit for bit in a fresh process, controllers' states, damaged, foreign and newer files."""

import hashlib
import io
import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import bunraku as bk
from bunraku.model import Shape
from bunraku.model.plain import from_plain, to_plain
from bunraku.step.step_arrays import Info
from bunraku.world import World
from bunraku.world.saving import DIGEST, opened, sealed


class Swing:
    """A controller with a phase of its own."""

    name = "swing"

    def __init__(self):
        self.phase = 0.0

    def __call__(self, world):
        self.phase += 0.01
        world["dancer"].tau[8] = 5.0 * np.sin(self.phase)

    def state(self):
        return {"phase": self.phase}

    def restore(self, state):
        self.phase = state["phase"]


def scene(controller=None):
    """A limp figure above the floor, tied by a hand to a box; a slope, boxes, a push and a set pair."""
    world = World(dt=0.002, gravity=(0.1, 0, -9.7), tolerance=1e-7)
    world.add_ground(friction=0.6, restitution=0.1)
    world.add_fixed(Shape("box", (1, 1, 0.05), (1.5, 0, 0.2), (0.98, 0, 0.2, 0), name="slope"), friction=None)
    fig = world.add(bk.human(), at=(0, 0, 1.2), name="dancer", friction=0.9)
    box = world.add(bk.box((0.2, 0.3, 0.1), mass=2.0), at=(1.5, 0.1, 0.9))
    world.add(bk.sphere(0.1).with_gravity((0, 0, -1)), at=(1.4, -0.4, 0.8), restitution=0.5)
    world.set_pair(box, None, friction=0.25)
    world.connect(fig["left_hand"], axes="x y z", break_force=330.0)  # it breaks after about 40 steps
    world.connect(fig["right_hand"], box, axes="y z rx", compliance=1e-4)
    if controller is not None:
        world.add_controller(controller)
    world.push(fig["trunk"], force=(60, 10, 0), seconds=0.5, torque=(0, 0, 3))
    return world


CONTINUE = """
import sys, hashlib, numpy as np, bunraku as bk
sys.path.insert(0, sys.argv[2])
from test_saving import Swing
world = bk.World.load(sys.argv[1], controllers=[Swing()])
world.step(200)
print(hashlib.sha256(world.q.tobytes() + world.v.tobytes()).hexdigest(), world.time.hex())
"""


def test_goes_on_bit_for_bit_in_a_fresh_process(tmp_path):
    world = scene(Swing())
    world.step(180)  # the figure touches, the push goes on
    path = world.save(tmp_path / "state.npz")
    done = subprocess.run(
        [sys.executable, "-c", CONTINUE, str(path), str(__file__).rsplit("/", 1)[0]], capture_output=True, text=True
    )
    world.step(200)
    mine = hashlib.sha256(world.q.tobytes() + world.v.tobytes()).hexdigest()
    assert done.stdout.split() == [mine, world.time.hex()], done.stderr
    assert world.contacts  # something happened


def test_what_can_be_read_is_the_same(tmp_path):
    world = scene(Swing())
    world.step(220)
    again = World.load(world.save(tmp_path / "state.npz"))
    assert again.report == world.report and again.time == world.time and again.gravity == world.gravity
    assert [f.name for f in again.figures] == [f.name for f in world.figures]
    assert [(c.a, c.b, c.state) for c in again.contacts] == [(c.a, c.b, c.state) for c in world.contacts]
    assert all(np.array_equal(a.forces, b.forces) for a, b in zip(again.contacts, world.contacts))
    mine, theirs = world._ties.connections, again._ties.connections
    assert {k: (c.broken, c.active, c.break_force, c.force.tolist()) for k, c in mine.items()} == {
        k: (c.broken, c.active, c.break_force, c.force.tolist()) for k, c in theirs.items()
    }
    assert any(c.broken for c in mine.values()) and any(c.active for c in mine.values())
    for a, b in zip(world.figures, again.figures):
        assert np.array_equal(a.model.reals, b.model.reals) and np.array_equal(a.model.ints, b.model.ints)


def test_descriptions_survive_as_text():
    for model in (bk.human(1.81, 73.3), bk.capsule(0.123, 0.456, 7.0)):
        text = json.dumps(to_plain(model.description), allow_nan=False)
        again = from_plain(json.loads(text)).build()
        for name in ("ints", "reals", "lower", "upper", "q0", "effort"):
            assert np.array_equal(getattr(model, name), getattr(again, name)), name
        assert again.collide_exclude == model.collide_exclude
        assert [f.name for f in again.frames] == [f.name for f in model.frames]


def test_snapshots_know_pushes_breaks_and_controllers():
    control = Swing()
    world = scene(control)
    world.step(20)
    snap = world.snapshot()
    grip = world._ties.connections[0]
    world.step(250)
    first = np.concatenate([world.q, world.v])
    assert grip.broken
    world.restore(snap)
    assert not grip.broken and grip.active and control.phase == pytest.approx(0.2)
    world.step(250)
    assert np.array_equal(first, np.concatenate([world.q, world.v])) and grip.broken


def test_a_snapshot_of_other_shapes_is_refused():
    world = scene()
    world.step()
    snap = world.snapshot()
    world.add_fixed(Shape("box", (1, 1, 1), (5, 0, 0)))
    with pytest.raises(bk.InputError, match="other shapes"):
        world.restore(snap)


def test_controllers_without_state_are_named(tmp_path):
    def wind(world):
        world["dancer"].tau[7] = 0.1

    world = scene(wind)
    world.add_controller(Swing())
    world.step(3)
    assert world.snapshot().without_state == ("wind",)
    path = world.save(tmp_path / "w.npz")
    assert json.loads(opened(path)["structure"].tobytes())["without_state"] == ["wind"]
    control = Swing()
    World.load(path, controllers=[wind, control])
    assert control.phase == pytest.approx(0.03)
    with pytest.raises(bk.InputError, match=r"got 1 controllers.*'wind', 'swing'"):
        World.load(path, controllers=[wind])


def test_a_state_that_json_cannot_hold():
    class Bad(Swing):
        def state(self):
            return {"phase": np.zeros(3)}

    with pytest.raises(bk.InputError, match=r"'swing'.*JSON"):
        scene(Bad()).snapshot()


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    world = scene(Swing())
    world.step(10)
    return world.save(tmp_path_factory.mktemp("saved") / "state.npz").read_bytes()


@pytest.mark.parametrize("part", range(20))
def test_files_cut_off(saved, tmp_path, part):
    path = tmp_path / "cut.npz"
    path.write_bytes(saved[: len(saved) * part // 20])
    with pytest.raises(bk.BunrakuError, match=r"cut\.npz"):
        World.load(path)


def test_flipped_bytes(saved, tmp_path):
    """Any byte: the digest sees it."""
    rng = np.random.default_rng(3)
    path = tmp_path / "flipped.npz"
    for place in [0, 1, 2, len(saved) - 1, len(saved) - DIGEST - 1, *rng.integers(len(saved), size=300)]:
        data = bytearray(saved)
        data[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(data)
        with pytest.raises(bk.BunrakuError):
            World.load(path)


def reseal(members, change):
    """A file whose digest is right, but whose text is not what was saved."""
    text = json.loads(members["structure"].tobytes())
    change(text)
    return sealed({**members, "structure": np.frombuffer(json.dumps(text).encode(), dtype=np.uint8)})


def nested(x, way=()):
    """Every place in plain values."""
    yield way
    items = x.items() if isinstance(x, dict) else enumerate(x) if isinstance(x, list) else ()
    for key, value in items:
        yield from nested(value, (*way, key))


def test_forged_texts_never_crash(saved, tmp_path):
    """Values replaced at random with a right digest: loads, or a BunrakuError."""
    rng = np.random.default_rng(5)
    path = tmp_path / "forged.npz"
    path.write_bytes(saved)
    members = opened(path)
    places = list(nested(json.loads(members["structure"].tobytes())))[1:]
    refused = 0
    for _ in range(150):
        way = places[rng.integers(len(places))]
        new = [None, -1, 10**6, "x", [], {}, 0.5, {"float": "nan"}][rng.integers(8)]

        def change(text, way=way, new=new):
            for key in way[:-1]:
                text = text[key]
            text[way[-1]] = new

        path.write_bytes(reseal(members, change))
        try:
            World.load(path)
        except bk.BunrakuError:
            refused += 1
    assert refused > 50


def other_pairs(info: np.ndarray) -> np.ndarray:
    """An Info with another number of pairs."""
    other = info.copy()
    Info(other).fixed_pairs = 10**6
    return other


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("q", lambda a: a[:-1]),
        ("v", lambda a: a * np.nan),
        ("tie_ints", lambda a: a + 1000),
        ("sweep_order", lambda a: a * 0 + 7),
        ("info", lambda a: a + 100),
        ("info", other_pairs),
        ("numbers", lambda a: 2 * a),
        ("warm_ids", lambda a: a.astype(float)),
        ("contact_ids", lambda a: np.full((1, 4), 99)),
    ],
)
def test_forged_arrays_are_refused(saved, tmp_path, name, change):
    path = tmp_path / "forged.npz"
    path.write_bytes(saved)
    members = opened(path)
    path.write_bytes(sealed({**members, name: change(members[name])}))
    with pytest.raises(bk.InputError, match=r"forged\.npz"):
        World.load(path)


def test_newer_and_foreign_files(saved, tmp_path):
    path = tmp_path / "file.npz"
    path.write_bytes(saved)
    members = opened(path)
    path.write_bytes(reseal(members, lambda t: t.update(version=99, bunraku="9.0")))
    with pytest.raises(bk.InputError, match=r"Bunraku 9\.0, newer"):
        World.load(path)
    path.write_bytes(sealed({"a": np.zeros(3)}))
    with pytest.raises(bk.InputError, match="not a saved world"):
        World.load(path)
    np.savez(path, a=np.zeros(3))
    with pytest.raises(bk.InputError, match="not a saved world"):
        World.load(path)
    path.write_text("hello")
    with pytest.raises(bk.InputError, match="not a saved world"):
        World.load(path)
    with pytest.raises(bk.InputError, match="cannot be read"):
        World.load(tmp_path / "missing.npz")
    with pytest.raises(bk.InputError, match="cannot be written"):
        scene().save(tmp_path)


def test_the_file_is_a_plain_npz(saved):
    with np.load(io.BytesIO(saved), allow_pickle=False) as arrays:
        assert arrays["q"].dtype == np.float64 and "structure" in arrays.files
    assert zipfile.ZipFile(io.BytesIO(saved)).testzip() is None
