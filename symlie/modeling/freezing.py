"""Parameters as constants: their values enter the expressions before the derivation.

Each double becomes the equal rational number. Sums, products and powers stay exact and are rounded once, when code is
printed; functions of constants are rounded to the nearest double immediately.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy import Expr, Rational, Symbol

from symlie.errors import ModelError, UnknownNameError
from symlie.ir.primitives import PiecewiseLinear, PiecewiseSlope
from symlie.ir.program import Program, needed_expressions
from symlie.ir.restatement import Restatement
from symlie.modeling.element_type import ElementInstances
from symlie.modeling.model import Model
from symlie.modeling.node import Node
from symlie.modeling.statement import Statement
from symlie.modeling.terms import Parameter

_STATED = (
    "kinetic_terms", "potential_terms", "dissipated_terms", "energy_terms", "generalized_forces", "applied_forces",
    "fields", "dependents", "trees", "angles", "constraints", "outputs", "local_outputs", "events",
    "resets",
)  # fmt: skip
"""Attributes of statements that contain expressions."""

_DIGITS = 30
"""Decimal digits to which functions of constants are evaluated before they are rounded to a double."""

Freeze: TypeAlias = str | Sequence[str]
"""``"all"``, the names of some parameters, or one string of names with commas."""

ALL = "all"
"""All parameters of a model, and the parameters of element types with one value in all instances."""

_Stated = TypeVar("_Stated", bound=Statement)


def frozen_names(model: Model, freeze: Freeze) -> tuple[str, ...]:
    """Return the parameters that become constants, as NAME or ELEMENT.NAME, including element parameters that refer to
    them.
    """
    words = [w.strip() for w in freeze.split(",") if w.strip()] if isinstance(freeze, str) else list(freeze)
    if not words:
        return ()
    if not all(isinstance(w, str) for w in words):
        raise ModelError(f"Freeze parameters by their names, or all by 'all', not by {freeze!r}.")
    is_all = freeze == ALL
    own = [p.name for p in model.parameters]
    stated = [] if is_all else [w.removeprefix(f"{model.name}.") for w in words]
    names = [name for name in own if is_all or name in stated]
    positions = frozen_positions(model, names)
    asked = [_of_element(model, name) for name in stated if name not in own]
    for instances, parameter in asked:
        _check_alike(model, instances, parameter, positions)
    found = dict.fromkeys(names)
    for instances in model.instances:
        for parameter in instances.element.parameters:
            is_asked = any(i is instances and p is parameter for i, p in asked)
            if is_asked or _is_constant(instances, parameter, positions, is_all=is_all):
                found[f"{instances.element.name}.{parameter.name}"] = None
    return tuple(found)


def _columns(instances: ElementInstances, parameter: Parameter) -> slice:
    first = 0
    for p in instances.element.parameters:
        if p is parameter:
            break
        first += len(p.default)
    return slice(first, first + len(parameter.default))


def _is_constant(
    instances: ElementInstances, parameter: Parameter, positions: NDArray[np.int32], *, is_all: bool
) -> bool:
    """Return whether all instances have one value that is frozen itself or taken from frozen parameters of the
    model."""
    values, sources = (part[:, _columns(instances, parameter)] for part in values_and_sources(instances))
    is_taken = np.isin(sources, positions)
    return bool(np.all(values == values[0]) and np.all(is_taken | ((sources < 0) & is_all)))


def _of_element(model: Model, name: str) -> tuple[ElementInstances, Parameter]:
    """Return the parameter NAME or ELEMENT.NAME of an element type, with its instances."""
    owner, _, own = name.rpartition(".")
    if any(owner and owner in i.names for i in model.instances):
        raise ModelError(
            f"'{name}' is the parameter of one instance, but all instances of an element type share their code; "
            "freeze the parameter of the element type, or leave it free."
        )
    known = [(i, p) for i in model.instances for p in i.element.parameters]
    found = [(i, p) for i, p in known if p.name == own and owner in ("", i.element.name)]
    if len(found) == 1:
        return found[0]
    if found:
        choice = " or ".join(f"{i.element.name}.{own}" for i, _ in found)
        raise UnknownNameError(f"Several element types of '{model.name}' have a parameter '{own}'; use {choice}.")
    listed = ", ".join([*(p.name for p in model.parameters), *(f"{i.element.name}.{p.name}" for i, p in known)])
    raise UnknownNameError(
        f"Model '{model.name}' has no parameter '{name}' to freeze; it has{': ' + listed if listed else ' none'}."
    )


def _check_alike(model: Model, instances: ElementInstances, parameter: Parameter, positions: NDArray[np.int32]) -> None:
    name = f"{instances.element.name}.{parameter.name}"
    values, sources = (part[:, _columns(instances, parameter)] for part in values_and_sources(instances))
    if not np.all(values == values[0]):
        raise ModelError(
            f"Parameter '{name}' of '{model.name}' differs between instances, which share their code; leave it free."
        )
    free = sources[(sources >= 0) & ~np.isin(sources, positions)]
    if free.size:
        owners = [p.name for p in model.parameters for _ in p.symbols]
        raise ModelError(
            f"Parameter '{name}' of '{model.name}' takes the value of '{owners[int(free[0])]}' of the model; freeze "
            "that parameter, too."
        )


def frozen_model(model: Model, names: Collection[str]) -> Model:
    """Return a copy of a model in which values replace the symbols of some parameters; the parameter layout is
    unchanged.
    """
    values = {
        symbol: Rational(value)
        for p in model.parameters
        if p.name in names
        for symbol, value in zip(p.symbols, p.default, strict=True)
    }
    frozen = _frozen_statement(model, values)
    frozen.motions = [
        dataclasses.replace(m, storage=tuple(map(_Constants(Program(), values).of, m.storage))) for m in model.motions
    ]
    frozen.instances = [
        dataclasses.replace(i, element=_frozen_statement(i.element, values | _values_of_element(model, i, names)))
        for i in model.instances
    ]
    return frozen


def values_and_sources(instances: ElementInstances) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return the parameter values of all elements and, for each value, the index of its model parameter, or -1."""
    return np.vstack(instances.parameters), np.vstack(instances.sources)


