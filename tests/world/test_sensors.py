"""Sensors against closed forms; loads of the last step against the torques that were applied; noise and snapshots."""

import json

import numpy as np
import pytest

import bunraku as bk
from bunraku.world import World
from bunraku.world.readings import Readings
from bunraku.world.saving import opened, sealed
from turns import matrix

G = 9.80665


def upright():
    """A figure that servos hold up."""
    world = World(seed=3)
    world.add_ground()
    world.add(bk.human(), at=(0, 0, 0.901)).servo(3000.0, 60.0)
    return world


def arm(axis, com, mass=2.0, moments=(0.01, 0.01, 0.01), **options):
    """One link on a hinge at the world's origin."""
    fig = bk.Description("arm")
    fig.add("arm", None, bk.hinge("pivot", axis, **options), mass=mass, com=com, moments=moments)
    return fig.build()


def test_imu_at_rest_reads_g_upwards_and_in_free_fall_nothing():
    """f = R' (a - g)."""
    turn = (np.cos(0.3), np.sin(0.3), 0, 0)  # lying on its side by 0.6 rad, held by a connection
    world = World(dt=0.001)
    held = world.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(0, 0, 1), rotation=turn, name="held")
    falls = world.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(2, 0, 1), name="falls")
    world.connect(held, axes="x y z rx ry rz")
    rest, fall = world.add_sensor("imu", at=held["box"], offset=(0.02, 0, 0.03)), world.add_sensor("imu", at=falls)
    falls.v[3:] = 0.0, 0.0, 3.0
    world.step(5)
    up = held.pose("box")[1].T @ [0, 0, G]
    assert np.allclose(rest.acceleration, up, atol=1e-8) and np.allclose(rest.gyro, 0, atol=1e-9)
    assert np.allclose(rest.orientation, turn, atol=1e-9)
    assert np.allclose(fall.acceleration, 0, atol=1e-10) and np.allclose(fall.gyro, [0, 0, 3.0])


def test_imu_on_a_turntable():
    """At radius r: -w^2 r inwards, r w' along the path, g upwards; w' = tau / I."""
    world = World(dt=0.001)
    table = world.add(arm((0, 0, 1), (0, 0, 0)))
    imu = world.add_sensor("imu", at=table, offset=(0.5, 0, 0), rotation=(np.cos(np.pi / 4), 0, 0, np.sin(np.pi / 4)))
    world.push(table["arm"], force=(0, 0, 0), torque=(0, 0, 0.02), seconds=1.0)
    table.v[0] = 4.0
    for _ in range(3):
        w = table.v[0]
        world.step()
        # the sensor is turned by 90 degrees: its x is the path, its y points inwards
        assert np.allclose(imu.acceleration, [0.5 * 0.02 / 0.01, w * w * 0.5, G], atol=1e-9)
        assert np.allclose(imu.gyro, [0, 0, table.v[0]])


@pytest.mark.parametrize(("angle", "w"), [(0.0, 0.0), (0.0, 3.0), (0.7, -2.0), (2.5, 1.0)])
def test_force_in_the_pivot_of_a_pendulum(angle, w):
    """Along the rod m (g cos + w^2 l), across it m (g sin - l g sin m l / I), I = I0 + m l^2; at the bottom m (g + w^2
    l)."""
    m, l, i0 = 2.0, 0.4, 0.01
    world = World(dt=0.001)
    rod = world.add(arm((0, 1, 0), (0, 0, -l), m))
    pivot = world.add_sensor("force_torque", at=rod["arm"])
    rod.q[0], rod.v[0] = angle, w
    world.step()
    # R = Ry(angle): the rod points to (-sin, 0, -cos); its own z is along it, upwards
    alpha = -m * G * l * np.sin(angle) / (i0 + m * l * l)
    along, across = m * (G * np.cos(angle) + w * w * l), m * (-G * np.sin(angle) - alpha * l)
    assert np.allclose(pivot.force, [across, 0, along], atol=1e-10)
    assert np.allclose(pivot.torque, 0, atol=1e-10)  # a frictionless hinge, and nothing out of the plane
    if angle == 0:
        assert pivot.force[2] == pytest.approx(m * (G + w * w * l))


