"""Which foot steps next, and where to: to catch a fall, towards what is dragged, along a plan, or feet together.

Quick step. The pendulum's capture point x runs away from the pressure p as x(t) = p + (x - p) e^(w t). With the best p
that the standing sole can give, it will be at e = x(T) when the swing ends: there, and a little beyond, the foot must
land, within reach of the other leg and on its own side. Of two feet, the one with which less of e is out of reach.

Slow step. The figure wants to be at a place with a heading: near enough to what is dragged, or its feet side by side.
Each foot's place there is beside it; a step goes so far towards it as reach allows. Parts of kernels; checked in
tests/choreography/test_stepping.py.
"""

from __future__ import annotations

from math import atan2, exp, pi

from bunraku.choreography.dance_arrays import DRAG, Dance
from bunraku.choreography.stepping_arrays import StrideState
from bunraku.kernel.compile import inline, part
from bunraku.kernel.trig import sincos

IN = 0.008  # m that the pressure keeps from a sole's edge
CLOSE = 0.035  # m, and
ALIGNED = 0.06  # rad: a foot that is where it should be
TURNING = 0.45  # m: a way from which on the figure turns to where it goes


@inline
def held(x, low, high):
    """x in a range."""
    return min(max(x, low), high)


@inline
def turned(a):
    """An angle within -pi ... pi."""
    s, c = sincos(a)
    return atan2(s, c)


@inline
def into_axes(x, yaw):
    """Level components ahead and to the left."""
    s, c = sincos(yaw)
    return c * x[0] + s * x[1], c * x[1] - s * x[0]


@inline
def out_of_axes(x, yaw):
    """World components of (ahead, left)."""
    s, c = sincos(yaw)
    return c * x[0] - s * x[1], s * x[0] + c * x[1]


@inline
def flat_of(p):
    """Seen from above."""
    return p[0], p[1]


# ---- quick steps ---------------------------------------------------------------------------------------------------


@part
def arrival(d: Dance, stand, seconds):
    """(e, p) in the axes of the standing foot: where the capture point will be, with the best pressure p."""
    foot = d.step.foot[stand]
    x = into_axes((d.seen.capture[0] - foot.place[0], d.seen.capture[1] - foot.place[1]), foot.yaw)
    half = d.sole[stand].half
    px = held(x[0], IN - half[0], half[0] - IN)
    py = held(x[1], IN - half[1], half[1] - IN)
    grown = exp(d.seen.pendulum * seconds)
    return (px + (x[0] - px) * grown, py + (x[1] - py) * grown), (px, py)


@part
def catching_place(d: Dance, side, seconds):
    """(x, y) in the axes of the standing foot where foot `side` must land, and how much of the arrival it misses [m]."""
    g, stand = d.stepper, 1 - side
    e, p = arrival(d, stand, seconds)
    out = d.sole[side].out
    dx = e[0] - p[0]
    dy = e[1] - p[1]
    size = (dx * dx + dy * dy) ** 0.5
    more = g.beyond / size if size > 1e-6 else 0.0
    x = held(e[0] + more * dx, -g.back, g.ahead)
    y = out * held(out * (e[1] + more * dy), g.near, g.wide)
    half = d.sole[side].half  # what lies between the feet and within the new sole is caught
    mx = e[0] - held(e[0], min(x, 0.0) - half[0], max(x, 0.0) + half[0])
    my = e[1] - held(e[1], min(y, 0.0) - half[1], max(y, 0.0) + half[1])
    return (x, y), (mx * mx + my * my) ** 0.5


@part
def catching_foot(d: Dance):
    """The foot that shall catch the fall; -1: neither can."""
    s, g = d.step, d.stepper
    best = -1
    least = 1e9
    for side in range(2):
        if s.foot[side].free == 0.0 or s.foot[1 - side].touching == 0.0:
            continue
        to, missed = catching_place(d, side, g.quick)
        foot, other = s.foot[side], s.foot[1 - side]
        now = into_axes((foot.place[0] - other.place[0], foot.place[1] - other.place[1]), other.yaw)
        way = ((to[0] - now[0]) ** 2 + (to[1] - now[1]) ** 2) ** 0.5
        cost = missed + 0.2 * way
        if cost < least:
            least = cost
            best = side
    return best


