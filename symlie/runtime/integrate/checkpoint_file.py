"""File format of checkpoints: a header, two slots for the state, and append-only records.

    magic line, length of the header, bytes of a slot, checksum of these
    header                                   compressed JSON, written once
    slot 0, slot 1                           a state with its sequence number and checksum, written alternately
    records                                  appended

A state stores the length and the checksum of its records. Records reach the disk before the state that counts them, and
a state never overwrites the newest one, so the file holds a complete checkpoint at any moment; a half-written part of a
killed process does not count. A checkpoint costs the state and the records since the last one.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import uuid
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from symlie.errors import CheckpointError, FormatError
from symlie.runtime.integrate.file_lock import locked
from symlie.utilities.reading import other_format, reading

FORMAT = 3
"""Version of the file format."""

_NAME = b"symlie checkpoint "
_MAGIC = _NAME + f"{FORMAT}\n".encode()
_SIZES = struct.Struct("<QQ")
"""Length of the header, and size of a slot in bytes."""
_COUNTS = struct.Struct("<QQI")
"""Sequence number, size of the records in bytes and their checksum, followed by the state."""
_CHECKSUM = struct.Struct("<I")


@dataclass(frozen=True)
class Content:
    """Content of a checkpoint file."""

    header: dict[str, Any]
    state: bytes
    records: bytes


class CheckpointFile:
    """A checkpoint file open for writing; a context manager that closes the file and releases its lock.

    Use `create` or `reopen`.
    """

    def __init__(
        self, path: Path, file: BinaryIO, held: contextlib.ExitStack, places: int, sequence: int, records: bytes
    ) -> None:
        self._path, self._file, self._held, self._places = path, file, held, places
        self._sequence, self._length, self._checksum = sequence, len(records), zlib.crc32(records)

    @classmethod
    def create(cls, path: Path, header: Mapping[str, object], state: bytes, records: bytes) -> Self:
        """Write a new file with a first state, replacing an older checkpoint.

        `FormatError` if another kind of file exists, the file is not writable, or another run writes it.
        """
        if not path.name or "\0" in path.name:
            raise FormatError(f"{str(path)!r} is not the name of a file; give one for the checkpoint.")
        text = zlib.compress(json.dumps(header).encode(), 6)
        place = _place(1, len(records), zlib.crc32(records), state)
        prologue = _MAGIC + _checked(_SIZES.pack(len(text), len(place)) + text)
        temporary = path.with_name(f".{path.name}-{uuid.uuid4().hex[:12]}")
        with contextlib.ExitStack() as held:
            held.enter_context(locked(path))
            try:
                with contextlib.suppress(FileNotFoundError), path.open("rb") as old:
                    if old.read(len(_NAME)) != _NAME:
                        raise FormatError(f"{path} exists and is not a checkpoint; choose another name.")
                with temporary.open("xb") as new:
                    new.write(prologue + bytes(len(place)) + place + records)
                    _flush(new)
                os.replace(temporary, path)
                _flush_folder(path.absolute().parent)
                file = held.enter_context(path.open("r+b"))
            except OSError as error:
                raise FormatError(f"The checkpoint {path} cannot be written: {error.strerror or error}.") from error
            finally:
                with contextlib.suppress(OSError):
                    temporary.unlink(missing_ok=True)
            return cls(path, file, held.pop_all(), len(prologue), 1, records)

    @classmethod
    def reopen(cls, path: Path) -> tuple[Self, Content]:
        """Continue a file from its newest complete state; raise `FormatError` for another version, damage, or a
        lock."""
        with contextlib.ExitStack() as held:
            held.enter_context(locked(path))
            try:
                file = held.enter_context(path.open("r+b"))
            except OSError as error:
                raise FormatError(f"The checkpoint {path} cannot be opened: {error.strerror or error}.") from error
            places, sequence, content = _read(path, file.read())
            return cls(path, file, held.pop_all(), places, sequence, content.records), content

    def append(self, state: bytes, records: bytes) -> None:
        """Write a new state and the records since the last one; after a `CheckpointError` the previous state is
        intact."""
        checksum = zlib.crc32(records, self._checksum)
        length = self._length + len(records)
        place = _place(self._sequence + 1, length, checksum, state)
        try:
            if records:
                self._file.seek(self._places + 2 * len(place) + self._length)
                self._file.write(records)
                _flush(self._file)
            self._file.seek(self._places + (self._sequence + 1) % 2 * len(place))
            self._file.write(place)
            _flush(self._file)
        except OSError as error:
            raise CheckpointError(
                f"The checkpoint {self._path} cannot be written ({error.strerror or error}), so the integration "
                "stopped; the solution so far is attached."
            ) from error
        self._sequence, self._length, self._checksum = self._sequence + 1, length, checksum

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        with contextlib.suppress(OSError):
            self._held.close()


def read_checkpoint(path: Path) -> Content:
    """Read a checkpoint, even while a run writes it; raise `FormatError` for another version or damage."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FormatError(f"The checkpoint {path} cannot be read: {error.strerror or error}.") from error
    return _read(path, data)[2]


def _checked(data: bytes) -> bytes:
    return data + _CHECKSUM.pack(zlib.crc32(data))


def _place(sequence: int, length: int, checksum: int, state: bytes) -> bytes:
    return _checked(_COUNTS.pack(sequence, length, checksum) + state)


def _whole(data: bytes, start: int, size: int) -> bytes | None:
    """A part of the file with valid checksum, without this checksum; None if the part is incomplete."""
    part = data[start : start + size]
    body = part[: -_CHECKSUM.size]
    return body if len(part) == size and part == _checked(body) else None


def _read(path: Path, data: bytes) -> tuple[int, int, Content]:
    """Offset of the slots, sequence number, and content."""
    if not data.startswith(_NAME):
        raise FormatError(f"{path} is not a checkpoint of symlie.")
    if not data.startswith(_MAGIC):
        found = data[len(_NAME) : len(_NAME) + 12].split(b"\n")[0].decode(errors="replace")
        remedy = "resume it with that version, or start the run again"
        raise other_format(f"The checkpoint {path}", found, FORMAT, _version(data), remedy)
    damaged = FormatError(f"The checkpoint {path} is damaged; start the run again.")
    start = len(_MAGIC)
    if len(data) < start + _SIZES.size:
        raise damaged
    length, size = _SIZES.unpack_from(data, start)
    places = start + _SIZES.size + length + _CHECKSUM.size
    prologue = _whole(data, start, places - start)
    states = [part for part in (_whole(data, places + k * size, size) for k in range(2)) if part is not None]
    if prologue is None or not states:
        raise damaged
    newest = max(states, key=lambda part: _COUNTS.unpack_from(part)[0])
    sequence, length, checksum = _COUNTS.unpack_from(newest)
    records = data[places + 2 * size : places + 2 * size + length]
    if len(records) != length or zlib.crc32(records) != checksum:
        raise damaged
    with reading(f"The checkpoint {path}"):
        header = json.loads(zlib.decompress(prologue[_SIZES.size :]))
    return places, sequence, Content(header, newest[_COUNTS.size :], records)


def _version(data: bytes) -> str | None:
    """Version of symlie that wrote a file of another format, if its header begins as in all formats so far."""
    start = data.find(b"\n") + 1
    with contextlib.suppress(FormatError), reading("The header"):
        length, _ = _SIZES.unpack_from(data, start)
        start += _SIZES.size
        return str(json.loads(zlib.decompress(data[start : start + length]))["identity"]["symlie"])
    return None


def _flush(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    with contextlib.suppress(PermissionError):  # some systems do not open folders
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
