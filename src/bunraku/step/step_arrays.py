"""Step: all that a step of a world works on, by name. Kernels open it by `s = Step(h)`; Python reads the same names.

Whoever builds a world (bunraku.world.prepare, bunraku.world.room) puts an array of the stated shape into every field.
`nb` bodies, `nq` coordinates, `nv` degrees of freedom; SI units, world axes. A *source* is where an impulse can enter,
a *pack* up to three rows between the same two sources, a *block* what a solver sees (bunraku.step.rows).

State, which snapshots and saved worlds keep number by number: q, v, tau, target_q, target_v, drive, applied, numbers,
info, ids, contacts, last_ids, memory, joint_impulse, ties, tie_kinds, tie_impulse, tie_last, track_q, track_v, and all
of the last step. So the order of fields of Numbers, Info, Drive, ContactMemory, Tie and TieKind is that of the files; those of version
0.1 have the first 29 numbers of a Tie and the first 5 of a TieKind.
All else is work: made anew for a scene, or scratch.
"""

from __future__ import annotations

import numpy as np

from bunraku.collision.shape_layout import ContactId, Detection
from bunraku.contact.dense_front import Dense
from bunraku.contact.problem import Problem
from bunraku.contact.sparse_matrix import Sparse
from bunraku.kernel.record import (
    Record,
    inner,
    int_matrix,
    int_vector,
    many,
    mat3,
    matrix,
    pair,
    real,
    reals,
    ref,
    vec3,
    vector,
    whole,
    wholes,
)

# statuses of a step
OK = np.int64(0)
AGAIN = np.int64(1)  # a guess about what acts was wrong: the step is to be done again without it
ROOM = np.int64(-10)  # too few rows, packs, blocks or sources
ROOM_LARGE = np.int64(-11)  # an array for large islands was too small, or their solver is not there yet
ROOM_POOL = np.int64(-12)  # too few 6x6 responses
NOT_FINITE = np.int64(-13)  # something that was set is not: nothing is done
DIVERGED = np.int64(-20)  # something is no longer finite, or too fast
LOOPS_LARGE = np.int64(-21)  # an island of closed loops that rk4 cannot solve densely

TOO_FAST = 1e5  # m/s or rad/s beyond which a step counts as diverged


class Numbers(Record):
    """Settings of the step, and what the solver left."""

    dt = real()  # s
    margin = real()  # m: how far ahead contacts are seen
    tolerance = real()  # relative residual of the contact problem
    residual = real()  # of the last step,
    stiffness = real()  # N/m of springy contacts
    damping = real()  # N s/m
    worst_residual = real()  # and the worst so far
    spare = real()


class Info(Record):
    """Counts and switches of the step."""

    contacts = whole()
    warm = whole()  # contacts of the last step
    sweeps = whole()
    bounced = whole()  # 1 where an impact inside the step gives positions a right-hand side of their own
    unsolved = whole()  # islands that missed the tolerance
    islands = whole()
    largest = whole()  # rows of the largest island
    sweep_limit = whole()
    fixed_pairs = whole()  # pairs of shapes to look at; -1: they are found by sweeping
    fallbacks = whole()  # of virtual links: steps that counted as fallback in the world's life
    solves = whole()  # of virtual links: the largest number of an island
    track_at = whole()  # rows of the track that are done
    most_sweeps = whole()
    unsolved_in_all = whole()
    large_first = whole()  # the island that the solver of large islands is to solve: packs first … last - 1
    large_last = whole()
    large_rows = whole()
    large_blocks = whole()
    large_needs = whole()  # entries of its matrix, where there was no room for them
    large_soft = whole()
    trial = whole()  # 1 while impulses are found that the next step shall not remember
    exact = (
        whole()
    )  # 1 where connections hold to second order at the end of the step (rk4, no contacts), 0: at its start
    fell = whole()  # of virtual links: this step was handed on
    every_limit = whole()  # of virtual links: rows for all limits are wanted


class Drive(Record):
    """What drives a degree of freedom (bunraku.step.drive)."""

    kp = real()  # N m/rad or N/m: servo
    kd = real()
    effort = real()  # N m or N: the most that servo and motor give
    spring = real()
    rest = real()  # rad or m: of the spring
    damping = real()
    armature = real()  # rotor inertia of the model
    held = real()  # 1 or -1 where the servo is at its limit


