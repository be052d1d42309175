"""Which files a kernel can be made of: agrees with what the parser sees, and reaches helpers of helpers."""

import ast
from pathlib import Path

import pytest

from bunraku.kernel.sources import PACKAGE, imported, reach, source_hash

STEP = PACKAGE / "step" / "euler.py"


def by_parser(path: Path) -> set[Path]:
    """The same by Python's own parser."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{a.name}" for a in node.names}
    out = set()
    for name in names:
        parts = name.split(".")
        if parts[0] == "bunraku":
            base = PACKAGE.joinpath(*parts[1:])
            out |= {
                p
                for p in (base / "__init__.py", PACKAGE.joinpath(*parts[1:-1], parts[-1] + ".py"))
                if p.is_file() and parts[1:]
            }
            out |= {PACKAGE / "__init__.py"} if not parts[1:] else set()
    return out


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_imports_as_the_parser_sees_them(path):
    assert set(imported(path)) >= by_parser(path)  # a name in a text counts too: harmless


def test_reaches_helpers_of_helpers_and_not_its_callers():
    files = {p.relative_to(PACKAGE).as_posix() for p in reach(STEP)}
    assert {"step/euler.py", "kernel/vec.py", "kernel/trig.py", "collision/boxes.py", "kernel/compile.py"} <= files
    assert "world/world.py" not in files and not any(f.startswith(("cli/", "formats/")) for f in files)


def test_hash_follows_an_edit_and_other_files_do_not_matter(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("from bunraku.kernel.vec import dot\n")
    first = source_hash(file)
    assert len(first) == 16 and first != source_hash(STEP)
    other = tmp_path / "other" / "mine.py"
    other.parent.mkdir()
    other.write_text("from bunraku.kernel.vec import cross\n")
    assert source_hash(other) != first
