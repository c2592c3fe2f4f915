"""Checksums of generated files: a folder that was damaged or edited is found out before anything of it runs."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from pathlib import Path

CHECKSUMS = "checksums.txt"
"""The file that lists them."""

_CHECKED = (".c", ".h", ".py", ".json")


def with_checksums(files: Mapping[str, str]) -> dict[str, str]:
    """Generated files together with the list of their checksums.

    Parameters
    ----------
    files
        Text by name; pages for readers are not listed.
    """
    lines = [f"{_digest(text)}  {name}\n" for name, text in sorted(files.items()) if name.endswith(_CHECKED)]
    return {**files, CHECKSUMS: "".join(lines)}


def changed_file(files: Mapping[str, str]) -> str | None:
    """Name of a file that is not as it was generated, if there is one.

    Parameters
    ----------
    files
        Text by name, with the list of checksums.
    """
    if CHECKSUMS not in files:
        return CHECKSUMS
    listed = _listed(files[CHECKSUMS])
    here = {name: _digest(text) for name, text in files.items() if name.endswith(_CHECKED)}
    return next((name for name in sorted({*listed, *here}) if listed.get(name) != here.get(name)), None)


def unchanged_files(folder: Path) -> set[str]:
    """Names of the files in a folder that are as they were generated.

    Parameters
    ----------
    folder
        A folder, which may hold other files as well.
    """
    found = set()
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for name, digest in _listed((folder / CHECKSUMS).read_text(encoding="utf-8")).items():
            path = folder / name
            if path.parent == folder and path.is_file() and _digest(path.read_text(encoding="utf-8")) == digest:
                found.add(name)
    return found


def _listed(text: str) -> dict[str, str]:
    """Checksums by name of the file."""
    pairs = (line.partition("  ") for line in text.splitlines())
    return {name: digest for digest, _, name in pairs}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