def frozen_positions(model: Model, names: Collection[str]) -> NDArray[np.int32]:
    """Return the positions of frozen values among the values of the model's parameters."""
    owners = [p.name for p in model.parameters for _ in p.symbols]
    return np.array([k for k, owner in enumerate(owners) if owner in names], dtype=np.int32)


def _values_of_element(model: Model, instances: ElementInstances, names: Collection[str]) -> dict[Symbol, Rational]:
    element = instances.element
    owners = [(p.name, symbol) for p in element.parameters for symbol in p.symbols]
    if not owners or not instances.nodes:
        return {}
    values, sources = values_and_sources(instances)
    is_alike = np.all(values == values[0], axis=0)
    is_taken = np.all(np.isin(sources, frozen_positions(model, names)), axis=0)
    return {
        symbol: Rational(values[0, k])
        for k, (name, symbol) in enumerate(owners)
        if is_alike[k] and (is_taken[k] or f"{element.name}.{name}" in names)
    }


def _frozen_statement(statement: _Stated, values: Mapping[Symbol, Rational]) -> _Stated:
    """Return a copy of a statement with a separate program and numbers instead of some symbols."""
    stated = {name: getattr(statement, name) for name in _STATED}
    expressions = list(_expressions(list(stated.values())))
    program = Program(statement.name, collects=True)
    program.inputs = dict(statement.program.inputs)
    constants = _Constants(program, values)
    constants.follow(statement.program, expressions)
    frozen = statement.with_program(program)
    for name, value in stated.items():
        setattr(frozen, name, _mapped(value, constants))
    _check_finite(statement, program, [constants.of(e) for e in expressions])
    return frozen


class _Constants(Restatement):
    """Translation of expressions of one program into another one with numbers instead of some symbols."""

    def _rebuilt(self, expression: Expr) -> Expr:
        if isinstance(expression, PiecewiseLinear | PiecewiseSlope):  # their points remain parameters
            return expression.func(self.of(expression.args[0]), *expression.args[1:])
        return super()._rebuilt(expression)

    def _of_arguments(self, expression: Expr, arguments: Sequence[Expr]) -> Expr:
        if expression.is_Mul or expression.is_Add:
            numbers = [a for a in arguments if _is_number(a)]
            others = [a for a in arguments if not _is_number(a)]
            number = _rounded(expression.func(*numbers))
            if expression.is_Mul and len(others) == 1 and others[0].is_Add:
                others = [self._program.scalar(others[0])]  # prevent SymPy from distributing the number over the terms
            return expression.func(number, *others)
        found = expression.func(*arguments)
        return _rounded(found) if all(map(_is_number, arguments)) else found


def _is_number(expression: Expr) -> bool:
    return bool(expression.is_Number or expression.is_NumberSymbol)


def _rounded(number: Expr) -> Expr:
    """Return a rational number unchanged, any other finite real number as the nearest double, and other expressions
    unchanged."""
    if number.is_Rational or not number.is_number:
        return number
    value = number.evalf(_DIGITS)
    return Rational(float(value)) if value.is_Float and value.is_finite else number


def _check_finite(statement: Statement, program: Program, outputs: Sequence[Expr]) -> None:
    for expression in needed_expressions(program, outputs):
        if expression.has(sympy.zoo, sympy.nan, sympy.oo, sympy.I):
            raise ModelError(
                f"With parameters as constants, '{statement.name}' has an expression that is not a finite real "
                "number, such as 1/0; do not freeze the parameter that is zero or negative there."
            )


def _expressions(value: object) -> Iterator[Expr]:
    """Yield all expressions in an attribute of a statement."""
    if isinstance(value, Expr):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _expressions(part)
    elif dataclasses.is_dataclass(value) and not isinstance(value, Node | type):
        for entry in dataclasses.fields(value):
            yield from _expressions(getattr(value, entry.name))


def _mapped(value: Any, constants: _Constants) -> Any:
    """Return an attribute of a statement with constants in its expressions."""
    if isinstance(value, Expr):
        return constants.of(value)
    if isinstance(value, list | tuple):
        return type(value)(_mapped(part, constants) for part in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, Node | type):
        parts = {f.name: _mapped(getattr(value, f.name), constants) for f in dataclasses.fields(value)}
        return dataclasses.replace(value, **parts)
    return value
