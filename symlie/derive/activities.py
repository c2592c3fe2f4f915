"""Activities of constraints that events release and engage.

The equations of such a constraint are multiplied by an activity s, which is 1 in force and 0 released: s Φ = 0. It is
stored in the configuration and constant between events, so that B, Z and all derivatives follow. The algebra replaces
rows of B that are zero by λ = 0.
"""

from __future__ import annotations

import copy
from collections.abc import Collection
from dataclasses import replace
from typing import TypeVar

from sympy import Symbol

from symlie.errors import ModelError
from symlie.modeling.instances import constraints_of
from symlie.modeling.model import Model
from symlie.modeling.statement import Statement
from symlie.modeling.terms import Activity

_Stated = TypeVar("_Stated", bound=Statement)


def with_activities(model: Model) -> Model:
    """Return the model with activities of its constraints, or the model itself if no event changes constraints."""
    if not model.engagements:
        return model
    changed = [c for e in model.engagements for c in constraints_of(model, e.constraint)]

    def names(statement: Statement) -> list[str]:
        return [c.name for c in statement.constraints if any(c is other for other in changed)]

    found = _multiplied(model, names(model))
    found.instances = [
        replace(i, element=_multiplied(i.element, own)) if (own := names(i.element)) else i for i in model.instances
    ]
    return found


def check_resets(model: Model) -> None:
    """Raise `ModelError` if an event resets a node that is prescribed or dependent."""
    held = {m.node for m in model.motions}
    held |= {model.nodes[p.place].name for p in (*model.placements, *model.locations)}
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
            activity = Symbol(f"activity[{constraint.name}]", real=True)
            found.activities.append(Activity(activity, constraint.name))
            rows = found.program.vector([activity * row for row in constraint.rows])
            constraint = replace(constraint, rows=tuple(rows))
        found.constraints.append(constraint)
    return found
