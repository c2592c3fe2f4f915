"""Values on the command line: numbers, lists of numbers, and assignments."""

from __future__ import annotations

import json
import math
import re
from argparse import ArgumentTypeError
from typing import NoReturn

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_EXPRESSION = re.compile(rf"\s*({_NUMBER})\s*(?:(\*\*|/)\s*({_NUMBER})\s*)?")


def path(text: str) -> str:
    """Return a path or name, or raise `ArgumentTypeError` if it is empty, such as an unset shell
    variable, or invalid."""
    if not text.strip():
        raise ArgumentTypeError("a name or path is required, but the text is empty")
    if "\0" in text:
        raise ArgumentTypeError(f"{text!r} contains a NUL character, which is not valid in a path")
    return text


def number(text: str) -> float:
    """Parse a finite number such as ``1e-3``, ``2**-11`` or ``1/2048``, or raise `ArgumentTypeError`."""
    match = _EXPRESSION.fullmatch(text)
    if match is None:
        raise ArgumentTypeError(f"{text!r} is not a number such as 0.001, 1e-3, 2**-11 or 1/2048")
    first, operator, second = match.groups()
    value: float | complex = float(first)
    try:
        if operator == "**":
            value = value ** float(second)
        elif operator == "/":
            value = value / float(second)
    except (OverflowError, ZeroDivisionError) as error:
        raise ArgumentTypeError(f"{text!r} is not finite") from error
    if not isinstance(value, float) or not math.isfinite(value):
        raise ArgumentTypeError(f"{text!r} is not finite")
    return value


def whole(text: str) -> int:
    """Parse a whole number such as ``1000``, ``1e6`` or ``2**20``, or raise `ArgumentTypeError`."""
    value = number(text)
    if value != int(value):
        raise ArgumentTypeError(f"{text!r} is not a whole number")
    return int(value)


def numbers(text: str) -> list[float]:
    """Parse numbers separated by commas."""
    return [number(part) for part in text.split(",")]


def names(text: str) -> list[str]:
    """Parse names separated by commas."""
    return [part.strip() for part in text.split(",")]


def option(text: str) -> tuple[str, object]:
    """Parse ``KEY=VALUE`` with a JSON value or a text."""
    key, value = _split(text, "KEY=VALUE")
    try:
        return key, _json(value)
    except ValueError:
        return key, value


def refined(text: str) -> tuple[str, list[float]]:
    """Parse ``KEY=N,N,…`` with at least two distinct numbers; whole numbers become integers."""
    key, values = _split(text, "KEY=N,N,…")
    parsed = [int(value) if value.is_integer() else value for value in numbers(values)]
    if len(set(parsed)) < max(2, len(parsed)):
        raise ArgumentTypeError(f"{text!r} needs at least two values, all different, such as segments=8,16,32")
    return key, parsed


def quantity(text: str) -> tuple[str, object]:
    """Parse ``NAME=VALUE`` with a number or a JSON array of numbers."""
    key, value = _split(text, "NAME=VALUE")
    try:
        return key, number(value)
    except ArgumentTypeError:
        pass
    try:
        return key, _json(value)
    except ValueError:
        raise ArgumentTypeError(f"the value in {text!r} is neither a number nor a JSON array such as [0,1,0]") from None


def node_quantity(text: str) -> tuple[str, str, object]:
    """Parse ``NODE.FIELD=VALUE`` or ``FIELD=VALUE`` with a number or a JSON array of numbers."""
    key, value = quantity(text)
    node, dot, field = key.partition(".")
    if not dot:
        return "", node, value
    if not (node and field):
        raise ArgumentTypeError(f"{text!r} must be NODE.FIELD=VALUE, such as top.Omega=[0,150,0]")
    return node, field, value


def table(text: str) -> tuple[str, dict[str, object]]:
    """Parse ``NAME=JSON`` with the points of an input."""
    return _named_points(text, ("times", "values"), ("interpolation",))


def smooth_table(text: str) -> tuple[str, dict[str, object]]:
    """Parse ``NAME=JSON`` with the points of a smooth table."""
    return _named_points(text, ("points", "values"), ())


def _named_points(text: str, keys: tuple[str, str], further: tuple[str, ...]) -> tuple[str, dict[str, object]]:
    name, value = _split(text, "NAME=JSON")
    try:
        points = _json(value)
    except ValueError:
        points = None
    if not isinstance(points, dict) or not set(keys) <= set(points) <= {*keys, *further}:
        first, second = keys
        raise ArgumentTypeError(f'the value in {text!r} must be such as {{"{first}": [0, 1], "{second}": [0, 5]}}')
    return name, points


def _split(text: str, form: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not (key.strip() and sign):
        raise ArgumentTypeError(f"{text!r} must be {form}")
    return key.strip(), value.strip()


def _json(text: str) -> object:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(constant)

    return json.loads(text, parse_constant=refuse)
