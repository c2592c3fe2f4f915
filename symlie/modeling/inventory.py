"""Terms of a model or element type, and the check for undeclared symbols."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from sympy import Expr, Symbol

from symlie.errors import ModelError
from symlie.ir.program import Assignment, needed_statements
from symlie.modeling.model import Model
from symlie.modeling.statement import Statement
from symlie.modeling.terms import Contact


def terms_of(statement: Statement) -> Iterator[tuple[str, tuple[Expr, ...]]]:
    """Yield each term with its name in messages."""
    yield "the kinetic energy", (statement.kinetic,)
    yield "the potential energy", (statement.potential,)
    yield "the dissipation function", (statement.dissipated,)
    yield "the energy", (statement.energies,)
    for node, vector in statement.generalized_forces:
        yield f"the force on node '{node.name}'", vector
    for node, vector in statement.fields:
        yield f"the field of node '{node.name}'", vector
    for d in statement.dependents:
        stated = (*d.configuration, *(d.velocity or ()))
        yield f"the expressions of dependent node '{statement.nodes[d.place].name}'", stated
    for pair in statement.applied_forces:
        yield "a force", pair
    for constraint in statement.constraints:
        yield f"constraint '{constraint.name}'", constraint.rows
    for angle in statement.angles:
        yield "an unwrapped angle", (angle.sine, angle.cosine, angle.start)
    for output in statement.outputs:
        yield f"output '{output.name}'", output.components
    for output in statement.local_outputs:
        yield f"local output '{output.name}'", output.components
    for event in statement.events:
        yield f"event '{event.name}'", (event.expression,)
    for contact in statement.contacts:
        if isinstance(contact, Contact):
            yield f"contact '{contact.name}'", (contact.gap, *contact.slip, contact.friction, contact.restitution)
        else:
            yield f"friction '{contact.name}'", (*contact.slip, contact.friction, contact.limit)
    for reset in statement.resets:
        yield f"a reset at event '{reset.event}'", reset.values


def check_symbols(model: Model, statement: Statement) -> None:
    """Raise `ModelError` for a symbol that is no parameter, input, multiplier, time or component of a node of the
    statement."""
    used = [(what, _free(statement, expressions)) for what, expressions in terms_of(statement)]
    if not any(symbols for _, symbols in used):
        return
    declared: set[Symbol] = {statement.time, *statement.multipliers}
    declared |= {c for node in statement.nodes for v in (node.value, node.velocity) for c in v.components}
    accelerations = {c for node in statement.nodes for c in node.acceleration.components}
    declared |= {s for owner in (model, statement) for s in owner.data_symbols}
    declared |= set(model.slots)
    declared |= {*(a.before for a in statement.angles), *(a.symbol for a in statement.activities)}
    for what, symbols in used:
        known = declared | accelerations if what.startswith(("the field", "constraint", "the energy")) else declared
        unknown = sorted(symbols - known, key=str)
        if unknown:
            raise ModelError(
                f"Unknown symbol '{unknown[0]}' in {what} of '{statement.name}': it is neither a parameter, nor the "
                "time, nor a component of its nodes; declare it with parameter(...)."
            )


def _free(statement: Statement, expressions: Sequence[Expr]) -> set[Symbol]:
    """Return the symbols that expressions depend on and that the program does not define."""
    used: set[Symbol] = {s for e in expressions for s in e.free_symbols}
    defined: set[Symbol] = set()
    for line in needed_statements(statement.program, expressions):
        if isinstance(line, Assignment):
            used |= line.expression.free_symbols
            defined.add(line.symbol)
        else:
            used |= {s for a in line.arguments for c in a.components for s in c.free_symbols}
            defined |= {s for c in line.result.components for s in c.free_symbols}
    return used - defined


def fingerprint(model: Model) -> Hashable:
    """Return a value that changes with every addition to the model: term counts, which are cheaper than hashes."""
    return (
        sum(map(len, model.initial_values.values())), len(model.motions), len(model.breakpoints), len(model.inputs),
        len(model.tables), len(model.curves),
        tuple((a.name, a.count, len(a.outputs), len(a.quantities)) for a in model.arrays),
        tuple(len(i.nodes) for i in model.instances),
        tuple(
            (len(s.kinetic_terms), len(s.potential_terms), len(s.dissipated_terms), len(s.energy_terms), len(s.nodes),
             len(s.parameters), len(s.generalized_forces), len(s.applied_forces), len(s.fields),
             len(s.dependents), len(s.constraints), len(s.outputs), len(s.local_outputs), len(s.events), len(s.angles),
             len(s.resets), len(s.engagements), len(s.contacts))
            for s in (model, *(i.element for i in model.instances))
        ),
    )  # fmt: skip
