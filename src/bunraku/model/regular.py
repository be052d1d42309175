"""Finds the joints of a figure that move no inertia at all, so that its mass matrix is singular.

Plain NumPy with 6x6 matrices, so that loading a figure needs no compiled kernel; it is at the same time an independent
way to write the articulated inertias of Tazaki 2013, (25), (39), that the kernels are tested against. Motion =
(angular, linear), each body at its own origin, world axes.

A joint's pivot D = s' I_A s must exceed a tiny part of the composite inertia along it; two configurations are tried,
the described one and a generic one, and only a joint that fails in both is refused.
"""

from __future__ import annotations

import numpy as np

from bunraku.errors import ModelError
from bunraku.model import layout as at
from bunraku.model.joint_kinds import BY_NUMBER, JointKind
from bunraku.model.model import Model
from bunraku.model.rotations import about, matrix, skew

TINY = 1e-12  # of the composite inertia along the joint
FLOOR = 1e-20  # kg m^2 or kg, below which nothing counts as inertia


def shift(r: np.ndarray) -> np.ndarray:
    """6x6 motion transform to a point r further on: a' = a + al x r."""
    X = np.eye(6)
    X[3:, :3] = -skew(r)
    return X


def place_all(model: Model, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """World rotations (nb, 3, 3) and origins (nb, 3) of all bodies."""
    ints, reals = model.ints, model.reals
    R = np.tile(np.eye(3), (model.nb, 1, 1))
    p = np.zeros((model.nb, 3))
    for i in range(1, model.nb):
        parent, kind, k = ints[i, at.PARENT], kind_of(ints, i), ints[i, at.IQ]
        turn = R[parent] @ reals[i, at.TURN : at.TURN + 9].reshape(3, 3)
        arm = R[parent] @ reals[i, at.PLACE : at.PLACE + 3]
        if kind.one_axis:
            x = reals[i, at.RATIO] * q[k] + reals[i, at.SHIFT]
            arm = arm + turn[:, ints[i, at.AXIS]] * (reals[i, at.SLIDE] * x)
            turn = turn @ about(ints[i, at.AXIS], x) if kind.turns else turn
        else:
            turn = turn @ matrix(q[k + kind.adds : k + kind.adds + 4])
            arm = arm if kind.pivots else q[k : k + 3]
        R[i] = turn
        p[i] = p[parent] + arm
    return R, p


def kind_of(ints: np.ndarray, i: int) -> JointKind:
    """The kind of joint that places body i."""
    kind = ints[i, at.KIND]
    return BY_NUMBER[kind // at.COUPLED if kind >= at.COUPLED else kind]


def columns_of(model: Model, c: int, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Motion of body c per rate of its joint or group (6, rates), and the inertia of its armature (rates, rates)."""
    ints, reals, kind = model.ints, model.reals, kind_of(model.ints, c)
    if ints[c, at.KIND] >= at.COUPLED:
        rows = reals[ints[c, at.FOLLOWS] :][: ints[c, at.DOF]]
        turns, moves = rows[:, at.TURNS : at.TURNS + 3].T, rows[:, at.MOVES : at.MOVES + 3].T
        rotor = rows[0, at.TURN_ROTOR] * turns.T @ turns + rows[0, at.MOVE_ROTOR] * moves.T @ moves
        return np.concatenate([R @ turns, R @ moves]), rotor
    if kind.one_axis:
        axis = reals[c, at.RATIO] * R[:, ints[c, at.AXIS]]
        s = np.concatenate([float(kind.turns) * axis, reals[c, at.SLIDE] * axis])[:, None]
    elif kind.pivots:
        s = np.concatenate([R, np.zeros((3, 3))])
    else:
        s = np.eye(6)
    rotor = reals[c, at.RATIO] ** 2 * reals[c, at.ROTOR] * np.eye(s.shape[1])
    lead = ints[c, at.LEAD]
    if ints[c, at.SLOT]:
        rates = (ints[lead + 1, at.SLOT] - ints[lead, at.SLOT]) // 6
        own = np.eye(rates)[ints[c, at.IV] - ints[lead, at.IV] :][: s.shape[1]]
        return s @ own, own.T @ rotor @ own
    return s, rotor


def rigid_inertia(model: Model, i: int, R: np.ndarray) -> np.ndarray:
    """6x6 inertia of body i at its origin, world axes."""
    reals = model.reals
    m, h = reals[i, at.MASS], R @ reals[i, at.FIRST : at.FIRST + 3]
    xx, xy, xz, yy, yz, zz = reals[i, at.SECOND : at.SECOND + 6]
    I = np.zeros((6, 6))
    I[:3, :3] = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    I[:3, 3:], I[3:, :3], I[3:, 3:] = skew(h), skew(h).T, m * np.eye(3)
    return I


def weak_joints(model: Model, q: np.ndarray) -> dict[int, str]:
    """{body: what is missing} for every joint without a pivot at this q."""
    ints = model.ints
    R, p = place_all(model, q)
    inertia = [rigid_inertia(model, i, R[i]) for i in range(model.nb)]  # articulated, accumulated inwards
    whole = [I.copy() for I in inertia]  # composite
    weak: dict[int, str] = {}
    for lead in range(model.nb - 1, 0, -1):
        count, outer = ints[lead, at.COUNT], ints[lead, at.OUTER]
        if count == 0:
            continue
        members = range(lead, lead + count)
        S, rotor = {}, np.zeros((1, 1))
        for c in members:
            s, own = columns_of(model, c, R[c])
            rotor = rotor + own
            parent = ints[c, at.PARENT]
            if parent in S:
                s = s + shift(p[c] - p[parent]) @ S[parent]
            S[c] = s
        D = sum(S[c].T @ inertia[c] @ S[c] for c in members) + rotor
        full = sum(S[c].T @ whole[c] @ S[c] for c in members) + rotor
        size = np.sqrt(np.maximum(np.diag(full), FLOOR))
        if np.diag(full).min() <= FLOOR or np.linalg.eigvalsh(D / np.outer(size, size)).min() <= TINY:
            weak[lead] = "no mass" if whole[lead][3, 3] <= FLOOR else "no inertia"
            D = D + np.eye(len(D)) * max(float(np.trace(full)), 1.0)  # go on, to find the others
        X = {c: shift(p[c] - p[outer]) for c in members}
        U = np.sum([X[c].T @ inertia[c] @ S[c] for c in members], axis=0)
        inertia[outer] = inertia[outer] + sum(X[c].T @ inertia[c] @ X[c] for c in members) - U @ np.linalg.solve(D, U.T)
        whole[outer] = whole[outer] + sum(X[c].T @ whole[c] @ X[c] for c in members)
    return weak


def massless_joints(model: Model) -> dict[str, str]:
    """{joint: what it lacks} for every joint that moves no inertia, in the order of the bodies."""
    weak = weak_joints(model, model.q0)
    if weak:
        again = weak_joints(model, generic(model))
        weak = {i: text for i, text in weak.items() if i in again}
    names = {int(j.body): j.name for j in model.joints}
    return {names.get(i, model.body_names[i]): weak[i] for i in sorted(weak)}


def without_mass(model: Model, weak: dict[str, str]) -> str:
    """The sentence about joints that move no inertia, without its full stop's advice."""
    listed = ", ".join(map(repr, list(weak)[:5])) + (f" and {len(weak) - 5} more" if len(weak) > 5 else "")
    plural = len(weak) > 1
    what = next(iter(weak.values()))
    return f"joint{'s' * plural} {listed} of {model.name!r} move{'' if plural else 's'} {what}"


def refuse_singular(model: Model, weak: dict[str, str]) -> None:
    """Raise ModelError naming the joints that move no inertia, where there are any."""
    if not weak:
        return
    where = f"{model.source}: " if model.source else ""
    hint = ""
    if any(j.kind == "free" and j.name in weak for j in model.joints):
        hint = " If its base is fixed in the world, load it with root='fixed' (bunraku info --root fixed)."
    advice = "give the link a mass and an inertia, or the joint an armature."
    raise ModelError(f"{where}{without_mass(model, weak)}; {advice}{hint}")


def generic(model: Model) -> np.ndarray:
    """A configuration without special angles."""
    q = model.q0.copy()
    for j in model.joints:
        if j.ranged and j.nq and j.unit == "rad":
            q[j.q] += 0.7 + 0.1 * np.arange(j.nq) + 0.37 * (j.iq % 7)
        elif j.kind == "ball":
            q[j.q] = np.array([0.8, 0.1, 0.5, 0.316])
            q[j.q] /= np.linalg.norm(q[j.q])
    return q
