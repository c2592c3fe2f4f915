"""Check of names that may appear in generated text.

Names of models, element types and groups become part of C and Python identifiers and of file names; all other names
appear only in comments and tables. Plain ASCII identifiers are safe in both, and in a shell.
"""

from __future__ import annotations

import functools
import keyword
from collections.abc import Container

from symlie.errors import ModelError
from symlie.utilities.paths import template_folder

LONGEST = 100
"""Largest number of characters of a name; files are named after models."""


def identifier(kind: str, name: str) -> str:
    """Return a name; raise `ModelError` if it is not a plain identifier or is a keyword of Python."""
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
        raise ModelError(
            f"{kind} name {name!r} is not usable; use letters, digits and underscores, starting with a letter."
        )
    if len(name) > LONGEST:
        raise ModelError(f"{kind} name '{name[:20]}…' is not usable, because it has more than {LONGEST} characters.")
    if keyword.iskeyword(name):
        raise ModelError(f"{kind} name {name!r} is not usable, because it is a keyword of Python; add a letter.")
    return name


def new_name(kind: str, name: str, taken: Container[str], owner: str) -> str:
    """Return a name; raise `ModelError` if it is not an identifier or is already used by its owner."""
    identifier(kind, name)
    if name in taken:
        raise ModelError(f"{kind} '{name}' is defined twice in '{owner}'; rename one.")
    return name


def stem(kind: str, name: str) -> str:
    """Return the name of a model, element type or group; raise `ModelError` if it collides with generated functions or
    files.
    """
    identifier(kind, name)
    if name in _files() or name in {"factorize", "solve"} or name.partition("_")[0] in {"", "system", "symlie"}:
        raise ModelError(
            f"{kind} name {name!r} is not usable, because generated code has functions or files of this name; "
            "choose another one."
        )
    return name


@functools.cache
def _files() -> frozenset[str]:
    """Return the names of generated files, without extensions."""
    printed = {"constants", "event_tables", "tableau", "math"}
    return frozenset(p.name.partition(".")[0] for p in (template_folder() / "c").rglob("*.*")) | printed
