"""Identifiers of exported programs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from symlie.errors import ModelError

_KEYWORDS = frozenset((
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
    "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed",
    "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "asm",
    "bool", "catch", "class", "delete", "explicit", "false", "friend", "mutable", "namespace", "new", "operator",
    "private", "protected", "public", "template", "this", "throw", "true", "try", "using", "virtual",
))  # fmt: skip
"""Reserved words of C, and of C++, which may include the header."""


def identifier(name: str) -> str:
    """Return a name as identifier of C; dots and brackets of names become underscores.

    Raises
    ------
    ModelError
        If other characters remain, or if the name is a reserved word.
    """
    found = re.sub(r"[.\[\]()\-/ ]+", "_", name).strip("_")
    if not re.fullmatch(r"[A-Za-z_]\w*", found, re.ASCII) or found in _KEYWORDS:
        raise ModelError(f"'{name}' is no identifier in C; rename it with letters, digits and underscores.")
    return found


def distinct(names: Iterable[str]) -> list[str]:
    """Return identifiers of names; those that would be equal get numbers."""
    found: list[str] = []
    for name in map(identifier, names):
        unique, number = name, 2
        while unique in found:
            unique, number = f"{name}_{number}", number + 1
        found.append(unique)
    return found


def checked_prefix(prefix: str) -> str:
    """Return the prefix of all exported names; raise `ModelError` if it is no identifier."""
    if not re.fullmatch(r"[A-Za-z]\w*", prefix, re.ASCII) or prefix in _KEYWORDS:
        raise ModelError(f"The prefix '{prefix}' is no identifier in C; use letters, digits and underscores.")
    return prefix
