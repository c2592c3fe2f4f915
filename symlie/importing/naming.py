"""Names of a file as identifiers of a model."""

from __future__ import annotations

import keyword
import re

from symlie.errors import ModelError
from symlie.modeling.names import stem


class Names:
    """Identifiers for the names of a file, all different also with the suffixes of their outputs."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def new(self, name: str, fallback: str, suffixes: tuple[str, ...] = ("",), otherwise: str = "_2") -> str:
        """Return the identifier of a name; if it is in use, with an additional suffix.

        Parameters
        ----------
        name
            Name in the file, possibly empty.
        fallback
            Identifier instead of an empty name.
        suffixes
            Suffixes with which the name must be unused.
        otherwise
            Suffix of a name that is in use.
        """
        stem = identifier(name or fallback)
        found, number = stem, 1
        while any(f"{found}{s}" in self._taken for s in suffixes):
            number += 1
            found = f"{stem}{otherwise}" if number == 2 else f"{stem}_{number}"
        self._taken |= {f"{found}{s}" for s in suffixes}
        return found


def identifier(name: str) -> str:
    """Return a name with underscores instead of characters that identifiers do not have."""
    found = re.sub(r"[^0-9A-Za-z_]+", "_", name).strip("_")[:60] or "part"
    return f"n{found}" if found[0].isdigit() else f"{found}_" if keyword.iskeyword(found) else found


def model_name(name: str) -> str:
    """Return the identifier of a robot; with a prefix if generated code has functions or files of this name."""
    found = identifier(name)
    try:
        return stem("The robot's", found)
    except ModelError:
        return f"robot_{found}"[:60]
