"""Mass matrix by the composite-rigid-body algorithm, gears folded in: M = G' M_tree G.

For each joint i: the wrench its composite needs per unit acceleration, carried to all joints below it (towards the
base) and projected on each: M[iv, jv] = s_j . F. Two members of a gear group add to the same entry; a follower
by a matrix has a column a rate. Checked in
tests/dynamics/test_laws.py, test_pinocchio.py and test_mujoco.py.
"""

from __future__ import annotations

from bunraku.dynamics.arguments import BAD_SIZE, OK
from bunraku.dynamics.composite import composite_wrench, composites, joint_column
from bunraku.dynamics.follower import rotor_between
from bunraku.dynamics.work import opened, sizes
from bunraku.kernel.compile import inline, part
from bunraku.kernel.entry import entry
from bunraku.kernel.lanes import borrow
from bunraku.kernel.vec import add, cross, dot, ld3
from bunraku.model.layout import ARM, COUPLED, DOF, IV, KIND, NW, PARENT, RATIO, ROTOR, SLOT


@part
def add_rotors(ints, reals, M):
    """Add the armatures of joints that follow by a matrix."""
    for i in range(1, ints.shape[0]):
        if ints[i, KIND] >= COUPLED:
            iv = ints[i, IV]
            for k in range(ints[i, DOF]):
                for l in range(ints[i, DOF]):
                    M[iv + k, iv + l] += rotor_between(ints, reals, i, k, l)


@inline
def mass_matrix(ints, reals, q, work, M):
    """Fill M (nv, nv), both triangles."""
    nb = ints.shape[0]
    composites(ints, reals, q, work)
    for i in range(M.shape[0]):
        for j in range(M.shape[1]):
            M[i, j] = 0.0
    for i in range(1, nb):
        iv = ints[i, IV]
        g = reals[i, RATIO]
        for k in range(ints[i, DOF]):
            sa, sl = joint_column(ints, reals, work, i, k)
            n, f = composite_wrench(work, i, sa, sl)
            M[iv + k, iv + k] += g * g * reals[i, ROTOR]
            for l in range(k + 1):  # this joint's own block
                ta, tl = joint_column(ints, reals, work, i, l)
                x = dot(ta, n) + dot(tl, f)
                M[iv + k, iv + l] += x
                if l != k:
                    M[iv + l, iv + k] += x
            j = i
            while ints[j, PARENT] != 0:
                n = add(n, cross(ld3(work, j * NW + ARM), f))
                j = ints[j, PARENT]
                jv = ints[j, IV]
                for l in range(ints[j, DOF]):
                    ta, tl = joint_column(ints, reals, work, j, l)
                    x = dot(ta, n) + dot(tl, f)
                    M[iv + k, jv + l] += x
                    M[jv + l, iv + k] += x
    if ints[0, SLOT] != 0:
        add_rotors(ints, reals, M)


@entry("h D DD")
def crba_one(handle, q, M):
    """Fill M for one state."""
    _, nq, nv = sizes(handle)
    if q.shape[0] != nq or M.shape[0] != nv or M.shape[1] != nv:
        return BAD_SIZE
    ints, reals, work = opened(handle)
    mass_matrix(ints, reals, borrow(q), work, borrow(M))
    return OK


@entry("h DD DDD")
def crba_many(handle, q, M):
    """Fill M (batch, nv, nv)."""
    ints, reals, work = opened(handle)
    rows = borrow(q)
    out = borrow(M)
    for b in range(q.shape[0]):
        mass_matrix(ints, reals, rows[b], work, out[b])
    return OK