class Dof(Record):
    """A degree of freedom of a hinge, a slider or a gear group; `lead` 0 for others."""

    lead = whole()  # body of the joint, the first one of a group
    body = whole()  # body whose place in ROTOR is its
    iq = whole()  # where it stands in q
    limited = whole()  # 1 where it has a limit
    rubs = whole()  # 1 where it has friction
    lock = (
        real()
    )  # kg m^2 or kg: what holds it like a lock, by far more than it has to move; 0: its friction gets a row
    guess = whole()  # of this step: what its friction does (bunraku.step.drive)
    held = real()  # kg m^2 or kg: what that guess has put into ROTOR,
    rubbed = real()  # N m or N: and into the torques


class DofLimit(Record):
    """Limits of a degree of freedom."""

    lower = real()  # rad or m
    upper = real()
    friction = real()  # N m or N


class BallLimit(Record):
    """Limits of a ball joint."""

    body = whole()
    swing = real()  # rad: the largest
    twist_low = real()
    twist_high = real()


class GearSide(Record):
    """One of the two joints of a kept gear."""

    dof = whole()
    iq = whole()
    lead = whole()  # body
    coefficient = real()


class KeptGear(Record):
    """A gear that the tree could not eliminate: sum of coefficient q = constant."""

    side = inner(GearSide, 2)
    constant = real()


class Material(Record):
    """Of a pair of materials."""

    static = real()  # friction
    dynamic = real()
    restitution = real()


class ContactMemory(Record):
    """What is kept of a contact for the next step."""

    impulse = reals(3)  # N s on a
    stretch = reals(3)  # m: of the springs along the tangents, where contact is springy
    slid = real()  # 1 where it slid
    linked = real()  # of virtual links (bunraku.step.virtual_link.link_memory); m: the `rest` of a spring
    linked_pv = pair()


class ContactSpring(Record):
    """A springy contact in this step; zero where it is rigid."""

    soft = real()  # m/s per N s: softness of the normal,
    soft_tangent = real()  # and of the tangents
    stretch = reals(2)  # m: along the two tangents
    rate = (
        real()
    )  # m/s: of a contact that gets no row because it cannot close its gap, along the normal without impulses;
    away = whole()  # 1 for such a contact
    rest = real()  # m: overlap at which a spring is at rest


class TieKind(Record):
    """What a connection is, and between what."""

    active = whole()  # 0, CONNECTION or SPRING (bunraku.step.tie_rows)
    body_a = whole()
    body_b = whole()
    axes = whole()  # bits 0-5: x y z rx ry rz
    broken = whole()  # 1 once it was pulled apart
    rates = whole()  # bits 0-5: axes whose rates alone are tied


class Tie(Record):
    """Numbers of a connection."""

    place_a = vec3()  # m: its frame on the first body
    turn_a = mat3()
    place_b = vec3()
    turn_b = mat3()
    stiff = real()  # N/m, N m/rad; ENDLESS where it is rigid
    damp = real()
    rest = real()  # m: length without force
    most_force = real()  # N that it bears
    most_torque = real()  # N m
    radius = real()  # m: of what rolls, 0: the frame's origin glides
    restitution = reals(6)  # of a connection that is yet to be born, an axis each
    bounce = reals(6)  # m/s, rad/s: rates that the present step is to leave, less than nothing


class Source(Record):
    """Where an impulse enters: a body (six wrenches) or a joint (one torque)."""

    kind = whole()
    index = whole()  # the body
    tree = whole()
    local = whole()  # its number among the sources of its tree
    first_side = whole()  # first and last pack side on it: 2 pack + side, or -1
    last_side = whole()


class Tree(Record):
    """Sources of a tree of bodies."""

    count = whole()
    first = whole()  # of them in by_tree
    block = whole()  # first of their 6x6 responses in the pool


class Pack(Record):
    """One to three rows between the same two sources."""

    ends = wholes(2)  # its two sources; -1: the world
    first = whole()  # row
    lines = whole()  # rows
    next_side = wholes(2)  # the next pack side on either source
    island = whole()
    place = whole()  # its first row in the island
    first_block = whole()
    blocks = whole()


class RowBlock(Record):
    """A law over some rows of a pack."""

    kind = whole()
    row = whole()  # the first
    pack = whole()
    origin = whole()  # which contact, limit, gear or axis of a connection it came from
    friction = real()  # of a contact
    compliance = real()  # m/s per N s, of an equality
    low = real()  # N s: bounds of a bounded row
    high = real()


class Count(Record):
    """How many there are in this step."""

    sources = whole()
    rows = whole()
    packs = whole()
    blocks = whole()
    pool = whole()  # 6x6 responses that are needed
    patches = whole()  # of virtual links; whether a point of one arrives; whether more solves were needed than allowed
    born = whole()
    late = whole()
    every_point = whole()  # 1 where all contacts get rows
    tries = whole()  # how often this step has been done again
    deep = whole()  # 1 where positions have an overlap to take back (bunraku.step.push_apart)


