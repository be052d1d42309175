"""Frames tell what world.contacts, fig.com, fig.zmp and kinematics tell, though they are read in another way."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.viewer.messages import scene_message, unpack_frame
from bunraku.viewer.world_frames import WorldFrames
from viewer_client import body_number, forces_on, standing

STATES = ("none", "point", "line", "surface")
PULL = 4  # what stands for a state where a connection pulls
CLOSE = {"rtol": 3e-7, "atol": 1e-6}  # float32


def matrix(q):
    """Rotation of a quaternion w x y z."""
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def check(world, frame):
    """Poses, figures and contacts of a frame against the world's own readings; returns the states it has."""
    k = bk.kinematics(world.model, world.q)
    assert frame.time == world.time and len(frame.poses) == world.model.nb - 1
    assert np.allclose(frame.poses[:, :3], k.position[1:], **CLOSE)
    for pose, R in zip(frame.poses, k.rotation[1:]):
        assert np.allclose(matrix(pose[3:].astype(float)), R, atol=1e-6)
    for row, f in zip(frame.figures, world.figures):
        assert np.allclose(row[:3], f.com, **CLOSE)
        want = f.zmp if f.zmp is not None else np.full(3, np.nan)
        assert np.allclose(row[3:], want, rtol=1e-6, atol=1e-5, equal_nan=True)
    seen, pulls = [], frame.contacts[frame.contacts[:, 7] == PULL]
    held = [c for c in world._ties.connections.values() if np.linalg.norm(c.force) > 1e-9]
    assert np.allclose(np.linalg.norm(pulls[:, 3:6], axis=1), [np.linalg.norm(c.force) for c in held], rtol=1e-6)
    touching_rows = frame.contacts[frame.contacts[:, 7] != PULL]
    for patch in [c for c in world.contacts if len(c.region)]:
        touching = (patch.gaps <= 1e-6) | (patch.forces @ patch.normal > 1e-9)
        rows = touching_rows[touching_rows[:, 6] == len(seen)]
        assert np.allclose(rows[:, :3], patch.points[touching], **CLOSE)
        assert np.allclose(rows[:, 3:6], patch.forces[touching], rtol=1e-6, atol=1e-4)
        assert {STATES[int(s)] for s in rows[:, 7]} == {patch.state}
        assert np.all(rows[:, 8:] == [body_number(world, owner) - 1 for owner in patch.bodies])
        seen.append(patch.state)
    assert len(touching_rows) == 0 or touching_rows[:, 6].max() == len(seen) - 1
    return set(seen)


@pytest.mark.parametrize("name", ["stand", "one_foot", "toe_edge", "spin", "slope", "fall", "bar"])
def test_against_the_worlds_own_readings(name):
    world = bk.scene.load(name).build()
    frames = WorldFrames(world)
    check(world, unpack_frame(frames.frame()))
    for k in range(12):
        world.step(40)
        frame = unpack_frame(frames.frame())
        check(world, frame)
        assert frame.sequence == k + 2


def test_states_of_patches():
    """A box on its face, on an edge, on a corner, and one that only touches: surface, line, point, none."""
    world = bk.World(gravity=(0, 0, -9.80665))
    world.add_ground()
    edge = (np.cos(np.pi / 8), np.sin(np.pi / 8), 0, 0)
    axis = np.cross((1, 1, 1), (0, 0, 1)) / np.sqrt(2)
    angle = np.arccos(1 / np.sqrt(3))
    corner = (np.cos(angle / 2), *(np.sin(angle / 2) * axis))
    for k, (turn, height) in enumerate(((None, 0.1), (edge, 0.1 * 2**0.5), (corner, 0.1 * 3**0.5))):
        world.add(bk.box((0.2, 0.2, 0.2), 1.0), at=(k, 0, height - 1e-9), rotation=turn)
    frames = WorldFrames(world)
    world.step()
    assert check(world, unpack_frame(frames.frame())) == {"surface", "line", "point"}
    still = bk.World(gravity=(0, 0, 0))
    still.add_ground()
    still.add(bk.box((0.2, 0.2, 0.2), 1.0), at=(0, 0, 0.1))
    still.step()
    assert check(still, unpack_frame(WorldFrames(still).frame())) == {"none"}


def test_rotations_near_half_a_turn():
    """Quaternions where w vanishes: about x, y, z and between."""
    world = bk.World()
    turns = [(0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 0.6, 0.8, 0), (1e-9, 0.6, 0, -0.8), (-0.5, 0.5, 0.5, 0.5)]
    for turn in turns:
        world.add(bk.sphere(0.1, 1.0), rotation=turn)
    check(world, unpack_frame(WorldFrames(world).frame()))


def test_channels():
    world = standing()
    world.add(bk.box((0.2, 0.2, 0.2), 1.0), at=(1, 0, 0.1), name="crate")
    fig = world["human"]
    rng = np.random.default_rng(0)
    target = fig.q.copy()
    target[fig.model.joint("left_elbow").q] = 0.7
    fig.servo(3000.0, 60.0, target=target)
    fig.v[6:] = 0.2 * rng.normal(size=28)
    world.step(60)
    names = [(c["group"], c["name"], c["unit"]) for c in scene_message(world)["channels"]]
    frame = unpack_frame(WorldFrames(world).frame())
    values = {(g, n): float(x) for (g, n, _), x in zip(names, frame.channels, strict=True)}
    assert values["energy", "energy"] == pytest.approx(world.report.energy, rel=1e-6)
    for f, force in zip(world.figures, forces_on(world)):
        assert [values["forces", f"{f.name}: force {a}"] for a in "xyz"] == pytest.approx(
            list(force), rel=1e-5, abs=1e-3
        )
    assert [values["zmp", f"human: zmp {a}"] for a in "xy"] == pytest.approx(list(fig.zmp[:2]), abs=1e-5)
    elbow = fig.model.joint("left_elbow")
    assert values["angles", "human.left_elbow"] == pytest.approx(np.degrees(fig.q[elbow.iq]), rel=1e-5)
    assert values["torques", "human.left_elbow"] == pytest.approx(fig.applied[elbow.iv], rel=1e-5)
    hip = fig.model.joint("left_hip")
    w, *v = fig.q[hip.q]
    turn = 2 * np.degrees(np.arctan2(np.linalg.norm(v), w)) * np.array(v) / np.linalg.norm(v)
    assert [values["angles", f"human.left_hip.{a}"] for a in "xyz"] == pytest.approx(list(turn), rel=1e-4, abs=1e-5)
    assert ("angles", "human.left_elbow", "deg") in names and ("torques", "human.left_hip.x", "N m") in names


def test_forces_of_connections():
    """A lamp on a rope to the ceiling and one below it: each connection carries what hangs on it, upwards on its lamp."""
    world = bk.World(dt=0.001)
    upper = world.add(bk.box((0.2, 0.2, 0.2), 2.0), at=(0, 0, 2), name="upper")
    lower = world.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(0, 0, 1), name="lower")
    world.connect(upper, at=(0, 0, 3), axes="x y z")
    world.connect(lower, upper, at=(0, 0, 1.5), axes="x y z")
    world.run(0.05)
    rows = unpack_frame(WorldFrames(world).frame()).contacts
    assert np.all(rows[:, 7] == PULL)
    assert np.allclose(rows[:, :3], [[0, 0, 3], [0, 0, 1.5]], atol=1e-4)
    assert np.allclose(rows[:, 3:6], [[0, 0, 3 * 9.80665], [0, 0, 9.80665]], atol=1e-3)
    assert np.all(rows[:, 8:] == [[0, -1], [1, 0]])
