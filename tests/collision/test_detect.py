"""Detection as a step uses it: a standing figure, plain Python, no memory taken, poses that are not numbers, growing
arrays."""

import os
import subprocess
import sys

import numpy as np
import pytest

import bunraku as bk
from bunraku.collision import Contacts, Fixed, Geometry, Placed, regions
from bunraku.dynamics import Work, kinematics
from bunraku.model import Shape
from bunraku.model.layout import NW
from collision_scenes import contacts_of, poses, scene

TESTS = os.path.join(os.path.dirname(__file__), "..")


def test_a_standing_figure_has_two_soles():
    human = bk.human()
    contacts = Contacts(Geometry.of([Placed(human)], [Fixed(Shape("plane"))]))
    k = kinematics(human, human.neutral())
    where = np.concatenate([np.reshape(k.rotation, (-1, 9)), k.position], axis=1)
    assert contacts.detect(where, 1e-3) == 8
    assert np.allclose(contacts.data[:8, 6], 0.0, atol=1e-12)
    for found, side in zip(regions(contacts), ("left", "right")):
        frame = human.frame(f"{side}_sole")
        middle = k.position[frame.body] + k.rotation[frame.body] @ frame.position
        assert found.state == "surface" and np.isclose(found.area, 0.19 * 0.12)
        assert np.allclose(found.centroid, middle, atol=1e-12)


def test_poses_may_be_the_scratch_of_dynamics():
    human = bk.human()
    work = Work(human)
    q = human.neutral()
    q[2] -= 0.001
    k = kinematics(human, q, work=work)
    contacts = Contacts(Geometry.of([Placed(human)], [Fixed(Shape("plane"))]))
    n = contacts.detect(work.scratch, 1e-3, stride=NW)
    assert n == 8 and np.allclose(contacts.data[:n, 6], -0.001)
    first = contacts.data[:n].copy()
    where = np.concatenate([np.reshape(k.rotation, (-1, 9)), k.position], axis=1)
    assert contacts.detect(where, 1e-3) == n and np.allclose(contacts.data[:n], first)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_lost_bodies_make_no_contacts_and_no_nan(value):
    """A body at a place that is no number takes no part; the others do as before."""
    cube = Shape("box", (0.1, 0.1, 0.1))
    contacts = scene(cube, cube, cube, fixed=[Fixed(Shape("plane"))], sweep=False)
    ids, data = contacts_of(contacts, poses((0, 0, 0.1), (0, 0, 0.3), (value, 0, 0.5)), 1e-3)
    keep = (ids[:, 0] < 2) & (ids[:, 1] != 2)
    assert np.isfinite(data).all() and keep.sum() == 8


def test_arrays_too_small_lose_nothing():
    cube = Shape("box", (0.1, 0.1, 0.1))
    where = poses(*((0.25 * k, 0, 0.1) for k in range(40)))
    small = scene(*[cube] * 40, fixed=[Fixed(Shape("plane"))])
    assert len(small.ids) < 160
    assert small.detect(where, 1e-3) == 160
    assert np.array_equal(small.ids[:160, 3], np.repeat(np.arange(40), 4))


PLAIN = """
import sys; sys.path.insert(0, {tests!r})
import numpy as np
from collision_scenes import KINDS, contacts_of, poses, random_rotation, random_shape, scene
from bunraku.collision import Fixed, regions
from bunraku.model import Shape
from bunraku.kernel.compile import JIT
out, names = [], []
for seed in range(12):
    rng = np.random.default_rng(seed)
    shapes = [random_shape(rng, KINDS[k % 3]) for k in range(6)]
    where = poses(*((rng.normal(size=3) * 0.3, random_rotation(rng)) for _ in shapes))
    contacts = scene(*shapes, fixed=[Fixed(Shape("plane")), Fixed(Shape("box", (1, 1, 0.1)))], sweep=bool(seed % 2))
    ids, data = contacts_of(contacts, where, 0.02)
    out += [ids[:, [0, 1, 3]].astype(float), data]
    names.append(ids[:, 2])
    for r in regions(contacts):
        out += [r.coordinates, r.centroid, np.array([r.area, r.mean_distance((0.01, 0.02)), r.nearest((0.3, 0.1)).distance])]
np.savez(sys.argv[1], found=np.concatenate([np.ravel(x) for x in out]), names=np.concatenate(names))
print("compiled" if JIT else "plain")
"""


def test_plain_python_gives_the_same(tmp_path):
    results = {}
    for flag, word in (("1", "plain"), ("0", "compiled")):
        file = tmp_path / f"{word}.npz"
        env = dict(os.environ, NUMBA_DISABLE_JIT=flag)
        code = PLAIN.format(tests=TESTS)
        done = subprocess.run([sys.executable, "-c", code, str(file)], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.split()[-1] == word
        results[word] = np.load(file)
    a, b = (results[word]["found"] for word in ("plain", "compiled"))
    assert a.shape == b.shape and len(a) > 1000
    assert np.abs(a - b).max() < 1e-9 * np.abs(b).max()  # fused multiply-adds round differently
    # a corner where two edges cut the same point is named after either, as rounding has it
    a, b = (results[word]["names"] for word in ("plain", "compiled"))
    assert len(a) > 200 and np.sum(a != b) <= 0.01 * len(a)
