"""Worlds beside single Worlds: the same bits, whatever stands beside them."""

import functools
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from batch_scenes import SCENES, fall, stand
from bunraku.batch import Worlds
from bunraku.errors import InputError, UnknownName
from draws import fresh_rng

ROWS = 67
STEPS = 8


def started(world, n, rng, threads=1):
    """n worlds with rates of their own."""
    worlds = Worlds(world, n, threads)
    worlds.v[:] += 0.3 * rng.normal(size=worlds.v.shape)
    return worlds


@pytest.mark.parametrize("name", SCENES)
def test_worlds_do_what_single_worlds_do(name):
    world = SCENES[name]()
    world.step(3)
    worlds = started(world, 3, fresh_rng())
    single = [worlds[i] for i in range(3)]
    worlds.step(40)
    assert not worlds.status.any()
    for i, one in enumerate(single):
        one.step(40)
        assert one.q.tobytes() == worlds.q[i].tobytes() and one.v.tobytes() == worlds.v[i].tobytes()
        again = worlds[i]
        assert again.time == pytest.approx(one.time, abs=1e-12)
        assert again.report.contacts == one.report.contacts
        assert [c.force.tolist() for c in again.contacts] == [c.force.tolist() for c in one.contacts]
        again.step(5)
        one.step(5)
        assert again.q.tobytes() == one.q.tobytes()


@functools.cache
def many(name):
    """(worlds at their start, every world's state after STEPS steps alone) of a scene."""
    world = SCENES[name]()
    worlds = started(world, ROWS, np.random.default_rng(5))
    start = worlds.q.copy(), worlds.v.copy()
    alone = []
    one = Worlds(world, 1, 1)
    for q, v in zip(*start):
        one.reset()
        one.q[0], one.v[0] = q, v
        one.step(STEPS)
        alone.append((one.q[0].tobytes(), one.v[0].tobytes()))
    return world, start, alone


@settings(deadline=None, max_examples=25)
@given(
    name=some.sampled_from(["fall", "boxes", "stand"]),
    chosen=some.lists(some.integers(0, ROWS - 1), min_size=1, max_size=ROWS, unique=True),
    threads=some.integers(1, 8),
    cuts=some.lists(some.integers(0, STEPS), max_size=2),
    held=some.integers(0, 2**ROWS - 1),
)
def test_a_world_depends_on_nothing_but_itself(name, chosen, threads, cuts, held):
    """Batches of any size, order and number of threads, in any pieces, with others held back: the same bytes."""
    world, (q, v), alone = many(name)
    worlds = Worlds(world, len(chosen), threads)
    worlds.q[:], worlds.v[:] = q[chosen], v[chosen]
    shot = worlds.snapshot()
    at = [0, *sorted(cuts), STEPS]
    for a, b in itertools.pairwise(at):
        worlds.step(b - a)
    assert [(x.tobytes(), y.tobytes()) for x, y in zip(worlds.q, worlds.v)] == [alone[k] for k in chosen]
    back = np.array([held >> k & 1 for k in chosen], dtype=bool)  # these once more
    worlds.restore(shot, back)
    assert worlds.q[back].tobytes() == q[chosen][back].tobytes()
    worlds.step(STEPS, back)  # the others stand still
    worlds.close()
    assert [(x.tobytes(), y.tobytes()) for x, y in zip(worlds.q, worlds.v)] == [alone[k] for k in chosen]


def test_one_bad_world_spoils_nothing():
    world = stand()
    worlds, same = (started(world, 6, np.random.default_rng(1), 2) for _ in range(2))
    worlds.v[2, 0] = 2e5
    worlds.target_q[4, 8] = np.nan
    before = worlds.q[2].tobytes(), worlds.v[2].tobytes()
    worlds.step(20)
    same.step(20)
    assert worlds.status.astype(bool).tolist() == [False, False, True, False, True, False]
    assert (worlds.q[2].tobytes(), worlds.v[2].tobytes()) == before  # its first step failed
    assert worlds.steps_done.tolist() == [20, 20, 0, 20, 0, 20]
    assert "faster than" in worlds.why(2) and "target_q[8] is not finite" in worlds.why(4) and worlds.why(0) == ""
    good = [0, 1, 3, 5]
    assert worlds.q[good].tobytes() == same.q[good].tobytes()
    worlds.reset([2, 4])
    worlds.step(20)
    assert not worlds.status.any() and worlds.time == pytest.approx([0.08, 0.08, 0.04, 0.08, 0.04, 0.08])


def test_room_grows_for_one_world_alone():
    world = fall()
    worlds = Worlds(world, 3, 2)
    worlds.q[0, 2] = worlds.q[2, 2] = 5.0  # in the air
    one = worlds[1]
    for _ in range(30):
        worlds.step(10)
        one.step(10)
        assert worlds.q[1].tobytes() == one.q.tobytes()
    assert worlds.contacts[1] > 24 and list(worlds._seats.own) == [1]
    later = Worlds(world, 3, 1)
    later.restore(worlds.snapshot())
    for x in (later, worlds):
        x.step(10)
    assert later.q.tobytes() == worlds.q.tobytes()


def test_pushes_are_those_of_a_world():
    world = stand()
    world.push(world.figures[0]["trunk"], force=(20, 0, 0), seconds=0.03)
    worlds = Worlds(world, 4, 1)
    force = np.array([[30.0, 0, 0], [0, 50.0, 0]])
    worlds.step(5)
    single = [worlds[i] for i in range(4)]
    worlds.push([1, 3], "human.left_hand", force, 0.05, torque=(0, 1, 0))
    for k, i in enumerate((1, 3)):
        single[i].push("human.left_hand", force[k], 0.05, torque=(0, 1, 0))
    for _ in range(3):
        worlds.step(20)
        for i, one in enumerate(single):
            one.step(20)
            assert worlds.q[i].tobytes() == one.q.tobytes()


