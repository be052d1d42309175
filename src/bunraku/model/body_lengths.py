"""Measures: the lengths a human figure is built with, of the standard figure (`standard`) or of a person.

Places are in the axes of the standing figure: x ahead, y left, z up. Pairs are left and right, which differ in people.
Checked in tests/model/test_human.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from bunraku.model import body_2000 as body

Place = tuple[float, float, float]
Pair = tuple[float, float]


@dataclass(frozen=True)
class Measures:
    """Lengths [m]: `height` from the soles to the top of the head; `hip` and `waist` from the middle between the hips,
    which is the pelvis' origin; `neck` and `shoulder` from the waist; `head`, its top, from the neck; the length of
    limbs; `ankle` above the sole; `sole` length and width; `heel` behind the ankle."""

    height: float
    hip: tuple[Place, Place]
    waist: Place
    neck: Place
    shoulder: tuple[Place, Place]
    head: Place
    thigh: Pair
    shank: Pair
    upper_arm: Pair
    lower_arm: Pair
    ankle: float
    sole: Pair
    heel: float


def standard(height: float) -> Measures:
    """The measures of the standard figure at a height [m]."""
    H, L = height, height / body.HEIGHT
    up, out = (body.SHOULDER - body.WAIST) * H, body.SHOULDER_HALF * H
    thigh, shank = (body.HIP - body.KNEE) * H, (body.KNEE - body.ANKLE) * H
    arm, forearm = body.UPPER_ARM * H, body.LOWER_ARM * H
    return Measures(
        height=height,
        hip=((0.0, body.HIP_HALF * H, 0.0), (0.0, -body.HIP_HALF * H, 0.0)),
        waist=(0.0, 0.0, (body.WAIST - body.HIP) * H),
        neck=(0.0, 0.0, (body.NECK - body.WAIST) * H),
        shoulder=((0.0, out, up), (0.0, -out, up)),
        head=(0.0, 0.0, (1 - body.NECK) * H),
        thigh=(thigh, thigh),
        shank=(shank, shank),
        upper_arm=(arm, arm),
        lower_arm=(forearm, forearm),
        ankle=body.ANKLE * H,
        sole=(body.SOLE[0] * L, body.SOLE[1] * L),
        heel=body.HEEL * L,
    )
