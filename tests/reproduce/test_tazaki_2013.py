"""What rows of Tazaki 2013 say, where no test of the product does: formulas typed from the document, against other ways to
the same thing (Pinocchio's transforms, SciPy's rotations, Newton and Euler, counted calls)."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

import bunraku as bk
from asserts import asserts
from figures import random_figure, random_state

TESTS = Path(__file__).parent.parent


def skew(r):
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def transform(R, r):
    """X(R, r) of section 1."""
    return np.block([[R.T, -R.T @ skew(r)], [np.zeros((3, 3)), R.T]])


@asserts("2013/frames/5", "2013/frames/6")
@pytest.mark.parametrize("seed", range(5))
def test_transforms_are_pinocchios(seed):
    a, b = pin.SE3.Random(), pin.SE3.Random()
    X, Y = transform(a.rotation, a.translation), transform(b.rotation, b.translation)
    assert np.abs(X - a.toActionMatrixInverse()).max() < 1e-14
    assert np.abs(X @ Y - (b * a).toActionMatrixInverse()).max() < 1e-13  # (5)
    assert np.abs(np.linalg.inv(X) - a.toActionMatrix()).max() < 1e-13  # (6)


@asserts("2013/aba/17", "2013/aba/21")
@pytest.mark.parametrize("seed", range(8))
def test_a_joint_feels_what_all_beyond_it_needs(seed):
    """Newton and Euler over the links beyond each hinge, from differences of our motion: its moment is the torque."""
    m = random_figure(seed, links=7, gears=0, kinds=("hinge", "slider"))
    q, v, tau = random_state(m, seed)
    a, h = bk.aba(m, q, v, tau), 1e-5

    def momenta(s):
        """(linear, angular about the origin) of each link, s seconds later."""
        rates = v + s * a
        k = bk.kinematics(m, bk.integrate(m, q, v + s / 2 * a, s), rates)
        out = {}
        for link in m.description.links:
            p, R = k.pose(link.name)
            t = k.velocity(link.name)
            c = p + R @ np.asarray(link.inertia.com, float)
            linear = link.inertia.mass * (t[:3] + np.cross(t[3:], c - p))
            out[link.name] = linear, np.cross(c, linear) + R @ link.inertia.matrix() @ R.T @ t[3:], c
        return out

    ahead, behind, now = momenta(h), momenta(-h), momenta(0.0)
    parents = {link.name: link.parent for link in m.description.links}
    J = bk.joint_jacobians(m, q)
    for j in m.joints:
        if j.kind == "free":
            continue
        force, moment = np.zeros(3), np.zeros(3)
        for link in m.description.links:
            up = link.name
            while up is not None and up != j.link:
                up = parents[up]
            if up is None:
                continue
            weight = link.inertia.mass * m.gravity
            force += (ahead[link.name][0] - behind[link.name][0]) / (2 * h) - weight
            moment += (ahead[link.name][1] - behind[link.name][1]) / (2 * h) - np.cross(now[link.name][2], weight)
        felt = J[j.iv] @ np.concatenate([force, moment]) + m.armature[j.iv] * a[j.iv]
        assert felt == pytest.approx(tau[j.iv], abs=1e-5 * (1 + np.abs(moment).max()))


@asserts("2013/joints/hinge", "2013/joints/slider")
def test_jacobians_of_hinge_and_slider():
    for joint, wanted in (
        (bk.hinge("j", (0, 0, 1)), (0, 0, 0, 0, 0, 1)),
        (bk.slider("j", (0, 0, 1)), (0, 0, 1, 0, 0, 0)),
    ):
        d = bk.Description("one")
        d.add("l", None, joint, mass=1.0, moments=(1, 1, 1))
        assert np.array_equal(bk.kinematics(d.build(), np.array([0.4]), np.ones(1)).velocity("l"), wanted)


@asserts("2013/joints/ball", "2013/joints/singular")
@pytest.mark.parametrize("seed", range(10))
def test_jacobian_of_the_balls_angles(seed):
    rng = np.random.default_rng(seed)
    (x, y, z), rates, h = rng.uniform(-1.4, 1.4, 3), rng.normal(size=3), 1e-6
    J = np.array([[np.cos(y) * np.cos(z), -np.sin(z), 0], [np.cos(y) * np.sin(z), np.cos(z), 0], [-np.sin(y), 0, 1]])
    ahead, behind = (Rotation.from_euler("ZYX", np.array([z, y, x]) + s * h * rates[::-1]) for s in (1, -1))
    assert (ahead * behind.inv()).as_rotvec() / (2 * h) == pytest.approx(J @ rates, abs=1e-8)
    assert np.linalg.det(J) == pytest.approx(np.cos(y), abs=1e-14)


@asserts("2013/swing/28", "2013/swing/29")
@pytest.mark.parametrize("seed", range(20))
def test_twist_is_what_is_left_when_the_swing_is_undone(seed):
    turn = Rotation.random(random_state=seed)
    R = turn.as_matrix()
    x, y, z = R[2]
    M = np.array([[y * y / (1 + z) + z, -y * x / (1 + z), -x], [-y * x / (1 + z), x * x / (1 + z) + z, -y], [x, y, z]])
    axis = np.cross(R[2], [0, 0, 1])
    least = Rotation.from_rotvec(axis / np.linalg.norm(axis) * np.arccos(z))  # the shortest way from z to z
    assert np.abs(M - least.as_matrix()).max() < 1e-9
    cosine = (y * y * R[0, 0] + (1 + z) * z * R[0, 0] - y * x * R[0, 1] - (1 + z) * x * R[0, 2]) / (1 + z)
    left = (M @ R.T)[0, 0]  # x of the socket after z was turned onto z, along x of the plug
    twist = bk.swing_twist(np.roll(turn.as_quat(), 1))[1]
    assert cosine == pytest.approx(left, abs=1e-12) and np.cos(twist) == pytest.approx(left, abs=1e-9)


COUNT = """
import sys, numpy as np, bunraku as bk
calls = 0
def count(frame, event, arg):
    global calls
    calls += event == "call"