def test_a_limit_loads_the_pivot():
    """A gate at rest on its limit: the hinge carries m g and the limit's torque m g l about the axis."""
    world = World(dt=0.001)
    gate = world.add(arm((0, 1, 0), (0.5, 0, 0), mass=1.0, lower=-0.3, upper=0.0))
    load = world.add_sensor("force_torque", at=gate)
    world.run(0.05)
    assert np.allclose(load.force, [0, 0, G], atol=1e-6) and np.allclose(load.torque, [0, -0.5 * G, 0], atol=1e-6)


def standing():
    """The human figure, held by PD torques, on the ground, one hand tied to the world."""
    m = bk.human()
    world = World(dt=0.001)
    world.add_ground(friction=0.8)
    fig = world.add(m, at=(0, 0, 0.901))
    q0 = fig.q.copy()

    def hold(w):
        fig.tau[6:] = 3000 * bk.difference(m, fig.q, q0)[6:] - 60 * fig.v[6:]

    world.add_controller(hold)
    return world, fig


def test_ankles_carry_the_weight_above():
    """At rest the shanks put (M - 2 m_foot) g on the feet.

    At any time, for each foot: ankle + sole = m f, f the specific force at its com.
    """
    world, fig = standing()
    feet = [fig["left_foot"], fig["right_foot"]]
    bodies = [fig.model.body(f.name) for f in feet]
    mass = fig.model.reals[bodies, 12]
    coms = fig.model.reals[bodies, 13:16] / mass[:, None]
    ankles = [world.add_sensor("force_torque", at=f) for f in feet]
    soles = [world.add_sensor("sole", at=f) for f in feet]
    imus = [world.add_sensor("imu", at=f, offset=c) for f, c in zip(feet, coms)]
    for _ in range(30):
        world.step(20)
        for a, s, i, m in zip(ankles, soles, imus, mass):
            assert np.allclose(a.force + s.force, m * i.acceleration, atol=1e-8 * 69 * G)
    weight = (69 - mass.sum()) * G
    assert -sum(a.force[2] for a in ankles) == pytest.approx(weight, rel=1e-5)
    for s, foot in zip(soles, feet):
        c = next(c for c in fig.contacts if c.bodies[0][1] == foot.name)
        p, R = fig.pose(foot.name)
        assert np.allclose(p + R @ s.cop, c.cop, atol=1e-5)  # the pose has moved on by one step
        assert np.linalg.norm(s.force) == pytest.approx(np.linalg.norm(c.force))


def test_loads_give_back_the_torques_that_were_applied():
    """rnea(q, v, (v+ - v)/dt, all forces) = tau to rounding: contacts, connections, a push; the free base carries
    nothing."""
    rng = np.random.default_rng(1)
    world = World(dt=0.001)
    world.add_ground(friction=0.8)
    fig = world.add(bk.human(), at=(0, 0, 0.901))
    ball = world.add(bk.sphere(0.1, 5.0), at=fig.pose("right_hand")[0] - [0, 0.15, 0], name="ball")
    world.connect(fig["left_hand"], axes="x y z ry")
    world.connect(fig["right_hand"], ball, axes="x y z")
    world.push(fig["trunk"], force=(80, 30, -10), torque=(1, 2, 3), seconds=0.2)
    fig.v[:], fig.tau[6:] = 0.3 * rng.normal(size=fig.model.nv), rng.normal(size=fig.model.nv - 6)
    free = np.isinf(world.model.lower)  # elbows and knees may be at a limit, which adds its own torque
    touched = 0
    for _ in range(100):
        world.step()
        loads = world._last.loads(world)
        assert np.abs(loads.tau - world.applied)[free].max() < 1e-11 * np.abs(loads.wrench).max()
        touched += len(world.contacts) > 0
    assert touched > 50


