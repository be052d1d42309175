"""The penalty that keeps a contact force in its friction cone: P/2 dist(f + lam/P, K)^2 with K = {|t| <= mu n}, its
multiplier and curvature.

With z = f + lam/P and its projection p(z) the gradient is P (z - p(z)), the new multiplier; K is a cone, so p(z) =
p'(z) z and
    z - p(z) = D z,   D = 1 - p'(z)
      inside the cone    D = 0
      inside its polar   D = 1      (mu |t| <= -n: p = 0)
      between            p = s (1, mu u), u = t/|t|, s = (n + mu |t|) / (1 + mu^2);   D = 1 - e e' - (mu s / |t|) w w'
with e = (1, mu u) / sqrt(1 + mu^2) and w the tangent across u. The cone's apex, where unloaded points lie, costs many
iterations. A controller that solves every millisecond may take the radius mu n from the last solution instead: n >= 0
and |t| <= radius, two conditions without an apex; then z - p(z) = D z - offset. Checked in
tests/control/test_whole_body.py.
"""

from __future__ import annotations

from bunraku.kernel.compile import inline

INSIDE, BETWEEN, POLAR = 0, 1, 2
PULLS, SLIPS, BOTH = 3, 4, 5  # with a given radius


@inline
def is_curved(state):
    """Whether the penalty is not quadratic in this state."""
    return state == BETWEEN or state == SLIPS or state == BOTH


@inline
def curvature(n, x, y, mu, radius):
    """(state, D as 6 numbers nn nx ny xx xy yy, offset of the two tangents) at z = (n, x, y); z - p(z) = D z - (0,
    offset).

    radius >= 0: in the place of the cone stand n >= 0 and |t| <= radius."""
    r = (x * x + y * y) ** 0.5
    if radius >= 0.0:
        nn = 1.0 if n < 0.0 else 0.0
        if r <= radius:
            return (PULLS if n < 0.0 else INSIDE), (nn, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0)
        u = x / r
        v = y / r
        k = radius / r
        D = (nn, 0.0, 0.0, u * u + (1.0 - k) * v * v, k * u * v, v * v + (1.0 - k) * u * u)
        return (BOTH if n < 0.0 else SLIPS), D, (radius * u, radius * v)
    if r <= mu * n:
        return INSIDE, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0)
    if mu * r <= -n or r == 0.0:
        return POLAR, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0), (0.0, 0.0)
    u = x / r
    v = y / r
    k = 1.0 / (1.0 + mu * mu)
    across = mu * (n + mu * r) * k / r  # along w = (-v, u)
    along = mu * mu * k  # e's part along u, squared
    D = (
        1.0 - k,
        -k * mu * u,
        -k * mu * v,
        1.0 - along * u * u - across * v * v,
        -along * u * v + across * u * v,
        1.0 - along * v * v - across * u * u,
    )
    return BETWEEN, D, (0.0, 0.0)
