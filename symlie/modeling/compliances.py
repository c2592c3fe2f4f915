"""Compliances of constraint equations, which share forces among redundant ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.contract.manifest import Compliance
from symlie.errors import ModelError, UnknownNameError
from symlie.modeling.ground import Placed
from symlie.modeling.terms import Constraint

if TYPE_CHECKING:
    from symlie.modeling.model import Model


def stated_compliance(model: Model, constraint: object, values: object) -> Compliance:
    """The compliances of a joint or of a constraint, checked."""
    name = constraint.name if isinstance(constraint, Placed) else constraint
    if not isinstance(name, str):
        raise ModelError(f"Compliances are of a joint or of the name of a constraint, not of {constraint!r}.")
    found = _constraints(model, name)
    if not found:
        raise UnknownNameError(f"'{model.name}' has no joint or constraint '{name}' to state compliances of.")
    called = f"of '{name}' of '{model.name}'"
    try:
        numbers = np.atleast_1d(np.asarray(values, dtype=float))
    except (TypeError, ValueError) as error:
        raise ModelError(f"Compliances {called} must be numbers, not {values!r}.") from error
    rows = sum(len(c.rows) for c in found)
    if numbers.shape != (rows,):
        raise ModelError(f"Compliances {called} need {rows} values, one for each equation, not {numbers.size}.")
    if not np.all(np.isfinite(numbers)) or np.any(numbers < 0):
        raise ModelError(f"Compliances {called} must be zero or positive and finite, not {numbers.tolist()}.")
    return Compliance(name, tuple(numbers.tolist()))


def _constraints(model: Model, name: str) -> list[Constraint]:
    """Constraints of a named instance, as of a joint, or those of the model or of an element type with this name."""
    for stated in model.instances:
        if name in stated.names:
            return list(stated.element.constraints)
    own = [c for c in model.constraints if c.name == name]
    return own or [c for stated in model.instances for c in stated.element.constraints if c.name == name][:1]
