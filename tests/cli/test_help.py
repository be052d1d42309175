"""Help of every command and every part of one: its options are those that tyro reads, in words; its examples are
understood."""

import importlib
import re
import shlex

import pytest
import tyro

from bunraku.cli import COMMANDS, later, main
from bunraku.cli.examples import EXAMPLES
from bunraku.cli.help_page import options_of, parts_of

PARTS = {
    f"{name} {part}".strip(): f
    for name, (module, _) in COMMANDS.items()
    for part, f in getattr(importlib.import_module(module), "COMMANDS", {"": None}).items()
}
PARTS = {name: f or importlib.import_module(COMMANDS[name][0]).main for name, f in PARTS.items()}
ALONE = sorted({name.split()[0] for name in PARTS})


def said(words: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main([*words.split(), "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", sorted(PARTS))
def test_help_names_the_options_that_are_read(name, capsys):
    """Every option of tyro's parser, and no other."""
    text = said(name, capsys)
    shown = {o for line in text.split("examples:")[0].splitlines() for o in re.findall(r"^  (--[\w-]+)", line)}
    with pytest.raises(SystemExit):
        tyro.cli(later(PARTS[name]), args=["--help"])
    read = set(re.findall(r"^(?:│ |  )(--[a-z][\w-]*)", capsys.readouterr().out, re.MULTILINE))
    assert read == shown


@pytest.mark.parametrize("name", sorted({*PARTS, *ALONE}))
def test_help_is_in_words(name, capsys):
    text = said(name, capsys)
    assert text.startswith(f"usage: bunraku {name}") and max(map(len, text.splitlines())) <= 110
    for jargon in ("{None}", "None", "STR", "INT", "FLOAT", "''", "(default: )", "False", "MISSING"):
        if jargon == "False" and name == "dance":  # --balance True|False
            continue
        assert jargon not in text, f"{jargon} in the help of {name}"


@pytest.mark.parametrize("name", sorted(PARTS))
def test_every_option_has_a_text(name):
    for o in options_of(PARTS[name], parts_of(PARTS[name].__doc__)[1]):
        assert o.text, f"{name}: {o.name} is not explained"
        assert o.text.rstrip(")").endswith("."), f"{name}: the text of {o.name} does not end"


@pytest.mark.parametrize("name", sorted({*PARTS, *ALONE}))
def test_two_examples_that_are_understood(name, capsys):
    text = said(name, capsys)
    assert len(EXAMPLES[name]) >= 2
    for example in EXAMPLES[name]:
        assert f"  {example}\n" in text
        bunraku, command, *args = shlex.split(example)
        key = f"{command} {args[0]}" if f"{command} {args[:1][0] if args else ''}" in PARTS else command
        assert bunraku == "bunraku" and key.startswith(name)
        rest = args[1:] if " " in key else args
        assert callable(tyro.cli(later(PARTS[key]), args=rest)), example


def test_choices_of_contact_models_are_listed(capsys):
    from bunraku.world.contact_models import MODELS

    for name in ("run", "record", "dance", "walk", "stage"):
        assert f"--contact {'|'.join(MODELS)}" in said(name, capsys)


def test_there_are_no_examples_of_what_is_not_there():
    assert set(EXAMPLES) == {*PARTS, *ALONE}
