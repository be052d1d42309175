"""Restitution of connections, (13) to (19) of Nakamura & Yamane 2000: the rates after a birth, and that none ever gains
energy."""

import numpy as np
import pytest

import bunraku as bk
from asserts import asserts
from bunraku.dynamics.functions import crba
from bunraku.model.rotations import matrix
from bunraku.world import World
from bunraku.world.births import rows_of
from bunraku.world.ties import NAMES

SHORT = 1e-7  # s: what a step does besides the birth is of this order


def body(rng, name: str) -> bk.Model:
    """A free body without shapes; its moments obey the triangle inequality."""
    fig = bk.Description(name=name)
    x = rng.uniform(0.1, 1.0, 3)
    fig.add(name, None, bk.free("root"), mass=rng.uniform(0.5, 5), moments=(x[1] + x[2], x[0] + x[2], x[0] + x[1]))
    return fig.build()


def chain(rng, name: str) -> bk.Model:
    """Three bodies on hinges, the first one free."""
    fig = bk.Description(name=name)
    parent = None
    for k in range(3):
        x, axis = rng.uniform(0.02, 0.2, 3), rng.normal(size=3)
        joint = bk.free("root") if k == 0 else bk.hinge(f"joint{k}", axis / np.linalg.norm(axis))
        fig.add(
            f"link{k}", parent, joint, at=rng.normal(size=3) * 0.3, mass=rng.uniform(0.5, 3), com=rng.normal(size=3) * 0.1,
            moments=(x[1] + x[2], x[0] + x[2], x[0] + x[1]),
        )  # fmt: skip
        parent = f"link{k}"
    return fig.build()


def turn(rng) -> np.ndarray:
    """A rotation matrix."""
    q = rng.normal(size=4)
    return matrix(q / np.linalg.norm(q))


def free_case(rng) -> tuple[World, list[bk.world.Figure]]:
    """Two figures in random poses and motions, no gravity."""
    world = World(dt=SHORT, gravity=(0, 0, 0), tolerance=1e-12)
    makers = [body if rng.random() < 0.5 else chain for _ in range(2)]
    figures = [world.add(make(rng, f"f{k}")) for k, make in enumerate(makers)]
    world.q[:] = bk.integrate(world.model, world.q, rng.normal(size=world.model.nv))
    world.v[:] = rng.normal(size=world.model.nv)
    return world, figures


def birth(rng, world: World, figures, restitution) -> tuple[bk.Connection, str]:
    """A connection along random axes of a random frame."""
    links = [f[rng.choice([link.name for link in f.model.links])] for f in figures]
    axes = " ".join(sorted(rng.choice(NAMES, rng.integers(1, 7), replace=False)))
    other = links[1] if rng.random() < 0.8 else None
    given = restitution if np.isscalar(restitution) else {n: restitution[n] for n in axes.split()}
    cut = rng.integers(0, 1 + len(axes.split()))  # some tie rates alone
    held, rates = " ".join(axes.split()[cut:]), " ".join(axes.split()[:cut])
    options = {"axes": held} if held else {}
    tie = world.connect(
        links[0], other, at=rng.normal(size=3), rotation=turn(rng), velocity_axes=rates, restitution=given, **options
    )
    return tie, axes


def kinetic(M: np.ndarray, v: np.ndarray) -> float:
    """[J]."""
    return float(0.5 * v @ M @ v)


@asserts("2000/eq-15-energy")
@pytest.mark.parametrize("births", [200, pytest.param(1000, marks=pytest.mark.slow)])
def test_energy_never_grows(births):
    """Random births between bodies and chains, one or two at once, with a restitution of its own for each axis:
    with the mass matrix of the moment the kinetic energy after it is not above that before, beyond rounding and what a
    step of 0.1 us does. Unscaled, some of the same births would gain."""
    rng = np.random.default_rng(15)
    gained, largest = 0, 0.0
    for _ in range(births):
        world, figures = free_case(rng)
        for _ in range(rng.integers(1, 3)):
            birth(rng, world, figures, dict(zip(NAMES, rng.choice([0.0, 0.3, 0.7, 1.0], 6))))
        M, q, v = crba(world.model, world.q), world.q.copy(), world.v.copy()
        H, owners = rows_of(world)
        e = np.array([world._ties.ties[n].restitution[k] for n, k in owners])
        B = H @ np.linalg.solve(M, H.T)
        raw = v - np.linalg.solve(M, H.T) @ (np.linalg.pinv(B, 1e-10) @ ((1 + e) * (H @ v)))
        world.step()
        change = (kinetic(M, world.v) - kinetic(M, v)) / kinetic(M, v)
        a = bk.aba(world.model, q, v, np.zeros(len(v)))
        step = (
            2.1 * SHORT * np.sqrt(kinetic(M, a) / kinetic(M, v))
        )  # the rates after it are at most dt a from those at it
        spread = np.linalg.eigvalsh(B)
        blur = 1e-14 * spread[-1] / spread[spread > 1e-12 * spread[-1]][0]  # rounding of rates over the least of B
        assert change < step + blur + 1e-7  # rounding of places over dt
        gained += kinetic(M, raw) > kinetic(M, v) * (1 + 1e-6)
        largest = max(largest, kinetic(M, raw) / kinetic(M, v) - 1)
    assert gained > births / 20 and largest > 0.05


