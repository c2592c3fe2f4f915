"""Operators of a group as kernels: exp, log, Ad, T, T⁻¹ and the derivatives of T w and T⁻¹ w.

Matrices are formed by applying an operator to the unit vectors; equal subexpressions of the columns are shared, which
costs fewer operations than applying it once to a general vector.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from sympy import Expr, Integer

from symlie.contract.signature import Argument, Signature
from symlie.derive.node_types import array_symbols
from symlie.groups import operators
from symlie.groups.group import LieGroup
from symlie.ir.differentiate import forward
from symlie.ir.group_operators import Operator
from symlie.ir.kernels import Kernel
from symlie.ir.program import Euclidean, Program, Value, Vector
from symlie.ir.straightline import flatten

_TABLE = {
    "exp": ("theta", "q", "q = exp(theta)."),
    "log": ("q", "theta", "theta = log(q), the shortest one."),
    "adjoint": ("q", "A", "A = Ad(q)."),
    "tangent_operator": ("theta", "T", "T(theta)."),
    "tangent_operator_inverse": ("theta", "T", "T^-1(theta)."),
    "tangent_operator_derivative": ("theta w", "D", "D = d(T(theta) w)/dtheta for constant w."),
    "tangent_operator_inverse_derivative": ("theta w", "D", "D = d(T^-1(theta) w)/dtheta for constant w."),
}
"""Inputs, output and description of each operator."""

NAMES = tuple(_TABLE)
"""Operators, in the order of `symlie.ir.group_operators.GroupOperators`."""


def described_operators(group: LieGroup) -> tuple[Operator, ...]:
    """Return the signatures and descriptions of the operators of a group."""
    n, m = group.dimension, group.storage_dimension
    found = []
    for name, (inputs, output, description) in _TABLE.items():
        arguments = [Argument(i, m if i == "q" else n) for i in inputs.split()]
        size = {"q": m, "theta": n}.get(output, n * n)
        found.append(Operator(Signature(name, (*arguments, Argument(output, size, True))), description))
    return tuple(found)


def operator_kernel(group: LieGroup, name: str) -> Kernel:
    """Return the operator ``name``, one of `NAMES`, of a group as statements; for series these are many."""
    n, program = group.dimension, Program()
    inputs, output, description = _TABLE[name]
    given = {i: numbered(i, group.storage_dimension if i == "q" else n) for i in inputs.split()}
    result = _RESULTS[name](program, group, *given.values())
    return named_kernel(name, given, output, result, description, program)


def storage_rate(group: LieGroup) -> Kernel:
    """Return K(q) v, the rate of the storage."""
    program = Program()
    given = {"q": numbered("q", group.storage_dimension), "w": numbered("w", group.dimension)}
    return named_kernel("storage_rate", given, "rate", group.storage_tangent(program, *given.values()), "Rate of q.",
                        program)  # fmt: skip


def named_kernel(
    name: str,
    inputs: Mapping[str, Vector],
    output: str,
    result: Vector,
    description: str,
    program: Program | None = None,
) -> Kernel:
    """Return the kernel, with one named variable for each component of its inputs."""
    arguments = [Argument(label, len(symbols)) for label, symbols in inputs.items()]
    signature = Signature(name, (*arguments, Argument(output, len(result), True)))
    texts = {s: f"{label}{k}" for label, symbols in inputs.items() for k, s in enumerate(symbols)}
    return Kernel(signature, flatten(program or Program(), result, texts), description)


def numbered(name: str, count: int) -> Vector:
    """Return the symbols of an array."""
    return array_symbols(name, count)[0]


def _adjoint(program: Program, group: LieGroup, q: Vector) -> Vector:
    return _row_major(group.dimension, lambda e: operators.adjoint(program, group, q, e))


def _tangent(program: Program, group: LieGroup, theta: Vector, *, inverse: bool = False) -> Vector:
    apply = functools.partial(operators.tangent_operator, program, group, theta, inverse=inverse)
    return _row_major(group.dimension, apply)


def _derivative(program: Program, group: LieGroup, theta: Vector, w: Vector, *, inverse: bool = False) -> Vector:
    applied = operators.tangent_operator(program, group, theta, w, inverse=inverse)
    at_theta, bound = Value(theta, Euclidean(group.dimension)), program.vector(applied)
    return _row_major(group.dimension, lambda e: forward(program, bound, [(at_theta, e)]))


_RESULTS: dict[str, Callable[..., Vector]] = {
    "exp": operators.exponential,
    "log": operators.logarithm,
    "adjoint": _adjoint,
    "tangent_operator": _tangent,
    "tangent_operator_inverse": functools.partial(_tangent, inverse=True),
    "tangent_operator_derivative": _derivative,
    "tangent_operator_inverse_derivative": functools.partial(_derivative, inverse=True),
}


def _row_major(n: int, column: Callable[[Vector], Sequence[Expr]]) -> Vector:
    """Return an n × n matrix from its columns, the images of the unit vectors."""
    columns = [column(tuple(Integer(int(i == k)) for i in range(n))) for k in range(n)]
    return tuple(columns[k][i] for i in range(n) for k in range(n))
