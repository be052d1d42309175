"""Kernels that read a frame off a world's arrays: poses and centres of mass; contacts with the states of their patches,
forces and ground moments.

The rules for the state of a patch are those of bunraku.world.views: with pv the centre of pressure and the touching
points p_i in the order of a convex polygon about the normal n,
    none     no force
    point    |pv - p_i| <= TOUCH for some i
    line     n . (e_i x (pv - p_i)) / |e_i| <= TOUCH for some edge e_i = p_(i+1) - p_i, or no area
    surface  else
World axes, SI units. Cost: 3 us for a standing figure. Checked in tests/viewer/test_world_frames.py.
"""

from __future__ import annotations

import math

from bunraku.collision.shape_layout import BODY, FIGURE, GAP, NORMAL, PATCH, POINT, SHAPE_A, SHAPE_B
from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry
from bunraku.world.views import PRESSING, TOUCH

NAN = float("nan")
NO_FORCE, AT_POINT, ON_LINE, ON_SURFACE = 0.0, 1.0, 2.0, 3.0


@entry("DD DD II D DD DD DD")
def body_rows(rotation, position, owner, mass, first, poses, centres):
    """Fill poses (nb, 7) x y z qw qx qy qz and centres (ng, 4): sums of mass times place, and mass, of the bodies 1 …
    nb of a model.

    rotation (nb + 1, 9), position (nb + 1, 3), owner (nb, 1) figure of a body, mass (nb,), first (nb, 3) mass times
    centre of mass in the body."""
    centres[:, :] = 0.0
    for i in range(poses.shape[0]):
        r = rotation[i + 1]
        p = position[i + 1]
        w, x, y, z = r[0] + r[4] + r[8], r[0] - r[4] - r[8], r[4] - r[0] - r[8], r[8] - r[0] - r[4]
        if w >= x and w >= y and w >= z:  # the row of 4 q q' with the largest diagonal (Shepperd)
            q = (1.0 + w, r[7] - r[5], r[2] - r[6], r[3] - r[1])
        elif x >= y and x >= z:
            q = (r[7] - r[5], 1.0 + x, r[1] + r[3], r[2] + r[6])
        elif y >= z:
            q = (r[2] - r[6], r[1] + r[3], 1.0 + y, r[5] + r[7])
        else:
            q = (r[3] - r[1], r[2] + r[6], r[5] + r[7], 1.0 + z)
        scale = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) ** -0.5
        if q[0] < 0.0:
            scale = -scale
        for k in range(3):
            poses[i, k] = p[k]
            turned = r[3 * k] * first[i, 0] + r[3 * k + 1] * first[i, 1] + r[3 * k + 2] * first[i, 2]
            centres[owner[i, 0], k] += mass[i] * p[k] + turned
        poses[i, 3] = scale * q[0]
        poses[i, 4] = scale * q[1]
        poses[i, 5] = scale * q[2]
        poses[i, 6] = scale * q[3]
        centres[owner[i, 0], 3] += mass[i]
    return 0


@entry("i d II DD DD II DD DD")
def contact_rows(n, dt, ids, data, impulse, shapes, rows, figures):
    """Fill rows (n, 10) and figures (ng, 10) from the n contacts of the last step; returns how many of them touch.

    A row: x y z fx fy fz patch state, bodies of both sides (-1: the world). A figure: force from all that is not
    itself; of the ground alone force, moment about the world's origin, and height times upward force."""
    figures[:, :] = 0.0
    count = 0
    begin = 0
    patch = 0
    for i in range(n):
        if i and ids[i, PATCH] != ids[i - 1, PATCH]:
            count, patch = closed(rows, begin, count, patch, data[i - 1])
            begin = count
        fx, fy, fz = impulse[i, 0] / dt, impulse[i, 1] / dt, impulse[i, 2] / dt
        x, y, z = data[i, POINT], data[i, POINT + 1], data[i, POINT + 2]
        press = fx * data[i, NORMAL] + fy * data[i, NORMAL + 1] + fz * data[i, NORMAL + 2]
        a = ids[i, SHAPE_A]
        b = ids[i, SHAPE_B]
        for side in range(2):
            mine, other, s = (a, b, 1.0) if side == 0 else (b, a, -1.0)
            k = shapes[mine, FIGURE]
            if k < 0:
                continue
            if k != shapes[other, FIGURE]:
                figures[k, 0] += s * fx
                figures[k, 1] += s * fy
                figures[k, 2] += s * fz
            if shapes[mine, BODY] > 0 and shapes[other, BODY] == 0:
                figures[k, 3] += s * fx
                figures[k, 4] += s * fy
                figures[k, 5] += s * fz
                figures[k, 6] += s * (y * fz - z * fy)
                figures[k, 7] += s * (z * fx - x * fz)
                figures[k, 8] += s * (x * fy - y * fx)
                figures[k, 9] += s * z * fz
        if data[i, GAP] <= TOUCH or press > PRESSING:
            row = rows[count]
            row[0], row[1], row[2], row[3], row[4], row[5] = x, y, z, fx, fy, fz
            row[8], row[9] = shapes[a, BODY] - 1.0, shapes[b, BODY] - 1.0
            count += 1
    if n > 0:
        count, patch = closed(rows, begin, count, patch, data[n - 1])
    return count


