"""Elimination of one matrix with several right-hand sides, such as one for each order of a series.

Terms that do not depend on the right-hand side are computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sympy import Expr, Integer

from symlie.contract.signature import Argument, Signature
from symlie.derive.elimination.factors import Factors, RowFactors, ZeroPivotError, array_of, dense, factorized
from symlie.ir.hoisting import ParameterHoisting
from symlie.ir.kernels import Kernel, SparsePattern
from symlie.ir.program import Program
from symlie.ir.straightline import by_output, flatten


def derive_kept_elimination(
    mass: SparsePattern, jacobian: SparsePattern, moving: Sequence[bool], rows: int, *, with_numbers: bool = False
) -> tuple[Kernel, ...]:
    """Derive the kernels ``factorize_orders`` and ``solve_order``; return none if a pivot vanishes for all
    parameters."""
    # With the factors of M from ``factorize``, where B1 is B0, W = M⁻¹Bᵀ and the inverses of M and S are computed once,
    # so that a solution has at most three dependent products: λ = S⁻¹ (Wᵀ r - c), v' = M⁻¹ r - W λ. An inverse with
    # more entries than its factors is not formed. Arguments as for `derive_elimination`.
    found = factorized(mass, moving, with_numbers=with_numbers)
    if found is None:
        return ()
    stored, program, n = found[1], Program(), found[1].n
    f, references = array_of("F", stored.size)
    b, b_references = array_of("B", jacobian.count)
    r, r_references = array_of("r", n)
    c, c_references = array_of("c", rows)
    references |= b_references | r_references | c_references
    factors = Factors(stored, f)
    matrix = [Argument("F", stored.size), *([Argument("B", jacobian.count)] if rows else [])]
    right = [Argument("r", n), *([Argument("c", rows)] if rows else [])]
    results = [Argument("a", n, True)]
    acceleration = _inverse_or_factors(program, factors, n)(r)
    outputs = acceleration
    if rows:
        matrix_of_rows = dense(jacobian, b, rows, n, symmetric=False, is_exact=with_numbers)
        w = [factors.solve(program, row) for row in matrix_of_rows]
        s = [[_sum_of_products(program, row, column) for column in w] for row in matrix_of_rows]
        try:
            of_rows = RowFactors(program, s)
        except ZeroPivotError:
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


def _inverse_or_factors(
    program: Program, factors: Factors | RowFactors, n: int
) -> Callable[[Sequence[Expr]], list[Expr]]:
    """Return the inverse of a matrix, or its factors if these need fewer products."""
    units = [[Integer(int(i == k)) for i in range(n)] for k in range(n)]
    inverse = list(zip(*(factors.solve(program, unit) for unit in units), strict=True))
    if sum(int(entry != 0) for row in inverse for entry in row) > factors.products:
        return lambda right: factors.solve(program, right)
    return lambda right: [_sum_of_products(program, row, right) for row in inverse]


def _sum_of_products(program: Program, left: Sequence[Expr], right: Sequence[Expr]) -> Expr:
    """Return the products summed pairwise, which keeps dependency chains short."""
    terms: list[Expr] = [a * b for a, b in zip(left, right, strict=True) if a != 0 and b != 0]
    while len(terms) > 1:
        pairs = [program.scalar(a + b) for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + terms[len(terms) - len(terms) % 2 :]
    return program.scalar(terms[0]) if terms else Integer(0)
