"""Type checks of user input, for values that annotations alone do not verify."""

from __future__ import annotations

from numbers import Integral, Real


def is_number(stated: object) -> bool:
    """Return whether the value is a real number of Python or NumPy."""
    return isinstance(stated, Real)


def is_whole_number(stated: object) -> bool:
    """Return whether the value is an integer of Python or NumPy."""
    return isinstance(stated, Integral)


def is_text(stated: object) -> bool:
    """Return whether the value is a string, which is also a sequence."""
    return isinstance(stated, str)
