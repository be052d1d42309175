"""Recording a world: the same simulation bit for bit, every number the nearest float32, events at their steps, files
that survive a kill."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bunraku as bk
from bunraku.motion import Recording
from bunraku.world import World
from bunraku.world.frames import STATES
from bunraku.world.log import ROOM


def scene():
    """A figure held by servos that stands, then is pushed over; a box falls beside it and a hand hangs on a thread that
    breaks."""
    world = World()
    world.add_ground(friction=0.7)
    fig = world.add(bk.human(), at=(0, 0, 0.901), name="dancer")
    fig.servo(800.0, 30.0)
    box = world.add(bk.box((0.2, 0.3, 0.1), mass=2.0), at=(1.0, 0.1, 0.4), rotation=(0.98, 0.1, 0.15, 0), name="crate")
    world.connect(box, axes="x y z", break_force=15.0)
    return world, fig, box


def test_recording_changes_nothing_and_every_number_is_the_nearest_float32(tmp_path):
    plain, _, _ = scene()
    world, fig, _ = scene()
    seen = [(world.time, world.q.copy(), world.v.copy(), world.applied.copy(), [])]
    with world.record(tmp_path / "run.bkr", title="a test", meta={"by": "us"}) as recorder:
        for k in range(700):
            if k == 200:
                for w in (plain, world):
                    w.push(w["dancer"]["trunk"], (150, 20, 0), 0.2)
            world.step()
            plain.step()
            contacts = [c for c in world.contacts if len(c.region)]
            seen.append((world.time, world.q.copy(), world.v.copy(), world.applied.copy(), contacts))
            if k % 50 == 0:
                seen[-1] += (fig.com, fig.zmp, fig.energy)
        assert (tmp_path / "run.bkr.part").exists() and not (tmp_path / "run.bkr").exists()
    assert np.array_equal(world.q, plain.q) and np.array_equal(world.v, plain.v) and world.time == plain.time
    assert recorder.frames == 701 and [p.name for p in tmp_path.iterdir()] == ["run.bkr"]
    with Recording.open(tmp_path / "run.bkr") as r:
        assert r.finished and len(r) == 701 and r.title == "a test" and r.meta == {"by": "us"} and r.dt == world.dt
        assert np.array_equal(r.times, [s[0] for s in seen])
        for array, column in ((r.q, 1), (r.v, 2), (r.torques, 3)):
            assert array.dtype == np.float32 and np.array_equal(array, np.array([s[column] for s in seen], np.float32))
        states = set()
        for k, (*_, contacts) in enumerate(s[:5] for s in seen):
            frame = r[k]
            assert len(frame.pair) == len(contacts)
            for p, c in enumerate(contacts):
                states.add(c.state)
                assert STATES[frame.state[p]] == c.state, f"frame {k}"
                assert tuple(r.shape_owner(int(s)) for s in frame.pair[p]) == c.bodies
                assert np.allclose(frame.force[p], c.force, rtol=2e-7, atol=1e-4)
                assert np.allclose(frame.cop[p], c.cop, atol=2e-6) and np.allclose(frame.normal[p], c.normal, atol=1e-7)
                assert np.allclose(frame.torque[p], c.torque, atol=1e-3)
        assert states >= {"point", "line", "surface"}
        for k in range(
            1, 701, 50
        ):  # measured from float32: positions within 1e-6 m, energies within 1e-6 of their size
            com, zmp, energy = seen[k][5:]
            assert np.allclose(r.com[k, 0], com, atol=1e-6) and np.isclose(r.energy[k, 0], energy, rtol=1e-6)
            assert np.all(np.isnan(r.zmp[k, 0])) if zmp is None else np.allclose(r.zmp[k, 0], zmp, atol=1e-5)


@pytest.mark.parametrize(
    "options",
    [{"integrator": "rk4"}, {"contact": "virtual_link"}, {"contact": "penalty"}, {"contact": "pgs_2007"}],
    ids=str,
)
def test_every_way_to_step_is_recorded(tmp_path, options):
    def dropped():
        world = World(**options)
        world.add_ground()
        world.add(bk.box((0.2, 0.3, 0.1), mass=1.0), at=(0, 0, 0.2), rotation=(0.95, 0.2, 0.1, 0))
        return world

    plain, world = dropped(), dropped()
    states = [[]]
    with world.record(tmp_path / "a.bkr"):
        for _ in range(300):
            world.step()
            states.append([c.state for c in world.contacts if len(c.region)])
    plain.step(300)
    r = Recording.open(tmp_path / "a.bkr")
    assert np.array_equal(world.q, plain.q) and np.array_equal(r.q[-1], world.q.astype(np.float32))
    assert [[STATES[k] for k in r[n].state] for n in range(301)] == states and states[-1]


def test_events_come_at_their_steps(tmp_path):
    world, fig, _ = scene()
    broke = []

    def controller(w):
        if abs(w.time - 0.05) < 1e-9:
            w.note("now")
        if not broke and w.connections[0].broken:
            broke.append(w.time)

    with world.record(tmp_path / "a.bkr"):
        world.run(0.02)
        grip = world.connect(fig["left_hand"], axes="x z rx")
        world.run(0.01)
        world.disconnect(grip)
        world.push(fig["trunk"], (0, 10, 0), 0.005)
        world.add_controller(controller)
        world.run(0.1)
    events = Recording.open(tmp_path / "a.bkr").events
    kinds = [e["kind"] for e in events]
    assert sorted(kinds) == ["break", "connect", "connect", "cut", "note", "push"]
    by = {e["kind"]: e for e in events}
    assert events[0]["kind"] == "connect" and events[0]["a"] == "crate.box" and events[0]["b"] == "world"
    second = [e for e in events if e["kind"] == "connect"][1]
    assert second["time"] == pytest.approx(0.02) and second["axes"] == "x z rx" and "lower_arm" in second["a"]
    assert by["cut"]["time"] == pytest.approx(0.03) and by["push"]["time"] == pytest.approx(0.03)
    assert by["push"]["on"] == "dancer.trunk" and by["push"]["wrench"] == [0, 10, 0, 0, 0, 0]
    assert by["note"]["time"] == pytest.approx(0.05) and by["note"]["text"] == "now"
    assert by["break"]["number"] == events[0]["number"]


def test_a_break_is_timed_to_its_step_inside_one_long_call(tmp_path):
    def hanging():
        world = World()
        ball = world.add(bk.sphere(0.1, mass=1.0), at=(0, 0, 2))
        world.spring(ball, at_b=(0, 0, 2), stiffness=100.0, rest=0.0, break_force=8.0)
        return world

    world = hanging()
    while not world.connections[0].broken:
        world.step()
    expected, world = world.time, hanging()
    with world.record(tmp_path / "b.bkr"):
        world.run(1.0)
    found = [e for e in Recording.open(tmp_path / "b.bkr").events if e["kind"] == "break"]
    assert len(found) == 1 and found[0]["time"] == pytest.approx(expected, abs=1e-9)


def test_every_few_steps_and_more_than_one_block(tmp_path):
    world = World()
    world.add_ground()
    world.add(bk.box((0.2, 0.2, 0.2), mass=1.0), at=(0, 0, 0.3))
    with world.record(tmp_path / "c.bkr", every=3):
        world.step(9 * ROOM)
        world.step(1)
        world.step(1)
    r = Recording.open(tmp_path / "c.bkr")
    assert len(r) == 1 + 3 * ROOM and np.allclose(r.times, 0.003 * np.arange(len(r)), atol=1e-9)
    assert len(r._blocks) > 3


def test_what_may_not_be_done_meanwhile(tmp_path):
    world = World()
    world.add_ground()
    world.add(bk.sphere(0.1), at=(0, 0, 1))
    with pytest.raises(bk.InputError, match="every 0"):
        world.record(tmp_path / "x.bkr", every=0)
    with pytest.raises(bk.InputError, match="JSON"):
        world.record(tmp_path / "x.bkr", meta={"f": object()})
    (tmp_path / "file").touch()
    with pytest.raises(bk.InputError, match="cannot be written"):
        world.record(tmp_path / "file" / "x.bkr")
    with world.record(tmp_path / "a.bkr"):
        with pytest.raises(bk.InputError, match="already"):
            world.record(tmp_path / "b.bkr")
        world.step(5)
        before = world.snapshot()
        world.step(5)
        world.restore(before)
        with pytest.raises(bk.InputError, match="went back"):
            world.step()
    with world.record(tmp_path / "b.bkr"):
        world.add(bk.sphere(0.1), at=(1, 0, 1), name="late")
        with pytest.raises(bk.InputError, match="added meanwhile"):
            world.step()
    world.step()
    assert len(Recording.open(tmp_path / "a.bkr")) == 11


def test_an_error_ends_the_recording_with_a_note(tmp_path):
    world = World()
    fig = world.add(bk.sphere(0.1), at=(0, 0, 1))
    with pytest.raises(bk.StepDiverged), world.record(tmp_path / "a.bkr"):
        world.step(10)
        fig.v[0] = np.inf
        world.step(10)
    r = Recording.open(tmp_path / "a.bkr")
    assert len(r) == 11 and r.events[-1]["kind"] == "note" and r.events[-1]["error"] == "StepDiverged"


def test_a_full_disk_gives_a_sentence_and_the_world_goes_on(tmp_path, monkeypatch):
    def standing():
        world = World()
        world.add_ground()
        world.add(bk.box((0.2, 0.2, 0.2), mass=1.0), at=(0, 0, 0.3))
        return world

    def full(*_):
        raise OSError(28, "No space left on device")

    plain, world = standing(), standing()
    with pytest.raises(bk.InputError, match="No space left"), world.record(tmp_path / "a.bkr"):
        world.step(ROOM + 100)  # one block
        monkeypatch.setattr(os, "writev", full)
        world.step(2 * ROOM)
    assert not (tmp_path / "a.bkr").exists() and len(Recording.open(tmp_path / "a.bkr.part")) >= ROOM
    world.step(10)
    plain.step(round(world.time / world.dt))
    assert np.array_equal(world.q, plain.q) and world.time == pytest.approx(plain.time, abs=1e-9)


def test_an_error_never_replaces_an_older_recording(tmp_path):
    path = tmp_path / "a.bkr"

    def fail(steps):
        with pytest.raises(RuntimeError) as caught, world.record(path):
            world.step(steps)
            raise RuntimeError("enough")
        return " ".join(caught.value.__notes__)

    world = World()
    world.add(bk.sphere(0.1), at=(0, 0, 1))
    assert fail(7) == f"The recording up to there: {path}."
    before = path.read_bytes()
    said = fail(3)
    assert said == f"The recording up to there: {path}.part; {path} is as it was." and path.read_bytes() == before
    with Recording.open(tmp_path / "a.bkr.part") as r:
        assert r.finished and len(r) == 4 and r.events[-1]["text"] == "enough"


def test_two_recorders_of_one_file(tmp_path):
    """The second is refused at once and its world can be recorded elsewhere; the first goes on undamaged. In version
    0.1 both wrote into one .part and damaged it."""
    worlds = [World(), World()]
    for world in worlds:
        world.add(bk.sphere(0.1), at=(0, 0, 1))
    with worlds[0].record(tmp_path / "a.bkr"):
        worlds[0].step(5)
        with pytest.raises(bk.InputError, match="being recorded already"):
            worlds[1].record(tmp_path / "a.bkr")
        with worlds[1].record(tmp_path / "b.bkr"):
            worlds[1].step(2)
        worlds[0].step(5)
    for name, frames in (("a.bkr", 11), ("b.bkr", 3)):
        with Recording.open(tmp_path / name) as r:
            assert r.finished and len(r) == frames
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.bkr", "b.bkr"]


KILLED = """
import sys, bunraku as bk
world = bk.World()
world.add(bk.sphere(0.1), at=(0, 0, 1))
world.record(sys.argv[1])
while True:
    world.step(2000)
    print(world.time, flush=True)