def test_snapshot_restore_and_reset():
    rng = fresh_rng()
    worlds = started(stand(), 5, rng)
    start = worlds.q.copy()
    worlds.step(10)
    shot = worlds.snapshot()
    worlds.step(10)
    after = worlds.q.copy()
    worlds.restore(shot)
    worlds.step(10)
    assert worlds.q.tobytes() == after.tobytes()
    worlds.reset(np.array([True, False, True, False, False]))
    assert np.array_equal(worlds.q[[0, 2]], start[[0, 2]]) and np.array_equal(worlds.q[1], after[1])
    assert worlds.episode.tolist() == [1, 0, 1, 0, 0] and not worlds.v[0].any()


def test_many_worlds_are_small_and_start_at_once():
    world = stand()
    world.step(2)
    a, b = Worlds(world, 1, 1), Worlds(world, 65, 1)
    bytes_of = [sum(x.nbytes for x in w._seats.bank.values()) + w._seats.rows.nbytes for w in (a, b)]
    assert (bytes_of[1] - bytes_of[0]) / 64 < 120e6 / 4096
    b.step()
    assert len(b._crew.hands) == 1 and not b._seats.own


def test_scenes_and_their_notes(tmp_path):
    worlds = Worlds("fall", 2, 1)
    worlds.step(2)
    assert len(worlds) == 2 and "2 worlds of" in repr(worlds)
    later = tmp_path / "later.toml"
    text = '[[ground]]\n[[figure]]\nmodel = "human"\n[[push]]\non = "human.trunk"\nforce = [1, 0, 0]\nseconds = 1\nfrom = 2\n'
    later.write_text(text)
    with pytest.raises(InputError, match="something happens in the scene at"):
        Worlds(str(later), 2)
    world = stand()
    world.add_sensor("imu", at=world.figures[0]["trunk"])
    assert "sensors" in Worlds(world, 1).notes[-1].text


loose: Any = Worlds  # for arguments of wrong types
BAD: dict[str, tuple[Any, str]] = {
    "n of none": (lambda w: Worlds(w, 0), "n is 0"),
    "n of a half": (lambda w: loose(w, 1.5), "n is 1.5"),
    "no threads": (lambda w: Worlds(w, 2, 0), "threads is 0"),
    "no world": (lambda w: Worlds(3, 2), "neither a World nor a scene"),
    "seed": (lambda w: Worlds(w, 2, seed=-1), "seed -1"),
    "half a step": (lambda w: loose(w, 2).step(0.5), "0.5 is not a whole number"),
    "no such world": (lambda w: Worlds(w, 2)[2], "numbered 0 to 1"),
    "mask too long": (lambda w: Worlds(w, 2).reset([True, False, True]), "2 booleans"),
    "twice": (lambda w: Worlds(w, 2).reset([1, 1]), "different numbers"),
    "push of no link": (lambda w: Worlds(w, 2).push(None, "human.nose", (1, 0, 0), 0.1), "nose"),
    "push of two numbers": (lambda w: Worlds(w, 2).push(None, "human.trunk", (1, 0), 0.1), "three numbers"),
    "push for ever": (lambda w: Worlds(w, 2).push(None, "human.trunk", (1, 0, 0), np.inf), "seconds"),
    "vary what": (lambda w: Worlds(w, 2).vary("frction", 1.0), "friction"),
    "vary shape": (lambda w: Worlds(w, 2).vary("friction", [1.0, 1.0, 1.0]), "(2,)"),
    "vary sign": (lambda w: Worlds(w, 2).vary("mass", [1.0, 0.0]), "positive"),
    "vary nan": (lambda w: Worlds(w, 2).vary("gravity", np.nan), "not finite"),
    "delay of a half": (lambda w: Worlds(w, 2).vary("delay", 0.5), "whole number"),
    "of what": (lambda w: Worlds(w, 2).vary("gains", 1.0, of="human.trunk"), "leave `of` out"),
    "no range": (lambda w: loose(w, 2).randomise({"friction": 0.3}), "pair of numbers"),
    "reversed": (lambda w: Worlds(w, 2).randomise({"friction": (0.5, 0.3)}), "lower one first"),
    "episode": (lambda w: Worlds(w, 2).replay(0, -1), "below 0"),
    "other snapshot": (lambda w: Worlds(w, 2).restore(Worlds(w, 3).snapshot()), "another batch"),
}


@pytest.mark.parametrize("what", BAD)
def test_mistakes_are_one_sentence(what):
    do, said = BAD[what]
    with pytest.raises((InputError, UnknownName)) as error:
        do(stand())
    assert said in str(error.value) and "\n" not in str(error.value)


def test_worlds_with_python_in_every_step_are_refused():
    world = stand()
    world.add_controller(lambda w: None)
    with pytest.raises(InputError, match="Python in every step"):
        Worlds(world, 2)


def test_each_world_is_at_its_own_row_of_the_track():
    """Worlds that begin a track later or earlier go where one world goes that has waited so long."""
    world = stand()
    figure = world.figures[0]
    rows = figure.q + np.linspace(0, 0.1, 20)[:, None] * (np.arange(figure.q.size) == 9)
    figure.follow(rows)
    worlds = Worlds(world, 2, 1)
    worlds.track_at[1] = 7
    worlds.step(5)
    assert worlds.target_q[:, 9].tolist() == [rows[4, 9], rows[11, 9]]
    one = worlds[1]
    for x in (one, worlds):
        x.step(12)
    assert worlds.q[1].tobytes() == one.q.tobytes() and worlds.track_at.tolist() == [17, 24]
