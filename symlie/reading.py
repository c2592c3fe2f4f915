"""Reading what others may have written: whatever is wrong inside of a file becomes one named error."""

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
"""Characters of what is said about the damage."""

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
"""What Python, NumPy, netCDF and zlib raise where a key, a type, a length, a number or a nesting is not as expected."""


@contextlib.contextmanager
def reading(path: str | Path, verdict: str = "is damaged") -> Iterator[None]:
    """Give whatever fails inside of the block one name.

    Parameters
    ----------
    path
        What is read, as the message calls it.
    verdict
        What the message says of it.

    Raises
    ------
    FormatError
        Something failed. Named errors pass unchanged.
    """
    try:
        yield
    except SymlieError:
        raise
    except _DAMAGES as error:
        raise FormatError(f"{path} {verdict} ({type(error).__name__}: {brief(error)}).") from error


def other_format(what: str | Path, found: object, reads: int, version: object, remedy: str) -> FormatError:
    """The refusal of a file that another version wrote in a format of its own.

    Parameters
    ----------
    what
        The file, as the message calls it.
    found, reads
        Its format, and the one that this version reads.
    version
        The version that wrote it, as the file says; None if it does not.
    remedy
        What to do.
    """
    writer = "a version that it does not name" if version is None else f"symlie {brief(version)}"
    return FormatError(
        f"{what} has format {brief(found)} of {writer}; this is symlie {VERSION}, which reads format {reads}: {remedy}."
    )


def brief(value: object) -> str:
    """A text on one line of moderate length."""
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def check_file_names(names: Iterable[str]) -> None:
    """Check that names of files stay in the folder that they are written to.

    Raises
    ------
    FormatError
        One is a path, or no name at all.
    """
    for name in names:
        parts = isinstance(name, str) and (PurePosixPath(name).name, PureWindowsPath(name).name)
        if not parts or set(parts) != {name} or not name.isprintable() or name in ("", ".", ".."):
            raise FormatError(f"{brief(repr(name))} is no name of a generated file; what it came from is damaged.")
