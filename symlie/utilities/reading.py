"""Reading of untrusted files: every defect of a file raises an error that names the file."""

from __future__ import annotations

import contextlib
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath

from symlie.errors import FormatError, SymlieError
from symlie.version import VERSION

_LONGEST = 160
"""Maximum length of the description of the damage, in characters."""

_DAMAGES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)
"""Exceptions of Python, NumPy, netCDF and zlib for an unexpected key, type, length, number or nesting."""


@contextlib.contextmanager
def reading(path: str | Path, verdict: str = "is damaged") -> Iterator[None]:
    """Convert failures within the block to FormatError; errors of symlie pass unchanged."""
    try:
        yield
    except SymlieError:
        raise
    except _DAMAGES as error:
        raise FormatError(f"{path} {verdict} ({type(error).__name__}: {brief(error)}).") from error


def other_format(what: str | Path, found: object, reads: int, version: object, remedy: str) -> FormatError:
    """Return the error for a file in the format of another version, which is None if the file does not name it."""
    writer = "an unknown version" if version is None else f"symlie {brief(version)}"
    return FormatError(
        f"{what} has format {brief(found)}, written by {writer}; this is symlie {VERSION}, which reads format "
        f"{reads}: {remedy}."
    )


def brief(value: object) -> str:
    """Return the text on one line of limited length."""
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def check_file_names(names: Iterable[str]) -> None:
    """Raise FormatError if a file name is empty or a path, so that files remain in their folder."""
    for name in names:
        parts = isinstance(name, str) and (PurePosixPath(name).name, PureWindowsPath(name).name)
        if not parts or set(parts) != {name} or not name.isprintable() or name in ("", ".", ".."):
            raise FormatError(f"{brief(repr(name))} is not the name of a generated file; its source is damaged.")
