"""Derivatives of a definition with respect to parameters, and those with respect to inputs and states that other sets
lack.

Columns of parameters are the parameters of the model, followed by the definition's own ones.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sympy import Add, Expr, Integer, Max, Min, Symbol

from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.fields import total_field
from symlie.derive.matrices.newton import balance
from symlie.derive.matrices.ports import by_inputs
from symlie.ir.differentiate import Matrix, columns, forward, unit_vectors
from symlie.ir.primitives import PiecewiseLinear, PiecewiseSlope
from symlie.ir.program import Euclidean, Program, Value, at_values, needed_expressions
from symlie.modeling.model import Model


def derive_sensitivity_matrices(
    model: Model, derived: DerivedStatement, chosen: Collection[str] | None
) -> tuple[tuple[Symbol, ...], tuple[Symbol, ...], tuple[Matrix, ...]]:
    """Return symbols of a and λ, and the matrices of the set ``sensitivities``, by chosen parameters or by all."""
    statement, program, constraints = derived.statement, derived.statement.program, derived.constraints
    everything = tuple(s for n in statement.nodes for s in n.acceleration.components)
    along = [s for n in statement.moving_nodes for s in n.acceleration.components]
    multipliers = tuple(statement.multipliers)
    curvature = [
        z + sum((b * a for b, a in zip(row, along, strict=True)), Integer(0))
        for z, row in zip(constraints.curvature, constraints.jacobian, strict=True)
    ]
    fields, outputs = _fields(derived), [c for o in statement.outputs for c in o.components]
    parts: list[Sequence[Expr]] = [
        balance(derived, along, multipliers),
        constraints.position,
        constraints.hidden,
        curvature,
        fields,
        outputs,
    ]
    own = [] if statement is model else statement.parameters
    named = [*((p.name, p) for p in model.parameters), *((f"{statement.name}.{p.name}", p) for p in own)]
    symbols = tuple(s for _, p in named for s in p.symbols)
    wanted = [chosen is None or name in chosen for name, p in named for _ in p.symbols]
    by_parameter = (_by_parameters(program, program.vector(part), symbols, wanted) for part in parts)
    by_input = (by_inputs(derived, program.vector(part), model.inputs) for part in (curvature, fields))
    by_state = columns(program, program.vector(outputs), [n.value for n in statement.nodes])
    velocities = [bool(n.group.velocity_dimension) for n in statement.nodes for _ in range(n.group.dimension)]
    of_states = tuple(
        tuple(Integer(0) if moves else e for moves, e in zip(velocities, row, strict=True)) for row in by_state
    )
    return everything, multipliers, (*by_parameter, of_states, *by_input)


def _by_parameters(
    program: Program, expressions: Sequence[Expr], symbols: Sequence[Symbol], wanted: Sequence[bool]
) -> Matrix:
    """Return derivatives with respect to parameters, shape (expressions, parameters), zero for those that are not
    wanted."""
    if not symbols:
        return ((),) * len(expressions)
    tables = tables_of_parameters(program, expressions)
    changes = program.fresh("w", len(symbols)) if tables else ()
    changed = at_values(program, expressions, with_changes(tables, symbols, changes)) if tables else expressions
    found = []
    for is_wanted, units in zip(wanted, unit_vectors(len(symbols)), strict=True):
        if not is_wanted:
            found.append((Integer(0),) * len(expressions))
            continue
        seeds = [(Value(tuple(symbols), Euclidean(len(symbols))), units)]
        seeds += [(Value(changes, Euclidean(len(changes))), units)] if tables else []
        found.append(forward(program, changed, seeds))
    rows = tuple(zip(*found, strict=True))
    if not tables:
        return rows
    flat = at_values(program, [e for row in rows for e in row], dict.fromkeys(changes, Integer(0)))
    n = len(symbols)
    return tuple(tuple(flat[n * i : n * (i + 1)]) for i in range(len(expressions)))


def tables_of_parameters(program: Program, expressions: Sequence[Expr]) -> list[PiecewiseLinear]:
    """Return the tables of parameters that expressions read."""
    return sorted({t for e in needed_expressions(program, expressions) for t in e.atoms(PiecewiseLinear)}, key=str)


def with_changes(
    tables: Sequence[PiecewiseLinear], symbols: Sequence[Symbol], changes: Sequence[Symbol]
) -> dict[Expr, Expr]:
    """Return tables with changes of their points.

    With the hat function N_k of point k, the derivative of a piecewise linear f by a value is N_k, and that by an
    abscissa is -f' N_k.
    """
    found: dict[Expr, Expr] = {}
    for table in tables:
        x, abscissa, value, count = table.args
        first, second, size = symbols.index(abscissa), symbols.index(value), int(count)
        points, slope = symbols[first : first + size], PiecewiseSlope(*table.args)
        varied = [_hat(x, points, k) * (changes[second + k] - slope * changes[first + k]) for k in range(size)]
        # Symbols of tables are replaced by themselves, so that statements with tables can be identified by them.
        found |= {abscissa: abscissa, table: table + Add(*varied)}
    return found


def _hat(x: Expr, points: Sequence[Symbol], k: int) -> Expr:
    """Return the function that is one at a point, and zero at the others."""
    rising = [(x - points[k - 1]) / (points[k] - points[k - 1])] if k else []
    falling = [(points[k + 1] - x) / (points[k + 1] - points[k])] if k + 1 < len(points) else []
    return Max(Integer(0), Min(Integer(1), *rising, *falling))


def _fields(derived: DerivedStatement) -> list[Expr]:
    """Return -f of nodes without velocity, and zero for all other components."""
    statement, moved = derived.statement, {n.name for n, _ in derived.statement.fields}
    rates: list[Expr] = []
    for place, node in enumerate(statement.nodes):
        is_state = not node.group.velocity_dimension and node.name in moved
        rates += [-c for c in total_field(statement, place)] if is_state else [Integer(0)] * node.group.dimension
    return rates
