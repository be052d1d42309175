"""Axes that tie rates alone (non-holonomic, section 2.2 of Nakamura & Yamane 2000): skates, balls and wheels against
closed forms."""

import numpy as np
import pytest

import bunraku as bk
from bunraku.model.rotations import about
from bunraku.world import World
from bunraku.world.laststep import tie_wrenches

G = 9.80665
BOTH = pytest.mark.parametrize("integrator", ["euler", "rk4"])
MODELS = pytest.mark.parametrize("contact", ["pgs", "virtual_link", "penalty"])
SLOPE = 0.35


def body(mass: float, moments, name: str = "body") -> bk.Model:
    """A free body without shapes."""
    fig = bk.Description(name=name)
    fig.add(name, None, bk.free("root"), mass=mass, moments=moments)
    return fig.build()


def skate(integrator: str, dt: float, contact: str = "pgs"):
    """A skate that spins on a slope from rest: (world, figure, connection, the slope's axes, x downhill)."""
    R = about(2, 0.6) @ about(1, SLOPE)
    world = World(dt=dt, integrator=integrator, contact=contact)
    fig = world.add(body(2.0, (0.01, 0.02, 0.03)), at=(1, 2, 3), rotation=R)
    edge = world.connect(fig, axes="z rx ry", velocity_axes="y", rotation=R)
    return world, fig, edge, R


def cycloid(t: float, spin: float) -> np.ndarray:
    """Where the skate is on the slope: it starts at rest, pointing downhill, and turns at a constant rate.

    u' = g sin a cos(spin t) along the edge, x' = u cos(spin t), y' = u sin(spin t).
    """
    k = G * np.sin(SLOPE) / (2 * spin**2)
    return np.array([k * np.sin(spin * t) ** 2, k * (spin * t - 0.5 * np.sin(2 * spin * t)), 0.0])


def test_a_skate_goes_along_a_cycloid():
    """5 s, by Runge-Kutta at 1 ms: the place to 1e-9 m, energy to 1e-9 J, the sideways force 2 m g sin a sin(spin t); it
    never comes down the slope farther than g sin a / (2 spin^2)."""
    world, fig, edge, R = skate("rk4", 0.001)
    spin, start = 1.3, fig.energy
    fig.v[5] = spin
    start = fig.energy
    for k in range(50):
        world.step(100)
        assert R.T @ (fig.q[:3] - [1, 2, 3]) == pytest.approx(cycloid(world.time, spin), abs=1e-9)
        assert fig.energy == pytest.approx(start, abs=1e-9)
        middle = (100 * (k + 1) - 0.5) * world.dt
        # m (u spin + g sin a sin) with u = g sin a / spin sin(spin t)
        assert edge.force[1] == pytest.approx(2 * 2.0 * G * np.sin(SLOPE) * np.sin(spin * middle), abs=2e-6)
    assert edge.force[2] == pytest.approx(2.0 * G * np.cos(SLOPE), abs=1e-9)


@MODELS
def test_a_skate_with_every_contact_model(contact):
    """Euler: of first order."""
    errors = []
    for dt in (0.002, 0.001):
        world, fig, _, R = skate("euler", dt, contact)
        fig.v[5] = 1.3
        world.run(2.0)
        errors.append(np.abs(R.T @ (fig.q[:3] - [1, 2, 3]) - cycloid(2.0, 1.3)).max())
    assert errors[1] < G * 2.0 * 0.001 and 1.6 < errors[0] / errors[1] < 2.4


@BOTH
def test_places_are_never_put_right(integrator):
    """A skate that was put aside stays there: nothing pulls it back."""
    world, fig, _, R = skate(integrator, 0.001)
    before = R.T @ fig.q[:3]
    fig.q[:3] += R @ [0, 0.5, 0]
    world.run(0.1)
    assert (R.T @ fig.q[:3] - before)[1] == pytest.approx(0.5, abs=1e-12)


