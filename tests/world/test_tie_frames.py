"""Connections in frames of their own: an oblique hinge, a rail, a universal joint, a gimbal, soft axes; their rows are
the rates of their errors, their reactions those of dense solutions, and files keep them."""

import json

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.dynamics.functions import centroidal
from bunraku.model.rotations import about, matrix, quaternion
from bunraku.world import World
from bunraku.world.ties import RowFrame, row_frame
from dense_ties import Body, consistent, moved, solve, turn

G = np.array([0, 0, -9.80665])
BOTH = pytest.mark.parametrize("integrator", ["euler", "rk4"])
MODELS = pytest.mark.parametrize("contact", ["pgs", "virtual_link", "penalty"])
SIZES = ((0.3, 0.2, 0.1), (0.25, 0.15, 0.4))
KINDS = {
    "hinge": "x y z rx ry",
    "rail": "x y rx ry rz",
    "universal": "x y z rz",
    "universal x": "x y z rx",
    "gimbal": "x y z",
    "tube": "x y rx ry",
    "weld": "x y z rx ry rz",
}


def random_turn(rng) -> np.ndarray:
    """A rotation matrix."""
    q = rng.normal(size=4)
    return matrix(q / np.linalg.norm(q))


def solid(size, mass: float) -> bk.Model:
    """A box that touches nothing."""
    x, y, z = size
    moments = mass / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    fig = bk.Description(name="box")
    fig.add("box", None, bk.free("root"), mass=mass, moments=moments)
    return fig.build()


def box_body(mass: float, size, box) -> Body:
    """A box of a world as a body of the dense solution."""
    x, y, z = size
    moments = mass / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    p, R = box.pose("box")
    return Body(mass, moments, (p.copy(), R.copy()), np.concatenate([box.v[:3], R @ box.v[3:]]))


def constraint(kind: str, at: np.ndarray, R: np.ndarray, a: Body, b: Body):
    """c of positions alone for a joint made now at a point, in a frame R of the world."""
    (pa, Ra), (pb, Rb) = a.pose, b.pose
    ra, rb, Fa, Fb = Ra.T @ (at - pa), Rb.T @ (at - pb), Ra.T @ R, Rb.T @ R

    def c(x, y):
        F, E = x[1] @ Fa, y[1] @ Fb
        gap = F.T @ (x[0] + x[1] @ ra - y[0] - y[1] @ rb)
        rows = [gap[k] for k, name in enumerate("xyz") if name in KINDS[kind].split()]
        # a hinge: two of a's axes are square to one of b's; a universal joint: one; else all axes are
        squares = {
            "hinge": [(0, 2), (1, 2)],
            "tube": [(0, 2), (1, 2)],
            "universal": [(0, 1)],
            "universal x": [(1, 2)],
            "gimbal": [],
        }.get(kind, [(0, 1), (1, 2), (2, 0)])
        return np.array(rows + [F[:, i] @ E[:, j] for i, j in squares])

    return c


def pair(rng, kind: str, integrator: str, dt: float):
    """Two tumbling boxes with an oblique joint that has been at work for a while: (world, a, b, connection, frame, c)."""
    world = World(dt=dt, integrator=integrator)
    a = world.add(solid(SIZES[0], 2.0), at=rng.normal(size=3), rotation=random_turn(rng), name="a")
    b = world.add(solid(SIZES[1], 3.0), at=rng.normal(size=3), rotation=random_turn(rng), name="b")
    at, R = a.q[:3] + 0.4 * rng.normal(size=3), random_turn(rng)
    tie = world.connect(a, b, at=at, axes=KINDS[kind], rotation=R)
    bodies = box_body(2.0, SIZES[0], a), box_body(3.0, SIZES[1], b)
    return world, a, b, tie, constraint(kind, at, R, *bodies)


def carried(world: World, tie: bk.Connection, fig: bk.world.Figure) -> np.ndarray:
    """(force, torque about the centre of mass) that a connection puts on the first link."""
    n = tie.number
    f = row_frame(world._ties.kinds[n], world._ties.ties[n], world._last.poses())
    force = f.along @ tie.force
    return np.concatenate([force, f.about @ tie.torque + np.cross(f.point - world._last.poses().position[1], force)])


