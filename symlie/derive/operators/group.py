"""Stand-alone operators of a group: kernels for closed forms, and loops over matrices for series."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr

from symlie.derive.node_types import field_layouts
from symlie.derive.operators.kernels import NAMES, described_operators, numbered, operator_kernel, storage_rate
from symlie.derive.operators.loops import is_looped, loop_kernels
from symlie.derive.operators.samples import function_samples, operator_samples
from symlie.groups.group import LieGroup
from symlie.groups.operators import general_matrices
from symlie.ir.group_operators import FactorOperators, GroupOperators, MatrixPicture
from symlie.ir.kernels import schemes_of
from symlie.ir.schemes import Precision, in_precision


def group_operators(
    group: LieGroup, real: str = "double", progress: Callable[[float], None] | None = None
) -> GroupOperators:
    """Derive the operators of a group, with reference values at arguments that are exact in ``real``."""
    # ``progress`` is called with the completed fraction of the work.
    parts = [g for g, _, _ in group.simple_factors]
    factors = tuple(map(_factor, parts if any(map(is_looped, parts)) else [group]))
    rate = storage_rate(group)
    precision: Precision = "float" if real == "float" else "double"
    schemes = schemes_of([*(k for f in factors for k in f.kernels), rate])
    schemes = tuple(in_precision(scheme, precision) for scheme in schemes)
    return GroupOperators(
        group=group.name,
        real=real,
        dimension=group.dimension,
        storage=group.storage_dimension,
        storage_fields=field_layouts(group.storage_fields),
        velocity_fields=field_layouts(group.velocity_fields),
        matrices=_pictures(group),
        operators=described_operators(group),
        factors=factors,
        storage_rate=rate,
        schemes=schemes,
        samples=operator_samples(group, real, progress),
        function_samples=function_samples(schemes, real),
    )


def _factor(group: LieGroup) -> FactorOperators:
    """Return kernels of a group with closed forms; for a factor with series or a matrix logarithm, kernels for
    loops."""
    if group.factors or not is_looped(group):
        return FactorOperators(
            group.dimension, group.storage_dimension, tuple(operator_kernel(group, name) for name in NAMES)
        )
    closed = ("adjoint",) if general_matrices(group) else tuple(name for name in NAMES if name != "log")
    pieces, loops = loop_kernels(group)
    kernels = (*(operator_kernel(group, name) for name in closed), *pieces)
    return FactorOperators(group.dimension, group.storage_dimension, kernels, loops)


def _pictures(group: LieGroup) -> tuple[MatrixPicture, ...]:
    """Return the displayed matrices of factors that are defined by matrices."""
    q = numbered("q", group.storage_dimension)
    found = []
    for part, stored, _ in group.simple_factors:
        if part.matrix is not None:
            matrix = part.matrix(q[stored : stored + part.storage_dimension])
            found.append(MatrixPicture(part.name, tuple(tuple(map(_entry, row)) for row in matrix.tolist())))
    return tuple(found)


def _entry(entry: Expr) -> str:
    """Return the text of a stored component, such as ``q[3]``, or a number."""
    return f"q[{entry.name[1:]}]" if entry.is_Symbol else str(entry)
