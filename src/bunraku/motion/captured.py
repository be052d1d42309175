"""What a captured person does, whatever the skeleton: where hips, knees, shoulders, … are and how each part of the body
is turned, from the places of joints (humanoid.anatomy) and not from rest poses, axes of bones, names or units.

A part's rotation is the identity where a person stands upright, facing x, arms hanging: x ahead, y left, z up along the
part. Thighs, shanks, arms and forearms lie along their joints; knees and elbows are hinges, whose axis, where they bend,
is across both bones, so that y is known. Pelvis, trunk, head, hands and feet, and straight limbs, turn as their joints
do times a constant, S(t) = R(t) C, so that the axes of the file's joints drop out. C comes from what the clip shows:
    limbs        the mean of R' S over the frames in which they bend;
    feet         level, and along ankle and toe from above, where they rest;
    pelvis, trunk, head    upright in the reference, if there is one: the first frame where that is a T-pose (it is no motion
                 then), else the file's zero pose where that stands; else along hips, neck and both shoulders in the frames that
                 stand, legs in line with the trunk, else in all frames;
    hands        in line with the forearm on the average.
Means of rotations are nearest to all of them (by singular values). Lengths are those of the file. Checked in
tests/motion/test_captured.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bunraku.dynamics.functions import kinematics
from bunraku.errors import InputError
from bunraku.humanoid.anatomy import Anatomy, Limb, anatomy
from bunraku.model.model import Model
from bunraku.model.rotations import skew
from bunraku.motion.bad_rows import mended
from bunraku.motion.set_down import resting
from bunraku.recording.motion import Motion

SIDES = ("left", "right")
LIMBS = {"thigh": 1.0, "upper_arm": -1.0}  # sign of the hinge's axis about y
BELOW = {"thigh": "shank", "upper_arm": "lower_arm"}
BENT = (0.1, 0.35)  # sines of a hinge's angle: below, the limb is straight; above, its plane counts fully
ENOUGH = 3.0  # frames of a bent limb, by weight, from which its axis is known
LEVEL, UPRIGHT = 0.5, 0.97  # a T-pose: sine of the arms' slope at most, of the legs' at least
ALONG = 0.18  # rad: a T-pose that faces an axis of the file by less than this faces it
STANDS = (0.35, 0.45)  # rad: legs against the trunk, the trunk against the vertical, in frames that stand
LEG = 0.83  # m: of a person; the speed of a resting foot is judged by it
RESTS = 0.1  # s: how long a foot must rest in all to be levelled by it
SOLE = 0.47  # rad: of the way from ankle to toe below the sole, where no foot ever rests
PARTS = (
    "pelvis", "trunk", "head",
    *(f"{s}_{x}" for s in ("left", "right") for x in ("thigh", "shank", "foot", "upper_arm", "lower_arm", "hand")),
)  # fmt: skip
ENDS = {"thigh": "shank", "shank": "foot", "foot": "toe", "upper_arm": "lower_arm", "lower_arm": "hand"}
MODES = ("auto", "first", "rest")


@dataclass(frozen=True, eq=False)
class Captured:
    """A person in motion: times (n,); `place` of the joints at which parts begin, and of tips (n, 3), in the file's unit;
    `turn` of the parts (n, 3, 3), z up; `reference`: what upright was taken from; `names` of the points by part; `found`:
    the anatomy; `leg`: length of thigh and shank;
    `upright`: how the file's world was turned; `bad`: times [s] of bad rows, first and last, which were bridged, or left
    out at the ends (motion.bad_rows)."""

    times: np.ndarray
    place: dict[str, np.ndarray]
    turn: dict[str, np.ndarray]
    reference: str
    joints: dict[str, str]
    found: Anatomy
    leg: float
    upright: np.ndarray
    bad: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, eq=False)
class Points:
    """Places (n, points, 3) and rotations (n, points, 3, 3) of joints and ends, with their names and parents."""

    names: list[str]
    parents: list[int]
    place: np.ndarray
    turn: np.ndarray

    @classmethod
    def of(cls, model: Model, q: np.ndarray) -> Points:
        """Of a skeleton in poses q (n, nq)."""
        names = [f.name for f in model.frames]
        above = {x.name: x.parent for x in model.description.links} | {f.name: f.link for f in model.description.frames}
        number = {name: k for k, name in enumerate(names)}
        parents = [-1 if (up := above[name]) is None else number[up] for name in names]
        k = kinematics(model, np.atleast_2d(q))
        poses = [k.pose(name) for name in names]
        return cls(names, parents, np.stack([p for p, _ in poses], axis=1), np.stack([R for _, R in poses], axis=1))

    def turned(self, turn: np.ndarray) -> Points:
        """The same in a world turned by a rotation matrix."""
        return replace(self, place=self.place @ turn.T, turn=turn @ self.turn)

    def later(self, k: int) -> Points:
        """The frames from one on."""
        return replace(self, place=self.place[k:], turn=self.turn[k:])

    def row(self, k: int) -> Points:
        """One frame."""
        return replace(self, place=self.place[k : k + 1], turn=self.turn[k : k + 1])


@dataclass(frozen=True, eq=False)
class Reference:
    """A pose in which pelvis, trunk and head are upright, and which way it faces."""

    points: Points
    heading: np.ndarray


def captured(
    source: Motion,
    *,
    given: Mapping[str, str] | None = None,
    reference: str = "auto",
    up: str | None = None,
    straight: bool = False,
    who: str = "retarget",
) -> Captured:
    """See the module text. straight: feet are level and straight ahead in a T-pose, and what they are off where they rest is
    left to whoever puts the figure on the floor. given: joints by part ("left_thigh": where the thigh begins), where
    geometry is not to decide; up: the axis of the file that is up, "z", "-y", …; InputError where there is no person, which begins with `who`."""
    if reference not in MODES:
        raise InputError(f"{who}: reference {reference!r} is none of {', '.join(MODES)}.")
    title, upwards = source.model.name, axis(up, who)
    above = {f.link for f in source.model.description.frames} | {x.parent for x in source.model.description.links}
    names = [f.name for f in source.model.frames]
    if len(set(names) - above) < 4:  # two hands and two feet at least, before anything is computed
        raise no_person(names, title, who)
    points = Points.of(source.model, source.q)
    a = person_in(points, given or {}, upwards, title, who)
    turn = upright(a, points)
    points, zero = points.turned(turn), Points.of(source.model, source.model.neutral()).turned(turn)
    z = np.array([0.0, 0.0, 1.0])
    a = replace(a, up=z)
    first = reference == "first" or (reference == "auto" and t_pose(points.row(0), a))
    if first and len(source) < 2:
        raise InputError(f"{who}: a single frame cannot be both reference and motion.")
    leg = float(np.mean([lengths(points, x).sum() for x in a.legs]))
    if not leg > 0:
        raise InputError(f"{who}: the legs of {title!r} have no length.")
    times, q, pose, weight = source.times, source.q, None, np.ones(0)
    if first:
        pose, points, times, q = points.row(0), points.later(1), times[1:], q[1:]
    hips = np.mean([points.place[:, x.top] for x in a.legs], axis=0)
    body = np.stack([*places(points, a).values()], axis=1)  # what matters, whatever else the skeleton has
    good = mended(source.model, times, q, LEG / leg * body, LEG / leg * hips, title, who)
    bad = tuple((float(times[i]), float(times[k - 1])) for i, k in good.bad)
    if good.bad:
        points, times = Points.of(source.model, good.q).turned(turn), times[good.rows]
    if first:
        name = "first"
    elif reference == "rest":
        name, pose = "rest", zero
    else:
        weight = standing(points, a)
        if standing(zero, a)[0] > 0.5:
            name, pose = "rest", zero
        elif weight.sum() > ENOUGH:
            name = "standing"
        else:
            name, weight = "mean", np.ones(len(points.place))
    ref = None if pose is None else Reference(pose, heading_of(pose, a))
    turns = upright_by(points, a, weight) if ref is None else upright_in(ref, points, a)
    for part, pair in (("thigh", a.legs), ("upper_arm", a.arms)):
        body = turns["pelvis" if part == "thigh" else "trunk"]
        for side, limb in zip(SIDES, pair):
            one, two = limb_turns(points, limb, LIMBS[part], ref, body)
            turns[f"{side}_{part}"], turns[f"{side}_{BELOW[part]}"] = one, two
    step = float(np.diff(times).mean()) if len(times) > 1 else 1.0
    for side, below, arm in zip(SIDES, a.legs, a.arms):
        turns[f"{side}_foot"] = foot_turn(points, below, ref, turns[f"{side}_shank"], step, leg, straight and first)
        hand = points.turn[:, at_joint(points, arm.end, arm)]
        turns[f"{side}_hand"] = hand @ mean_turn(np.swapaxes(hand, 1, 2) @ turns[f"{side}_lower_arm"])
    return Captured(times, places(points, a), turns, name, named(points, a), a, leg, turn, bad)


def axis(up: str | None, who: str) -> np.ndarray | None:
    """The unit vector of an axis of a BVH file, in our world (its x, y, z are our y, z, x)."""
    if up is None:
        return None
    if up.lstrip("+-") not in ("x", "y", "z"):
        raise InputError(f"{who}: up {up!r} is none of x, y, z, -x, -y, -z.")
    return (-1.0 if up[0] == "-" else 1.0) * np.eye(3)["zxy".index(up[-1])]


def no_person(names: Sequence[str], title: str, who: str) -> InputError:
    """What is said of a skeleton without legs and arms."""
    shown = ", ".join(names[:6])
    return InputError(
        f"{who}: {title!r} is no person: its joints ({shown} …) are neither those of the CMU collection nor ours, and have no two "
        "pairs of limbs that could be legs and arms; say by --mapping (mapping=) which joints move which links: {link: (joint, end joint)}."
    )


def person_in(points: Points, given: Mapping[str, str], up: np.ndarray | None, title: str, who: str) -> Anatomy:
    """The anatomy of a skeleton; what is given replaces what geometry found; one sentence where it is uncertain."""
    a = anatomy(points.parents, points.place, up)
    if a is None:
        raise no_person(points.names, title, who)
    if a.people > 1:
        raise InputError(f"{who}: {title!r} holds two people; take one of them out of the file.")
    if a.on_all_fours and not any(
        w in x.lower() for x in points.names for w in ("hand", "wrist", "elbow", "forearm", "arm")
    ):
        raise InputError(f"{who}: {title!r} goes on four legs; only persons can be put onto a figure.")
    if not a.up_margin > 0.05:
        raise InputError(
            f"{who}: which way is up in {title!r} cannot be told from its motion; say it by --up (up=), e.g. y or z."
        )
    if not a.certain:
        side = sides_by_name(points, a)
        if side == 0 and abs(a.ahead_margin) < 0.2:
            raise InputError(
                f"{who}: left and right of {title!r} cannot be told (it has no feet, and neither bends nor walks); "
                f'say by --mapping (mapping=), e.g. left_thigh = "{points.names[a.legs[0].top]}".'
            )
        a = a.mirrored() if side < 0 else a
    return as_given(points, a, given)


def as_given(points: Points, a: Anatomy, given: Mapping[str, str]) -> Anatomy:
    """The anatomy with the joints that are given."""
    number = {name: k for k, name in enumerate(points.names)}
    at = {part: number[name] for part, name in given.items() if name in number}
    limbs = {SIDES[n]: (a.legs[n], a.arms[n]) for n in (0, 1)}
    for side, other in (SIDES, SIDES[::-1]):
        mine = {at.get(f"{side}_thigh"), at.get(f"{side}_upper_arm")} - {None}
        if mine & {limbs[other][0].top, limbs[other][1].top}:
            a = a.mirrored()
            break
    legs, arms = list(a.legs), list(a.arms)
    for n, side in enumerate(SIDES):
        parts = {"top": "thigh", "middle": "shank", "end": "foot", "tip": "toe"}
        legs[n] = replace(legs[n], **{x: at[f"{side}_{y}"] for x, y in parts.items() if f"{side}_{y}" in at})
        parts = {"top": "upper_arm", "middle": "lower_arm", "end": "hand"}
        arms[n] = replace(arms[n], **{x: at[f"{side}_{y}"] for x, y in parts.items() if f"{side}_{y}" in at})
    body = {
        x: at[y] for x, y in (("pelvis", "pelvis"), ("chest", "trunk"), ("neck", "neck"), ("head", "head")) if y in at
    }
    return replace(a, legs=(legs[0], legs[1]), arms=(arms[0], arms[1]), **body)


def sides_by_name(points: Points, a: Anatomy) -> int:
    """1 where names say that the limbs found are left and right, -1 where the other way round, 0 where they say nothing."""
    votes = 0
    for pair in (a.legs, a.arms):
        for sign, limb in zip((1, -1), pair):
            for k in (limb.top, limb.middle, limb.end):
                word = points.names[k].rsplit(":", 1)[-1].lower()
                left = "left" in word or word.startswith(("l_", "l-")) or word.endswith(("_l", ".l", "-l"))
                right = "right" in word or word.startswith(("r_", "r-")) or word.endswith(("_r", ".r", "-r"))
                votes += sign * (int(left) - int(right))
    return int(np.sign(votes))


def upright(a: Anatomy, points: Points) -> np.ndarray:
    """The rotation that puts up along z: none for a file with y up; else quarter turns after which the first frame faces
    x as nearly as they can."""
    if a.up[2] > 0.99:
        return np.eye(3)
    left = points.place[0, a.legs[0].top] - points.place[0, a.legs[1].top]
    left = left - (left @ a.up) * a.up
    n = int(np.where(np.abs(a.up) > 0.5, -1.0, np.abs(left)).argmax())
    y = (-1.0 if left[n] < 0 else 1.0) * np.eye(3)[n]
    return np.stack([np.cross(y, a.up), y, a.up])


def t_pose(one: Points, a: Anatomy) -> bool:
    """Whether the upper arms are about horizontal and the legs upright in a frame."""
    P = one.place[0]
    for pair, arms in ((a.legs, False), (a.arms, True)):
        for x in pair:
            for top, end in ((x.top, x.middle), (x.middle, x.end))[: 1 if arms else 2]:
                d = P[top] - P[end]
                slope = d[2] / max(float(np.linalg.norm(d)), 1e-12)
                if (arms and abs(slope) > LEVEL) or (not arms and slope < UPRIGHT):
                    return False
    return True


def places(points: Points, a: Anatomy) -> dict[str, np.ndarray]:
    """Where parts begin, and tips."""
    P = points.place
    out = {
        "pelvis": 0.5 * (P[:, a.legs[0].top] + P[:, a.legs[1].top]),
        "trunk": P[:, a.chest],
        "neck": neck_of(points, a),
    }
    if a.head is not None:
        out["head_top"] = P[:, a.head]
    for side, leg, arm in zip(SIDES, a.legs, a.arms):
        for part, k in zip(("thigh", "shank", "foot", "toe"), (leg.top, leg.middle, leg.end, leg.tip)):
            out[f"{side}_{part}"] = P[:, k]
        for part, k in zip(("upper_arm", "lower_arm", "hand", "fingers"), (arm.top, arm.middle, arm.end, arm.tip)):
            out[f"{side}_{part}"] = P[:, k]
    return out


def named(points: Points, a: Anatomy) -> dict[str, str]:
    """Part -> name of the point where it begins."""
    out = {"pelvis": a.pelvis, "trunk": a.chest}
    out |= {} if a.neck is None else {"head": a.neck}
    for side, leg, arm in zip(SIDES, a.legs, a.arms):
        out |= {f"{side}_{x}": k for x, k in zip(("thigh", "shank", "foot"), (leg.top, leg.middle, leg.end))}
        out |= {f"{side}_{x}": k for x, k in zip(("upper_arm", "lower_arm", "hand"), (arm.top, arm.middle, arm.end))}
    return {part: points.names[k] for part, k in out.items()}


def neck_of(points: Points, a: Anatomy) -> np.ndarray:
    """(n, 3): where the neck begins, else the middle of the shoulders."""
    P = points.place
    return P[:, a.neck] if a.neck is not None else 0.5 * (P[:, a.arms[0].top] + P[:, a.arms[1].top])


def lengths(points: Points, limb: Limb) -> np.ndarray:
    """(2,): of a limb's bones."""
    P = points.place
    return np.array(
        [
            float(np.median(np.linalg.norm(P[:, a] - P[:, b], axis=1)))
            for a, b in ((limb.top, limb.middle), (limb.middle, limb.end))
        ]
    )


