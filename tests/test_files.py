"""Files are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bunraku.errors import InputError
from bunraku.files import read_text, write_bytes, write_text


def test_round_trip_makes_folders_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a" / "b.txt", "ψ = 1\n")
    assert read_text(path) == "ψ = 1\n"
    write_bytes(path, b"new")
    assert read_text(path) == "new"
    assert [p.name for p in path.parent.iterdir()] == ["b.txt"]


@pytest.mark.parametrize("stage", ["fdopen", "chmod", "replace"])
def test_an_interruption_leaves_the_old_file_and_nothing_beside(
    stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C before writing, after writing and at renaming."""
    path = write_text(tmp_path / "a.txt", "old")

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(os, stage, interrupted)
        write_text(path, "new")
    assert read_text(path) == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_errors_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="folder"):
        write_text(tmp_path, "x")
    with pytest.raises(InputError, match=r"none\.txt"):
        read_text(tmp_path / "none.txt")
    write_bytes(tmp_path / "bad", b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_text(tmp_path / "bad")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="cannot be written"):
        write_text(tmp_path / "file" / "below.txt", "x")
