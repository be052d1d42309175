"""Scenes with a generated motion: figures and things move as the equation says, and the world does it by its torques."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.errors import BunrakuError
from bunraku.motion.consistency import consistency
from bunraku.motion.perform import Performer
from bunraku.scene import load

NAMES = ("hand-in-hand", "lift", "plank", "trapeze", "valve")


@pytest.fixture(scope="module")
def done():
    """(scene, recording of its run), each made once."""
    made = {}

    def run(name):
        if name not in made:
            scene = load(name)
            made[name] = scene, scene.run()
        return made[name]

    return run


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_world_does_it_by_its_torques(name, done):
    """The equation holds for every tree; servos carry less than 2 % of the torque; the world ends as the motion does."""
    scene, run = done(name)
    motion = scene.motion
    assert consistency(motion).base < 1e-9
    assert run.summary()["servo_share"] < 0.02 and run.unsolved == 0 and not run.broken
    far = np.abs(bk.difference(motion.model, motion.q[-1], run.world.q))
    assert far.max() < 0.06  # the valve, which no servo leads, lags by 3 degrees after two turns


@asserts("1988/arms/both")
@pytest.mark.slow
def test_lift(done):
    """The box stands on the high table; from grip to release its weight is the hands' alone."""
    scene, run = done("lift")
    box = run.world["box"]
    assert np.abs(box.q[:3] - [0.4, 0.17, 0.9]).max() < 5e-3 and np.abs(box.v).max() < 1e-3
    motion = scene.motion
    hands = -sum(motion.force_on(f"ann.{s}_lower_arm") for s in ("left", "right"))  # on the box
    free = (motion.times > 2.45) & (motion.times < 5.15)
    v = motion.v[:, motion.model.joint("box.root").v][:, :3]
    needed = 5.0 * (np.diff(v, axis=0, prepend=v[:1]) / motion.dt + [0, 0, 9.80665])
    assert np.abs(hands - needed)[free].max() < 5.0 * 2e-2  # the box's own frame turns a little: v is of its origin
    assert motion.admissible.all()


@pytest.mark.slow
def test_hand_in_hand(done):
    """She leans out so far that she would fall: her centre of mass is outside of her soles; the grip carries what the
    lever says."""
    scene, _ = done("hand-in-hand")
    motion = scene.motion
    k = round(3.1 / motion.dt)
    ann = scene.build()["ann"]
    com = bk.centre_of_mass(ann.model, motion.q[k][ann.part.q])
    edge = bk.kinematics(motion.model, motion.q[k]).pose("ann.left_sole")[0][1] + 0.06
    assert com[1] > edge + 0.02
    force = motion.force_on("ann.right_lower_arm")[k]
    assert np.linalg.norm(force) >= 116.0 - 1e-6 and -force[1] == pytest.approx(
        116.0, rel=0.1
    )  # axes turn with his hand


@pytest.mark.slow
def test_plank(done):
    """Both lift: each pair of hands carries half of the plank's weight, held still above its trestles."""
    scene, _ = done("plank")
    motion = scene.motion
    k = round(3.2 / motion.dt)
    for who in ("ann", "bob"):
        up = -sum(motion.force_on(f"{who}.{s}_lower_arm")[k - 50 : k + 50, 2].mean() for s in ("left", "right"))
        assert up == pytest.approx(0.5 * 20 * 9.80665, rel=0.15)
    assert motion.q[k, motion.model.joint("plank.root").iq + 2] == pytest.approx(1.05, abs=2e-3)


@asserts("1988/valve")
@pytest.mark.slow
def test_valve(done):
    """Two turns; hands do the work that the brake takes: 6 N m over 4 pi."""
    scene, run = done("valve")
    motion = scene.motion
    wheel = motion.model.joint("valve.wheel")
    assert run.world.q[wheel.iq] == pytest.approx(4 * np.pi, abs=0.08)
    assert motion.q[-1, wheel.iq] == pytest.approx(4 * np.pi, abs=0.01)
    taken = -float((motion.torques[1:, wheel.iv] * motion.v[1:, wheel.iv]).sum() * motion.dt)
    assert taken == pytest.approx(6.0 * 4 * np.pi, rel=0.1)
    assert sum(h.grip for h in motion.holds) == 12