def at_joint(points: Points, k: int, limb: Limb) -> int:
    """The last joint at a point of a limb: that which carries what comes next."""
    size, at = 0.05 * float(lengths(points, limb).sum()), k
    tip, way = limb.tip, []
    while tip != k and tip >= 0:
        way.append(tip)
        tip = points.parents[tip]
    for x in way[::-1]:
        if np.linalg.norm(points.place[:, x] - points.place[:, k], axis=1).mean() > size or x not in points.parents:
            break
        at = x
    return at


def unit(x: np.ndarray) -> np.ndarray:
    """Rows of length one."""
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12)


def frame(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(n, 3, 3): rotations whose z is given and whose y is as near to `y` as that allows."""
    z = unit(z)
    y = unit(y - np.einsum("...i,...i->...", y, z)[..., None] * z)
    return np.stack([np.cross(y, z), y, z], axis=-1)


def mean_turn(R: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """The rotation nearest to rotations (n, 3, 3)."""
    w = np.ones(len(R)) if weight is None else weight
    U, _, V = np.linalg.svd(np.einsum("n,nij->ij", w, R))
    return U @ np.diag([1.0, 1.0, float(np.sign(np.linalg.det(U @ V)))]) @ V


def trunk_line(points: Points, a: Anatomy) -> np.ndarray:
    """(n, 3): from the middle of the hips to the neck."""
    P = points.place
    return neck_of(points, a) - 0.5 * (P[:, a.legs[0].top] + P[:, a.legs[1].top])


def standing(points: Points, a: Anatomy) -> np.ndarray:
    """(n,): how much a frame stands, 0 to 1: legs on the average in line with the trunk, the trunk upright."""
    P, trunk = points.place, unit(trunk_line(points, a))
    legs = unit(np.sum([unit(P[:, x.top] - P[:, x.end]) for x in a.legs], axis=0))
    bent = np.mean(
        [np.linalg.norm(P[:, x.top] - P[:, x.end], axis=1) / lengths(points, x).sum() for x in a.legs], axis=0
    )
    open_ = np.arccos(np.clip(np.einsum("ni,ni->n", trunk, legs), -1, 1))
    lean = np.arccos(np.clip(trunk[:, 2], -1, 1))
    return (
        np.clip(2 - 2 * open_ / STANDS[0], 0, 1)
        * np.clip(2 - 2 * lean / STANDS[1], 0, 1)
        * np.clip((bent - 0.85) / 0.08, 0, 1)
    )


def upright_in(ref: Reference, points: Points, a: Anatomy) -> dict[str, np.ndarray]:
    """Pelvis, trunk and head by a pose in which they are upright."""
    return {part: points.turn[:, k] @ ref.points.turn[0, k].T @ ref.heading for part, k in carriers(points, a).items()}


def upright_by(points: Points, a: Anatomy, weight: np.ndarray) -> dict[str, np.ndarray]:
    """Pelvis, trunk and head by hips, shoulders and the line between them in weighted frames."""
    P, line, out = points.place, trunk_line(points, a), {}
    across = {"pelvis": P[:, a.legs[0].top] - P[:, a.legs[1].top], "trunk": P[:, a.arms[0].top] - P[:, a.arms[1].top]}
    across["head"] = across["trunk"]
    for part, k in carriers(points, a).items():
        R = points.turn[:, k]
        out[part] = R @ mean_turn(np.swapaxes(R, 1, 2) @ frame(line, across[part]), weight)
    return out


def carriers(points: Points, a: Anatomy) -> dict[str, int]:
    """Which joints turn pelvis, trunk and head."""
    out = {"pelvis": a.pelvis, "trunk": a.chest}
    if a.head is not None:
        out["head"] = a.head if a.head in points.parents or points.parents[a.head] < 0 else points.parents[a.head]
    return out


def heading_of(ref: Points, a: Anatomy) -> np.ndarray:
    """The rotation about z by which a reference pose faces away from x; one that nearly faces along an axis does."""
    left = ref.place[0, a.legs[0].top] - ref.place[0, a.legs[1].top]
    angle = float(np.arctan2(-left[0], left[1]))
    nearest = 0.5 * np.pi * round(angle / (0.5 * np.pi))
    angle = nearest if abs(angle - nearest) < ALONG else angle
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def smallest_turn(b: np.ndarray) -> np.ndarray:
    """The smallest rotation from the vertical to a unit vector."""
    axis, c = np.cross([0.0, 0.0, 1.0], b), float(b[2])
    if c < -1 + 1e-9:
        return np.diag([1.0, -1.0, -1.0])
    K = skew(axis)
    return np.eye(3) + K + K @ K / (1 + c)


def limb_turns(
    points: Points, limb: Limb, sign: float, ref: Reference | None, body: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rotations (n, 3, 3) of both bones of a limb; see the module text. body: those of what it hangs on."""
    P = points.place
    z1, z2 = unit(P[:, limb.top] - P[:, limb.middle]), unit(P[:, limb.middle] - P[:, limb.end])
    normal = sign * np.cross(z1, z2)
    sine = np.linalg.norm(normal, axis=1)
    share = np.clip((sine - BENT[0]) / (BENT[1] - BENT[0]), 0.0, 1.0)
    k = points.parents[limb.middle]
    R = points.turn[:, k]
    if share.sum() > ENOUGH:
        bent = share > 0
        C = mean_turn(np.swapaxes(R[bent], 1, 2) @ frame(z1[bent], normal[bent]), share[bent])
    elif ref is not None:
        d = unit(ref.points.place[0, limb.top] - ref.points.place[0, limb.middle])
        C = ref.points.turn[0, k].T @ smallest_turn(d) @ ref.heading
    else:
        C = mean_turn(np.swapaxes(R, 1, 2) @ frame(z1, body[:, :, 1]))
    y = share[:, None] * normal / np.maximum(sine, 1e-9)[:, None] + (1.0 - share)[:, None] * (R @ C)[:, :, 1]
    one = frame(z1, y)
    return one, frame(z2, one[:, :, 1])


def foot_turn(
    points: Points, limb: Limb, ref: Reference | None, shank: np.ndarray, step: float, leg: float, straight: bool
) -> np.ndarray:
    """Rotations (n, 3, 3) of a foot: level where it rests, along ankle and toe from above; straight: as in the reference,
    where it is level and straight ahead."""
    k = at_joint(points, limb.end, limb)
    R, ankle, tip = points.turn[:, k], points.place[:, limb.end], points.place[:, limb.tip]
    if straight and ref is not None:
        return R @ ref.points.turn[0, k].T @ ref.heading
    way, scale = tip - ankle, LEG / leg
    toe = float(np.linalg.norm(way, axis=1).mean()) > 0.05 * leg
    y = np.cross([0.0, 0.0, 1.0], way) if toe else shank[:, :, 1]
    if ref is not None and not toe:
        y = (R @ ref.points.turn[0, k].T @ ref.heading)[:, :, 1]
    if ref is not None and toe:
        y0 = np.cross([0.0, 0.0, 1.0], ref.points.place[0, limb.tip] - ref.points.place[0, limb.end])
        C = ref.points.turn[0, k].T @ frame(np.array([0.0, 0.0, 1.0]), y0)
    elif ref is not None:
        C = ref.points.turn[0, k].T @ ref.heading
    else:
        y1 = shank[:, :, 1]
        x = unit(way if toe else shank[:, :, 0])
        up = unit(np.cross(x, y1))
        x = np.cos(SOLE) * x + np.sin(SOLE) * up if toe else x
        C = mean_turn(np.swapaxes(R, 1, 2) @ frame(np.cross(x, y1), y1))
    if len(R) >= 8:
        speed = scale / step * np.linalg.norm(np.gradient(ankle, axis=0), axis=1)
        spin = np.linalg.norm(np.gradient(R, axis=0), axis=(1, 2)) / np.sqrt(2.0) / step
        rows = resting(speed, scale * ankle[:, 2]) & (spin < max(1.0, float(np.percentile(spin, 15.0))))
        if np.count_nonzero(rows) >= max(8, RESTS / step):
            C = usual_turn(np.swapaxes(R[rows], 1, 2) @ frame(np.tile([0.0, 0.0, 1.0], (int(rows.sum()), 1)), y[rows]))
    return R @ C


def usual_turn(R: np.ndarray) -> np.ndarray:
    """The mean of rotations (n, 3, 3) without those that are far from the others."""
    C = mean_turn(R)
    off = np.linalg.norm(R - C, axis=(1, 2))
    return mean_turn(R[off <= 2.0 * np.median(off) + 1e-9])
