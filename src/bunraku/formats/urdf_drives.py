"""The `<transmission>` of a URDF file as actuators: a motor whose effort, times its mechanicalReduction, acts on the joint.

Simple transmissions, of one joint and one actuator, are read; their control is the motor's effort, within the joint's
effort limit. Others (differential ones) are named. Source: wiki.ros.org/urdf/XML/Transmission. Tested by
tests/formats/test_srdf.py.
"""

from __future__ import annotations

import math

from bunraku.formats.urdf_link import Reader
from bunraku.formats.xmlsafe import Element, parse_number
from bunraku.model.description import Joint
from bunraku.model.equipment import Actuator
from bunraku.model.joint_kinds import KINDS


def read_transmissions(reader: Reader, robot: Element, joints: dict[str, Joint]) -> list[Actuator]:
    """Actuators of all simple transmissions."""
    found: list[Actuator] = []
    for element in robot.all("transmission"):
        reason = _read(element, joints, found)
        if reason:
            reader.book.ignored(element, f"is not used: {reason}")
    return found


def _read(element: Element, joints: dict[str, Joint], found: list[Actuator]) -> str:
    """Append the actuator of one transmission; a text says why it has none."""
    ends, motors = element.all("joint"), element.all("actuator")
    if len(ends) != 1 or len(motors) != 1:
        return "only those of one joint and one actuator are read"
    joint = joints.get(ends[0].attributes.get("name", ""))
    if joint is None or not KINDS[joint.kind].one_axis:
        return "its joint does not move, or has more than one axis"
    ratio = 1.0
    for place in (element, motors[0], ends[0]):
        child = place.first("mechanicalReduction")
        if child is not None:
            ratio = parse_number(child.content.strip()) or 0.0
    if not math.isfinite(ratio) or ratio == 0.0:
        return "its mechanicalReduction is no number other than 0"
    name = motors[0].attributes.get("name", "") or joint.name
    while any(a.name == name for a in found):
        name += "_"
    most = float(joint.effort) / abs(ratio)
    found.append(Actuator(name, [(joint.name, ratio)], control=(-most, most), where=element.where))
    return ""
