"""Names that may appear in generated text.

Names of models, element types and groups become part of C and Python identifiers and of file names; all other names
stand in comments and tables only. Plain ASCII identifiers are safe in both, and in a shell.
"""

from __future__ import annotations

import functools
import keyword
from collections.abc import Container

from symlie.errors import ModelError
from symlie.paths import template_folder

LONGEST = 100
"""Characters of a name; files are called after models."""


def identifier(kind: str, name: str) -> str:
    """Check that a name can be used in generated text.

    Raises
    ------
    ModelError
        The name is not a plain identifier, or a keyword of Python.
    """
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
        raise ModelError(
            f"{kind} name {name!r} is not usable; take letters, digits and underscores, starting with a letter."
        )
    if len(name) > LONGEST:
        raise ModelError(f"{kind} name '{name[:20]}…' is not usable, because it has more than {LONGEST} characters.")
    if keyword.iskeyword(name):
        raise ModelError(f"{kind} name {name!r} is not usable, because it is a keyword of Python; add a letter.")
    return name


def new_name(kind: str, name: str, taken: Container[str], owner: str) -> str:
    """Check that a name can be used in generated text, and that nothing else of its kind has it.

    Parameters
    ----------
    kind
        What is named, for messages.
    name
        The name.
    taken
        Names of this kind that are in use.
    owner
        The model or element type that the names belong to, for messages.

    Raises
    ------
    ModelError
        It is no identifier, or is in use.
    """
    identifier(kind, name)
    if name in taken:
        raise ModelError(f"{kind} '{name}' is defined twice in '{owner}'; rename one.")
    return name


def stem(kind: str, name: str) -> str:
    """Check the name of a model, an element type or a group, which begins names of generated functions and files.

    Raises
    ------
    ModelError
        It is no identifier, or would hide a function or a file that every model has.
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
    """Names of the files of generated code, without their endings."""
    printed = {"constants", "event_tables", "tableau", "math"}
    return frozenset(p.name.partition(".")[0] for p in (template_folder() / "c").rglob("*.*")) | printed
