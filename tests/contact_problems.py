"""Contact problems for the tests: built from Jacobians and inverse masses, so that every answer can be turned into
motion."""

from dataclasses import dataclass, field

import numpy as np

import bunraku as bk
from bunraku.contact.pgs import MAX_SWEEPS, TOLERANCE, Dense, make_dense, residual, solve, solve_one
from bunraku.contact.problem import BOUNDED, CONTACT, EQUALITY, WORK
from bunraku.kernel.entry import entry
from bunraku.kernel.record import handle

G = 9.81
WORLD = np.eye(3)
CORNERS = [(x, y) for x in (-1, 1) for y in (-1, 1)]


@entry("h i i d i DD i")
def solve_repeated(h, rows, blocks, tolerance, most, starts, repeats):
    """`solve` many times, from each start (one a row) in turn, to measure it.

    Returns the mean number of sweeps."""
    d = Dense(h)
    total = 0
    for r in range(repeats):
        for i in range(rows):
            d.problem.lam[i] = starts[r % starts.shape[0], i]
        _, sweeps, _ = solve(d, rows, blocks, tolerance, most)
        total += sweeps
    return total / repeats


@dataclass
class Answer:
    status: int
    sweeps: int
    residual: float
    lam: np.ndarray
    v: np.ndarray  # of the rows


@dataclass
class Problem:
    """v = K lam + b with its blocks."""

    K: np.ndarray
    b: np.ndarray
    blocks: list = field(default_factory=list)  # (kind, reals)

    @property
    def rows(self) -> np.ndarray:
        """The first row of each block."""
        sizes = [3 if kind == CONTACT else 1 for kind, _ in self.blocks]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(int)[:-1]

    def state(self, p, lam=None) -> None:
        """Write the problem into a record; what the solver works in is NaN."""
        p.b[: len(self.b)] = self.b
        p.lam[:] = np.nan
        p.lam[: len(self.b)] = 0.0 if lam is None else lam
        for name in WORK:
            getattr(p, name)[:] = np.nan
        for k, ((kind, reals), row) in enumerate(zip(self.blocks, self.rows)):
            block, (first, block.low, block.high) = p.blocks[k], (*reals, 0.0, 0.0, 0.0)[:3]
            block.kind, block.row = kind, row
            block.mu, block.compliance = (first, 0.0) if kind == CONTACT else (0.0, first)

    def dense(self, lam=None, room=0):
        """room: extra rows and columns of the array that holds K, filled with NaN."""
        m, nb = len(self.b), len(self.blocks)
        d = make_dense(m + room, nb)
        d.K[:] = np.nan
        d.K[:m, :m] = self.K
        d.soft_K[:] = d.A[:] = np.nan
        self.state(d.problem, lam)
        return d

    def solve(self, lam=None, tolerance=TOLERANCE, max_sweeps=MAX_SWEEPS, room=0, hopeless=0.0) -> Answer:
        m = len(self.b)
        d = self.dense(lam, room)
        d.problem.search.hopeless = hopeless
        status, sweeps, r = solve_one.call(handle(d), m, len(self.blocks), tolerance, max_sweeps)
        lam = d.problem.lam[:m].copy()
        return Answer(status, sweeps, r, lam, self.K @ lam + self.b)

    def residual(self, lam) -> float:
        return float(self.parts(lam).max())

    def parts(self, lam) -> np.ndarray:
        out, d = np.zeros(4), self.dense(lam)
        r = residual.call(handle(d), len(self.b), len(self.blocks), out)
        assert r == out.max()
        return out

    def check(self, answer: Answer, tolerance=TOLERANCE) -> None:
        """The laws, each written plainly, at the scale of b and of the impulses."""
        assert np.isfinite(answer.lam).all()
        u = abs(self.b).max()
        p = abs(answer.lam).max()
        # the residual is relative to sqrt(d); u / sqrt(d) differs between rows by at most the spread of the diagonal
        d = np.diag(self.K)[np.diag(self.K) > 0]
        spread = np.sqrt(d.max() / d.min()) if len(d) else 1.0
        tiny_v = 4 * tolerance * spread * max(u, 1e-8 * p * d.max())
        tiny_p = tiny_v / d.min()
        for (kind, reals), row in zip(self.blocks, self.rows):
            lam, v = answer.lam[row : row + 3], answer.v[row : row + 3]
            if kind == CONTACT:
                mu = reals[0]
                ft, vt = np.hypot(*lam[1:]), np.hypot(*v[1:])
                assert lam[0] >= 0 and ft <= mu * lam[0] * (1 + 1e-12)
                assert v[0] >= -tiny_v
                assert lam[0] <= tiny_p or v[0] <= tiny_v
                if mu * lam[0] - ft > tiny_p:
                    assert vt <= tiny_v  # inside the cone: no slip
                if (
                    vt > tiny_v
                ):  # slip: friction at its limit and opposite; the direction of a slow slip is known the less surely
                    sure = vt / (vt + 0.5 * np.trace(self.K[row + 1 : row + 3, row + 1 : row + 3]) * mu * lam[0])
                    assert np.abs(lam[1:] + mu * lam[0] * v[1:] / vt).max() * sure <= tiny_p
            elif kind == EQUALITY:
                assert abs(v[0] + reals[0] * lam[0]) <= tiny_v
            else:
                w = v[0] + reals[0] * lam[0]
                assert reals[1] <= lam[0] <= reals[2]
                assert lam[0] - reals[1] <= tiny_p or w <= tiny_v
                assert reals[2] - lam[0] <= tiny_p or w >= -tiny_v


