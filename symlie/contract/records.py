"""Conversion of dataclasses to and from JSON by the types of their fields, which also validate the content."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import types
import typing
from collections.abc import Callable, Hashable
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Record = TypeVar("Record")

OPTIONAL = "optional"
"""Metadata of fields that later versions added: default values are not written."""


def to_json(kind: type[Record], value: Record) -> dict[str, object]:
    """Return a dataclass as JSON data; of an instance of a subclass only the fields of the class ``kind`` are taken."""
    return _record_writer(kind)(value)


def from_json(kind: type[Record], content: object) -> Record:
    """Return a dataclass from JSON data; raise `ValueError`, with its path, for missing keys or wrong types or
    lengths."""
    return _record_reader(kind)(content, ())


Writer: TypeAlias = Callable[[Any], Any]
"""Conversion of values of a type to JSON data."""

Path: TypeAlias = tuple[()] | tuple["Path", str | int]
"""Path of the owner of a part, and its name or index; () for all of the content."""

Reader: TypeAlias = Callable[[object, Path], Any]
"""Conversion of JSON data at a path to values of a type, with a check of the data."""

_ARRAYS = (np.ndarray, NDArray)
"""Origins of array types: since NumPy 2.5 NDArray[float64] is a separate alias; before, it is ndarray[…,
dtype[float64]]."""


def _fields(kind: type) -> list[tuple[dataclasses.Field[object], Hashable]]:
    hints = typing.get_type_hints(kind)
    return [(f, hints[f.name]) for f in dataclasses.fields(kind)]


def _stated(kind: Hashable) -> Hashable:
    """Return X for a type X | None."""
    found: Hashable = next(hint for hint in typing.get_args(kind) if hint is not type(None))
    return found


@functools.cache
def _writer(kind: Any) -> Writer:
    origin, hints = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _record_writer(kind)
    if origin is types.UnionType:
        write = _writer(_stated(kind))
        return lambda value: None if value is None else write(value)
    if origin is tuple and hints[-1] is ...:
        write = _writer(hints[0])
        return list if write is _unchanged else lambda value: [write(part) for part in value]
    if origin is tuple:
        writers = [_writer(hint) for hint in hints]
        return lambda value: [write(part) for write, part in zip(writers, value, strict=True)]
    if origin is dict:
        return dict
    return _list_of if origin in _ARRAYS else _unchanged


def _record_writer(kind: type) -> Callable[[object], dict[str, object]]:
    fields = [(f, _writer(hint), bool(f.metadata.get(OPTIONAL))) for f, hint in _fields(kind)]

    def write(value: object) -> dict[str, object]:
        members = ((f, writer, getattr(value, f.name), optional) for f, writer, optional in fields)
        return {f.name: writer(v) for f, writer, v, optional in members if not (optional and v == f.default)}

    return write


def _unchanged(value: object) -> object:
    return value


def _list_of(array: NDArray[np.generic]) -> object:
    return array.tolist()


@functools.cache
def _reader(kind: Any) -> Reader:
    origin, hints = typing.get_origin(kind), typing.get_args(kind)
    if kind is object:
        return lambda content, at: content
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _record_reader(kind)
    if origin is types.UnionType:
        read = _reader(_stated(kind))
        return lambda content, at: None if content is None else read(content, at)
    if origin in _ARRAYS:
        scalar = hints[0] if origin is NDArray else typing.get_args(hints[1])[0]
        return lambda content, at: _array(scalar, content, at)
    if origin is tuple:
        return _tuple_reader(hints)
    if origin is dict:
        return _dict_reader(_reader(hints[1]))
    return functools.partial(_number_or_text, kind)


def _record_reader(kind: type[Record]) -> Callable[[object, Path], Record]:
    fields = [(f.name, _reader(hint), bool(f.metadata.get(OPTIONAL))) for f, hint in _fields(kind)]

    def read(content: object, at: Path) -> Record:
        if not isinstance(content, dict):
            raise _mismatch(at, "an object")
        values = {}
        for name, reader, optional in fields:
            if name in content:
                values[name] = reader(content[name], (at, name))
            elif not optional:
                raise _mismatch((at, name), "present")
        return kind(**values)

    return read


def _tuple_reader(hints: tuple[Hashable, ...]) -> Reader:
    size, readers = None if hints[-1] is ... else len(hints), [_reader(hint) for hint in hints if hint is not ...]

    def read(content: object, at: Path) -> tuple[object, ...]:
        if not isinstance(content, list) or (size is not None and len(content) != size):
            raise _mismatch(at, "a list" if size is None else f"a list of {size}")
        each = zip(itertools.cycle(readers), content, strict=False)
        return tuple([reader(part, (at, k)) for k, (reader, part) in enumerate(each)])

    return read


def _dict_reader(reader: Reader) -> Reader:
    def read(content: object, at: Path) -> dict[str, object]:
        if not isinstance(content, dict):
            raise _mismatch(at, "an object")
        return {name: reader(part, (at, name)) for name, part in content.items()}

    return read


_NAMES: dict[type, str] = {bool: "true or false", int: "an integer", float: "a number", str: "a string"}


def _number_or_text(kind: type, content: object, at: Path) -> object:
    if type(content) is kind:
        return content
    if kind is float and type(content) is int:
        return float(content)
    raise _mismatch(at, _NAMES[kind])


def _array(scalar: type[np.generic], content: object, at: Path) -> NDArray[np.generic]:
    try:
        found = np.array(content)
    except ValueError:
        found = np.array(None)
    if not isinstance(content, list) or (found.size and found.dtype.kind not in ("i" if scalar is np.int32 else "if")):
        raise _mismatch(at, "an array of " + ("integers" if scalar is np.int32 else "numbers"))
    return found.astype(scalar)


def _mismatch(at: Path, expected: str) -> ValueError:
    where = ""
    while at:
        at, part = at
        where = (f"[{part}]" if isinstance(part, int) else f".{part}") + where
    return ValueError(f"{where.removeprefix('.') or 'the content'} must be {expected}")
