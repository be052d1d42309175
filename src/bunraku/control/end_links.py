"""How end links answer joint accelerations and outer forces: the recursion behind L, Phi and phi of Yamane &
Nakamura 2002, and behind the whole-body problem.

Joint accelerations are prescribed, so the figure answers a force as one rigid body on its base (their eqs (1), (2)):
    r'' = L f + Phi q'' + phi,    L = Jb Mb^-1 Jb',   Phi = Jj - Jb Mb^-1 Mbj,   phi = J_dot v - Jb Mb^-1 hb
Mb is the inertia of the whole figure about the base's origin (m, h, I), so that Mb^-1 is closed: with c = h / m
    al = Ic^-1 (n - c x f),   a = f / m - al x c,       Ic = I - m (c.c 1 - c c')
Column j of Mbj is the wrench of the composite beyond joint j, carried to the base: all by recursion, O(N). World axes;
accelerations classical; wrenches (moment, force) and responses (angular, linear) at the base's origin. A figure on a
fixed base answers no force: Mb^-1 = 0. Checked in tests/choreography/test_relations.py against the dense formulas.
"""

from __future__ import annotations

from bunraku.dynamics.composite import carry_composite, composite_wrench, joint_column
from bunraku.dynamics.one_axis import real3
from bunraku.dynamics.passes import angles, drift, inertial_wrench, place, rigid, spin, swing, world_pose
from bunraku.kernel.compile import inline, part
from bunraku.kernel.lanes import ld, st
from bunraku.kernel.vec import add, axpy, cross, dot, ld3, ld6, ld9, mv, s_inverse, scale, st3, st6, sub, sv
from bunraku.model.layout import (
    ACC,
    ALPHA,
    ARM,
    DOF,
    FREE,
    IV,
    KIND,
    NW,
    OMEGA,
    PARENT,
    PLACE,
    POS,
    RIGID,
    ROT,
    ROTOR,
    VEL,
    WRENCH,
)

ROOT = 1  # the body of the base


@part
def survey(ints, reals, q, v, work):
    """Poses, velocities and accelerations for v' = 0 (without gravity) of all bodies; composite inertias; WRENCH: what
    v' = 0 needs (gravity included), summed inwards, each at its body's origin."""
    nb = ints.shape[0]
    angles(ints, q, work)
    world_pose(work)
    for k in range(3):
        st(work, OMEGA + k, 0.0)
        st(work, ALPHA + k, 0.0)
        st(work, ACC + k, 0.0)
        st(work, VEL + k, 0.0)
    for k in range(10):
        st(work, RIGID + k, 0.0)
    for k in range(6):
        st(work, WRENCH + k, 0.0)
    g = real3(reals, 0, PLACE)
    for i in range(1, nb):
        w = i * NW
        R, arm, s = place(ints, reals, q, work, i)
        a = swing(ints, reals, v, work, i, arm, s)
        drift(ints, reals, v, work, i, arm, s)
        om, al = spin(ints, reals, v, work, i, R, s)
        m, h, I = rigid(reals, i, R)
        st3(work, w + RIGID, h)
        st6(work, w + RIGID + 3, I)
        st(work, w + RIGID + 9, m)
        n, f = inertial_wrench(m, h, I, om, al, sub(a, g))
        st3(work, w + WRENCH, n)
        st3(work, w + WRENCH + 3, f)
    for i in range(nb - 1, 0, -1):
        w = i * NW
        p = ints[i, PARENT] * NW
        carry_composite(work, w, p)
        f = ld3(work, w + WRENCH + 3)
        n = add(ld3(work, w + WRENCH), cross(ld3(work, w + ARM), f))
        st3(work, p + WRENCH, add(ld3(work, p + WRENCH), n))
        st3(work, p + WRENCH + 3, add(ld3(work, p + WRENCH + 3), f))


@inline
def base_of(ints, reals, work):
    """The answer of the base: (1/m, c, Ic^-1, whether it is free).

    A free joint's armature r counts as in the mass matrix: m + r, I + r.
    """
    free = ints[ROOT, KIND] == FREE
    h = ld3(work, ROOT * NW + RIGID)
    I = ld6(work, ROOT * NW + RIGID + 3)
    r = reals[ROOT, ROTOR]
    m = ld(work, ROOT * NW + RIGID + 9) + r
    c = scale(1.0 / m, h)
    d = m * dot(c, c) - r
    Ic = (
        I[0] - d + m * c[0] * c[0],
        I[1] + m * c[0] * c[1],
        I[2] + m * c[0] * c[2],
        I[3] - d + m * c[1] * c[1],
        I[4] + m * c[1] * c[2],
        I[5] - d + m * c[2] * c[2],
    )
    return 1.0 / m, c, s_inverse(Ic), free


