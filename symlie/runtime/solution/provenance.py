"""Software versions and processor, on which the bits of a result depend in addition to the model."""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from symlie.compile.compiler import processor_identity
from symlie.errors import FormatError
from symlie.utilities.paths import package_digest
from symlie.version import VERSION


def identity() -> dict[str, str]:
    """Return names and values that must agree for bitwise identical results."""
    return {
        "symlie": f"{VERSION} ({package_digest()})",
        "Python": sys.version.split()[0],
        "NumPy": np.__version__,
        "the C library": " ".join(platform.libc_ver()),
        "the processor": processor_identity()[:16],
    }


def check_identity(path: Path, written: Mapping[str, str], here: Mapping[str, str]) -> None:
    """Raise a FormatError if a resumed run would not be bitwise identical."""
    for name in dict.fromkeys([*written, *here]):
        if written.get(name) != here.get(name):
            raise FormatError(
                f"{path} cannot be resumed with the same result: {name} was {written.get(name)} and is "
                f"{here.get(name)} now; start the run again, or resume it in the original environment."
            )


def file_digest(file: str | Path) -> str:
    """Return the hash of a file's content, or ``missing``."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return "missing"


def check_sources(path: Path, sources: Mapping[str, str]) -> None:
    """Raise a FormatError if a source file of the model has changed."""
    for file, known in sources.items():
        if file_digest(file) != known:
            raise FormatError(
                f"{path} cannot be resumed: {file}, the source of its model, has changed since; restore it, "
                "or start the run again."
            )
