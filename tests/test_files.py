"""Files are written whole or not at all, never over an input, by one writer at a time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

import pytest

from bunraku import files
from bunraku.errors import FormatError, InputError
from bunraku.files import keep_inputs, open_alone, parse_toml, part_of, read_text, write_bytes, write_text


def test_round_trip_makes_folders_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a" / "b.txt", "ψ = 1\n")
    assert read_text(path) == "ψ = 1\n"
    write_bytes(path, b"new")
    assert read_text(path) == "new"
    assert [p.name for p in path.parent.iterdir()] == ["b.txt"]


@pytest.mark.parametrize("call", ["close", "fsync", "chmod", "replace"])
def test_an_interruption_leaves_the_old_file_and_nothing_beside(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C before writing, after writing and at renaming."""
    path = write_text(tmp_path / "a.txt", "old")

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(os, call, interrupted)
        write_text(path, "new")
    assert read_text(path) == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_errors_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="folder"):
        write_text(tmp_path, "x")
    with pytest.raises(InputError, match=r"none\.txt"):
        read_text(tmp_path / "none.txt")
    for content, said in ((b"a\xff", "byte 1 is not UTF-8"), ("x = 1".encode("utf-16"), "it is UTF-16")):
        write_bytes(tmp_path / "bad", content)
        with pytest.raises(InputError, match=said):
            read_text(tmp_path / "bad")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="cannot be written"):
        write_text(tmp_path / "file" / "below.txt", "x")


def test_an_input_is_refused_as_output_by_every_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kept = write_text(tmp_path / "a.txt", "x")
    (tmp_path / "below").mkdir()
    (tmp_path / "soft").symlink_to("a.txt")
    (tmp_path / "other").symlink_to(tmp_path)
    os.link(kept, tmp_path / "hard")
    for name in ("a.txt", "below/../a.txt", "soft", "hard", "other/a.txt", str(kept)):
        for one, other in ((kept, name), (name, kept)):
            with pytest.raises(InputError, match="is an input and would be overwritten") as caught:
                keep_inputs(["human", None, one], [None, "new.txt", other])
            assert "\n" not in str(caught.value) and str(other) in str(caught.value)
    keep_inputs([kept, "none.txt"], ["none.txt", tmp_path / "b.txt", "below/a.txt"])


def test_what_is_written_beside_first_is_looked_at_too(tmp_path: Path) -> None:
    write_text(tmp_path / "a.bkr.part", "x")
    with pytest.raises(InputError, match=r"a\.bkr\.part"):
        keep_inputs([tmp_path / "a.bkr.part"], [tmp_path / "a.bkr"])


def test_two_outputs_are_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="two outputs"):
        keep_inputs([], ["x.bkr", tmp_path / "x.bkr"])


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a", "left by a process that was killed")
    with open_alone(path) as file:
        file.write(b"first")
        with pytest.raises(BlockingIOError):
            open_alone(path)
        assert path.read_bytes() == b"first"
    with open_alone(path):
        assert path.read_bytes() == b""


def test_a_file_renamed_at_that_moment_is_not_emptied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first writer ends between our opening the file and locking it: what we opened has its name by now."""
    path = write_text(tmp_path / "a", "whole")
    lock = files._lock

    def late(file: BinaryIO) -> None:
        if not (tmp_path / "done").exists():
            path.rename(tmp_path / "done")
        lock(file)

    monkeypatch.setattr(files, "_lock", late)
    with open_alone(path) as file:
        file.write(b"new")
    assert read_text(tmp_path / "done") == "whole" and read_text(path) == "new"


def test_a_file_system_without_locks_is_written_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl", reason="Windows locks in another way")

    def none(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", none)
    with open_alone(part_of(tmp_path / "a")) as file:
        file.write(b"x")
    assert (tmp_path / "a.part").read_bytes() == b"x"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "9" * 5000, "a whole number has thousands of digits"),
        ("a = " + "9" * 30, "has more than 64 bits"),
        ("a = " + "[" * 5000, "nested too deeply"),
        ("a = 1979-13-01", "line 1"),
    ],
)
def test_what_is_no_toml_is_told_without_a_word_of_python(text: str, said: str) -> None:
    with pytest.raises(FormatError, match=rf"^x\.toml: not TOML: .*{said}") as caught:
        parse_toml(text, "x.toml")
    assert "sys." not in str(caught.value)
