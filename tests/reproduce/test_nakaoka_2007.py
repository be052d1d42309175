"""What `bunraku reproduce` says of Nakaoka et al. 2007, calculated another way, where no test of the product does."""

import copy
import time

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.contact.pgs import make_dense
from bunraku.contact.pgs_2007 import iterate
from bunraku.contact.problem import CONTACT
from bunraku.kernel.record import handle
from bunraku.scene import load
from bunraku_bench.bench_walk_time import Replay, cut_soles, figure_36, straight

G = 9.80665


@asserts("2007/vectors/points", "2007/vectors/contact", "2007/iteration/unknowns")
def test_a_box_touches_at_its_corners_along_three_axes():
    world = bk.World(contact="pgs_2007")
    world.add_ground(friction=0.7)
    box = world.add(bk.box((0.3, 0.2, 0.1), mass=2.0), at=(0, 0, 0.05))
    world.push(box, force=(3.0, 2.0, 0.0), seconds=1.0)
    world.step(20)
    (patch,) = world.contacts
    corners = {(x, y, 0.0) for x in (-0.15, 0.15) for y in (-0.1, 0.1)}
    assert {tuple(np.round(p, 6) + 0.0) for p in patch.points} == corners
    assert world._step.problem.search.rows == world.report.rows == 3 * len(corners)
    assert np.allclose(patch.forces.sum(axis=0), [-3.0, -2.0, 2.0 * G], atol=1e-3)  # force along all three


@pytest.mark.parametrize("axes", ["x", "x z", "x y z", "x y z rx", "x y z rx ry", "x y z rx ry rz"])
@asserts("2007/vectors/connection", "2007/loop/axes")
def test_a_connection_holds_the_axes_it_names_and_no_other(axes):
    """A body that is pushed at random: along the connection's axes its point does not move, along the others it does;
    and there are as many forces."""
    world = bk.World(gravity=(0, 0, 0))
    body = world.add(bk.box((0.3, 0.2, 0.1), mass=2.0), at=(0, 0, 1))
    tie = world.connect(body, at=(0, 0, 1.0), axes=axes)
    world.push(body, force=(3.0, -2.0, 5.0), torque=(0.1, 0.2, -0.15), seconds=1.0)
    world.step()
    held = [name in axes.split() for name in ("x", "y", "z", "rx", "ry", "rz")]
    assert [bool(abs(v) < 1e-9) for v in body.v] == held
    assert [bool(abs(f) > 1e-6) for f in (*tie.force, *tie.torque)] == held
    assert world.report.rows == sum(held)


@asserts("2007/relation/linear", "2007/relation/free", "2007/relation/velocity")
def test_a_step_is_linear_in_what_pushes_and_ends_in_the_velocities_of_the_dense_equation():
    """Semi-implicit Euler: v + dt M^-1 (tau - h + J' f), with M by crba and h by rnea, for forces f on hands and feet."""
    rng, d = np.random.default_rng(4), copy.deepcopy(bk.human().description)
    for joint in (j for link in d.links for j in link.joints):
        joint.lower, joint.upper, joint.friction = -np.inf, np.inf, 0.0
        joint.swing, joint.twist = np.inf, (-np.inf, np.inf)
    m = d.build()
    ends, dense = [], []
    f = {name: rng.normal(size=3) * 40 for name in ("left_foot", "right_foot", "left_hand", "right_hand")}
    q = bk.integrate(m, m.neutral(), 0.2 * rng.normal(size=m.nv))
    v = 0.5 * rng.normal(size=m.nv)
    for part in (0.0, 1.0, 2.5):
        world = bk.World(gravity=m.gravity)
        figure = world.add(m, self_collision=False)
        world.drive[:] = 0.0  # no springs and dampers
        figure.q[:], figure.v[:] = q, v
        for name, x in f.items():
            if part:
                world.push(figure[name], force=part * x, seconds=1.0)
        world.step()
        ends.append(figure.v.copy())
        J = sum(bk.frame_jacobian(m, q, name)[:3].T @ (part * x) for name, x in f.items())
        dense.append(v + world.dt * np.linalg.solve(bk.crba(m, q), J - bk.rnea(m, q, v, np.zeros(m.nv))))
    for a, b in zip(ends, dense):
        assert np.abs(a - b).max() < 1e-9 * np.abs(b).max()
    assert np.abs((ends[2] - ends[0]) - 2.5 * (ends[1] - ends[0])).max() < 1e-9 * np.abs(ends[2]).max()


