"""Trailer of a netCDF file of a solution: a checksum of everything before it.

    name of the trailer, number of bytes before it, CRC-32 of these bytes

HDF5 reads a file up to the end given in its header, so other programs read files with a trailer; if they change a
file, they remove it. The trailer is checked before HDF5 opens a file, because HDF5 may crash on a damaged one. It
detects damage, not manipulation: a manipulated file can have a matching trailer.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import BinaryIO

from symlie.errors import FormatError

_TRAILER = struct.Struct("<12sQI")
_NAME = b"symlie end 1"

_HDF5 = b"\x89HDF\r\n\x1a\n"
"""First bytes of an HDF5 file; the version of the header follows."""

_STATED_END = {0: 40, 1: 44, 2: 28, 3: 28}
"""Position of the file length in an HDF5 header, by version, from the HDF5 File Format Specification."""

_LONGEST_HEADER = 64

_BLOCK = 1 << 20


def append_trailer(path: Path) -> None:
    """Append the checksum to a complete and closed file."""
    length = path.stat().st_size
    with path.open("r+b") as file:
        checksum = _checksum(file, length)
        file.seek(length)
        file.write(_TRAILER.pack(_NAME, length, checksum))


def check_trailer(path: Path) -> bool:
    """Return whether a valid checksum ends the file; without a checksum the file must have the length given in its
    header."""
    size = path.stat().st_size
    before = max(size - _TRAILER.size, 0)
    with path.open("rb") as file:
        head = file.read(_LONGEST_HEADER)
        file.seek(before)
        end = file.read()
        if end.startswith(_NAME):
            file.seek(0)
            if end != _TRAILER.pack(_NAME, before, _checksum(file, before)):
                raise FormatError(
                    f"{path} is damaged: its bytes do not have the checksum at its end; "
                    "use another copy, or run the model again."
                )
            return True
    if not head.startswith(_HDF5):
        raise FormatError(f"{path} is not a solution of symlie, or it is damaged: it is not a netCDF-4 file.")
    if _stated_end(head) != size:
        raise FormatError(
            f"{path} is not a solution of symlie, or it is damaged: it does not end where its header says."
        )
    return False


def check_length(path: Path) -> None:
    """Check that a file ends with a checksum for the right number of preceding bytes, without reading these bytes."""
    before = max(path.stat().st_size - _TRAILER.size, 0)
    with path.open("rb") as file:
        file.seek(before)
        end = file.read()
    if not end.startswith(_TRAILER.pack(_NAME, before, 0)[:-4]):
        raise FormatError(f"{path} is damaged: its end is missing; delete it, or use another copy.")


def _stated_end(head: bytes) -> int | None:
    place = _STATED_END.get(head[len(_HDF5)]) if len(head) == _LONGEST_HEADER else None
    return None if place is None else int.from_bytes(head[place : place + 8], "little")


def _checksum(file: BinaryIO, length: int) -> int:
    """Return the CRC-32 of the next bytes of a file."""
    checksum = 0
    while length > 0 and (block := file.read(min(length, _BLOCK))):
        checksum, length = zlib.crc32(block, checksum), length - len(block)
    return checksum
