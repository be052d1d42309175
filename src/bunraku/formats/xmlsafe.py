"""Read XML that nobody vouches for, and remember the line of every element.

A small tree over the standard library's expat parser, because a message to the user needs `file:line` and a
stranger's file must neither hang nor fill the memory. Refused, each with one sentence: a document type declaration
(so no entities, no external files, no expansion bombs), nesting deeper than `MAX_DEPTH` (MuJoCo's own parser stops at
the same depth), more than `MAX_ELEMENTS` elements, files larger than `MAX_BYTES`, text that is not UTF-8, and broken
XML. Numbers must be finite: `nan`, `inf` and what overflows are refused where they are read.

Tested by tests/formats/test_xmlsafe.py and tests/formats/test_bad_files.py.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from bunraku.errors import FormatError

MAX_BYTES = 32 * 1024 * 1024
MAX_DEPTH = 500
MAX_ELEMENTS = 500_000


@dataclass(slots=True)
class Element:
    """One XML element: its tag, attributes, children in order, and where it starts (line and column count from 1)."""

    tag: str
    attributes: dict[str, str]
    file: str
    line: int
    column: int
    children: list[Element] = field(default_factory=list)
    content: str = ""  # the text in it, which SDF uses

    @property
    def where(self) -> str:
        """`file:line`, the start of every message about this element."""
        return f"{self.file}:{self.line}"

    def error(self, text: str) -> FormatError:
        """A FormatError that starts with this element's place."""
        return FormatError(f"{self.where}: {text}")

    def all(self, tag: str) -> list[Element]:
        """The children of that tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        """The first child of that tag, or None."""
        return next((child for child in self.children if child.tag == tag), None)

    def walk(self) -> Iterator[tuple[int, Element]]:
        """This element (depth 0) and all below it with their depths, in document order, without recursion."""
        stack: list[tuple[int, Element]] = [(0, self)]
        while stack:
            depth, element = stack.pop()
            yield depth, element
            stack.extend((depth + 1, child) for child in reversed(element.children))

    def text(self, attribute: str, what: str = "") -> str:
        """A required attribute that must not be empty."""
        value = self.attributes.get(attribute, "").strip()
        if not value:
            raise self.error(f'{what or f"<{self.tag}>"} has no {attribute}; write <{self.tag} {attribute}="…">.')
        return value

    def number(self, attribute: str, default: float | None = None, what: str = "") -> float:
        """One finite number; without a default the attribute is required."""
        return self.numbers(attribute, 1, None if default is None else (default,), what)[0]

    def numbers(
        self, attribute: str, count: int, default: tuple[float, ...] | None = None, what: str = ""
    ) -> tuple[float, ...]:
        """Exactly `count` finite numbers; without a default the attribute is required."""
        if attribute not in self.attributes and default is not None:
            return default
        value = self.text(attribute, what)
        words = value.split()
        subject = f"{what + ': ' if what else ''}<{self.tag} {attribute}={shorten(value)}>"
        if len(words) != count:
            wanted = "one number" if count == 1 else f"{count} numbers"
            raise self.error(f"{subject} has {len(words)} values; {wanted} wanted.")
        return tuple(self._finite(word, subject) for word in words)

    def inside(
        self, tag: str, count: int, default: tuple[float, ...] | None = None, what: str = ""
    ) -> tuple[float, ...]:
        """Exactly `count` finite numbers, the text of the first child of that tag; without a default it is required."""
        child = self.first(tag)
        if child is None:
            if default is not None:
                return default
            raise self.error(f"{what or f'<{self.tag}>'} has no <{tag}>; write <{tag}>…</{tag}> in it.")
        given = child.content.split()
        subject = f"{what + ': ' if what else ''}<{tag}> {shorten(child.content.strip())}"
        if len(given) != count:
            raise child.error(f"{subject} has {len(given)} values; {count} wanted.")
        return tuple(child._finite(word, subject) for word in given)

    def _finite(self, word: str, subject: str) -> float:
        number = parse_number(word)
        if number is None:
            hint = " Run xacro on it first." if "${" in word or "$(" in word else ""
            raise self.error(f"{subject}: {shorten(word)} is not a number.{hint}")
        if not math.isfinite(number):
            raise self.error(f"{subject}: {shorten(word)} is not a finite number; leave out what has no bound.")
        return number


def parse_number(word: str) -> float | None:
    """A decimal number (also nan, inf), or None; unlike `float`, no underscores and no digits of other scripts."""
    if "_" in word or not word.isascii():
        return None
    try:
        return float(word)
    except ValueError:
        return None


def shorten(value: str, length: int = 40) -> str:
    """The value in quotes, cut to a readable length and on one line."""
    return repr(value if len(value) <= length else value[: length - 1] + "…")


def printable(name: str) -> str:
    """A file's name that keeps a message on one line."""
    return name if name.isprintable() else repr(name)


def read_text(path: str | os.PathLike[str]) -> str:
    """The UTF-8 text of a regular file of at most MAX_BYTES, or a FormatError that says what is the matter."""
    shown = printable(os.fspath(path))
    try:
        file = Path(path)
        if file.is_dir():
            raise FormatError(f"{shown}: is a folder; give the file inside it.")
        if not file.exists():
            raise FormatError(f"{shown}: no such file; check the spelling and the folder you are in.")
        if not file.is_file():
            raise FormatError(f"{shown}: is not a regular file.")
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{shown}: cannot be read ({getattr(error, 'strerror', None) or error}).") from None
    if len(data) > MAX_BYTES:
        raise FormatError(f"{shown}: is larger than {MAX_BYTES // 2**20} MiB, more than any figure needs.")
    if not data.strip():
        raise FormatError(f"{shown}: the file is empty.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"{printable(file.name)}:{line}: byte {error.start} is not UTF-8; save it as UTF-8 text."
        ) from None


def parse(text: str, file: str) -> Element:
    """The root element of an XML text; `file` is the name used in messages."""
    parser = expat.ParserCreate(encoding="utf-8")
    parser.buffer_text = True
    root: list[Element] = []
    open_elements: list[Element] = []
    count = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        element = Element(tag, attributes, file, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        if len(open_elements) >= MAX_DEPTH:
            raise element.error(f"<{shorten(tag)[1:-1]}> is nested deeper than {MAX_DEPTH} elements.")
        if count > MAX_ELEMENTS:
            raise element.error(f"more than {MAX_ELEMENTS} XML elements; no figure needs so many.")
        (open_elements[-1].children if open_elements else root).append(element)
        open_elements.append(element)

    def end(tag: str) -> None:
        open_elements.pop()

    def characters(text: str) -> None:
        if open_elements and not text.isspace():
            open_elements[-1].content += text

    def doctype(*_: object) -> None:
        place = f"{file}:{parser.CurrentLineNumber}"
        raise FormatError(f"{place}: a DOCTYPE (and so an entity) is not allowed here for safety; remove it.")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        reason = expat.errors.messages.get(error.code, str(error))
        raise FormatError(
            f"{file}:{error.lineno}: broken XML at column {error.offset + 1}: {reason}; {_advice(reason)}."
        ) from None
    return root[0]


def _advice(reason: str) -> str:
    """The next move for the commonest mistakes."""
    if "no element" in reason or "unclosed" in reason:
        return "the file ends before its elements are closed"
    if "mismatched" in reason:
        return "close each <tag> with its own </tag>"
    if "undefined entity" in reason:
        return "write &amp; &lt; &gt; &quot; only"
    return "correct it there"


def read(path: str | os.PathLike[str]) -> Element:
    """The root element of a file."""
    return parse(read_text(path), printable(Path(path).name))
