"""The penalty that keeps a contact force in its friction cone: P/2 dist(f + lam/P, K)^2 with K = {|t| <= mu n}, its multiplier and curvature.

With z = f + lam/P and its projection p(z) the gradient is P (z - p(z)), the new multiplier; K is a cone, so p(z) = p'(z) z and
    z - p(z) = D z,   D = 1 - p'(z)
      inside the cone    D = 0
      inside its polar   D = 1      (mu |t| <= -n: p = 0)
      between            p = s (1, mu u), u = t/|t|, s = (n + mu |t|) / (1 + mu^2);   D = 1 - e e' - (mu s / |t|) w w'
with e = (1, mu u) / sqrt(1 + mu^2) and w the tangent across u. Checked in tests/control/test_whole_body.py.
"""

from __future__ import annotations

from bunraku.spatial.kernel import inline

INSIDE, BETWEEN, POLAR = 0, 1, 2


@inline
def curvature(n, x, y, mu):
    """(state, D as 6 numbers nn nx ny xx xy yy) at z = (n, x, y)."""
    r = (x * x + y * y) ** 0.5
    if r <= mu * n:
        return INSIDE, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if mu * r <= -n or r == 0.0:
        return POLAR, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
    u = x / r
    v = y / r
    k = 1.0 / (1.0 + mu * mu)
    across = mu * (n + mu * r) * k / r  # along w = (-v, u)
    along = mu * mu * k  # e's part along u, squared
    return BETWEEN, (
        1.0 - k,
        -k * mu * u,
        -k * mu * v,
        1.0 - along * u * u - across * v * v,
        -along * u * v + across * u * v,
        1.0 - along * v * v - across * u * u,
    )