"""


def test_a_killed_process_leaves_what_it_wrote(tmp_path):
    path = tmp_path / "run.bkr"
    environment = {**os.environ, "PYTHONPATH": str(Path(bk.__file__).parent.parent)}
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert child.stdout is not None
    for _ in range(4):
        reached = float(child.stdout.readline())
    child.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    assert child.wait() < 0  # by the signal: it had no chance to tidy up
    assert not path.exists()
    r = Recording.open(tmp_path / "run.bkr.part")
    assert not r.finished and r.times[-1] >= reached - ROOM * r.dt and len(r) == round(r.times[-1] / r.dt) + 1
    fall = 1.0 - 0.5 * 9.80665 * r.times * (r.times + r.dt)  # semi-implicit Euler, exact
    assert np.allclose(r.q[:, 2], fall, rtol=2e-7, atol=1e-6)
    world = World()
    world.add(bk.sphere(0.1), at=(0, 0, 1))
    with world.record(path):  # what it left is in nobody's way
        world.step()
    assert len(Recording.open(path)) == 2


@pytest.mark.slow
def test_size(tmp_path):
    """A minute at 1 kHz of a standing figure: below 1.3 times its numbers as float32.

    What it costs says `bunraku bench viewer`.
    """

    def standing():
        world = World()
        world.add_ground()
        fig = world.add(bk.human(), at=(0, 0, 0.901))
        fig.servo(3000.0, 60.0)
        world.step(100)
        return world

    world = standing()
    with world.record(tmp_path / "run.bkr"):
        world.step(60000)
    r = Recording.open(tmp_path / "run.bkr")
    assert len(r) == 60001
    numbers = sum(a.size for a in (r.q, r.v, r.torques, r.frames.normal, r.frames.points, r.frames.forces))
    size = (tmp_path / "run.bkr").stat().st_size
    print(f"{size / len(r):.0f} bytes a frame, {size / (4 * numbers):.3f} of float32")
    assert size < 1.3 * 4 * numbers
