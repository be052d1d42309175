"""The tracker's kernel: what it sees, when a foot has landed, and that its torques are those of the whole-body problem."""

import numpy as np
import pytest

from bunraku.control.whole_body import Contact, Task, WholeBody
from bunraku.dynamics.functions import centroidal, kinematics
from bunraku.gaits.natural_walk import NaturalWalk
from bunraku.gaits.stride_plan import Leg
from bunraku.gaits.tracker_law import CLOSED, FEEL, GOES_ON, NEXT, landed
from bunraku.gaits.tracker_tasks import FALL, FALLING, RISES, SEARCH, SOON, falls
from bunraku.gaits.walk_arrays import LINKS, STOP
from bunraku.model.configuration import difference


@pytest.fixture
def walk():
    """In the middle of a step, some steps on."""
    w = NaturalWalk(legs=[Leg(1.1, steps=6)])
    while not (w.tracker.now.landings == 2 and w.tracker.now.phase > 0.4):
        w.world.step(2)
    return w


def test_it_sees_where_it_is_and_how_it_moves(walk):
    seen, p = walk.tracker.walking.instant, walk.tracker.walking.problem
    k, c = kinematics(walk.rigid, p.q, p.v), centroidal(walk.rigid, p.q, p.v)
    for link, name in zip(seen.link, LINKS):
        place, turn = k.pose(name)
        assert np.allclose(link.place, place, atol=1e-12), name
        assert np.allclose(np.reshape(link.turn, (3, 3)), turn, atol=1e-12), name
        assert np.allclose([*link.rate, *link.spin], k.velocity(name), atol=1e-12), name
    assert np.allclose(seen.com, c.com, atol=1e-12) and np.allclose(seen.com_rate, c.com_velocity, atol=1e-12)
    assert np.allclose(seen.spin, c.angular, atol=1e-10)
    # its velocity comes from the sole that stands, low-passed at 60 Hz, a period old: within a few cm/s of the truth
    assert np.abs(np.array(p.v[:3]) - walk.figure.v[:3]).max() < 0.05
    assert np.abs(difference(walk.rigid, np.array(p.q), walk.figure.q)[6:]).max() < 0.02  # joints, two steps on


