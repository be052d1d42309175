"""The folders are the architecture: imports point downwards, and the documents name what exists."""

import ast
import importlib
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from bunraku.model import layout
from sources import ROOT, SOURCE, by_room, nodes_of, tree_of

ORDER = """
    errors files progress jobs lazy version kernel linalg model dynamics collision contact step world recording
    humanoid control walking motion gaits choreography formats scene draw viewer batch environments cli gait1988
"""  # lowest first
PLACE = {room: k for k, room in enumerate(ORDER.split())}


def imports(path: Path):
    """Folders of bunraku that a file imports when it runs, anywhere in it, with the line; not those for types only."""
    typed = {
        id(inner)
        for node in nodes_of(path)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in nodes_of(path):
        names = []
        if id(node) in typed:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "bunraku" and len(parts) > 1:
                yield parts[1], node.lineno


FILES = sorted(p for p in SOURCE.rglob("*.py") if len(p.relative_to(SOURCE).parts) > 1)
ROOMS = by_room(FILES, SOURCE)
every_room = pytest.mark.parametrize("room", ROOMS)


@every_room
def test_imports_point_downwards(room):
    assert room in PLACE, f"{room} has no place in the order"
    wrong = [
        f"{path.name}:{line} imports {other} from {room}"
        for path in ROOMS[room]
        for other, line in imports(path)
        if PLACE[other] > PLACE[room]
    ]
    assert wrong == []


def test_all_modules_import_side_by_side():
    """In one process: records, which the compiler tells apart by their names, have one name each."""
    names = [p.relative_to(SOURCE.parent).with_suffix("") for p in FILES if p.name != "__main__.py"]
    code = "import importlib\n" + "\n".join(f"importlib.import_module({'.'.join(n.parts)!r})" for n in names)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_no_file_name_stands_twice():
    counts = Counter(p.name for p in FILES if p.name != "__init__.py")
    assert [name for name, n in counts.items() if n > 1] == []


def test_the_product_never_imports_what_stands_beside_it():
    for path in FILES:
        for node in nodes_of(path):
            if isinstance(node, ast.ImportFrom | ast.Import):
                text = ast.unparse(node)
                assert "bunraku_bench" not in text and "bunraku_reproduce" not in text, f"{path.name}:{node.lineno}"


def test_every_file_says_what_it_is():
    assert [str(path) for path in FILES if not ast.get_docstring(tree_of(path))] == []


def test_architecture_page_names_what_exists():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `([a-z_0-9]+)/` \|", text, flags=re.MULTILINE))
    there = {p.name for p in SOURCE.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert named == there


@pytest.mark.parametrize(
    "page", ["docs/architecture.md", "docs/how-to.md", "docs/viewer.md", "docs/theory.md", "CONTRIBUTING.md"]
)
def test_files_that_developers_are_sent_to_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for name in re.findall(r"(?<![\w/])[a-z_0-9]+/[a-z_0-9/]+\.py\b", text):
        assert (SOURCE / name).exists() or (ROOT / name).exists(), f"{page} names {name}"


def test_links_of_the_documents_lead_somewhere():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in link:
                assert (page.parent / link).exists(), f"{page.name} links to {link}"


KERNELS = {"inline", "part", "phase", "entry"}  # decorators of functions that run compiled
LOADS = {"ld", "st", "ld3", "st3", "ld6", "st6", "ld9", "st9", "wide_ld", "wide_st"}  # array, index, …
SIZES = {
    "LANES",  # four numbers
    "GROUP",  # the same: a group of wrenches in the lanes of bunraku.step.response
    "PATCH_COLUMNS",  # of the file format of recordings
    "ROOT",  # body 1
    "TIE_ORIGIN",  # where numbers of connections begin
}


def decorators(function: ast.FunctionDef) -> set[str]:
    names = (d.func if isinstance(d, ast.Call) else d for d in function.decorator_list)
    return {d.id for d in names if isinstance(d, ast.Name)}


def functions(path: Path) -> list[ast.FunctionDef]:
    return [node for node in nodes_of(path) if isinstance(node, ast.FunctionDef)]


@every_room
def test_no_function_takes_more_than_eight_arguments_by_place(room):
    """Entries of kernels are exempt: their arguments are what a call across the border can carry."""
    wrong = [
        f"{path.name}:{f.lineno}: {f.name}"
        for path in ROOMS[room]
        for f in functions(path)
        if len(f.args.posonlyargs) + len(f.args.args) > 8 and "entry" not in decorators(f)
    ]
    assert wrong == []


def added(node: ast.AST | None) -> set[str]:
    """Names that are an index or part of a sum that is one; what is multiplied is a size."""
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return added(node.left) | added(node.right)
    if isinstance(node, ast.Tuple):
        return set().union(*(added(x) for x in node.elts))
    return added(node.lower) if isinstance(node, ast.Slice) else set()


def offsets(path: Path) -> list[str]:
    """Integer constants that kernels of a file add to an index."""
    module = importlib.import_module(".".join(path.relative_to(SOURCE.parent).with_suffix("").parts))
    found = []
    for f in functions(path):
        for node in ast.walk(f) if KERNELS & decorators(f) else ():
            index: set[str] = set()
            if isinstance(node, ast.Subscript):
                index = added(node.slice)
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in LOADS:
                index = added(node.args[1])
            for name in index - SIZES:
                value = getattr(module, name, None)
                if name.isupper() and isinstance(value, int) and getattr(layout, name, None) is not value:
                    found.append(f"{path.name}:{node.lineno}: {name}")
    return found


@every_room
def test_kernels_index_by_names_of_records(room):
    """A kernel adds no integer constant to an index but those of the scratch of bodies (model/layout.py): what lies in
    an array has a name in a record."""
    language = "work_numba.py"  # the small table of a Work, opened by hand: the language itself
    assert [found for path in ROOMS[room] if path.name != language for found in offsets(path)] == []
