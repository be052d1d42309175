"""The whole-body problem as a record in a Table, after the arrays of a world's step, so that one table can hold both.

nj joint degrees of freedom (a free base's six left out), C contacts, T tasks, B turns of balls, D dense rows at the
most; n unknowns: joint accelerations first, filled up to whole lanes, then three forces for each contact, in its frame
(normal, two tangents). World axes, SI units. `Room` makes the arrays.
"""

from __future__ import annotations

import numpy as np

from bunraku.control.end_links import ROOT
from bunraku.dynamics.work import scratch_size
from bunraku.errors import InputError
from bunraku.kernel.record import (
    Record,
    int_matrix,
    int_vector,
    many,
    matrix,
    pair,
    put,
    real,
    ref,
    vec3,
    vec3s,
    vector,
    whole,
    zeros,
)
from bunraku.kernel.table import Table
from bunraku.model.layout import BALL, FOLLOWS, FREE, KIND, PARENT
from bunraku.model.model import Model
from bunraku.step.step_log import ARRAYS as BEFORE

MOST_CONTACTS = 16
MOST_TASKS = 16
MOST_APART = 8
MOST_CLOSED = 4  # loops
MOST_DENSE = 24  # pairs that stay apart, and torques at their limits, where time is short
FAR = 1e12  # a bound that is none
TINY = 1e-14  # smallest pivot of the form


class ProblemCounts(Record):
    """How many there are, and what the solver counted."""

    contacts = whole()
    tasks = whole()
    pairs = whole()  # that stay apart
    dense = whole()  # rows: pairs first, then torques at their limits
    iterations = whole()
    factors = whole()
    rounds = whole()
    limited = whole()  # torques at their limits
    patience = whole()  # at most so many iterations in a round
    first_force = whole()  # where the forces begin among the unknowns
    unknowns = whole()
    width = whole()  # numbers in a row of the form: the unknowns and the right side, in whole lanes
    rows = whole()  # of contacts, tasks and momentum
    closed = whole()  # loops
    strict = whole()  # 1: two strict levels (control.strict_levels); 0: weights


class Settings(Record):
    """Numbers of the solver, and what it found."""

    force_weight = real()  # 1/N^2
    tolerance = real()  # change of y, of its size, that ends the iteration; below 0: of the accelerations alone
    rest_contact = real()  # found: what is left of the contact rows
    rest_cone = real()  # found: of the cones
    cone_part = real()  # penalty of cones, of the largest curvature of the forces
    bound_penalty = real()  # in this problem
    cone_penalty = real()


class TaskRow(Record):
    """Wanted acceleration of a body's point."""

    point = vec3()  # in the body's frame
    wanted = vec3()  # m/s^2
    turning = vec3()  # rad/s^2
    weight = vec3()  # along each axis
    turning_weight = vec3()


class TaskAxes(Record):
    """Along which axes the rows of a task are."""

    own = real()  # 1: along `axis`; 0: along the world's
    axis = vec3s(3)


class SupportPoint(Record):
    """A point of a body that touches."""

    point = vec3()  # in the body's frame
    normal = vec3()
    friction = real()
    wanted = vec3()  # acceleration
    weight = real()  # of its rows
    gives = real()  # 1: they stay at their weight; 0: further rounds make them exact
    near = vec3()  # N: force to stay near, world axes
    least = real()  # N: normal force at the cone's apex, 0 but for a point that has to carry
    radius = real()  # N: largest tangential force; -1: friction times the normal force


class SupportFrame(Record):
    """Axes of a contact."""

    axis = vec3s(3)  # normal, two tangents


class WeighedWish(Record):
    """A number that is wanted, and its weight."""

    wanted = real()
    weight = real()


class Range(Record):
    """Bounds of a number."""

    least = real()
    most = real()


class TurnBound(Record):
    """A bound of a ball's turning: row . a >= least."""

    row = vec3()
    least = real()


class ConePenalty(Record):
    """Of one contact: see control.cone_curvature."""

    multiplier = vec3()
    nn = real()  # the curvature
    nx = real()
    ny = real()
    xx = real()
    xy = real()
    yy = real()
    offset = pair()
    spare = real()