@pytest.mark.slow
def test_trapeze(done):
    """In the flight nothing is touched and the centre of mass falls freely; the next bar is held at the end."""
    scene, run = done("trapeze")
    motion = scene.motion
    first, caught = round(motion.holds[0].end / motion.dt), round(motion.holds[-1].begin / motion.dt)
    assert caught - first > 100
    air = slice(first + 1, caught)
    assert np.abs(motion.ground_reaction[air]).max() == 0.0
    speed = motion.v[air]
    fall = [bk.centroidal(motion.model, q, v).com_velocity[2] for q, v in zip(motion.q[air], speed)]
    # to second order: arms turn by up to 13 rad/s, half a metre long
    assert np.allclose(np.diff(fall), -9.80665 * motion.dt, atol=0.5 * (13.0 * motion.dt) ** 2)
    hand = run.world["ann"].pose("left_hand")[0]
    bar = next(t for t in scene.tables["fixed"] if t["name"] == "next bar")["position"]
    assert np.linalg.norm((hand - bar)[[0, 2]]) < 0.01


BOX = """
[world]
seconds = 0.2
dt = 0.002
[[ground]]
[[figure]]
model = "box"
name = "low"
size = [0.3, 0.3, 0.2]
mass = 3
at = [0, 0, 0.1]
[[figure]]
model = "box"
name = "high"
size = [0.2, 0.2, 0.2]
at = [0, 0, 0.3]
"""
MOTION = BOX + "\n[motion]\n[[contact]]\nframe = 'low'\non = 'ground'\n[[contact]]\nframe = 'high'\non = 'low'\n"


def scene_of(tmp_path, text):
    path = tmp_path / "boxes.toml"
    path.write_text(text, encoding="utf-8")
    return load(path)


def test_a_saved_world_goes_on(tmp_path):
    """With grips and counts of the servos' share."""
    scene = load("trapeze").changed(seconds=0.05)
    world = scene.build()
    world.run(seconds=0.02)
    world.save(tmp_path / "w.npz")
    again = scene.resume(tmp_path / "w.npz")
    world.run(seconds=0.02)
    again.run(seconds=0.02)
    assert np.array_equal(world.q, again.q) and np.array_equal(world.v, again.v)
    shares = [next(c for c in w._controllers if isinstance(c, Performer)).share for w in (world, again)]
    assert shares[0] == shares[1] > 0.0


def test_boxes_stand_on_each_other(tmp_path):
    scene = scene_of(tmp_path, MOTION)
    motion = scene.motion
    assert motion.admissible.all() and np.allclose(motion.force_on("high.high")[1:, 2], 9.80665)
    assert scene.run().servo_share == 0.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (MOTION.replace("on = 'low'", "on = 'lo'"), "on = 'lo': the scene has no such link or frame"),
        (MOTION.replace("frame = 'high'", "frame = 'hig'"), "frame = 'hig': the scene has no such"),
        (MOTION.replace("on = 'low'", "on = 'low'\nmost = 'much'"), "most: 'much' should be"),
        (MOTION.replace("[motion]", "[motion]\nspeed = 3"), "no key 'speed'"),
        (MOTION.replace("[motion]", "[motion]\nservos = ['ann']"), "no figure 'ann'"),
        (BOX + "[[contact]]\nframe = 'low'\n", r"write \[motion\], too"),
        (MOTION + "[[connection]]\na = 'low'\n", r"cannot be in a scene with a \[motion\]"),
        (MOTION + "[[trajectory]]\nof = 'high.com'\nat = [0, 0]\n", "should be 3 numbers"),
        (MOTION + "[[trajectory]]\nof = 'hig.com'\nat = [0, 0, 0]\n", "of = 'hig.com': the scene has no such"),
        (MOTION + "[[known]]\ntorque = 'high.hinge'\nvalue = 1\n", "no such joint"),
        (BOX.replace("at = [0, 0, 0.3]", "at = [0, 0, 0.3]\nlower = 0.1"), "lower has no effect"),
        (BOX.replace("at = [0, 0, 0.3]", "stand = true"), "box"),
    ],
)
def test_mistakes(tmp_path, text, words):
    with pytest.raises(BunrakuError, match=words):
        scene_of(tmp_path, text).build()
