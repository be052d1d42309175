"""The check of mechanics: a world's own recording passes as far as float32 goes, a falling figure exactly, and errors
that are put in are found."""

from dataclasses import replace

import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.motion import Contact, Recording, Trajectory, consistency, generate, stand


@pytest.fixture(scope="module")
def still():
    model = bk.human()
    q = stand(model)
    com = bk.centre_of_mass(model, q)
    return generate(
        model,
        seconds=0.05,
        start=q,
        contacts=[Contact("left_sole"), Contact("right_sole")],
        trajectories=[Trajectory("com", lambda t: com)],
    )


def test_what_was_generated_is_consistent(still):
    found = consistency(still)
    assert found.base < 1e-12 and found.joints < 1e-12 and found.pull == 0.0 and found.cone == 0.0 and found.gap < 1e-9
    assert found.frames == 51 and set(found.as_dict()) >= {"base_force", "slip", "friction"}


def test_errors_that_are_put_in_are_found(still):
    def with_(**changed):
        return replace(still, frames=replace(still.frames, **changed))

    v = still.v.copy()
    v[20:, 2] += 1e-6  # a jump of 1e-6 m/s in 1 ms is an acceleration of 1e-3 m/s^2, 1e-4 of g
    assert consistency(with_(v=v)).base_force == pytest.approx(1e-3 / 9.80665, rel=1e-2)
    forces = still.frames.forces.copy()
    forces[7, 0] += 1e-3 * still.weight
    found = consistency(with_(forces=forces))
    assert found.base_force == pytest.approx(1e-3, rel=1e-6)
    forces = still.frames.forces.copy()
    forces[9] = [0.0, 0.0, -5.0]
    found = consistency(with_(forces=forces))
    assert found.pull == pytest.approx(5.0) and found.base_force > 1e-3
    torques = still.torques.copy()
    torques[3, 10] += 1.0
    assert consistency(with_(torques=torques)).joints == pytest.approx(1.0 / still.weight, rel=1e-6)
    forces = still.frames.forces.copy()
    forces[11, 0] = up = forces[11, 2]  # across as much as up, where 0.8 of it is allowed
    assert consistency(with_(forces=forces)).cone == pytest.approx(0.2 * up, rel=1e-6)


def test_a_world_passes_as_far_as_float32_goes(tmp_path):
    world = bk.World(dt=0.001)
    world.add_ground(friction=0.8)
    figure = world.add(bk.human(), at=(0, 0, 0.95))
    figure.servo(500.0, 30.0)
    with world.record(tmp_path / "w.bkr"):
        world.run(0.2)
    with Recording.open(tmp_path / "w.bkr") as r:
        found = consistency(r)
    assert found.base < 2e-3 and found.pull < 1e-3  # v to 6e-8 of 1 m/s over 1 ms, times masses and arms
    with world.record(tmp_path / "e.bkr", every=2):
        world.run(0.01)
    with Recording.open(tmp_path / "e.bkr") as r, pytest.raises(InputError, match="every step"):
        consistency(r)