@part
def aim_at_catch(d: Dance, side, seconds, part_):
    """Move the goal of the swing so far (part_ of the way) to where the capture point will be."""
    s = d.step
    stand = s.foot[1 - side]
    to = catching_place(d, side, seconds)[0]
    x, y = out_of_axes(to, stand.yaw)
    goal = s.goal
    s.goal = (
        goal[0] + part_ * (stand.place[0] + x - goal[0]),
        goal[1] + part_ * (stand.place[1] + y - goal[1]),
        stand.place[2],
    )


# ---- slow steps ----------------------------------------------------------------------------------------------------


@part
def middle_of_feet(s: StrideState):
    """Between the soles, seen from above."""
    a, b = s.foot[0].place, s.foot[1].place
    return 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])


@part
def dragged_place(d: Dance):
    """Where the figure must be so that what is dragged can come to its target: (how far away [m]; `place` and
    `place_yaw` are set). 0: where it is."""
    s, g = d.step, d.stepper
    middle = middle_of_feet(s)
    ground = 0.5 * (s.foot[0].place[2] + s.foot[1].place[2])
    most = 0.0
    for k in range(len(d.pin)):
        pin, aim, limb = d.pin[k], d.aim[k], d.limb[k]
        if pin.kind != DRAG or limb.length <= 0.0:
            continue
        height = aim.target[2] - ground - limb.root[2]
        height = max(height, 0.0) if height > 0.0 else min(height + 0.5 * g.size, 0.0)
        ways = (aim.target[0] - middle[0], aim.target[1] - middle[1])
        yaw = s.heading
        length = limb.length * (g.far if s.mode == 0 and s.wanted == 0 else g.enough)
        least = (0.6 if height < 0.0 else 0.1) * limb.length  # who bends down has the shoulder ahead
        free = max(length * length - height * height, least * least) ** 0.5
        root = out_of_axes((limb.root[0], limb.root[1]), yaw)
        dx = ways[0] - root[0]
        dy = ways[1] - root[1]
        size = (dx * dx + dy * dy) ** 0.5
        if size - free <= most:
            continue
        if size - free > TURNING * g.size or abs(turned(s.place_yaw - s.heading)) > ALIGNED:  # it turns that way
            there = (ways[0] ** 2 + ways[1] ** 2) ** 0.5
            lean = held(limb.root[1] / max(there, 1e-6), -0.5, 0.5)
            yaw = atan2(ways[1], ways[0]) - lean
            if abs(turned(yaw - s.heading)) > 0.5 * pi and size - free < 2.0 * TURNING * g.size:
                yaw = s.heading  # backwards is nearer
        root = out_of_axes((limb.root[0], limb.root[1]), yaw)
        dx = ways[0] - root[0]
        dy = ways[1] - root[1]
        size = (dx * dx + dy * dy) ** 0.5
        near = max((g.enough * limb.length) ** 2 - height * height, 0.64 * least * least) ** 0.5
        most = max(size - near, 0.0)
        s.place = (middle[0] + dx * most / max(size, 1e-6), middle[1] + dy * most / max(size, 1e-6))
        s.place_yaw = yaw
    return most


@part
def foot_place(d: Dance, side):
    """(x, y) of a foot where the figure stands at `place`."""
    s = d.step
    x, y = out_of_axes((0.0, 0.5 * d.stepper.apart * d.sole[side].out), s.place_yaw)
    return s.place[0] + x, s.place[1] + y


@part
def is_there(d: Dance, side):
    """Whether a foot is where it shall be in the end."""
    s = d.step
    return stands_at(s, side, foot_place(d, side), s.place_yaw)


