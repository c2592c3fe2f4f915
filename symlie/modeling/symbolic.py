"""Expressions and matrices of expressions that accept lists, NumPy arrays and NumPy functions.

Matrices are `SymbolicMatrix`, which treats lists and arrays as vectors and matrices. A scalar is any expression of
SymPy. Sums and products of expressions have no common subclass, so this module patches SymPy's base classes: it
defines NumPy functions of expressions, and errors for conversions to numbers and truth values.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeGuard

import numpy as np
import sympy
from sympy import Add, Basic, Expr, ImmutableDenseMatrix, MatrixBase, Symbol
from sympy.core.relational import Relational

from symlie.errors import ModelError, SymbolicValueError
from symlie.groups.group import Field
from symlie.utilities.showing import line

LONGEST_SHOWN = 80
"""Largest number of characters of an expression in a message."""

OPERATORS: dict[str, Callable[..., object]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "matmul": operator.matmul,
    "power": operator.pow,
    "negative": operator.neg,
    "positive": operator.pos,
}
"""Operators by the names of NumPy's ufuncs."""

FUNCTIONS: dict[str, Callable[..., Expr]] = {
    **{name: getattr(sympy, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt")},
    "arcsin": sympy.asin,
    "arccos": sympy.acos,
    "arctan": sympy.atan,
    "arctan2": sympy.atan2,
    "absolute": sympy.Abs,
    "fabs": sympy.Abs,
    "sign": sympy.sign,
    "square": lambda x: x**2,
    "maximum": sympy.Max,
    "minimum": sympy.Min,
    "hypot": lambda x, y: sympy.sqrt(x**2 + y**2),
    "radians": lambda x: x * sympy.pi / 180,
    "deg2rad": lambda x: x * sympy.pi / 180,
    "degrees": lambda x: x * 180 / sympy.pi,
    "rad2deg": lambda x: x * 180 / sympy.pi,
}
"""NumPy functions with an unambiguous meaning for expressions."""


_components: dict[Symbol, str] = {}
"""Names of components of nodes in messages; the name of the symbol if two models use different ones."""


def name_components(components: Sequence[Symbol], fields: Sequence[Field], node: str) -> None:
    """Register names of components of a node in messages, such as ``body.x[2]``."""
    for field in fields:
        for symbol, place in zip(components[field.offset :], np.ndindex(*field.shape), strict=False):
            stated = f"{node}.{field.name}{list(place)}"
            if _components.setdefault(symbol, stated) != stated:
                _components[symbol] = symbol.name


def shown(value: object) -> str:
    """Return the first characters of an expression, with the names of node components."""
    if isinstance(value, Basic):
        value = value.xreplace({s: Symbol(name) for s in value.free_symbols if (name := _components.get(s))})
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def _sum_of_products(a: MatrixBase, b: MatrixBase) -> Expr:
    return Add(*(x * y for x, y in zip(a.flat(), b.flat(), strict=True) if x != 0 and y != 0))


class SymbolicMatrix(ImmutableDenseMatrix):
    """A matrix of expressions, or a vector as a single column; operands may be lists and arrays of numbers."""

    _class_priority = 9
    _op_priority = 11.0

    def __repr__(self) -> str:
        kind = "Vector" if self.cols == 1 else f"Matrix {self.rows} × {self.cols}"
        return line(kind, [", ".join(map(str, self))])

    def __add__(self, other: object) -> MatrixBase:
        return self if _is_zero(other) else super().__add__(self._alike(other))

    def __radd__(self, other: object) -> MatrixBase:
        return self if _is_zero(other) else self._alike(other) + self

    def __sub__(self, other: object) -> MatrixBase:
        return self + -self._alike(other)

    def __rsub__(self, other: object) -> MatrixBase:
        return self._alike(other) - self

    def __mul__(self, other: object) -> MatrixBase:
        right = operand(other)
        if is_matrix(right) and self.cols != right.rows:
            hint = "; products of two vectors are a.dot(b) and a.cross(b)" if self.shape == right.shape else ""
            raise ModelError(f"{described(self)} cannot multiply {described(right).lower()}{hint}.")
        if isinstance(right, MatrixBase):
            columns = [right[:, j] for j in range(right.cols)]
            return SymbolicMatrix(self.rows, right.cols, lambda i, j: _sum_of_products(self[i, :], columns[j]))
        return super().__mul__(right)

    def __rmul__(self, other: object) -> MatrixBase:
        left = operand(other)
        return left * self if is_matrix(left) else super().__rmul__(left)

    def __matmul__(self, other: object) -> MatrixBase:
        return self * _factor(other)

    def __rmatmul__(self, other: object) -> MatrixBase:
        return _factor(other) * self

    def __truediv__(self, other: object) -> MatrixBase:
        divisor = operand(other)
        if is_matrix(divisor):
            raise ModelError(f"{described(self)} cannot be divided by {described(divisor).lower()}.")
        return super().__truediv__(divisor)

    def __pow__(self, exponent: object) -> MatrixBase:
        if self.rows != self.cols:
            raise ModelError(f"{described(self)} has no powers; the square of its length is a.dot(a).")
        return super().__pow__(exponent)

    def dot(self, b: object) -> Expr:
        """Return the scalar product of two vectors.

        Parameters
        ----------
        b
            Vector, list or array with the same number of components.

        Raises
        ------
        ModelError
            If the numbers of components differ.
        """
        other = operand(b)
        if not is_matrix(other) or len(other) != len(self):
            raise ModelError(f"{described(self)} has no dot product with {_described_lower(other)}.")
        return _sum_of_products(self, other)

    def cross(self, b: object) -> SymbolicMatrix:
        """Return the cross product of two vectors with three components.

        Parameters
        ----------
        b
            Vector, list or array with three components.

        Raises
        ------
        ModelError
            If one of the two does not have three components.
        """
        other = operand(b)
        if not is_matrix(other) or not len(other) == len(self) == 3:
            raise ModelError(f"{described(self)} has no cross product with {_described_lower(other)}.")
        return SymbolicMatrix(super().cross(other))

    def __array_function__(
        self, function: Callable[..., object], types: object, values: tuple[object, ...], options: dict[str, object]
    ) -> object:
        return of_arrays(function, values, options)

    def _alike(self, value: object) -> MatrixBase:
        """Return another summand as a matrix of equal shape, or raise `ModelError`."""
        other = operand(value)
        if is_matrix(other) and other.shape == self.shape:
            return other
        if is_matrix(other):
            raise ModelError(f"{described(self)} and {described(other).lower()} cannot be added.")
        raise ModelError(
            f"{described(self)} and the scalar '{shown(other)}' cannot be added; write sl.vector(…) with what each "
            "component is increased by."
        )


Expression: TypeAlias = Expr | SymbolicMatrix
"""Scalar, vector or matrix of a statement."""


def operand(value: object) -> Expression:
    """Return an operand of an expression, with lists and arrays as vectors and matrices."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        if value.ndim > 2:
            raise ModelError(f"An array of shape {value.shape} is neither a vector nor a matrix.")
        return operand(value.tolist())
    if isinstance(value, list | tuple):
        if any(isinstance(row, list | tuple | np.ndarray) for row in value):
            widths = {len(row) if isinstance(row, Sequence | np.ndarray) else 0 for row in value}
            if len(widths) > 1:
                raise ModelError(f"The rows of '{shown(value)}' differ in length.")
            return SymbolicMatrix([list(row) for row in value])
        return SymbolicMatrix(len(value), 1, list(value))
    matrix = getattr(value, "matrix", value)
    if not is_matrix(matrix) or isinstance(matrix, SymbolicMatrix):
        return matrix
    return SymbolicMatrix(matrix.rows, matrix.cols, list(matrix))  # SymPy would keep the class of a matrix argument


def of_arrays(function: Callable[..., object], values: tuple[object, ...], options: dict[str, object]) -> object:
    """Apply a NumPy function other than a ufunc: products symbolically, all others to arrays of expressions."""
    if len(values) == 2 and not options:
        if function in (np.dot, np.inner):
            return _product(*values)
        if function is np.cross:
            return operand(values[0]).cross(values[1])
    return function(*map(_array, values), **options)


def _product(a: object, b: object) -> Expression:
    """Return NumPy's product of the last axis of a and the first axis of b."""
    left, right = (x if is_matrix(x) else operand(x) for x in (a, b))
    if not (is_matrix(left) and is_matrix(right)):
        return left * right
    if left.shape[1] == 1:
        return left.dot(right) if right.shape[1] == 1 else right.T * left
    return left * right


def _array(value: object) -> object:
    if isinstance(value, list | tuple):
        return type(value)(map(_array, value))
    return np.array(operand(value)) if is_matrix(value) else value


def is_matrix(value: object) -> TypeGuard[MatrixBase]:
    """Return whether a value is a matrix of SymPy or of a statement."""
    return bool(getattr(value, "is_Matrix", False))


def described(matrix: MatrixBase) -> str:
    """Return the kind and size of a matrix, to begin a sentence."""
    return f"A vector of {matrix.rows}" if matrix.cols == 1 else f"A matrix {matrix.rows} × {matrix.cols}"


def _described_lower(value: object) -> str:
    return described(value).lower() if is_matrix(value) else f"the scalar '{shown(value)}'"


def _is_zero(value: object) -> bool:
    """Return whether a summand is the integer zero, the start value of `sum`."""
    return isinstance(value, int) and value == 0


def _factor(value: object) -> MatrixBase:
    matrix = operand(value)
    if not is_matrix(matrix):
        raise ModelError(f"'{shown(value)}' is a scalar; multiply with * instead of @.")
    return matrix


def _applied(expression: Expr, function: np.ufunc, method: str, *operands: Expression, **options: object) -> object:
    """Apply a NumPy ufunc to operands that include expressions."""
    found = OPERATORS.get(function.__name__) or FUNCTIONS.get(function.__name__)
    if method == "__call__" and not options and found is not None:
        if any(isinstance(o, SymbolicMatrix) for o in operands):
            return _of_matrices(function.__name__, found, [operand(o) for o in operands])
        if all(np.ndim(o) == 0 for o in operands):
            return found(*map(operand, operands))
        return np.frompyfunc(found, len(operands), 1)(*(np.asarray(o, dtype=object) for o in operands))
    try:
        return getattr(function, method)(*(np.asarray(o, dtype=object) for o in operands), **options)
    except TypeError as error:
        raise _undefined(function.__name__, expression) from error


def _of_matrices(name: str, function: Callable[..., object], values: list[Expression]) -> object:
    if name in OPERATORS:
        return function(*values)
    if len(values) > 1:
        raise _undefined(name, values[0])
    return values[0].applyfunc(function)


def _undefined(name: str, expression: object) -> SymbolicValueError:
    return SymbolicValueError(
        f"NumPy's {name} is not defined for the expression '{shown(expression)}'; write it with functions of symlie "
        "such as sl.sin, sl.sqrt and sl.select, and component by component."
    )


class _Sentence:
    """Message with lazy formatting of its expression, because SymPy often attempts a conversion and discards the
    error.
    """

    def __init__(self, expression: object, rest: str) -> None:
        self._expression, self._rest = expression, rest

    def __str__(self) -> str:
        return f"'{shown(self._expression)}' {self._rest}"


_number = Expr.__float__


def _as_number(expression: Expr) -> float:
    try:
        return float(_number(expression))
    except TypeError as error:
        raise SymbolicValueError(
            _Sentence(
                expression,
                "is an expression, not a number; write functions of expressions as sl.sin, sl.sqrt, … instead of "
                "those of math.",
            )
        ) from error


def _as_choice(relation: Relational) -> bool:
    raise SymbolicValueError(
        _Sentence(
            relation,
            "is neither true nor false before the model runs; write sl.select(condition, a, b) instead of if, and "
            "sl.Max and sl.Min instead of max and min.",
        )
    )


Expr.__array_ufunc__ = _applied
Expr.__float__ = _as_number
Relational.__bool__ = _as_choice
