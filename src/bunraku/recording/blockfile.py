"""A file of checked blocks: appended and flushed one by one, so that what a killed process leaves can be read up to the
last whole block.

    MAGIC, block HEAD (JSON), blocks …, block INDX, 8 bytes: where INDX begins, END

A block is  kind (4 bytes), count (uint32), length (uint64), first and last (float64: the times it spans), CRC-32
(uint32) of these and of its `length` bytes of content, or, of a block of kind SUMMED, of the 16 bytes of their checksum
(bunraku.recording.sums), which takes less time. INDX holds the place and the head of every block, so that opening a
finished file reads a few bytes. While it is written the file is called name.part, and no second writer can open it;
`close` renames it. A file without INDX is read block by block and ends before the first one that is not whole. A block
whose CRC does not fit is never believed. Little endian. Checked in tests/recording/test_blockfile.py.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

from bunraku.errors import FormatError, InputError
from bunraku.files import cannot_be_read, open_alone, part_of
from bunraku.recording.sums import digest

MAGIC, END = b"\x89BKR\r\n\x1a\n", b"BKR-END\n"
HEAD, INDEX, SUMMED = b"HEAD", b"INDX", b"FRM2"
BLOCK, CHECK = struct.Struct("<4sIQdd"), struct.Struct("<I")
PLACE = struct.Struct("<Q")
TAIL = PLACE.size + len(END)
HEAD_SIZE = BLOCK.size + CHECK.size


@dataclass(frozen=True)
class Block:
    """Where a block begins, and what it says about itself."""

    at: int
    kind: bytes
    count: int
    length: int
    first: float
    last: float

    def head(self) -> bytes:
        """As it stands in the file, without the CRC."""
        return BLOCK.pack(self.kind, self.count, self.length, self.first, self.last)

    @property
    def end(self) -> int:
        """Where the next one begins."""
        return self.at + HEAD_SIZE + self.length


def checked(kind: bytes, head: bytes, pieces: Sequence[bytes | memoryview]) -> bytes:
    """The CRC-32 of a block as it stands in the file."""
    check = zlib.crc32(head)
    for piece in [digest(pieces)] if kind == SUMMED else pieces:
        check = zlib.crc32(piece, check)
    return CHECK.pack(check)


class BlockWriter:
    """A new file at `path`; it stands beside as path.part until `close`."""

    def __init__(self, path: str | Path, head: dict[str, Any]) -> None:
        self.path: Path = Path(path)
        self.part: Path = part_of(self.path)
        self.blocks: list[Block] = []
        self.at = len(MAGIC)
        self.broken: InputError | None = None  # why writing failed
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.is_dir():
                raise IsADirectoryError(21, "it is a folder")
            self.file: BinaryIO = open_alone(self.part)
        except BlockingIOError:
            raise InputError(
                f"{self.path}: it is being recorded already; wait for the end of that or choose another name."
            ) from None
        except OSError as error:
            raise self._cannot(error) from None
        self._write(MAGIC)
        self.add(HEAD, json.dumps(head, allow_nan=False).encode())

    def add(
        self, kind: bytes, content: bytes | list[memoryview], count: int = 0, first: float = 0.0, last: float = 0.0
    ) -> None:
        """Append a block, its content whole or in pieces of bytes, and hand it to the system."""
        pieces = content if isinstance(content, list) else [content]
        block = Block(self.at, kind, count, sum(len(piece) for piece in pieces), first, last)
        head = block.head()
        self._write(head + checked(kind, head, pieces), *pieces)
        self.blocks.append(block)
        self.at = block.end

    def close(self, *, replace: bool = True) -> Path:
        """Write the index and give the file its name; returns it. replace False: where there is an older file of that
        name, that one stays and the new one goes on being called name.part."""
        if not self.file.closed:
            place = self.at
            self.add(INDEX, b"".join(PLACE.pack(b.at) + b.head() for b in self.blocks), len(self.blocks))
            self._write(PLACE.pack(place) + END)
            try:
                os.fsync(self.file.fileno())
                if os.name == "nt":  # no open file can be renamed there; elsewhere the lock holds until it is
                    self.file.close()
                if not replace and self.path.exists():
                    self.path = self.part
                else:
                    os.replace(self.part, self.path)
            except OSError as error:
                raise self._cannot(error) from None
            finally:
                self.file.close()
        return self.path

    def _write(self, *pieces: bytes | memoryview) -> None:
        if self.broken is not None:
            raise self.broken
        try:
            first = os.writev(self.file.fileno(), pieces) if hasattr(os, "writev") else 0  # one call of the system
            for data in pieces:
                left = memoryview(data)[first:]
                first = max(0, first - len(data))
                while len(left):  # what did not fit, or all of it on Windows
                    left = left[self.file.write(left) :]
        except OSError as error:
            self.broken = self._cannot(error)
            self.file.close()
            raise self.broken from None

    def _cannot(self, error: OSError) -> InputError:
        return InputError(f"{self.path}: cannot be written ({error.strerror or error}); choose another place.")


class BlockFile:
    """A file to read; `blocks` without HEAD and INDX, `finished`: whether it was closed. `what` names it in messages."""

    def __init__(self, path: str | Path, what: str) -> None:
        self.path, self.what = Path(path), what
        try:
            self.file = open(self.path, "rb")  # noqa: SIM115 - closed by `close`
            self.size = self.file.seek(0, os.SEEK_END)
        except (OSError, ValueError) as error:
            raise cannot_be_read(path, error) from None
        try:
            if self._bytes(0, len(MAGIC)) != MAGIC:
                raise FormatError(f"{path}: not {what}.")
            first = self._block(len(MAGIC))
            if first is None or first.kind != HEAD:
                raise FormatError(f"{path}: {what}, but cut off or damaged before its first frame.")
            self.head: dict[str, Any] = json.loads(self.read(first))
            index = self._index()
            self.finished = index is not None
            self.blocks = index if index is not None else self._scan(first.end)
        except (ValueError, RecursionError) as error:
            self.close()
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"{path}: damaged ({error}).") from None

    def close(self) -> None:
        """Close the file; reading ends."""
        self.file.close()

    def read(self, block: Block) -> bytes:
        """The content of a block; FormatError where it is damaged."""
        data = self._bytes(block.at, HEAD_SIZE + block.length)
        head, check, content = data[: BLOCK.size], data[BLOCK.size : HEAD_SIZE], data[HEAD_SIZE:]
        good = len(content) == block.length and head == block.head()
        if not good or check != checked(block.kind, head, [content]):
            raise FormatError(
                f"{self.path}: damaged at byte {block.at} (frames of {block.first:g} to {block.last:g} s); take another copy."
            )
        return content

    def _bytes(self, at: int, count: int) -> bytes:
        try:
            self.file.seek(at)
            return self.file.read(count)
        except (OSError, ValueError) as error:
            raise InputError(f"{self.path}: cannot be read ({error}).") from None

    def _block(self, at: int) -> Block | None:
        """The block that begins there, if it is all there."""
        head = self._bytes(at, BLOCK.size)
        if len(head) < BLOCK.size:
            return None
        block = Block(at, *BLOCK.unpack(head))
        return block if block.end <= self.size else None

    def _index(self) -> list[Block] | None:
        """The blocks of a finished file; None where it was not closed, or its index is damaged."""
        tail = self._bytes(max(0, self.size - TAIL), TAIL)
        if len(tail) < TAIL or tail[PLACE.size :] != END:
            return None
        at = PLACE.unpack_from(tail)[0]
        found = self._block(at) if at < self.size else None
        if found is None or found.kind != INDEX:
            return None
        content, step = self.read(found), PLACE.size + BLOCK.size
        rows = [content[k : k + step] for k in range(0, len(content) - step + 1, step)]
        blocks = [Block(PLACE.unpack_from(r)[0], *BLOCK.unpack_from(r, PLACE.size)) for r in rows]
        if any(a.end > b.at for a, b in pairwise(blocks)):
            return None  # one block named many times would be more than the file holds
        return [b for b in blocks if b.kind != HEAD and b.end <= self.size]

    def _scan(self, at: int) -> list[Block]:
        """The whole blocks of a file without an index, each one checked."""
        out = []
        while (block := self._block(at)) is not None and block.kind != INDEX:
            self.read(block)
            out.append(block)
            at = block.end
        return out
