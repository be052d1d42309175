"""Which parts of a figure walk: its feet and their soles, legs, trunk and hands, and the stance it walks from.

Found by geometry in the described pose, in which a figure stands upright and faces +x: feet are the two lowest ends of
the tree on both sides of y = 0, a leg is the chain of joints from a foot to where both chains meet, a sole
(bunraku.humanoid.foot) is the rectangle under a foot's collision shapes (bunraku.humanoid.sole_shape). What cannot be
found so is stated in a mapping, a small TOML file (bunraku.humanoid.mapping); files of known robots are in
bunraku/mappings and are found by the model's name. Checked in tests/humanoid/test_parts.py.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bunraku.dynamics.functions import frame_jacobian, kinematics
from bunraku.errors import InputError
from bunraku.humanoid.foot import SIDES, Foot
from bunraku.humanoid.mapping import changed, mapping_of
from bunraku.humanoid.sole_shape import foot_on
from bunraku.model.model import Model
from bunraku.model.named import as_model

if TYPE_CHECKING:
    from bunraku.humanoid.held_load import Holding

LEG_DOF = 6  # a sole has six coordinates


@dataclass(frozen=True, eq=False)
class Humanoid:
    """A figure that can walk; `model` may have other shapes and limits than the one given, where the mapping says so.
    `stand` is q (nq,) [m, rad] of a walker's stance: knees bent, soles flat on z = 0, the centre of mass above their middle.
    `holding`: what it carries (bunraku.humanoid.held_load), whose inertia `model` then has."""

    model: Model
    feet: tuple[Foot, Foot]
    trunk: str
    hands: tuple[str | None, str | None]
    mapping: Mapping[str, Any]
    holding: Holding | None = None

    @classmethod
    def of(cls, model: Model | str, mapping: str | os.PathLike[str] | Mapping[str, Any] | None = None) -> Humanoid:
        """The walking parts of a figure: feet, legs, trunk, hands. mapping: a TOML file, or its content as a dict, that
        names what cannot be found; those of simple_humanoid, TALOS and G1 are found by the model's name."""
        return humanoid(model, mapping)

    @cached_property
    def stand(self) -> np.ndarray:
        """q of a walker's stance."""
        from bunraku.humanoid.stance import stance

        return stance(self)

    @cached_property
    def legs(self) -> tuple[float, float]:
        """Greatest distance [m] from the hip (the first leg joint's centre) to the foot's body, left and right."""
        return leg_length(self, self.feet[0]), leg_length(self, self.feet[1])

    @cached_property
    def apart(self) -> float:
        """Distance [m] of the soles' middles from side to side, as the figure stands: as the mapping says, or as
        described."""
        stated = self.mapping.get("walk", {}).get("apart")
        if stated:
            return float(stated)
        k = kinematics(self.model, self.model.neutral())
        left, right = (k.pose(f.frame)[0][1] for f in self.feet)
        return float(max(left - right, 2.0 * max(f.half[1] for f in self.feet) + 0.02))

    def hips(self, q: np.ndarray) -> np.ndarray:
        """(…, 2, 3): centres of the first joints of both legs in poses q (…, nq) [m]."""
        bodies = [self.model.joint(f.joints[0]).body for f in self.feet]
        return kinematics(self.model, q).position[..., bodies, :]

    def __repr__(self) -> str:
        return (
            f"<Humanoid {self.model.name!r}: feet {self.feet[0].link!r}, {self.feet[1].link!r}, trunk {self.trunk!r}>"
        )


def humanoid(
    model: Model | Humanoid | str, mapping: str | os.PathLike[str] | Mapping[str, Any] | None = None
) -> Humanoid:
    """The walking parts of a figure; see the module text. mapping: a TOML file or its content as a dict."""
    if isinstance(model, Humanoid):
        return model
    model = as_model(model, "humanoid")
    if not model.joints or model.joints[0].kind != "free":
        raise InputError(f"humanoid: {model.name!r} has a fixed base; a walker needs a free one.")
    known = mapping_of(model, mapping)
    links = feet_links(model, known)
    model = changed(model, known, links)
    k = kinematics(model, model.neutral())
    parents = parent_bodies(model)
    chains = [chain(parents, model.body(name)) for name in links]
    common = next(b for b in chains[0] if b in chains[1])
    feet = []
    for side, (name, bodies) in enumerate(zip(links, chains)):
        of_body: dict[int, list[str]] = {}
        for j in model.joints:
            if j.nv:
                of_body.setdefault(j.body, []).append(j.name)
        leg = [n for b in reversed(bodies[: bodies.index(common)]) for n in of_body.get(b, [])]
        freedom = sum(model.joint(n).nv for n in leg)
        if freedom < LEG_DOF:
            raise InputError(
                f"humanoid: {model.name!r} has no feet that can step: from {name!r} to {model.body_names[common]!r} its leg has {freedom} "
                f"degrees of freedom and needs {LEG_DOF}; name other feet in a mapping: [feet] left = …, right = …."
            )
        feet.append(replace(foot_on(model, name, side, k, known), joints=tuple(leg)))
    trunk = str(known.get("trunk") or found(model, ("torso", "trunk", "chest")) or model.body_names[common])
    given = known.get("hands") or (None, None)
    ends = [given[s] or hand_of(model, k, s) for s in (0, 1)]
    for name in (trunk, *(e for e in ends if e)):
        model.frame(name)
    return Humanoid(model, (feet[0], feet[1]), trunk, (ends[0], ends[1]), known)


