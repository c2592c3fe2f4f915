"""Expressions as users write them: SymPy, with piecewise functions translated to `Select`.

SymPy differentiates sign to a Dirac delta, Max to a step, and Abs of what it does not know to be real to a derivative
that stays; all of them become choices by sign, which are differentiated piece by piece.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence

import numpy as np
import sympy
from sympy import Basic, Expr, Integer

from symlie.errors import ModelError
from symlie.ir.primitives import Select
from symlie.ir.straightline import check_functions
from symlie.modeling.symbolic import Expression, SymbolicMatrix, is_matrix, operand, shown

DEEPEST = 200
"""Levels of an expression: beyond what is written by hand, within what Python can recur into."""

LARGEST_POWER = 1_000
"""Whole exponents, which become products."""

LARGEST = sys.float_info.max
"""The largest number of double precision."""


def components(expression: Expression | np.ndarray | Sequence[object]) -> tuple[Expr, ...]:
    """A scalar, a matrix or a sequence as a tuple of expressions that can be differentiated and compiled.

    Raises
    ------
    ModelError
        A function has no equivalent in compiled code.
    """
    if isinstance(expression, np.ndarray):
        return tuple(translated(e) for e in expression.ravel().tolist())
    if hasattr(expression, "shape"):
        return tuple(translated(e) for e in expression)
    if isinstance(expression, Sequence) and not isinstance(expression, str):
        return tuple(translated(e) for e in expression)
    return (translated(expression),)


def vector(*parts: object) -> SymbolicMatrix:
    """A column vector from numbers and expressions.

    Parameters
    ----------
    *parts
        The components, or one list, array or vector of them.
    """
    if len(parts) == 1 and (is_matrix(parts[0]) or isinstance(parts[0], list | tuple | np.ndarray)):
        parts = tuple(operand(parts[0]))
    return SymbolicMatrix(len(parts), 1, [sympified(p) for p in parts])


def eye(size: int) -> SymbolicMatrix:
    """The identity matrix.

    Parameters
    ----------
    size
        Its number of rows.
    """
    return SymbolicMatrix(sympy.eye(size))


def diag(*entries: Expression | Sequence[object]) -> SymbolicMatrix:
    """A diagonal matrix from its diagonal, given as a vector or as separate entries.

    Parameters
    ----------
    *entries
        One vector or sequence, or numbers and expressions.
    """
    parts = [c for e in entries for c in (tuple(e) if getattr(e, "shape", ()) or isinstance(e, Sequence) else (e,))]
    return SymbolicMatrix(sympy.diag(*(sympy.sympify(c) for c in parts)))


def select(condition: Basic, if_positive: Expression, otherwise: Expression) -> Expression:
    """One of two expressions by the sign of a condition, for laws in pieces.

    Parameters
    ----------
    condition
        An expression, which chooses the first piece where it is positive; or an inequality such as ``x > y``.
    if_positive, otherwise
        The pieces, scalars or matrices of one shape. The one that is not chosen may be infinite or NaN, such as a root
        of a negative number. Derivatives are taken piece by piece; where the law has a kink, steps should end.
    """
    if_positive, otherwise = operand(if_positive), operand(otherwise)
    if is_matrix(if_positive) or is_matrix(otherwise):
        if getattr(if_positive, "shape", None) != getattr(otherwise, "shape", None):
            raise ModelError(f"The pieces of a selection differ in shape: {if_positive} and {otherwise}.")
        pairs = zip(if_positive, otherwise, strict=True)
        return SymbolicMatrix(*if_positive.shape, [select(condition, a, b) for a, b in pairs])
    a, b, c = (sympified(e) for e in (if_positive, otherwise, condition))
    return _choose(c, a, b) if c.is_Boolean or c.is_Relational else Select(c, a, b)


def translated(expression: object) -> Expr:
    """An expression with piecewise functions as `Select`.

    Raises
    ------
    ModelError
        It is no expression, or has a function without equivalent in compiled code, or a constant that is no number.
    """
    expression = sympified(expression)
    if isinstance(expression, Expr):
        _check_extent(expression)
    else:
        raise ModelError(f"'{shown(expression)}' is not an expression of numbers, parameters and components of nodes.")
    if expression.has(sympy.nan, sympy.oo, -sympy.oo, sympy.zoo, sympy.I):
        raise ModelError(f"The expression '{shown(expression)}' contains what is not a finite real number.")
    if expression.is_Atom:
        return expression
    if expression.has(*_RULES, sympy.Piecewise):
        expression = _translate(expression)
    check_functions(expression)
    return expression


def _check_extent(expression: Expr) -> None:
    """Refuse what derivation and compilation would not end with: depths, powers and numbers beyond all use."""
    level, depth = {expression}, 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise ModelError(f"An expression is nested more than {DEEPEST} levels deep; state less.")
        for part in level:
            if part.is_Pow and part.exp.is_Integer and abs(part.exp) > LARGEST_POWER:
                raise ModelError(f"An expression has a power above {LARGEST_POWER}; write large powers by exp and log.")
            if part.is_Rational and not _is_double(part):
                raise ModelError(f"An expression has a number beyond the largest of double precision, {LARGEST:.2g}.")
        level = {argument for part in level for argument in part.args}


def _is_double(number: Expr) -> bool:
    try:
        return abs(float(number)) <= LARGEST
    except OverflowError:
        return False


def sympified(value: object) -> Basic:
    """A number or an expression as SymPy has it; text is refused, because SymPy would execute it.

    Raises
    ------
    ModelError
        It is neither.
    """
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
        raise ModelError(f"The last piece of {expression} needs the condition True, so that it is defined everywhere.")
    total = _translate(last)
    for piece, condition in reversed(pieces):
        total = _choose(_translate(condition), _translate(piece), total)
    return total


def _choose(condition: object, a: Expr, b: Expr) -> Expr:
    """a where a condition holds, else b."""
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
    raise ModelError(
        f"The condition '{condition}' can not be compiled; use >, <, >= and <=, joined by And, Or and Not."
    )


def _step(x: Expr, at_zero: Expr = sympy.S.Half) -> Expr:
    return Select(x, Integer(1), Select(-x, Integer(0), at_zero))


_RULES: dict[type[Basic], Callable[..., Expr]] = {
    sympy.Abs: lambda x: Select(x, x, -x),
    sympy.sign: lambda x: Select(x, Integer(1), Select(-x, Integer(-1), Integer(0))),
    sympy.Heaviside: _step,
    sympy.Max: lambda *x: functools.reduce(lambda a, b: Select(a - b, a, b), x),
    sympy.Min: lambda *x: functools.reduce(lambda a, b: Select(a - b, b, a), x),
}
"""What becomes of SymPy's piecewise functions."""
