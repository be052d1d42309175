"""Every command that a page or an example of `--help` names is one: its words and options are understood. Blocks marked bash run
(tests/test_documents.py); this is about those that wait for somebody or take long, and about commands inside of sentences."""

import itertools
import re
import shlex
from pathlib import Path

import pytest

import bunraku.cli
from bunraku.cli import COMMANDS, dispatch
from bunraku.errors import InputError

ROOT = Path(__file__).parent.parent
PAGES = [p for p in (*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))) if p.name != "CHANGELOG.md"]
PLACES = {"N": "1", "S": "1", "F": "0.5", "KIND": "csv"}  # what stands for a number
OPEN = ("is missing.", "is without a value.", "what to do is missing")  # commands may be named without all they need
NEW = {"mass", "NAME", "COMMAND"}  # a command that how-to.md adds, any command


def commands(text):
    """The commands of a page: lines of blocks, and what stands between backticks."""
    for fence, block in re.findall(r"^```(\w*)\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE):
        if fence in ("", "bash"):
            yield from (line for line in block.replace("\\\n", " ").splitlines() if re.search(r"\bbunraku\b", line))
    plain = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    yield from (" ".join(found.split()) for found in re.findall(r"`(bunraku [a-z][^`]*)`", plain))


def calls(line):
    """Words of what a line calls, each of its alternatives (a|b) tried; brackets of options left away."""
    for part in re.split(r"&&|;|(?<!\S)#.*", line):
        if not re.match(r"\s*bunraku [a-z]", part):
            continue
        words = shlex.split(re.sub(r"(?<!\S)\[|\](?!\S)", " ", part).strip())[1:]
        words = words[: words.index(">")] if ">" in words else words
        choices = [w.strip("[]").split("|") if " " not in w else [w] for w in words]
        longest = max(len(c) for c in choices)
        for k in range(longest):  # each alternative of each word at least once
            yield [PLACES.get(c[k % len(c)], c[k % len(c)]) for c in choices]


def mistake(words, monkeypatch):
    """What the command line says of a command that is read, not run; nothing if it is understood."""
    if words[0] in NEW or "--help" in words:
        return None if words[0] in NEW or words[0] in COMMANDS else "no such command"
    if words[0] not in COMMANDS:
        return "there is no such command"
    monkeypatch.setattr(bunraku.cli, "later", unrun(bunraku.cli.later))
    try:
        dispatch(words[0], words[1:])
    except InputError as error:
        said = str(error)
        return None if any(end in said for end in OPEN) else said
    finally:
        monkeypatch.undo()
    return None


def unrun(later):
    """Commands whose options are understood and that then do nothing."""

    def bound(function):
        made = later(function)

        def understood(*args, **options):
            made(*args, **options)
            return lambda: 0

        understood.__wrapped__ = made
        return understood

    return bound


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_are_understood(page, monkeypatch):
    found = list(itertools.chain.from_iterable(calls(line) for line in commands(page.read_text(encoding="utf-8"))))
    wrong = {" ".join(words): said for words in found if (said := mistake(words, monkeypatch))}
    assert wrong == {}


@pytest.mark.parametrize(
    "line",
    ["bunraku wlak", "bunraku walk --steps 3", "bunraku export a.bkr --to xls", "bunraku gait run flat --never"],
)
def test_the_check_bites(line, monkeypatch):
    assert [said for words in calls(line) if (said := mistake(words, monkeypatch))]
