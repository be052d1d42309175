"""Contact problems for the virtual-link solver: dense K, a0 from the figures' own mass matrix and Jacobians, a call,
and every law checked afresh.

Nothing here uses the solver's own geometry or friction code: `laws` is a second, plain NumPy statement of (24)-(33).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import bunraku as bk
from bunraku.kernel.record import Many
from bunraku.step.virtual_link import link_hypotheses as vl
from bunraku.step.virtual_link import link_layout as at

G = 9.80665
STATES = ("none", "point", "line", "surface")
MODES = ("", "stick", "spin", "slip")


def rectangle(lx: float, ly: float) -> np.ndarray:
    return np.array([[-lx, -ly], [lx, -ly], [lx, ly], [-lx, ly]]) / 2


@dataclass
class Patch:
    """One region (n, 2) with its material."""

    region: np.ndarray
    mu_s: float = 0.8
    mu_d: float = 0.6
    e_n: float = 0.0
    e_t: float = 0.0

    def record(self) -> at.Region:
        out = at.Region()
        out.count = len(self.region)
        out.mu_s, out.mu_d, out.e_n, out.e_t = self.mu_s, self.mu_d, self.e_n, self.e_t
        for k, p in enumerate(self.region):
            out.vertex[k] = p
        return out


@dataclass
class Answer:
    """What a call gave."""

    status: int
    solves: int
    reason: int
    f: np.ndarray
    a: np.ndarray
    patches: Many[at.Patch]

    def state(self, i: int = 0) -> tuple[str, str]:
        return STATES[self.patches[i].state], MODES[self.patches[i].mode]

    def wrench(self, i: int = 0) -> np.ndarray:
        return self.f[6 * i : 6 * i + 6]


@dataclass
class Problem:
    """K, free motion and patches."""

    K: np.ndarray
    patches: list[Patch]
    a0: np.ndarray
    v: np.ndarray = field(default=None)  # type: ignore[assignment]
    c: np.ndarray = field(default=None)  # type: ignore[assignment]
    dt: float = 1e-3

    def __post_init__(self) -> None:
        m = len(self.K)
        self.v = np.zeros(m) if self.v is None else np.asarray(self.v, float)
        if self.c is None:  # stop slip within the step
            self.c = np.zeros(m)
            for i in range(len(self.patches)):
                for k in (0, 1, 5):
                    self.c[6 * i + k] = -self.v[6 * i + k] / self.dt

    def regions(self) -> list[at.Region]:
        return [p.record() for p in self.patches]

    def _call(self, impact: bool, cap: int, tolerance: float, memory: Answer | None) -> Answer:
        p, m = len(self.patches), len(self.K)
        b = at.Buffers(p, m - 6 * p)
        # written before it is read
        for name in ("A", "added", "tiny", "inverse", "x", "rest", "y", "bounce", "bounced", "a"):
            getattr(b.links, name)[:] = np.nan
        b.links.pivots[:] = -9
        b.links.rows.rows[:] = np.nan
        if memory is not None:
            b.patches.rows[:], b.f[:] = memory.patches.rows, memory.f
        if impact:
            status = vl.impact(self.K, self.v, self.regions(), b, cap=cap, tolerance=tolerance)
        else:
            status = vl.forces(
                self.K, self.a0, self.c, self.v, self.regions(), self.dt, b, cap=cap, tolerance=tolerance
            )
        return Answer(status, int(b.numbers.solves), int(b.numbers.reason), b.f, b.a, b.patches)

    def forces(self, cap: int = vl.CAP, tolerance: float = vl.TOLERANCE, memory: Answer | None = None) -> Answer:
        return self._call(False, cap, tolerance, memory)

    def impact(self, cap: int = vl.CAP, tolerance: float = vl.TOLERANCE) -> Answer:
        return self._call(True, cap, tolerance, None)


def box_problem(
    size=(0.4, 0.3, 0.2), mass=2.0, push=(0, 0, 0, 0, 0, 0), twist=(0,) * 6, dt=1e-3, gravity=G, **material
) -> Problem:
    """A box lying on a plane: push = wrench (f, n) at its centre, twist = (v, w) of its centre.

    Patch: the whole underside.
    """
    model = bk.box(size, mass=mass)
    q = model.neutral()
    J = bottom_jacobian(model, q, size[2])
    M = bk.crba(model, q)
    tau = np.asarray(push, float) + np.array([0, 0, -mass * gravity, 0, 0, 0])
    # accelerations of the underside as components in link axes, less gyroscopic terms: those of a velocity-stepping
    # scheme
    patch = Patch(rectangle(size[0], size[1]), **material)
    return Problem(
        J @ np.linalg.solve(M, J.T), [patch], J @ np.linalg.solve(M, tau), J @ np.asarray(twist, float), dt=dt
    )


def bottom_jacobian(model, q, height: float) -> np.ndarray:
    """Six rows at the middle of the underside of a box, world axes = patch axes at rest."""
    J = bk.frame_jacobian(model, q, "box")
    down = np.array([0.0, 0.0, -height / 2])
    X = np.eye(6)
    X[:3, 3:] = -np.array([[0, -down[2], down[1]], [down[2], 0, -down[0]], [-down[1], down[0], 0]])
    return X @ J


def feet_problem(torque, rng=None, bend: float = 0.0, speed: float = 0.0) -> Problem:
    """The human figure on both soles, joints bent at random, given joint torques or, for a number, random ones of that
    size [N m]."""
    model = bk.human()
    q = model.neutral()
    if bend:
        q = bk.integrate(model, q, np.concatenate([np.zeros(6), rng.normal(size=model.nv - 6) * bend]), 1.0)
    k = bk.kinematics(model, q)
    J = []
    for name in ("left_sole", "right_sole"):
        R = k.pose(name)[1]
        W = bk.frame_jacobian(model, q, name)
        J += [R.T @ W[:3], R.T @ W[3:]]
    J, M, h = np.vstack(J), bk.crba(model, q), bk.rnea(model, q, np.zeros(model.nv), np.zeros(model.nv))
    if np.isscalar(torque):
        tau = rng.normal(size=model.nv) * torque
        tau[:6] = 0.0
    else:
        tau = torque(model, J, h)
    v = J @ rng.normal(size=model.nv) * speed if speed else np.zeros(12)
    v[[2, 3, 4, 8, 9, 10]] = 0.0
    soles = [Patch(rectangle(0.19, 0.12)), Patch(rectangle(0.19, 0.12))]
    return Problem(J @ np.linalg.solve(M, J.T), soles, J @ np.linalg.solve(M, tau - h), v)


def standing_torques(model, J: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Joint torques that keep the figure still: the least contact wrenches that carry the base, then h - J'f in the
    joints."""
    f = np.linalg.pinv(J[:, :6].T) @ h[:6]
    tau = h - J.T @ f
    tau[:6] = 0.0
    return tau


