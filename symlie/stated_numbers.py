"""What users pass for numbers: annotations say what it should be, these functions whether it is."""

from __future__ import annotations

from numbers import Integral, Real


def is_number(stated: object) -> bool:
    """Whether it is a real number, of Python or NumPy."""
    return isinstance(stated, Real)


def is_whole_number(stated: object) -> bool:
    """Whether it is an integer, of Python or NumPy."""
    return isinstance(stated, Integral)


def is_text(stated: object) -> bool:
    """Whether it is a string, which is a sequence as well."""
    return isinstance(stated, str)
