"""The XML text behind an MJCF model: checked before MuJoCo sees it, and searched for lines and for what is not used.

MuJoCo compiles the model, but a stranger's file must not make it hang, fill the memory or write a log. So
`from_element` parses the file and all it includes with `xmlsafe`, refuses NaN and infinity, and refuses counts that
would multiply without bound (`GUARDS`). `Source.find` then gives the element of a name, and `remarks` lists every
element and attribute that Bunraku does not use.

Source: the MJCF reference of MuJoCo (mujoco.readthedocs.io, "XML Reference"). Tested by tests/formats/test_mjcf.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bunraku.formats import xmlsafe
from bunraku.formats.notebook import Notebook
from bunraku.formats.xmlsafe import Element, parse_number, shorten

MAX_FILES = 200
USER_SIZES = ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor")
# (element, attribute): the largest product of its numbers
GUARDS: dict[tuple[str, str], float] = {
    ("replicate", "count"): 10_000,
    ("composite", "count"): 10_000,
    ("flexcomp", "count"): 10_000,
    ("flexcomp", "cellcount"): 10_000,
    ("texture", "width"): 8192,
    ("texture", "height"): 8192,
    ("hfield", "nrow"): 4096,
    ("hfield", "ncol"): 4096,
    ("numeric", "size"): 100_000,
    ("mesh", "params"): 10_000,
    ("mesh", "maxhullvert"): 100_000,
    **{("size", f"nuser_{kind}"): 1000 for kind in USER_SIZES},
    ("size", "nkey"): 10_000,
    ("size", "nuserdata"): 1_000_000,
}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# attributes that hold names, where "nan" would be a name
NAMES = _words(
    "name class childclass file model joint joint1 joint2 body body1 body2 geom geom1 geom2 site site1 site2 mesh"
    " material texture tendon tendon1 tendon2 target objname refname prefix suffix plugin instance key value text data"
)
POSE = _words("name class childclass pos quat axisangle xyaxes zaxis euler")
# what is read of the elements in <worldbody> and <default>; anything else is listed
KNOWN: dict[str, frozenset[str]] = {
    "body": POSE | _words("gravcomp"),
    "frame": POSE,
    "replicate": POSE | _words("count sep offset prefix suffix"),
    "attach": _words("model body prefix suffix"),
    "inertial": POSE | _words("mass diaginertia fullinertia"),
    "joint": _words(
        "name class type pos axis springdamper limited range ref springref stiffness damping armature frictionloss"
        " actuatorfrcrange actuatorfrclimited"
    ),
    "freejoint": _words("name align"),
    "geom": POSE
    | _words(
        "type contype conaffinity size fromto mass density shellinertia rgba material mesh fitscale friction group"
    ),
    "site": POSE | _words("fromto"),
    "default": _words("class"),
    "mesh": _words("name class file scale content_type vertex face normal texcoord"),
    "material": _words("name class rgba"),
    "worldbody": frozenset(),
}
# defaults of what is read from the compiled model
COMPILED = _words("motor position velocity general damper intvelocity cylinder muscle adhesion tendon equality pair")
HANDLED_SECTIONS = ("compiler", "equality", "actuator", "tendon", "keyframe", "sensor")


@dataclass
class Source:
    """The main model's root element, with all included files in it, and those of the models it attaches."""

    roots: list[Element]
    files: int = 1

    @property
    def file(self) -> str:
        return self.roots[0].file

    def find(self, section: str, name: str, *tags: str) -> Element | None:
        """The element of that name and one of the tags inside a top-level section, or None."""
        found = (self._index.get((section, tag, name)) for tag in tags)
        return next((element for element in found if element is not None), None)

    @cached_property
    def _index(self) -> dict[tuple[str, str, str], Element]:
        """First element by section, tag and name."""
        index: dict[tuple[str, str, str], Element] = {}
        for root in self.roots:
            for part in root.children:
                for _, element in part.walk():
                    if name := element.attributes.get("name"):
                        index.setdefault((part.tag, element.tag, name), element)
        return index

    def elements(self, section: str) -> list[Element]:
        """The direct children of all sections of that name, in the order of the files."""
        return [child for root in self.roots for part in root.all(section) for child in part.children]

    def place(self, element: Element | None) -> str:
        """`file:line` of an element, or the file alone."""
        return element.where if element is not None else self.file


