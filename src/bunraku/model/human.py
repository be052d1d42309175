"""The human figure of document 000: 28 degrees of freedom and a free base, 69 kg, soles of 19 x 12 cm.

Masses and principal inertias: Table 3 of 000; its smallest principal inertia lies along the segment, which is our assumption (the table
names no axes). Joints: Fig. 5 of 000 – waist 3, neck 3, and on each side hip 3, knee 1, ankle 3, shoulder 3, elbow 1. Hands are frames of
the lower arms. Segment lengths are fractions of the height after Drillis and Contini (as printed in D. A. Winter, Biomechanics and Motor
Control of Human Movement); the waist, the neck and the distance of the hips, which they do not give, and all ranges and torque limits are
ours. Everything scales: lengths with height / 1.7 m, masses with mass / 69 kg, inertias with both.

Axes at rest: x forward, y left, z up; every link's z points up along its segment, so that the twist of a ball joint turns the segment about
itself. Knee and elbow are positive in flexion. The base is the pelvis, placed so that the soles touch z = 0.
"""

from __future__ import annotations

import math

from bunraku.errors import InputError
from bunraku.model.description import Description, Joint, Shape, ball, free, hinge
from bunraku.model.model import Model

# height fractions (Drillis and Contini)
ANKLE, KNEE, HIP, SHOULDER = 0.039, 0.285, 0.530, 0.818
UPPER_ARM, LOWER_ARM, SHOULDER_HALF = 0.186, 0.146, 0.129
# height fractions of ours
WAIST, NECK, HIP_HALF = 0.600, 0.850, 0.050
SOLE = (0.19, 0.12)  # m, at a height of 1.7 m
HEEL = 0.065  # m behind the ankle, at a height of 1.7 m


def human(height: float = 1.7, mass: float = 69.0) -> Model:
    """The 28-DoF figure as a Model. height [m], mass [kg]."""
    return describe_human(height, mass).build()