@part
def within_step(d: Dance, side, x, y, yaw):
    """A place and heading as near to those given as one step allows, into `goal` and `goal_yaw`."""
    s, g, stand = d.step, d.stepper, d.step.foot[1 - side]
    out = d.sole[side].out
    ahead, left = into_axes((x - stand.place[0], y - stand.place[1]), stand.yaw)
    size = max(abs(ahead) / g.stride, 1.0)
    ahead = ahead / size
    left = out * held(out * left, g.near, g.aside)
    turn = out * held(out * turned(yaw - stand.yaw), -g.turn_in, g.turn_out)
    gx, gy = out_of_axes((ahead, left), stand.yaw)
    s.goal = (stand.place[0] + gx, stand.place[1] + gy, stand.place[2])
    s.goal_yaw = stand.yaw + turn


@part
def next_foot(d: Dance):
    """The foot that steps towards `place`, or -1: both are there."""
    s = d.step
    left_there, right_there = is_there(d, 0), is_there(d, 1)
    if left_there and right_there:
        return -1
    side = 1 - s.last
    if left_there or right_there:
        side = 1 if left_there else 0
    elif s.still > 0.3 or s.taken == 0:
        way = (
            s.place[0] - 0.5 * (s.foot[0].place[0] + s.foot[1].place[0]),
            s.place[1] - 0.5 * (s.foot[0].place[1] + s.foot[1].place[1]),
        )
        ahead, left = into_axes(way, s.heading)
        turn = turned(s.place_yaw - s.heading)
        if abs(left) > abs(ahead) or abs(turn) > 0.3:
            side = 0 if (turn if abs(turn) > 0.3 else left) > 0.0 else 1
    if s.foot[side].free == 0.0:
        side = 1 - side
        if s.foot[side].free == 0.0 or (left_there if side == 0 else right_there):
            side = -1
    return side


@part
def plan_towards_place(d: Dance):
    """Choose the next slow step towards `place`; whether there is one."""
    s = d.step
    side = next_foot(d)
    for _ in range(2):  # the other one where this one can go no farther
        if side < 0 or s.foot[side].free == 0.0:
            return False
        x, y = foot_place(d, side)
        within_step(d, side, x, y, s.place_yaw)
        if not stands_at(s, side, s.goal, s.goal_yaw):
            s.side = side
            return True
        side = 1 - side
    return False


@part
def plan_queued(d: Dance):
    """Choose the next step of the plan, or one on the way to it; whether there is one. Steps that are done go out."""
    s, g = d.step, d.stepper
    while s.queue < s.planned:
        to = d.planned[s.queue]
        if not stands_at(s, to.side, to.place, to.yaw):
            break
        s.queue += 1
    if s.queue >= s.planned:
        return False
    to = d.planned[s.queue]
    stand = s.foot[1 - to.side]
    ahead, left = into_axes((to.place[0] - stand.place[0], to.place[1] - stand.place[1]), stand.yaw)
    out = d.sole[to.side].out
    s.side = to.side
    if abs(ahead) < 1.3 * g.stride and 0.8 * g.near < out * left < 1.2 * g.aside:
        s.goal = to.place
        s.goal_yaw = to.yaw
    else:  # a foot was put down elsewhere
        within_step(d, to.side, to.place[0], to.place[1], to.yaw)
        if stands_at(s, s.side, s.goal, s.goal_yaw):
            s.side = 1 - s.side
            x, y = out_of_axes((0.0, -d.stepper.apart * out), to.yaw)
            within_step(d, s.side, to.place[0] + x, to.place[1] + y, to.yaw)
    return True


@part
def stands_at(s: StrideState, side, place, yaw):
    """Whether a foot stands at a place."""
    foot = s.foot[side]
    away = (place[0] - foot.place[0]) ** 2 + (place[1] - foot.place[1]) ** 2
    return away < CLOSE * CLOSE and abs(turned(yaw - foot.yaw)) < ALIGNED
