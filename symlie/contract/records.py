"""Conversion of dataclasses to and from JSON by the types of their fields, which also validate the content."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Record = TypeVar("Record")

OPTIONAL = "optional"
"""Metadata of fields that later versions added: default values are not written."""


def to_json(kind: object, value: object) -> Any:
    """Return a value as JSON data; of an instance of a subclass only the fields of the class ``kind`` are taken."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if dataclasses.is_dataclass(kind):
        left_out = {
            f.name for f in dataclasses.fields(kind) if f.metadata.get(OPTIONAL) and getattr(value, f.name) == f.default
        }
        return {n: to_json(hint, getattr(value, n)) for n, hint in _fields(kind).items() if n not in left_out}
    if isinstance(value, tuple):
        hints = typing.get_args(kind)
        return [to_json(hints[0] if hints[-1] is ... else hint, part) for part, hint in _paired(value, hints)]
    if isinstance(value, Mapping):
        return dict(value)
    if value is not None and typing.get_origin(kind) is types.UnionType:
        return to_json(_stated(kind), value)
    return value


def from_json(kind: type[Record], content: object, at: str = "") -> Record:
    """Return a dataclass from JSON data; raise `ValueError`, with the path ``at``, for missing keys or wrong types or
    lengths."""
    found: Record = _read(kind, content, at)
    return found


def _fields(kind: Any) -> dict[str, Any]:
    hints = _hints(kind)
    return {f.name: hints[f.name] for f in dataclasses.fields(kind)}


_hints = functools.cache(typing.get_type_hints)


def _paired(value: Sequence[object], hints: tuple[object, ...]) -> list[tuple[object, object]]:
    return [(part, hints[0]) for part in value] if hints[-1] is ... else list(zip(value, hints, strict=True))


def _stated(kind: object) -> object:
    """Return X for a type X | None."""
    return next(hint for hint in typing.get_args(kind) if hint is not type(None))


def _read(kind: Any, content: object, at: str) -> Any:
    origin, hints = typing.get_origin(kind), typing.get_args(kind)
    if kind is object:
        return content
    if origin is types.UnionType:
        return None if content is None else _read(_stated(kind), content, at)
    if dataclasses.is_dataclass(kind):
        return _record(kind, content, at)
    if origin in (np.ndarray, NDArray):
        # Since NumPy 2.5 NDArray[float64] is a separate alias; before, it is ndarray[…, dtype[float64]].
        return _array(hints[0] if origin is NDArray else typing.get_args(hints[1])[0], content, at)
    if origin is tuple:
        if not isinstance(content, list) or (hints[-1] is not ... and len(content) != len(hints)):
            raise _mismatch(at, "a list" if hints[-1] is ... else f"a list of {len(hints)}")
        return tuple(_read(hint, part, f"{at}[{k}]") for k, (part, hint) in enumerate(_paired(content, hints)))
    if origin is dict:
        if not isinstance(content, dict):
            raise _mismatch(at, "an object")
        return {name: _read(hints[1], part, f"{at}.{name}") for name, part in content.items()}
    if kind is float and type(content) is int:
        return float(content)
    if type(content) is not kind:
        raise _mismatch(at, _NAMES[kind])
    return content


def _record(kind: Any, content: object, at: str) -> Any:
    if not isinstance(content, dict):
        raise _mismatch(at, "an object")
    dot, fields = at and f"{at}.", _fields(kind)
    optional = {f.name for f in dataclasses.fields(kind) if f.metadata.get(OPTIONAL)}
    missing = [name for name in fields if name not in content and name not in optional]
    if missing:
        raise _mismatch(f"{dot}{missing[0]}", "present")
    read = {name: hint for name, hint in fields.items() if name in content}
    return kind(**{name: _read(hint, content[name], f"{dot}{name}") for name, hint in read.items()})


_NAMES = {bool: "true or false", int: "an integer", float: "a number", str: "a string"}


def _array(scalar: type[np.generic], content: object, at: str) -> NDArray[np.generic]:
    try:
        found = np.array(content)
    except ValueError:
        found = np.array(None)
    if not isinstance(content, list) or (found.size and found.dtype.kind not in ("i" if scalar is np.int32 else "if")):
        raise _mismatch(at, "an array of " + ("integers" if scalar is np.int32 else "numbers"))
    return found.astype(scalar)


def _mismatch(at: str, expected: str) -> ValueError:
    return ValueError(f"{at or 'the content'} must be {expected}")
