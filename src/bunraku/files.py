"""Writing files so that nothing is ever half-written, and no input and no other results are written over.

`write_bytes`, `write_text` and `beside` make missing folders, write to a temporary file in the same folder and rename
it over the target; a failure leaves the old file as it was and becomes an InputError with the path. Whatever
stops the writing, Ctrl-C included, the temporary file is removed.
Every command that writes files calls `keep_inputs` before its work begins, and one that fills a folder `keep_results`.
`open_alone` opens a file that only one writer at a time can have. Checked in tests/test_files.py.
"""

from __future__ import annotations

import os
import sys
import tempfile
import tomllib
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from bunraku.errors import FormatError, InputError

if TYPE_CHECKING:
    import zipfile

BIGGEST = 256 * 2**20  # bytes of a text file
MOST_UNPACKED = 128 * 2**20  # bytes that any archive may unpack to
NOTE = ".bunraku-results"  # a file in a folder of results: which command made them, of what
FAR = 2**31 - 2  # the byte that is locked on Windows: readers of what lies before are not hindered


def keep_inputs(inputs: Iterable[str | Path | None], outputs: Iterable[str | Path | None]) -> None:
    """Refuse with an InputError to write over a file that is read: by whatever name, through a link too; and to write
    what cannot be written, while no work is lost by that.

    Names that are not files (of built-in scenes, say) and None are passed over. Where a file is written beside first,
    as name.part, that one is looked at, too. Two outputs must not be the same file either."""
    outputs = [_named(name) for name in outputs if name is not None]
    read = [Path(name) for name in inputs if name is not None]
    written: set[str] = set()
    folders: set[Path] = set()
    for target in outputs:
        for path in (target, part_of(target)):
            if any(_same(path, name) for name in read):
                raise InputError(
                    f"{path}: it is an input and would be overwritten; choose another name for the output."
                )
        place = os.path.realpath(target)
        if place in written:
            raise InputError(f"{target}: it is the name of two outputs; choose another name for one of them.")
        written.add(place)
        folders.add(_checked(target))
    for folder in folders:
        with _writing(folder), tempfile.TemporaryFile(dir=folder):
            pass


def _named(path: str | Path) -> Path:
    """A path that is one for the system."""
    if "\0" in str(path):
        raise InputError(f"{shown(path)}: cannot be written (no name has a null character); choose another place.")
    return Path(path)


def _checked(target: Path) -> Path:
    """Refuse a file that cannot be replaced; returns the nearest folder above it that exists."""
    with _writing(target):
        if target.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        if target.exists() and not target.is_file():
            raise OSError(22, "it is not a regular file")
        if target.exists() and not (os.access(target, os.W_OK) and target.stat().st_mode & 0o222):
            raise PermissionError(13, "it is write-protected")
        return next(folder for folder in target.parents if folder.exists())


