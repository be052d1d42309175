"""What `--help` of a command says: what it does, its options with units, choices and defaults in words, two examples.

It is made of the command's function: its docstring, its signature, and the fields of options that commands share.
tyro reads the same (bunraku.cli); that both know the same options is tested in tests/cli/test_help.py. Examples stand
in bunraku.cli.examples.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import shutil
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

KINDS = {int: "NUMBER", float: "NUMBER", bool: "True|False", Path: "PATH", str: "TEXT"}
LEFT = 24  # columns of names


@dataclass(frozen=True)
class Choices:
    """Mark of an option: the names it takes. of: tells them when help is wanted, as they may be known elsewhere."""

    of: Callable[[], Iterable[str]]


@dataclass(frozen=True)
class Option:
    """One argument of a command. values: what is written for its value, "" for none; hint: its default in words."""

    name: str
    values: str
    text: str
    hint: str
    positional: bool
    needed: bool = False

    def lines(self, width: int) -> list[str]:
        """Names on the left, the text beside or below them."""
        left = f"  {self.values}" if self.positional else f"  {self.name} {self.values}".rstrip()
        words = f"{self.text} {self.hint}".strip()
        body = textwrap.wrap(words, width - LEFT, break_long_words=False, break_on_hyphens=False) or [""]
        if len(left) + 2 > LEFT:
            return [left, *(" " * LEFT + line for line in body)]
        return [left.ljust(LEFT) + body[0], *(" " * LEFT + line for line in body[1:])]


def page(prog: str, f: Callable[..., Any], examples: Iterable[str]) -> str:
    """The whole text. prog: the command as one types it."""
    width = min(shutil.get_terminal_size((100, 24)).columns, 110)
    about, told = parts_of(inspect.getdoc(f) or "")
    known = list(options_of(f, told))
    places, named = [o for o in known if o.positional], [o for o in known if not o.positional]
    head = " ".join(
        [
            f"usage: {prog}",
            *(o.values if o.needed else f"[{o.values}]" for o in places),
            *(["[options]"] if named else []),
        ]
    )
    lines = [head, "", *textwrap.wrap(about, width)]
    if places:
        lines += ["", *(line for o in places for line in o.lines(width))]
    if named:
        lines += ["", "options:", *(line for o in named for line in o.lines(width))]
    return "\n".join([*lines, "", "examples:", *(f"  {e}" for e in examples)])


def overview(prog: str, commands: Mapping[str, Callable[..., Any]], examples: Iterable[str]) -> str:
    """Help of a command that has parts."""
    width = min(shutil.get_terminal_size((100, 24)).columns, 110)
    left = max(map(len, commands)) + 4
    lines = [f"usage: {prog} COMMAND [options]", "", "commands:"]
    for name, f in commands.items():
        body = textwrap.wrap(parts_of(inspect.getdoc(f) or "")[0], width - left)
        lines += [f"  {name}".ljust(left) + body[0], *(" " * left + line for line in body[1:])]
    lines += ["", "examples:", *(f"  {e}" for e in examples), "", f"`{prog} COMMAND --help` explains one of them."]
    return "\n".join(lines)


def parts_of(doc: str) -> tuple[str, dict[str, str]]:
    """(what comes before "Args:", the text of each argument)."""
    about, _, rest = doc.partition("Args:")
    found: dict[str, str] = {}
    name = ""
    for line in textwrap.dedent(rest.strip("\n")).splitlines():
        if begun := re.match(r"(\w+): (.*)", line):
            name, words = begun.groups()
            found[name] = words
        elif name:
            found[name] += " " + line.strip()
    return " ".join(about.split()), found


def options_of(f: Callable[..., Any], told: Mapping[str, str]) -> Iterator[Option]:
    """The arguments of a function, those of its groups where they stand."""
    hints = get_type_hints(f, include_extras=True)
    for name, p in inspect.signature(f).parameters.items():
        kind, marks = opened(hints[name])
        if is_dataclass(kind):
            yield from fields_of(kind)
        else:
            default = MISSING if p.default is inspect.Parameter.empty else p.default
            yield option(name, kind, marks, default, told.get(name, ""))


def fields_of(kind: Any) -> Iterator[Option]:
    """The fields of a group of options, with the texts below them."""
    hints, told = get_type_hints(kind, include_extras=True), {}
    for base in reversed(kind.__mro__[:-1]):
        body = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0].body  # type: ignore[attr-defined]
        for field, text in itertools.pairwise(body):
            if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(field.target, ast.Name):
                told[field.target.id] = " ".join(str(ast.literal_eval(text.value)).split())
    for field in fields(kind):
        inner, marks = opened(hints[field.name])
        yield option(field.name, inner, marks, field.default, told.get(field.name, ""))


def opened(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """(type, marks) of an annotation, without the None of an option that may be left out."""
    marks: tuple[Any, ...] = ()
    while True:
        if get_origin(hint) is Annotated:
            hint, *more = get_args(hint)
            marks += tuple(more)
        elif get_origin(hint) in (Union, UnionType) and NoneType in get_args(hint):
            hint = Union[tuple(a for a in get_args(hint) if a is not NoneType)]  # noqa: UP007 - from a tuple
        else:
            return hint, marks


def option(name: str, kind: Any, marks: tuple[Any, ...], default: Any, text: str) -> Option:
    """One argument as it is shown."""
    metavar = next((m.metavar for m in marks if getattr(m, "metavar", None)), "")
    positional = any(getattr(m, "__name__", str(m)).endswith("Positional") for m in marks)
    name = next(
        (m.name for m in marks if getattr(m, "name", None)), name
    )  # a word that Python keeps for itself, such as from
    flag = f"--{name.replace('_', '-')}"
    if kind is bool and default is not None:
        both = f"{flag}, --no-{name.replace('_', '-')}"
        return Option(both if default else flag, "", text, "(on by default)" if default else "", positional)
    needed = default in ("", MISSING)
    if needed or default in (None, ()):
        hint = ""
    elif isinstance(default, tuple):
        hint = f"(default: {' '.join(map(str, default))})"
    else:
        hint = f"(default: {default:g})" if isinstance(default, float) else f"(default: {default})"
    return Option(flag, metavar or values_of(kind, marks), text, hint, positional, needed)


def values_of(kind: Any, marks: tuple[Any, ...] = ()) -> str:
    """What is written for a value."""
    for mark in marks:
        if isinstance(mark, Choices):
            return "|".join(mark.of())
    if get_origin(kind) is Literal:
        return "|".join(map(str, get_args(kind)))
    if get_origin(kind) in (tuple, list):
        inside = [a for a in get_args(kind) if a is not Ellipsis]
        words = " ".join(values_of(opened(a)[0]) for a in inside)
        return words if len(inside) > 1 or any("Append" in str(m) for m in marks) else f"{words} …"
    return KINDS[kind]
