"""Linear algebra of small systems as derived straight-line programs: only structural nonzeros are touched.

    [ M    B0ᵀ ] [v']   [r]
    [ B1   0   ] [λ ] = [c]      W = M⁻¹B0ᵀ,  S = B1 W,  S λ = B1 M⁻¹ r - c,  v' = M⁻¹ r - W λ

M is factorised as L D Lᵀ. S is nearly symmetric positive definite (B1 and B0 differ by the motion within a stage), so
it is eliminated without pivoting; the kernel returns a margin that is positive when every pivot kept its size, and the
caller falls back on a pivoted elimination of the whole matrix when it is not.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, Integer, Rational, Symbol

from symlie.contract.constants import PIVOT_LOSS
from symlie.contract.signature import Argument, Signature
from symlie.ir.hoisting import ParameterHoisting
from symlie.ir.kernels import Elimination, Kernel, SparsePattern
from symlie.ir.program import Program
from symlie.ir.straightline import by_output, flatten

Rows = list[list[Expr]]

LARGEST_AT_ONCE = 3
"""Constraint rows that are eliminated by products of pivots: of three these are products of at most eight entries."""


def _symbols(stem: str, count: int) -> tuple[list[Symbol], dict[Symbol, str]]:
    symbols = [Symbol(f"{stem}{i}", real=True) for i in range(count)]
    return symbols, {s: f"{stem}[{i}]" for i, s in enumerate(symbols)}


def _dense(
    pattern: SparsePattern, symbols: Sequence[Symbol], rows: int, columns: int, *, symmetric: bool, is_exact: bool
) -> Rows:
    matrix: Rows = [[Integer(0)] * columns for _ in range(rows)]
    for k, (i, j) in enumerate(zip(pattern.rows, pattern.columns, strict=True)):
        constant = pattern.constants[k]
        if constant is None:
            entry = symbols[k]
        else:  # decimal fractions of statements are taken as they were written, values of parameters as they are
            entry = Rational(constant) if is_exact else sympy.nsimplify(constant, rational=True)
        matrix[i][j] += entry
        if symmetric and i != j:
            matrix[j][i] += entry
    return matrix


@dataclass(frozen=True)
class _Stored:
    """The array that factors are stored in: the reciprocals of D, then the entries of L in these places."""

    n: int
    places: list[tuple[int, int]]
    numbers: dict[int, Expr]
    """Values that are known, by position, and not read."""
    with_numbers: bool

    @property
    def size(self) -> int:
        return self.n + len(self.places)


class _Factors:
    """L and the reciprocals of D, read from an array of stored values."""

    def __init__(self, stored: _Stored, symbols: Sequence[Symbol]) -> None:
        self.n = stored.n
        values = [stored.numbers.get(k, symbol) for k, symbol in enumerate(symbols)]
        self.reciprocal = values[: self.n]
        self.lower: list[dict[int, Expr]] = [{} for _ in range(self.n)]
        for (i, j), value in zip(stored.places, values[self.n :], strict=True):
            if value != 0:
                self.lower[i][j] = value

    @property
    def products(self) -> int:
        """Multiplications of one solution."""
        return sum(int(r != 0) for r in self.reciprocal) + 2 * sum(map(len, self.lower))

    def solve(self, program: Program, vector: Sequence[Expr]) -> list[Expr]:
        """M⁻¹ x."""
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


def derive_elimination(
    mass: SparsePattern, jacobian: SparsePattern, moving: Sequence[bool], rows: int, *, with_numbers: bool = False
) -> Elimination:
    """Derive the kernels ``factorize``, ``solve_mass``, ``solve_saddle`` of a small system.

    Parameters
    ----------
    mass, jacobian
        Patterns of the assembled matrices; of the mass matrix the lower triangle.
    moving
        Which components are velocities; the acceleration of the others is zero.
    rows
        Number of constraint rows.
    with_numbers
        Whether parameters are constants: factors that are numbers stand in the solutions, and are not read from those
        that ``factorize`` gives; and there is ``multiply_rows``, in place of loops.

    Returns
    -------
    Elimination
        Without kernels if a pivot vanishes for all parameters: only a pivoted elimination can tell what to do.
    """
    factors = _factorize(mass, moving, with_numbers=with_numbers)
    if factors is None:
        return Elimination((), 0)
    factorize, stored = factors
    kernels = [factorize, _solve_mass(stored, jacobian, rows)]
    if rows:
        try:
            kernels.append(_solve_saddle(stored, jacobian, rows))
        except _ZeroPivotError:
            return Elimination((), 0)
        if with_numbers:
            kernels.append(_multiply_rows(jacobian, dimension=len(moving), rows=rows))
    return Elimination(tuple(kernels), stored.size)


def derive_kept_elimination(
    mass: SparsePattern, jacobian: SparsePattern, moving: Sequence[bool], rows: int, *, with_numbers: bool = False
) -> tuple[Kernel, ...]:
    """Derive the kernels ``factorize_orders`` and ``solve_order``, of one matrix with many right-hand sides.

    With the factors of M from ``factorize``, where B1 is B0, W = M⁻¹Bᵀ and the inverses of M and S are found once, so
    that in a solution nothing waits for more than three products one after the other:

        λ = S⁻¹ (Wᵀ r - c),   v' = M⁻¹ r - W λ

    An inverse with more entries than its factors is not formed. Arguments are those of `derive_elimination`.

    Returns
    -------
    tuple of Kernel
        Empty where a pivot vanishes for all parameters.
    """
    found = _factorize(mass, moving, with_numbers=with_numbers)
    if found is None:
        return ()
    stored, program, n = found[1], Program(), found[1].n
    f, references = _symbols("F", stored.size)
    b, b_references = _symbols("B", jacobian.count)
    r, r_references = _symbols("r", n)
    c, c_references = _symbols("c", rows)
    references |= b_references | r_references | c_references
    factors = _Factors(stored, f)
    matrix = [Argument("F", stored.size), *([Argument("B", jacobian.count)] if rows else [])]
    right = [Argument("r", n), *([Argument("c", rows)] if rows else [])]
    results = [Argument("a", n, True)]
    acceleration = _inverse_or_factors(program, factors, n)(r)
    outputs = acceleration
    if rows:
        dense = _dense(jacobian, b, rows, n, symmetric=False, is_exact=with_numbers)
        w = [factors.solve(program, row) for row in dense]
        s = [[_sum_of_products(program, row, column) for column in w] for row in dense]
        try:
            of_rows = _RowFactors(program, s)
        except _ZeroPivotError:
            return ()
        bound = [program.scalar(_sum_of_products(program, column, r) - x) for column, x in zip(w, c, strict=True)]
        multipliers = _inverse_or_factors(program, of_rows, rows)(bound)
        pulls = [_sum_of_products(program, column, multipliers) for column in zip(*w, strict=True)]
        outputs = [a - pull for a, pull in zip(acceleration, pulls, strict=True)] + [*multipliers, of_rows.margin]
        results += [Argument("lambda", rows, True), Argument("margin", 1, True)]
    hoisting = ParameterHoisting(0, "G", tuple(f"{a.name}[" for a in matrix))
    of_order = hoisting.apply(flatten(program, outputs, references))
    kept = Argument("G", hoisting.size)
    first = Signature("factorize_orders", (*matrix, Argument("G", hoisting.size, True)))
    second = Signature("solve_order", (*matrix, kept, *right, *results))
    of_rows_too = "Solution of [M Bᵀ; B 0][a; λ] = [r; c]; margin > 0 if every pivot is sound."
    description = of_rows_too if rows else "a = M⁻¹ r."
    return (
        Kernel(first, by_output(hoisting.prepare()), "What solve_order keeps."),
        Kernel(second, by_output(of_order), description),
    )


class _RowFactors:
    """S = L U without pivoting, of rows of constraints."""

    def __init__(self, program: Program, matrix: Rows) -> None:
        n = len(matrix)
        self.upper = [list(row) for row in matrix]
        self.lower: list[dict[int, Expr]] = [{} for _ in range(n)]
        self.reciprocal: list[Expr] = []
        s, margins = self.upper, []
        for k in range(n):
            _check_pivot(s[k][k])
            margins.append(_margin(s[k][k], matrix[k][k]))
            self.reciprocal.append(program.scalar(1 / s[k][k]))
            for i in range(k + 1, n):
                if s[i][k] == 0:
                    continue
                self.lower[i][k] = program.scalar(s[i][k] * self.reciprocal[k])
                for j in range(k + 1, n):
                    if s[k][j] != 0:
                        s[i][j] = program.scalar(s[i][j] - self.lower[i][k] * s[k][j])
        self.margin = _least(program, margins)

    @property
    def products(self) -> int:
        """Multiplications of one solution."""
        n = len(self.upper)
        return n + sum(map(len, self.lower)) + sum(int(e != 0) for k in range(n) for e in self.upper[k][k + 1 :])

    def solve(self, program: Program, vector: Sequence[Expr]) -> list[Expr]:
        """S⁻¹ x."""
        n, x = len(self.upper), list(vector)
        for i in range(n):
            for k, entry in sorted(self.lower[i].items()):
                x[i] = program.scalar(x[i] - entry * x[k])
        for k in reversed(range(n)):
            total = x[k] - sum((self.upper[k][j] * x[j] for j in range(k + 1, n)), Integer(0))
            x[k] = program.scalar(total * self.reciprocal[k])
        return x


def _inverse_or_factors(
    program: Program, factors: _Factors | _RowFactors, n: int
) -> Callable[[Sequence[Expr]], list[Expr]]:
    """How to solve with a matrix: by its inverse, unless this has more entries than factors ask for products."""
    units = [[Integer(int(i == k)) for i in range(n)] for k in range(n)]
    inverse = list(zip(*(factors.solve(program, unit) for unit in units), strict=True))
    if sum(int(entry != 0) for row in inverse for entry in row) > factors.products:
        return lambda right: factors.solve(program, right)
    return lambda right: [_sum_of_products(program, row, right) for row in inverse]


def _sum_of_products(program: Program, left: Sequence[Expr], right: Sequence[Expr]) -> Expr:
    """Added in pairs, and pairs of pairs, so that no addition waits for many others."""
    terms: list[Expr] = [a * b for a, b in zip(left, right, strict=True) if a != 0 and b != 0]
    while len(terms) > 1:
        pairs = [program.scalar(a + b) for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + terms[len(terms) - len(terms) % 2 :]
    return program.scalar(terms[0]) if terms else Integer(0)


class _ZeroPivotError(ArithmeticError):
    """A pivot of constraint rows vanishes whatever the configuration is."""


def _factorize(mass: SparsePattern, moving: Sequence[bool], *, with_numbers: bool) -> tuple[Kernel, _Stored] | None:
    program, n = Program(), len(moving)
    symbols, references = _symbols("M", mass.count)
    a = _dense(mass, symbols, n, n, symmetric=True, is_exact=with_numbers)
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
    stored = _Stored(n, places, numbers if with_numbers else {}, with_numbers)
    return Kernel(signature, flatten(program, outputs, references), description), stored


def _solve_mass(stored: _Stored, jacobian: SparsePattern, rows: int) -> Kernel:
    program, n = Program(), stored.n
    f, references = _symbols("F", stored.size)
    r, right = _symbols("r", n)
    references |= right
    arguments = [Argument("F", stored.size), Argument("r", n)]
    right_side: list[Expr] = list(r)
    if rows:
        b0, b_references = _symbols("B", jacobian.count)
        multipliers, l_references = _symbols("lambda", rows)
        references |= b_references | l_references
        arguments += [Argument("B", jacobian.count), Argument("lambda", rows)]
        columns = zip(*_dense(jacobian, b0, rows, n, symmetric=False, is_exact=stored.with_numbers), strict=True)
        pull = [sum((b * m for b, m in zip(c, multipliers, strict=True) if b != 0), Integer(0)) for c in columns]
        right_side = [program.scalar(a - b) for a, b in zip(r, pull, strict=True)]
    solution = _Factors(stored, f).solve(program, right_side)
    signature = Signature("solve_mass", (*arguments, Argument("a", n, True)))
    description = "a = M⁻¹ (r - Bᵀ λ)." if rows else "a = M⁻¹ r."
    return Kernel(signature, flatten(program, solution, references), description)


def _solve_saddle(stored: _Stored, jacobian: SparsePattern, rows: int) -> Kernel:
    program, n = Program(), stored.n
    f, references = _symbols("F", stored.size)
    right_symbols, force, bound = _symbols("B0", jacobian.count), _symbols("r", n), _symbols("c", rows)
    left_symbols = _symbols("B1", jacobian.count)
    for _, names in (right_symbols, left_symbols, force, bound):
        references |= names
    b0 = _dense(jacobian, right_symbols[0], rows, n, symmetric=False, is_exact=stored.with_numbers)
    b1 = _dense(jacobian, left_symbols[0], rows, n, symmetric=False, is_exact=stored.with_numbers)
    factors = _Factors(stored, f)
    is_short = stored.with_numbers
    w = [factors.solve(program, b0[a]) for a in range(rows)]
    s = [
        [program.scalar(sum((b1[a][i] * w[b][i] for i in range(n) if b1[a][i] != 0 and w[b][i] != 0), Integer(0)))
         for b in range(rows)]
        for a in range(rows)
    ]  # fmt: skip
    y = factors.solve(program, force[0])
    x = [
        program.scalar(sum((b1[a][i] * y[i] for i in range(n) if b1[a][i] != 0), Integer(0)) - bound[0][a])
        for a in range(rows)
    ]
    eliminate = _eliminate_at_once if is_short and rows <= LARGEST_AT_ONCE else _eliminate
    multipliers, margin = eliminate(program, s, x)
    acceleration = list(y)
    if is_short:
        for a in reversed(range(rows)):  # as they become known
            acceleration = [program.scalar(e - w[a][i] * multipliers[a]) for i, e in enumerate(acceleration)]
    else:
        pulls = [[w[a][i] * multipliers[a] for a in range(rows) if w[a][i] != 0] for i in range(n)]
        acceleration = [y[i] - sum(pull, Integer(0)) for i, pull in enumerate(pulls)]
    signature = Signature(
        "solve_saddle",
        (
            Argument("F", stored.size),
            Argument("B0", jacobian.count),
            Argument("B1", jacobian.count),
            Argument("r", n),
            Argument("c", rows),
            Argument("a", n, True),
            Argument("lambda", rows, True),
            Argument("margin", 1, True),
        ),
    )
    outputs = [*acceleration, *multipliers, margin]
    description = "Solution of [M B0ᵀ; B1 0][a; λ] = [r; c]; margin > 0 if every pivot is sound."
    return Kernel(signature, flatten(program, outputs, references), description)


def _multiply_rows(jacobian: SparsePattern, dimension: int, rows: int) -> Kernel:
    """B v; last velocities of a node come first, since lever arms, which its rotation needs, are known later."""
    program = Program()
    b, references = _symbols("B", jacobian.count)
    v, of_velocities = _symbols("v", dimension)
    products = []
    for row in _dense(jacobian, b, rows, dimension, symmetric=False, is_exact=True):
        total: Expr = Integer(0)
        for entry, rate in reversed([*zip(row, v, strict=True)]):
            total = program.scalar(total + entry * rate)
        products.append(total)
    arguments = (Argument("B", jacobian.count), Argument("v", dimension), Argument("out", rows, True))
    body = flatten(program, products, references | of_velocities)
    return Kernel(Signature("multiply_rows", arguments), body, "B v.")


def _eliminate(program: Program, matrix: Rows, right: list[Expr]) -> tuple[list[Expr], Expr]:
    n = len(matrix)
    s = [list(row) for row in matrix]
    x = list(right)
    margins = []
    reciprocals = []
    for k in range(n):
        _check_pivot(s[k][k])
        margins.append(_margin(s[k][k], matrix[k][k]))
        reciprocals.append(program.scalar(1 / s[k][k]))
        for i in range(k + 1, n):
            if s[i][k] == 0:
                continue
            factor = program.scalar(s[i][k] * reciprocals[k])
            for j in range(k + 1, n):
                if s[k][j] != 0:
                    s[i][j] = program.scalar(s[i][j] - factor * s[k][j])
            x[i] = program.scalar(x[i] - factor * x[k])
    for k in reversed(range(n)):
        total = x[k] - sum((s[k][j] * x[j] for j in range(k + 1, n) if s[k][j] != 0), Integer(0))
        x[k] = program.scalar(total * reciprocals[k])
    return x, _least(program, margins)


def _eliminate_at_once(program: Program, matrix: Rows, right: list[Expr]) -> tuple[list[Expr], Expr]:
    """As `_eliminate`, for a few rows in less time: pivots multiply, so that no division waits for another one.

    Pivot k is multiplied by the product of those before it, and so is what it is compared with. Products grow like
    2^k-th powers of the entries; where they leave the range of numbers the margin is not positive.
    """
    n = len(matrix)
    s = [list(row) for row in matrix]
    x = list(right)
    before: Expr = Integer(1)
    margins: list[Expr] = []
    for k in range(n):
        pivot = s[k][k]
        _check_pivot(pivot)
        margins.append(_margin(pivot, matrix[k][k] * before))
        before = program.scalar(before * pivot)
        for i in range(k + 1, n):
            x[i] = program.scalar(x[i] * pivot - s[i][k] * x[k])
            for j in range(k + 1, n):
                s[i][j] = program.scalar(s[i][j] * pivot - s[i][k] * s[k][j])
    reciprocals = [program.scalar(1 / s[k][k]) for k in range(n)]
    for k in reversed(range(n)):
        x[k] = program.scalar(x[k] * reciprocals[k])
        for j in reversed(range(k + 1, n)):
            x[k] = program.scalar(x[k] - program.scalar(s[k][j] * reciprocals[k]) * x[j])
    return x, _least(program, [*margins, sympy.Abs(reciprocals[-1])])


def _margin(pivot: Expr, original: Expr) -> Expr:
    """Positive if a pivot kept its size."""
    return sympy.Abs(pivot) - Rational(str(PIVOT_LOSS)) * sympy.Abs(original)


def _check_pivot(pivot: Expr) -> None:
    if pivot == 0:
        raise _ZeroPivotError


def _least(program: Program, margins: Sequence[Expr]) -> Expr:
    """The least of some numbers, one after the other: SymPy compares all pairs in a minimum of many."""
    return functools.reduce(lambda a, b: program.scalar(sympy.Min(a, b)), map(program.scalar, margins))
