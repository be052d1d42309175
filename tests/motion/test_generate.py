"""Motion generation: contacts do not drift, requests are met, what must not be is flagged, mistakes are told."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.errors import InputError, UnknownName
from bunraku.motion import Contact, Trajectory, consistency, generate, stand, waypoints


@pytest.fixture(scope="module")
def human():
    return bk.human()


@pytest.fixture(scope="module")
def start(human):
    return stand(human)


FEET = [Contact("left_sole"), Contact("right_sole")]


@asserts("2000/eq-22", "2000/eq-23", "2000/eq-23-soles", "2000/n-p")
def test_feet_stay_and_the_hand_goes_where_it_is_asked(human, start):
    com, hand = bk.centre_of_mass(human, start), bk.kinematics(human, start).pose("right_hand")[0]
    there = hand + np.array([0.2, 0.0, 0.2])
    m = generate(human, seconds=0.6, dt=0.002, start=start, contacts=FEET,
                 trajectories=[Trajectory("right_hand", waypoints([(0.0, hand), (0.5, there)])), Trajectory("com", lambda t: com)])  # fmt: skip
    kin = bk.kinematics(human, m.q)
    assert np.linalg.norm(kin.pose("right_hand")[0][-1] - there) < 1e-3
    for name in ("left_sole", "right_sole"):
        p, R = kin.pose(name)
        assert np.abs(p - p[0]).max() < 1e-5 and np.abs(R - R[0]).max() < 1e-4
    assert np.abs(m.com - com).max() < 1e-4 and m.meta["given"] == 6 and m.meta["N_J"] == 28
    assert consistency(m).base < 1e-12 and not m.flags["unmet"].any()


def test_a_fall_without_contacts_is_free(human):
    m = generate(human, seconds=0.2, dt=0.001, posture=(0.0, 0.0))
    t = m.times[-1]
    # semi-implicit Euler falls g t (t + dt) / 2
    assert (
        m.com[0, 2] - m.com[-1, 2] == pytest.approx(9.80665 * t * (t + 0.001) / 2, rel=1e-9)
        and np.abs(m.torques).max() < 1e-12
    )


@asserts("2000/inadmissible")
def test_pulling_and_leaving_the_sole_are_flagged(human, start):
    com = bk.centre_of_mass(human, start)
    # falling faster than g: 10 s^3 … over 0.2 s and 0.3 m asks for up to 5.77 * 0.3 / 0.04 = 43 m/s^2 downwards
    down = generate(
        human,
        seconds=0.2,
        dt=0.002,
        start=start,
        contacts=FEET,
        trajectories=[Trajectory("com", waypoints([(0, com), (0.2, com - [0, 0, 0.3])]))],
    )
    assert down.flags["pull"].any() and not down.admissible.all() and consistency(down).pull > 100
    out = generate(
        human,
        seconds=0.4,
        dt=0.002,
        start=start,
        contacts=FEET,
        trajectories=[Trajectory("com", waypoints([(0, com), (0.4, com + np.array([0.15, 0, 0]))]))],
    )
    assert out.flags["sole"].any() or out.flags["pull"].any()
    assert consistency(out).base < 1e-12  # inadmissible, yet it obeys the equation


@asserts("2000/eq-23-known")
def test_given_accelerations_torques_and_forces(human, start):
    W = human.mass * 9.80665
    six = [np.nan, np.nan, 0.3 * W, np.nan, np.nan, np.nan]
    known = {
        "acceleration": {"left_elbow": lambda t: 2.0},
        "torque": {"neck": [0.0, np.nan, 0.0]},
        "force": {"left_sole": six},
    }
    m = generate(human, seconds=0.1, dt=0.002, start=start, contacts=FEET, known=known)
    assert np.allclose(m.a[1:, human.joint("left_elbow").v], 2.0, atol=1e-6)
    assert np.abs(m.torques[1:, human.joint("neck").v][:, [0, 2]]).max() < 1e-6
    assert np.allclose(m.force_on("left_foot")[1:, 2], 0.3 * W, rtol=1e-4)


def test_a_joint_follows_its_path_and_a_fixed_base_needs_no_contact():
    arm = bk.Description(name="arm")
    arm.add("upper", None, bk.hinge("shoulder", (0, 1, 0)), mass=2.0, com=(0, 0, -0.2), moments=(0.02, 0.02, 0.01))
    arm.add(
        "lower",
        "upper",
        bk.hinge("elbow", (0, 1, 0)),
        at=(0, 0, -0.4),
        mass=1.0,
        com=(0, 0, -0.2),
        moments=(0.02, 0.02, 0.01),
    )
    model = arm.build()
    m = generate(model, seconds=0.5, dt=0.001, trajectories=[Trajectory("shoulder", lambda t: 0.5 * np.sin(4 * t))], known={"torque": {"elbow": 0.0}},
                 start=(np.zeros(2), np.array([2.0, 0.0])))  # fmt: skip
    assert np.abs(m.q[:, 0] - 0.5 * np.sin(4 * m.times)).max() < 2e-3 and np.abs(m.torques[:, 1]).max() < 1e-9
    back = bk.aba(model, m.q[100], m.v[100], m.torques[101])
    assert np.allclose(back, m.a[101], atol=1e-8)


def test_mistakes(human, start):
    few = {"seconds": 0.01, "start": start}
    for error, words, more in (
        (InputError, "no motion", {"seconds": 0.0}),
        (InputError, "start needs", {"start": np.zeros(3)}),
        (UnknownName, "left_hnd", {"trajectories": [Trajectory("left_hnd", lambda t: np.zeros(3))]}),
        (UnknownName, "speed", {"known": {"speed": {}}}),
        (UnknownName, "left_kne", {"known": {"torque": {"left_kne": 0.0}}}),
        (UnknownName, "no contact holds", {"known": {"force": {"left_sole": np.zeros(6)}}}),
        (InputError, "free base has no torque", {"known": {"torque": {"root": 0.0}}}),
        (InputError, "weight", {"weights": {"force": -1.0}}),
        (InputError, "instead of 3", {"trajectories": [Trajectory("left_hand", lambda t: np.zeros(2))]}),
    ):
        with pytest.raises(error, match=words):
            generate(human, **{**few, **more})
    for words, make in (
        ("axes", lambda: Contact("a", "x w")),
        ("before it begins", lambda: Contact("a", begin=2.0, end=1.0)),
        ("give a position", lambda: Trajectory("a")),
    ):
        with pytest.raises(InputError, match=words):
            make()