@pytest.mark.parametrize("w", [0.0, 3.0])
def test_torque_at_a_force_sensor_beside_the_pivot(w):
    """The pivot of a frictionless pendulum carries f and no moment; at x = P + S r, of a frame at P with axes S in the
    rod, the same load is (f, -x x f), in the sensor's axes: read alone, and by the kernel of many readings."""
    m, l, i0, angle = 2.0, 0.4, 0.01, 0.7
    frame, shift, turn = np.array([0.1, -0.2, 0.3]), np.array([0.05, 0.07, -0.11]), (0.6, -0.3, 0.5, 0.1)
    S, T = (matrix(x) for x in ((0.5, 0.5, -0.5, 0.5), turn))
    fig = bk.Description("arm")
    fig.add("arm", None, bk.hinge("pivot", (0, 1, 0)), mass=m, com=(0, 0, -l), moments=(i0, i0, i0))
    fig.frame("plate", "arm", frame, S)
    world = World(dt=0.001)
    rod = world.add(fig.build())
    sensor = world.add_sensor("force_torque", at="arm.plate", offset=shift, rotation=turn)
    many = Readings(world, [sensor])
    rod.q[0], rod.v[0] = angle, w
    world.step()
    alpha = -m * G * l * np.sin(angle) / (i0 + m * l * l)
    f = np.array([m * (-G * np.sin(angle) - alpha * l), 0.0, m * (G * np.cos(angle) + w * w * l)])  # in the rod's axes
    axes = S @ T
    assert np.allclose(sensor.force, axes.T @ f, atol=1e-9)
    assert np.allclose(sensor.torque, axes.T @ -np.cross(frame + S @ shift, f), atol=1e-9)
    assert np.allclose(many.read(), [*sensor.force, *sensor.torque], atol=1e-12)


def test_torque_of_a_sole_about_a_point_beside_it():
    """A box at rest: its weight comes back at the middle of its lower face; about a sensor at r it turns with
    (c - r) x m g, and the centre of pressure is c - r, in the sensor's axes."""
    world = World(dt=0.001)
    world.add_ground()
    box = world.add(bk.box((0.2, 0.3, 0.1), 2.0), at=(0.4, -0.1, 0.05))
    r, turn = np.array([0.03, 0.08, 0.02]), (0.8, 0.0, 0.6, 0.0)
    sole = world.add_sensor("sole", at=box["box"], offset=r, rotation=turn)
    world.step(200)
    up, arm, axes = np.array([0, 0, 2.0 * G]), np.array([0, 0, -0.05]) - r, matrix(turn)
    assert np.allclose(sole.force, axes.T @ up, atol=1e-4) and np.allclose(sole.cop, axes.T @ arm, atol=1e-5)
    assert np.allclose(sole.torque, axes.T @ np.cross(arm, up), atol=1e-4)


def test_joint_sensor():
    world = World(dt=0.001)
    rod = world.add(arm((0, 1, 0), (0, 0, -0.4)))
    by_name, by_link = world.add_sensor("joint", at="arm.pivot"), world.add_sensor("joint", at=rod["arm"])
    rod.tau[0] = 1.5
    world.step()
    rod.tau[0] = 7.0  # for the next step
    for s in (by_name, by_link):
        got = s.read()
        assert got["position"] == rod.q and got["velocity"] == rod.v and got["torque"] == 1.5


def test_noise_has_its_spread_and_bias_and_is_drawn_once_a_step():
    """Of n = 2000 draws the mean is within 4 s / sqrt(n), the standard deviation within 4 s / sqrt(2 n)."""
    world = World(dt=0.001, seed=3)
    box = world.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(0, 0, 1))
    imu = world.add_sensor("imu", at=box, noise={"acceleration": 0.2, "orientation": 0.01}, bias={"gyro": (0, 0, 0.1)})
    rows, turns = [], []
    for _ in range(2000):
        world.step()
        rows.append(imu.acceleration)
        turns.append(imu.orientation)
        assert np.array_equal(rows[-1], imu.acceleration)
    rows, n = np.array(rows), 2000
    assert np.abs(rows.mean(0)).max() < 4 * 0.2 / np.sqrt(n)
    assert np.abs(rows.std(0) - 0.2).max() < 4 * 0.2 / np.sqrt(2 * n)
    angles = 2 * np.arccos(np.clip(np.array(turns)[:, 0], -1, 1))
    assert np.sqrt((angles**2).mean()) == pytest.approx(0.01 * np.sqrt(3), rel=0.1)
    assert np.allclose(imu.gyro, [0, 0, 0.1]) and np.allclose(imu.exact()["acceleration"], 0, atol=1e-9)


