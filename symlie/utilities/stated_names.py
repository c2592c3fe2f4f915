"""Names that users state, one or several."""

from __future__ import annotations

from collections.abc import Iterable

from symlie.errors import ModelError


def stated_names(what: str, stated: object, example: str) -> list[str]:
    """Return names from one name or several ones; raise ModelError for anything else.

    ``what`` is the argument with its role, and ``example`` is a name that it may contain.
    """
    if isinstance(stated, str):
        return [stated]
    found = list(stated) if isinstance(stated, Iterable) and not isinstance(stated, bytes | bytearray) else None
    if found is None or not all(isinstance(name, str) for name in found):
        raise ModelError(f'{what} must be a name or a list of names, such as ["{example}"], not {stated!r}.')
    return found
