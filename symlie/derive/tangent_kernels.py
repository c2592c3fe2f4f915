"""Newton matrices become kernels: one for each element type, on parameters as they are stated.

They are derived and compiled when they are first needed, apart from the kernels of a run. Their parameters are the
first components of the prepared ones, so that both work on the same arrays.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr

from symlie.derive.kernels import parameter_symbols, symbols_of
from symlie.derive.statements import DerivedStatement
from symlie.ir.kernels import Kernel, SparsePattern
from symlie.ir.signature import Argument, Signature
from symlie.ir.straightline import flatten
from symlie.ir.tangents import ElementTypeTangents, ModelTangents
from symlie.modeling.model import Model


def model_tangents(model: Model, statements: Sequence[DerivedStatement]) -> ModelTangents:
    """Newton matrices of all statements of a model."""
    return ModelTangents(model.name, tuple(_element_tangents(model, d) for d in statements))


def _nonzeros(matrix: Sequence[Sequence[Expr]]) -> tuple[SparsePattern, list[Expr]]:
    entries = [(i, j, e) for i, row in enumerate(matrix) for j, e in enumerate(row) if e != 0]
    constants = tuple(float(e) if e.is_Number else None for _, _, e in entries)
    pattern = SparsePattern(tuple(i for i, _, _ in entries), tuple(j for _, j, _ in entries), constants)
    return pattern, [e for _, _, e in entries]


def _element_tangents(model: Model, derived: DerivedStatement) -> ElementTypeTangents:
    statement = derived.statement
    matrices = derived.newton
    stiffness, stiffness_values = _nonzeros(matrices.stiffness)
    damping, damping_values = _nonzeros(matrices.damping)
    nodes = statement.nodes
    dimension = sum(n.group.velocity_dimension for n in nodes)
    inputs = {
        "q": [s for n in nodes for s in n.value.components],
        "v": [s for n in nodes for s in n.velocity.components],
        "a": list(matrices.acceleration),
        "multipliers": list(matrices.multipliers),
        "p": parameter_symbols(model),
        "e": [] if statement is model else symbols_of(statement.parameters),
    }
    kernel = None
    if stiffness.count or damping.count:
        references = {s: f"{label}[{k}]" for label, symbols in inputs.items() for k, s in enumerate(symbols)}
        references[statement.time] = "t"
        sizes = {label: len(symbols) for label, symbols in inputs.items()} | {"a": dimension}
        arguments = (
            Argument("t", None),
            *(Argument(label, size) for label, size in sizes.items()),
            Argument("K", stiffness.count, True),
            Argument("C", damping.count, True),
        )
        body = flatten(statement.program, [*stiffness_values, *damping_values], references)
        description = "Nonzeros of K = D_q(M a + g + Bᵀ λ) and of C = ∂g/∂v."
        kernel = Kernel(Signature(f"{statement.name}_tangents", arguments), body, description)
    places = tuple((n.group.storage_dimension, n.group.velocity_dimension) for n in nodes)
    rows = len(derived.constraints.jacobian)
    return ElementTypeTangents(statement.name, places, rows, stiffness, damping, kernel)
