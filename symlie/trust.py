"""Consent to run code that a file holds; docs/files.md lists all kinds of files that hold code."""

from __future__ import annotations

from pathlib import Path

from symlie.errors import CodeNotLoadedError


def check_trust(what: str | Path, action: str, *, trust: bool) -> None:
    """Check that the user allows code of a file to run.

    Parameters
    ----------
    what
        The file or folder, as the message calls it.
    action
        What the user asked for, as in ``"resume it"``.
    trust
        Whether the user allowed it.

    Raises
    ------
    CodeNotLoadedError
        The user did not.
    """
    if trust is not True:
        raise CodeNotLoadedError(
            f"{what} holds code that must run to {action}; if you trust its origin, give trust=True, or --trust on the "
            "command line."
        )