def roller(mass: float, radius: float, share: float, integrator: str, dt: float):
    """A ball (share 2/5) or a disc (1/2) that rolls from rest down a slope: (world, figure, connection, axes)."""
    R = about(2, -0.4) @ about(1, SLOPE)
    world = World(dt=dt, integrator=integrator)
    inertia = share * mass * radius**2
    fig = world.add(body(mass, (inertia,) * 3), at=(0, 0, 1))
    tie = world.connect(None, fig, axes="z", velocity_axes="x y", radius=radius, rotation=R)
    return world, fig, tie, R


@BOTH
@pytest.mark.parametrize(("share", "part"), [(2 / 5, 5 / 7), (1 / 2, 2 / 3)], ids=["ball", "disc"])
def test_rolls_down_a_slope(share, part, integrator):
    """x = g sin a t^2 / 2 times 5/7 for a ball, 2/3 for a disc; the friction m g sin a (1 - part), no slip."""
    world, fig, tie, R = roller(3.0, 0.2, share, integrator, 0.001)
    world.run(1.0)
    a = part * G * np.sin(SLOPE)
    error = 1e-9 if integrator == "rk4" else a * world.dt
    assert R.T @ (fig.q[:3] - [0, 0, 1]) == pytest.approx([0.5 * a, 0, 0], abs=error)
    spin = R.T @ fig.pose("body")[1] @ fig.v[3:]
    assert spin == pytest.approx([0, a / 0.2, 0], abs=1e-9 if integrator == "rk4" else 1e-6)
    friction, normal = 3.0 * G * np.sin(SLOPE) * (1 - part), 3.0 * G * np.cos(SLOPE)
    assert tie.force == pytest.approx([friction, 0, -normal], rel=1e-6, abs=1e-5)  # on the first link, the slope


def test_a_ball_that_is_thrown_sideways_goes_along_a_parabola():
    """Rolling keeps the acceleration 5/7 g sin a, whatever the ball's spin about the normal (which it keeps)."""
    world, fig, _, R = roller(3.0, 0.2, 2 / 5, "rk4", 0.001)
    v = R @ [0.4, 0.9, 0]
    spin = np.cross(R[:, 2], v) / 0.2 + 3.0 * R[:, 2]
    fig.v[:3], fig.v[3:] = v, fig.pose("body")[1].T @ spin
    world.run(1.5)
    a = 5 / 7 * G * np.sin(SLOPE)
    assert R.T @ (fig.q[:3] - [0, 0, 1]) == pytest.approx([0.6 + 0.5 * a * 1.5**2, 1.35, 0], abs=1e-9)
    assert R[:, 2] @ fig.pose("body")[1] @ fig.v[3:] == pytest.approx(3.0, abs=1e-9)


def test_a_ball_on_a_turning_table_goes_round():
    """On a table that turns at W a rolling ball goes in a circle at 2/7 W, whatever its start (Routh); table and ball may
    both move: the rows' second derivatives see both turn."""
    world = World(dt=0.001, integrator="rk4")
    table = bk.Description(name="table")
    table.add("plate", None, bk.hinge("axle", (0, 0, 1)), mass=1.0, moments=(1e9, 1e9, 1e9))  # keeps its rate
    plate = world.add(table.build())
    r, m, W = 0.1, 0.5, 2.1
    ball = world.add(body(m, (0.4 * m * r * r,) * 3), at=(0.5, 0.2, 0.3))
    world.connect(plate, ball, axes="z", velocity_axes="x y", radius=r, at=ball.q[:3].copy())
    plate.v[0] = W
    v = np.array([0.3, -0.1, 0.0])
    p = ball.q[:3] - [0, 0, r]
    slip = np.cross([0, 0, W], p) - v  # the ball's turning must make good for it: w x (-r z) = slip
    ball.v[:3], ball.v[3:] = v, [-slip[1] * -1 / r, -slip[0] / r, 0]
    centre, start = None, ball.q[:3].copy()
    k = 2 / 7 * W
    # v' = k z x v: the centre of the circle is start + z x v / k
    centre = start + np.cross([0, 0, 1], v) / k
    for _ in range(30):
        world.step(100)
        angle = k * world.time
        wanted = centre + about(2, angle) @ (start - centre)
        assert ball.q[:3] == pytest.approx(wanted, abs=1e-7)


