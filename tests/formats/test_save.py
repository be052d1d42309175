"""Figures written and read back: the same tree, masses, limits, shapes and equipment; random figures and real robots."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bunraku as bk
from draws import fresh_rng
from figures import random_figure, relative
from robots import humanoid_mjcf, robot

TOLERANCE = 1e-11


def poses(model: bk.Model, q: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    k = bk.kinematics(model, q)
    return {f.name: k.pose(f.name) for f in model.frames}


def q_of(model: bk.Model, other: bk.Model, q: np.ndarray) -> np.ndarray:
    """Coordinates of `other` where `model` has q; its universal joints are two hinges."""
    out = other.neutral()
    for j in other.joints:
        own = {x.name: x for x in model.joints}
        name, _, part = j.name.rpartition(".") if j.name not in own else (j.name, "", "")
        values = q[own[name].q]
        if j.nq:
            out[j.q] = values[int(part) - 1] if part else values
    return out


def same(model: bk.Model, other: bk.Model, rng: np.random.Generator) -> None:
    """The same figure: poses of all links and frames, mass matrix, gravity torques, limits and what joints have."""
    assert (model.nq, model.nv) == (other.nq, other.nv)
    q = bk.random_configuration(model, rng)
    theirs = q_of(model, other, q)
    order = order_of(model, other)
    found = poses(other, theirs)
    for name, (p, R) in poses(model, q).items():
        assert np.abs(found[name][0] - p).max() < 1e-9 and np.abs(found[name][1] - R).max() < 1e-9, name
    M = bk.crba(other, theirs)[np.ix_(order, order)]
    assert relative(M, bk.crba(model, q)) < TOLERANCE
    for key in ("lower", "upper", "damping", "friction", "effort"):
        a, b = getattr(model, key), getattr(other, key)[order]
        assert np.array_equal(np.isfinite(a), np.isfinite(b)), key
        assert np.allclose(a[np.isfinite(a)], b[np.isfinite(a)], rtol=1e-12, atol=0), key
    assert len(model.kept_gears) == len(other.kept_gears)


def order_of(model: bk.Model, other: bk.Model) -> np.ndarray:
    """Where our rates stand among the other's."""
    theirs = {name: k for k, name in enumerate(other.dof_names)}
    return np.array([theirs[name] for name in model.dof_names], dtype=int)


def shapes_of(model: bk.Model) -> list:
    """Every shape by role, as often as it is one."""
    rows = []
    for s in model.shapes:
        for role in ("collision", "visual") if s.role == "both" else (s.role,):
            color = s.color if role == "visual" else None
            rows.append((s.link, role, s.kind, s.size, s.mesh, s.scale, color, s.position, s.rotation))
    return sorted(rows, key=lambda r: (*r[:3], *map(str, r[3:6]), *np.round(r[7], 9)))


def same_shapes(model: bk.Model, other: bk.Model) -> None:
    ours, theirs = shapes_of(model), shapes_of(other)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs):
        assert a[:3] == b[:3] and a[4:6] == b[4:6] and np.allclose(a[3], b[3], rtol=1e-14)
        assert a[6] is None or np.allclose(a[6], b[6], atol=1e-6)
        assert np.abs(a[7] - b[7]).max() < 1e-9 and np.abs(a[8] - b[8]).max() < 1e-9


def decorated(model: bk.Model, rng: np.random.Generator) -> bk.Model:
    """A random figure with shapes, limits, references, frames."""
    d = model.description
    for link in d.links:
        for kind, n in (("box", 3), ("sphere", 1), ("capsule", 2), ("cylinder", 2)):
            if rng.random() < 0.3:
                role = str(rng.choice(["both", "collision", "visual"]))
                turn = rng.normal(size=4)
                turn /= np.linalg.norm(turn)
                color = tuple(np.round(rng.random(4), 3).tolist()) if role != "collision" else None
                link.shapes.append(
                    bk.Shape(kind, tuple(rng.uniform(0.1, 1, n)), rng.normal(size=3), turn, role, color=color)
                )
        for joint in link.joints:
            if joint.kind in ("hinge", "slider"):
                joint.reference, joint.damping, joint.friction = rng.normal(), rng.random(), rng.random()
                joint.lower, joint.upper, joint.effort = -4 - rng.random(), 4 + rng.random(), 10 * rng.random()
                if rng.random() < 0.3:
                    joint.upper = np.inf
    d.frame("tip", d.links[-1].name, rng.normal(size=3), (0.8, 0.6, 0, 0))
    return d.build()


