"""Many sensors read at once: what each of them reads alone, with the same noise; and controllers that act every few
steps."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.world import World
from bunraku.world.readings import Readings

TURN = (np.cos(0.2), 0.0, np.sin(0.2), 0.0)


def instrumented(**options):
    """A figure behind a falling box, with sensors of all kinds that can be read at once, on uneven feet and pushed."""
    world = World(seed=5)
    world.add_ground()
    world.add(bk.box((0.1, 0.1, 0.1), 3.0), at=(0, 0, 2.2))  # bodies, q and v of the figure do not begin at 0
    human = world.add(bk.human(), at=(0, 0, 0.901), rotation=TURN)
    human.servo(2000.0, 50.0)
    sensors = [
        world.add_sensor("imu", at=human["trunk"], offset=(0.1, 0.0, 0.2), rotation=TURN, **options.get("imu", {})),
        world.add_sensor("encoders", at=human, joints=("left_knee", "right_hip"), **options.get("encoders", {})),
        world.add_sensor("force_torque", at=human["left_foot"], offset=(0.05, 0, -0.07), **options.get("foot", {})),
        world.add_sensor("force_torque", at=human["right_foot"], rotation=TURN, **options.get("foot", {})),
    ]
    return world, human, sensors


def one_by_one(sensors):
    """The same numbers, each sensor read alone."""
    imu, coders, left, right = sensors
    parts = [imu.read("gyro", "orientation"), coders.read(), left.read(), right.read()]
    return np.concatenate([x for part in parts for x in part.values()])


def test_readings_are_those_of_the_sensors():
    """Before the first step, standing, pushed, tied to the world, and after another thing came in."""
    world, human, sensors = instrumented()
    readings = Readings(world, sensors)
    assert np.allclose(readings.read(), one_by_one(sensors), atol=1e-12)
    assert not readings.values[readings.parts[2]["force"]].any()  # no step yet
    world.step(150)
    world.connect(human["left_lower_arm"], axes="x y z")
    world.push(human["trunk"], (60.0, 30.0, 0.0), 0.1)
    for _ in range(20):
        world.step(3)
        assert np.allclose(readings.read(), one_by_one(sensors), rtol=1e-10, atol=1e-9)
    assert abs(readings.values[readings.parts[2]["force"]]).max() > 10.0
    world.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(3, 0, 0.1))
    world.step(2)
    assert np.allclose(readings.read(), one_by_one(sensors), rtol=1e-10, atol=1e-9)


def test_readings_draw_the_same_noise():
    """Two worlds of one seed: one is read at once, the other sensor by sensor."""
    options = {
        "imu": {"noise": {"gyro": 0.1, "orientation": 0.02}, "bias": {"orientation": (0.0, 0.01, 0.0)}},
        "encoders": {"noise": {"velocity": 0.2}, "bias": {"velocity": 0.1}},
        "foot": {"noise": 5.0},
    }
    (a, _, at_once), (b, _, alone) = instrumented(**options), instrumented(**options)
    readings = Readings(a, at_once)
    for _ in range(5):
        a.step(2)
        b.step(2)
        assert np.allclose(readings.read(), one_by_one(alone), rtol=1e-10, atol=1e-9)
        assert np.array_equal(readings.read(), readings.read())  # one draw a step


def test_other_sensors_are_refused():
    """One sentence."""
    world, human, _ = instrumented()
    sole = world.add_sensor("sole", at=human["left_foot"])
    with pytest.raises(InputError, match="SoleForce is not read this way"):
        Readings(world, [sole])


class EveryFive:
    """A controller that says how often it acts."""

    every = 5

    def __init__(self):
        self.steps = []

    def __call__(self, world):
        """Note the number of the step."""
        self.steps.append(round(world.time / world.dt))


def test_a_controller_is_called_where_it_wants_to_be():
    """Steps 0, 5, 10 … whatever pieces are stepped; besides those only where a piece begins; one without `every` before
    each step."""
    world, _, _ = instrumented()
    slow, quick = EveryFive(), []
    world.add_controller(slow)
    for n in (3, 4, 20):
        world.step(n)
    assert {s for s in slow.steps if s % 5 == 0} == {0, 5, 10, 15, 20, 25}
    assert slow.steps == [0, 3, 5, 7, 10, 15, 20, 25]
    world.add_controller(lambda w: quick.append(round(w.time / w.dt)))
    world.step(4)
    assert quick == [27, 28, 29, 30]
