"""Every block of Python in README and documents runs as it is typed, page by page, from top to bottom."""

import re
import webbrowser
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [p for p in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if "```python" in p.read_text("utf-8")]
# kernels that are called with arrays of one's own: the blocks show how, not with what
CALLS = {"contact-solver.md": (0, 1), "virtual-link.md": (0,)}


def blocks(page: Path) -> list[str]:
    """The Python of a page."""
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_python_runs_as_typed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda *_: True)
    names: dict = {}
    for number, code in enumerate(blocks(page)):
        if number not in CALLS.get(page.name, ()):
            exec(compile(code, f"{page.name}, block {number + 1}", "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_nothing_is_imported_from_deep_inside(page):
    """`import bunraku as bk` is enough; bunraku.collision is a room that is public as it is."""
    for number, code in enumerate(blocks(page)):
        if number not in CALLS.get(page.name, ()):
            assert set(re.findall(r"(?:from|import) (bunraku[\w.]*)", code)) <= {"bunraku", "bunraku.collision"}