def test_its_torques_are_those_of_the_problem_that_the_plan_states(walk):
    """The same tasks and contacts, put together here in Python, give the kernel's torques."""
    tracker, g = walk.tracker, walk.tracker.gains
    w, p = tracker.walking, tracker.walking.problem
    i, now = w.instant, w.now
    lead, trail = ("left", "right") if now.lead == 0 else ("right", "left")
    rows, row = tracker.step.of[now.lead], int(i.row - i.first)
    q, v = np.array(p.q), np.array(p.v)
    k, c = kinematics(walk.rigid, q, v), centroidal(walk.rigid, q, v)
    assert i.stands == 2 and i.behind == 0, "on one sole, the other foot in the air"
    shift = k.pose(f"{lead}_heel")[0] - rows.links[f"{lead}_heel"].place[row]

    def held(name, gain, weights, extra=(0.0, 0.0, 0.0), rate=(0.0, 0.0, 0.0)):
        link, (place, turn) = rows.links[name], k.pose(name)
        E = link.turn[row] @ turn.T
        angle = 0.5 * np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]])
        error = np.concatenate([link.place[row] + shift + extra - place, angle])
        speed = link.rate[row] + np.concatenate([rate, np.zeros(3)]) - k.velocity(name)
        weight = [weights[0]] * 3 + [weights[1]] * 3
        return Task(name, link.change[row] + gain[0] * error + gain[1] * speed, weight=weight)

    plan, T = tracker.step.plan, tracker.step.plan.seconds
    span = 0.93 - plan.both
    u = (i.phase - plan.both) / span
    to, fast = u**3 * (10 - 15 * u + 6 * u * u), 30 * u * u * (1 - u) ** 2 / (span * T)
    target = np.array([*now.target, 0.0])
    higher = np.array([0.0, 0.0, min(u / RISES, 1.0) * falls((1.0 - i.phase) * T - SOON)[0]])
    tasks = [held(name, g.body, (0.0, g.weight_body)) for name in ("pelvis", "trunk")]
    tasks.append(held(f"{trail}_heel", g.foot, (g.weight_foot,) * 2, to * target + higher, fast * target))
    contacts = []
    for n, y in enumerate(walk.humanoid.feet[now.lead].outline[:, 1]):
        name = f"{lead}_heel" if n < 2 else f"{lead}_toe"
        R, rate = k.pose(name)[1], k.velocity(name)
        moves = rate[:3] + np.cross(rate[3:], y * R[:, 1])
        near = rows.forces[row, now.lead, n]
        contacts.append(Contact(name, (0.0, y, 0.0), friction=g.friction, wanted=-g.hold * moves, near=near))
    omega, m = w.figure.pendulum, walk.rigid.mass
    com, speed = c.com - rows.com[row] - shift, c.com_velocity - rows.com_rate[row]
    wish = rows.com_change[row].copy()
    wish[:2] += omega**2 * (com[:2] - (1 + g.capture) * (com[:2] + speed[:2] / omega))
    wish[2] -= g.height[0] * com[2] + g.height[1] * speed[2]
    force = m * (wish - walk.rigid.gravity)
    moment = rows.spin_change[row] + g.spin * (rows.spin[row] - c.angular)
    weight = p.momentum.column("weight")
    momentum = {d: (float([*force, *moment][d]), float(weight[d])) for d in range(6)}
    posture = rows.a[row] + g.posture[0] * difference(walk.rigid, q, rows.q[row])
    posture = posture + g.posture[1] * (rows.v[row] - v)
    found = WholeBody(walk.rigid, contacts=8, tasks=6).solve(
        q, v, tasks=tasks, contacts=contacts, posture=posture[6:], posture_weight=p.posture.column("weight"),
        momentum=momentum, force_weight=g.weight_force, rounds=1,
    )  # fmt: skip
    size = np.abs(found.tau).max()
    assert size > 20
    assert np.abs(found.tau - np.array(p.tau)).max() < 2e-3 * size  # the cones' state is another one at the beginning


def test_a_foot_falls_onto_the_ground():
    """Where it is and how fast it rises: one is the rate of the other, at the planned height after `FALLING`, and ever
    faster down to `SEARCH`."""
    left, h = np.linspace(0.1, -0.2, 301), 1e-7
    high, fast = np.array([falls(x) for x in left]).T
    ahead, behind = (np.array([falls(x + e)[0] for x in left]) for e in (-h, h))
    smooth = (np.abs(left) > 1e-6) & (np.abs(left - FALLING) > 1e-6)
    assert ((ahead - behind) / (2 * h))[smooth] == pytest.approx(fast[smooth], abs=1e-6)
    assert high[0] == FALL * FALLING and fast[0] == 0.0
    assert falls(0.0) == (0.0, -FALL)
    assert np.all(np.diff(fast) <= 1e-12) and fast[-1] == -SEARCH


def test_a_foot_has_landed_when_it_feels_weight(walk):
    w = walk.tracker.walking
    trail = 1 - w.now.lead
    for phase, load, answer in (
        (0.5, 0.2, GOES_ON),
        (0.9, 0.5 * FEEL, GOES_ON),
        (0.9, 2 * FEEL, NEXT),
        (1.2, 1.0, NEXT),
    ):
        w.now.phase, w.felt.loads[trail] = phase, load * w.figure.weight
        assert landed(w) == answer, (phase, load)
    w.step.kind, w.step.land = STOP, 0.6
    w.now.phase, w.felt.loads[trail] = 0.55, 0.1 * w.figure.weight
    assert landed(w) == CLOSED and w.now.closed == 1
    assert landed(w) == GOES_ON
