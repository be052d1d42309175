"""The arrays of the whole-body problem by name: numbers in a Table, behind those of a world's step, so that a world's table can hold both.

nj joint degrees of freedom (a free base's six left out), C contacts, T tasks, B rows of balls at the most; n unknowns: joint accelerations
first, filled up to whole lanes, then 3 nc forces in the contacts' frames (normal, two tangents). World axes, SI units. `Room` makes the arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bunraku.control.end_links import ROOT
from bunraku.dynamics.work import scratch_size
from bunraku.errors import InputError
from bunraku.kernel.table import Table
from bunraku.model.layout import BALL, FOLLOWS, FREE, KIND, PARENT
from bunraku.model.model import Model
from bunraku.step.step_arrays import number, places
from bunraku.step.step_log import ARRAYS as BEFORE

W_INTS, W_REALS, W_SCRATCH, W_SECOND = places(BEFORE, BEFORE + 4)  # the figure's own; W_SECOND is scratch of rnea
W_Q, W_V = places(BEFORE + 4, BEFORE + 6)
W_COUNT = number(BEFORE + 6)  # (COUNT_SIZE) integers
W_SET = number(BEFORE + 7)  # (SET_SIZE) numbers
W_TASK_BODY, W_TASK = places(BEFORE + 8, BEFORE + 10)  # (T), (T, TASK_COLUMNS)
W_CONTACT_BODY, W_CONTACT = places(BEFORE + 10, BEFORE + 12)  # (C), (C, CONTACT_COLUMNS)
W_FORCE = number(BEFORE + 12)  # (C, 3) forces found, world axes
W_POSTURE = number(BEFORE + 13)  # (nj, 2) wanted acceleration, weight
W_MOMENTUM = number(BEFORE + 14)  # (6, 2) wanted rate of momentum (force 3, moment about the centre of mass 3), weight
W_BOUND = number(BEFORE + 15)  # (nj, 2) least and largest acceleration
W_TURN_DOF, W_TURN = places(BEFORE + 16, BEFORE + 18)  # (B) first joint DoF, (B, 4) row (3) and least row . a
W_EFFORT = number(BEFORE + 18)  # (nj, 2) least and largest torque
W_A, W_TAU = places(BEFORE + 19, BEFORE + 21)  # (nv) found
W_PASSIVE = number(BEFORE + 21)  # (nv) torques of springs and dampers that act besides
# scratch
W_COLUMNS, W_FRAMES = places(BEFORE + 22, BEFORE + 24)  # (N, 6) answers of the base; (C, 9) frames of contacts
W_ROWS = number(
    BEFORE + 24
)  # rows of contacts, tasks and momentum, flat, times the roots of their weights, right sides behind them
W_H, W_F, W_S = places(
    BEFORE + 25, BEFORE + 28
)  # the quadratic form with its right side as last column; factors; the forces' block
W_Y, W_NEXT = places(BEFORE + 28, BEFORE + 30)  # (N) unknowns
W_STATE = number(BEFORE + 30)  # (nj + B + D + C) which bounds act: joints, balls, torques; states of cones
W_CONE = number(BEFORE + 31)  # (C, 12) multiplier 3, curvature 6, offset 2
W_LAM = number(BEFORE + 32)  # (nj + B + D) multipliers of bounds
W_DENSE, W_DENSE_OF = places(
    BEFORE + 33, BEFORE + 35
)  # (D, columns) rows of pairs that stay apart, of torques at their limits; (D) joint or -1
W_MASS = number(BEFORE + 35)  # (nv, nv) mass matrix, where torques reach their limits
W_FEXT = number(BEFORE + 36)  # (6 nb) forces on bodies
W_APART_BODY, W_APART = places(
    BEFORE + 37, BEFORE + 39
)  # (K, 2) two bodies, (K, 7) point and normal (world), least acceleration apart
AFTER = BEFORE + 39

# entries of W_COUNT: contacts, tasks, pairs, dense rows; found: iterations, factorisations; rounds; torques at limits; iterations a round at most
NC, NT, NK, ND, ITERATIONS, FACTORS, ROUNDS, LIMITED, PATIENCE, COUNT_SIZE = range(10)
# entries of W_SET: weight of forces [1/N^2], change of y, of its size, that ends the iteration (below 0:
# of the accelerations alone); found: rest of the contact rows, of the cones; penalty of cones,
# of the largest curvature of the forces
FORCE_WEIGHT, TOLERANCE, REST_CONTACT, REST_CONE, CONE_PENALTY, SET_SIZE = range(6)
# columns of W_TASK: point in the body's frame, wanted acceleration (linear, angular), weights of its six rows
POINT, WANTED, WEIGHT = 0, 3, 9
TASK_COLUMNS = 15
# columns of W_CONTACT: point in the body's frame, normal, friction, wanted acceleration, weight of its rows, force to stay near (world);
# largest tangential force, or -1: friction times the normal force
C_POINT, C_NORMAL, C_MU, C_WANTED, C_WEIGHT, C_NEAR, C_RADIUS = 0, 3, 6, 7, 10, 11, 14
CONTACT_COLUMNS = 15

MOST_CONTACTS = 16
MOST_TASKS = 16
MOST_APART = 8
MOST_DENSE = 24  # pairs that stay apart, and torques at their limits
FAR = 1e12  # a bound that is none


class Room:
    """The arrays for one figure, put into `table`; `w[W_…]` gives one."""

    def __init__(self, model: Model, table: Table, contacts: int = MOST_CONTACTS, tasks: int = MOST_TASKS) -> None:
        one_base(model, "whole_body")
        self.model, self.table = model, table
        self.first = 6 if model.ints[ROOT, KIND] == FREE else 0
        nj = model.nv - self.first
        balls = int(np.sum((model.ints[1:, KIND] == BALL) & (model.ints[1:, FOLLOWS] == 0)))
        n = (nj + 3) // 4 * 4 + 3 * contacts
        width = (n + 4) // 4 * 4
        rows = 3 * contacts + 6 * tasks + 6
        bounds = nj + 3 * balls + MOST_DENSE + contacts
        integer = np.int64
        self.nj, self.most = nj, (contacts, tasks)
        self.w: dict[Any, np.ndarray] = {
            W_INTS: model.ints,
            W_REALS: model.reals.copy(),
            W_SCRATCH: np.zeros(scratch_size(model.nb, model.nq)),
            W_SECOND: np.zeros(scratch_size(model.nb, model.nq)),
            W_Q: model.neutral(),
            W_V: np.zeros(model.nv),
            W_COUNT: np.zeros(COUNT_SIZE, integer),
            W_SET: np.zeros(SET_SIZE),
            W_TASK_BODY: np.zeros(tasks, integer),
            W_TASK: np.zeros((tasks, TASK_COLUMNS)),
            W_CONTACT_BODY: np.zeros(contacts, integer),
            W_CONTACT: np.zeros((contacts, CONTACT_COLUMNS)),
            W_FORCE: np.zeros((contacts, 3)),
            W_POSTURE: np.zeros((nj, 2)),
            W_MOMENTUM: np.zeros((6, 2)),
            W_BOUND: np.tile([-FAR, FAR], (nj, 1)),
            W_TURN_DOF: np.zeros(3 * balls, integer),
            W_TURN: np.zeros((3 * balls, 4)),
            W_EFFORT: np.tile([-FAR, FAR], (nj, 1)),
            W_A: np.zeros(model.nv),
            W_TAU: np.zeros(model.nv),
            W_PASSIVE: np.zeros(model.nv),
            W_COLUMNS: np.zeros((n, 6)),
            W_FRAMES: np.zeros((contacts, 9)),
            W_ROWS: np.zeros(rows * width),
            W_H: np.zeros((n + 4) * width),
            W_F: np.zeros((n + 4) * width),
            W_S: np.zeros((3 * contacts + 4) * width),
            W_Y: np.zeros(width),
            W_NEXT: np.zeros(width),
            W_STATE: np.zeros(bounds, integer),
            W_CONE: np.zeros((contacts, 12)),
            W_LAM: np.zeros(bounds),
            W_DENSE: np.zeros((MOST_DENSE, width)),
            W_DENSE_OF: np.zeros(MOST_DENSE, integer),
            W_MASS: np.zeros((model.nv, model.nv)),
            W_FEXT: np.zeros(6 * model.nb),
            W_APART_BODY: np.zeros((MOST_APART, 2), integer),
            W_APART: np.zeros((MOST_APART, 7)),
        }
        for k, array in self.w.items():
            table.put(k, array)


def one_base(model: Model, where: str) -> None:
    """InputError where a model is not one figure: one tree, and a free joint at its base or nowhere."""
    roots = int(np.sum(model.ints[1:, PARENT] == 0))
    if roots != 1 or np.any(model.ints[2:, KIND] == FREE):
        raise InputError(f"{where}: {model.name!r} must be one figure with one base; it has {roots} trees.")
