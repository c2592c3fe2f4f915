"""Numbers, vectors and expressions as text of a model file."""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator

import numpy as np

from symlie.importing.description import GROUND, HINGE, Array, Description, JointData, Motor

_OF_NAMES = (*string.ascii_letters, *string.digits, "_")
"""Characters before the bracket of a call or of an index; other brackets are those of lists and terms."""

ROUNDING = 2.3e-16
"""Relative size of rounding errors of products of rotations."""


def number(value: object) -> str:
    """Return a number without loss of digits."""
    return repr(float(np.asarray(value, dtype=float)) + 0.0)


def vector(values: Iterable[float]) -> str:
    """Return a list of numbers."""
    return f"[{', '.join(number(v) for v in values)}]"


def matrix(values: Array) -> str:
    """Return a list of rows."""
    return f"[{', '.join(vector(row) for row in without_noise(values))}]"


def inertia(values: Array) -> str:
    """Return principal moments, or a matrix if there are products of inertia."""
    values = without_noise(values)
    is_diagonal = not np.any(values - np.diag(np.diag(values)))
    return vector(np.diag(values)) if is_diagonal else matrix(values)


def marker(robot: Description, link: int, point: Array, axis: Array, across: Array) -> str:
    """Return a marker of a link or of the ground."""
    body = "model.ground" if link == GROUND else robot.links[link].name
    return f"sl.Marker({body}, {vector(point)}, axis={vector(axis)}, across={vector(across)})"


def words(joint: JointData) -> tuple[str, str, str]:
    """Return the names of the coordinate, its rate and its load."""
    return ("angle", "rate", "torque") if joint.kind == HINGE else ("displacement", "speed", "thrust")


def motor_effort(motor: Motor, u: str, value: str, rate: str) -> str:
    """Return the force of a motor on its coordinate."""
    factors = (u, f"{u} * {value}", f"{u} * {rate}", "", value, rate)
    terms = [
        f"{number(a)} * {factor}" if factor else number(a)
        for a, factor in zip((*motor.gain, *motor.bias), factors, strict=True)
        if a
    ]
    return " + ".join(terms) or f"0.0 * {u}"


def folded(text: str, width: int = 116) -> Iterator[str]:
    """Yield a line; if it is long and ends with a call or a list, with one argument per line."""
    indent = text[: len(text) - len(text.lstrip())]
    end = len(text.rstrip(",")) - 1
    opening = (k for k, c in enumerate(text) if c in "[(" and _holds_arguments(text, k))
    start = next((k for k in opening if _closing(text, k) == end), -1)
    if len(text) <= width or start < 0:
        yield text
        return
    yield text[: start + 1]
    for argument in _arguments(text[start + 1 : end]):
        yield from folded(f"{indent}    {argument.strip()},", width)
    yield indent + text[end:]


def _holds_arguments(text: str, k: int) -> bool:
    """Return whether a bracket begins the arguments of a call or a list, not an index or a term."""
    before = text[:k]
    return before.endswith(_OF_NAMES) if text[k] == "(" else not before.endswith((*_OF_NAMES, "]", ")"))


def _closing(text: str, start: int) -> int:
    """Return the position of the bracket that closes another one."""
    depth = 0
    quoted = False
    for k, c in enumerate(text[start:], start):
        quoted ^= c == '"'
        depth += (c in "([{") - (c in ")]}") if not quoted else 0
        if not depth:
            return k
    return len(text)


def _arguments(text: str) -> Iterator[str]:
    """Yield the arguments of a call, which commas outside of brackets separate."""
    depth = begin = 0
    quoted = False
    for k, c in enumerate(text):
        quoted ^= c == '"'
        depth += (c in "([{") - (c in ")]}") if not quoted else 0
        if c == "," and not depth and not quoted:
            yield text[begin:k]
            begin = k + 1
    if text[begin:].strip():
        yield text[begin:]


def without_noise(values: Array) -> Array:
    """Return an array whose entries below rounding errors of the largest one are zero."""
    return np.where(np.abs(values) < ROUNDING * np.abs(values).max(initial=0.0), 0.0, values)


def printable(text: str) -> str:
    """Return a text that fits in a docstring."""
    return "".join(c if c.isprintable() and c not in '"\\' else "?" for c in text)
