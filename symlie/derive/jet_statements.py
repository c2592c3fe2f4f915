"""Quantities of the jets of an element type: straight-line code of its forces, constraints, fields, dependent nodes
and events."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sympy import Expr, Integer, Symbol

from symlie.derive.dependents import dependent_values
from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.fields import collected_rates, moved_nodes, total_field
from symlie.derive.kernels import configuration_symbols, instance_symbols, parameter_symbols
from symlie.errors import ModelError
from symlie.ir.jet_products import constants_outside
from symlie.ir.jets.derivation import jet_of
from symlie.ir.jets.sharing import shared
from symlie.ir.program import Program
from symlie.ir.straightline import StraightLine, flatten
from symlie.modeling.model import Model

PARAMETERS = ("p", "e")
"""Arguments that do not depend on time."""

CONSTANT = tuple(f"{label}[" for label in PARAMETERS)
"""Prefixes of references to these arguments."""

Sizes = dict[str, int | None]
"""Arguments with their lengths; None for a number."""


@dataclass(frozen=True)
class JetStatement:
    """Quantity of a jet."""

    # ``body`` are its values, ``sizes`` its arguments, ``later`` those whose order k follows from its own; another jet
    # uses ``given`` of its values, the last ones, and it uses ``taken`` values of another.

    body: StraightLine
    sizes: Sizes
    later: tuple[str, ...] = ()
    given: int = 0
    taken: int = 0


def flattened(program: Program, values: Sequence[Expr], references: Mapping[Symbol, str]) -> StraightLine:
    """Return values as straight-line code, with constants outside of its products."""
    return constants_outside(flatten(program, values, references), CONSTANT)


def element_statements(model: Model, derived: DerivedStatement, follows_fields: bool) -> dict[str, JetStatement]:
    """Return the quantities of the jets of an element type by name, in the order of their computation."""
    statement, program = derived.statement, derived.statement.program
    inputs: dict[str, Sequence[Symbol]] = {
        "q": configuration_symbols(statement),
        "v": [s for n in statement.nodes for s in n.velocity.components],
        "a": [s for n in statement.nodes for s in n.acceleration.components],
        "multipliers": statement.multipliers,
        "p": parameter_symbols(model),
        "e": instance_symbols(statement),
    }
    references = {s: f"{label}[{k}]" for label, symbols in inputs.items() for k, s in enumerate(symbols)}
    references[statement.time] = "t"
    sizes: Sizes = {"t": None, **{label: len(symbols) for label, symbols in inputs.items()}}

    def stated(values: Sequence[Expr], without: Sequence[str] = (), later: tuple[str, ...] = ()) -> JetStatement:
        known = {label: size for label, size in sizes.items() if label not in without}
        return JetStatement(flattened(program, values, references), known, later)

    found = {"force": stated(_force(derived, inputs["a"]), later=("a", "multipliers"))}
    hidden, index1 = _rows(derived, inputs["v"], inputs["a"])
    if hidden:
        of_state = stated(hidden, ("a", "multipliers"), ("v",))
        given, taking, count = shared(of_state.body, found["force"].body, CONSTANT, ("v[",))
        found["force"] = replace(found["force"], body=taking, taken=count)
        found["hidden"] = replace(of_state, body=given, given=count)
    if index1:
        found["index1"] = stated(index1, ("multipliers",), ("a",))
    if moved_nodes(statement):
        found["field"], *others = map(stated, _fields(derived, follows_fields))
        if others:
            found["field"] = min(found["field"], *others, key=_products)
    if statement.dependents:
        found["dependent"] = stated(dependent_values(statement), ("a", "multipliers"))
    if statement.events:
        found["event"] = stated([e.expression for e in statement.events], ("a",))
    return found


def _force(derived: DerivedStatement, a: Sequence[Symbol]) -> list[Expr]:
    """Return the residual r, without M a if M is constant."""
    dynamics, multipliers = derived.dynamics, derived.statement.multipliers
    force = list(dynamics.force)
    for j in range(len(force)):
        if not dynamics.mass_is_constant:
            force[j] += _dot(dynamics.mass[j], a)
        force[j] += _dot([row[j] for row in derived.constraints.jacobian], multipliers)
    return force


def _fields(derived: DerivedStatement, follows_fields: bool) -> list[list[Expr]]:
    """Return two alternative forms of the vector fields: with the rates of their nodes, and the rates only."""
    statement, program = derived.statement, derived.statement.program
    moved = moved_nodes(statement)
    fields = [program.vector(total_field(statement, k)) for k in moved]
    rates = [
        statement.nodes[k].group.storage_tangent(program, statement.nodes[k].value.components, f)
        for k, f in zip(moved, fields, strict=True)
    ]
    if follows_fields:
        return [[c for x in (*fields, *rates) for c in x]]
    shorter = [collected_rates(statement, k, f) for k, f in zip(moved, fields, strict=True)]
    return [[c for x in way for c in x] for way in (rates, shorter)]


def _products(of: JetStatement) -> int:
    """Return the number of products per order, or the largest integer if the series does not exist."""
    try:
        return len(jet_of("", of.body, CONSTANT).layout.products)
    except ModelError:
        return sys.maxsize


def _rows(derived: DerivedStatement, v: Sequence[Symbol], a: Sequence[Symbol]) -> tuple[list[Expr], list[Expr]]:
    """Return c and z of all constraints, with zeros for the other constraint type; empty if no constraint has this
    type.
    """
    # Constraints nonlinear in the velocities use B a + Z, which is linear in the unknowns of an order.
    terms = derived.constraints
    of_accelerations = [c.level == 2 or not c.is_affine for c in derived.statement.constraints for _ in c.rows]
    hidden, index1 = [Integer(0)] * len(of_accelerations), [Integer(0)] * len(of_accelerations)
    for k, row in enumerate(terms.jacobian):
        if of_accelerations[k]:
            index1[k] = _dot(row, a) + terms.curvature[k]
        else:
            hidden[k] = _dot(row, v) + terms.rate[k]
    return ([] if all(of_accelerations) else hidden), (index1 if any(of_accelerations) else [])


def _dot(row: Sequence[Expr], vector: Sequence[Symbol]) -> Expr:
    """Return the sum of products, with one product for components whose entries agree up to sign."""
    factors: dict[Expr, Expr] = {}
    for entry, x in zip(row, vector, strict=True):
        if -entry in factors:
            factors[-entry] -= x
        elif entry != 0:
            factors[entry] = factors.get(entry, Integer(0)) + x
    return sum((entry * factor for entry, factor in factors.items()), Integer(0))
