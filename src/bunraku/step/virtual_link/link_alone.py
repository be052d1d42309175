"""A sliding patch by itself: the direction that friction and motion agree on while everything else keeps its force.

The patch's own six rows say how it moves: G (3 x 3), the motion y = (ux, uy, d wz)' at pv for (fx, fy, nz / d), the
patch keeping its contact (its fz, nx, ny answer so that the touching points keep their normal motion). From the motion
y0 with friction phi0, look for
    y = y0 + h G (phi - phi0),   phi = -F g(y),   F = muD fz, fz and pv answering,
by eta <- F eta + y / (h |G|), made a unit vector; eta is along y where it rests. Cost: some 30 ns a round, up to
ROUNDS. For a patch that is alone in its island the answer is exact, so that the next solve is the last; where several
slide at once it is a better beginning for Newton's method. Checked in tests/step/virtual_link/test_friction.py and
test_virtual_link_random.py.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.lanes import ld
from bunraku.kernel.vec import dot
from bunraku.step.virtual_link.link_layout import LINE, POINT, SURFACE, Alone, Links, Patch

ROUNDS = 60
SETTLED = 1e-9
LEAST = 0.1  # of fz: what may be left of it for the answer to count


@inline
def law(u):
    """g: what friction opposes, from the motion (ux, uy, d wz); zero at rest."""
    ux, uy, uz = u
    size = math.sqrt(ux * ux + uy * uy)
    if uz == 0.0:
        return (ux / size, uy / size, 0.0) if size > 0.0 else (0.0, 0.0, 0.0)
    fade = math.exp(-size / abs(uz))
    g = (1.0 - fade) / size if size > 0.0 else 0.0
    return g * ux, g * uy, fade if uz > 0.0 else -fade


@inline
def opposed(patch: Patch):
    """The same three numbers of the hypothesis."""
    slides = 1.0 - patch.fade
    return slides * patch.s[0], slides * patch.s[1], patch.fade * patch.sign


@inline
def apart(a, b):
    """Sum of what two triples differ by."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1]) + abs(a[2] - b[2])


@inline
def think_of_slip(patch: Patch, direction, slides, fade):
    """The patch slides along `direction` (x, y, turn), where `slides` is the size of (x, y)."""
    x, y, z = direction
    patch.s = (x / slides if slides > 0.0 else 1.0, y / slides if slides > 0.0 else 0.0)
    patch.fade = fade
    patch.sign = 1.0 if z > 0.0 else (-1.0 if z < 0.0 else 0.0)


@inline
def normal_rows(patch: Patch, rows):
    """The rows that keep a patch touching, six numbers each: vz at a point of it, and the turns across; returns their
    number."""
    ax, ay = (0.0, 0.0) if patch.state == SURFACE else patch.region.vertex[patch.low]
    count = 1 if patch.state == POINT else (2 if patch.state == LINE else 3)
    for c in range(count):
        for k in range(6):
            rows[c, k] = 0.0
    rows[0, 2] = 1.0
    rows[0, 3] = ay
    rows[0, 4] = -ax
    if patch.state == LINE:
        bx, by = patch.region.vertex[patch.high]
        rows[1, 2] = 1.0
        rows[1, 3] = by
        rows[1, 4] = -bx
    elif patch.state == SURFACE:
        rows[1, 3] = 1.0
        rows[2, 4] = 1.0
    return count


@inline
def own_motion(links: Links, patch: Patch, wrench, k):
    """Component k of the motion of a patch for a wrench on it."""
    at = (patch.row + k) * links.numbers.stride + patch.row
    x = 0.0
    for j in range(6):
        x += ld(links.K, at + j) * wrench[j]
    return x


@inline
def product(a, b):
    """Of two rows of six."""
    x = 0.0
    for k in range(6):
        x += a[k] * b[k]
    return x


@inline
def factor_normal(links: Links, patch: Patch, work: Alone, n):
    """rows K rows' of the n normal rows as L D L'. Returns 0 where the patch cannot keep its contact."""
    rows, A, moved = work.rows, work.A, work.moved
    for c in range(n):
        for k in range(6):
            moved[k] = own_motion(links, patch, rows[c], k)
        for b in range(c, n):
            A[c, b] = product(rows[b], moved)
    largest = A[0, 0]
    for c in range(n):
        pivot = A[c, c]
        if not pivot > 1e-9 * largest:
            return 0
        for b in range(c + 1, n):
            l = A[c, b] / pivot
            for k in range(b, n):
                A[b, k] -= l * A[c, k]
    return 1


