"""Permission to run code from files; docs/files.md lists all files that contain code."""

from __future__ import annotations

from pathlib import Path

from symlie.errors import CodeNotLoadedError


def check_trust(what: str | Path, action: str, *, trust: bool) -> None:
    """Raise CodeNotLoadedError unless the user permits running code of the file."""
    if trust is not True:
        raise CodeNotLoadedError(
            f"{what} holds code that must run to {action}; if you trust its origin, give trust=True, or --trust on the "
            "command line."
        )
