"""Every example runs and ends well; each has checks of its own."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path, capsys):
    assert "assert" in path.read_text(encoding="utf-8")
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out