@inline
def solve_normal(A, n, x):
    """The n <= 3 unknowns of factors from `factor_normal`."""
    x0, x1, x2 = x
    if n > 1:
        x1 -= A[0, 1] / A[0, 0] * x0
    if n > 2:
        x2 -= A[0, 2] / A[0, 0] * x0 + A[1, 2] / A[1, 1] * x1
        x2 /= A[2, 2]
    if n > 1:
        x1 = x1 / A[1, 1] - (A[1, 2] / A[1, 1] * x2 if n > 2 else 0.0)
    x0 = x0 / A[0, 0] - (A[0, 1] / A[0, 0] * x1 if n > 1 else 0.0)
    x0 -= A[0, 2] / A[0, 0] * x2 if n > 2 else 0.0
    return x0, x1, x2


@inline
def alone_response(links: Links, patch: Patch, work: Alone):
    """G and the answers of fz, nx, ny. Returns 0 where the patch cannot keep its contact."""
    rows, wrench, moved = work.rows, work.wrench, work.moved
    n = normal_rows(patch, rows)
    if not factor_normal(links, patch, work, n):
        return 0
    px, py = patch.pv
    for c in range(3):
        for k in range(6):
            wrench[k] = 0.0
        if c < 2:
            wrench[c] = 1.0
        wrench[5] = -py if c == 0 else (px if c == 1 else patch.d)
        for k in range(6):
            moved[k] = own_motion(links, patch, wrench, k)
        x0 = -product(rows[0], moved)
        x1 = -product(rows[1], moved) if n > 1 else 0.0
        x2 = -product(rows[2], moved) if n > 2 else 0.0
        x0, x1, x2 = solve_normal(work.A, n, (x0, x1, x2))
        for k in range(6):
            y = x0 * rows[0, k]
            if n > 1:
                y += x1 * rows[1, k]
            if n > 2:
                y += x2 * rows[2, k]
            wrench[k] += y
        work.answers[c] = (wrench[2], wrench[3], wrench[4])
        turn = own_motion(links, patch, wrench, 5)
        x = own_motion(links, patch, wrench, 0) - py * turn
        y = own_motion(links, patch, wrench, 1) + px * turn
        work.response[c] = (x, y, patch.d * turn)
    return 1


@inline
def times(columns, x):
    """Three columns times (x, y, z)."""
    a, b, c = columns[0], columns[1], columns[2]
    return (
        a[0] * x[0] + b[0] * x[1] + c[0] * x[2],
        a[1] * x[0] + b[1] * x[1] + c[1] * x[2],
        a[2] * x[0] + b[2] * x[1] + c[2] * x[2],
    )


@inline
def slide_alone(links: Links, patch: Patch, friction, pressure, motion):
    """Bring the direction of a sliding patch to rest: from friction (fx, fy, nz / d), pressure (fz, nx, ny) and the
    motion (ux, uy, d wz) with them."""
    work = links.alone
    mu = patch.region.mu_d
    fz, nx, ny = pressure
    if not mu * fz > 0.0 or not alone_response(links, patch, work):
        return
    h = links.numbers.h
    px, py = patch.pv
    d = patch.d
    size = 0.0
    for k in range(3):
        for c in range(3):
            size += work.response[c][k] * work.response[c][k]
    size = h * math.sqrt(size)
    if not size > 0.0:
        return
    e = (patch.rho * patch.s[0], patch.rho * patch.s[1], patch.turn * patch.sign)
    g = opposed(patch)
    F = mu * fz
    x, y, z = motion
    settled = False
    for _ in range(ROUNDS):
        # fz answers linearly to phi = -mu fz g: fz (1 + mu B.g) = fz0 - B.phi0
        share = 1.0 + mu * times(work.answers, g)[0]
        now = fz - times(work.answers, friction)[0]
        push = now / share if share > LEAST else fz
        if not push > LEAST * fz:
            return
        F = mu * push
        more = (-F * g[0] - friction[0], -F * g[1] - friction[1], -F * g[2] - friction[2])
        moved = times(work.response, more)
        x = motion[0] + h * moved[0]
        y = motion[1] + h * moved[1]
        z = motion[2] + h * moved[2]
        if d > 0.0:  # pv answers too
            _, turned_x, turned_y = times(work.answers, more)
            x -= z / d * ((nx + turned_x) / push - py)
            y += z / d * (-(ny + turned_y) / push - px)
        e = (F * e[0] + x / size, F * e[1] + y / size, F * e[2] + z / size)
        length = math.sqrt(dot(e, e))
        if not length > 0.0:
            return
        e = (e[0] / length, e[1] / length, e[2] / length)
        last = g
        g = law(e)
        if apart(g, last) < SETTLED:
            settled = True
            break
    speed = x * e[0] + y * e[1] + z * e[2]
    if not (settled and speed > 0.0):
        return
    patch.rho = math.sqrt(e[0] * e[0] + e[1] * e[1])
    patch.turn = abs(e[2])
    think_of_slip(patch, e, patch.rho, abs(g[2]))
    patch.speed = speed
    patch.fz = F / mu
    patch.wz = z / d if d > 0.0 else 0.0
