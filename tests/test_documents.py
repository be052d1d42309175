"""Every block of Python or bash in README and documents runs as it is typed, page by page, from top to bottom, from an
empty folder. Commands that wait for somebody (a browser, Ctrl-C) stand in blocks without a language."""

import json
import os
import re
import subprocess
import sys
import webbrowser
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [  # those in Japanese have the same blocks: tests/test_docstrings.py
    p
    for p in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if "```python" in p.read_text("utf-8") and p.parent.name != "ja"
]
BLOCK = re.compile(r"^```(python|bash)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
# kernels that are called with arrays of one's own: the blocks show how, not with what
CALLS = {"contact-solver.md": (0, 1), "virtual-link.md": (0,)}


def name(page: Path) -> str:
    """How a test is called."""
    return str(page.relative_to(ROOT).with_suffix("")).replace("docs/", "")


def blocks(page: Path) -> list[str]:
    """The Python of a page."""
    return [code for language, code in steps(page) if language == "python"]


def steps(page: Path) -> list[tuple[str, str]]:
    """What a page has its reader type: (language, text), from top to bottom."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def shell(commands: str, what: str) -> None:
    """Commands as a reader types them, `bunraku` being that of this Python."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        ["bash", "-euc", commands],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{what}: {done.stderr or done.stdout}"


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=name)
def test_python_runs_as_typed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda *_: True)
    names: dict = {}
    number = -1
    for language, code in steps(page):
        number += language == "python"
        if language == "bash":
            shell(code, page.name)
        elif number not in CALLS.get(page.name, ()):
            exec(compile(code, f"{page.name}, block {number + 1}", "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_nothing_is_imported_from_deep_inside(page):
    """`import bunraku as bk` is enough; bunraku.collision is a room that is public as it is, and importing
    bunraku.environments is what makes them known to Gymnasium."""
    public = {"bunraku", "bunraku.collision", "bunraku.environments"}
    for number, code in enumerate(blocks(page)):
        if number not in CALLS.get(page.name, ()):
            assert set(re.findall(r"(?:from|import) (bunraku[\w.]*)", code)) <= public


@pytest.mark.slow
@pytest.mark.parametrize("notebook", sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_notebooks_run_from_top_to_bottom(notebook, tmp_path, monkeypatch):
    """Cell by cell, without Jupyter; the last line of a cell may be something that shows itself."""
    monkeypatch.chdir(tmp_path)
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    names: dict = {}
    for number, cell in enumerate(json.loads(notebook.read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [], "results are not kept in notebooks"
            exec(compile("".join(cell["source"]), f"{notebook.name}, cell {number + 1}", "exec"), names)
    if "world" in names:
        assert names["world"]._repr_png_().startswith(b"\x89PNG") and names["figure"]._repr_png_() is not None
    pyplot.close("all")
