"""Checks of the result of every step: it must be finite and satisfy the constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from symlie.contract.constants import DRIFT_LIMIT, DRIFT_ROUND_OFF, SETTLED
from symlie.errors import ConstraintDriftError, IndefiniteMassMatrixError, NotFiniteError, SingularSystemError
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.system.contacts.table import ContactTable

if TYPE_CHECKING:
    from symlie.runtime.methods.family import Method
    from symlie.runtime.methods.stepper import Trial
    from symlie.runtime.system.system import System


def check_finite(layout: Layout, trial: Trial) -> None:
    """Raise a NotFiniteError that names the first entry of a result that is not finite."""
    for what, values, name in (
        ("velocity", trial.v, layout.velocity_name),
        ("configuration", trial.q, layout.storage_name),
        ("multiplier", trial.multipliers, layout.row_name),
    ):
        if not np.all(np.isfinite(values)):
            raise NotFiniteError(f"The {what} is not finite at {name(int(np.flatnonzero(~np.isfinite(values))[0]))}")
    if not np.isfinite(trial.largest_constraint + trial.largest_velocity):
        raise NotFiniteError("A constraint is not finite")


def is_settled(correction: Array, v: Array) -> bool:
    """Return whether a Newton iteration for a velocity has converged to round-off, judged by its last correction."""
    return float(np.abs(correction).max()) <= SETTLED * float(np.abs(v).max())


def check_drift(system: System, method: Method, trial: Trial, t: float) -> None:
    """Raise a ConstraintDriftError if the Newton step back to the constraints is large or hardly reduces Φ; see
    ``drift.h``."""
    m = system.mechanics
    q = ContactTable(m).opened(trial.q) if method.steps_over(system.layout) else trial.q
    size = max(1.0, float(np.abs(q).max()))
    jacobian, residual = m.jacobian(t, q, trial.v), m.constraint(t, q)
    try:
        with np.errstate(all="ignore"):
            mass, still = m.mass(t, q), np.zeros_like(trial.v)
            delta, _ = m.saddle(mass, jacobian, jacobian, still, -residual)
            dependent = m.dependent_rows(jacobian)
    except (np.linalg.LinAlgError, NotFiniteError, IndefiniteMassMatrixError, SingularSystemError):
        return  # The next stage reports a singular matrix.
    row = int(np.argmax(np.abs(residual)))
    largest = float(np.abs(residual[row]))
    found = f"In {system.layout.row_name(row)} Φ = {residual[row]:.3g}"
    bound = max(DRIFT_ROUND_OFF * size, DRIFT_LIMIT * largest)
    if dependent is not None and dependent.contradict(residual, bound):
        raise ConstraintDriftError(f"{found}, which contradicts other constraint equations")
    way = float(np.abs(delta).max())
    if way <= DRIFT_ROUND_OFF * size:
        return
    left = m.constraint(t, m.moved(q, delta)) if way <= DRIFT_LIMIT * size else residual
    if not float(np.abs(left).max()) <= DRIFT_LIMIT * largest:
        raise ConstraintDriftError(found)