def test_a_wheel_in_a_steady_circle():
    """A millstone: an upright wheel of radius r on an axle that may slide, tilt and turn about a post, L away. It rolls
    in a circle, turning about the post at W and about itself at -W L / r. The floor pulls it inwards by m L W^2 and
    carries, by moments about the post, m g + I W^2 / r (of the spin) + m r W^2 (of the pull)."""
    r, L, m, W = 0.3, 0.8, 5.0, 2.0
    own, across = 0.5 * m * r * r, 0.25 * m * r * r
    light = {"mass": 1e-9, "moments": (1e-9,) * 3}
    fig = bk.Description(name="mill")
    fig.add("post", None, bk.hinge("post", (0, 0, 1)), at=(0, 0, r), **light)
    fig.add("axle", "post", bk.hinge("tilt", (1, 0, 0)), **light)
    fig.add("bush", "axle", bk.slider("slide", (0, 1, 0)), at=(0, L, 0), **light)
    fig.add("wheel", "bush", bk.hinge("spin", (0, 1, 0)), mass=m, moments=(across, own, across))
    world = World(dt=0.001, integrator="rk4")
    mill = world.add(fig.build())
    mill.v[:] = (W, 0.0, 0.0, -W * L / r)
    tie = world.connect(None, mill["wheel"], axes="z", velocity_axes="x y", radius=r)
    for k in range(20):
        world.step(100)
        assert mill.v == pytest.approx([W, 0, 0, -W * L / r], abs=1e-8)
        assert mill.q[1:3] == pytest.approx([0, 0], abs=1e-9)
        angle = W * (100 * (k + 1) - 0.5) * world.dt
        inwards = m * L * W**2 * np.array([np.sin(angle), -np.cos(angle)])
        assert -tie.force == pytest.approx([*inwards, m * G + own * W**2 / r + m * r * W**2], abs=1e-4)


def test_a_lone_rolling_row_is_right_with_contacts_about():
    """Where something hits in the same step, rows of connections hold to second order too: a rolling ball beside which
    another one falls on the floor goes on as alone."""
    world, fig, _, R = roller(3.0, 0.2, 2 / 5, "rk4", 0.001)
    world.add_fixed(bk.Shape("plane", position=(0, 0, -50)), friction=0.5)
    stone = world.add(bk.sphere(0.1, 1.0), at=(20, 0, -49.7))
    world.run(0.5)
    a = 5 / 7 * G * np.sin(SLOPE)
    assert abs(stone.q[2] + 49.9) < 1e-3
    assert R.T @ (fig.q[:3] - [0, 0, 1]) == pytest.approx([0.125 * a, 0, 0], abs=1e-9)


@pytest.mark.parametrize("integrator", ["euler", "rk4"])
def test_what_a_rolling_tie_puts_on_the_bodies(integrator):
    """Forces of the last step: mass times acceleration is weight and tie, moments too, for a ball and for a skate."""
    for make in (lambda: roller(3.0, 0.2, 2 / 5, integrator, 1e-4), lambda: skate(integrator, 1e-4)):
        world, fig, _, _ = make()
        world.step(200)
        before = fig.v.copy()
        world.step()
        wrench = tie_wrenches(world)[1]
        m = fig.model.mass
        assert wrench[:3] + m * np.array([0, 0, -G]) == pytest.approx(m * (fig.v[:3] - before[:3]) / world.dt, abs=1e-3)
        moments = np.diag(bk.crba(fig.model, fig.q))[3:]
        turned = fig.pose("body")[1] @ (moments * (fig.v[3:] - before[3:])) / world.dt
        assert wrench[3:] == pytest.approx(turned, abs=1e-3)
