"""Following in the physical world: a noisy walk of our own is walked to its end by the floor's forces alone, help is
what it says it is, and a motion of another figure is refused."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.dynamics.functions import rnea
from bunraku.errors import InputError
from bunraku.formats import csvfile
from bunraku.formats.bvh_motion import load_bvh
from bunraku.motion import Help, Motion, Recording, consistency, dynamics_filter, follow, overlaps, retarget, stand
from motion_data import clip, noisy, walk


@pytest.fixture(scope="module")
def filtered(tmp_path_factory):
    """Four steps with noise of 1 degree and 5 mm, seed 11, as BVH, retargeted and filtered."""
    path = noisy(tmp_path_factory.mktemp("own") / "own.bvh", steps=4, seed=11)
    return dynamics_filter(retarget(load_bvh(path), bk.human()), dt=0.004)


@asserts("2000/walk/*")
@pytest.mark.slow
def test_a_noisy_walk_of_four_steps_is_walked_without_help(filtered, tmp_path):
    assert filtered.lost is None and overlaps(bk.human(), filtered.solved.q[::5]) == {}
    x = follow(filtered, record=tmp_path / "walked.bkr")
    assert x.fell is None and x.times[-1] == filtered.solved.times[-1] and x.self_collision
    assert x.help_impulse == 0.0 and x.help_work == 0.0 and "no help" in x.text()
    assert x.steps == 4 and x.as_dict()["distance_m"] > 0.9
    assert x.error.max() < 0.1 and x.base.max() < 0.02 and x.com_error.max() < 0.01
    with Recording.open(tmp_path / "walked.bkr") as saved:  # the law: floor and torques alone explain the motion
        found = consistency(saved, friction=0.8)
        owners = [[saved.shape_owner(int(x)) for x in pair] for pair in np.unique(saved.frames.pair, axis=0)]
    assert found.base < 1e-6 and found.joints < 1e-6 and found.pull < 1e-9
    assert {a[1] for a, b in owners if b[0] == "world"} == {"left_foot", "right_foot"}
    weight = filtered.solved.weight
    assert abs(x.carried.sum(axis=1).mean() / weight - 1.0) < 0.02  # from rest to rest the mean force is the weight


@pytest.mark.slow
@pytest.mark.parametrize("contact", ["virtual_link", "penalty"])
def test_other_contact_models(filtered, contact):
    x = follow(filtered, contact=contact, seconds=1.5)
    assert x.fell is None and x.error.max() < 0.15 and x.com_error.max() < 0.02


def test_strength_multiplies_the_torque_limits():
    """A figure with a sixteenth of the limits, far below what it needs, and sixteen times the strength is the figure:
    filtered and followed bit for bit the same."""
    motion, weaker = walk(1), bk.describe_human()
    for link in weaker.links:
        for joint in link.joints:
            joint.effort = joint.effort / 16
    weak = weaker.build()
    part = slice(0, 60)
    one, two = (Motion(m, motion.times[part], motion.q[part]) for m in (motion.model, weak))
    a = follow(dynamics_filter(one, dt=0.004), seconds=0.4)
    b = follow(dynamics_filter(two, dt=0.004, strength=16.0), seconds=0.4)
    c = follow(two, dt=0.004, strength=16.0, seconds=0.4)
    assert np.array_equal(a.q, b.q) and np.array_equal(a.q, c.q)
    with pytest.raises(InputError, match="strength 0 is not a number above 0"):
        follow(one, strength=0)


def pushed(world):
    """A blow to the side that no controller of this kind takes up: 250 N for 0.25 s."""
    world.push(world.figures[0]["trunk"], (0.0, 250.0, 0.0), 0.25)


@pytest.mark.slow
def test_help_keeps_up_what_would_fall_and_says_how_much_it_was(filtered, tmp_path):
    alone = follow(filtered, prepare=pushed, seconds=2.0)
    assert alone.fell is not None and "fell" in alone.text() and alone.help_impulse == 0.0
    helped = follow(filtered, prepare=pushed, seconds=2.0, help=Help(400.0, 100.0), record=tmp_path / "helped.bkr")
    assert helped.fell is None and 0.0 < helped.help_impulse < 0.2 and 0.0 < helped.help_work < 1.0
    assert "help from outside" in helped.text()
    with Recording.open(tmp_path / "helped.bkr") as saved:
        f, model = saved.frames, saved.figures[0].model
        a = np.diff(f.v, axis=0) / saved.dt
        outside = rnea(model, f.q[:-1], f.v[:-1], a)[:, :3] - saved.forces[1:, 0]
        outside[: round(0.25 / saved.dt)] -= (0.0, 250.0, 0.0)
        impulse = np.linalg.norm(outside, axis=1).sum() * saved.dt / (filtered.solved.weight * 2.0)
    assert impulse == pytest.approx(helped.help_impulse, rel=0.02)  # what nothing else explains


@pytest.mark.slow
def test_a_saved_motion_is_followed_as_the_motion_itself(filtered, tmp_path):
    with Recording.open(filtered.solved.save(tmp_path / "f.bkr")) as saved:
        again = follow(saved, bk.human(), seconds=0.4)
    assert np.array_equal(again.q, follow(filtered, seconds=0.4).q)


def still():
    """Standing, 30 frames."""
    model = bk.human()
    return Motion(model, 0.01 * np.arange(30), np.tile(stand(model), (30, 1)))


def test_a_motion_without_forces_is_filtered_first(tmp_path):
    path = csvfile.write(csvfile.from_motion(still(), "human"), tmp_path / "still.csv")
    x = follow(csvfile.read(path).motion(bk.human(), "human"), dt=0.005)
    assert x.fell is None and x.base.max() < 2e-3 and x.steps == 0


def test_a_recording_for_another_model_is_refused():
    with pytest.raises(InputError, match=r"one of figure 'human', not of 'arm'.*retarget"):
        arm = bk.Description(name="arm")
        arm.add("upper", None, bk.hinge("shoulder", (0, 1, 0)), mass=2.0, moments=(0.02, 0.02, 0.01))
        follow(still(), arm.build())
    with pytest.raises(InputError, match="69 kg, the figure has 50 kg"):
        follow(still(), bk.human(mass=50.0))
    with pytest.raises(InputError, match="help needs limits"):
        follow(still(), help=-1.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["own", "02_01"])
def test_the_captured_walk_is_walked_without_help(name, tmp_path):
    x = follow(retarget(load_bvh(clip(name, tmp_path)), bk.human()), dt=0.0025)
    assert x.fell is None and x.help_impulse == 0.0 and x.steps >= 4 and x.self_collision
    assert x.error.max() < 0.2 and x.com_error.max() < 0.02