def parent_bodies(model: Model) -> list[int]:
    """The body above each body; 0 is the world."""
    from bunraku.model.layout import PARENT

    return [int(x) for x in model.ints[:, PARENT]]


def chain(parents: list[int], body: int) -> list[int]:
    """Bodies from one up to the world."""
    out = [body]
    while out[-1] > 0:
        out.append(parents[out[-1]])
    return out


def feet_links(model: Model, known: Mapping[str, Any]) -> tuple[str, str]:
    """(left, right) links that are feet: as the mapping says, or the two lowest ends of the tree on both sides."""
    given = known.get("feet", {})
    if "left" in given and "right" in given:
        for side in SIDES:
            model.frame(str(given[side]))
        return str(given["left"]), str(given["right"])
    position = kinematics(model, model.neutral()).position
    ends = sorted(set(range(1, model.nb)) - set(parent_bodies(model)), key=lambda b: position[b][2])
    left, right = (next((b for b in ends if s * position[b][1] > 0.01), None) for s in (1, -1))
    lowest = position[1:, 2].min()
    if (
        left is None
        or right is None
        or max(position[left][2], position[right][2]) > lowest + 0.3 * np.ptp(position[1:, 2])
    ):
        raise InputError(
            f"humanoid: {model.name!r} has no feet: no two lowest ends of its tree on both sides of y = 0; name them in a mapping: "
            "[feet] left = …, right = …."
        )
    first = {b: next(f.name for f in model.links if f.body == b) for b in (left, right)}
    return first[left], first[right]


def found(model: Model, words: tuple[str, ...]) -> str | None:
    """The last link with one of the words in its name."""
    names = [f.name for f in model.links if any(w in f.name.lower() for w in words)]
    return names[-1] if names else None


def hand_of(model: Model, k: Any, side: int) -> str | None:
    """A frame or link that is called a hand, or a wrist, on that side."""
    sign = 1.0 if side == 0 else -1.0
    for word in ("hand", "gripper", "wrist", "lower_arm"):
        names = [f.name for f in model.frames if word in f.name.lower() and sign * k.pose(f)[0][1] > 0.02]
        if names:
            return names[0]
    return None


def pitch_dofs(h: Humanoid, f: Foot, q: np.ndarray) -> list[tuple[int, float, int]]:
    """(index into v, sign, body) of the leg's degrees of freedom that turn about the figure's y axis at q, from hip to
    ankle."""
    J = frame_jacobian(h.model, q, f.frame)[3:]
    out = []
    for j in (h.model.joint(name) for name in f.joints):
        if j.kind in ("hinge", "ball"):
            out += [(i, float(np.sign(J[1, i])), j.body) for i in range(j.iv, j.iv + j.nv) if abs(J[1, i]) > 0.9]
    if len(out) < 3:
        raise InputError(
            f"humanoid: the {SIDES[f.side]} leg of {h.model.name!r} has {len(out)} joints that swing it ahead in the described pose; "
            "a walker needs three (hip, knee, ankle), upright and facing +x."
        )
    return out


def leg_length(h: Humanoid, foot: Foot) -> float:
    """The straight leg: from the hip (first joint of the leg) to the knee (the second that swings it ahead) and on to
    the foot's body."""
    q = h.model.neutral()
    position = kinematics(h.model, q).position
    hip, knee = position[h.model.joint(foot.joints[0]).body], position[pitch_dofs(h, foot, q)[1][2]]
    return float(np.linalg.norm(knee - hip) + np.linalg.norm(position[foot.body] - knee))
