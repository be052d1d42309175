"""Where the next foot lands, part by part, against the equations of the module's text: errors that grow, room that
the pressure has, reach, offsets that go home, the way of the foot to a new place."""

from functools import cache

import numpy as np
import pytest

import bunraku as bk
from bunraku.control.balance_arrays import Balance, BalanceRoom
from bunraku.control.foot_placement import HOME, foot_shift, place, shifts
from bunraku.control.walking_plan import plan_of
from bunraku.humanoid.parts import humanoid
from bunraku.kernel.entry import entry

DT, LIFT, LANDING, ROWS = 0.01, 5, 45, 60  # a swing of 0.4 s
OMEGA = 3.3


@entry("h d d d d d d d D")
def placed(h, ex, ey, ahead, aside, c, d, grow, out):
    """`place` into out (4)."""
    x, y, moved, missing = place(Balance(h), ex, ey, (ahead, aside), (c, d), grow)
    out[0] = x
    out[1] = y
    out[2] = moved
    out[3] = missing
    return 0


@entry("h d D")
def shifted(h, omega, out):
    """`shifts` into out (4)."""
    zx, zy, cx, cy = shifts(Balance(h), omega)
    out[0] = zx
    out[1] = zy
    out[2] = cx
    out[3] = cy
    return 0


@entry("h D")
def foot_moved(h, out):
    """`foot_shift` into out (6)."""
    at, rate = foot_shift(Balance(h))
    for d in range(3):
        out[d] = at[d]
        out[3 + d] = rate[d]
    return 0


@cache
def figure():
    return humanoid(bk.human())


def swinging(side, yaw=0.0, offset=(0.0, 0.0)):
    """(room, plan): a figure that stands facing `yaw` and lifts one foot; the other stands `offset` from its place."""
    h = figure()
    q = bk.integrate(h.model, h.stand, np.eye(h.model.nv)[5] * yaw)
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    q[:2] = turn @ h.stand[:2]
    contact = np.ones((ROWS, 2), dtype=bool)
    contact[LIFT:LANDING, side] = False
    load = np.where(contact, 0.5, 0.0)
    load[LIFT:LANDING, 1 - side] = 1.0
    com = bk.centre_of_mass(h.model, q)
    plan = plan_of(
        h.model, h.feet, h.trunk, DT, q=np.tile(q, (ROWS, 1)), v=np.zeros((ROWS, h.model.nv)), contact=contact, load=load,
        zmp=np.tile([com[0], com[1], 0.0], (ROWS, 1)),
    )  # fmt: skip
    room = BalanceRoom(h.model, h.feet, h.trunk, 0.6)
    room.follow(plan)
    b = room.b
    b.figure.reach_ahead, b.figure.reach_near, b.figure.reach_far = 0.5, 0.14, 0.5
    b.step.swing, b.step.done, b.step.pace = 0.0, -1.0, 1.0
    b.step.clock = LIFT * DT + 0.1
    b.step.standing[:] = 1.0
    b.step.standing[side] = 0.0
    b.step.offset[1 - side] = offset
    return room, plan


def call(function, room, *numbers, size):
    out = np.zeros(size)
    function.call(room.table.handle, *map(float, numbers), out)
    return out


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("yaw", [0.0, 0.6, -2.0])
@pytest.mark.parametrize("error", [(0.05, 0.0), (-0.06, 0.0), (0.03, 0.02), (-0.04, 0.015)])
def test_what_the_pressure_cannot_take_back_moves_the_landing_place(side, yaw, error):
    """rest = |e| grow - room (grow - 1), if that is more than nothing, along and across the sole; outwards across, where
    the legs have room."""
    outwards = 1.0 if side == 0 else -1.0
    e, room_of, grow = np.array([error[0], outwards * error[1]]), np.array([0.02, 0.01]), 3.0
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    room, _ = swinging(side, yaw)
    x, y, moved, missing = call(placed, room, *(turn @ e), *room_of, np.cos(yaw), np.sin(yaw), grow, size=4)
    rest = np.sign(e) * np.maximum(np.abs(e) * grow - room_of * (grow - 1.0), 0.0)
    assert np.allclose([x, y], turn @ rest, atol=1e-12) and missing == pytest.approx(0.0, abs=1e-12)
    assert moved == pytest.approx(np.linalg.norm(rest), abs=1e-12) and moved > 0.02