def counted(f):
    global calls
    f(); calls = 0; sys.setprofile(count); f(); sys.setprofile(None)
    return calls
def chain(n, geared=False):
    d = bk.Description("chain")
    for k in range(n):
        d.add(f"l{k}", f"l{k - 1}" if k else None, bk.hinge(f"j{k}", (0, 1, 0)), at=(0, 0, 0.1), mass=1.0, moments=(1, 1, 1))
        if geared and k % 2:
            d.gear(f"j{k}", f"j{k - 1}", 1.0)
    return d.build()
def forward(n):
    m = chain(n); w = bk.Work(m); z = np.zeros(n)
    return counted(lambda: bk.aba(m, z, z, z, work=w))
def between(rows):
    m = chain(6); frames = [f"l{k % 6}" for k in range(rows)]
    return counted(lambda: bk.delassus(m, np.zeros(6), frames, np.ones((rows, 6))))
print([forward(n) for n in (8, 16, 24)], [between(m) for m in (6, 12, 18, 24)], chain(10, True).nv)
"""


@asserts("2013/cost/links", "2013/cost/rows", "2013/cost/gears")
def test_calls_grow_linearly_with_links_and_quadratically_with_rows():
    """Function calls inside the kernels, as plain Python: no clock."""
    env = dict(os.environ, NUMBA_DISABLE_JIT="1")
    done = subprocess.run([sys.executable, "-c", COUNT], env=env, capture_output=True, text=True, cwd=TESTS, check=True)
    links, rows, rates = eval(done.stdout.replace("] ", "], "))
    assert links[2] - links[1] == links[1] - links[0] > 0
    second = np.diff(rows, 2)
    assert second[0] == second[1] > 0
    assert rates == 5
