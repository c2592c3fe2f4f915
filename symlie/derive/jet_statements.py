"""What the jets of an element type are of: straight lines of its forces, constraints, fields, offsets and events."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sympy import Expr, Integer, Symbol

from symlie.derive.derived_statement import DerivedStatement
from symlie.derive.fields import collected_rates, moved_nodes, placed_offsets, total_field
from symlie.derive.kernels import configuration_symbols, parameter_symbols, symbols_of
from symlie.errors import ModelError
from symlie.ir.jet_products import constants_outside
from symlie.ir.jet_sharing import shared
from symlie.ir.jets import jet_of
from symlie.ir.program import Program
from symlie.ir.straightline import StraightLine, flatten
from symlie.modeling.model import Model

PARAMETERS = ("p", "e")
"""Arguments that are no functions of time."""

CONSTANT = tuple(f"{label}[" for label in PARAMETERS)
"""How references to them begin."""

Sizes = dict[str, int | None]
"""Arguments with their lengths; None for a number."""


@dataclass(frozen=True)
class JetStatement:
    """What a jet is of.

    Attributes
    ----------
    body
        Its values.
    sizes
        Its arguments.
    later
        Those of them whose order k is found with its own.
    given, taken
        How many values, its last ones, another jet takes, and how many it takes from another.
    """

    body: StraightLine
    sizes: Sizes
    later: tuple[str, ...] = ()
    given: int = 0
    taken: int = 0


def flattened(program: Program, values: Sequence[Expr], references: Mapping[Symbol, str]) -> StraightLine:
    """Values as a straight line, with constants outside of its products.

    Parameters
    ----------
    program
        What the values are made of.
    values
        The values.
    references
        Arguments by their symbols, as kernels have them.
    """
    return constants_outside(flatten(program, values, references), CONSTANT)


def element_statements(model: Model, derived: DerivedStatement, follows_fields: bool) -> dict[str, JetStatement]:
    """What the jets of an element type are of, by their names, in the order in which orders find them.

    Parameters
    ----------
    model
        The model.
    derived
        The statement of the element type with its derivatives.
    follows_fields
        Whether fields have series beside the rates of their nodes.
    """
    statement, program = derived.statement, derived.statement.program
    inputs: dict[str, Sequence[Symbol]] = {
        "q": configuration_symbols(statement),
        "v": [s for n in statement.nodes for s in n.velocity.components],
        "a": [s for n in statement.nodes for s in n.acceleration.components],
        "multipliers": statement.multipliers,
        "p": parameter_symbols(model),
        "e": [] if statement is model else symbols_of(statement.parameters),
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
    if offsets := placed_offsets(statement):
        found["place"] = stated(offsets, ("a", "multipliers"))
    if statement.events:
        found["event"] = stated([e.expression for e in statement.events], ("a",))
    return found


def _force(derived: DerivedStatement, a: Sequence[Symbol]) -> list[Expr]:
    """r, without M a where M is constant."""
    dynamics, multipliers = derived.dynamics, derived.statement.multipliers
    force = list(dynamics.force)
    for j in range(len(force)):
        if not dynamics.mass_is_constant:
            force[j] += _dot(dynamics.mass[j], a)
        force[j] += _dot([row[j] for row in derived.constraints.jacobian], multipliers)
    return force


def _fields(derived: DerivedStatement, follows_fields: bool) -> list[list[Expr]]:
    """Fields with the rates of their nodes, or these alone, stated in one way or more."""
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
    """How many products an order has; no number is larger where there is no series."""
    try:
        return len(jet_of("", of.body, CONSTANT).layout.products)
    except ModelError:
        return sys.maxsize


def _rows(derived: DerivedStatement, v: Sequence[Symbol], a: Sequence[Symbol]) -> tuple[list[Expr], list[Expr]]:
    """c and z of all rows, zero of those of the other kind; nothing where there are none of a kind.

    Rows that are nonlinear in the velocities are followed as B a + Z, which is linear in what orders find.
    """
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
    """Σ of products, one for components whose entries differ by a sign alone."""
    factors: dict[Expr, Expr] = {}
    for entry, x in zip(row, vector, strict=True):
        if -entry in factors:
            factors[-entry] -= x
        elif entry != 0:
            factors[entry] = factors.get(entry, Integer(0)) + x
    return sum((entry * factor for entry, factor in factors.items()), Integer(0))
