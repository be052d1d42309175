"""What docstrings and comments name exists: modules, what is in them, tests, documents; papers are cited as papers; the
pages' links lead somewhere, their lines are short, and the reference has every public name, with an example."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import bunraku
from sources import ROOT, SOURCE, by_room, nodes_of, text_of

ROOMS = sorted(p.name for p in SOURCE.iterdir() if p.is_dir() and not p.name.startswith("__"))
COMMENT = re.compile(r"(?:^\s*|  )(#.*)$")  # as the formatter sets them
BESIDE = ("bench", "reproduce")
SHORT = rf"(?<![\w./])((?:{'|'.join(ROOMS)})\.\w+(?:\.\w+)*)"  # world.frames
DOTTED = re.compile(r"(?<![\w./-])bunraku\.((?:\w+\.)*\w+)|" + SHORT)
FILE = re.compile(r"(?<![\w/])(?:tests|docs|examples|bench|reproduce)/[\w/*-]*\w(?:\.\w+)?")
SECRET = re.compile(r"document 00[0-4]|(?<![\w.])00[0-4](?=[,:)]|\s+section)|\bN(?:1[0-2]|[1-9])(?:[-–]N\d+)?(?=[,;)])")
FILES = {**by_room(sorted(SOURCE.rglob("*.py")), SOURCE), **{b: sorted((ROOT / b).rglob("*.py")) for b in BESIDE}}
every_room = pytest.mark.parametrize("room", FILES)


@cache
def prose(path: Path) -> list[tuple[int, str]]:
    """Docstrings and comments with their lines."""
    found = []
    for node in nodes_of(path):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (said := ast.get_docstring(node)):
            found.append((getattr(node, "lineno", 1), said))
    for number, line in enumerate(text_of(path).splitlines(), 1):
        if comment := COMMENT.search(line):
            found.append((number, comment.group(1)))
    return found


def lines(room: str) -> Iterator[tuple[str, str]]:
    """(file:line, text) of all docstrings and comments of a room."""
    for path in FILES[room]:
        for line, text in prose(path):
            yield f"{path.name}:{line}", text


@cache
def exists(name: str) -> bool:
    """Whether a dotted name below bunraku is a module, or something that one defines."""
    parts = name.split(".")
    for k in range(len(parts), -1, -1):
        base = SOURCE.joinpath(*parts[:k])
        file = next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)
        if file is None:
            continue
        if k == len(parts):
            return True
        names = file.with_suffix(".pyi")  # of a package that loads them when first used
        text = text_of(file) + (text_of(names) if names.is_file() else "")
        return re.search(rf"\b{re.escape(parts[k])}\b", text) is not None
    return False


@cache
def is_file(name: str) -> bool:
    """Whether there is such a file, or one that begins so."""
    return bool(list(ROOT.glob(name)) or list(ROOT.glob(name + "*")))


@every_room
def test_names_in_docstrings_exist(room):
    wrong = []
    for place, text in lines(room):
        for full, short in DOTTED.findall(text):
            if short and not exists(".".join(short.split(".")[:2])):
                continue  # an attribute of something that is called like a room: world.record, contact.force
            if not exists(full or short):
                wrong.append(f"{place} names {full or short}, which does not exist")
    assert wrong == []


@every_room
def test_files_in_docstrings_exist(room):
    named = [(place, name) for place, text in lines(room) for name in FILE.findall(text)]
    assert [f"{place} names {name}" for place, name in named if not is_file(name)] == []


@every_room
def test_papers_are_cited_by_author_and_year(room):
    """A number of a paper tells a reader nothing."""
    assert [f"{place}: {found.group()}" for place, text in lines(room) if (found := SECRET.search(text))] == []


PAGES = [
    ROOT / "README.md",
    ROOT / "README.ja.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
LINK = re.compile(r"(?<!`)\[[^\]\n]*(?:\n[^\]\n]*)?\]\(([^)\s]+)\)")


def page_name(page: Path) -> str:
    """From the folder above."""
    return str(page.relative_to(ROOT))


def without_code(page: Path) -> str:
    """The text of a page, its blocks of code left out but for their line ends."""
    blank = re.compile(r"^(```+).*?^\1", flags=re.DOTALL | re.MULTILINE)
    return blank.sub(lambda m: "\n" * m.group().count("\n"), page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """What `page#anchor` may say: headings as GitHub and the site make anchors of them."""
    heads = re.findall(r"^#+ (.*)$", without_code(page), flags=re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", h).lower()).replace(" ", "-") for h in heads
    }


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_of_pages_lead_somewhere(page):
    for target in LINK.findall(without_code(page)):
        if re.match(r"(https?|mailto):", target):
            continue
        file, _, anchor = target.partition("#")
        there = (page.parent / file) if file else page
        assert there.exists(), f"{page_name(page)}: there is no {target}"
        assert not anchor or anchor in anchors(there), f"{page_name(page)}: {file} has no heading #{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_lines_of_prose_are_short(page):
    for number, line in enumerate(without_code(page).split("\n"), 1):
        assert len(line) <= 200 or line.startswith("|"), f"{page_name(page)}:{number} has {len(line)} characters"


def test_every_public_name_is_in_the_reference():
    """Once, as a directive that takes its docstring; and used in a block, all of which tests/test_documents.py runs."""
    text = "".join(p.read_text(encoding="utf-8") for p in sorted((ROOT / "docs" / "api").glob("*.md")))
    named = re.findall(r"^\.\. auto(?:function|class|exception|data|module):: (?:bunraku\.)?(\w+)$", text, flags=re.M)
    assert sorted(named) == sorted(dir(bunraku)), "docs/api: every public name once, as .. autofunction:: or the like"
    used = set(re.findall(r"\bbk\.(\w+)", "".join(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL))))
    unused = sorted(set(dir(bunraku)) - used)
    assert not unused, f"no block of docs/api shows {unused}: add what they do to the block of their page"


JAPANESE = {
    "README.ja.md": "README.md",
    "docs/ja/index.md": "docs/index.md",
    **{f"docs/ja/{name}.md": f"docs/tutorials/{name}.md"
       for name in ("connections", "contact", "articulated", "walk-1988", "choreography")},
}  # fmt: skip


@pytest.mark.parametrize("page", JAPANESE)
def test_japanese_pages_have_the_structure_of_the_english_ones(page):
    """The same headings by level, paragraphs, rows of tables, items of lists, pictures, and blocks to the letter (lists of
    pages apart); where links go may differ, their number not."""
    ours, theirs = ((ROOT / p).read_text(encoding="utf-8") for p in (page, JAPANESE[page]))
    fenced = re.compile(r"^```.*?^```$", flags=re.DOTALL | re.MULTILINE)
    code = [[block for block in fenced.findall(text) if not block.startswith("```{")] for text in (ours, theirs)]
    assert code[0] == code[1]
    bare = [without_code(ROOT / p) for p in (page, JAPANESE[page])]
    for what in (r"^(#+) ", r"^(\|)", r"^(- |\d+\. )", r"!\[[^\]]*\]\(.*?([\w.-]+)\)", r"(?<!!)(\[)[^\]]*\]\("):
        found = [re.findall(what, text, flags=re.MULTILINE) for text in bare]
        assert found[0] == found[1], f"{page}: {what} is found {len(found[0])} times, in English {len(found[1])}"
    counts = [len(re.split(r"\n{2,}", re.sub(r"\n\s*\n", "\n\n", text).strip())) for text in bare]
    assert counts[0] == counts[1], f"{page}: {counts[0]} paragraphs, in English {counts[1]}"
