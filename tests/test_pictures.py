"""The pictures of README and documents are all made by docs/make_pictures.py, none is left over, and it makes them."""

import importlib.util
import re
from pathlib import Path

import pytest
from PIL import Image

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def made():
    spec = importlib.util.spec_from_file_location("make_pictures", DOCS / "make_pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_picture_shown_is_there_and_is_made_by_the_script(made):
    shown = set()
    for path in [*DOCS.parent.glob("README*.md"), *DOCS.rglob("*.md")]:
        shown |= {
            Path(name).stem for name in re.findall(r"\]\((?:docs/|\.\./)?pictures/([^)]+)\)", path.read_text("utf-8"))
        }
    names = [name for _, pictures in made.PICTURES.values() for name in pictures]
    assert sorted(names) == sorted(shown) == sorted(p.stem for p in (DOCS / "pictures").iterdir())


def test_pictures_are_made(made, tmp_path):
    """Two of the quick ones; a name that is none is refused."""
    made.main(["pushes", "figure2", "--out", str(tmp_path)])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["figure2.png", "walk_pushes.png"]
    assert Image.open(tmp_path / "figure2.png").size == (960, 640)
    with pytest.raises(SystemExit, match="no picture is called 'wlak'"):
        made.main(["wlak"])


def test_pictures_are_small(made):
    for path in (DOCS / "pictures").iterdir():
        assert path.stat().st_size < 2 * made.MOST, path.name
