"""The five documents: number on the command line, how each is cited, and where its parts are."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bunraku.errors import InputError

if TYPE_CHECKING:
    from bunraku_reproduce.experiment import Part


@dataclass(frozen=True)
class Document:
    """One of the five."""

    number: str
    """on the command line: 000 to 004"""
    short: str
    """in tests, before the key of a row: 2000"""
    cited: str
    """author and year, as docs/references.md has it"""
    title: str
    about: str
    """what it is, in a sentence"""
    package: str
    """module below bunraku_reproduce"""

    @property
    def page(self) -> str:
        """The name of its page."""
        return self.package.replace("_", "-") + ".html"

    def parts(self) -> tuple[Part, ...]:
        """Its experiments, in their order."""
        return importlib.import_module(f"bunraku_reproduce.{self.package}").PARTS


DOCUMENTS = (
    Document(
        "000",
        "2000",
        "Nakamura & Yamane 2000",
        "Dynamics of Kinematic Chains with Discontinuous Changes of Constraints",
        "One equation for chains that join, part, touch and let go; rigid contact by hypothesis and check.",
        "nakamura_yamane_2000",
    ),
    Document(
        "001",
        "2007",
        "Nakaoka et al. 2007",
        "Iterative Contact Force Solver for Simulating Articulated Rigid Bodies",
        "Contact forces by an extended projected Gauss-Seidel iteration; a humanoid on rubber feet.",
        "nakaoka_2007",
    ),
    Document(
        "002",
        "2013",
        "Tazaki 2013",
        "Formulation of Featherstone's Algorithm",
        "The articulated-body algorithm with gears in series and in parallel, and inertias between bodies.",
        "tazaki_2013",
    ),
    Document(
        "003",
        "1988",
        "JAERI-M 88-080",
        "Kinematic Simulation of a Biped Robot",
        "A walking program of 1988: legs as given, trunk and ankle by the zero moment, moments at the joints.",
        "jaeri_1988",
    ),
    Document(
        "004",
        "2002",
        "Yamane & Nakamura 2002",
        "Choreography of Humanoids Considering Physical Consistency",
        "Pins and drags that obey mechanics, by the operational space inverse inertia.",
        "yamane_nakamura_2002",
    ),
)


def chosen(names: tuple[str, ...]) -> tuple[Document, ...]:
    """Documents by number; all where none is named."""
    numbers = {d.number: d for d in DOCUMENTS}
    for name in names:
        if name not in numbers:
            known = ", ".join(f"{d.number} ({d.cited})" for d in DOCUMENTS)
            raise InputError(f"{name!r} is none of the documents; there are {known}.")
    return tuple(d for d in DOCUMENTS if not names or d.number in names)
