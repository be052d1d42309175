"""Fixed columns as Fortran reads them: I5, F10.6 and the like, with errors that name line, column, found and wanted.

A number field may be blank (zero), have its sign and digits anywhere in the field, and, for F formats, a decimal
point that overrides the format's own; without one the last d digits are decimals (Fw.d), as Fortran has it. Exponents
E and D are understood. Columns count from 1; only ASCII is accepted on cards, tabs are not. Checked in
tests/gait1988/test_cards.py.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bunraku.errors import FormatError

REAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([EeDd][+-]?\d+)?\Z", re.ASCII)
WHOLE = re.compile(r"[+-]?\d+\Z", re.ASCII)
WIDTH = 80


@dataclass
class Deck:
    """The lines of a card file and the place where reading stands."""

    name: str
    lines: list[str]
    at: int = 0

    @property
    def left(self) -> bool:
        """Whether a line that is not blank remains."""
        return any(line.strip() for line in self.lines[self.at :])

    def fail(self, what: str, column: int | None = None, line: int | None = None) -> FormatError:
        """An error at a column of the line read last."""
        number = self.at if line is None else line
        where = f"{self.name}:{max(number, 1)}:" + ("" if column is None else f" column {column}:")
        return FormatError(f"{where} {what}")

    def card(self, wanted: str) -> str:
        """The next line, checked to be a card."""
        if self.at >= len(self.lines):
            self.at = len(self.lines) + 1
            raise self.fail(f"the file ends here, but {wanted} was wanted.")
        line = self.lines[self.at]
        self.at += 1
        for k, letter in enumerate(line):
            if letter == "\t":
                raise self.fail(f"found a tab, wanted blanks: cards have fixed columns ({wanted}).", k + 1)
            if not " " <= letter <= "~":
                raise self.fail(f"found {letter!r}, wanted plain ASCII ({wanted}).", k + 1)
        if len(line.rstrip()) > WIDTH:
            raise self.fail(f"a card has {WIDTH} columns, found {len(line.rstrip())} ({wanted}).", WIDTH + 1)
        return line.ljust(WIDTH)

    def comment(self, wanted: str) -> str:
        """An 80H comment; the first column is blank (printer control) and dropped."""
        line = self.card(wanted).rstrip()
        if line and line[0] != " ":
            raise self.fail(f"found {line[0]!r}, wanted a blank first column before the {wanted}.", 1)
        return line[1:]

    def real(self, card: str, column: int, width: int, decimals: int, wanted: str) -> float:
        """A number in columns column … column + width - 1, format Fwidth.decimals."""
        text = card[column - 1 : column - 1 + width].strip()
        if not text:
            return 0.0
        if not REAL.match(text):
            raise self.fail(f"found {text!r}, wanted {wanted} (F{width}.{decimals}).", column)
        value = float(text.upper().replace("D", "E"))
        if "." not in text:
            value /= 10.0**decimals
        if not math.isfinite(value):
            raise self.fail(f"found {text!r}, wanted {wanted} that is finite.", column)
        return value

    def whole(self, card: str, column: int, width: int, wanted: str) -> int:
        """A whole number in columns column … column + width - 1, format Iwidth."""
        text = card[column - 1 : column - 1 + width].strip()
        if not text:
            return 0
        if not WHOLE.match(text):
            raise self.fail(f"found {text!r}, wanted {wanted} (I{width}).", column)
        return int(text)

    def blank_after(self, card: str, column: int, wanted: str) -> None:
        """Nothing but blanks from `column` on."""
        rest = card[column - 1 :]
        if rest.strip():
            first = column + len(rest) - len(rest.lstrip())
            raise self.fail(f"found {rest.strip()!r} after {wanted}, wanted blanks.", first)

    def wholes(self, count: int, per_card: int, width: int, wanted: str) -> tuple[int, ...]:
        """`count` whole numbers, `per_card` on a card."""
        return self._many(count, per_card, width, wanted, lambda card, k: self.whole(card, k, width, wanted))

    def reals(self, count: int, per_card: int, width: int, decimals: int, wanted: str) -> tuple[float, ...]:
        """`count` numbers, `per_card` on a card."""
        return self._many(count, per_card, width, wanted, lambda card, k: self.real(card, k, width, decimals, wanted))

    def _many(
        self, count: int, per_card: int, width: int, wanted: str, read: Callable[[str, int], Any]
    ) -> tuple[Any, ...]:
        out: list[Any] = []
        while len(out) < count:
            card = self.card(wanted)
            here = min(per_card, count - len(out))
            out += [read(card, 1 + width * k) for k in range(here)]
            self.blank_after(card, 1 + width * here, f"the {count} numbers of {wanted}")
        return tuple(out)


def deck(text: str, name: str) -> Deck:
    """Split a text into cards; trailing blank lines are ignored."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise FormatError(f"{name}:1: the file is empty; wanted cards as in section 5.1 of the report.")
    return Deck(name, lines)


def f_field(value: float, width: int, decimals: int) -> str:
    """A number for a field: Fwidth.decimals, with fewer decimals where it would not fit, right-justified."""
    for digits in range(decimals, -1, -1):
        text = f"{value:.{digits}f}"
        if digits == 0:
            text += "."
        if len(text) <= width:
            return text.rjust(width)
    raise FormatError(f"{value!r} does not fit into {width} columns (F{width}.{decimals}).")
