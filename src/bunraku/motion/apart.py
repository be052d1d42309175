"""Apart: links of one figure that come near each other, and bounds that keep them from touching.

Near pairs are found by the world's own collision detection (bunraku.collision) with a margin. With distance g between
the nearest points of links a and b, normal n from b to a and rate g' = n.(va - vb), the bound  g'' >= (-SLOW (g - KEEP)
- g') / SOON  lets them come together no faster than exp(-SLOW t) to a distance KEEP, as bunraku.choreography does.
`overlaps` says how deep links of a motion are inside each other. World axes, SI units. Checked in
tests/motion/test_apart.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.ndimage import gaussian_filter1d

from bunraku.collision import Contacts, Geometry, Placed
from bunraku.collision.shape_layout import Contact, ContactId
from bunraku.control.whole_body import Apart
from bunraku.control.whole_body_arrays import MOST_APART
from bunraku.dynamics.functions import Kinematics, frame_jacobian, kinematics
from bunraku.humanoid.foot import feet_of
from bunraku.kernel.record import Many
from bunraku.model.configuration import integrate
from bunraku.model.limits import clamp
from bunraku.model.model import Model
from bunraku.recording.motion import Motion
from bunraku.world.laststep import cross

KEEP, LOOK = 0.008, 0.08  # m: the distance that is kept; from which on links are looked after
SLOW, SOON, HARDEST = 12.0, 0.02, 60.0  # 1/s, s; m/s^2: the most that is asked for
SMOOTH, ROUNDS = 0.08, 12  # s; rounds of moving arms out


@dataclass(frozen=True, eq=False)
class Near:
    """Two links, by name and body, the nearest point between them, the normal from b to a, their distance [m], negative
    where they overlap."""

    links: tuple[str, str]
    bodies: tuple[int, int]
    point: np.ndarray
    normal: np.ndarray
    gap: float


class OwnLinks:
    """Collision detection among the links of one figure."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.geometry = Geometry.of([Placed(model)])
        self.found = Contacts(self.geometry)
        self.name = {f.body: f.name for f in reversed(model.links)}
        self.limbs = limbs_of(model)

    def near(self, kin: Kinematics, margin: float = LOOK) -> list[Near]:
        """Pairs nearer than margin at one state, each once, by its nearest point."""
        poses = np.concatenate([kin.rotation.reshape(len(kin.rotation), 9), kin.position], axis=1)
        n = self.found.detect(poses, margin)
        ids, contacts = Many(ContactId, self.found.ids[:n]), Many(Contact, self.found.data[:n])
        first, second = self.geometry.body[ids.column("a")].tolist(), self.geometry.body[ids.column("b")].tolist()
        gap = contacts.column("gap").tolist()
        best: dict[tuple[int, int], int] = {}
        for k in range(n):
            a, b = first[k], second[k]
            if a and b and ((a, b) not in best or gap[k] < gap[best[a, b]]):
                best[a, b] = k
        point, normal = contacts.column("point").copy(), contacts.column("normal").copy()
        return [Near((self.name[a], self.name[b]), (a, b), point[k], normal[k], gap[k]) for (a, b), k in best.items()]

    def bounds(self, kin: Kinematics) -> list[Apart]:
        """What keeps arms (and whatever is no leg) from the rest; see the module text. Legs are kept apart by the ways
        of their feet (motion.footing): passing feet come straight at each other and still do not meet."""
        near = [x for x in self.near(kin) if x.bodies[0] in self.limbs or x.bodies[1] in self.limbs]
        out = []
        for x in near:
            va, vb = (kin.twist[b, :3] + cross(kin.twist[b, 3:], x.point - kin.position[b]) for b in x.bodies)
            least = (-SLOW * (x.gap - KEEP) - float(x.normal @ (va - vb))) / SOON
            out.append(Apart(x.bodies, x.point, x.normal, min(least, HARDEST)))
        return sorted(out, key=lambda x: -x.least)[:MOST_APART]


@lru_cache(maxsize=8)
def own_links(model: Model) -> OwnLinks:
    """The OwnLinks of a model."""
    return OwnLinks(model)


def arms_outside(motion: Motion) -> Motion:
    """The motion with every limb that is no leg turned out of the body: joints of the limb give the distance KEEP and a
    little, smoothly in time."""
    model, own = motion.model, own_links(motion.model)
    limbs = own.limbs
    if not limbs or len(motion) < 4:
        return motion
    q, width = motion.q.copy(), SMOOTH * (len(motion) - 1) / max(motion.duration, 1e-9)
    for _ in range(ROUNDS):
        kin, turn = kinematics(model, q), np.zeros((len(q), model.nv))
        for k in range(len(q)):
            one = Kinematics(model, kin.rotation[k], kin.position[k], kin.twist[k], kin.bias[k])
            rows, needs = [], []
            for x in own.near(one, KEEP):
                row = np.zeros(model.nv)
                for link, body, sign in ((x.links[0], x.bodies[0], 1.0), (x.links[1], x.bodies[1], -1.0)):
                    if body in limbs:
                        J = frame_jacobian(model, q[k], link)
                        own_row = sign * (x.normal @ J[:3] + np.cross(x.point - one.position[body], x.normal) @ J[3:])
                        row[limbs[body]] += own_row[limbs[body]]
                if np.any(row):
                    rows.append(row)
                    needs.append(1.2 * KEEP - x.gap)
            if rows:
                J = np.array(rows)
                turn[k] = J.T @ np.linalg.solve(J @ J.T + 1e-3 * np.eye(len(J)), np.minimum(needs, 0.05))
        if not np.any(turn):
            break
        turn = gaussian_filter1d(turn, width, axis=0, mode="nearest") * 2.0
        q = clamp(model, integrate(model, q, turn))
    return Motion(model, motion.times, q, motion.meta)


def limbs_of(model: Model) -> dict[int, np.ndarray]:
    """Body -> degrees of freedom of its limb: chains that end in no sole, from where they leave the trunk (a link with
    several below it) on."""
    parent = {x.name: x.parent for x in model.description.links}
    below: dict[str, int] = {}
    for up in parent.values():
        if up is not None:
            below[up] = below.get(up, 0) + 1
    legs = set()
    for s in feet_of(model, missing=True):
        link: str | None = s.link
        while link is not None:
            legs.add(link)
            link = parent[link]
    out: dict[int, np.ndarray] = {}
    for f in model.links:
        chain, link = [], f.name
        while link is not None and link not in legs and below.get(link, 0) < 2:
            chain += [np.arange(j.iv, j.iv + j.nv) for j in model.joints if j.link == link and j.nv]
            link = parent[link]
        if chain and f.body:
            out[f.body] = np.concatenate(chain)
    return out


def overlaps(model: Model, q: np.ndarray | Sequence[np.ndarray], least: float = 1e-4) -> dict[tuple[str, str], float]:
    """Pairs of links -> how deep they are inside each other at the most [m] over rows of q, where deeper than `least`."""
    own, out, kin = own_links(model), {}, kinematics(model, np.asarray(q, dtype=float))
    for k in range(len(kin.position)):
        one = Kinematics(model, kin.rotation[k], kin.position[k], kin.twist[k], kin.bias[k])
        for x in own.near(one, 0.0):
            pair = (min(x.links), max(x.links))
            if -x.gap > out.get(pair, least):
                out[pair] = -x.gap
    return out
