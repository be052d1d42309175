"""Writing files so that nothing is ever half-written: beside the target first, then renamed.

`write_bytes` and `write_text` make missing folders, write to a temporary file in the same folder and rename it over the
target; a failure leaves the old file as it was and becomes an InputError with the path. Whatever
stops the writing, Ctrl-C included, the temporary file is removed. Checked in tests/test_files.py.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from bunraku.errors import InputError


def write_bytes(path: str | Path, data: bytes) -> Path:
    """Write a file whole or not at all; returns its path."""
    target = Path(path)
    beside = ""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        handle, beside = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
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
    return target


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