def from_element(main: Element, path: Path) -> Source:
    """Check the model whose root element was parsed from `path`; what it includes replaces its `<include>`."""
    folder = path.absolute().parent
    source, seen = Source([main]), {path.resolve()}
    stack = [(main, 0, folder)]  # element, depth, folder of its file
    while stack:
        element, depth, here = stack.pop()
        if depth >= xmlsafe.MAX_DEPTH:
            raise element.error(f"nested deeper than {xmlsafe.MAX_DEPTH} elements with its includes.")
        pending, children = [(child, here) for child in reversed(element.children)], []
        while pending:
            child, place = pending.pop()
            parts = _parts(child, seen, folder, place)
            if child.tag == "include":
                source.files += len(parts)
                for part, home in reversed(parts):
                    pending += [(inner, home) for inner in reversed(part.children)]
            else:
                children.append(child)
                stack.append((child, depth + 1, place))
                source.roots += [part for part, _ in parts]
                stack += [(part, 0, home) for part, home in parts]
        element.children = children
    for root in source.roots:
        _check(root)
        _regular_files(root, folder)
    return source


def _regular_files(root: Element, folder: Path) -> None:
    """Refuse a device, a pipe or a folder where a mesh, texture or height field is wanted: MuJoCo would read for ever."""
    compilers = root.all("compiler")
    places = [
        c.attributes[key] for c in compilers for key in ("meshdir", "texturedir", "assetdir") if key in c.attributes
    ]
    for _, element in root.walk():
        for key, name in element.attributes.items():
            if not key.startswith("file") or element.tag in ("include", "model"):
                continue
            for place in ("", *places):
                try:
                    path = folder / place / name
                    odd = path.exists() and not path.is_file()
                except (OSError, ValueError):
                    odd = False
                if odd and name:
                    raise element.error(f"<{element.tag} {key}={shorten(name)}> is not a regular file.")


def _parts(element: Element, seen: set[Path], *folders: Path) -> list[tuple[Element, Path]]:
    """The files an element makes MuJoCo read, parsed, each once, with their folders."""
    parts = []
    for file in _included(element, *folders):
        if file.resolve() not in seen:
            if len(seen) >= MAX_FILES:
                raise element.error(f"more than {MAX_FILES} included files.")
            seen.add(file.resolve())
            parts.append((xmlsafe.read(file), file.parent))
    return parts


def _included(element: Element, *folders: Path) -> list[Path]:
    """The files an element makes MuJoCo read as XML: relative to the main file, or to the including one."""
    if element.tag not in ("include", "model") or not element.attributes.get("file"):
        return []
    name = element.attributes["file"]
    try:
        return [file for file in dict.fromkeys(folder / name for folder in folders) if file.is_file()]
    except (OSError, ValueError):
        return []


def _check(root: Element) -> None:
    """No NaN or infinity, no count beyond its guard."""
    stack = [(root, 1.0)]
    while stack:
        element, copies = stack.pop()
        for attribute, value in element.attributes.items():
            if attribute in NAMES:
                continue
            shown = f"<{element.tag} {attribute}={shorten(value)}>"
            numbers = [parse_number(word) for word in value.split()]
            if any(number is not None and not math.isfinite(number) for number in numbers):
                raise element.error(f"{shown} is not finite; write finite numbers.")
            guard = GUARDS.get((element.tag, attribute))
            if guard is not None:
                product = math.prod(max(number, 1.0) for number in numbers if number is not None)
                copies = copies * product if element.tag == "replicate" else copies
                if max(product, copies if element.tag == "replicate" else 0.0) > guard:
                    raise element.error(f"{shown} is beyond the limit of {guard:g}.")
        stack.extend((child, copies) for child in element.children)


def remarks(book: Notebook, source: Source) -> None:
    """Put everything that is not used into the notebook."""
    for root in source.roots:
        for section in root.children:
            if section.tag in HANDLED_SECTIONS:
                continue
            if section.tag in ("worldbody", "default"):
                _known(book, section)
            elif section.tag == "asset":
                book.children(section, ("mesh", "material", "model", "hfield"))
                for child in section.children:
                    if child.tag in KNOWN:
                        book.attributes(child, KNOWN[child.tag], child.attributes.get("name", ""))
            elif section.tag == "contact":
                book.children(section, ("exclude", "pair"))
            elif section.tag == "option":
                book.attributes(section, ("gravity",))
                book.children(section, ())
            elif section.children:
                book.children(section, ())
            elif section.attributes:
                book.ignored(section)


def _known(book: Notebook, section: Element) -> None:
    """Inside <worldbody> and <default>: list unknown elements whole, of known ones the unknown attributes."""
    stack = [section]
    while stack:
        element = stack.pop()
        name = element.attributes.get("name", "")
        if element.tag == "composite":
            continue  # MuJoCo expands it into bodies
        if element.tag in KNOWN:
            book.attributes(element, KNOWN[element.tag], name)
            for child in element.children:
                if child.tag not in KNOWN and child.tag not in COMPILED | {"composite"}:
                    book.ignored(child, inside=section.tag)
            stack.extend(child for child in reversed(element.children) if child.tag in KNOWN)
