"""The human figure of section 5: Table 3, Fig. 5 and the sole."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import bunraku as bk
from bunraku_reproduce.experiment import Experiment, part

TABLE_3 = {  # as printed: mass [kg], Ixx, Iyy, Izz [kg m2]
    "Body": ("pelvis", 15.0, (0.4, 0.2, 0.4)),
    "Upper Body": ("trunk", 16.0, (0.8, 0.4, 0.8)),
    "Head": ("head", 4.0, (0.1, 0.1, 0.1)),
    "Upper Legs": ("left_thigh", 5.0, (0.1, 0.2, 0.2)),
    "Lower Legs": ("left_shank", 4.0, (0.1, 0.2, 0.2)),
    "Feet": ("left_foot", 2.0, (0.02, 0.02, 0.02)),
    "Upper Arms": ("left_upper_arm", 4.0, (0.1, 0.2, 0.2)),
    "Lower Arms": ("left_lower_arm", 2.0, (0.1, 0.2, 0.2)),
}
FIG_5 = {"waist": 3, "neck": 3, "left_hip": 3, "left_knee": 1, "left_ankle": 3, "left_shoulder": 3, "left_elbow": 1}


@part(
    "The human figure",
    section="5",
    figure="5",
    table="3",
    how="bk.human(body='2000')",
    printed="A figure of 28 degrees of freedom, its joints drawn as cylinders; a table of masses and moments "
    "of inertia of eight kinds of links, 69 kg in all; "
    "the sole is a rectangle of 19 x 12 cm.",
)
def masses(e: Experiment) -> None:
    figure = bk.human(body="2000")
    links = {link.name: link for link in figure.description.links}
    e.equal("table-3/total", "Table 3", "total mass", 69.0, figure.mass, tolerance=0.05, unit="kg")
    for name, (link, mass, moments) in TABLE_3.items():
        own = links[link].inertia
        key = name.lower().replace(" ", "-")
        e.equal(f"table-3/mass/{key}", "Table 3", f"{name}: mass", mass, own.mass, tolerance=0.05, unit="kg")
        principal = np.linalg.eigvalsh(own.matrix())
        e.table(
            f"table-3/inertia/{key}",
            "Table 3",
            f"{name}: principal moments, by size (the table does not say how axes lie)",
            np.sort(moments),
            principal,
            tolerance=5e-3 if name == "Feet" else 0.05,
            unit="kg m2",
        )
    e.equal("dof", "5, Fig. 5", "degrees of freedom without the base", 28, figure.nv - 6, tolerance=0)
    for joint, n in FIG_5.items():
        e.equal(
            f"fig-5/{joint}", "Fig. 5", f"axes of the {joint.replace('_', ' ')}", n, figure.joint(joint).nv, tolerance=0
        )
    (sole,) = (s for s in links["left_foot"].shapes if s.kind == "box")
    e.table(
        "sole",
        "5",
        "length and width of the sole",
        (0.19, 0.12),
        2 * np.array(sole.size[:2]),
        tolerance=0.005,
        unit="m",
    )
    from bunraku.draw.picture import png_bytes

    world = bk.World()
    world.add(figure)
    world.add_ground()
    e.picture(
        png_bytes(bk.picture(world, view="front", width=480, height=640)),
        "The printed figure draws the joints as cylinders along their axes and names 28 degrees of freedom; "
        "ours has the same joints inside capsules.",
    )


@part(
    "Links as long as the subject's",
    section="5",
    how="bk.human(body='2000', like='clip.bvh')",
    printed="Lengths of the links are those of the subject of the motion capture, masses and inertias those "
    "of Table 3.",
)
def subject(e: Experiment) -> None:
    tall = bk.human(1.85)
    with tempfile.TemporaryDirectory() as folder:
        clip = Path(folder) / "clip.bvh"
        bk.save_bvh(bk.walk_motion(tall, 2, fps=50.0), clip)
        figure = bk.human(body="2000", like=clip)
    off = 0.0
    for one, other in (("left_thigh", "left_shank"), ("left_shank", "left_foot"), ("left_upper_arm", "left_lower_arm")):
        poses = [bk.kinematics(model, model.neutral()) for model in (tall, figure)]
        lengths = [float(np.linalg.norm(k.pose(one)[0] - k.pose(other)[0])) for k in poses]
        off = max(off, abs(lengths[1] - lengths[0]))
    e.zero(
        "subject/lengths",
        "5",
        "thigh, shank and upper arm of a subject of 1.85 m, made from its clip alone",
        off,
        tolerance=1e-3,
        unit="m",
    )
    e.equal(
        "subject/mass", "5, Table 3", "and its mass is that of the table", 69.0, figure.mass, tolerance=0.05, unit="kg"
    )