class Traces(Record, after=Detection.layout.slots):
    """What unit wrenches on sources do on their way to the base (bunraku.step.response)."""

    lengths = int_vector()  # (sources) bodies on the way
    hops = int_matrix()  # (sources, longest way) these bodies, the source's own first
    joints = matrix()  # (sources, HOP a hop) what it does to their joints,
    roots = matrix()  # (sources, BASE) and to a free base
    pool = vector()  # SQUARE a pair of sources of a tree: 6x6 responses


W = 48  # numbers of a pack: 12 entries of four lanes, moment and force on its one end, then on the other


class Rows(Record, after=Traces.layout.slots):
    """Sources, packs, rows and blocks (bunraku.step.rows)."""

    traces = inner(Traces)
    tree = int_vector()  # (nb) number of each body's tree, 0 for the world
    body_source = int_vector()  # (nb) source of a body, or -1
    joint_source = int_vector()  # (nb) source of the joint of a body, or -1
    trees = many(Tree)
    by_tree = int_vector()  # sources, tree by tree
    island_of = int_vector()  # (trees) smallest tree of the island
    island_start = int_vector()  # (trees + 1) packs of island t: by_island[island_start[t]:island_start[t + 1]]
    by_island = int_vector()
    sources = many(Source)
    count = ref(Count)
    packs = many(Pack)
    w = vector()  # W a pack: lane j of an entry is row j
    blocks = many(RowBlock)
    b = vector()  # (rows) rate without impulses less what is wanted
    p = vector()  # (rows) the same for positions
    lam = vector()  # (rows) impulses
    kept = vector()  # (rows) and a copy of them
    pushed = vector()  # (trees) how fast an island would be pushed apart, of what it may


class LargeIsland(Record, after=Rows.layout.slots):
    """An island that is too large for a dense matrix (bunraku.step.large)."""

    matrix = inner(Sparse)
    entry = int_vector()  # (blocks) the entry of a block in the present row
    first_block = int_vector()  # (packs) a pack's first block in the island


class Step(Record):
    """See the module text."""

    detection = inner(Detection)
    rows = inner(Rows)
    problem = inner(Problem)  # the contact problem of one island
    island = inner(Dense)  # the same with its matrix
    large = inner(LargeIsland)
    # model and state
    ints = int_matrix()  # of the model; columns: bunraku.model.layout
    reals = matrix()  # the world's own copy (implicit terms go into ROTOR)
    work = vector()  # scratch of bunraku.dynamics
    q = vector()
    v = vector()
    tau = vector()
    also = vector()  # (nv) torques of actuators and tendons, beyond `tau`
    f_ext = vector()  # (6 nb) force and moment on every body
    accel = vector()  # v' without constraints
    next_v = vector()  # v after the step
    moved = vector()  # the rate at which positions move
    pushed = vector()  # what of it takes back deep overlap, where there is some
    start_q = vector()  # at the start of the last step
    start_v = vector()
    last_v = vector()  # after it,
    last_tau = vector()  # what drives gave in it,
    last_f_ext = vector()  # what pushed the bodies in it,
    known = int_vector()  # (1) and whether there was one
    numbers = ref(Numbers)
    info = ref(Info)
    # joints
    drive = many(Drive)
    target_q = vector()
    target_v = vector()
    track_q = matrix()  # (rows, nq) what servos follow, a row a step; no rows: target_q stays
    track_v = matrix()
    applied = vector()  # (nv) torques of springs, dampers, servos and `tau` in the last step
    total = vector()  # (nv) torques of the step without their implicit part
    dofs = many(Dof)
    rubbing = int_vector()  # degrees of freedom with friction
    limits = many(DofLimit)
    balls = many(BallLimit)
    gears = many(KeptGear)
    joint_impulse = vector()  # (3 nv + 3 balls + gears) of the last step
    # contacts; those of this step are in `detection`
    materials = many(Material)  # every pair of kinds
    last_ids = many(ContactId)
    memory = many(ContactMemory)
    springs = many(ContactSpring)
    # connections
    tie_kinds = many(TieKind)
    ties = many(Tie)
    tie_impulse = vector()  # (6 ties)
    tie_last = vector()  # (6 ties) forces of the last step


EXTRA, EXTRA_COUNT = Step.layout.slots, 24
"""Numbers of arrays that an integrator (rk4) or a contact model (virtual links) has for itself: a world has but one of
them. The log follows (bunraku.step.step_log)."""
