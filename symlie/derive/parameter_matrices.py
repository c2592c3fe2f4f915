"""Derivatives of a definition with respect to parameters, and those with respect to inputs that `ports` lacks.

Columns of parameters are the parameters of the model, followed by the definition's own ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Integer, Symbol

from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.fields import total_field
from symlie.derive.newton_matrices import balance
from symlie.derive.ports import by_inputs
from symlie.ir.differentiate import Matrix, columns
from symlie.ir.program import Euclidean, Value
from symlie.modeling.model import Model


def derive_parameter_matrices(
    model: Model, derived: DerivedStatement
) -> tuple[tuple[Symbol, ...], tuple[Symbol, ...], tuple[Matrix, ...]]:
    """Return symbols of a and λ, and the matrices of the set ``parameters``."""
    statement, program, constraints = derived.statement, derived.statement.program, derived.constraints
    everything = tuple(s for n in statement.nodes for s in n.acceleration.components)
    along = [s for n in statement.moving_nodes for s in n.acceleration.components]
    multipliers = tuple(statement.multipliers)
    curvature = [
        z + sum((b * a for b, a in zip(row, along, strict=True)), Integer(0))
        for z, row in zip(constraints.curvature, constraints.jacobian, strict=True)
    ]
    fields = _fields(derived)
    parts: list[Sequence[Expr]] = [
        balance(derived, along, multipliers),
        constraints.position,
        constraints.hidden,
        curvature,
        fields,
        [c for o in statement.outputs for c in o.components],
    ]
    own = [] if statement is model else statement.parameters
    symbols = tuple(s for p in (*model.parameters, *own) for s in p.symbols)
    values = [Value(symbols, Euclidean(len(symbols)))]
    by_parameter = (columns(program, program.vector(part), values) if symbols else _empty(part) for part in parts)
    by_input = (by_inputs(derived, program.vector(part), model.inputs) for part in (curvature, fields))
    return everything, multipliers, (*by_parameter, *by_input)


def _empty(part: Sequence[Expr]) -> Matrix:
    """Return a matrix without columns."""
    return ((),) * len(part)


def _fields(derived: DerivedStatement) -> list[Expr]:
    """Return -f of nodes without velocity, and zero for all other components."""
    statement, moved = derived.statement, {n.name for n, _ in derived.statement.fields}
    rates: list[Expr] = []
    for place, node in enumerate(statement.nodes):
        is_state = not node.group.velocity_dimension and node.name in moved
        rates += [-c for c in total_field(statement, place)] if is_state else [Integer(0)] * node.group.dimension
    return rates
