"""Conversion of user expressions: SymPy, with piecewise functions translated to `Select`.

SymPy differentiates sign to a Dirac delta, Max to a step function, and Abs of an argument of unknown type to an
unevaluated derivative; all of them become selections by sign, which are differentiated branch by branch.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Sequence

import numpy as np
import sympy
from sympy import Basic, Expr, Float, Integer

from symlie.errors import ModelError
from symlie.ir.primitives import Select
from symlie.ir.straightline import check_functions
from symlie.modeling.symbolic import Expression, SymbolicMatrix, is_matrix, operand, shown

DEEPEST = 200
"""Largest depth of an expression: deeper than handwritten ones, within the recursion limit of Python."""

LARGEST_POWER = 1_000
"""Largest integer exponent; such powers become products."""

LARGEST = sys.float_info.max
"""Largest number in double precision."""


def components(expression: Expression | np.ndarray | Sequence[object]) -> tuple[Expr, ...]:
    """Return a scalar, matrix or sequence as a tuple of expressions that can be differentiated and compiled, or raise
    `ModelError`.
    """
    if isinstance(expression, np.ndarray):
        return tuple(translated(e) for e in expression.ravel().tolist())
    if hasattr(expression, "shape"):
        return tuple(translated(e) for e in expression)
    if isinstance(expression, Sequence) and not isinstance(expression, str):
        return tuple(translated(e) for e in expression)
    return (translated(expression),)


def vector(*parts: object) -> SymbolicMatrix:
    """Return a column vector of numbers and expressions.

    Parameters
    ----------
    *parts
        The components, or one list, array or vector of them.
    """
    if len(parts) == 1 and (is_matrix(parts[0]) or isinstance(parts[0], list | tuple | np.ndarray)):
        parts = tuple(operand(parts[0]))
    return SymbolicMatrix(len(parts), 1, [sympified(p) for p in parts])


def eye(size: int) -> SymbolicMatrix:
    """Return the identity matrix.

    Parameters
    ----------
    size
        Its dimension.
    """
    return SymbolicMatrix(sympy.eye(size))


def diag(*entries: Expression | Sequence[object]) -> SymbolicMatrix:
    """Return a diagonal matrix.

    Parameters
    ----------
    *entries
        The diagonal: one vector or sequence, or separate numbers and expressions.
    """
    parts = [c for e in entries for c in (tuple(e) if getattr(e, "shape", ()) or isinstance(e, Sequence) else (e,))]
    return SymbolicMatrix(sympy.diag(*(sympy.sympify(c) for c in parts)))


def select(condition: Basic, if_positive: Expression, otherwise: Expression) -> Expression:
    """Select one of two expressions by the sign of a condition, for piecewise laws.

    Parameters
    ----------
    condition
        An expression that selects the first branch if it is positive, or an inequality such as ``x > y``.
    if_positive, otherwise
        The branches, scalars or matrices of one shape. The branch that is not selected may be infinite or NaN, such as
        the root of a negative number. Derivatives are taken branch by branch; steps should end at the kinks of the law.
    """
    if_positive, otherwise = operand(if_positive), operand(otherwise)
    if is_matrix(if_positive) or is_matrix(otherwise):
        if getattr(if_positive, "shape", None) != getattr(otherwise, "shape", None):
            raise ModelError(f"The branches of a selection differ in shape: {if_positive} and {otherwise}.")
        pairs = zip(if_positive, otherwise, strict=True)
        return SymbolicMatrix(*if_positive.shape, [select(condition, a, b) for a, b in pairs])
    a, b, c = (sympified(e) for e in (if_positive, otherwise, condition))
    return _choose(c, a, b) if c.is_Boolean or c.is_Relational else Select(c, a, b)


def translated(expression: object) -> Expr:
    """Return an expression with piecewise functions as `Select`; raise `ModelError` if compiled code cannot evaluate
    it."""
    if type(expression) is float and math.isfinite(expression):
        return Float(expression)
    expression = sympified(expression)
    if isinstance(expression, Expr):
        _check_extent(expression)
    else:
        raise ModelError(f"'{shown(expression)}' is not an expression of numbers, parameters and components of nodes.")
    if expression.has(sympy.nan, sympy.oo, -sympy.oo, sympy.zoo, sympy.I):
        raise ModelError(f"The expression '{shown(expression)}' contains a value that is not a finite real number.")
    if expression.is_Atom:
        return expression
    if expression.has(*_RULES, sympy.Piecewise):
        expression = _translate(expression)
    check_functions(expression)
    return expression


def _check_extent(expression: Expr) -> None:
    """Raise `ModelError` for depths, powers and numbers too large for derivation and compilation."""
    level, depth = {expression}, 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise ModelError(f"An expression is nested more than {DEEPEST} levels deep; simplify it.")
        for part in level:
            if part.is_Pow and part.exp.is_Integer and abs(part.exp) > LARGEST_POWER:
                raise ModelError(
                    f"An expression contains a power above {LARGEST_POWER}; write large powers by exp and log."
                )
            if part.is_Rational and not _is_double(part):
                raise ModelError(
                    f"An expression contains a number above the largest of double precision, {LARGEST:.2g}."
                )
        level = {argument for part in level for argument in part.args}


def _is_double(number: Expr) -> bool:
    try:
        return abs(float(number)) <= LARGEST
    except OverflowError:
        return False


def sympified(value: object) -> Basic:
    """Return a number or an expression of SymPy; text is refused, because SymPy would execute it."""
    if value is None or isinstance(value, str):
        raise ModelError(f"{value!r} is not an expression; write it with the symbols of the model.")
    try:
        return sympy.sympify(value)
    except (sympy.SympifyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"'{shown(value)}' is not an expression of numbers, parameters and components of nodes.") \
            from error  # fmt: skip


def _translate(expression: Basic) -> Expr:
    if expression.is_Atom:
        return expression
    if isinstance(expression, sympy.Piecewise):
        return _piecewise(expression)
    arguments = [_translate(a) for a in expression.args]
    rule = _RULES.get(type(expression))
    return rule(*arguments) if rule is not None else expression.func(*arguments)


def _piecewise(expression: sympy.Piecewise) -> Expr:
    *pieces, (last, condition) = expression.args
    if condition != sympy.true:
        raise ModelError(
            f"The last branch of {expression} needs the condition True; otherwise the expression is not defined "
            "everywhere."
        )
    total = _translate(last)
    for piece, condition in reversed(pieces):
        total = _choose(_translate(condition), _translate(piece), total)
    return total


def _choose(condition: object, a: Expr, b: Expr) -> Expr:
    """Return the selection of a if the condition holds, and of b otherwise."""
    if condition in (sympy.true, sympy.false):
        return a if condition == sympy.true else b
    if isinstance(condition, sympy.Not):
        return _choose(condition.args[0], b, a)
    if isinstance(condition, sympy.And):
        return functools.reduce(lambda inner, c: _choose(c, inner, b), reversed(condition.args), a)
    if isinstance(condition, sympy.Or):
        return functools.reduce(lambda inner, c: _choose(c, a, inner), reversed(condition.args), b)
    if isinstance(condition, sympy.StrictGreaterThan | sympy.LessThan):
        difference, strict = condition.lhs - condition.rhs, isinstance(condition, sympy.StrictGreaterThan)
        return Select(difference, a, b) if strict else Select(difference, b, a)
    if isinstance(condition, sympy.StrictLessThan | sympy.GreaterThan):
        difference, strict = condition.rhs - condition.lhs, isinstance(condition, sympy.StrictLessThan)
        return Select(difference, a, b) if strict else Select(difference, b, a)
    raise ModelError(f"The condition '{condition}' cannot be compiled; use >, <, >= and <=, joined by And, Or and Not.")


def _step(x: Expr, at_zero: Expr = sympy.S.Half) -> Expr:
    return Select(x, Integer(1), Select(-x, Integer(0), at_zero))


_RULES: dict[type[Basic], Callable[..., Expr]] = {
    sympy.Abs: lambda x: Select(x, x, -x),
    sympy.sign: lambda x: Select(x, Integer(1), Select(-x, Integer(-1), Integer(0))),
    sympy.Heaviside: _step,
    sympy.Max: lambda *x: functools.reduce(lambda a, b: Select(a - b, a, b), x),
    sympy.Min: lambda *x: functools.reduce(lambda a, b: Select(a - b, b, a), x),
}
"""Translations of SymPy's piecewise functions."""