@asserts("2000/eq-14", "2000/eq-15", "2000/eq-18", "2000/eq-18-energy", "2000/eq-19")
def test_equal_restitution_has_the_closed_form():
    """300 births of one connection with the same e on all axes: vc_new = -e vc, F = B^-1 (1 + e) vc, and the energy falls
    by (1 - e^2) vc' B^-1 vc / 2."""
    rng = np.random.default_rng(16)
    for k in range(300):
        world, figures = free_case(rng)
        e = (0.0, 0.25, 0.8, 1.0)[k % 4]
        birth(rng, world, figures, e)
        M, v = crba(world.model, world.q), world.v.copy()
        H, _ = rows_of(world)
        vc = H @ v
        B = H @ np.linalg.solve(M, H.T)
        if np.linalg.cond(B) > 1e6:
            continue
        F = np.linalg.solve(B, (1 + e) * vc)
        world.step()
        size = np.abs(v).max() * np.linalg.cond(B) ** 0.5
        assert H @ world.v == pytest.approx(-e * vc, abs=3e-7 * size)
        assert world.v == pytest.approx(v - np.linalg.solve(M, H.T @ F), abs=1e-6 * size)
        lost = 0.5 * (1 - e * e) * vc @ np.linalg.solve(B, vc)
        assert kinetic(M, v) - kinetic(M, world.v) == pytest.approx(lost, abs=1e-6 * kinetic(M, v) * size)


@asserts("2000/two-balls")
@pytest.mark.parametrize(
    ("contact", "integrator"),
    [("pgs", "euler"), ("pgs", "rk4"), ("virtual_link", "euler"), ("penalty", "euler"), ("penalty", "rk4")],
)
def test_two_balls_in_a_row(contact, integrator):
    """1 kg at 2 m/s is tied along x to 3 kg at rest: v = (m1 - e m2, m1 (1 + e)) / (m1 + m2) times 2 m/s after the step
    of the birth; some steps later both move together, as with e = 0."""
    for e in (0.0, 0.5, 1.0):
        world = World(dt=1e-4, gravity=(0, 0, 0), integrator=integrator, contact=contact)
        a = world.add(bk.sphere(0.1, 1.0), at=(0, 0, 0), name="a")
        b = world.add(bk.sphere(0.1, 3.0), at=(1, 0, 0), name="b")
        a.v[0] = 2.0
        tie = world.connect(a, b, axes="x", restitution=e)
        world.step()
        assert (a.v[0], b.v[0]) == pytest.approx((2 * (1 - 3 * e) / 4, 2 * (1 + e) / 4), abs=1e-6)
        assert tie.force[0] == pytest.approx(-3 / 4 * (1 + e) * 2 / world.dt, rel=1e-6)
        world.step(12)  # Euler takes 0.8 of what they moved apart back in a step
        assert (a.v[0], b.v[0]) == pytest.approx((0.5, 0.5), abs=1e-6)
        world.disconnect(tie)