def vertex_motion(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Motion (3,) at the point x (2,) of the patch, from six rows at the origin."""
    return np.asarray(a[:3]) + np.cross(a[3:6], [x[0], x[1], 0.0])


def cross2(a: np.ndarray, b: np.ndarray) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def hull_distance(region: np.ndarray, p: np.ndarray) -> float:
    """How far p lies outside the convex region."""
    n = len(region)
    if n == 1:
        return float(np.linalg.norm(p - region[0]))
    best, inside = np.inf, n > 2
    for k in range(n):
        a, b = region[k], region[(k + 1) % n]
        e = b - a
        t = np.clip((p - a) @ e / (e @ e), 0, 1)
        best = min(best, float(np.linalg.norm(a + t * e - p)))
        inside = inside and e[0] * (p - a)[1] - e[1] * (p - a)[0] >= 0
    return 0.0 if inside else best


def laws(problem: Problem, answer: Answer, impact: bool = False) -> dict[str, float]:
    """Largest violations, each relative to its own scale: motion, normal (24), pv (26), friction (27)-(33), slip (25b),
    law (friction against the motion at the end of the step, relative to muD fz), energy of an impact."""
    K, a, f, c = problem.K, answer.a, answer.f, problem.c
    free = problem.v if impact else problem.a0
    a_scale = max(np.abs(free).max(), np.abs(K @ f).max(), 1e-12)
    f_scale = max(np.abs(f).max(), 1e-12)
    out = dict.fromkeys(("motion", "normal", "pv", "friction", "slip", "law", "energy"), 0.0)
    out["motion"] = np.abs(K @ f + free - a).max() / a_scale
    p = len(problem.patches)
    if not impact:
        out["motion"] = max(out["motion"], np.abs((a - c)[6 * p :]).max(initial=0.0) / a_scale)
    for i, patch in enumerate(problem.patches):
        w, rel = f[6 * i : 6 * i + 6], a[6 * i : 6 * i + 6] - (0 if impact else c[6 * i : 6 * i + 6])
        height = np.array([vertex_motion(rel, x)[2] for x in patch.region])
        out["normal"] = max(out["normal"], -height.min() / a_scale, -w[2] / f_scale)
        if w[2] <= 0:
            assert not w.any()
            continue
        pv = np.array([-w[4], w[3]]) / w[2]
        size = np.abs(patch.region - patch.region.mean(0)).max() or 1.0
        out["pv"] = max(out["pv"], hull_distance(patch.region, pv) / size)
        if not impact:  # pressure only where the region does not part
            support = [x for x, h in zip(patch.region, height) if h < 1e-8 * a_scale]
            out["pv"] = max(out["pv"], hull_distance(np.array(support), pv) / size if support else np.inf)
        mode = answer.state(i)[1]
        t = np.hypot(w[0], w[1])
        nzv = w[5] - pv[0] * w[1] + pv[1] * w[0]
        found = answer.patches[i]
        d = found.d
        out["friction"] = max(out["friction"], (t - patch.mu_s * w[2]) / f_scale)
        u = a[6 * i : 6 * i + 6] if impact else problem.v[6 * i : 6 * i + 6] + problem.dt * a[6 * i : 6 * i + 6]
        slip = vertex_motion(u, pv)[:2]
        scale = a_scale * (1.0 if impact else problem.dt)
        if mode == "stick":
            out["friction"] = max(out["friction"], (abs(nzv) - d * (patch.mu_s * w[2] - t)) / f_scale)
            if not impact:
                out["slip"] = max(out["slip"], np.abs(slip).max() / scale, abs(u[5]) * d / scale)
        else:
            s, E, sign = np.array(found.s), found.fade, found.sign
            moving = (
                -patch.mu_d * w[2] * (1 - E) * s
            )  # friction of the moving points, at pv; a static force at the centre adds to it
            centre = np.array(found.centre) if mode == "spin" else np.zeros(2)
            static = w[:2] - moving
            nz = -sign * patch.mu_d * w[2] * d * E + cross2(pv, moving) + cross2(centre, static)
            out["friction"] = max(out["friction"], abs(w[5] - nz) / f_scale)
            if mode == "slip":
                out["friction"] = max(out["friction"], np.abs(static).max() / f_scale)
                if patch.mu_d > 0:  # friction is what the law gives for the motion it meets
                    length, turn = np.hypot(*slip), abs(u[5]) * d
                    fade = np.exp(-length / turn) if turn > 0 else 0.0
                    want = np.array([*(slip * (1 - fade) / length if length > 0 else (0.0, 0.0)), np.sign(u[5]) * fade])
                    out["law"] = max(out["law"], np.abs(want - [*((1 - E) * s), sign * E]).max())
                if E < 1 and patch.mu_d > 0:
                    out["slip"] = max(out["slip"], -(1 - E) * (s @ slip) / scale)
            else:
                out["slip"] = max(out["slip"], np.abs(vertex_motion(u, centre)[:2]).max() / scale)
            if E > 0 and patch.mu_d > 0:
                out["slip"] = max(out["slip"], -E * sign * u[5] * d / scale)
    if impact:
        gain = f @ (free + 0.5 * K @ f)
        out["energy"] = gain / max(0.5 * free @ np.linalg.pinv(K) @ free, 1e-12)
    return {k: float(v) for k, v in out.items()}
