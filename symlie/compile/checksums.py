"""Checksums of generated files: a folder that was damaged or edited is found out before anything of it runs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

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
    listed: dict[str, str] = {}
    for line in files[CHECKSUMS].splitlines():
        digest, _, name = line.partition("  ")
        listed[name] = digest
    here = {name: _digest(text) for name, text in files.items() if name.endswith(_CHECKED)}
    return next((name for name in sorted({*listed, *here}) if listed.get(name) != here.get(name)), None)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
