"""Masks and pairs of MJCF files: who touches whom, against MuJoCo's own contacts."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.collision import Contacts, Fixed, Geometry, Placed
from bunraku.dynamics import kinematics
from bunraku.model import Shape

mujoco = pytest.importorskip("mujoco")


def file_of(rng, folder, count=6):
    """Balls in one place with random masks and pairs, on free bodies and in the world."""
    bodies, pairs = [], []
    for k in range(count):
        geom = (
            f'<geom name="g{k}" type="sphere" size="0.1" contype="{rng.integers(4)}" conaffinity="{rng.integers(4)}"/>'
        )
        bodies.append(
            f"<body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>{geom}</body>" if k else geom
        )
    for _ in range(3):
        a, b = rng.choice(count, 2, replace=False)
        pairs.append(f'<pair geom1="g{a}" geom2="g{b}"/>')
    path = folder / "m.xml"
    inside = f"<worldbody>{''.join(bodies)}</worldbody><contact>{''.join(dict.fromkeys(pairs))}</contact>"
    path.write_text(f"<mujoco>{inside}</mujoco>")
    return path


def test_the_same_pairs_as_mujoco(tmp_path):
    for seed in range(25):
        path = file_of(np.random.default_rng(seed), tmp_path)
        try:
            m = mujoco.MjModel.from_xml_path(str(path))
        except ValueError:  # a pair was drawn twice, the other way round
            continue
        d = mujoco.MjData(m)
        mujoco.mj_forward(m, d)
        want = {tuple(sorted((c.geom1, c.geom2))) for c in d.contact}
        model = bk.load(path)
        geometry = Geometry.of([Placed(model)])
        names = [n.split(".")[-1] for n in geometry.names]
        k = kinematics(model, model.neutral())
        contacts = Contacts(geometry)
        n = contacts.detect(np.hstack([k.rotation.reshape(-1, 9), k.position]), 0.0)
        ours = {tuple(sorted(int(names[s][1:]) for s in pair)) for pair in contacts.ids[:n, :2]}
        assert ours == want, seed


def test_a_pair_carries_and_masks_hold_for_their_own_file(tmp_path):
    """A ball of masks 0 stands on the floor of its pair, and falls through what is not of its file; one with masks of
    its own touches other files' things."""
    path = tmp_path / "p.xml"
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" contype="0" conaffinity="0"/>
    <body pos="0 0 0.2"><freejoint/><geom name="b" type="sphere" size="0.1" contype="{0}" conaffinity="{0}"/></body>
    </worldbody>{1}</mujoco>"""
    pair = '<contact><pair geom1="floor" geom2="b"/></contact>'
    for masks, extra, ground, height in ((0, pair, False, 0.1), (0, "", True, -1.0), (2, "", True, 0.1)):
        path.write_text(text.format(masks, extra))
        world = bk.World()
        if ground:
            world.add_ground()
        fig = world.add(bk.load(path))
        world.run(seconds=0.5)
        assert fig.q[2] == pytest.approx(0.1, abs=1e-4) if height > 0 else fig.q[2] < -0.5


def test_a_fixed_shape_of_masks_zero_is_only_seen():
    geometry = Geometry.of([Placed(bk.sphere(0.1))], [Fixed(Shape("plane", masks=(0, 0))), Fixed(Shape("plane"))])
    assert len(geometry.pairs) == 1