@inline
def closed(rows, begin, end, patch, contact):
    """Write number and state of the patch of rows begin … end; returns (end, number of the next patch)."""
    if end == begin:
        return end, patch
    state = patch_state(rows, begin, end, contact[NORMAL], contact[NORMAL + 1], contact[NORMAL + 2])
    for i in range(begin, end):
        rows[i, 6] = patch
        rows[i, 7] = state
    return end, patch + 1


@inline
def patch_state(rows, begin, end, nx, ny, nz):
    """See the module text."""
    total = px = py = pz = 0.0
    for i in range(begin, end):
        press = max(nx * rows[i, 3] + ny * rows[i, 4] + nz * rows[i, 5], 0.0)
        total += press
        px += press * rows[i, 0]
        py += press * rows[i, 1]
        pz += press * rows[i, 2]
    if total <= PRESSING:
        return NO_FORCE
    px, py, pz = px / total, py / total, pz / total
    area = longest = 0.0
    nearest = 1e300
    for i in range(begin, end):
        j = i + 1 if i + 1 < end else begin
        ex, ey, ez = rows[j, 0] - rows[i, 0], rows[j, 1] - rows[i, 1], rows[j, 2] - rows[i, 2]
        tx, ty, tz = px - rows[i, 0], py - rows[i, 1], pz - rows[i, 2]
        if tx * tx + ty * ty + tz * tz <= TOUCH * TOUCH:
            return AT_POINT
        length = (ex * ex + ey * ey + ez * ez) ** 0.5
        height = nx * (ey * tz - ez * ty) + ny * (ez * tx - ex * tz) + nz * (ex * ty - ey * tx)
        area += height  # seen from pv, all edges together
        longest = max(longest, length)
        if length > TOUCH:
            nearest = min(nearest, height / length)
    if area <= TOUCH * longest or nearest <= TOUCH:
        return ON_LINE
    return ON_SURFACE


@entry("DD DD")
def zero_moment_rows(sums, zmp):
    """Fill zmp (ng, 3) from sums (ng, 10) of `contact_rows`: the formula of bunraku.world.measures, NaN where no ground
    pushes up."""
    for k in range(zmp.shape[0]):
        up = sums[k, 5]
        h = sums[k, 9] / up if up > PRESSING else NAN
        zmp[k, 0] = (h * sums[k, 3] - sums[k, 7]) / up if up > PRESSING else NAN
        zmp[k, 1] = (sums[k, 6] + h * sums[k, 4]) / up if up > PRESSING else NAN
        zmp[k, 2] = h
    return 0


@entry("DD DD DD")
def figure_rows(centres, zmp, figures):
    """Fill figures (ng, 6) from centres (ng, 4) of `body_rows` and zmp (ng, 3); NaN for a figure without mass."""
    for k in range(figures.shape[0]):
        mass = centres[k, 3]
        for i in range(3):
            figures[k, i] = centres[k, i] / mass if mass > 0.0 else NAN
            figures[k, 3 + i] = zmp[k, i]
    return 0


@entry("II D D D D")
def curve_rows(plan, scales, q, torques, out):
    """Fill out (2 n,) with the values of n degrees of freedom, then their torques.

    plan (n, 3): index into q, into v, and which part of a ball's rotation vector (-1: no ball); scales (n,): of the
    values."""
    n = plan.shape[0]
    for k in range(n):
        i, part = plan[k, 0], plan[k, 2]
        if part < 0:
            x = q[i]
        else:  # v angle / |v| of the quaternion (w, v), the shorter way round
            s = (q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3]) ** 0.5
            w = q[i]
            turn = 2.0 * math.atan2(s, abs(w)) / s if s > 1e-150 else 2.0
            x = q[i + 1 + part] * (turn if w >= 0.0 else -turn)
        out[k] = scales[k] * x
        out[n + k] = torques[plan[k, 1]]
    return 0
