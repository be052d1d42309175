"""Figures and things: descriptions, joints, gears, shapes; `Description.build()` gives a `Model`."""

from bunraku.model.description import (
    Description,
    Frame,
    Gear,
    Inertia,
    Joint,
    Link,
    Note,
    Shape,
    ball,
    free,
    helical,
    hinge,
    slider,
    universal,
)
from bunraku.model.human import describe_human, human
from bunraku.model.model import FrameInfo, GearInfo, JointInfo, Model, ShapeInfo
from bunraku.model.things import box, capsule, cylinder, sphere

__all__ = [
    "Description",
    "Frame",
    "FrameInfo",
    "Gear",
    "GearInfo",
    "Inertia",
    "Joint",
    "JointInfo",
    "Link",
    "Model",
    "Note",
    "Shape",
    "ShapeInfo",
    "ball",
    "box",
    "capsule",
    "cylinder",
    "describe_human",
    "free",
    "helical",
    "hinge",
    "human",
    "slider",
    "sphere",
    "universal",
]
