"""Coulomb friction on the reaction of bilateral constraints, or up to a given force, with exact sticking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sympy import Expr, Integer

from symlie.errors import ModelError, UnknownNameError
from symlie.ir.differentiate import reverse
from symlie.ir.program import depends_on
from symlie.modeling.expressions import components
from symlie.modeling.names import new_name
from symlie.modeling.node import column
from symlie.modeling.terms import Friction, Slipping, slip_direction
from symlie.utilities.unit_names import UNITS

if TYPE_CHECKING:
    from symlie.modeling.statement import Statement

MOST_COMPONENTS = 3
"""Largest number of components of a reaction."""


def state_friction(
    statement: Statement, name: str, coefficient: object, limit: object, slip: object, reaction: Sequence[Expr]
) -> None:
    """Add friction with at most L + μ |F| against slip velocities, with its constraint, events and outputs; without a
    name it is the only one of its element type."""
    what = f"Friction '{name}' of '{statement.name}'" if name else f"Friction of '{statement.name}'"
    if name:
        new_name("Friction or contact", name, {c.name for c in statement.contacts}, statement.name)
    mu, bound, slips = _checked(statement, what, coefficient, limit, slip)
    if mu == 0:
        reaction = ()
    friction = Friction(name, slips, mu, bound, statement.program.vector(list(reaction)))
    _check_units(statement, what, friction)
    _add_limit(statement, friction)
    stuck = -statement.nonholonomic_constraint(friction.slip_name, column(slips))
    most = bound + mu * friction.size
    along = sum((s * d for s, d in zip(slips, friction.direction, strict=True)), Integer(0))
    statement.event(friction.named("stick"), along, "falling", terminal=False)
    sliding = [-friction.sliding * most * d for d in slip_direction(friction)]
    rubbing = [a + b for a, b in zip(stuck, sliding, strict=True)]
    # Squares of both forces are smooth where the force of sticking friction vanishes.
    left = (most + friction.slack) ** 2 - sum((f**2 for f in rubbing), Integer(0))
    statement.event(friction.named("slip"), left, "falling", terminal=False)
    if len(reaction) == 1:
        turned = friction.toward[0] * friction.reaction[0]
        statement.event(
            friction.named("turn"), (1 - friction.sticks) * turned + friction.sticks, "falling", terminal=False
        )
    state_outputs(statement, friction, rubbing)
    statement.output(friction.named("state"), friction.closed + friction.sticks)
    statement.contacts.append(friction)


def state_outputs(statement: Statement, contact: Slipping, force: Sequence[Expr]) -> None:
    """Add the outputs of a friction force along the slip velocities: the force, and the power that it dissipates."""
    statement.output(contact.named("friction"), column(force))
    power = sum((f * s for f, s in zip(force, contact.slip, strict=True)), Integer(0))
    statement.output(contact.named("dissipation"), -(1 - contact.sticks) * power)


def reaction_of(statement: Statement, name: str) -> tuple[Expr, ...]:
    """Return the multipliers of a constraint, the components of a reaction."""
    found = next((c for c in statement.constraints if c.name == name), None)
    if found is None:
        known = ", ".join(c.name for c in statement.constraints) or "none"
        raise UnknownNameError(
            f"'{statement.name}' has no constraint '{name}' for friction with a coefficient; it has: {known}."
        )
    if len(found.multipliers) > MOST_COMPONENTS:
        raise ModelError(
            f"Constraint '{name}' of '{statement.name}' has {len(found.multipliers)} equations; friction needs a "
            "reaction with one to three components, so state the equations of the force as a constraint of their own."
        )
    return found.multipliers


def _checked(
    statement: Statement, what: str, coefficient: object, limit: object, slip: object
) -> tuple[Expr, Expr, tuple[Expr, ...]]:
    """Return the checked coefficient, limit and slip velocities."""
    given, slips = tuple(components(value) for value in (coefficient, limit)), components(slip)
    if not 1 <= len(slips) <= 2:
        raise ModelError(f"{what} needs a slip velocity with one or two components, not {len(slips)}.")
    if any(len(law) != 1 for law in given):
        raise ModelError(f"{what} needs a scalar coefficient and a scalar limit.")
    (mu,), (bound,) = given
    configurations = [s for n in statement.nodes for s in n.value.components]
    velocities = [s for n in statement.nodes for s in n.velocity.components]
    if depends_on(statement.program, [mu], [*configurations, *velocities, statement.time, *statement.multipliers]):
        raise ModelError(f"{what} needs a coefficient that depends on parameters only.")
    if depends_on(statement.program, [bound], [*velocities, *statement.multipliers]):
        raise ModelError(f"{what} needs a limit that depends on the time, configurations and parameters only.")
    if any(law.is_number and law < 0 for law in (mu, bound)):
        raise ModelError(f"{what} needs a coefficient and a limit that are not negative.")
    if mu == 0 and bound == 0:
        raise ModelError(f"{what} needs a coefficient, or the limit of its force.")
    if bound != 0 and len(slips) > 1:
        raise ModelError(f"{what} has a limit, which needs one slip velocity, not two.")
    return mu, bound, statement.program.vector(list(slips))


def _check_units(statement: Statement, what: str, friction: Friction) -> None:
    """Check that a limit is conjugate to the slip velocity."""
    if friction.limit != 0:
        statement.units.check_product(what, friction.limit, friction.slip[0], UNITS["W"])


def _add_limit(statement: Statement, friction: Friction) -> None:
    """Add the force of the limit against the direction of sliding."""
    if friction.limit == 0:
        return
    moving = statement.moving_nodes
    parts = reverse(statement.program, [(friction.slip[0], Integer(1))], [n.velocity for n in moving])
    factor = statement.program.scalar(-friction.sliding * friction.limit * friction.direction[0])
    for node, part in zip(moving, parts, strict=True):
        if any(c != 0 for c in part):
            statement.generalized_forces.append((node, tuple(factor * c for c in part)))