class BodyPair(Record):
    """Two bodies."""

    first = whole()
    second = whole()


class Nearness(Record):
    """Two bodies that shall not come nearer."""

    point = vec3()
    normal = vec3()
    least = real()  # acceleration apart


class ClosedLoop(Record):
    """Two bodies of the figure that are held to each other: their relative acceleration at a point."""

    point = vec3()  # in the world
    axis = vec3s(3)
    wanted = vec3()  # m/s^2
    turning = vec3()  # rad/s^2
    weight = real()
    turning_weight = real()


class WholeBodyProblem(Record, after=BEFORE):
    """The problem of one figure."""

    ints = int_matrix()  # the figure's own model
    reals = matrix()
    scratch = vector()
    second = vector()  # scratch of rnea
    q = vector()
    v = vector()
    count = ref(ProblemCounts)
    settings = ref(Settings)
    task_body = int_vector()  # (T)
    task = many(TaskRow)
    task_axes = many(TaskAxes)  # (T)
    contact_body = int_vector()  # (C)
    contact = many(SupportPoint)
    posture = many(WeighedWish)  # (nj) accelerations
    momentum = many(WeighedWish)  # (6) rates: force 3, moment about the centre of mass 3
    bound = many(Range)  # (nj) accelerations
    turn_dof = int_vector()  # (B) first joint DoF
    turn = many(TurnBound)  # (B)
    effort = many(Range)  # (nj) torques
    passive = vector()  # (nv) torques of springs and dampers that act besides
    apart_body = many(BodyPair)
    apart = many(Nearness)
    closed_body = many(BodyPair)
    closed = many(ClosedLoop)
    outer = vector()  # (6 nb) forces on bodies besides those of contacts: force and moment about their origins
    outer_sum = vector()  # (6) their sum, and moment about the centre of mass
    # found
    force = matrix()  # (C, 3) world axes
    a = vector()  # (nv)
    tau = vector()  # (nv)
    y = vector()  # unknowns
    acts = int_vector()  # (nj + B + D + C) which bounds act: joints, turns, dense rows; states of cones
    lam = vector()  # (nj + B + D + C) multipliers of bounds
    cone = many(ConePenalty)  # (C)
    # scratch
    columns = matrix()  # (n, 6) answers of the base
    frame = many(SupportFrame)  # (C)
    rows = vector()  # contacts, tasks, momentum, times the roots of their weights, each with its right side at the end
    form = vector()  # the quadratic form with its right side as last column
    factors = vector()  # of the form and what acts (bunraku.linalg.dense), their smallest pivots and inverse ones
    tiny = vector()
    inverse = vector()
    schur = vector()  # the forces' block
    after = vector()  # the next y, or the way to it
    dense = matrix()  # (D, width) rows of pairs that stay apart and of torques at their limits
    dense_of = int_vector()  # (D) twice the joint, one more for its upper limit; -1: a pair of bodies
    mass = matrix()  # (nv, nv), where torques reach their limits
    f_ext = vector()  # (6 nb) forces on bodies
    # of strict levels
    upper = vector()  # the upper level's y
    goal = vector()  # of its rows
    asked = many(WeighedWish)  # (nj) what the lower level asks for, and its bounds
    kept_in = many(Range)
    kept_turn = vector()  # (B)
    kept_momentum = vector()  # (6) weights
    levels = vector()  # form and rows in one matrix, its smallest pivots and inverse ones, its unknowns
    level_tiny = vector()
    level_inverse = vector()
    level_y = vector()
    level_rest = vector()
    level_added = vector()