@pytest.mark.parametrize("kind", KINDS)
def test_reaction_against_a_dense_solution(kind):
    """Ten random poses far from where the joint was made: reaction to 1e-8 of the largest (a step of 1 ns: its mean)."""
    rng = np.random.default_rng(list(KINDS).index(kind))
    for _ in range(10):
        world, a, b, tie, c = pair(rng, kind, "rk4", 1e-9)
        far = free_motion(rng, kind, world, tie, a, b)
        bodies = box_body(2.0, SIZES[0], a), box_body(3.0, SIZES[1], b)
        assert (np.abs(c(bodies[0].pose, bodies[1].pose)).max() < 1e-12 and far > 0.1) or kind == "weld"
        for body in bodies:
            body.rate = rng.normal(size=6)
        consistent(c, *bodies)
        for body, box in zip(bodies, (a, b)):
            box.v[:] = np.concatenate([body.rate[:3], body.pose[1].T @ body.rate[3:]])
        world.step()
        dense = solve(c, *bodies, G)
        got = carried(world, tie, a)
        assert np.abs(got - dense.on_a).max() < 1e-8 * (1 + np.abs(dense.on_a).max())
        world.disconnect(tie)


def free_motion(rng, kind: str, world: World, tie, a, b) -> float:
    """Move b along what the joint leaves free, far; returns how far [rad or m]."""
    f = rows_now(world, tie)
    p, R = b.pose("box")
    F, angles, slide = f.along, rng.uniform(-1.2, 1.2, 3), rng.uniform(-0.5, 0.5)
    way = {
        "hinge": turn(F[:, 2] * angles[0]),
        "tube": turn(F[:, 2] * angles[0]),
        "universal": turn(F[:, 0] * angles[0]) @ turn(F[:, 1] * angles[1]),
        "universal x": turn(F[:, 1] * angles[0]) @ turn(F[:, 2] * angles[1]),
        "gimbal": turn(angles),
    }.get(kind, np.eye(3))
    p = f.point + way @ (p - f.point) + (slide * F[:, 2] if kind in ("rail", "tube") else 0.0)
    b.q[:3], b.q[3:] = p, quaternion(way @ R)
    return float(max(np.abs(angles).max(), abs(slide)))


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_the_rates_of_their_errors(kind):
    """On the joint's way, but tilted off it by 1e-3: finite differences of the errors (measured by the rows' own
    right-hand side, error / dt) along random motions are the rows' rates, to the tilt."""
    rng = np.random.default_rng(20 + list(KINDS).index(kind))
    for _ in range(5):
        world, a, b, tie, c = pair(rng, kind, "rk4", 1e-3)
        free_motion(rng, kind, world, tie, a, b)
        for tilt in (0.0, 1e-3):
            b.q[:] = bk.integrate(b.model, b.q, tilt * rng.normal(size=6))
            poses = box_body(2.0, SIZES[0], a).pose, box_body(3.0, SIZES[1], b).pose
            twist = rng.normal(size=12)
            h = 1e-6
            up, down = (c(moved(poses[0], twist[:6], s * h), moved(poses[1], twist[6:], s * h)) for s in (1, -1))
            f, n = rows_now(world, tie), tie.number
            slip = twist[:3] + np.cross(twist[3:6], f.point - poses[0][0])
            slip -= twist[6:9] + np.cross(twist[9:], f.point - poses[1][0])
            rates = np.concatenate([f.along.T @ slip, f.about.T @ (twist[3:6] - twist[9:])])
            rates = rates[[int(world._ties.kinds[n].axes) >> k & 1 == 1 for k in range(6)]]
            got = (up - down) / (2 * h)
            if kind in ("hinge", "tube"):  # a's x and y square to b's z: -wy and wx
                got[-2:] = -got[-1], got[-2]
                got[-2:] *= -1
            if kind in ("rail", "weld"):  # x.y, y.z, z.x: about z, x, y
                got[-3:] = got[[-2, -1, -3]]
            assert np.abs(got - rates).max() < 1e-8 + 30 * tilt


