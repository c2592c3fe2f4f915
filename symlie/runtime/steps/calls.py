"""Calls of a step recorder as data, and their repetition for systems with other features."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Concatenate, NamedTuple, ParamSpec, Protocol, SupportsFloat, TypeVar

import numpy as np

from symlie.errors import FormatError, ModelError
from symlie.runtime.steps.expressions import Expression, Terms, Value
from symlie.runtime.steps.values import KINDS, NO_JACOBIAN, ImplicitValues, StageValues, UnknownEnd

_NAMES: set[str] = set()
"""Names of the methods of recorders whose calls are kept."""


class Call(NamedTuple):
    """Call of a method of a recorder, in JSON form; numbers represent values."""

    name: str
    arguments: list[object]
    options: dict[str, object]
    results: list[int]
    """Numbers of the values in the result."""


class Recording(Protocol):
    """Recorder whose calls are kept.

    Attributes
    ----------
    start
        Values at the start of the step.
    calls
        Outer calls in order.
    depth
        Number of calls in progress.
    """

    start: tuple[Value, ...]
    calls: list[Call]
    depth: int


S = TypeVar("S", bound=Recording)
P = ParamSpec("P")
T = TypeVar("T")


def recorded(function: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Decorate a method of a recorder so that the calls by an integration method are kept."""
    name = function.__name__
    _NAMES.add(name)

    @functools.wraps(function)
    def call(self: S, /, *arguments: P.args, **options: P.kwargs) -> T:
        self.depth += 1
        try:
            found = function(self, *arguments, **options)
        finally:
            self.depth -= 1
        if self.depth == 0:
            encoded = {key: _encoded(value) for key, value in options.items()}
            numbers = [value.number for value in _values(found)]
            self.calls.append(Call(name, [_encoded(x) for x in arguments], encoded, numbers))
        return found

    return call


def repeat(calls: Iterable[Call], s: Recording) -> None:
    """Repeat calls with another recorder.

    Parameters
    ----------
    calls
        The calls.
    s
        The recorder.

    Raises
    ------
    FormatError
        A call does not belong to a recorder, or reads a value that no earlier call returns.
    """
    known: dict[int, Value] = {value.number: value for value in (*s.start, NO_JACOBIAN)}
    for call in calls:
        name = call.name
        if name not in _NAMES:
            raise FormatError(f"The step program contains an unknown instruction, {name!r}.")
        try:
            options = {key: _decoded(value, known) for key, value in call.options.items()}
            found = getattr(s, name)(*(_decoded(x, known) for x in call.arguments), **options)
            known |= dict(zip(call.results, _values(found), strict=True))
        except (AttributeError, LookupError, TypeError, ValueError, ModelError) as error:
            raise FormatError(f"The step program contains a damaged call of {name}: {error}.") from error


def _encoded(value: object) -> object:
    if isinstance(value, Value):
        return {"value": value.number}
    if isinstance(value, Expression):
        return {"terms": _encoded(value.terms), "of_states": _encoded(value.of_states)}
    if isinstance(value, type):
        return {"kind": value.__name__}
    if isinstance(value, StageValues):
        return {"stage": [value.c, *(x.number for x in _values(value))]}
    if isinstance(value, UnknownEnd):
        return {"unknown": [x.number for x in _values(value)]}
    if isinstance(value, ImplicitValues):
        return {"implicit": [x.number for x in _values(value)]}
    if isinstance(value, list | tuple):
        return [_encoded(x) for x in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, np.ndarray):
        return value.tolist()
    assert isinstance(value, SupportsFloat)
    return float(value)


def _decoded(data: object, known: Mapping[int, Value]) -> object:
    if isinstance(data, list):
        return [_decoded(x, known) for x in data]
    if not isinstance(data, dict):
        return data
    if "value" in data:
        return known[data["value"]]
    if "kind" in data:
        return KINDS[data["kind"]]
    if "implicit" in data:
        return ImplicitValues._make(known[number] for number in data["implicit"])
    if "unknown" in data:
        unknowns = [known[number] for number in data["unknown"]]
        return UnknownEnd._make([*unknowns[:4], tuple(unknowns[4:])])
    if "terms" in data:
        terms, of_states = (_decoded(data[name], known) for name in ("terms", "of_states"))
        return Expression(_terms(terms), None if of_states is None else _terms(of_states))
    c, *numbers = data["stage"]
    return StageValues._make([c, *(known[number] for number in numbers)])


def _terms(data: object) -> Terms:
    """Return decoded terms of a linear combination."""
    assert isinstance(data, list)
    return tuple((weight, x) for weight, x in data)


def _values(found: object) -> Iterator[Value]:
    """Yield the values in the result of a call."""
    if isinstance(found, Value):
        yield found
    elif isinstance(found, tuple):
        for part in found:
            yield from _values(part)
