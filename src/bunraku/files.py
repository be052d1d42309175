"""Writing files so that nothing is ever half-written, and no input is written over.

`write_bytes` and `write_text` make missing folders, write to a temporary file in the same folder and rename it over the
target; a failure leaves the old file as it was and becomes an InputError with the path. Whatever
stops the writing, Ctrl-C included, the temporary file is removed.
`keep_inputs` is called by every command that reads files and writes files, before its work begins.
`open_alone` opens a file that only one writer at a time can have. Checked in tests/test_files.py.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from bunraku.errors import InputError

FAR = 2**31 - 2  # the byte that is locked on Windows: readers of what lies before are not hindered


def keep_inputs(inputs: Iterable[str | Path | None], outputs: Iterable[str | Path | None]) -> None:
    """Refuse with an InputError to write over a file that is read: by whatever name, through a link too.

    Names that are not files (of built-in scenes, say) and None are passed over. Where a file is written beside first,
    as name.part, that one is looked at, too. Two outputs must not be the same file either."""
    read = [Path(name) for name in inputs if name is not None]
    written: set[str] = set()
    for target in (Path(name) for name in outputs if name is not None):
        for path in (target, part_of(target)):
            if any(_same(path, name) for name in read):
                raise InputError(
                    f"{path}: it is an input and would be overwritten; choose another name for the output."
                )
        place = os.path.realpath(target)
        if place in written:
            raise InputError(f"{target}: it is the name of two outputs; choose another name for one of them.")
        written.add(place)


def part_of(path: Path) -> Path:
    """What a file is called while it is written piece by piece."""
    return Path(f"{path}.part")


def _same(a: Path, b: Path) -> bool:
    try:
        return os.path.samefile(a, b)
    except (OSError, ValueError):  # one of them is not there
        return False


def open_alone(path: Path) -> BinaryIO:
    """An empty file to write to; BlockingIOError while another writer, of this process or another, has it open.

    The system's lock holds it, which ends with the writer's process: what a killed one left is written over."""
    while True:
        file = open(path, "wb", buffering=0, opener=_without_emptying)  # noqa: SIM115 - the caller's
        try:
            _lock(file)
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                file.truncate()
                return file
        except FileNotFoundError:
            pass
        except BaseException:
            file.close()
            raise
        file.close()  # the other writer had just ended and given it its name: that file is not ours


def _without_emptying(path: str, flags: int) -> int:
    return os.open(path, flags & ~os.O_TRUNC, 0o666)


def _lock(file: BinaryIO) -> None:
    """Lock an open file, or BlockingIOError; where the file system has no locks, it goes without."""
    if sys.platform == "win32":
        import msvcrt

        file.seek(FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError from None
        file.seek(0)
    else:
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:
            pass


@contextmanager
def written_beside(path: str | Path, suffix: str = "") -> Generator[str]:
    """A temporary file beside `path`, to be written by name; it takes the place of `path` at the end, or is removed."""
    target = Path(path)
    beside = ""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        handle, beside = tempfile.mkstemp(prefix=f".{target.name}.", suffix=suffix, dir=target.parent)
        os.close(handle)
        yield beside
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(beside, 0o666 & ~umask)
        os.replace(beside, target)
    except BaseException as error:
        if beside and os.path.exists(beside):
            os.unlink(beside)
        if not isinstance(error, OSError):
            raise
        raise InputError(f"{target}: cannot be written ({error.strerror or error}); choose another place.") from None


def write_bytes(path: str | Path, data: bytes) -> Path:
    """Write a file whole or not at all; returns its path."""
    with written_beside(path) as beside:
        Path(beside).write_bytes(data)
    return Path(path)


def write_text(path: str | Path, text: str) -> Path:
    """Write a UTF-8 text file whole or not at all; returns its path."""
    return write_bytes(path, text.encode())


def read_text(path: str | Path) -> str:
    """Read a UTF-8 text file, with an InputError that names it."""
    try:
        return Path(path).read_bytes().decode()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a text file (byte {error.start} is not UTF-8).") from None
