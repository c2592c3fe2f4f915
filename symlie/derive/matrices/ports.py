"""Derivatives of a definition with respect to inputs u, and derivatives of its outputs y.

An input is a function of time among the statements of the program. It is replaced by u + w, and w is set to zero after
differentiation.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Integer, Symbol

from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.matrices.newton import balance
from symlie.ir.differentiate import Matrix, columns
from symlie.ir.primitives import RunTimeInput
from symlie.ir.program import Euclidean, Value, at_values
from symlie.modeling.element_type import ElementType
from symlie.modeling.statement import Statement
from symlie.modeling.terms import Input


def derive_ports(
    derived: DerivedStatement, inputs: Sequence[Input]
) -> tuple[tuple[Symbol, ...], tuple[Symbol, ...], tuple[Matrix, ...]]:
    """Return symbols of a and λ, and the matrices of `symlie.contract.sets.SETS`."""
    statement, program = derived.statement, derived.statement.program
    constraints, moving = derived.constraints, statement.moving_nodes
    acceleration = tuple(s for n in moving for s in n.acceleration.components)
    multipliers = tuple(statement.multipliers)
    residual = balance(derived, acceleration, multipliers)
    outputs = [c for o in statement.outputs for c in o.components]
    parts = [program.vector(part) for part in (residual, constraints.position, constraints.hidden, outputs)]
    by_input = [by_inputs(derived, part, inputs) for part in parts]
    by_state = [
        columns(program, parts[3], values)
        for values in (
            [n.value for n in moving],
            [n.velocity for n in moving],
            [Value(multipliers, Euclidean(len(multipliers)))],
        )
    ]
    everything = tuple(s for n in statement.nodes for s in n.acceleration.components)
    return everything, multipliers, (*by_input[:3], *by_state, by_input[3])


def by_inputs(derived: DerivedStatement, expressions: Sequence[Expr], inputs: Sequence[Input]) -> Matrix:
    """Return derivatives with respect to all components of all inputs, and to those that each instance chooses, shape
    (expressions, components).
    """
    program = derived.statement.program
    atoms = input_values(derived.statement, inputs)
    if not atoms:
        return ((),) * len(expressions)
    changes = program.fresh("w", len(atoms))
    # Slots are replaced by themselves, so that statements with inputs can be identified by their symbols.
    replaced: dict[Expr, Expr] = {u.slot: u.slot for u in atoms}
    replaced |= {u: u + w for u, w in zip(atoms, changes, strict=True)}
    changed = at_values(program, expressions, replaced)
    found = columns(program, changed, [Value(changes, Euclidean(len(changes)))])
    flat = at_values(program, [e for row in found for e in row], dict.fromkeys(changes, Integer(0)))
    n = len(changes)
    return tuple(tuple(flat[n * i : n * (i + 1)]) for i in range(len(expressions)))


def input_values(statement: Statement, inputs: Sequence[Input]) -> list[RunTimeInput]:
    """Return all components of all inputs of a model, followed by the inputs that each instance chooses."""
    time = statement.time
    found = [RunTimeInput.of(time, i.slots[0], k, i.smoothness) for i in inputs for k in range(i.size)]
    if isinstance(statement, ElementType):
        found += [RunTimeInput.of(time, *i.choice) for i in statement.inputs]
    return found
