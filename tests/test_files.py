"""Files are written whole or not at all."""

from __future__ import annotations

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
