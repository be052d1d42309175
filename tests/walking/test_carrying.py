"""Walkers that carry: loads in words, walks on sensors alone, and what the report says of them."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.cli.walk_output import load_in_words
from bunraku.errors import InputError
from bunraku.humanoid.parts import humanoid
from bunraku.walking.carrying import carrying, said
from bunraku.walking.load_report import moved
from draws import fresh_rng

G = 9.80665


def test_loads_in_words():
    assert said("10kg") == (10.0, "front") and said("15 kg in front") == (15.0, "front")
    assert said("20 kg on the back") == (20.0, "back") and said("20kg back") == (20.0, "back")
    assert said("8 kg in the left hand") == (8.0, "left") and said("2.5 kg on the right side") == (2.5, "right")


@pytest.mark.parametrize(
    "words, says",
    [
        ("heavy", "no load"),
        ("10", "no load"),
        ("-3 kg", "no load"),
        ("nan kg", "no load"),
        ("0 kg", "is none"),
        ("5 kg on the head", "no place 'head'"),
        ("5 kg lefft", "left"),
    ],
)
def test_loads_that_are_none(words, says):
    with pytest.raises(InputError, match=says):
        said(words)


@pytest.mark.parametrize("words", ["9 kg", "12 kg on the back", "6 kg in the right hand"])
@pytest.mark.parametrize("height", [1.5, 1.9])
def test_things_touch_nothing_but_hands_at_first(words, height):
    """What is carried begins beside the body, not in it."""
    h = carrying(humanoid(bk.human(height)), words)
    world = bk.World(0.001)
    figure = world.add(h.holding.bare)
    figure.q[:] = h.stand
    thing = h.holding.add_to(world, h.stand)
    world.step()
    touching = [c for c in world.contacts if thing.name in repr(c) and np.linalg.norm(c.force) > 0]
    assert touching == []


@asserts("1988/carry")
def test_two_steps_with_a_box_and_what_it_changes():
    mass = float(fresh_rng().uniform(3.0, 12.0))
    done = bk.walk(footsteps="two steps", carry=f"{mass:.3f} kg")
    with done.recording as r:
        assert done.fell is None and done.report.fell is None and "with" in r.title
        assert {f.name for f in r.figures} == {"human", "box"}
    load = done.load
    assert load["mass_kg"] == load["carried_kg"] == pytest.approx(mass, abs=1e-3)
    weight = G * (done.walker.model.mass + mass)
    assert done.report.loads.weight == pytest.approx(weight, rel=1e-4)
    assert done.report.loads.force[-1, :, 2].sum() == pytest.approx(weight, rel=0.01)  # the feet carry both
    for grip in load["grips"].values():  # each hand half of it, and a little more as it moves
        assert 0.5 * mass * G < grip["most_N"] < 0.75 * mass * G
    # at rest the zero-moment point is that of all weights: what the box adds is its place among them
    h = done.pattern.humanoid
    place = h.holding.pose(done.pattern.q[0])[0]
    alone = bk.centre_of_mass(h.holding.bare, done.pattern.q[0])
    moves = moved(done.pattern, h.holding.bare)
    assert moves[0, 0] == pytest.approx(mass / h.model.mass * (place - alone)[0], abs=1e-4)
    assert load["zmp_moved_m"]["ahead"] == pytest.approx(moves[:, 0].mean()) and load["zmp_moved_m"]["ahead"] > 0.005
    # arms that hold 9.8 N more a kg
    elbow = load["torques_N_m"]["left_elbow"]
    assert elbow["rms"] == pytest.approx(elbow["planned"], rel=0.1) and elbow["rms"] > 2 * elbow["without"]
    assert "ahead" in load_in_words(load) and "grips at most" in load_in_words(load)
    assert bk.walk(footsteps="two steps", stabiliser=False).load is None


def test_one_sided_moves_the_body_to_the_other_side():
    done = bk.walk(footsteps="two steps", carry="8 kg in the left hand")
    done.recording.close()
    assert done.fell is None and done.load["zmp_moved_m"]["left"] > 0.01
    assert abs(done.load["zmp_moved_m"]["ahead"]) < done.load["zmp_moved_m"]["left"]


@pytest.mark.slow
def test_by_servos_and_on_rubber():
    for options in ({"stabiliser": False}, {"bushes": True}):
        done = bk.walk(footsteps="two steps", carry="6 kg on the back", **options)
        done.recording.close()
        assert done.fell is None
        assert max(e.distance for e in done.walker.footstep_error()) < 0.02


def test_any_thing_that_is_held():
    """A ball between the hands, higher than a box."""
    ball = bk.Load(bk.sphere(0.12, 3.0), (0.3, 0.0, 1.15), {"left_hand": (0, 0.17, 0), "right_hand": (0, -0.17, 0)})
    done = bk.walk(footsteps="two steps", carry=ball)
    done.recording.close()
    assert done.fell is None and done.load["words"] == "3 kg"
    with pytest.raises(InputError, match="careful"):
        bk.walk(speed=1.2, carry="3 kg")


def test_arms_that_hold_do_not_swing():
    h = carrying(humanoid(bk.human()), "8 kg in the left hand")
    q = bk.walking_pattern(h, "two steps").q
    swings = {side: np.ptp(q[:, h.model.joint(f"{side}_shoulder").q], axis=0).max() for side in ("left", "right")}
    assert swings["left"] < 1e-9 and swings["right"] > 0.05


@pytest.mark.slow
@pytest.mark.parametrize("carry", ["15 kg in front", "20 kg on the back", "10 kg in the right hand"])
def test_nineteen_steps(carry):
    done = bk.walk(footsteps="nineteen", carry=carry)
    done.recording.close()
    s = done.report.summary()
    assert done.fell is None and s["falls"] == 0 and s["steps"] == 19
    assert s["final_error_m"] < 0.02 and s["zmp_margin_m"]["single_least"] > 0.01
