"""Stairs, slopes and bumps: shapes and footsteps that fit each other, walked in the physical world."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.errors import InputError
from bunraku.humanoid.parts import humanoid
from bunraku.walking.footsteps import footsteps
from bunraku.walking.terrain import bumps, slope, stairs
from bunraku.walking.walking_pattern import walking_pattern
from bunraku.walking.walking_torques import servo_targets


@pytest.fixture(scope="module")
def h():
    return humanoid(bk.human())


def top_below(terrain, x, y):
    """Height of the ground at a place: of the plane z = 0 or of the boxes."""
    z = 0.0
    for s in terrain.shapes:
        R = np.eye(3) if s.rotation is None else np.asarray(s.rotation)
        up, half, at = R[:, 2], np.asarray(s.size), np.asarray(s.position)
        height = at[2] + (half[2] - up[:2] @ (np.array([x, y]) - at[:2])) / up[2]
        local = R.T @ (np.array([x, y, height]) - at)
        if np.all(np.abs(local[:2]) <= half[:2] + 1e-9):
            z = max(z, float(height))
    return z


@pytest.mark.parametrize("make", ["stairs up", "stairs down", "slope up", "slope down"])
def test_soles_lie_on_the_ground(h, make):
    sign = 1 if make.endswith("up") else -1
    t = stairs(h, down=sign < 0) if make.startswith("stairs") else slope(h, 5.0 * sign)
    for s in (*t.begin, *t.steps):
        z = np.array(s.normal) / np.linalg.norm(s.normal)
        x = np.cross([-np.sin(s.yaw), np.cos(s.yaw), 0.0], z)
        x /= np.linalg.norm(x)
        for a, b, _ in h.feet[s.side].outline:
            corner = np.array(s.position) + a * x + b * np.cross(z, x)
            assert abs(corner[2] - top_below(t, *corner[:2])) < 1e-9


@pytest.mark.parametrize("make", ["stairs up", "stairs down", "slope"])
def test_walked(h, make):
    t = slope(h, 5.0, 1.0) if make == "slope" else stairs(h, 3, down=make.endswith("down"))
    p = walking_pattern(h, t.steps, begin=t.begin)
    assert p.zmp_error < 1e-3
    fine, m = p.at_rate(0.001), p.model
    goal = servo_targets(fine, 100 * m.mass)
    world = bk.World()
    world.add_ground(friction=0.8)
    for s in t.shapes:
        world.add_fixed(s, friction=0.8)
    figure = world.add(m, self_collision=False)
    figure.q[:] = fine.q[0]
    figure.servo(100 * m.mass, 3 * m.mass, target=goal[0], effort=np.inf)
    figure.follow(goal[1:], fine.v[1:])
    world.step(len(fine.q) - 1)
    k = bk.kinematics(m, figure.q.copy())
    assert max(np.linalg.norm(k.pose(f.frame)[0] - fine.sole_position[-1, f.side]) for f in h.feet) < 0.01
    assert k.rotation[m.joints[0].body][2, 2] > np.cos(np.radians(1))


def test_bumps(h):
    steps = footsteps("walk 2 m", h)
    a, b = bumps(h, steps, seed=3), bumps(h, steps, seed=3)
    assert len(a.shapes) == 12 and a.steps == steps
    assert all(x.position == y.position for x, y in zip(a.shapes, b.shapes))
    assert all(np.isclose(x.position[2] + x.size[2], 0.02) for x in a.shapes)
    for f in a.begin:
        assert all(np.hypot(x.position[0] - f.position[0], x.position[1] - f.position[1]) > 0.17 for x in a.shapes)


def test_stairs_that_are_too_high_say_what_would_do(h):
    with pytest.raises(
        InputError,
        match=r"risers of 0\.35 m are too high for 'human' to walk up on treads of 0\.25 m; 0\.\d+ m would do",
    ) as error:
        stairs(h, riser=0.35)
    fits = float(str(error.value).split("; ")[1].split(" m would")[0])
    assert 0.15 < fits < 0.35 and stairs(h, riser=fits).steps


BAD = [
    (lambda h: stairs(h, riser=0.7), "stairs: 'human' cannot walk them; footsteps: step 1 of 6: 0.70 m above"),
    (lambda h: stairs(h, tread=0.1), "too short for soles"),
    (lambda h: stairs(h, riser=-0.1), "riser"),
    (lambda h: stairs(h, count=0), "count 0"),
    (lambda h: slope(h, 0.0), "not 0"),
    (lambda h: slope(h, 44.0), "slope: 'human' cannot walk them"),
    (lambda h: slope(h, 5.0, 0.1), "too short for a sole"),
    (lambda h: bumps(h, ()), "no footsteps"),
]


@pytest.mark.parametrize("make, words", BAD, ids=[w for _, w in BAD])
def test_bad_terrain(h, make, words):
    with pytest.raises(InputError, match=words):
        make(h)
