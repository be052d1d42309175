"""The birth of connections with restitution: which rates their first step leaves, (15) of Nakamura & Yamane 2000.

With H the rows of all rigid connections and kept gears, A the mass matrix, B = H A^-1 H', vc = H v before the birth and
e_i the restitution of an axis, the first step ends with
    vc_new = -s E vc,      F = B^-1 (vc - vc_new)
projected onto what H can have (rows may be redundant). Kinetic energy changes by (vc_new' B^-1 vc_new - vc' B^-1 vc) / 2;
where the e_i differ that may be a gain, and then s < 1 is such that it is none. With all e_i = e, s = 1 and the loss is
(1 - e^2) vc' B^-1 vc / 2. Contacts and joint limits that are pressed at the same instant obey their own laws; the step is
tried, and where they would turn the rebound into a gain, a smaller part of it is taken. The step after that holds the
connection as any other. Made in Python, once a birth: steps without one pay nothing. Checked in
tests/world/test_births.py.
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bunraku.dynamics.functions import Kinematics, aba, crba, frame_jacobian, kinematics
from bunraku.model.model import FrameInfo
from bunraku.step.tie_rows import CONNECTION, ENDLESS
from bunraku.world.snapshot import Snapshot, arrays_of, put_back
from bunraku.world.stopped import make_room
from bunraku.world.ties import Ties, row_frame

if TYPE_CHECKING:
    from bunraku.world.world import World


LOST = 1e-10  # of the largest eigenvalue of B: directions below it are redundant, and stop
ROUNDING = 1e-7  # of an energy: of places, over a short step
HALVINGS = 12  # of the part that contacts and limits leave, where they would gain


def expect(world: World) -> None:
    """Write into every connection that is yet to be born which rates the coming step is to leave."""
    H, owners = rows_of(world)
    q, v, M = world.q.copy(), world.v.copy(), crba(world.model, world.q)
    vc = H @ v
    e = np.array([world._ties.ties[n].restitution[k] if n >= 0 else 0.0 for n, k in owners])
    B = H @ np.linalg.solve(M, H.T)
    inverse = np.linalg.pinv(B, rcond=LOST, hermitian=True)
    wanted = B @ (inverse @ (e * vc))
    before, after = float(vc @ inverse @ vc), float(wanted @ inverse @ wanted)
    scale = 1.0 if after <= before else float(np.sqrt(max(before, 0.0) / after))
    wanted *= scale

    def energy(part: float) -> float:
        """Kinetic [J], twice, after a step with a part of what is wanted."""
        write(world._ties, owners, part * wanted)
        rates = tried(world)
        return float(rates @ M @ rates)

    free = v + world.dt * aba(world.model, q, v, world.tau)
    allowed = (1 + ROUNDING) * max(float(v @ M @ v), float(free @ M @ free))
    if energy(1.0) <= allowed:
        return
    allowed, low, high = max(allowed, energy(0.0)), 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if energy(middle) <= allowed else (low, middle)
    write(world._ties, owners, low * wanted)


def write(ties: Ties, owners: list[tuple[int, int]], rates: np.ndarray) -> None:
    """The rates of all rows into their connections."""
    for (n, k), value in zip(owners, rates):
        if n >= 0:
            ties.ties[n].bounce[k] = value


def tried(world: World) -> np.ndarray:
    """The rates that the coming step would leave; the world stays as it is."""
    pushes = world._pushes
    arrays = {name: a.copy() for name, a in arrays_of(world).items()}
    shot = Snapshot(tuple(world._figures), arrays, world.time, tuple(world._ties.connections.values()))
    status = -1
    while status < 0:  # again where an array was too small
        _, status = world._run(1)
        if status < 0:
            make_room(world, status)
    rates = world.v.copy()
    put_back(world, shot)
    world._pushes = pushes
    return rates


def settle(ties: Ties) -> None:
    """After the step of their birth."""
    for tie in ties.ties:
        tie.restitution[:] = 0.0
        tie.bounce[:] = 0.0
    ties.unborn = False


def rows_of(world: World) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """(H, (connection, axis) of every row): the rows of rigid connections, then of kept gears (-1, number)."""
    model, ties = world.model, world._ties
    poses = kinematics(model, world.q)
    rows, owners = [np.zeros((0, model.nv))], list[tuple[int, int]]()
    for n, (kind, tie) in enumerate(zip(ties.kinds, ties.ties)):
        if kind.active != CONNECTION or tie.stiff < ENDLESS:
            continue
        frame = row_frame(kind, tie, poses)
        for mask, point, turned in (
            (int(kind.axes), frame.point, frame.about),
            (int(kind.rates), frame.touch, frame.along),
        ):
            J = slip_of(world, poses, (int(kind.body_a), int(kind.body_b)), point)
            both = np.vstack([frame.along.T @ J[:3], turned.T @ J[3:]])
            chosen = [k for k in range(6) if mask >> k & 1]
            rows.append(both[chosen])
            owners += [(n, k) for k in chosen]
    for g, gear in enumerate(world._step.gears):
        row = np.zeros((1, model.nv))
        for side in gear.side:
            row[0, int(side.dof)] += side.coefficient
        rows.append(row)
        owners.append((-1, g))
    return np.vstack(rows), owners


def slip_of(world: World, poses: Kinematics, bodies: tuple[int, int], point: np.ndarray) -> np.ndarray:
    """(6, nv): velocity and turning of the first body against the second at a point of the world."""
    out = np.zeros((6, world.model.nv))
    for body, sign in zip(bodies, (1.0, -1.0)):
        if body > 0:
            at = poses.rotation[body].T @ (point - poses.position[body])
            out += sign * frame_jacobian(world.model, world.q, FrameInfo("", body, at, np.eye(3), False))
    return out
