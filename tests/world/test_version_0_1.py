"""Files of version 0.1 are read, and go on as they did: a saved world and a recording of an arm that a spring ties to a
sliding box."""

from pathlib import Path

import numpy as np
import pytest

import bunraku as bk
from bunraku.recording.reader import Recording

DATA = Path(__file__).parents[1] / "data"
# of version 0.1, 150 steps after the file was written
Q = [-0.39045959562033755, 0.28930825679008726, 0.31762146528564306, 0.02792221512649241, 0.029999999999999992]
TURN = [1.0, 0.0, 0.0, -6.6069302519372604e-09]
V = [0.021075098982369103, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
GYRO = [0.020409191213851825, -0.004481551331117505, 0.004180988467257789]
FORCE = [0.012999020516872406, 0.001142740249633789, 9.783322215080261]  # N of the ground on the box


def test_a_saved_world_goes_on():
    """Servo, spring, soft connection, push, friction, contact memory and the noise of a sensor were on their way."""
    world = bk.World.load(DATA / "world-0.1.npz")
    assert world.time == pytest.approx(0.2) and [f.name for f in world.figures] == ["arm", "box"]
    assert [c.active for c in world.connections.values()] == [True, True] and len(world.sensors) == 1
    assert len(world.contacts) == 1 and world.contacts[0].state == "surface"
    world.step(150)
    # other products are fused than in version 0.1; contact velocities are met to 1e-6 m/s, here to 1e-10
    assert np.allclose(world.q, [*Q, *TURN], rtol=0, atol=1e-9) and np.allclose(world.v, V, rtol=0, atol=1e-9)
    assert np.allclose(world.sensors[0].read("gyro")["gyro"], GYRO, rtol=0, atol=1e-9)


def test_a_recording_is_read():
    """What followed in the file: 16 frames, the last one the state that the saved world came to."""
    with Recording.open(DATA / "recording-0.1.bkr") as recording:
        assert len(recording) == 16 and recording.times[-1] == pytest.approx(0.5)
        assert np.allclose(recording.q[-1], [*Q, *TURN], rtol=0, atol=1e-6)
        assert recording.frames.patch_count.tolist() == [1] * 16
        assert np.allclose(recording.frames.force[-1], FORCE, rtol=0, atol=1e-6)


CYLINDERS = [0.08605216070812488, 0.5000000000002515, -0.00045024508780455475, 0.5000000000239094, 0.013258359283769955]


def test_a_saved_world_of_cylinders_goes_on():
    """A cylinder that slides, and one that slid and rests on a box: where version 0.1, which found their contacts another
    way, had them 60 steps later. Warm starts are found: features have the numbers they had."""
    world = bk.World.load(DATA / "cylinders-0.1.npz")
    assert len(world.contacts) == 3 and world.report.contacts == 8 + 4 + 8
    world.step(60)
    assert np.allclose(world.q[[0, 7, 8, 14, 15]], CYLINDERS, rtol=0, atol=1e-8)
    assert world.v[0] == pytest.approx(0.5685074001463943, abs=1e-7) and np.abs(world.v[6:]).max() < 1e-7
