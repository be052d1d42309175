"""What a skin looks like: regions of the figure as it is meshed, and the colours of the three looks.

A region is a function of places, negative inside. Layers are painted one over the other; triangles are divided where a
region ends (bunraku.draw.skin_mesh.cut). Colours are sRGB bytes. Checked in tests/draw/test_skin.py, and by looking.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bunraku.draw.skin_body import SIDES, Build, bind, face_places
from bunraku.model.body_2000 import HEIGHT
from bunraku.model.body_lengths import Measures

Region = Callable[[np.ndarray], np.ndarray]
Color = tuple[int, int, int]

FLESH, HAIR, EYES, LIPS = (226, 186, 158), (62, 46, 38), (44, 36, 34), (196, 124, 110)
LOOKS = ("clothes", "wood", "plain")
PALETTE: dict[str, tuple[Color, dict[str, Color | None]]] = {
    "clothes": (FLESH, {
        "shirt": (58, 104, 164), "trousers": (66, 71, 84), "shoes": (40, 41, 46), "soles": (222, 220, 214),
        "hair": HAIR, "ears": FLESH, "lips": LIPS, "brows": HAIR, "eyes": EYES,
    }),
    "wood": ((216, 178, 128), {
        "rings": None, "bands": (146, 101, 60), "shoes": (176, 130, 84), "soles": (120, 82, 50),
        "hair": (44, 36, 32), "ears": (216, 178, 128), "lips": (186, 92, 74), "brows": (60, 44, 34), "eyes": (44, 34, 28),
    }),
    "plain": ((208, 210, 213), {"shoes": (150, 154, 160), "hair": (138, 144, 152), "ears": (208, 210, 213), "eyes": (92, 98, 106)}),
}  # fmt: skip
"""Of every look the colour below, and its layers in their order; one without a colour only divides triangles."""


def regions(m: Measures, build: Build) -> dict[str, Region]:
    """The regions of a figure as it is meshed."""
    frames, L = bind(m), m.height / HEIGHT
    belt = float(frames["trunk"][0][2]) - 0.005 * L
    collar = frames["head"][0] + np.array([-0.008, 0.0, -0.034]) * L
    tilt = np.array([0.42, 0.0, 0.91])  # the collar lies lower ahead
    arms = [
        (frames[s + "upper_arm"][0], -frames[s + "upper_arm"][1][:, 2], m.upper_arm[k]) for k, s in enumerate(SIDES)
    ]
    face = face_places(m, build)
    outer = [abs(float(place[1])) + 0.02 * L for place, _, _ in arms]

    def bare(p: np.ndarray) -> np.ndarray:
        """Arms below short sleeves."""
        each = [
            np.maximum(0.52 * length - (p - place) @ axis, y - sign * p[:, 1])
            for (place, axis, length), y, sign in zip(arms, outer, (1.0, -1.0))
        ]
        return np.minimum(*each)

    def trousers(p: np.ndarray) -> np.ndarray:
        return np.maximum(p[:, 2] - belt, np.abs(p[:, 1]) - 0.48 * L)

    def shirt(p: np.ndarray) -> np.ndarray:
        hole = (1.0 - np.hypot((p[:, 0] - collar[0]) / 0.088, (p[:, 1] - collar[1]) / 0.080) / L) * 0.08 * L
        hole = np.minimum(hole, p[:, 2] - collar[2] + 0.12 * L)  # about the neck, not about the hollow of the back
        above = p[:, 2] - float(frames["head"][0][2]) - 0.01 * L
        return np.maximum.reduce([belt - p[:, 2], hole, above, -bare(p)])

    def below(height: float, slope: float) -> Region:
        """Under a plane at a height above the sole, that rises ahead."""

        def region(p: np.ndarray) -> np.ndarray:
            feet = [frames[s + "foot"][0] for s in SIDES]
            floor = np.where(p[:, 1] > 0, feet[0][2], feet[1][2]) - m.ankle
            return np.maximum(p[:, 2] - floor - height - slope * p[:, 0], np.abs(p[:, 1]) - 0.6 * L)

        return region

    def hair(p: np.ndarray) -> np.ndarray:
        low, high = face["nape"], face["forehead"]
        along = high - low
        normal = np.array([-along[2], 0.0, along[0]])
        return np.maximum(-(p - low) @ (normal / np.linalg.norm(normal)), face["nape"][2] - 0.02 * L - p[:, 2])

    def spots(name: str, radii: tuple[float, float, float]) -> Region:
        """Ellipsoids about places of the face."""
        places = [face[n] for n in face if n.startswith(name)]
        size = np.array(radii) * L * (1.0 + 0.16 * build.child)

        def region(p: np.ndarray) -> np.ndarray:
            return np.min([np.linalg.norm((p - at) / size, axis=1) - 1.0 for at in places], axis=0) * size.min()

        return region

    def rings(p: np.ndarray) -> np.ndarray:
        """How far along the limb from the ring of the nearest joint of a puppet [m]."""
        waist, neck = frames["trunk"][0], frames["head"][0]
        along = [p[:, 2] - waist[2] - 0.02 * L, (p - neck) @ tilt]
        off = [away(p, waist, 0.25 * L), away(p, neck, 0.10 * L)]
        for k, side in enumerate(SIDES):
            for joint, limb, shift, size in (
                ("thigh", "thigh", 0.070, 0.14), ("shank", "thigh", 0.0, 0.10), ("upper_arm", "upper_arm", 0.055, 0.10),
                ("lower_arm", "upper_arm", 0.0, 0.08), ("lower_arm", "upper_arm", m.lower_arm[k] / L, 0.06),
            ):  # fmt: skip
                axis = -frames[side + limb][1][:, 2]
                at = frames[side + joint][0] + shift * L * axis
                along.append((p - at) @ axis)
                off.append(away(p, at, size * L))
        least = np.argmin(np.abs(along) + 10.0 * np.array(off), axis=0)
        here = np.arange(len(p))
        return np.array(along)[least, here] + 10.0 * np.array(off)[least, here]

    def bands(p: np.ndarray) -> np.ndarray:
        return np.abs(rings(p)) - 0.007 * L

    return {
        "shirt": shirt, "trousers": trousers, "shoes": below(m.ankle + 0.016 * L, -0.12), "soles": below(0.015 * L, 0.0),
        "hair": hair, "ears": spots("ear", (0.022, 0.030, 0.033)), "lips": spots("mouth", (0.020, 0.019, 0.0055)),
        "brows": spots("brow", (0.030, 0.018, 0.0058)), "eyes": spots("eye", (0.030, 0.0145, 0.0062)), "rings": rings, "bands": bands,
    }  # fmt: skip


def away(p: np.ndarray, at: np.ndarray, reach: float) -> np.ndarray:
    """0 within a reach of a place [m], rising outside."""
    return np.maximum(np.linalg.norm(p - at, axis=1) - reach, 0.0)