def test_snapshot_keeps_chance_and_readings():
    world = World(dt=0.001, seed=5)
    world.add_ground()
    box = world.add(bk.box((0.2, 0.2, 0.1), 2.0), at=(0, 0, 0.05))
    rod = world.add(arm((0, 1, 0), (0, 0, -0.4)))
    rod.q[0] = 0.5
    imu, load = world.add_sensor("imu", at=box, noise=0.1), world.add_sensor("force_torque", at=rod)
    world.step(10)
    snap, force, cop = world.snapshot(), load.force, box.contacts[0].cop
    world.step(20)
    first = [imu.acceleration, imu.gyro]
    box.q[2] += 1.0
    world.step(20)
    world.restore(snap)
    assert np.array_equal(load.force, force) and np.array_equal(box.contacts[0].cop, cop)
    world.step(20)
    assert all(np.array_equal(x, y) for x, y in zip(first, [imu.acceleration, imu.gyro]))


def test_a_saved_world_keeps_chance_and_readings(tmp_path):
    world = World(dt=0.001, seed=5)
    world.add_ground()
    box = world.add(bk.box((0.2, 0.2, 0.1), 2.0), at=(0, 0, 0.05))
    world.push(box["box"], force=(3, 0, 0), seconds=0.005)
    world.step(10)
    world.rng.normal(size=3)
    other = World.load(world.save(tmp_path / "world.npz"))
    twin = other["box"]
    assert np.array_equal(twin.zmp, box.zmp) and np.array_equal(twin.contacts[0].slip, box.contacts[0].slip)
    imus = [w.add_sensor("imu", at=f, noise=0.1) for w, f in ((world, box), (other, twin))]
    assert np.array_equal(imus[0].acceleration, imus[1].acceleration)


@pytest.mark.parametrize("read_before", [False, True])
def test_a_saved_world_has_its_sensors(tmp_path, read_before):
    """Every kind, with noise and bias, mounted askew: the same readings in the step of the save and in those after,
    read before the save or not."""
    world = upright()
    fig = world["human"]
    turned = (np.cos(0.4), 0.0, np.sin(0.4), 0.0)
    world.add_sensor(
        "imu", at=fig["trunk"], offset=(0.1, 0, 0.2), rotation=turned, noise={"acceleration": 0.05, "orientation": 0.01}
    )
    world.add_sensor("joint", at="human.left_knee", noise=0.02, bias={"velocity": 0.5})
    world.add_sensor("force_torque", at=fig["left_foot"], noise={"force": [1.0, 2.0, 3.0]})
    world.add_sensor("sole", at=fig["right_foot"], offset=(0, 0, -0.05), bias={"torque": [0.1, 0.2, 0.3]})
    world.step(20)

    def readings(w):
        out = []
        for _ in range(3):
            out += [x for s in w.sensors for x in s.read().values()]
            w.step(5)
        return out

    if read_before:
        world.sensors[0].read(), world.sensors[2].read()
    snap, path = world.snapshot(), world.save(tmp_path / "world.npz")
    first = readings(world)
    other = World.load(path)
    assert [(type(s), s.figure.name, s.place) for s in other.sensors] == [
        (type(s), s.figure.name, s.place) for s in world.sensors
    ]
    world.restore(snap)
    for again in (readings(other), readings(world)):
        assert all(np.array_equal(x, y) for x, y in zip(first, again, strict=True))


def test_forged_sensors_are_refused(tmp_path):
    world = upright()
    world.add_sensor("imu", at=world["human"]["trunk"], noise=0.1)
    world.sensors[0].read()
    path = world.save(tmp_path / "world.npz")
    members = opened(path)
    for change in (
        {"kind": "camera"}, {"figure": "nobody"}, {"place": "tail"}, {"options": {"noise": -1.0}}, {"options": {"colour": 1}},
        {"options": {"offset": [0, 0]}}, {"drawn": {"smell": [0.0]}}, {"drawn": {"gyro": "x"}}, {"drawn": 5},
    ):  # fmt: skip
        text = json.loads(members["structure"].tobytes())
        text["sensors"][0].update(change)
        path.write_bytes(sealed({**members, "structure": np.frombuffer(json.dumps(text).encode(), np.uint8)}))
        with pytest.raises(bk.InputError):
            World.load(path)


