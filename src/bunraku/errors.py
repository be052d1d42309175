"""Errors that a user's mistake can cause, each one clear sentence: where, what, got, wanted, next move.

Every error of Bunraku derives from `BunrakuError`; the command line prints its text without a traceback and ends
with exit code 2. `closest` makes the hint of a misspelt name.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BunrakuError(Exception):
    """Base of every error that Bunraku raises on purpose."""


class ModelError(BunrakuError, ValueError):
    """A figure that cannot be built: bad names, tree, joint, inertia, limits or gear."""


class FormatError(BunrakuError, ValueError):
    """A file that cannot be read as what it claims to be. The text starts with `file:line:` where known."""


class UnknownName(BunrakuError, KeyError):
    """A link, joint, frame or command that does not exist."""

    def __str__(self) -> str:  # KeyError would print the repr
        return str(self.args[0]) if self.args else ""


class InputError(BunrakuError, ValueError):
    """An argument of the wrong size, type or range."""


class NoWalk(BunrakuError, RuntimeError):
    """A gait without a periodic walk; the text says how far the solver came and what to change."""


class MissingExtra(BunrakuError, ImportError):
    """An optional package is needed and absent; the text says how to install it."""


def closest(name: str, candidates: Iterable[str]) -> str:
    """' Closest: …' for the candidates most like `name`, else ' Available: …' (at most eight)."""
    names = list(candidates)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.55)
    if near:
        return " Closest: " + ", ".join(repr(n) for n in near) + "."
    if not names:
        return " There are none."
    more = "" if len(names) <= 8 else f" and {len(names) - 8} more"
    return " Available: " + ", ".join(repr(n) for n in names[:8]) + more + "."