def test_a_rod_that_would_gain():
    """A rod tied at its end along x (e = 1) and y (e = 0) of a frame at 45 degrees to it: unscaled, the closed form
    gains energy; scaled, it is kept (to rounding) with the direction of vc_new."""
    world = World(dt=1e-7, gravity=(0, 0, 0), tolerance=1e-12)
    fig = bk.Description(name="rod")
    fig.add("rod", None, bk.free("root"), mass=1.0, moments=(1e-4, 0.01, 0.01))
    rod = world.add(fig.build())
    R = matrix(np.array([np.cos(np.pi / 8), 0, 0, np.sin(np.pi / 8)]))
    rod.v[:] = (0, 1, 0, 0, 0, 0)
    M, v = crba(world.model, world.q), world.v.copy()
    world.connect(rod, at=(1, 0, 0), axes="x y", rotation=R, restitution={"x": 1.0})
    H, _ = rows_of(world)
    B, vc = H @ np.linalg.solve(M, H.T), H @ v
    raw = v - np.linalg.solve(M, H.T) @ np.linalg.solve(B, [2, 1] * vc)
    assert kinetic(M, raw) > 1.05 * kinetic(M, v)
    world.step()
    assert kinetic(M, world.v) == pytest.approx(kinetic(M, v), rel=1e-6)
    assert (H @ world.v)[1] == pytest.approx(0, abs=1e-6) and -0.7 < (H @ world.v)[0] < -0.1


def test_a_bounce_is_a_connection_of_one_step():
    """e = 1 along the normal of an oblique wall, cut again: the angle of reflection is that of incidence."""
    world = World(dt=1e-5, gravity=(0, 0, 0))
    ball = world.add(bk.sphere(0.1, 1.0))
    rng = np.random.default_rng(3)
    R = turn(rng)
    v = R @ [0.3, -0.4, -2.0]
    ball.v[:3] = v
    wall = world.connect(ball, axes="z", rotation=R, restitution=1.0)
    world.step()
    world.disconnect(wall)
    world.step(10)
    assert R.T @ ball.v[:3] == pytest.approx([0.3, -0.4, 2.0], abs=1e-8)


def test_limits_and_floors_do_not_make_a_gain():
    """A figure with straight knees and elbows, at their limits, in the air or with its soles on the floor, is caught with
    a restitution of its own on every axis: 60 births, none gains; with closed forms alone some would."""
    rng, gains = np.random.default_rng(21), []
    for k in range(60):
        world = World(dt=1e-7, tolerance=1e-10, contact=("pgs", "virtual_link")[k % 2])
        world.add_ground(friction=0.8)
        fig = world.add(bk.human(), at=(0, 0, 0.9 + (k % 3) * 0.5))
        fig.v[:] = 0.5 * rng.normal(size=fig.v.size)
        fig.v[2] -= 2.0
        M, v = crba(world.model, world.q), world.v.copy()
        link = fig[rng.choice(["left_hand", "right_hand", "right_foot", "trunk"])]
        world.connect(
            link, axes="x y z rx ry rz", rotation=turn(rng), restitution=dict(zip(NAMES, rng.choice([0, 0.4, 1.0], 6)))
        )
        world.step()
        gains.append(kinetic(M, world.v) / kinetic(M, v) - 1)
    assert max(gains) < 1e-5 and min(gains) < -0.01


def test_rates_set_after_connecting_count():
    """The birth is in the first step, not in `connect`."""
    world = World(dt=1e-6, gravity=(0, 0, 0))
    ball = world.add(bk.sphere(0.1, 1.0))
    world.connect(ball, axes="x y z", restitution={"y": 0.5})
    ball.v[:3] = (1, 2, 3)
    world.step(1)
    assert ball.v[:3] == pytest.approx([0, -1, 0], abs=1e-6)
    world.step(12)
    assert np.abs(ball.v).max() < 1e-7


def test_a_figure_on_a_bar_with_restitution():
    """A falling figure whose hands are caught by a bar, e = 0.3 along x y z, both hands at once: the relative rates turn
    round by 0.3, linear and angular momentum are those that the two impulses give, energy falls."""
    world = World(dt=1e-7)
    fig = world.add(bk.human(), at=(0, 0, 2))
    rng = np.random.default_rng(8)
    fig.v[:] = 0.5 * rng.normal(size=fig.v.size)
    fig.v[2] -= 2.0
    M, v = crba(world.model, world.q), world.v.copy()
    hands = [fig["left_hand"], fig["right_hand"]]
    before = [fig.velocity(h.name)[:3] for h in hands]
    for h in hands:
        world.connect(h, restitution=0.3)
    world.step()
    after = [fig.velocity(h.name)[:3] for h in hands]
    for x, y in zip(before, after):
        assert y == pytest.approx(-0.3 * x, abs=1e-4)
    assert kinetic(M, world.v) < kinetic(M, v)
