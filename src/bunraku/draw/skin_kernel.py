"""The kernel that bends a skin: every vertex and normal by the weighted mean of the matrices of its bones.

x' = sum_k w_k (R_k x + p_k), n' = sum_k w_k R_k n made of length 1 (linear blending; bones that lie close together keep
limbs round, bunraku.draw.skin_bones). About 0.5 ms for the 11,500 vertices of a figure. Checked in
tests/draw/test_skin.py against NumPy.
"""

from __future__ import annotations

import math

from bunraku.kernel.compile import inline
from bunraku.kernel.entry import entry


@inline
def turned(matrices, bone, weight, point, moved):
    """weight (R point + moved p) of a bone's matrix (R p), row by row."""
    x, y, z = point
    m = matrices
    return (
        weight * (m[bone, 0] * x + m[bone, 1] * y + m[bone, 2] * z + moved * m[bone, 3]),
        weight * (m[bone, 4] * x + m[bone, 5] * y + m[bone, 6] * z + moved * m[bone, 7]),
        weight * (m[bone, 8] * x + m[bone, 9] * y + m[bone, 10] * z + moved * m[bone, 11]),
    )


@inline
def blended(matrices, bones, weights, points, moved, n):
    """Row n of points (n, 3), carried by its bones; moved: 1 for places, 0 for directions."""
    x = y = z = 0.0
    point = (points[n, 0], points[n, 1], points[n, 2])
    for k in range(bones.shape[1]):
        if weights[n, k] > 0.0:
            a = turned(matrices, bones[n, k], weights[n, k], point, moved)
            x, y, z = x + a[0], y + a[1], z + a[2]
    return x, y, z


@entry("DD II DD DD DD DD DD", nogil=True)
def bend(matrices, bones, weights, vertices, normals, new_vertices, new_normals):
    """Fill new_vertices and new_normals (n, 3) from those as meshed; matrices (bones, 12): R p of each, row by row."""
    for n in range(len(bones)):
        x, y, z = blended(matrices, bones, weights, vertices, 1.0, n)
        new_vertices[n, 0], new_vertices[n, 1], new_vertices[n, 2] = x, y, z
        x, y, z = blended(matrices, bones, weights, normals, 0.0, n)
        inverse = 1.0 / max(math.sqrt(x * x + y * y + z * z), 1e-12)
        new_normals[n, 0], new_normals[n, 1], new_normals[n, 2] = inverse * x, inverse * y, inverse * z
