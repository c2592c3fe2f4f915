"""Straight-line programs of statements ``targets = operation(arguments)``, built during the model definition.

A `Value` is a tuple of components in a `Space`: storage of a Lie group, or a plain vector. Group operations and scalar
expressions are the only statements. Equal statements share their targets, so a program eliminates common
subexpressions by construction. Programs are differentiated as lists (`symlie.ir.differentiate`), never as expanded
expressions.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import sympy
from sympy import Expr, Symbol

from symlie.utilities.showing import Brief

Vector = tuple[Expr, ...]
"""Components of a vector, each a SymPy expression in symbols of the program."""


class Space(Protocol):
    """Space of a value: number of stored components and dimension of trivialised tangents."""

    @property
    def name(self) -> str:
        """Name of the space."""

    @property
    def storage_dimension(self) -> int:
        """Number of stored components."""

    @property
    def dimension(self) -> int:
        """Dimension of a tangent."""

    def storage_tangent(self, program: Program, storage: Vector, tangent: Vector) -> Vector:
        """Return the rate of the stored components for the trivialised tangent."""

    def storage_cotangent(self, program: Program, storage: Vector, cotangent: Vector) -> Vector:
        """Apply the transpose of `storage_tangent`: pull a gradient by storage back to the algebra."""

    def algebra_tangent(self, program: Program, storage: Vector, rate: Vector) -> Vector:
        """Apply the inverse of `storage_tangent`: return the trivialised tangent of a rate of the storage."""


@dataclass(frozen=True)
class Euclidean:
    """Plain vector space R^n; a tangent is the rate of the components."""

    dimension: int

    @property
    def name(self) -> str:
        """Name of the space."""
        return f"R{self.dimension}"

    @property
    def storage_dimension(self) -> int:
        """Number of stored components, n."""
        return self.dimension

    def storage_tangent(self, program: Program, storage: Vector, tangent: Vector) -> Vector:
        """Return the tangent itself."""
        return tangent

    def storage_cotangent(self, program: Program, storage: Vector, cotangent: Vector) -> Vector:
        """Return the cotangent itself."""
        return cotangent

    def algebra_tangent(self, program: Program, storage: Vector, rate: Vector) -> Vector:
        """Return the rate itself."""
        return rate


@dataclass(frozen=True, repr=False)
class Value(Brief):
    """Components (symbols of the program, or numbers) together with their space."""

    components: Vector
    space: Space


class Operation(Protocol):
    """Group operation: its result, its derivatives, and its expansion into scalar statements."""

    @property
    def name(self) -> str:
        """Name in the statement list."""

    @property
    def result(self) -> Space:
        """Return the space of the result."""

    def rewrite(self, program: Program, arguments: Sequence[Value]) -> Value | None:
        """Return a value equal to the result that needs no new statement, if it exists."""

    def tangent(
        self, program: Program, arguments: Sequence[Value], result: Value, tangents: Sequence[Vector | None]
    ) -> Vector:
        """Return the trivialised tangent of the result for tangents of the arguments (None: constant)."""

    def cotangent(
        self, program: Program, arguments: Sequence[Value], result: Value, cotangent: Vector
    ) -> tuple[Vector, ...]:
        """Return the trivialised cotangents of the arguments for a cotangent of the result."""

    def lower(self, program: Program, arguments: Sequence[Vector]) -> Vector:
        """Return the components of the result as expressions; intermediate vectors are bound in ``program``."""


@dataclass(frozen=True, repr=False)
class Assignment(Brief):
    """``symbol = expression``, one scalar statement."""

    symbol: Symbol
    expression: Expr

    @cached_property
    def read(self) -> frozenset[Symbol]:
        """Symbols that the statement reads."""
        return frozenset(self.expression.free_symbols)


@dataclass(frozen=True, repr=False)
class Application(Brief):
    """``result = operation(arguments)``, one group statement."""

    operation: Operation
    arguments: tuple[Value, ...]
    result: Value

    @cached_property
    def read(self) -> frozenset[Symbol]:
        """Symbols that the statement reads."""
        return frozenset(s for argument in self.arguments for c in argument.components for s in c.free_symbols)


Statement = Assignment | Application


def is_atom(expression: Expr) -> bool:
    """Return whether an expression is a symbol or a number and needs no statement."""
    return bool(expression.is_Symbol or expression.is_Number)


def _is_multiple(product: Expr) -> bool:
    return len(product.args) == 2 and bool(product.args[0].is_Rational and product.args[1].is_Symbol)


class Program:
    """Statement list with inputs; symbols are numbered and include the owner, so equal statements give equal text."""

    # With ``collects``, multiples of a symbol by a number need no statement, so that sums of their products collect
    # equal terms.

    def __init__(self, owner: str = "", *, collects: bool = False) -> None:
        self._owner = f".{owner}" if owner else ""
        self.collects = collects
        self.inputs: dict[str, Value] = {}
        self.statements: list[Statement] = []
        self._expressions: dict[Expr, Symbol] = {}
        self._applications: dict[tuple[Operation, tuple[Vector, ...]], Value] = {}
        self._definitions: dict[Vector, Application] = {}
        self._lines: dict[Symbol, int] = {}
        self._partials: dict[Expr, list[tuple[Symbol, Expr]]] = {}
        self._counter = 0

    def copy(self) -> Program:
        """Return an independent copy, to which further statements can be appended."""
        other = copy.copy(self)
        other.__dict__.update({name: value.copy() for name, value in vars(self).items() if hasattr(value, "copy")})
        return other

    def fresh(self, stem: str, count: int) -> tuple[Symbol, ...]:
        """Return new symbols ``stem.n`` (one) or ``stem.n.k`` (several) with an unused number n."""
        # The dot distinguishes them from the names of parameters; the owner, which follows the stem if the program has
        # one, from the symbols of other programs.
        self._counter += 1
        name = f"{stem}{self._owner}.{self._counter}"
        if count == 1:
            return (Symbol(name, real=True),)
        return tuple(Symbol(f"{name}.{k}", real=True) for k in range(count))

    def input(self, name: str, space: Space, symbols: Sequence[Symbol]) -> Value:
        """Declare an input value under a unique name."""
        value = Value(tuple(symbols), space)
        self.inputs[name] = value
        return value

    def scalar(self, expression: Expr, stem: str = "s") -> Expr:
        """Bind an expression to a symbol; symbols and numbers are returned unchanged."""
        expression = sympy.sympify(expression)
        if is_atom(expression):
            return expression
        if expression.is_Mul and ((-expression).is_Symbol or (self.collects and _is_multiple(expression))):
            return expression
        symbol = self._expressions.get(expression)
        if symbol is None:
            (symbol,) = self.fresh(stem, 1)
            self._expressions[expression] = symbol
            self._append(Assignment(symbol, expression), (symbol,))
        return symbol

    def vector(self, expressions: Iterable[Expr], stem: str = "s") -> Vector:
        """Bind each component of a vector."""
        return tuple(self.scalar(e, stem) for e in expressions)

    def partials(self, expression: Expr) -> list[tuple[Symbol, Expr]]:
        """Return the free symbols of an expression, sorted by name, each with the cached partial derivative."""
        known = self._partials.get(expression)
        if known is None:
            terms = [(term, term.free_symbols) for term in sympy.Add.make_args(expression)]
            known = [
                (s, sympy.Add(*[_derivative(term, s) for term, symbols in terms if s in symbols]))
                for s in free_symbols(expression)
            ]
            self._partials[expression] = known
        return known

    def apply(self, operation: Operation, *arguments: Value) -> Value:
        """Append ``operation(arguments)``, or return the value that already equals it."""
        rewritten = operation.rewrite(self, arguments)
        if rewritten is not None:
            return rewritten
        key = (operation, tuple(a.components for a in arguments))
        value = self._applications.get(key)
        if value is None:
            symbols = self.fresh(operation.name, operation.result.storage_dimension)
            value = Value(symbols, operation.result)
            statement = Application(operation, tuple(arguments), value)
            self._append(statement, symbols)
            self._applications[key] = value
            self._definitions[symbols] = statement
        return value

    def _append(self, statement: Statement, symbols: Sequence[Symbol]) -> None:
        self._lines |= dict.fromkeys(symbols, len(self.statements))
        self.statements.append(statement)

    def line_of(self, symbol: Symbol) -> int | None:
        """Return the index of the statement that defines a symbol; None for inputs and symbols of other programs."""
        return self._lines.get(symbol)

    def definition(self, components: Vector) -> Application | None:
        """Return the group statement that defines exactly these components, if one does."""
        return self._definitions.get(components)


def substitute(expression: Expr, replacements: Mapping[Symbol, Expr]) -> Expr:
    """Replace symbols by expressions, evaluating arithmetic but nothing else."""
    return expression.xreplace(replacements)


def _derivative(expression: Expr, symbol: Symbol) -> Expr:
    """Return ∂expression/∂symbol; only functions are left to SymPy, which scans an expression at each of its levels."""
    if expression == symbol:
        return sympy.S.One
    if not expression.args:
        return sympy.S.Zero
    if expression.is_Add:
        return sympy.Add(*[_derivative(term, symbol) for term in expression.args])
    if expression.is_Mul:
        factors = expression.args
        rates = [_derivative(factor, symbol) for factor in factors]
        return sympy.Add(*[sympy.Mul(*factors[:k], r, *factors[k + 1 :]) for k, r in enumerate(rates) if r != 0])
    if expression.is_Pow and expression.exp.is_Number:
        base, exponent = expression.args
        rate = _derivative(base, symbol)
        return rate * exponent * base ** (exponent - 1)
    return sympy.diff(expression, symbol) if symbol in expression.free_symbols else sympy.S.Zero


def free_symbols(expression: Expr) -> list[Symbol]:
    """Return the free symbols sorted by name, so that the text is independent of hash order."""
    return sorted(expression.free_symbols, key=lambda s: s.name)


def needed_statements(program: Program, outputs: Iterable[Expr]) -> list[Statement]:
    """Return the statements on which the outputs depend, in program order."""
    return [program.statements[k] for k in sorted(_dependencies(program, outputs)[0])]


def needed_expressions(program: Program, outputs: Sequence[Expr]) -> list[Expr]:
    """Return the expressions of all statements on which the outputs depend, and the outputs."""
    found: list[Expr] = []
    for statement in needed_statements(program, outputs):
        if isinstance(statement, Assignment):
            found.append(statement.expression)
        else:
            found += [c for argument in statement.arguments for c in argument.components]
    return [*found, *outputs]


def needed_symbols(program: Program, outputs: Iterable[Expr]) -> set[Symbol]:
    """Return the symbols on which the outputs depend, directly or through statements."""
    return _dependencies(program, outputs)[1]


def depends_on(program: Program, outputs: Iterable[Expr], symbols: Iterable[Symbol]) -> bool:
    """Return whether any output depends on any of the symbols."""
    return not _dependencies(program, outputs)[1].isdisjoint(symbols)


def _dependencies(program: Program, outputs: Iterable[Expr]) -> tuple[set[int], set[Symbol]]:
    """Return the indices of the statements on which outputs depend, and all symbols that they read."""
    lines: set[int] = set()
    found: set[Symbol] = set()
    waiting = {s for e in outputs for s in e.free_symbols}
    while waiting:
        found |= waiting
        defined = {line for s in waiting if (line := program.line_of(s)) is not None} - lines
        lines |= defined
        waiting = {s for line in defined for s in program.statements[line].read} - found
    return lines, found


def at_values(
    program: Program, outputs: Sequence[Expr], values: Mapping[Symbol, Expr], target: Program | None = None
) -> tuple[Expr, ...]:
    """Return outputs with some symbols replaced, also inside the statements on which they depend."""
    # Statements are appended to the program itself, which is the default ``target``, if they change, or all that the
    # outputs need to another one.
    changed: dict[Symbol, Expr] = dict(values)
    into = program if target is None else target
    for statement in needed_statements(program, outputs):
        if isinstance(statement, Assignment):
            if target is not None or not statement.expression.free_symbols.isdisjoint(changed):
                changed[statement.symbol] = into.scalar(substitute(statement.expression, changed))
            continue
        arguments = [Value(tuple(substitute(c, changed) for c in a.components), a.space) for a in statement.arguments]
        moved = any(a.components != b.components for a, b in zip(arguments, statement.arguments, strict=True))
        if target is not None or moved:
            result = into.apply(statement.operation, *arguments)
            pairs = zip(statement.result.components, result.components, strict=True)
            changed |= {s: c for s, c in pairs if isinstance(s, Symbol)}
    return tuple(substitute(sympy.sympify(e), changed) for e in outputs)


def lower(program: Program, outputs: Sequence[Expr]) -> tuple[Program, tuple[Expr, ...]]:
    """Replace group statements by scalar assignments; return the new program and the outputs in its symbols."""
    lowered = Program(collects=program.collects)
    lowered.inputs = dict(program.inputs)
    replacements: dict[Symbol, Expr] = {}
    for statement in needed_statements(program, outputs):
        if isinstance(statement, Assignment):
            expression = substitute(statement.expression, replacements)
            stem = statement.symbol.name.split(".")[0]
            replacements[statement.symbol] = lowered.scalar(expression, stem)
        else:
            arguments = [tuple(substitute(c, replacements) for c in a.components) for a in statement.arguments]
            components = statement.operation.lower(lowered, arguments)
            for symbol, component in zip(statement.result.components, components, strict=True):
                if isinstance(symbol, Symbol):
                    replacements[symbol] = lowered.scalar(component, statement.operation.name)
    return lowered, tuple(substitute(sympy.sympify(e), replacements) for e in outputs)