@asserts("2007/relation/cost")
def test_a_unit_force_passes_each_body_on_its_way_once():
    lengths = []
    for n in (12, 48):
        d = bk.Description(f"chain{n}")
        for k in range(n):
            d.add(f"link{k}", f"link{k - 1}" if k else None, bk.hinge(f"joint{k}", (0, 1, 0)),
                  at=(0, 0, -0.1 if k else 10.0), mass=1.0, com=(0, 0, -0.05), moments=(1e-3,) * 3)  # fmt: skip
        world = bk.World()
        chain = world.add(d.build())
        world.connect(chain[f"link{n - 1}"], axes="x")
        world.step()
        lengths.append(int(world._step.rows.traces.lengths[0]))
    assert lengths == [12, 48]


@asserts("2007/iteration/round")
def test_friction_is_bounded_alike_in_all_directions():
    for angle in np.random.default_rng(1).uniform(0, 2 * np.pi, 50):
        d = make_dense(3, 1)
        d.K[:], d.problem.b[:] = np.diag([1.0, 2.0, 2.0]), [-1.0, 5 * np.cos(angle), 5 * np.sin(angle)]
        block = d.problem.blocks[0]
        block.kind, block.row, block.mu = CONTACT, 0, 0.5
        iterate.call(handle(d), 3, 1, 1e-14, 120)
        assert np.allclose(d.problem.lam[:3], [1.0, -0.5 * np.cos(angle), -0.5 * np.sin(angle)], atol=1e-12)


@asserts("2007/iteration/load")
def test_the_ground_carries_a_pile():
    world = bk.World(contact="pgs_2007")
    world.add_ground()
    sensor = []
    for k in range(3):
        box = world.add(bk.box((0.3, 0.3, 0.1), mass=1.0), at=(0, 0, 0.05 + 0.1 * k))
        sensor.append(box)
    world.step(200)
    assert np.allclose(sensor[0].ground_reaction[:3], [0, 0, 3 * G], atol=0.01)
    assert max(np.abs(b.v).max() for b in sensor) < 1e-6


@asserts("2007/loop/axes")
def test_the_linkage_is_closed_along_two_axes():
    scene = load("linkage")
    (tie,) = scene.tables["connection"]
    assert tie["axes"].split() == ["x", "z"]
    world = scene.changed(contact="pgs_2007").build()
    world.step()
    assert world._step.problem.search.rows == 2


@pytest.mark.parametrize(("contact", "repeats"), [("pgs_2007", 3), ("pgs", 3)])
@asserts("2007/time/points", "2007/time/published", "2007/time/pgs")
def test_a_step_with_32_contact_points_takes_less_than_a_millisecond_of_the_processor(contact, repeats):
    """Both feet of the figure with 36 degrees of freedom, soles in four pieces: time of the processor, not of the clock,
    whatever else runs."""
    figure = figure_36().build()
    pattern = straight(figure, 2)
    feet = tuple(f.link for f in pattern.humanoid.feet)
    soft = cut_soles(bk.bushes(figure, feet), feet, 4).build()
    assert soft.nv - 6 == 36
    replay = Replay(soft, pattern, contact)
    replay.again()
    best = np.inf
    for _ in range(repeats):
        began = time.process_time()
        replay.world.step(100)
        best = min(best, (time.process_time() - began) / 100)
    assert replay.world.report.contacts == 32
    assert best < 1e-3