@contextmanager
def _writing(target: Path) -> Generator[None, None, None]:
    """What the system says about a file to be written becomes an InputError that names it."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{shown(target)}: cannot be written ({reason(error)}); choose another place.") from None


def keep_results(folder: Path, names: Iterable[str], what: str, force: bool) -> None:
    """Refuse to write files over those of something else in a folder, unless `force`. what: whose results they will be,
    e.g. "run slope"; results of the same may be made anew. `note_results` then says whose they are."""
    there = sorted(name for name in names if (folder / name).exists())
    if force or not there:
        return
    note = folder / NOTE
    of = read_text(note).strip() if note.is_file() else ""
    if of != what:
        whose = f"the results of `bunraku {of[:80]}`" if of else f"{there[0]}, which `bunraku {what}` did not write"
        raise InputError(f"{folder}: it holds {whose}; choose another --out, or add --force to replace them.")


def note_results(folder: Path, what: str) -> None:
    """Say in a folder of results whose they are."""
    write_text(folder / NOTE, what + "\n")


def ends_in(path: Path | None, *endings: str, what: str) -> None:
    """Refuse an output whose name would say something else than is in it. what: e.g. "a recording"."""
    if path is not None and path.suffix.lower() not in endings:
        raise InputError(f"{path}: the name of {what} ends in {' or '.join(endings)}; choose another.")


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
def beside(path: str | Path) -> Generator[str, None, None]:
    """The name of a new file to write to, beside `path`, whose name it gets when all went well; else it is removed."""
    target, name = _named(path), ""
    try:
        with _writing(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            _checked(target)
            handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=target.suffix, dir=target.parent)
            os.close(handle)
            yield name
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(name, 0o666 & ~umask)
            os.replace(name, target)
            name = ""
    finally:
        if name and os.path.exists(name):
            os.unlink(name)


def write_bytes(path: str | Path, data: bytes) -> Path:
    """Write a file whole or not at all; returns its path."""
    with beside(path) as name, open(name, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())  # a full disk is sometimes known only now
    return Path(path)


def write_text(path: str | Path, text: str) -> Path:
    """Write a UTF-8 text file whole or not at all; returns its path."""
    return write_bytes(path, text.encode())


def check_unpacked(archive: zipfile.ZipFile, path: str | Path) -> None:
    """Refuse an archive that would fill the memory when unpacked: a hundred times its own size, and not small. It says
    itself how much there is, and more than it says is not read."""
    packed, whole = os.path.getsize(path), sum(i.file_size for i in archive.infolist())
    if whole > MOST_UNPACKED and whole > 100 * packed:
        raise FormatError(
            f"{shown(path)}: its {packed / 1e6:.1f} MB unpack to {whole / 1e6:.0f} MB; nothing of ours is like that."
        )


def read_text(path: str | Path, most: int = BIGGEST) -> str:
    """Read a UTF-8 text file of at most `most` bytes, with an InputError that names it. A byte-order mark is left out."""
    data = b""
    try:
        with open(path, "rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise InputError(f"{shown(path)}: has more than {most >> 20} MB; too large for a text file.")
        return data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        if isinstance(error, UnicodeDecodeError):
            utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
            kind = "it is UTF-16; save it as UTF-8" if utf16 else f"byte {error.start} is not UTF-8"
            raise InputError(f"{shown(path)}: not a text file ({kind}).") from None
        raise cannot_be_read(path, error) from None


def cannot_be_read(path: str | Path, error: OSError | ValueError) -> InputError:
    """The sentence about a file that the system does not give."""
    if not str(path):
        return InputError("the name of a file is empty.")
    if isinstance(error, IsADirectoryError):
        return InputError(f"{shown(path)}: is a folder; give the file inside it.")
    if isinstance(error, FileNotFoundError):
        unfinished = f", but an unfinished {part_of(Path(path)).name}" if part_of(Path(path)).exists() else ""
        return InputError(f"{shown(path)}: cannot be read; there is no such file{unfinished}.")
    return InputError(f"{shown(path)}: cannot be read ({reason(error)}).")


def shown(path: str | Path) -> str:
    """A path that keeps a message on one line, and short."""
    text = str(path) if str(path).isprintable() else repr(str(path))
    return text if len(text) <= 300 else f"{text[:140]}…{text[-140:]}"


def reason(error: Exception) -> str:
    """What the system says, in a line."""
    said = getattr(error, "strerror", None) or (str(error).strip().splitlines() or [type(error).__name__])[-1]
    return said.rstrip(".")[:200]


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """TOML into plain values; FormatError that names the file."""
    try:
        out = tomllib.loads(text)
    except RecursionError:
        raise FormatError(f"{name}: not TOML: values are nested too deeply.") from None
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{name}: not TOML: {reason(error)}.") from None
    except ValueError:  # from Python itself
        raise FormatError(f"{name}: not TOML: a whole number has thousands of digits.") from None
    todo: list[Any] = [out]
    while todo:
        x = todo.pop()
        if isinstance(x, dict | list):
            todo += x.values() if isinstance(x, dict) else x
        elif isinstance(x, int) and not -(2**63) <= x < 2**63:
            raise FormatError(f"{name}: not TOML: the whole number {str(x)[:20]}… has more than 64 bits.")
    return out