@pytest.mark.parametrize("ending", ["urdf", "xml"])
@pytest.mark.parametrize("k", range(8))
def test_random_figures(ending, k, tmp_path):
    rng = fresh_rng()
    kinds = ("hinge", "slider", "fixed", "universal", *(("ball",) if ending == "xml" else ()))
    seed = int(rng.integers(1 << 30))
    model = decorated(random_figure(seed, links=8, gears=2, kinds=kinds), rng)
    if ending == "urdf":  # what URDF has not
        model = without_armature(model)
    path = tmp_path / f"r.{ending}"
    notes = bk.save(model, path)
    assert notes == (), (seed, notes)
    again = bk.load(path)
    same(model, again, rng)
    same_shapes(model, again)
    assert np.allclose(again.neutral()[: again.nq], q_of(model, again, model.neutral()), atol=1e-12) or ending == "urdf"
    bk.save(again, tmp_path / f"s.{ending}")
    third = bk.load(tmp_path / f"s.{ending}")
    same(again, third, rng)
    assert not list(tmp_path.glob("*.part"))


def without_armature(model: bk.Model) -> bk.Model:
    for link in model.description.links:
        for joint in link.joints:
            joint.armature = 0.0
    return model.description.build()


@pytest.mark.parametrize("name", ["simple_humanoid", "talos_full", "icub", "g1"])
@pytest.mark.parametrize("ending", ["urdf", "xml"])
def test_robots(name, ending, tmp_path):
    model = bk.load(robot(name), meshes=ending == "urdf" or name == "simple_humanoid")
    path = tmp_path / f"r.{ending}"
    if ending == "xml" and name in ("icub",):
        with pytest.raises(bk.FormatError, match="MuJoCo takes no inertia"):
            bk.save(model, path)
        assert not path.exists()
        return
    notes = bk.save(model, path)
    again = bk.load(path)
    rng = fresh_rng()
    same(model, again, rng)
    if not any("mesh" in str(n) for n in notes):
        same_shapes(model, again)
    assert [(g.follower, g.leader, g.ratio) for g in again.gears] == [
        (g.follower, g.leader, g.ratio) for g in model.gears
    ]


def test_equipment_there_and_back(tmp_path):
    """Actuators, tendons, loops, keyframes, pairs, excludes, masks, gravity compensation: the same data."""
    from world.test_actuators import GRIPPER, HAND

    for text in (GRIPPER, HAND):
        (tmp_path / "a.xml").write_text(text)
        one = bk.load(tmp_path / "a.xml").description
        assert bk.save(one, tmp_path / "b.xml") == ()
        two = bk.load(tmp_path / "b.xml").description
        for what in ("actuators", "tendons", "closures", "keyframes"):
            first, second = (
                [replace(x, **({"where": ""} if hasattr(x, "where") else {})) for x in getattr(d, what)]
                for d in (one, two)
            )
            assert plain(first) == pytest.approx(plain(second), abs=1e-12), what
        assert [link.gravcomp for link in one.links] == [link.gravcomp for link in two.links]
        masks = [[(s.masks, s.role, s.friction) for link in d.links for s in link.shapes] for d in (one, two)]
        assert masks[0] == masks[1] and tuple(one.gravity) == tuple(two.gravity)
    assert len(one.actuators) == 5


def plain(items: list) -> list:
    """Numbers and words of equipment, flat; a rotation of None is the identity."""
    out: list = []
    for item in items:
        for key, value in vars(item).items():
            if "rotation" in key:
                value = (1.0, 0.0, 0.0, 0.0) if value is None else value
            out += [x for x in flat(value) if not isinstance(x, str) and x is not None and np.isfinite(x)]
    return out


def flat(value) -> list:
    return [x for part in value for x in flat(part)] if isinstance(value, list | tuple) else [value]


def test_the_humanoid_of_mujoco(tmp_path):
    model = bk.load(humanoid_mjcf())
    bk.save(model, tmp_path / "h.xml")
    again = bk.load(tmp_path / "h.xml")
    same(model, again, fresh_rng())
    same_shapes(model, again)
    assert [a.name for a in again.description.actuators] == [a.name for a in model.description.actuators]


def test_what_cannot_be_written_is_said(tmp_path):
    screw = bk.Description("s")
    screw.add("a", None, bk.helical("h", pitch=0.1), mass=1, moments=(1, 1, 1))
    ball = bk.Description("b")
    ball.add("a", None, bk.ball("h"), mass=1, moments=(1, 1, 1))
    light = bk.Description("m")
    light.add("a", None, bk.hinge("h", armature=1.0))
    for figure, name, words in (
        (screw.build(), "a.urdf", "'h' is helical, which URDF has not"),
        (screw.build(), "a.xml", "'h' is a screw"),
        (ball.build(), "a.urdf", "'h' is ball, which URDF has not"),
        (light.build(), "a.xml", "'a' moves and has no mass"),
        (ball.build(), "a.obj", "should end with .urdf"),
    ):
        with pytest.raises(bk.BunrakuError, match=words):
            bk.save(figure, tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    notes = bk.save(light.build(), tmp_path / "a.urdf")
    assert ["armature of joints" in str(n) for n in notes] == [True]


def test_its_own_file_is_kept(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_bytes(robot("simple_humanoid").read_bytes())
    before = path.read_bytes()
    with pytest.raises(bk.InputError, match="is an input"):
        bk.save(bk.load(path, meshes=False), path)
    assert path.read_bytes() == before
