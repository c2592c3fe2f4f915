"""Linear algebra of small systems as derived straight-line programs: only structural nonzeros enter.

    [ M    B0ᵀ ] [v']   [r]
    [ B1   0   ] [λ ] = [c]      W = M⁻¹B0ᵀ,  S = B1 W,  S λ = B1 M⁻¹ r - c,  v' = M⁻¹ r - W λ

If a pivot of S is too small, callers use a pivoted elimination of the whole matrix.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr, Integer

from symlie.contract.signature import Argument, Signature
from symlie.derive.elimination.factors import (
    Factors,
    Rows,
    Stored,
    ZeroPivotError,
    array_of,
    check_pivot,
    dense,
    factorized,
    least,
    margin_of,
)
from symlie.ir.kernels import Elimination, Kernel, SparsePattern
from symlie.ir.program import Program
from symlie.ir.straightline import flatten

LARGEST_AT_ONCE = 3
"""Largest number of constraint equations that are eliminated by products of pivots: for three these are products of at
most eight entries."""


def derive_elimination(
    mass: SparsePattern,
    jacobian: SparsePattern,
    moving: Sequence[bool],
    rows: int,
    *,
    with_numbers: bool = False,
    of_contacts: Sequence[int] = (),
) -> Elimination:
    """Derive the kernels ``factorize``, ``solve_mass`` and ``solve_saddle``, and ``solve_open_saddle`` without the
    equations ``of_contacts``; return none if a pivot is identically zero."""
    # ``mass`` (lower triangle) and ``jacobian`` are patterns of the assembled matrices; ``moving`` marks the
    # velocities, whose accelerations alone are not zero. With ``with_numbers`` parameters are constants: numeric
    # factors are part of the solutions instead of being read from the result of ``factorize``, and ``multiply_rows``
    # replaces loops.
    factors = factorized(mass, moving, with_numbers=with_numbers)
    if factors is None:
        return Elimination((), 0)
    factorize, stored = factors
    kernels = [factorize, _solve_mass(stored, jacobian, rows)]
    if rows:
        try:
            kernels.append(_solve_saddle(stored, jacobian, rows))
            kept = sorted({*range(rows)} - {*of_contacts})
            if 0 < len(kept) < rows:
                kernels.append(_solve_saddle(stored, jacobian, rows, kept))
        except ZeroPivotError:
            return Elimination((), 0)
        if with_numbers:
            kernels.append(_multiply_rows(jacobian, dimension=len(moving), rows=rows))
    return Elimination(tuple(kernels), stored.size)


def _solve_mass(stored: Stored, jacobian: SparsePattern, rows: int) -> Kernel:
    program, n = Program(), stored.n
    f, references = array_of("F", stored.size)
    r, right = array_of("r", n)
    references |= right
    arguments = [Argument("F", stored.size), Argument("r", n)]
    right_side: list[Expr] = list(r)
    if rows:
        b0, b_references = array_of("B", jacobian.count)
        multipliers, l_references = array_of("lambda", rows)
        references |= b_references | l_references
        arguments += [Argument("B", jacobian.count), Argument("lambda", rows)]
        columns = zip(*dense(jacobian, b0, rows, n, symmetric=False, is_exact=stored.with_numbers), strict=True)
        pull = [sum((b * m for b, m in zip(c, multipliers, strict=True) if b != 0), Integer(0)) for c in columns]
        right_side = [program.scalar(a - b) for a, b in zip(r, pull, strict=True)]
    solution = Factors(stored, f).solve(program, right_side)
    signature = Signature("solve_mass", (*arguments, Argument("a", n, True)))
    description = "a = M⁻¹ (r - Bᵀ λ)." if rows else "a = M⁻¹ r."
    return Kernel(signature, flatten(program, solution, references), description)


def _solve_saddle(stored: Stored, jacobian: SparsePattern, every: int, kept: Sequence[int] = ()) -> Kernel:
    """Return the solution with all equations, or with the ``kept`` ones alone, by the operations of a model without the
    others, whose multipliers are zero."""
    program, n, rows, total = Program(), stored.n, len(kept) or every, jacobian.count
    places = [k for k, row in enumerate(jacobian.rows) if not kept or row in kept]
    if kept:
        jacobian = SparsePattern(
            tuple(kept.index(jacobian.rows[k]) for k in places),
            tuple(jacobian.columns[k] for k in places),
            tuple(jacobian.constants[k] for k in places),
        )
    f, references = array_of("F", stored.size)
    right_symbols, left_symbols = array_of("B0", total, places), array_of("B1", total, places)
    force, bound = array_of("r", n), array_of("c", every, kept or range(rows))
    for _, names in (right_symbols, left_symbols, force, bound):
        references |= names
    b0 = dense(jacobian, right_symbols[0], rows, n, symmetric=False, is_exact=stored.with_numbers)
    b1 = dense(jacobian, left_symbols[0], rows, n, symmetric=False, is_exact=stored.with_numbers)
    factors = Factors(stored, f)
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
        for a in reversed(range(rows)):  # in order of availability
            acceleration = [program.scalar(e - w[a][i] * multipliers[a]) for i, e in enumerate(acceleration)]
    else:
        pulls = [[w[a][i] * multipliers[a] for a in range(rows) if w[a][i] != 0] for i in range(n)]
        acceleration = [y[i] - sum(pull, Integer(0)) for i, pull in enumerate(pulls)]
    signature = Signature(
        "solve_open_saddle" if kept else "solve_saddle",
        (
            Argument("F", stored.size),
            Argument("B0", total),
            Argument("B1", total),
            Argument("r", n),
            Argument("c", every),
            Argument("a", n, True),
            Argument("lambda", every, True),
            Argument("margin", 1, True),
        ),
    )
    if kept:
        multipliers = [multipliers[kept.index(k)] if k in kept else Integer(0) for k in range(every)]
    outputs = [*acceleration, *multipliers, margin]
    description = "Solution of [M B0ᵀ; B1 0][a; λ] = [r; c]; margin > 0 if every pivot is sound."
    return Kernel(signature, flatten(program, outputs, references), description)


def _multiply_rows(jacobian: SparsePattern, dimension: int, rows: int) -> Kernel:
    """Return B v, summed from the last velocity component of a node to the first, since lever arms are computed
    late.
    """
    program = Program()
    b, references = array_of("B", jacobian.count)
    v, of_velocities = array_of("v", dimension)
    products = []
    for row in dense(jacobian, b, rows, dimension, symmetric=False, is_exact=True):
        total: Expr = Integer(0)
        for entry, rate in reversed([*zip(row, v, strict=True)]):
            total = program.scalar(total + entry * rate)
        products.append(total)
    arguments = (Argument("B", jacobian.count), Argument("v", dimension), Argument("out", rows, True))
    body = flatten(program, products, references | of_velocities)
    return Kernel(Signature("multiply_rows", arguments), body, "B v.")


def _eliminate(program: Program, matrix: Rows, right: list[Expr]) -> tuple[list[Expr], Expr]:
    """Eliminate like `RowFactors`, with interleaved operations on the right-hand side: C compilers preserve this order,
    in which both overlap."""
    n = len(matrix)
    s = [list(row) for row in matrix]
    x = list(right)
    margins = []
    reciprocals = []
    for k in range(n):
        check_pivot(s[k][k])
        margins.append(margin_of(s[k][k], matrix[k][k]))
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
    return x, least(program, margins)


def _eliminate_at_once(program: Program, matrix: Rows, right: list[Expr]) -> tuple[list[Expr], Expr]:
    """Eliminate a few equations like `_eliminate`, but with products of pivots, so that divisions are independent."""
    # Pivot k, and the value with which it is compared, are multiplied by the product of the previous pivots. The
    # products grow like 2^k-th powers of the entries; after overflow or underflow the margin is not positive.
    n = len(matrix)
    s = [list(row) for row in matrix]
    x = list(right)
    before: Expr = Integer(1)
    margins: list[Expr] = []
    for k in range(n):
        pivot = s[k][k]
        check_pivot(pivot)
        margins.append(margin_of(pivot, matrix[k][k] * before))
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
    return x, least(program, [*margins, sympy.Abs(reciprocals[-1])])
