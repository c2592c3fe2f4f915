"""Checksums of generated files, which detect damaged or edited folders before their code runs."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from pathlib import Path

CHECKSUMS = "checksums.txt"
"""File that lists the checksums."""

_CHECKED = (".c", ".h", ".py", ".json")


def with_checksums(files: Mapping[str, str]) -> dict[str, str]:
    """Return generated files, text by name, with the list of their checksums; pages for readers are not listed."""
    lines = [f"{_digest(text)}  {name}\n" for name, text in sorted(files.items()) if name.endswith(_CHECKED)]
    return {**files, CHECKSUMS: "".join(lines)}


def changed_file(files: Mapping[str, str]) -> str | None:
    """Return the name of a file that differs from its listed checksum, or None."""
    if CHECKSUMS not in files:
        return CHECKSUMS
    listed = _listed(files[CHECKSUMS])
    here = {name: _digest(text) for name, text in files.items() if name.endswith(_CHECKED)}
    return next((name for name in sorted({*listed, *here}) if listed.get(name) != here.get(name)), None)


def unchanged_files(folder: Path) -> set[str]:
    """Return the names of the listed files in a folder that match their checksums; other files are ignored."""
    found = set()
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for name, digest in _listed((folder / CHECKSUMS).read_text(encoding="utf-8")).items():
            path = folder / name
            if path.parent == folder and path.is_file() and _digest(path.read_text(encoding="utf-8")) == digest:
                found.add(name)
    return found


def _listed(text: str) -> dict[str, str]:
    """Return the listed checksums by file name."""
    pairs = (line.partition("  ") for line in text.splitlines())
    return {name: digest for digest, _, name in pairs}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
