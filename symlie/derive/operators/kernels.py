"""Stand-alone operators of a group: exp, log, Ad, T, T⁻¹ and the derivatives of T w and T⁻¹ w as kernels.

Matrices are formed by applying an operator to the unit vectors; equal subexpressions of the columns are shared, which
costs fewer operations than applying it once to a general vector.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from sympy import Expr, Integer, Symbol

from symlie.contract.signature import Argument, Signature
from symlie.derive.node_types import array_symbols, field_layouts
from symlie.derive.operators.samples import function_samples, operator_samples
from symlie.groups import operators
from symlie.groups.group import LieGroup
from symlie.ir.differentiate import forward
from symlie.ir.group_operators import GroupOperators
from symlie.ir.kernels import Kernel, schemes_of
from symlie.ir.program import Euclidean, Program, Value, Vector
from symlie.ir.schemes import Precision, in_precision
from symlie.ir.straightline import flatten


def group_operators(
    group: LieGroup, real: str = "double", progress: Callable[[float], None] | None = None
) -> GroupOperators:
    """Derive the operators of a group, with values to check them by.

    Parameters
    ----------
    group
        The group.
    real
        ``double`` or ``float``: the numbers at which reference values are given are exact in it.
    progress
        Called with the fraction of the work that is done.
    """
    n, m = group.dimension, group.storage_dimension
    theta, theta_text = _inputs("theta", n)
    w, w_text = _inputs("w", n)
    q, q_text = _inputs("q", m)

    def kernel(name: str, inputs: dict[str, int], output: str, program: Program, result: Vector, what: str) -> Kernel:
        arguments = [Argument(label, size) for label, size in inputs.items()]
        signature = Signature(name, (*arguments, Argument(output, len(result), True)))
        return Kernel(signature, flatten(program, result, {**theta_text, **w_text, **q_text}), what)

    def derivative(program: Program, y: Vector) -> Vector:
        at_theta, bound = Value(theta, Euclidean(n)), program.vector(y)
        return _row_major(n, lambda e: forward(program, bound, [(at_theta, e)]))

    at_theta, at_both, at_q = {"theta": n}, {"theta": n, "w": n}, {"q": m}
    kernels = []

    program = Program()
    result = operators.exponential(program, group, theta)
    kernels.append(kernel("exp", at_theta, "q", program, result, "q = exp(theta)."))

    program = Program()
    result = operators.logarithm(program, group, q)
    kernels.append(kernel("log", at_q, "theta", program, result, "theta = log(q), the shortest one."))

    program = Program()
    result = _row_major(n, lambda e: operators.adjoint(program, group, q, e))
    kernels.append(kernel("adjoint", at_q, "A", program, result, "A = Ad(q)."))

    for suffix, letter, inverse in ("", "T", False), ("_inverse", "T^-1", True):
        program = Program()
        apply = functools.partial(operators.tangent_operator, program, group, theta, inverse=inverse)
        result = _row_major(n, apply)
        kernels.append(kernel(f"tangent_operator{suffix}", at_theta, "T", program, result, f"{letter}(theta)."))
    for suffix, letter, inverse in ("", "T", False), ("_inverse", "T^-1", True):
        program = Program()
        result = derivative(program, operators.tangent_operator(program, group, theta, w, inverse=inverse))
        what = f"D = d({letter}(theta) w)/dtheta for constant w."
        kernels.append(kernel(f"tangent_operator{suffix}_derivative", at_both, "D", program, result, what))

    program = Program()
    rate = kernel("storage_rate", {"q": m, "w": n}, "rate", program, group.storage_tangent(program, q, w), "Rate of q.")
    precision: Precision = "float" if real == "float" else "double"
    schemes = tuple(in_precision(scheme, precision) for scheme in schemes_of([*kernels, rate]))
    return GroupOperators(
        group=group.name,
        real=real,
        dimension=n,
        storage=m,
        storage_fields=field_layouts(group.storage_fields),
        velocity_fields=field_layouts(group.velocity_fields),
        kernels=tuple(kernels),
        storage_rate=rate,
        schemes=schemes,
        has_series=any(operators.general_matrices(g) for g, _, _ in group.simple_factors),
        samples=operator_samples(group, real, progress),
        function_samples=function_samples(schemes, real),
    )


def _inputs(name: str, count: int) -> tuple[Vector, dict[Symbol, str]]:
    """Symbols of an input, each of which has a name of its own in the text."""
    symbols, _ = array_symbols(name, count)
    return symbols, {s: s.name for s in symbols}


def _row_major(n: int, column: Callable[[Vector], Sequence[Expr]]) -> Vector:
    """A matrix n × n from its columns, images of the unit vectors."""
    columns = [column(tuple(Integer(int(i == k)) for i in range(n))) for k in range(n)]
    return tuple(columns[k][i] for i in range(n) for k in range(n))
