"""Solutions of the table of equations in NumPy, with the names, inputs and results of its entries."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from symlie.runtime.implicit.impulse_stage import step_impulses
from symlie.runtime.layout.layout import Array
from symlie.runtime.methods.programs import symplectic_stage
from symlie.runtime.methods.programs.constrained_stages import ConstrainedStages
from symlie.runtime.methods.programs.contact_stages import ContactStages
from symlie.runtime.methods.programs.discrete_stages import SLOW_ENOUGH, DiscreteStages

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import Stepper


class Solutions:
    """Solutions of equations in a step of length h from t.

    Attributes
    ----------
    constrained
        Stages with constraints.
    """

    def __init__(self, stepper: Stepper, t: float, h: float) -> None:
        self._stepper, self._t, self._h = stepper, t, h
        self.constrained = ConstrainedStages(stepper)

    def dependent_rows(self, c: float, jacobian: Array) -> tuple[()]:
        """Omit the constraint equations that B shows to be redundant."""
        self.constrained.dependent = self._stepper.mechanics.dependent_rows(jacobian)
        return ()

    def minimal_multipliers(
        self, c: float, multipliers: Array, jacobian: Array, first: Array, q: Array, v: Array
    ) -> tuple[Array]:
        """Return λ of minimal norm for the redundancy of B."""
        dependent = self._stepper.mechanics.dependent_rows(jacobian)
        return (multipliers if dependent is None else dependent.minimal(multipliers),)

    def hidden_violation(self, c: float, q: Array, v: Array, needed: float) -> tuple[Array]:
        """Return d = M⁻¹ Bᵀ μ with B d = B v + b for holonomic constraints."""
        if not needed and not self._stepper.control.with_estimate:
            return (np.zeros_like(v),)
        m, t = self._stepper.mechanics, self._t
        B = m.jacobian(t, q, v)
        return (m.along_constraints(t, q, B, m.layout.holonomic * m.hidden_residual(t, q, v, B)),)

    def discrete_start(
        self,
        c: float,
        q: Array,
        v: Array,
        load: Array,
        has_load: float,
        theta: Array,
        mu: Array,
        is_solution: float,
        rest: Array,
        kind: type[DiscreteStages] = DiscreteStages,
    ) -> tuple[Array, ...]:
        """Return θ, its free part, q at the end, μ and the residual divided by h."""
        stages, t = kind(self._stepper, self._h), self._t + c * self._h
        if is_solution:
            found = (*stages.known(t, q, theta), mu, rest)
        else:
            found = stages.start(t, q, v, load if has_load else stages.load(t, q, v), theta, mu)
        if c == 0:
            self._stepper.check_chart(q, found[1])
        return found

    contact_start = functools.partialmethod(discrete_start, kind=ContactStages)
    """Return the results of `discrete_start` with contacts."""

    def discrete_end(
        self, c: float, q_n: Array, v_n: Array, q: Array, theta: Array, rest: Array, damped: float
    ) -> tuple[Array | float, ...]:
        """Return whether the matrix needs derivatives of loads, v, l and μ."""
        v, load, mu, damped = DiscreteStages(self._stepper, self._h).end(self._t, (q_n, v_n), q, theta, rest, damped)
        return damped, v, load, mu

    def contact_end(
        self, c: float, q_n: Array, v_n: Array, q: Array, theta: Array, rest: Array, mu: Array, damped: float
    ) -> tuple[Array | float, ...]:
        """Return the results of `discrete_end` with contacts, q with their modes, and their forces as multipliers."""
        stages, state = ContactStages(self._stepper, self._h), (q_n, v_n)
        v, load, end_mu, damped, *of_contacts = stages.end_with_contacts(self._t, state, q, theta, rest, damped, mu)
        return damped, v, load, end_mu, *of_contacts

    def impulses(self, c: float, q: Array, v: Array) -> tuple[Array, ...]:
        """Return v after the impulses of the step, q with the modes of contacts, and the impulses divided by h."""
        s, t = self._stepper, self._t + c * self._h
        return step_impulses(s.mechanics, s.contacts, t, self._h, (q, v), SLOW_ENOUGH, s.newton)

    def symplectic_stage(self, c: float, q: Array) -> tuple[Array, Array]:
        """Return the increment of the implicit stage, and q at the end."""
        return symplectic_stage.symplectic_stage(self._stepper, self._t, q, self._h, c)