@inline
def answer(base, n, f):
    """(angular, linear) acceleration of the base's origin for a wrench there."""
    if not base[3]:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    al = sv(base[2], sub(n, cross(base[1], f)))
    return al, sub(scale(base[0], f), cross(al, base[1]))


@inline
def joints_of(ints):
    """First column of the joints in v: 6 with a free base, else 0."""
    return 6 if ints[ROOT, KIND] == FREE else 0


@part
def joint_answers(ints, reals, work, columns):
    """columns[j] (6): (angular, linear) acceleration of the base per unit acceleration of joint DoF j: -Mb^-1 Mbj."""
    first = joints_of(ints)
    base = base_of(ints, reals, work)
    for j in range(columns.shape[0]):
        for r in range(6):
            columns[j, r] = 0.0
    if first == 0:
        return
    origin = ld3(work, ROOT * NW + POS)
    for i in range(ROOT + 1, ints.shape[0]):
        arm = sub(ld3(work, i * NW + POS), origin)
        for k in range(ints[i, DOF]):
            sa, sl = joint_column(ints, reals, work, i, k)
            n, f = composite_wrench(work, i, sa, sl)
            al, a = answer(base, add(n, cross(arm, f)), f)
            j = ints[i, IV] + k - first
            was_al, was_a = base_answer(columns, j)
            keep_answer(columns, j, sub(was_al, al), sub(was_a, a))


@inline
def base_answer(columns, c):
    """(angular, linear): row c of `columns`."""
    return (columns[c, 0], columns[c, 1], columns[c, 2]), (columns[c, 3], columns[c, 4], columns[c, 5])


@inline
def keep_answer(columns, c, al, a):
    """Make row c of `columns` (angular, linear)."""
    for d in range(3):
        columns[c, d] = al[d]
        columns[c, 3 + d] = a[d]


@inline
def base_bias(ints, reals, work):
    """(angular, linear) acceleration of the base with q'' = 0 and no outer force but gravity: -Mb^-1 hb."""
    al, a = answer(base_of(ints, reals, work), ld3(work, ROOT * NW + WRENCH), ld3(work, ROOT * NW + WRENCH + 3))
    return scale(-1.0, al), scale(-1.0, a)


@inline
def whole_momentum(ints, reals, work):
    """(centre of mass, its velocity, angular momentum about it) of the whole figure, after `survey`."""
    com = add(ld3(work, ROOT * NW + POS), base_of(ints, reals, work)[1])
    mass = 0.0
    linear = (0.0, 0.0, 0.0)
    angular = (0.0, 0.0, 0.0)
    for i in range(1, ints.shape[0]):
        w = i * NW
        om = ld3(work, w + OMEGA)
        vel = ld3(work, w + VEL)
        m, first, I = rigid(reals, i, ld9(work, w + ROT))
        l = axpy(m, vel, cross(om, first))
        mass += m
        linear = add(linear, l)
        angular = add(angular, add(add(sv(I, om), cross(first, vel)), cross(sub(ld3(work, w + POS), com), l)))
    return com, scale(1.0 / mass, linear), angular


@inline
def point_of(work, body, point):
    """World position of a point given in a body's frame."""
    return add(ld3(work, body * NW + POS), mv(ld9(work, body * NW + ROT), point))


@inline
def point_bias(work, body, x):
    """J_dot v of the point of a body that is at x."""
    w = body * NW
    r = sub(x, ld3(work, w + POS))
    om = ld3(work, w + OMEGA)
    return add(add(ld3(work, w + ACC), cross(ld3(work, w + ALPHA), r)), cross(om, cross(om, r)))


@inline
def direction_bias(ints, work, body, x, n, f, bias):
    """phi along (n, f): angular direction n, linear direction f at point x of a body; `bias` is that of the base."""
    arm = sub(x, ld3(work, ROOT * NW + POS))
    own = dot(f, point_bias(work, body, x)) + dot(n, ld3(work, body * NW + ALPHA))
    if ints[ROOT, KIND] != FREE:
        return own
    return own + dot(f, add(bias[1], cross(bias[0], arm))) + dot(n, bias[0])


@inline
def add_joints(ints, reals, work, body, x, n, f, row):
    """Add Jj along (n, f), at point x of a body, to row (columns of joints)."""
    first = joints_of(ints)
    i = body
    while i > 0 and (first == 0 or i != ROOT):
        turn = add(n, cross(sub(x, ld3(work, i * NW + POS)), f))
        for k in range(ints[i, DOF]):
            sa, sl = joint_column(ints, reals, work, i, k)
            row[ints[i, IV] + k - first] += dot(turn, sa) + dot(f, sl)
        i = ints[i, PARENT]
