"""Gradients of weighted expressions by states, parameters and inputs.

Derivatives by inputs and by points of tables of parameters are those by changes of their values, which are zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Integer, Symbol

from symlie.derive.matrices.ports import input_values
from symlie.derive.matrices.sensitivities import tables_of_parameters, with_changes
from symlie.ir.differentiate import reverse
from symlie.ir.program import Euclidean, Value, Vector, at_values
from symlie.modeling.statement import Statement
from symlie.modeling.terms import Input


def weighted_gradient(
    statement: Statement,
    inputs: Sequence[Input],
    weighted: Sequence[tuple[Expr, Expr]],
    states: Sequence[Value],
    parameters: tuple[Sequence[Symbol], Sequence[Symbol]],
) -> tuple[Vector, ...]:
    """Return the gradients of Σ weight·expression by states, by parameters of the model, own ones, and inputs."""
    program, symbols = statement.program, [s for part in parameters for s in part]
    term, factors = [e for e, _ in weighted], [w for _, w in weighted]
    tables = tables_of_parameters(program, term)
    atoms = input_values(statement, inputs)
    changes = program.fresh("w", len(symbols)) if tables else ()
    of_inputs = program.fresh("w", len(atoms)) if atoms else ()
    replaced: dict[Expr, Expr] = {u.slot: u.slot for u in atoms}
    replaced |= {u: u + w for u, w in zip(atoms, of_inputs, strict=True)}
    replaced |= with_changes(tables, symbols, changes) if tables else {}
    changed: Sequence[Expr] = at_values(program, term, replaced) if replaced else term
    further = (Value(part, Euclidean(len(part))) for part in (tuple(symbols), changes, of_inputs))
    found = reverse(program, list(zip(changed, factors, strict=True)), [*states, *further])
    by_symbols, by_changes, by_inputs = found[len(states) :]
    if tables:
        by_symbols = tuple(a + b for a, b in zip(by_symbols, by_changes, strict=True))
    n = len(parameters[0])
    parts: tuple[Vector, ...] = (*found[: len(states)], by_symbols[:n], by_symbols[n:], by_inputs)
    if replaced:
        zero: dict[Symbol, Expr] = dict.fromkeys((*changes, *of_inputs), Integer(0))
        flat = iter(at_values(program, [e for part in parts for e in part], zero))
        parts = tuple(tuple(next(flat) for _ in part) for part in parts)
    return parts
