"""Which joints of a skeleton are a person's limbs, sides and up: found by geometry (humanoid.anatomy), given, or asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from bunraku.errors import InputError
from bunraku.humanoid.anatomy import Anatomy, anatomy
from bunraku.motion.person_points import SIDES, Points


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


def axis(up: str | None, who: str) -> np.ndarray | None:
    """The unit vector of an axis of a BVH file, in our world (its x, y, z are our y, z, x)."""
    if up is None:
        return None
    if up.lstrip("+-") not in ("x", "y", "z"):
        raise InputError(f"{who}: up {up!r} is none of x, y, z, -x, -y, -z.")
    return (-1.0 if up[0] == "-" else 1.0) * np.eye(3)["zxy".index(up[-1])]


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
