"""Masses, centres and moments of a person's segments after de Leva (1996), for any figure of `human`.

P. de Leva, Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters, Journal of Biomechanics 29 (1996), Table 4,
men: mass in per cent of the whole, centre as a share of the segment's length from its first end, radii of gyration about
the axes ahead (x), across (y) and along (z) as shares of that length. Limbs are as long as the figure's own; parts of
the trunk, head, hand and foot, whose landmarks the figure does not have, as long as in the table for its height.
The pelvis is the lower part of the trunk, the link "trunk" the middle and the upper one, the lower arm holds the hand.
Checked in tests/model/test_body_1996.py.
"""

from __future__ import annotations

import numpy as np

from bunraku.model.body_lengths import Measures
from bunraku.model.description import Description, Inertia

HEIGHT = 1.741  # m: of the table's men
SEGMENTS = {  # mass [%], centre [of the length], radii about x, y, z [of the length]
    "head": (6.94, 0.5976, (0.362, 0.376, 0.312)),  # from the vertex
    "upper trunk": (15.96, 0.2999, (0.716, 0.454, 0.659)),  # from the suprasternal notch
    "middle trunk": (16.33, 0.4502, (0.482, 0.383, 0.468)),  # from the xiphoid process
    "lower trunk": (11.17, 0.6115, (0.615, 0.551, 0.587)),  # from the navel
    "upper_arm": (2.71, 0.5772, (0.285, 0.269, 0.158)),
    "lower_arm": (1.62, 0.4574, (0.276, 0.265, 0.121)),
    "hand": (0.61, 0.7900, (0.628, 0.513, 0.401)),  # from the wrist, length to the third knuckle
    "thigh": (14.16, 0.4095, (0.329, 0.329, 0.149)),
    "shank": (4.33, 0.4395, (0.251, 0.246, 0.102)),  # its own along: 0.103 in the women's rows
    "foot": (1.37, 0.4415, (0.257, 0.245, 0.124)),  # from the heel; the first radius is about the upright axis
}
LENGTHS = {  # m, of the table's men
    "head": 0.2033,
    "upper trunk": 0.1707,
    "middle trunk": 0.2155,
    "lower trunk": 0.1457,
    "hand": 0.0862,
    "foot": 0.2581,
}


def with_inertias_of_1996(figure: Description, measures: Measures, mass: float) -> Description:
    """The figure with masses, centres and moments of the table; mass [kg] of the whole. `figure` itself is changed."""
    scale = measures.height / HEIGHT
    length = {name: x * scale for name, x in LENGTHS.items()}
    waist, top = (np.array(x, dtype=float) for x in (measures.waist, measures.head))

    def part(name: str, end: np.ndarray, way: np.ndarray, along: float | None = None) -> Inertia:
        """The segment from `end` on, in the direction of `way`, in link axes."""
        share, centre, radii = SEGMENTS[name]
        m, L = share / 100 * mass, length[name] if along is None else along
        return Inertia(m, end + way * (centre * L), tuple(m * (r * L) ** 2 for r in radii))

    up, down = np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, -1.0])
    navel = length["lower trunk"] * up
    xiphoid = navel + length["middle trunk"] * up
    notch = xiphoid + length["upper trunk"] * up
    found = {
        "pelvis": [part("lower trunk", navel, down)],
        "trunk": [part("middle trunk", xiphoid - waist, down), part("upper trunk", notch - waist, down)],
        "head": [part("head", top, down)],
    }
    for k, side in enumerate(("left_", "right_")):
        wrist = np.array([0.0, 0.0, -measures.lower_arm[k]])
        found[side + "thigh"] = [part("thigh", 0 * up, down, measures.thigh[k])]
        found[side + "shank"] = [part("shank", 0 * up, down, measures.shank[k])]
        found[side + "upper_arm"] = [part("upper_arm", 0 * up, down, measures.upper_arm[k])]
        found[side + "lower_arm"] = [part("lower_arm", 0 * up, down, measures.lower_arm[k]), part("hand", wrist, down)]
        found[side + "foot"] = [foot(part, measures)]
    for link in figure.links:
        link.inertia = joined(found[link.name])
    return figure


def foot(part, measures: Measures) -> Inertia:  # type: ignore[no-untyped-def]
    """A foot: its length lies ahead, so that the radius along is about x, and half way between ankle and sole."""
    heel = np.array([-measures.heel, 0.0, -0.5 * measures.ankle])
    i = part("foot", heel, np.array([1.0, 0.0, 0.0]))
    upright, across, along = i.moments
    return Inertia(i.mass, i.com, (along, across, upright))


def joined(parts: list[Inertia]) -> Inertia:
    """Several bodies as one."""
    mass = sum(p.mass for p in parts)
    com = np.sum([p.mass * np.asarray(p.com) for p in parts], axis=0) / mass
    whole = np.zeros((3, 3))
    for p in parts:
        d = np.asarray(p.com) - com
        whole += p.matrix() + p.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Inertia(float(mass), com, whole)
