"""Template values for factors whose operators are loops over matrices."""

from __future__ import annotations

import itertools

from symlie.ir import matrix_loops
from symlie.ir.group_operators import FactorOperators, GroupOperators, Operator

LOOPED_MATRICES = {
    "tangent_operator": "tangent",
    "tangent_operator_inverse": "tangent_inverse",
    "tangent_operator_derivative": "derivative",
    "tangent_operator_inverse_derivative": "inverse_derivative",
}
"""Operators and the generic functions that evaluate them for any factor."""

BY_PRECISION = {
    "ROOT_CONVERGED": matrix_loops.ROOT_CONVERGED,
    "CORRECTED": matrix_loops.CORRECTED,
    "ROUNDED": matrix_loops.ROUNDED,
    "UNRESOLVED": matrix_loops.UNRESOLVED,
}
"""Tolerances by scalar type."""


def largest(operators: GroupOperators) -> int:
    """Return the size of the largest matrix in loops."""
    return max([0, *(max(f.dimension, f.loops.representation, *f.loops.sizes) for f in operators.factors if f.loops)])


def with_operations(operators: GroupOperators) -> list[tuple[Operator, int | None]]:
    """Return the operators with their operation counts; None for loops."""
    counts = [{k.signature.name: k.body.operation_count for k in f.kernels} for f in operators.factors]
    names = [o.signature.name for o in operators.operators]
    sums = [sum(c[name] for c in counts) if all(name in c for c in counts) else None for name in names]
    return list(zip(operators.operators, sums, strict=True))


def looped_factors(operators: GroupOperators) -> list[dict[str, object]]:
    """Return sizes and offsets of all factors; empty if all operators have closed forms."""
    found: list[dict[str, object]] = []
    stored = begin = 0
    for factor in operators.factors if operators.has_series else ():
        found.append(_factor(factor, stored, begin, {o.signature.name for o in operators.operators}))
        stored, begin = stored + factor.storage, begin + factor.dimension
    return found


def _factor(factor: FactorOperators, stored: int, begin: int, names: set[str]) -> dict[str, object]:
    loops = factor.loops
    sizes = loops.sizes if loops else ()
    begins = [0, *itertools.accumulate(n * n for n in sizes)]
    return {
        "n": factor.dimension,
        "m": factor.storage,
        "begin": begin,
        "stored": stored,
        "closed": names & {k.signature.name for k in factor.kernels},
        "matrices": list(zip(sizes, begins, strict=False)),
        "exponentials": begins[-1],
        "representation": loops.representation if loops else 0,
        "blocks": loops.blocks if loops else (),
    }