class Room:
    """The arrays for one figure, put into `table`; `p` is the problem in it."""

    def __init__(
        self,
        model: Model,
        table: Table,
        contacts: int = MOST_CONTACTS,
        tasks: int = MOST_TASKS,
        dense: int = MOST_DENSE,
        *,
        strict: bool = False,
    ) -> None:
        one_base(model, "whole_body")
        self.model, self.table = model, table
        self.first = 6 if model.ints[ROOT, KIND] == FREE else 0
        nj = model.nv - self.first
        balls = int(np.sum((model.ints[1:, KIND] == BALL) & (model.ints[1:, FOLLOWS] == 0)))
        n = (nj + 3) // 4 * 4 + 3 * contacts
        width = (n + 4) // 4 * 4
        rows = 3 * contacts + 6 * (tasks + MOST_CLOSED) + 6
        bounds = nj + 3 * balls + dense + contacts
        self.nj, self.most = nj, (contacts, tasks)
        self.p = put(
            WholeBodyProblem(table),
            ints=model.ints,
            reals=model.reals.copy(),
            scratch=np.zeros(scratch_size(model)),
            second=np.zeros(scratch_size(model)),
            q=model.neutral(),
            v=np.zeros(model.nv),
            count=ProblemCounts(),
            settings=Settings(),
            task_body=np.zeros(tasks, np.int64),
            task=zeros(TaskRow, tasks),
            task_axes=zeros(TaskAxes, tasks),
            contact_body=np.zeros(contacts, np.int64),
            contact=zeros(SupportPoint, contacts),
            posture=zeros(WeighedWish, nj),
            momentum=zeros(WeighedWish, 6),
            bound=np.tile([-FAR, FAR], (nj, 1)),
            turn_dof=np.zeros(3 * balls, np.int64),
            turn=zeros(TurnBound, 3 * balls),
            effort=np.tile([-FAR, FAR], (nj, 1)),
            passive=np.zeros(model.nv),
            apart_body=zeros(BodyPair, MOST_APART),
            apart=zeros(Nearness, MOST_APART),
            closed_body=zeros(BodyPair, MOST_CLOSED),
            closed=zeros(ClosedLoop, MOST_CLOSED),
            outer=np.zeros(6 * model.nb),
            outer_sum=np.zeros(6),
            force=np.zeros((contacts, 3)),
            a=np.zeros(model.nv),
            tau=np.zeros(model.nv),
            y=np.zeros(width),
            acts=np.zeros(bounds, np.int64),
            lam=np.zeros(bounds),
            cone=zeros(ConePenalty, contacts),
            columns=np.zeros((n, 6)),
            frame=zeros(SupportFrame, contacts),
            rows=np.zeros((rows + 4) * width),
            form=np.zeros((n + 4) * width),
            factors=np.zeros((n + 4) * width),
            tiny=np.full(width, TINY),
            inverse=np.zeros(width),
            schur=np.zeros((3 * contacts + 4) * width),
            after=np.zeros(width),
            dense=np.zeros((dense, width)),
            dense_of=np.zeros(dense, np.int64),
            mass=np.zeros((model.nv, model.nv)),
            f_ext=np.zeros(6 * model.nb),
        )
        size = (n + 3) // 4 * 4 + (rows + 3) // 4 * 4 + 4 if strict else 0
        put(
            self.p,
            upper=np.zeros(width),
            goal=np.zeros(rows + 4),
            asked=zeros(WeighedWish, nj),
            kept_in=zeros(Range, nj),
            kept_turn=np.zeros(3 * balls),
            kept_momentum=np.zeros(6),
            levels=np.zeros(size * size),
            level_tiny=np.zeros(size),
            level_inverse=np.zeros(size),
            level_y=np.zeros(size),
            level_rest=np.zeros(size),
            level_added=np.zeros(size),
        )
        self.p.count.strict = strict
        self.p.turn.column("least")[:] = -FAR
        self.p.settings.tolerance, self.p.settings.cone_part = 1e-9, 0.03
        self.p.count.rounds, self.p.count.patience = 1, 25

    def limit_torques(self) -> None:
        """Torques within what the model can do."""
        effort = np.minimum(self.model.effort[self.first :], FAR)
        self.p.effort.column("least")[:], self.p.effort.column("most")[:] = -effort, effort


def one_base(model: Model, where: str) -> None:
    """InputError where a model is not one figure: one tree, and a free joint at its base or nowhere."""
    roots = int(np.sum(model.ints[1:, PARENT] == 0))
    if roots != 1 or np.any(model.ints[2:, KIND] == FREE):
        raise InputError(f"{where}: {model.name!r} must be one figure with one base; it has {roots} trees.")
