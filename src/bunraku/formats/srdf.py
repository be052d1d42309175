"""Read an SRDF file beside a robot: which links never touch, and named poses.

`<disable_collisions link1 link2>` becomes an entry of `collide_exclude`; `<group_state>` a keyframe of its name (or
GROUP/NAME where two groups have one of the same name), in which joints that it does not name stay at their reference.
A `<disable_default_collisions link>` excludes the link from all others, `<enable_collisions>` takes pairs back. Groups,
end effectors and virtual joints are listed as not used. Links and joints that the robot has not are named, not refused:
one SRDF often serves several variants of a robot.

Source: wiki.ros.org/srdf. Tested by tests/formats/test_srdf.py.
"""

from __future__ import annotations

import os

from bunraku.formats import xmlsafe
from bunraku.formats.notebook import Notebook
from bunraku.formats.xmlsafe import Element
from bunraku.model.description import Description
from bunraku.model.equipment import Keyframe
from bunraku.model.joint_kinds import KINDS

KNOWN = ("disable_collisions", "disable_default_collisions", "enable_collisions", "group_state")


def add_srdf(figure: Description, path: str | os.PathLike[str]) -> None:
    """Put what an SRDF file says of a robot into its description."""
    element = xmlsafe.read(path)
    if element.tag != "robot":
        raise element.error(f"the root element is <{element.tag}>; an SRDF file starts with <robot>.")
    book = Notebook()
    book.children(element, KNOWN)
    _pairs(figure, element, book)
    _poses(figure, element, book)
    figure.notes += book.notes()


def _pairs(figure: Description, robot: Element, book: Notebook) -> None:
    links = {link.name for link in figure.links}
    off: dict[tuple[str, str], None] = {}
    for element in robot.all("disable_default_collisions"):
        one = element.text("link")
        for other in sorted(links - {one}) if one in links else ():
            off[(min(one, other), max(one, other))] = None
    for element in robot.all("disable_collisions"):
        pair = element.text("link1"), element.text("link2")
        missing = [name for name in pair if name not in links]
        if missing:
            book.ignored(element, "names a link that the robot has not", name=missing[0])
        elif pair[0] != pair[1]:
            off[(min(pair), max(pair))] = None
    for element in robot.all("enable_collisions"):
        pair = element.text("link1"), element.text("link2")
        off.pop((min(pair), max(pair)), None)
    known = {(min(pair), max(pair)) for pair in figure.collide_exclude}
    figure.collide_exclude += [pair for pair in off if pair not in known]


def _poses(figure: Description, robot: Element, book: Notebook) -> None:
    kinds = {joint.name: KINDS[joint.kind] for link in figure.links for joint in link.joints}
    taken = {key.name for key in figure.keyframes}
    names = [element.attributes.get("name", "") for element in robot.all("group_state")]
    for element in robot.all("group_state"):
        name = element.text("name")
        if names.count(name) > 1:
            name = f"{element.attributes.get('group', '')}/{name}"
        while name in taken:
            name += "_"
        taken.add(name)
        key = Keyframe(name)
        for child in element.all("joint"):
            joint = child.text("name")
            count = kinds[joint].coordinates if joint in kinds and kinds[joint].one_axis else 0
            if not count:
                book.ignored(child, "names no joint with one axis of the robot", "group_state", joint)
                continue
            key.q.append((joint, child.numbers("value", count, None, f"joint {joint!r}")))
        figure.keyframes.append(key)