@dataclass
class Scene:
    """Rows J on generalised velocities `velocity` (free, after the step) with the inverse mass matrix W."""

    J: np.ndarray
    W: np.ndarray
    velocity: np.ndarray
    blocks: list

    def problem(self) -> Problem:
        K = self.J @ self.W @ self.J.T
        return Problem(0.5 * (K + K.T), self.J @ self.velocity, self.blocks)

    def after(self, lam) -> np.ndarray:
        return self.velocity + self.W @ self.J.T @ lam


def point_rows(r, axes=WORLD) -> np.ndarray:
    """(3, 6): velocity of the point r from the centre, along z, x, y of `axes` (rows), for (v, w) of a body."""
    cross = np.array([[0, r[2], -r[1]], [-r[2], 0, r[0]], [r[1], -r[0], 0]])
    return (axes @ np.hstack([np.eye(3), cross]))[[2, 0, 1]]


def box_inverse(mass, half) -> np.ndarray:
    x, y, z = half
    inertia = mass / 3 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    return np.diag(1 / np.r_[mass, mass, mass, inertia])


def tower(
    count, mu=0.6, dt=0.001, half=(0.15, 0.1, 0.05), mass=2.0, tilt=0.0, scatter=0.0, seed=0, masses=None
) -> Scene:
    """Boxes on one another, four corners each, on a plane tilted by `tilt` about y; scatter: random free velocities [g
    dt]."""
    rng = np.random.default_rng(seed)
    masses = np.full(count, mass) if masses is None else masses
    J = np.zeros((12 * count, 6 * count))
    W = np.zeros((6 * count, 6 * count))
    for k in range(count):
        here = slice(6 * k, 6 * k + 6)
        W[here, here] = box_inverse(masses[k], half)
        for c, (x, y) in enumerate(CORNERS):
            rows = slice(12 * k + 3 * c, 12 * k + 3 * c + 3)
            J[rows, here] = point_rows((x * half[0], y * half[1], -half[2]))
            if k > 0:
                J[rows, 6 * k - 6 : 6 * k] = -point_rows((x * half[0], y * half[1], half[2]))
    fall = np.r_[G * dt * np.array([np.sin(tilt), 0, -np.cos(tilt)]), 0, 0, 0]
    velocity = np.tile(fall, count) + scatter * G * dt * rng.normal(size=6 * count)
    return Scene(J, W, velocity, [(CONTACT, (mu,))] * (4 * count))


def standing(q=None, push=(0.0, 0.0, 0.0), mu=0.8, dt=0.002) -> Scene:
    """The human figure on the four corners of both soles, joints holding it against gravity; push [N] on the pelvis."""
    fig = bk.human()
    q = fig.neutral() if q is None else q
    rows = []
    motion = bk.kinematics(fig, q)
    for sole in ("left_sole", "right_sole"):
        jacobian = bk.frame_jacobian(fig, q, sole)
        rotation = motion.pose(sole)[1]
        rows += [
            point_rows(rotation @ np.array([0.095 * x, 0.06 * y, 0])) @ jacobian for x, y in CORNERS
        ]  # soles of 19 x 12 cm
    J = np.vstack(rows)
    weight = np.zeros(24)
    weight[::3] = 69.0 * G / 8
    rest = np.zeros(fig.nv)
    bias = bk.rnea(fig, q, rest, rest)
    tau = bias - J.T @ weight
    tau[:6] = 0.0
    force = tau - bias
    force[:3] += push
    W = np.linalg.inv(bk.crba(fig, q))
    return Scene(J, W, dt * W @ force, [(CONTACT, (mu,))] * 8)


def pile(bodies, contacts, mu, seed) -> Scene:
    """Random bodies with random contacts between one another and with the ground."""
    rng = np.random.default_rng(seed)
    J = np.zeros((3 * contacts, 6 * bodies))
    masses = np.exp(rng.uniform(-1.5, 1.5, size=bodies))
    W = np.diag(np.concatenate([1 / np.r_[m, m, m, 0.01 * m * np.exp(rng.uniform(-0.7, 0.7, 3))] for m in masses]))
    for k in range(contacts):
        a, b = rng.integers(bodies), rng.integers(-1, bodies)
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0] if 0 <= b != a else np.eye(3)
        J[3 * k : 3 * k + 3, 6 * a : 6 * a + 6] = point_rows(rng.uniform(-0.15, 0.15, 3), axes)
        if 0 <= b != a:
            J[3 * k : 3 * k + 3, 6 * b : 6 * b + 6] = -point_rows(rng.uniform(-0.15, 0.15, 3), axes)
    velocity = rng.normal(size=6 * bodies)
    velocity[2::6] -= 1.0
    return Scene(J, W, velocity, [(CONTACT, (mu,))] * contacts)


def random_blocks(rng, contacts, rows) -> list:
    """Contacts and single rows of every sort, shuffled."""
    blocks = [(CONTACT, (rng.choice([0.0, 0.1, 0.5, 1.0, 2.0]),)) for _ in range(contacts)]
    for _ in range(rows):
        compliance = rng.choice([0.0, 0.1])
        limits = (0.0, np.inf) if rng.random() < 0.5 else (-0.2 * rng.random(), 0.2 * rng.random())
        blocks.append((EQUALITY, (compliance,)) if rng.random() < 0.5 else (BOUNDED, (compliance, *limits)))
    return [blocks[i] for i in rng.permutation(len(blocks))]


def random_problem(seed, contacts, rows, rank) -> Problem:
    """K = F F', b = F w with F (m, rank) random: redundant where rank < m, and never contradictory."""
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(3 * contacts + rows, rank))
    return Problem(F @ F.T, F @ rng.normal(size=rank), random_blocks(rng, contacts, rows))