def test_a_failed_step_leaves_nothing_to_read():
    world = World(dt=0.001)
    world.add_ground()
    box = world.add(bk.box((0.2, 0.2, 0.1), 2.0), at=(0, 0, 0.05))
    imu = world.add_sensor("imu", at=box)
    world.step(10)
    box.v[0] = 1e6
    with pytest.raises(bk.StepDiverged):
        world.step()
    assert world.contacts == [] and box.zmp is None and not imu.acceleration.any()
    box.v[0] = 0.0
    world.step(2)
    assert imu.acceleration[2] == pytest.approx(G, rel=1e-5) and box.zmp is not None


def test_many_steps_at_once_read_like_single_ones():
    seen = []
    for chunks in ([25], [1] * 25, [7, 18]):
        world = World(dt=0.001)
        world.add_ground(friction=0.4)
        box = world.add(bk.box((0.2, 0.3, 0.1), 2.0), at=(0, 0, 0.06), rotation=(1, 0.1, 0.05, 0))
        box.v[0] = 1.0
        imu = world.add_sensor("imu", at=box)
        for n in chunks:
            world.step(n)
        seen.append((box.q.tobytes(), box.ground_reaction.tobytes(), imu.acceleration.tobytes()))
    assert seen[0] == seen[1] == seen[2]


def test_before_the_first_step_forces_are_zero():
    world = World()
    box = world.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(0, 0, 1))
    kinds = [world.add_sensor(k, at=box) for k in ("imu", "force_torque", "sole")]
    assert not any(s.read()[s.channels[0]].any() for s in kinds) and np.isnan(kinds[2].cop).all()
    assert world.sensors == kinds


@pytest.mark.parametrize(
    ("kind", "at", "options", "words"),
    [
        ("gyroscope", "arm.arm", {}, "no kind 'gyroscope'"),
        ("imu", "leg.arm", {}, "does not begin with a figure's name"),
        ("imu", "arm.leg", {}, "no link or frame 'leg'"),
        ("joint", "arm.arm", {}, "no joint 'arm'"),
        ("imu", "arm.arm", {"offset": (0, np.nan, 0)}, "three finite numbers"),
        ("imu", "arm.arm", {"noise": -1.0}, "0 or more"),
        ("imu", "arm.arm", {"noise": "much"}, "must be numbers"),
        ("imu", "arm.arm", {"bias": {"accel": 1.0}}, "channel 'accel'"),
        ("imu", "arm.arm", {"place": 1.0}, "no option 'place'"),
        ("joint", "box.root", {"noise": 0.1}, "takes no noise"),
        ("force_torque", "arm.base", {}, "fixed to the world"),
    ],
)
def test_mistakes_get_a_sentence(kind, at, options, words):
    fig = bk.Description("arm")
    fig.add("base")
    fig.add("arm", "base", bk.hinge("pivot"), mass=1.0, moments=(1, 1, 1))
    world = World()
    world.add(fig.build())
    world.add(bk.box((0.1, 0.1, 0.1)))
    with pytest.raises(bk.BunrakuError, match=words):
        world.add_sensor(kind, at=at, **options)


def test_encoders_read_joints_together_and_controllers_read_every_step():
    """The same numbers as one sensor a joint; inside step(n) a controller sees the load of the step before, not of n
    steps before."""
    one, many = upright(), upright()
    fig = many["human"]
    coders = many.add_sensor("encoders", at=fig, joints=("right_knee", "left_hip"))
    seen = []
    for world in (one, many):
        foot = world.add_sensor("force_torque", at=world["human"]["left_foot"])
        world.add_controller(lambda w, foot=foot: seen.append(float(foot.force[2])))
    for _ in range(6):
        one.step()
    many.step(6)
    assert seen[:6] == seen[6:] and len(set(seen[1:6])) == 5
    assert np.array_equal(
        coders.position, np.concatenate([fig.q[fig.model.joint(n).q] for n in ("right_knee", "left_hip")])
    )
    assert np.array_equal(
        coders.velocity, np.concatenate([fig.v[fig.model.joint(n).v] for n in ("right_knee", "left_hip")])
    )
    noisy = many.add_sensor("encoders", at=fig, bias={"position": 0.01})
    knee = fig.model.joint("left_knee").iq
    assert noisy.position[list(noisy.iq).index(knee)] == pytest.approx(fig.q[knee] + 0.01)