def oblique(kind: str, integrator: str, dt: float, contact: str = "pgs"):
    """A box on an oblique hinge or rail of the world, at rest: (world, box, connection, axis, point)."""
    rng = np.random.default_rng(5)
    world = World(dt=dt, integrator=integrator, contact=contact)
    R = about(0, 0.7) @ about(1, 0.5)  # its z axis is the joint's
    box = world.add(bk.box(SIZES[0], 2.0), at=(0.3, 0.1, 0.5), rotation=random_turn(rng))
    at = np.array([0.1, -0.1, 0.4])
    return world, box, world.connect(box, at=at, axes=KINDS[kind], rotation=R), R[:, 2], at


def pendulum(box, axis: np.ndarray, at: np.ndarray, dt: float, steps: int):
    """The hinged box by its one angle: theta'' = axis.(r x m g) / I, Runge-Kutta; (angle, rate) at every half step."""
    body = box_body(2.0, SIZES[0], box)
    r = body.pose[0] - at
    inertia = axis @ body.inertia()[3:, 3:] @ axis + 2.0 * (r @ r - (axis @ r) ** 2)
    fall = lambda x: np.array([x[1], axis @ np.cross(turn(axis * x[0]) @ r, 2.0 * G) / inertia])  # noqa: E731
    x, out, h = np.zeros(2), [np.zeros(2)], dt / 2
    for _ in range(2 * steps):
        k1 = fall(x)
        k2 = fall(x + h / 2 * k1)
        k3 = fall(x + h / 2 * k2)
        k4 = fall(x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        out.append(x)
    return np.array(out)


def test_oblique_hinge_over_a_swing():
    """One second by Runge-Kutta, 1 ms: angle, energy and the mean reaction of every 50th step to 1e-8 of the dense
    solution."""
    world, box, tie, axis, at = oblique("hinge", "rk4", 1e-3)
    R0, start = box.pose("box")[1].copy(), box.energy
    path = pendulum(box, axis, at, world.dt, 1000)
    first = box_body(2.0, SIZES[0], box)
    ground = Body(1.0, np.ones(3), (np.zeros(3), np.eye(3)), np.zeros(6))
    F = rows_now(world, tie).along
    c = constraint("hinge", at, F, first, ground)
    for k in range(1000):
        world.step()
        if k % 50:
            continue
        reactions = []
        for angle, rate in path[2 * k : 2 * k + 3]:
            way = turn(axis * angle)
            pose = at + way @ (first.pose[0] - at), way @ first.pose[1]
            w = rate * axis
            twist = np.concatenate([np.cross(w, pose[0] - at), w])
            dense = solve(c, Body(2.0, first.moments, pose, twist), ground, G, fixed_b=True)
            reactions.append((way @ F).T @ dense.on_a[:3])  # in the frame that the box carries
        mean = (reactions[0] + 4 * reactions[1] + reactions[2]) / 6  # Simpson
        assert np.abs(tie.force - mean).max() < 1e-8 * np.abs(mean).max()
        assert abs(box.energy - start) < 1e-8 * 10
    assert np.abs(box.pose("box")[1] - turn(axis * path[-1][0]) @ R0).max() < 1e-8
    assert abs(path[-1][0]) > 1.0


def rows_now(world: World, tie: bk.Connection) -> RowFrame:
    """Where the rows of a connection are."""
    n = tie.number
    return row_frame(world._ties.kinds[n], world._ties.ties[n], bk.kinematics(world.model, world.q))


@MODELS
@BOTH
def test_oblique_joints_with_every_contact_model(contact, integrator):
    """The hinge swings and the rail is slid down (s = g_axis t^2 / 2) to the order of the integrator."""
    if contact == "virtual_link" and integrator == "rk4":
        with pytest.raises(bk.BunrakuError, match="goes with integrator 'euler'"):
            World(contact=contact, integrator=integrator)
        return
    world, box, tie, axis, at = oblique("hinge", integrator, 1e-3, contact)
    R0, path = box.pose("box")[1].copy(), pendulum(box, axis, at, 1e-3, 400)
    world.run(0.4)
    error = np.abs(box.pose("box")[1] - turn(axis * path[-1][0]) @ R0).max()
    assert error < (1e-8 if integrator == "rk4" else 10 * world.dt) and abs(path[-1][0]) > 0.2

    world, box, tie, axis, _ = oblique("rail", integrator, 1e-3, contact)
    p0, R0, start = box.q[:3].copy(), box.pose("box")[1].copy(), box.energy
    world.run(0.4)
    way = 0.5 * (G @ axis) * 0.4**2 * axis
    assert np.abs(box.q[:3] - p0 - way).max() < (1e-9 if integrator == "rk4" else 9.81 * 0.4 * world.dt)
    assert np.abs(box.pose("box")[1] - R0).max() < 1e-9
    across = rows_now(world, tie).along @ tie.force
    assert across == pytest.approx(-2.0 * (G - axis * (G @ axis)), abs=1e-6)
    if integrator == "rk4":
        assert box.energy == pytest.approx(start, abs=1e-8)


@asserts("2000/gimbal/*")
def test_universal_joint_against_a_tree():
    """A box tied by x y z rz in an oblique frame swings as one on a universal joint of a tree (x, then y), 1 s to 1e-8,
    turning past a quarter about both axes."""
    R = about(0, 0.4) @ about(2, 0.8)
    size, mass = SIZES[1], 3.0
    x, y, z = size
    moments = mass / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    arm = np.array([0.2, 0.3, -0.4])
    fig = bk.Description(name="hung")
    fig.add("hung", None, bk.universal("joint", R[:, 0], R[:, 1]), at=(0, 0, 1), mass=mass, com=arm, moments=moments)
    tree_world, tie_world = (World(dt=0.0005, integrator="rk4") for _ in range(2))
    tree = tree_world.add(fig.build())
    box = tie_world.add(bk.box(size, mass), at=np.array([0, 0, 1]) + arm)
    # the cross's first axis belongs to the first link, which is the world: the world comes first
    tie_world.connect(None, box, at=(0, 0, 1), axes="x y z rz", rotation=R)
    rates = np.array([7.0, 14.0])
    tree.v[:] = rates
    w = rates[0] * R[:, 0] + rates[1] * R[:, 1]
    box.v[:3], box.v[3:] = np.cross(w, arm), w
    largest, start = 0.0, box.energy
    for _ in range(20):
        tree_world.step(100)
        tie_world.step(100)
        largest = np.maximum(largest, np.abs(tree.q))
        assert np.abs(tree.pose("hung")[1] - box.pose("box")[1]).max() < 1e-8
        assert box.energy == pytest.approx(start, rel=1e-8)
    assert largest.min() > np.pi / 2


@asserts("2000/compliant")
def test_a_soft_axis_is_a_spring_in_its_own_frame():
    """A grip that gives way along one oblique axis and is rigid along the two others: x(t) = A cos(omega t) there,
    nothing elsewhere."""
    R, k = about(0, 0.7) @ about(1, 0.5), 400.0
    world = World(dt=1e-3, integrator="rk4", gravity=(0, 0, 0))
    box = world.add(bk.box((0.1, 0.1, 0.1), 1.0), at=(0, 0, 1))
    world.connect(box, axes="x y rx ry rz", rotation=R)
    grip = world.connect(box, axes="z", rotation=R, compliance=1 / k)
    box.q[:3] += 0.05 * R[:, 2]
    for _ in range(10):
        world.step(37)
        assert R.T @ (box.q[:3] - [0, 0, 1]) == pytest.approx([0, 0, 0.05 * np.cos(np.sqrt(k) * world.time)], abs=1e-7)
    assert np.abs(grip.force[:2]).max() == 0.0


@BOTH
def test_torsion_spring_past_a_quarter_turn(integrator):
    """One soft turning axis on a hinge: theta(t) = 2.5 cos(omega t) rad, the torque goes on past a quarter turn."""
    R = about(0, 0.7)
    world = World(dt=1e-4, integrator=integrator, gravity=(0, 0, 0))
    box = world.add(bk.box((0.2, 0.2, 0.1), 1.0), at=(0, 0, 1), rotation=R)
    inertia, k = 1.0 / 12 * 0.08, 2.0
    world.connect(box, axes="x y z rx ry", rotation=R)
    world.connect(box, axes="rz", rotation=R, compliance=1 / k)
    box.q[3:] = quaternion(turn(R[:, 2] * 2.5) @ R)
    omega = np.sqrt(k / inertia)
    damped = 2.5 * omega**2 * world.dt * 0.3 / 2  # what implicit Euler takes from the amplitude in 0.3 s
    for _ in range(10):
        world.step(300)
        wanted = turn(R[:, 2] * 2.5 * np.cos(omega * world.time)) @ R
        assert np.abs(box.pose("box")[1] - wanted).max() < (1e-7 if integrator == "rk4" else damped)


def test_soft_universal_keeps_energy():
    """A torque that is the gradient of its energy: a tumbling box on one soft turning axis, 1 s; k c^2 / 2 with c from
    the pose alone."""
    R, k = about(1, 0.3) @ about(0, 0.2), 5.0
    world = World(dt=5e-4, integrator="rk4")
    box = world.add(bk.box(SIZES[1], 3.0), at=(0.1, 0.1, 0.1))
    world.connect(box, axes="x y z", rotation=R, at=(0, 0, 0.5))
    world.connect(box, axes="rz", rotation=R, compliance=1 / k)
    box.v[3:] = (0.5, 0.8, 1.0)
    box.v[:3] = np.cross(box.v[3:], box.q[:3] - [0, 0, 0.5])
    stored = lambda: 0.5 * k * np.arcsin((box.pose("box")[1] @ R)[:, 0] @ R[:, 1]) ** 2  # noqa: E731
    start, most = box.energy + stored(), 0.0
    for _ in range(40):
        world.step(50)
        most = max(most, stored())
        assert box.energy + stored() == pytest.approx(start, abs=2e-8)
    assert most > 0.02


def test_files_and_snapshots_keep_the_frame(tmp_path):
    """Saved with an oblique rail, a skate and a birth still to come: on bit for bit."""
    world, _, _, _, _ = oblique("rail", "rk4", 1e-3)
    skate = world.add(bk.box((0.3, 0.1, 0.1), 1.0), at=(3, 0, 0), name="skate")
    world.connect(skate, axes="z rx ry", velocity_axes="y", rotation=about(1, 0.2))
    skate.v[:] = (1, 0, 0, 0, 0, 2)
    world.step(5)
    world.disconnect(world.connect(skate, None, restitution=0.5))
    ball = world.add(bk.sphere(0.1, 1.0), at=(5, 0, 0), name="ball")
    ball.v[:3] = (1, 2, 3)
    world.connect(ball, axes="x y z", restitution={"x": 1.0, "z": 0.25})
    path = world.save(tmp_path / "world.npz")
    other, shot = World.load(path), world.snapshot()
    world.step()
    assert ball.v[:3] == pytest.approx([-1, 0, -0.75], abs=1e-5)  # its frame has turned by 1e-6
    end = world.q.copy(), world.v.copy(), world._ties.last.copy()
    other.step()
    assert all(np.array_equal(x, y) for x, y in zip(end, (other.q, other.v, other._ties.last)))
    world.restore(shot)
    world.step()
    assert all(np.array_equal(x, y) for x, y in zip(end, (world.q, world.v, world._ties.last)))
    world.step(20)
    other.step(20)
    assert np.array_equal(world.q, other.q)


def test_recordings_keep_the_frame(tmp_path):
    """The event of a connection names its frame in both bodies, as quaternions, and the axes whose rates are tied."""
    world, box, _, _, _ = oblique("rail", "euler", 1e-3)
    with world.record(tmp_path / "x.bkr"):
        world.connect(box, axes="z", velocity_axes="x", rotation=about(0, 0.3))
        world.step(3)
    from bunraku.recording.reader import Recording

    with Recording.open(tmp_path / "x.bkr") as recording:
        rail, edge = (e for e in recording.events if e["kind"] == "connect")
    assert edge["axes"] == "z" and edge["velocity_axes"] == "x" and "velocity_axes" not in rail
    R = about(0, 0.7) @ about(1, 0.5)
    assert matrix(np.array(rail["turns"][1])) == pytest.approx(R) and len(json.dumps(rail)) > 0
    assert box.pose("box")[1] @ matrix(np.array(rail["turns"][0])) == pytest.approx(R)


def test_energy_of_a_figure_on_an_oblique_rail():
    """A limp figure whose pelvis runs along an oblique rail, free to turn about it: energy within 1e-7 over 1 s, and the
    rail carries what the forces of the last step say (m (a - g), all links)."""
    world = World(dt=5e-4, integrator="rk4")
    fig = world.add(bk.human(), at=(0, 0, 1))
    R = about(1, 0.9)
    tie = world.connect(fig["pelvis"], axes="x y rx ry", rotation=R)
    start = fig.energy
    for _ in range(10):
        world.step(40)
        assert fig.energy == pytest.approx(start, abs=1e-4)
    before = centroidal(fig.model, fig.q, fig.v).linear
    world.step()
    after = centroidal(fig.model, fig.q, fig.v).linear
    f = row_frame(world._ties.kinds[0], world._ties.ties[0], world._last.poses())
    mean = (after - before) / world.dt - fig.model.mass * G
    assert f.along @ tie.force == pytest.approx(mean, rel=1e-4, abs=1e-3 * 690)


def mistakes():
    """(options of connect, words of the sentence)."""
    eye = np.eye(3)
    return [
        ({"rotation": 2 * eye}, "rotation: the 3x3 matrix is not a rotation"),
        ({"rotation": np.diag([1, 1, -1])}, "rotation: the 3x3 matrix is not a rotation"),
        ({"rotation": (0, 0, 0, 0)}, "has no direction"),
        ({"rotation": (1, 2)}, "neither a quaternion"),
        ({"rotation": "tilted"}, "write a quaternion"),
        ({"axes": "x q"}, "has 'q'"),
        ({"axes": ""}, "no axes given"),
        ({"velocity_axes": "v"}, "has 'v'"),
        ({"axes": "x y", "velocity_axes": "y"}, "'y' is in axes and in velocity_axes"),
        ({"velocity_axes": "y", "compliance": 1e-3}, "velocity_axes are rigid"),
        ({"radius": -1, "velocity_axes": "x"}, "radius -1"),
        ({"radius": float("nan"), "velocity_axes": "x"}, "radius nan"),
        ({"radius": 0.1}, "radius is of what rolls"),
        ({"restitution": 1.5}, "restitution 1.5 of axis 'x' is not between 0 and 1"),
        ({"restitution": -0.1}, "not between 0 and 1"),
        ({"restitution": float("nan")}, "not between 0 and 1"),
        ({"restitution": "much"}, "restitution 'much'"),
        ({"restitution": {"rz": 0.5}}, "axis 'rz', which is not tied; write some of 'x y z'"),
        ({"restitution": {"k": 0.5}}, "axis 'k'"),
        ({"restitution": 0.5, "compliance": 1e-3}, "restitution is of rigid connections"),
    ]


@pytest.mark.parametrize(("options", "words"), mistakes())
def test_mistakes_get_one_sentence(options, words):
    world = World()
    box = world.add(bk.box((0.1, 0.1, 0.1), 1.0))
    with pytest.raises(bk.BunrakuError) as error:
        world.connect(box, **options)
    text = str(error.value)
    assert words in text and text.startswith("connect: ") and text.endswith(".") and "\n" not in text
    assert not world.connections


def test_both_ends_the_world():
    world = World()
    world.add(bk.box((0.1, 0.1, 0.1), 1.0))
    with pytest.raises(bk.BunrakuError, match="same body"):
        world.connect(None, None)


def test_a_connection_says_what_it_is():
    world = World()
    box = world.add(solid((0.2, 0.2, 0.2), 1.0))
    hinge = world.connect(box, axes="x y z rx ry")
    world.step()
    assert repr(hinge) == "<connection along x y z rx ry, number 0: holds, 9.807 N, 0 N m>"
    world.disconnect(hinge)
    assert "cut" in repr(hinge)
