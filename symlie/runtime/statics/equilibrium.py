"""Static equilibria g(t, q, 0) + Bᵀ λ = 0, Φ(t, q) = 0, with load steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from symlie.errors import EquilibriumError, ModelError
from symlie.runtime.layout.layout import Array
from symlie.runtime.statics.newton_search import NewtonSearch, SearchOptions
from symlie.runtime.statics.residual import Statics
from symlie.utilities.showing import brief, line

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

MOST_ITERATIONS = 1000
"""Maximum number of accepted steps per load step: mechanisms need five, slender rods dozens, slack stiff cables
hundreds."""


class Equilibrium(NamedTuple):
    """Static equilibrium of a system, from `System.static_equilibrium`."""

    q: Array
    """Configuration, shape (storage,)."""
    multipliers: Array
    """λ, shape (constraint equations,); zero for nonholonomic constraints."""
    iterations: int
    """Number of accepted steps of the search."""

    def __repr__(self) -> str:
        return line("Equilibrium", [f"{name}={brief(value)}" for name, value in self._asdict().items()])


def static_equilibrium(
    system: System,
    t: float = 0.0,
    *,
    tolerance: float = 1e-9,
    load_steps: int = 1,
    stable: bool = True,
    max_iterations: int = MOST_ITERATIONS,
    start: Equilibrium | None = None,
) -> Equilibrium:
    """See `symlie.runtime.system.system.System.static_equilibrium`."""
    for name, count in (("load_steps", load_steps), ("max_iterations", max_iterations)):
        if not (isinstance(count, int | np.integer) and count >= 1):
            raise ModelError(f"{name} must be a positive whole number, not {count!r}.")
    if not (np.isfinite(tolerance) and tolerance > 0):
        raise ModelError(f"The tolerance of an equilibrium must be positive, not {tolerance!r}.")
    if not np.isfinite(t):
        raise ModelError(f"The time of an equilibrium must be finite, not {t!r}.")
    q, multipliers = starting_point(system, start)
    search = NewtonSearch(Statics(system, t), q, multipliers, SearchOptions(tolerance, stable, max_iterations))
    found: Equilibrium | None = None
    for k in range(load_steps):
        try:
            search.release(1 - (k + 1) / load_steps)
        except EquilibriumError as error:
            if found is None:
                raise
            message = f"{error} The last equilibrium was found with {k} of {load_steps} load steps released."
            raise EquilibriumError(message, error.residual, k / load_steps, found) from None
        shared = search.statics.shared_multipliers(search.q, search.multipliers)
        found = Equilibrium(search.q, shared, search.iterations)
    assert found is not None
    if len(violated := search.statics.contradicted(found.q)):
        rows = ", ".join(system.layout.row_names(violated.tolist()))
        raise EquilibriumError(
            f"Redundant constraint equations of '{system.name}' contradict each other: the equilibrium of the "
            f"equations that were independent at the start violates {rows}. Use another initial configuration, "
            "or remove contradictory equations."
        )
    return found


def starting_point(system: System, start: Equilibrium | None) -> tuple[Array, Array | None]:
    """Return the configuration and the multipliers, if known, at which a search starts; raise ModelError if ``start``
    is not an equilibrium of such a system."""
    if start is None:
        return system.stated_state().q, None
    layout = system.layout
    q, multipliers = (np.asarray(part, dtype=float) for part in (start.q, start.multipliers))
    if q.shape != (layout.storage,) or multipliers.shape != (layout.rows,):
        raise ModelError(
            f"start is not an equilibrium of '{layout.name}': it has {q.size} coordinates and {multipliers.size} "
            f"multipliers, not {layout.storage} and {layout.rows}."
        )
    if not (np.all(np.isfinite(q)) and np.all(np.isfinite(multipliers))):
        raise ModelError(f"start is not an equilibrium of '{layout.name}': it contains numbers that are not finite.")
    return q, multipliers