def describe_human(height: float = 1.7, mass: float = 69.0) -> Description:
    """The same as a Description, to be changed before it is built."""
    for name, x, low, high in (("height", height, 0.3, 3.0), ("mass", mass, 1.0, 500.0)):
        if not (math.isfinite(x) and low <= x <= high):
            raise InputError(f"human: {name} {x} is outside {low} to {high}.")
    L, M = height / 1.7, mass / 69.0
    H = height

    def inertia(m: float, lateral: float, along: float, com: tuple[float, float, float]) -> dict:
        k = M * L * L
        return {"mass": M * m, "com": com, "moments": (k * lateral, k * lateral, k * along)}

    skin, cloth, shoe = (0.87, 0.72, 0.6, 1.0), (0.25, 0.4, 0.65, 1.0), (0.2, 0.2, 0.22, 1.0)

    def limb(length: float, radius: float, color: tuple[float, float, float, float]) -> Shape:
        return Shape("capsule", (radius * L, max(length / 2 - radius * L, 0.01)), (0, 0, -length / 2), color=color)

    def joint3(name: str, swing: float, twist: float, effort: float) -> Joint:
        return ball(name, swing=swing, twist=(-twist, twist), effort=effort * M * L)

    thigh, shank, ankle = (HIP - KNEE) * H, (KNEE - ANKLE) * H, ANKLE * H
    arm, forearm = UPPER_ARM * H, LOWER_ARM * H
    low, up = (WAIST - HIP) * H, (NECK - WAIST) * H
    fig = Description(name="human")
    pelvis = [Shape("box", (0.085 * L, 0.15 * L, low / 2 + 0.02 * L), (0, 0, low / 2 - 0.02 * L), color=cloth)]
    fig.add("pelvis", None, free("root"), at=(0, 0, HIP * H), **inertia(15, 0.4, 0.2, (0, 0, low / 2)), shapes=pelvis)
    trunk = [
        Shape("box", (0.09 * L, 0.16 * L, up / 2 - 0.02 * L), (0, 0, up / 2), color=cloth),
        Shape("capsule", (0.05 * L, 0.02 * L), (0, 0, up), color=skin),
    ]
    fig.add("trunk", "pelvis", joint3("waist", 0.9, 0.8, 250), at=(0, 0, low), **inertia(16, 0.8, 0.4, (0, 0, up / 2)), shapes=trunk)  # fmt: skip
    top = (1 - NECK) * H
    head = [Shape("sphere", (0.105 * L,), (0.01 * L, 0, top - 0.105 * L), color=skin)]
    fig.add("head", "trunk", joint3("neck", 1.0, 1.3, 40), at=(0, 0, up), **inertia(4, 0.1, 0.1, (0, 0, top / 2)), shapes=head)  # fmt: skip
    fig.frame("head_top", "head", (0, 0, top))
    sole = [SOLE[0] * L, SOLE[1] * L]
    middle = sole[0] / 2 - HEEL * L
    for side, y in (("left", 1.0), ("right", -1.0)):
        s = f"{side}_"
        fig.add(s + "thigh", "pelvis", joint3(s + "hip", 2.0, 0.8, 220), at=(0, y * HIP_HALF * H, 0), **inertia(5, 0.2, 0.1, (0, 0, -0.433 * thigh)), shapes=[limb(thigh, 0.07, cloth)])  # fmt: skip
        knee = hinge(s + "knee", (0, 1, 0), lower=0.0, upper=2.6, effort=220 * M * L)
        fig.add(s + "shank", s + "thigh", knee, at=(0, 0, -thigh), **inertia(4, 0.2, 0.1, (0, 0, -0.433 * shank)), shapes=[limb(shank, 0.05, cloth)])  # fmt: skip
        foot = Shape("box", (sole[0] / 2, sole[1] / 2, ankle / 2), (middle, 0, -ankle / 2), color=shoe, name=s + "sole")
        fig.add(s + "foot", s + "shank", joint3(s + "ankle", 0.9, 0.6, 150), at=(0, 0, -shank), **inertia(2, 0.02, 0.02, (middle / 2, 0, -ankle / 2)), shapes=[foot])  # fmt: skip
        fig.frame(s + "sole", s + "foot", (middle, 0, -ankle))
        fig.frame(s + "toe", s + "foot", (sole[0] - HEEL * L, 0, -ankle))
        fig.frame(s + "heel", s + "foot", (-HEEL * L, 0, -ankle))
        shoulder = (0, y * SHOULDER_HALF * H, (SHOULDER - WAIST) * H)
        fig.add(s + "upper_arm", "trunk", joint3(s + "shoulder", 2.9, 1.6, 90), at=shoulder, **inertia(4, 0.2, 0.1, (0, 0, -0.436 * arm)), shapes=[limb(arm, 0.045, cloth)])  # fmt: skip
        elbow = hinge(s + "elbow", (0, -1, 0), lower=0.0, upper=2.6, effort=60 * M * L)
        fig.add(s + "lower_arm", s + "upper_arm", elbow, at=(0, 0, -arm), **inertia(2, 0.2, 0.1, (0, 0, -0.43 * forearm)), shapes=[limb(forearm, 0.037, skin), Shape("sphere", (0.045 * L,), (0, 0, -forearm - 0.03 * L), color=skin)])  # fmt: skip
        fig.frame(s + "hand", s + "lower_arm", (0, 0, -forearm - 0.03 * L))
        fig.collide_exclude += [("pelvis", s + "thigh"), ("trunk", s + "thigh"), ("trunk", s + "upper_arm")]
        fig.collide_exclude += [(s + "thigh", s + "shank"), (s + "shank", s + "foot"), (s + "upper_arm", s + "lower_arm")]
    fig.collide_exclude += [("pelvis", "trunk"), ("trunk", "head"), ("left_thigh", "right_thigh")]
    return fig