@pytest.mark.parametrize("side", [0, 1])
def test_feet_stay_clear_of_each_other_and_within_reach(side):
    """Inwards the foot comes no nearer than reach_near; ahead it goes no farther than reach_ahead; what is missing is
    said."""
    room, plan = swinging(side)
    apart = np.array(plan.rows[0].foot[side]) - np.array(plan.rows[0].foot[1 - side])
    inwards = -1.0 if side == 0 else 1.0
    _, y, _, missing = call(placed, room, 0.0, inwards * 0.2, 0.0, 0.0, 1.0, 0.0, 2.0, size=4)
    assert abs(apart[1] + y) == pytest.approx(0.14) and np.sign(apart[1] + y) == np.sign(apart[1])
    assert missing == pytest.approx(0.4 - (abs(apart[1]) - 0.14))
    x, _, _, missing = call(placed, room, 0.4, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0, size=4)
    assert x == pytest.approx(0.5 - apart[0]) and missing == pytest.approx(0.8 - 0.5 + apart[0])


@pytest.mark.parametrize("offset", [(0.10, -0.04), (0.02, 0.01)])
def test_an_offset_goes_home_step_by_step(offset):
    """Without an error the foot lands HOME nearer to the plan than the other one stands, or on the plan; meanwhile the
    capture point is led from one to the other: o + (home - o) e^(-w T), T to the middle of the support that follows."""
    room, _ = swinging(1, offset=offset)
    size = np.hypot(*offset)
    home = np.array(offset) * (1.0 - min(HOME / size, 1.0))
    x, y, moved, _ = call(placed, room, 0.0, 0.0, 0.02, 0.01, 1.0, 0.0, 2.0, size=4)
    assert np.allclose([x, y], home, atol=1e-12) and moved == 0.0
    zx, zy, cx, cy = call(shifted, room, OMEGA, size=4)
    to_exchange = (LANDING - LIFT) * DT - 0.1 + 0.5 * 40 * DT
    assert np.allclose([zx, zy], offset)
    assert np.allclose([cx, cy], np.array(offset) + (home - offset) * np.exp(-OMEGA * to_exchange), atol=1e-12)


def test_while_both_stand_the_loads_share_the_offsets():
    """Long before an exchange: the zero-moment point by the loads of now, the capture point by those before it."""
    room, _ = swinging(0)
    step = room.b.step
    step.swing, step.clock = -1.0, 0.0
    step.standing[:] = 1.0
    step.offset[0], step.offset[1] = (0.02, 0.0), (0.0, 0.06)
    room.b.row.load[:] = 0.5
    zx, zy, cx, cy = call(shifted, room, 1e3, size=4)
    assert np.allclose([zx, zy], [0.01, 0.03]) and np.allclose([cx, cy], [0.01, 0.03], atol=1e-9)


def test_the_foot_goes_to_its_new_place_and_is_there_in_time():
    """From the offset where it was lifted to that of its target, along the minimum-jerk polynomial within nine tenths of
    the swing; the rate is the derivative; a late foot is lowered."""
    room, _ = swinging(0)
    step = room.b.step
    step.start, step.target, step.lowered, step.pace = (0.01, -0.02), (0.11, 0.03), 0.007, 1.3
    span = (LANDING - LIFT) * DT
    for u, at in ((0.0, 0.0), (0.45, 0.5), (0.9, 1.0), (1.0, 1.0)):
        step.clock = LIFT * DT + u * span
        found = call(foot_moved, room, size=6)
        assert np.allclose(found[:3], [0.01 + 0.1 * at, -0.02 + 0.05 * at, -0.007], atol=1e-12)
        if u in (0.0, 0.9, 1.0):
            assert np.allclose(found[3:], 0.0, atol=1e-9)
    h = 1e-6
    for u in (0.2, 0.5, 0.8):
        here = []
        for shift in (-h, 0.0, h):
            step.clock = LIFT * DT + u * span + shift
            here.append(call(foot_moved, room, size=6))
        rate = 1.3 * (here[2] - here[0])[:3] / (2 * h)  # the clock runs 1.3 times as fast
        assert np.allclose(here[1][3:], rate, rtol=1e-6, atol=1e-8)
