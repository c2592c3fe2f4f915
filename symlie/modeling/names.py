"""Names that may appear in generated text."""

from __future__ import annotations

import keyword

from symlie.errors import ModelError


def identifier(kind: str, name: str) -> str:
    """Check that a name can be used in generated text.

    Raises
    ------
    ModelError
        The name is not a plain identifier.
    """
    if not name.isidentifier() or not name.isascii() or keyword.iskeyword(name):
        raise ModelError(
            f"{kind} name {name!r} is not usable; take letters, digits and underscores, starting with a letter."
        )
    return name
