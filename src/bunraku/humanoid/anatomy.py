"""Which point of a moving tree is what of a person: hips, knees, ankles, toes, shoulders, elbows, wrists, head, by
geometry alone. Names are not read, nor rest poses or axes of joints: only where joints and ends are in a sample of frames.

A limb is a joint below which two bones of constant length follow, neither much shorter than the other; points nearer
than NEAR of a long bone count as one, and a joint with one child that stays straight (a twist bone) as none. Two pairs
of equal limbs that hang beside each other on the tree and are as long as a person's (LEGS_TO_ARMS and the others) are
legs and arms; among several the one nearest to usual proportions (USUAL) and of the longest bones. The pelvis and the
chest are where the pairs branch, the head is the farthest end beyond the chest. Up is the axis of the file along which
the trunk stands, feet are lowest and the lowest point stays. Ahead is voted on by feet, knees, elbows and the way of
the pelvis; left is up x ahead. A file that is mirrored therefore gives a person whose sides are exchanged.

What cannot be told (front from back of a figure that has no feet and never bends a knee) is None in the result:
`certain` says so, and whoever asks goes by names. Checked in tests/humanoid/test_anatomy.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

NEAR = 0.08  # of a long bone: nearer points are one
STRAIGHT = (0.1, 0.03, None)  # rad: what never bends more is no joint; the first that finds a person counts
CONSTANT, EVEN, SHORT = (
    0.05,
    0.18,
    0.4,
)  # spread of a bone's length; left to right; a limb's shorter bone to its longer one
LEGS_TO_ARMS, TRUNK, HIPS, SHOULDERS = (
    (1.05, 2.4),
    (0.3, 1.1),
    (0.1, 0.5),
    (0.15, 0.9),
)  # legs to arms; others of the leg
USUAL = {"arms": 1.55, "trunk": 0.6, "hips": 0.24, "shoulders": 0.42}
FOREARM = 0.9  # of an upper arm: a wrist that never bends is looked for there
SURE_UP, SURE_AHEAD = 0.15, 0.8  # least margins of the votes
MOSTLY = 0.25  # of a vote: z is usually up (the y of a BVH file)
MOST_FRAMES = 120  # that are looked at


@dataclass(frozen=True)
class Limb:
    """Numbers of points: where a limb begins, its middle joint, where its second bone ends, and its tip (a toe or the
    middle of a hand; that of the end where there is none)."""

    top: int
    middle: int
    end: int
    tip: int


@dataclass(frozen=True)
class Anatomy:
    """Points of a person by number; legs and arms left, right; head: the farthest point, neck: the first point from the
    chest to it; up: the unit vector of the file; margins of what is voted on; people: how many are in the tree."""

    legs: tuple[Limb, Limb]
    arms: tuple[Limb, Limb]
    pelvis: int
    chest: int
    neck: int | None
    head: int | None
    up: np.ndarray
    up_margin: float
    ahead_margin: float
    people: int = 1
    on_all_fours: bool = False

    @property
    def certain(self) -> bool:
        """Whether up and ahead were told by a clear margin."""
        return self.up_margin > SURE_UP and abs(self.ahead_margin) > SURE_AHEAD

    def mirrored(self) -> Anatomy:
        """The same with left and right exchanged."""
        return replace(self, legs=self.legs[::-1], arms=self.arms[::-1], ahead_margin=-self.ahead_margin)


@dataclass(frozen=True)
class Pair:
    """Two limbs that may be legs or arms: their points from the top down, mean lengths of both bones, where they
    branch."""

    chains: tuple[tuple[int, ...], tuple[int, ...]]
    limbs: tuple[tuple[int, int, int], tuple[int, int, int]]
    length: float
    branch: int
    uneven: float


def anatomy(parents: Sequence[int], places: np.ndarray, up: np.ndarray | None = None) -> Anatomy | None:
    """The person in a tree of points, or None where there is none. parents: of each point, -1 for the root; places
    (frames, points, 3); up: where it is known."""
    rows = np.unique(np.linspace(0, len(places) - 1, min(MOST_FRAMES, len(places))).astype(int))
    tree = Tree(parents, places[rows])
    for straight in STRAIGHT:
        best = tree.person(straight)
        if best is not None:
            return tree.named(*best, up)
    return None


class Tree:
    """Points in frames, and what hangs on what."""

    def __init__(self, parents: Sequence[int], places: np.ndarray) -> None:
        self.parent, self.places = [int(p) for p in parents], places
        n = len(self.parent)
        self.children: list[list[int]] = [[] for _ in range(n)]
        for j, p in enumerate(self.parent):
            if p >= 0:
                self.children[p].append(j)
        lengths = np.zeros((len(places), n))
        for j, p in enumerate(self.parent):
            if p >= 0:
                lengths[:, j] = np.linalg.norm(places[:, j] - places[:, p], axis=1)
        self.length = np.median(lengths, axis=0)
        self.tiny = NEAR * float(np.sort(self.length)[-8:].mean())
        far, self.longest = np.zeros(n), [-1] * n  # of the longest way down, and its next point
        for j in self.downwards()[::-1]:
            for c in self.children[j]:
                if self.longest[j] < 0 or self.length[c] + far[c] > far[j]:
                    far[j], self.longest[j] = self.length[c] + far[c], c

    def downwards(self) -> list[int]:
        """All points, parents first."""
        out = [j for j, p in enumerate(self.parent) if p < 0]
        for j in out:
            out += self.children[j]
        return out

    def main(self, j: int) -> tuple[int, ...]:
        """The longest way down from a point."""
        out = [j]
        while self.longest[out[-1]] >= 0:
            out.append(self.longest[out[-1]])
        return tuple(out)

    def above(self, j: int) -> list[int]:
        """A point and all above it."""
        out = [j]
        while self.parent[out[-1]] >= 0:
            out.append(self.parent[out[-1]])
        return out

    def apart(self, a: int, b: int) -> np.ndarray:
        """(frames,): the distance of two points."""
        return np.linalg.norm(self.places[:, a] - self.places[:, b], axis=1)

    def bend(self, a: int, b: int, c: int) -> float:
        """The most the way a b c bends at b [rad]."""
        u, w = self.places[:, b] - self.places[:, a], self.places[:, c] - self.places[:, b]
        return float(np.arctan2(np.linalg.norm(np.cross(u, w), axis=1), np.einsum("ni,ni->n", u, w)).max())

    def profile(self, j: int, straight: float | None) -> list[int]:
        """Points of the longest way down that are joints; see the module text."""
        out = [j]
        for k in self.main(j)[1:]:
            if self.apart(k, out[-1]).mean() > self.tiny:
                out.append(k)
        i = 1
        while straight is not None and len(self.places) > 5 and i < len(out) - 1:
            if len(self.children[out[i]]) < 2 and self.bend(out[i - 1], out[i], out[i + 1]) < straight:
                out.pop(i)
                i = 1
            else:
                i += 1
        return out

    def pairs(self, straight: float | None) -> list[Pair]:
        """All pairs of equal limbs beside each other."""
        found = []
        for j in range(len(self.parent)):
            if self.longest[j] < 0:
                continue
            p = self.profile(j, straight)
            if len(p) < 3:
                continue
            one, two = self.apart(p[0], p[1]), self.apart(p[1], p[2])
            a, b = float(one.mean()), float(two.mean())
            if max(one.std() / a, two.std() / b) < CONSTANT and min(a, b) > SHORT * max(a, b):
                found.append((j, p, a, b))
        longest = max((a + b for _, _, a, b in found), default=0.0)
        found = [x for x in found if x[2] + x[3] > 0.25 * longest]
        out = []
        for (i, p, a, b), (j, q, c, d) in combinations(found, 2):
            if abs(a - c) > EVEN * max(a, c) or abs(b - d) > EVEN * max(b, d):
                continue
            ups, others = self.above(i), self.above(j)
            if i in others or j in ups:
                continue
            branch = next(k for k in ups if k in others)
            ways = ups[: ups.index(branch)], others[: others.index(branch)]
            far = [float(sum(self.length[k] for k in w)) for w in ways]
            if abs(len(ways[0]) - len(ways[1])) > 3 or abs(far[0] - far[1]) > 0.35 * max(*far, 0.4 * a):
                continue
            uneven = far[0] + 2 * (abs(a - c) + abs(b - d))
            limbs = (p[0], p[1], p[2]), (q[0], q[1], q[2])
            out.append(Pair((self.main(i), self.main(j)), limbs, a + b, branch, uneven))
        return out

    def person(self, straight: float | None) -> tuple[Pair, Pair, int] | None:
        """(legs, arms, how many people) that fit best."""
        pairs = self.pairs(straight)
        scored = [(s, legs, arms) for legs in pairs for arms in pairs if (s := self.score(legs, arms)) is not None]
        if not scored:
            return None
        _, legs, arms = max(scored, key=lambda x: x[0])
        own = {k for pair in (legs, arms) for c in pair.chains for k in c}
        size, trunk = legs.length + arms.length, set(self.above(legs.branch)) | set(self.above(arms.branch))
        others = any(
            abs(l2.length + a2.length - size) < 0.35 * size
            and not own & {k for pair in (l2, a2) for c in pair.chains for k in c}
            and l2.branch not in trunk and a2.branch not in trunk
            for _, l2, a2 in scored
        )  # fmt: skip
        return legs, arms, 2 if others else 1

    def score(self, legs: Pair, arms: Pair) -> float | None:
        """How well two pairs are legs and arms of a person; None where they cannot be."""
        if legs is arms or not LEGS_TO_ARMS[0] < legs.length / arms.length < LEGS_TO_ARMS[1]:
            return None
        if {k for c in legs.chains for k in c} & {k for c in arms.chains for k in c}:
            return None
        tops = [x[0] for x in (*legs.limbs, *arms.limbs)]
        for a in tops[:2]:
            if any(a in self.above(b) or b in self.above(a) for b in tops[2:]):
                return None
        P, L = self.places, legs.length
        trunk = float(np.linalg.norm(P[:, tops[:2]].mean(axis=1) - P[:, tops[2:]].mean(axis=1), axis=1).mean()) / L
        hips, shoulders = (float(self.apart(*tops[k : k + 2]).mean()) / L for k in (0, 2))
        for x, (low, high) in ((trunk, TRUNK), (hips, HIPS), (shoulders, SHOULDERS)):
            if not low < x < high:
                return None
        odd = (
            0.5 * abs(trunk - USUAL["trunk"])
            + 0.5 * abs(hips - USUAL["hips"])
            + 0.3 * abs(shoulders - USUAL["shoulders"])
        )
        odd = L * odd + 0.6 * arms.length * abs(L / arms.length - USUAL["arms"])
        return 2 * L + arms.length - 0.5 * (legs.uneven + arms.uneven) - odd

    def named(self, legs: Pair, arms: Pair, people: int, up: np.ndarray | None) -> Anatomy:
        """The person of two pairs: sides, head, what is up."""
        P = self.places
        hips, shoulders = (np.mean([P[:, x[0]] for x in pair.limbs], axis=0) for pair in (legs, arms))
        limbs = {k for pair in (legs, arms) for c in pair.chains for k in c}
        tops = {x[0] for pair in (legs, arms) for x in pair.limbs}
        heads = [
            j
            for j in range(len(P[0]))
            if j not in limbs and j != arms.branch and arms.branch in (up_ := self.above(j)) and not tops & set(up_)
        ]
        head = max(heads, key=lambda j: float(np.linalg.norm(P[:, j] - hips, axis=1).mean()), default=None)
        neck = None
        if head is not None:
            way = self.above(head)
            neck = way[way.index(arms.branch) - 1]
            while self.apart(neck, arms.branch).mean() < self.tiny and neck != head:
                neck = way[way.index(neck) - 1]
        found = self.feet(legs), self.hands(arms)
        z, margin = (np.asarray(up, dtype=float), np.inf) if up is not None else self.upwards(hips, shoulders, legs)
        out = Anatomy(
            found[0], found[1], legs.branch, arms.branch, neck, head, z, margin, 0.0, people, self.four(found, z)
        )
        sure = self.looks_ahead(out, hips)
        out = replace(out, ahead_margin=sure)
        if sure < 0:
            out = out.mirrored()
        sides = [P[:, x[0].top] - P[:, x[1].top] for x in (out.legs, out.arms)]
        if float(np.einsum("ni,ni->n", *sides).mean()) < 0:
            out = replace(out, arms=out.arms[::-1])
        return out

    def feet(self, legs: Pair) -> tuple[Limb, Limb]:
        """Legs with their toes: the first point beyond the ankle that is a quarter of a shank away."""
        out = []
        for limb, chain in zip(legs.limbs, legs.chains):
            shank = float(self.apart(limb[1], limb[2]).mean())
            beyond = chain[chain.index(limb[2]) + 1 :]
            tip = next(
                (k for k in beyond if self.apart(k, limb[2]).mean() > 0.25 * shank), beyond[-1] if beyond else limb[2]
            )
            out.append(Limb(*limb, tip))
        return out[0], out[1]

    def hands(self, arms: Pair) -> tuple[Limb, Limb]:
        """Arms with their hands; a wrist that never bends is the joint nearest to FOREARM."""
        out = []
        for limb, chain in zip(arms.limbs, arms.chains):
            upper = float(self.apart(limb[0], limb[1]).mean())
            end = chain.index(limb[2])

            def odd(k: int, elbow: int = limb[1], upper: float = upper) -> float:
                return abs(float(np.log(max(float(self.apart(k, elbow).mean()), 1e-9) / (FOREARM * upper))))

            between = [k for k in chain[chain.index(limb[1]) + 1 : end] if len(self.children[k]) > 0]
            wrist = min((*between, limb[2]), key=odd)
            wrist = wrist if odd(wrist) < odd(limb[2]) - 0.15 else limb[2]
            beyond = chain[chain.index(wrist) + 1 :]
            tip = next(
                (k for k in beyond if self.apart(k, wrist).mean() > 0.2 * upper), beyond[-1] if beyond else wrist
            )
            out.append(Limb(limb[0], limb[1], wrist, tip))
        return out[0], out[1]

    def upwards(self, hips: np.ndarray, shoulders: np.ndarray, legs: Pair) -> tuple[np.ndarray, float]:
        """(the axis of the file that is up, by how much it wins)."""
        trunk = shoulders - hips
        trunk = trunk / np.maximum(np.linalg.norm(trunk, axis=1, keepdims=True), 1e-12)
        feet, votes = self.places[:, [x[2] for x in legs.limbs]], []
        for axis in range(3):
            for sign in (1.0, -1.0):
                low = (sign * self.places[:, :, axis]).min(axis=1)
                foot = (sign * feet[:, :, axis]).min(axis=1)
                spread = float(np.subtract(*np.percentile(low, [75, 25])))
                vote = float((sign * trunk[:, axis]).mean()) + 0.5 * float(np.mean(foot - low < 0.25 * legs.length))
                vote += MOSTLY if axis == 2 and sign > 0 else 0.0
                votes.append((vote - 2.0 * spread / legs.length, axis, sign))
        votes.sort(reverse=True)
        up = np.zeros(3)
        up[votes[0][1]] = votes[0][2]
        return up, votes[0][0] - votes[1][0]

    def looks_ahead(self, a: Anatomy, hips: np.ndarray) -> float:
        """How clearly the first leg is the left one; below 0 it is the right one."""
        P, up = self.places, a.up
        across = P[:, a.legs[0].top] - P[:, a.legs[1].top]
        across = across - np.outer(across @ up, up)
        across = across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)
        ahead, votes = np.cross(across, up), 0.0
        along = lambda x: np.einsum("ni,ni->n", x, ahead)  # noqa: E731
        leg, arm = (
            float(self.apart(x.top, x.middle).mean() + self.apart(x.middle, x.end).mean())
            for x in (a.legs[0], a.arms[0])
        )
        for x in a.legs:
            foot = P[:, x.tip] - P[:, x.end]
            if float(np.linalg.norm(foot, axis=1).mean()) > 0.05 * leg:
                votes += 3.0 * np.tanh(4.0 * float(np.median(along(foot))) / (leg / 4))
            votes += 2.0 * np.tanh(
                10.0 * float(np.mean(along(P[:, x.middle] - 0.5 * (P[:, x.top] + P[:, x.end])))) / (leg / 2)
            )
        for x in a.arms:
            votes -= np.tanh(
                6.0 * float(np.mean(along(P[:, x.middle] - 0.5 * (P[:, x.top] + P[:, x.end])))) / (arm / 2)
            )
        way = np.gradient(hips, axis=0) if len(P) > 2 else np.zeros_like(hips)
        way = way - np.outer(way @ up, up)
        total = float(np.linalg.norm(way, axis=1).sum())
        if total > 0.5 * leg:
            votes += 2.0 * float(along(way).sum()) / total
        return float(votes)

    def four(self, limbs: tuple[tuple[Limb, Limb], tuple[Limb, Limb]], up: np.ndarray) -> bool:
        """Whether the trunk lies and hands are as low as feet in nearly all frames: an animal, or one who crawls."""
        P = self.places
        trunk = np.mean([P[:, x.top] for x in limbs[1]], axis=0) - np.mean([P[:, x.top] for x in limbs[0]], axis=0)
        legs = [float(self.apart(x.top, x.middle).mean() + self.apart(x.middle, x.end).mean()) for x in limbs[0]]
        lying = np.abs(trunk @ up) < 0.6 * np.linalg.norm(trunk, axis=1)
        hands, feet = (np.min([P[:, x.tip] @ up for x in pair], axis=0) for pair in (limbs[1], limbs[0]))
        return bool(np.mean(lying & (np.abs(hands - feet) < 0.35 * np.mean(legs))) > 0.9)
