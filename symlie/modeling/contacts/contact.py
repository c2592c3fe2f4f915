"""Unilateral contacts, with their constraints, events and outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import Expr, Integer, sqrt

from symlie.errors import ModelError
from symlie.ir.primitives import Select
from symlie.ir.program import depends_on
from symlie.modeling.contacts.friction import state_outputs
from symlie.modeling.expressions import components
from symlie.modeling.node import column
from symlie.modeling.terms import Contact, slip_direction

if TYPE_CHECKING:
    from symlie.modeling.statement import Statement


def state_contact(
    statement: Statement, name: str, gap: object, slip: object | None, friction: object, restitution: object
) -> None:
    """Add a contact; without a name it is the only one of its element type."""
    contact = _checked(statement, name, gap, slip, friction, restitution)
    mu, slips = contact.friction, contact.slip
    force = -statement.constraint(contact.normal_name, contact.gap)[0]
    touch = contact.gap + (1 - contact.closed) * contact.slack
    statement.event(contact.named("touch"), touch, "falling", terminal=False)
    statement.event(contact.named("lift"), force + contact.slack, "falling", terminal=False)
    statement.output(contact.named("gap"), contact.gap)
    statement.output(contact.named("normal"), force)
    state: Expr = contact.closed
    if slips:
        stuck = -statement.nonholonomic_constraint(contact.slip_name, column(slips))
        along = sum((s * d for s, d in zip(slips, contact.direction, strict=True)), Integer(0))
        statement.event(contact.named("stick"), along, "falling", terminal=False)
        sliding = [-mu * force * d for d in slip_direction(contact)]
        if len(contact.direction) > 1:
            # In time stepping, an impact without slip has no direction, and the multipliers are its friction.
            square = sum((d**2 for d in contact.direction), Integer(0))
            sliding = [Select(square, f, Integer(0)) for f in sliding]
        rubbing = [a + b for a, b in zip(stuck, sliding, strict=True)]
        size = sqrt(sum((f**2 for f in rubbing), Integer(0)))
        statement.event(contact.named("slip"), mu * force - size + contact.slack, "falling", terminal=False)
        state_outputs(statement, contact, rubbing)
        state = contact.closed + contact.sticks
    statement.output(contact.named("state"), state)
    statement.contacts.append(contact)


def _checked(
    statement: Statement, name: str, gap: object, slip: object | None, friction: object, restitution: object
) -> Contact:
    """Return a contact with checked arguments."""
    given, slips = components(gap), () if slip is None else components(slip)
    laws = tuple(components(value) for value in (friction, restitution))
    what = f"Contact '{name}' of '{statement.name}'" if name else f"The contact of '{statement.name}'"
    if len(given) != 1:
        raise ModelError(f"{what} needs a scalar gap, not one with {len(given)} components.")
    if given[0].is_nonnegative:
        raise ModelError(
            f"{what} has a gap that is never negative, so that its gradient vanishes where it closes; use a signed "
            "distance, such as x instead of x**2."
        )
    if len(slips) > 2:
        raise ModelError(f"{what} needs a slip velocity with one or two components, not {len(slips)}.")
    if any(len(law) != 1 for law in laws):
        raise ModelError(f"{what} needs scalar coefficients of friction and of restitution.")
    (mu,), (e,) = laws
    states = [s for n in statement.nodes for v in (n.value, n.velocity) for s in v.components]
    if depends_on(statement.program, [mu, e], [*states, statement.time]):
        raise ModelError(f"{what} needs coefficients that depend on parameters only.")
    if mu.is_number and mu < 0:
        raise ModelError(f"{what} needs a friction coefficient that is not negative, not {float(mu):g}.")
    if e.is_number and not 0 <= e <= 1:
        raise ModelError(f"{what} needs a coefficient of restitution from 0 to 1, not {float(e):g}.")
    if mu != 0 and not slips:
        raise ModelError(f"{what} has friction, but no slip velocity; state slip=….")
    return Contact(name, tuple(statement.program.vector(list(slips))) if slips else (), mu, given[0], e)
