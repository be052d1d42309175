"""What a reader did not use: collected by element and reason, told once per kind with every name and line.

A robot's file may hold three hundred transmissions and plugin tags; a list that long is not read. So the same thing
is told in one `Note` that still names each occurrence: "<transmission> is not used (3: 'a' line 12, 'b' line 40, 'c'
line 68)". Nothing is lost silently: a reader hands every element and attribute it does not understand to a
`Notebook`.

Tested by tests/formats/test_urdf.py and tests/formats/test_mjcf.py.
"""

from __future__ import annotations

from collections.abc import Collection

from bunraku.formats.xmlsafe import Element
from bunraku.model.description import Note

Found = list[tuple[Element, str]]
ATTRIBUTES = "attributes"


class Notebook:
    """Collects remarks about elements; `notes` gives them grouped, in the order of their first occurrence."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str, str], dict[str, Found]] = {}

    def add(self, kind: str, subject: str, remark: str, element: Element, name: str = "") -> None:
        """One occurrence. Those with the same kind, subject and remark are told together."""
        self._groups.setdefault((kind, subject, remark), {}).setdefault("", []).append((element, _label(element, name)))

    def ignored(self, element: Element, remark: str = "is not used", inside: str = "", name: str = "") -> None:
        """An element (with all that is in it) that is not understood or not needed."""
        subject = f"<{element.tag}>" + (f" in <{inside}>" if inside else "")
        self.add("ignored", subject, remark, element, name)

    def children(self, element: Element, known: Collection[str], name: str = "") -> None:
        """Report every child whose tag is not known."""
        for child in element.children:
            if child.tag not in known:
                self.ignored(child, inside=element.tag, name=child.attributes.get("name", "") or name)

    def attributes(self, element: Element, known: Collection[str], name: str = "") -> None:
        """Report every attribute that is not known (declarations of XML namespaces excepted), one note for each tag."""
        for attribute in element.attributes:
            if attribute not in known and not attribute.startswith("xmlns"):
                group = self._groups.setdefault(("ignored", ATTRIBUTES, element.tag), {})
                group.setdefault(attribute, []).append((element, _label(element, name)))

    def notes(self) -> list[Note]:
        """All remarks as notes."""
        result = []
        for (kind, subject, remark), group in self._groups.items():
            first = next(iter(group.values()))
            if subject == ATTRIBUTES:
                listed = ", ".join(attribute + _occurrences(found, first[0][0]) for attribute, found in group.items())
                text = f"of <{remark}> these attributes are not used: {listed}."
                element, count = f"<{remark}> {' '.join(group)}", sum(map(len, group.values()))
            else:
                text = f"{subject} {remark}{_occurrences(first, first[0][0])}."
                element, count = subject, len(first)
            result.append(Note(kind, text, first[0][0].where, element, count))
        return result


def _label(element: Element, name: str) -> str:
    """The name by which a person knows the occurrence."""
    return name or element.attributes.get("name", "") or element.attributes.get("reference", "")


def _occurrences(found: Found, first: Element) -> str:
    """' (2: 'a' line 12, 'b' line 40)'; a single one that stands where the note points needs no line."""
    places = []
    for element, label in found:
        line = f"line {element.line}" + (f" of {element.file}" if element.file != first.file else "")
        places.append(f"{label!r} {line}" if label else line)
    if len(found) == 1:
        return f" ({places[0]})" if found[0][0] is not first else f" ({found[0][1]!r})" if found[0][1] else ""
    return f" ({len(found)}: {', '.join(places)})"
