"""A generated motion in the world: by torques alone, with PD, with the other contact models."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.motion import Contact, Trajectory, generate, replay, stand, waypoints


@pytest.fixture(scope="module")
def squat():
    model = bk.human()
    q = stand(model)
    com = bk.centre_of_mass(model, q)
    path = waypoints([(0.0, com), (0.45, com - [0, 0, 0.06]), (0.9, com)])
    return generate(model, seconds=1.0, start=q, contacts=[Contact("left_sole"), Contact("right_sole")],
                    trajectories=[Trajectory("com", path), Trajectory("trunk", rotation=lambda t: np.eye(3))])  # fmt: skip


@asserts("2000/no-second-run", "2000/admissible")
def test_torques_alone_and_with_pd(squat):
    assert np.all(squat.admissible)
    alone = replay(squat, seconds=0.4)
    assert alone.within(0.4) < 1e-3 and alone.share == 0.0 and len(alone.q) == 401
    led = replay(squat, stiffness=500.0, damping=30.0)
    assert led.error.max() < 1e-4 and led.base.max() < 1e-4 and led.share < 1e-3


@pytest.mark.parametrize("contact", ["virtual_link", "penalty"])
def test_other_contact_models_with_pd(squat, contact):
    led = replay(squat, stiffness=500.0, damping=30.0, contact=contact)
    assert led.error.max() < 5e-3 and led.share < 0.03
