"""Factors of small matrices as statements of a program, computed from structural nonzeros only.

M is factorised as L D Lᵀ. S = B1 M⁻¹ B0ᵀ is nearly symmetric positive definite (B1 and B0 differ by the motion within a
stage), so it is eliminated without pivoting, as L U, with a margin that is positive if no pivot is too small.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, Integer, Rational, Symbol

from symlie.contract.constants import PIVOT_LOSS
from symlie.contract.signature import Argument, Signature
from symlie.ir.kernels import Kernel, SparsePattern
from symlie.ir.program import Program
from symlie.ir.straightline import flatten

Rows = list[list[Expr]]


def array_of(stem: str, count: int, places: Sequence[int] | None = None) -> tuple[list[Symbol], dict[Symbol, str]]:
    """Return the symbols of an argument of a size, or of some of its places, and the name of each."""
    places = range(count) if places is None else places
    symbols = [Symbol(f"{stem}{i}", real=True) for i in range(len(places))]
    return symbols, {s: f"{stem}[{i}]" for s, i in zip(symbols, places, strict=True)}


def dense(
    pattern: SparsePattern, symbols: Sequence[Symbol], rows: int, columns: int, *, symmetric: bool, is_exact: bool
) -> Rows:
    """Return a full matrix from the symbols of its stored values or their known numbers."""
    matrix: Rows = [[Integer(0)] * columns for _ in range(rows)]
    for k, (i, j) in enumerate(zip(pattern.rows, pattern.columns, strict=True)):
        constant = pattern.constants[k]
        if constant is None:
            entry = symbols[k]
        else:  # binary values with frozen parameters, decimal fractions as written otherwise
            entry = Rational(constant) if is_exact else sympy.nsimplify(constant, rational=True)
        matrix[i][j] += entry
        if symmetric and i != j:
            matrix[j][i] += entry
    return matrix


@dataclass(frozen=True)
class Stored:
    """Array of stored factors: the reciprocals of D, followed by the entries of L at the given positions."""

    n: int
    places: list[tuple[int, int]]
    numbers: dict[int, Expr]
    """Known values by position, which are not read from the array."""
    with_numbers: bool

    @property
    def size(self) -> int:
        """Number of stored values."""
        return self.n + len(self.places)


class Factors:
    """L and the reciprocals of D, read from an array of stored values."""

    def __init__(self, stored: Stored, symbols: Sequence[Symbol]) -> None:
        self.n = stored.n
        values = [stored.numbers.get(k, symbol) for k, symbol in enumerate(symbols)]
        self.reciprocal = values[: self.n]
        self.lower: list[dict[int, Expr]] = [{} for _ in range(self.n)]
        for (i, j), value in zip(stored.places, values[self.n :], strict=True):
            if value != 0:
                self.lower[i][j] = value

    @property
    def products(self) -> int:
        """Number of multiplications of one solution."""
        return sum(int(r != 0) for r in self.reciprocal) + 2 * sum(map(len, self.lower))

    def solve(self, program: Program, vector: Sequence[Expr]) -> list[Expr]:
        """Return M⁻¹ x."""
        x = list(vector)
        for i in range(self.n):
            total = x[i] - sum((entry * x[j] for j, entry in sorted(self.lower[i].items())), Integer(0))
            x[i] = program.scalar(total)
        x = [program.scalar(c * r) if c != 0 else Integer(0) for c, r in zip(x, self.reciprocal, strict=True)]
        for i in reversed(range(self.n)):
            below = [(k, self.lower[k][i]) for k in range(i + 1, self.n) if i in self.lower[k]]
            if below:
                x[i] = program.scalar(x[i] - sum((entry * x[k] for k, entry in below), Integer(0)))
        return x


class RowFactors:
    """S = L U of constraints without pivoting; raises `ZeroPivotError` if a pivot vanishes for all parameters."""

    def __init__(self, program: Program, matrix: Rows) -> None:
        n = len(matrix)
        self.upper = [list(row) for row in matrix]
        self.lower: list[dict[int, Expr]] = [{} for _ in range(n)]
        self.reciprocal: list[Expr] = []
        s, margins = self.upper, []
        for k in range(n):
            check_pivot(s[k][k])
            margins.append(margin_of(s[k][k], matrix[k][k]))
            self.reciprocal.append(program.scalar(1 / s[k][k]))
            for i in range(k + 1, n):
                if s[i][k] == 0:
                    continue
                self.lower[i][k] = program.scalar(s[i][k] * self.reciprocal[k])
                for j in range(k + 1, n):
                    if s[k][j] != 0:
                        s[i][j] = program.scalar(s[i][j] - self.lower[i][k] * s[k][j])
        self.margin = least(program, margins)

    @property
    def products(self) -> int:
        """Number of multiplications of one solution."""
        n = len(self.upper)
        return n + sum(map(len, self.lower)) + sum(int(e != 0) for k in range(n) for e in self.upper[k][k + 1 :])

    def solve(self, program: Program, vector: Sequence[Expr]) -> list[Expr]:
        """Return S⁻¹ x."""
        n, x = len(self.upper), list(vector)
        for i in range(n):
            for k, entry in sorted(self.lower[i].items()):
                x[i] = program.scalar(x[i] - entry * x[k])
        for k in reversed(range(n)):
            total = x[k] - sum((self.upper[k][j] * x[j] for j in range(k + 1, n)), Integer(0))
            x[k] = program.scalar(total * self.reciprocal[k])
        return x


class ZeroPivotError(ArithmeticError):
    """A pivot of the constraints vanishes for all configurations."""


def factorized(mass: SparsePattern, moving: Sequence[bool], *, with_numbers: bool) -> tuple[Kernel, Stored] | None:
    """Return the kernel ``factorize`` of M = L D Lᵀ and its stored values; None for an identically zero pivot."""
    program, n = Program(), len(moving)
    symbols, references = array_of("M", mass.count)
    a = dense(mass, symbols, n, n, symmetric=True, is_exact=with_numbers)
    reciprocal: list[Expr] = []
    lower: dict[tuple[int, int], Expr] = {}
    for k in range(n):
        if not moving[k]:
            reciprocal.append(Integer(0))
            continue
        if a[k][k] == 0:
            return None
        r = program.scalar(1 / a[k][k])
        reciprocal.append(r)
        for i in range(k + 1, n):
            if a[i][k] == 0:
                continue
            lower[i, k] = program.scalar(a[i][k] * r)
            for j in range(k + 1, i + 1):
                if a[j][k] != 0:
                    a[i][j] = program.scalar(a[i][j] - lower[i, k] * a[j][k])
                    a[j][i] = a[i][j]
    places = sorted(lower)
    outputs = [*reciprocal, *(lower[ij] for ij in places)]
    signature = Signature("factorize", (Argument("M", mass.count), Argument("F", len(outputs), True)))
    description = "Factors of M = L D Lᵀ: reciprocals of D, then L."
    numbers = {k: e for k, e in enumerate(outputs) if e.is_Number}
    stored = Stored(n, places, numbers if with_numbers else {}, with_numbers)
    return Kernel(signature, flatten(program, outputs, references), description), stored


def margin_of(pivot: Expr, original: Expr) -> Expr:
    """Return an expression that is positive if a pivot is not too small."""
    return sympy.Abs(pivot) - Rational(str(PIVOT_LOSS)) * sympy.Abs(original)


def check_pivot(pivot: Expr) -> None:
    """Raise `ZeroPivotError` if a pivot vanishes for all parameters."""
    if pivot == 0:
        raise ZeroPivotError


def least(program: Program, margins: Sequence[Expr]) -> Expr:
    """Return the minimum by nested binary minima, because SymPy compares all pairs of a longer one."""
    return functools.reduce(lambda a, b: program.scalar(sympy.Min(a, b)), map(program.scalar, margins))
