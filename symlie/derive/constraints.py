"""Constraint Jacobian, hidden constraint and curvature term from Φ(t, q) = 0.

d/dt Φ = B(t, q) v + b(t, q) = 0,    d²/dt² Φ = B v' + Z(t, q, v) = 0

Nonholonomic constraints are defined by ψ(t, q, v) = 0 and have no Φ, which is set to zero; B = ∂ψ/∂v. If ψ is affine in
v it is B v + b; otherwise b = ψ - B v depends on v as B does, so that B v + b is ψ, and with B and b at one velocity
and v at another it is ψ linearised about the first. Acceleration-level constraints are defined by B v' + Z = 0 and have
neither Φ nor b.

The constraint p·p = 1 of Euler parameters applies only to moving nodes.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from sympy import Expr, Float, Integer

from symlie.errors import ModelError
from symlie.ir.differentiate import forward, reverse
from symlie.ir.program import Euclidean, Program, Value, at_values, depends_on
from symlie.modeling.element_type import ElementInstances
from symlie.modeling.instances import constraints_of
from symlie.modeling.model import Model
from symlie.modeling.statement import Statement
from symlie.modeling.terms import (
    Activity,
    Constraint,
    Contact,
    Friction,
    Slipping,
    activity_symbol,
    slip_direction,
)
from symlie.rotations import UNIT_LENGTH
from symlie.utilities.showing import Brief

_Stated = TypeVar("_Stated", bound=Statement)


@dataclass(frozen=True, repr=False)
class ConstraintTerms(Brief):
    """Constraint terms of one statement, as expressions of its program."""

    position: tuple[Expr, ...]
    """Φ(t, q)."""
    jacobian: tuple[tuple[Expr, ...], ...]
    """B(t, q, v), one row per constraint equation."""
    rate: tuple[Expr, ...]
    """b, for holonomic constraints ∂Φ/∂t."""
    hidden: tuple[Expr, ...]
    """B v + b: dΦ/dt, or ψ."""
    curvature: tuple[Expr, ...]
    """Z(t, q, v)."""
    columns: tuple[tuple[Expr, ...], ...]
    """Rows C of the constraint force -Cᵀλ: those of B, W - μ dᵀ W_T of contacts that slide in the direction d, and
    B + μ n dᵀ W_T of constraints with friction and a reaction along n; empty without friction."""


def derive_constraints(statement: Statement) -> ConstraintTerms:
    """Derive B, b and Z; raise `ModelError` if a constraint equation does not depend on the configuration."""
    derivations = (_holonomic, _nonholonomic, _of_accelerations)
    terms = [derivations[c.level](statement, c) for c in statement.constraints]
    columns: Sequence[Sequence[Sequence[Expr]]] = tuple(zip(*terms, strict=True)) or ((),) * 5
    position, jacobian, rate, hidden, stated = (tuple(e for part in parts for e in part) for parts in columns)
    hidden = statement.program.vector(hidden)
    derived = forward(statement.program, hidden, statement.motion())
    curvature = tuple(a + b for a, b in zip(derived, stated, strict=True))
    return ConstraintTerms(position, jacobian, rate, hidden, curvature, _columns(statement, jacobian))


NEGLIGIBLE_SLIP = Float(1e-24)
"""Squared slip velocity, relative to the sum of the squares of its terms, that is round-off."""


def _columns(statement: Statement, jacobian: tuple[tuple[Expr, ...], ...]) -> tuple[tuple[Expr, ...], ...]:
    """Return the rows along which constraint forces act, or no rows if they are those of B."""
    pulling = [c for c in statement.contacts if c.slip and not (isinstance(c, Friction) and not c.reaction)]
    if not pulling:
        return ()
    program = statement.program
    names = [c.name for c in statement.constraints for _ in c.rows]
    rows = list(jacobian)
    for contact in pulling:
        slips, direction = along_slip(statement, contact)
        pull = program.vector([contact.sliding * contact.friction * d for d in direction])
        width = sum(n.group.velocity_dimension for n in statement.moving_nodes)
        along = tuple(sum((d * row[j] for d, row in zip(pull, slips, strict=True)), Integer(0)) for j in range(width))
        if isinstance(contact, Contact):
            k = names.index(contact.normal_name)
            rows[k] = tuple(b - a for b, a in zip(rows[k], along, strict=True))
            continue
        # |F| is n·F, so that its part of each multiplier is that of n·F.
        toward = sum((n * f for n, f in zip(contact.toward, contact.reaction, strict=True)), Integer(0))
        (parts,) = reverse(program, [(toward, Integer(1))], [Value(statement.multipliers, Euclidean(len(rows)))])
        for k, part in enumerate(parts):
            if part != 0:
                rows[k] = tuple(b + part * a for b, a in zip(rows[k], along, strict=True))
    return tuple(rows)


def along_slip(statement: Statement, contact: Slipping) -> tuple[list[list[Expr]], tuple[Expr, ...]]:
    """Return the rows W of slip velocities W v, by node, and the direction of slip of a sliding contact."""
    velocities = [n.velocity for n in statement.moving_nodes]
    flat = [s for v in velocities for s in v.components]
    slips = [
        [e for part in reverse(statement.program, [(s, Integer(1))], velocities) for e in part] for s in contact.slip
    ]
    terms = sum(((w * v) ** 2 for row in slips for w, v in zip(row, flat, strict=True)), Integer(0))
    return slips, slip_direction(contact, NEGLIGIBLE_SLIP * terms)


_Terms = tuple[Sequence[Expr], Sequence[tuple[Expr, ...]], Sequence[Expr], Sequence[Expr], Sequence[Expr]]
"""Φ, B, b, B v + b, and Z if it is specified, of one constraint."""


def _holonomic(statement: Statement, constraint: Constraint) -> _Terms:
    program, values = statement.program, [n.value for n in statement.moving_nodes]
    for i, row in enumerate(constraint.rows):
        if not depends_on(program, [row], [s for v in values for s in v.components]):
            raise ModelError(
                f"In '{statement.name}', equation {i + 1} of constraint '{constraint.name}' does not depend on the "
                "configuration; remove it."
            )
    jacobian = _jacobian(program, constraint, values)
    motion = statement.motion()
    rate = forward(program, constraint.rows, [seed for seed in motion if seed[0].components == (statement.time,)])
    zero = [Integer(0)] * len(constraint.rows)
    return constraint.rows, jacobian, rate, forward(program, constraint.rows, motion), zero


def _jacobian(program: Program, constraint: Constraint, by: Sequence[Value]) -> list[tuple[Expr, ...]]:
    """Return the derivatives of the equations of a constraint, by node."""
    return [tuple(c for part in reverse(program, [(r, Integer(1))], by) for c in part) for r in constraint.rows]


def _nonholonomic(statement: Statement, constraint: Constraint) -> _Terms:
    program, velocities = statement.program, [n.velocity for n in statement.moving_nodes]
    jacobian = _jacobian(program, constraint, velocities)
    flat = [s for v in velocities for s in v.components]
    zero = [Integer(0)] * len(constraint.rows)
    if constraint.is_affine:
        rate: Sequence[Expr] = at_values(program, constraint.rows, dict.fromkeys(flat, Integer(0)))
    else:
        along = (sum((b * v for b, v in zip(row, flat, strict=True)), Integer(0)) for row in jacobian)
        rate = program.vector(row - moved for row, moved in zip(constraint.rows, along, strict=True))
    return zero, jacobian, rate, constraint.rows, zero


def _of_accelerations(statement: Statement, constraint: Constraint) -> _Terms:
    program, accelerations = statement.program, [n.acceleration for n in statement.moving_nodes]
    jacobian = _jacobian(program, constraint, accelerations)
    unmoved = dict.fromkeys((s for a in accelerations for s in a.components), Integer(0))
    zero = [Integer(0)] * len(constraint.rows)
    return zero, jacobian, zero, zero, at_values(program, constraint.rows, unmoved)


def without_held_lengths(model: Model) -> Model:
    """Return the model without unit-length constraints of fixed and prescribed nodes, or the model itself if it has
    none."""
    held = {(a.name, int(k)) for a in model.arrays for k in np.flatnonzero(a.fixed)}
    held |= {(m.node, m.index) for m in model.motions}
    lengths = [i for i in model.instances if i.element.name.startswith(UNIT_LENGTH)]
    if not any(row[0] in held for i in lengths for row in i.nodes):
        return model
    free = copy.copy(model)
    reduced = [_without(i, held) if i in lengths else i for i in model.instances]
    free.instances = [i for i in reduced if i.nodes]
    return free


def _without(stated: ElementInstances, held: set[tuple[str, int]]) -> ElementInstances:
    """Return the elements whose node is not in the set."""
    kept = [k for k, row in enumerate(stated.nodes) if row[0] not in held]
    return replace(
        stated,
        nodes=[stated.nodes[k] for k in kept],
        parameters=[np.vstack(stated.parameters)[kept]],
        sources=[np.vstack(stated.sources)[kept]],
        names=[stated.names[k] for k in kept],
        labels=[stated.labels[k] for k in kept],
    )


def with_activities(model: Model) -> Model:
    """Return the model with activities of its constraints, or the model itself if no event changes constraints.

    The equations of a contact, or of a constraint that events release or engage, are multiplied by an activity s, which
    is 1 in force and 0 released: s Φ = 0. It is stored in the configuration and constant between events, so that B, Z
    and all derivatives follow. The algebra replaces rows of B that are zero by λ = 0. Equations of slip that
    others imply are also released.
    """
    if not model.engagements and not any(s.contacts for s in (model, *(i.element for i in model.instances))):
        return model
    changed = [c for e in model.engagements for c in constraints_of(model, e.constraint)]

    def names(statement: Statement) -> list[str]:
        of_contacts = {c.slip_name for c in statement.contacts}
        of_contacts |= {c.normal_name for c in statement.contacts if isinstance(c, Contact)}
        return [c.name for c in statement.constraints if c.name in of_contacts or any(c is other for other in changed)]

    found = _multiplied(model, names(model))
    found.instances = [
        replace(i, element=_multiplied(i.element, own)) if (own := names(i.element)) else i for i in model.instances
    ]
    return found


def check_resets(model: Model) -> None:
    """Raise `ModelError` if an event resets a node that is prescribed or dependent."""
    held = {m.node for m in model.motions}
    held |= {model.nodes[d.place].name for d in model.dependents}
    for node in (n for n in model.nodes if n.name in held):
        own = {*node.velocity.components, *node.storage}
        for reset in model.resets:
            if own & set(reset.components):
                raise ModelError(
                    f"Node '{node.name}' of '{model.name}' is prescribed or dependent; event '{reset.event}' cannot "
                    "reset it."
                )


def _multiplied(statement: _Stated, constraints: Collection[str]) -> _Stated:
    """Return a copy of a statement with activities of some constraints."""
    found = copy.copy(statement)
    found.program, found.activities = statement.program.copy(), list(statement.activities)
    found.constraints = []
    for constraint in statement.constraints:
        if constraint.name in constraints:
            activity = activity_symbol(constraint.name)
            found.activities.append(Activity(activity, constraint.name))
            implied = next((c.implied for c in statement.contacts if c.slip_name == constraint.name), ())
            factors = [activity * (1 - s) for s in implied] or [activity] * len(constraint.rows)
            rows = found.program.vector([a * row for a, row in zip(factors, constraint.rows, strict=True)])
            constraint = replace(constraint, rows=tuple(rows))
        found.constraints.append(constraint)
    for contact in statement.contacts:
        found.activities += [Activity(symbol, "") for symbol in contact.kept]
    return found
