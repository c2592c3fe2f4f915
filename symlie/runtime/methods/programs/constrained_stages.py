"""Stages of half-explicit methods in NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlie.contract.constants import VELOCITY_STEPS
from symlie.errors import NotConvergedError, SingularSystemError
from symlie.runtime.layout.layout import Array
from symlie.runtime.linear.dependent_rows import DependentRows
from symlie.runtime.methods.step_checks import is_settled

if TYPE_CHECKING:
    from symlie.runtime.methods.stepper import Stepper


class ConstrainedStages:
    """Stages of one step with constraints.

    Attributes
    ----------
    dependent
        Redundancy of the constraint equations, or None.
    """

    def __init__(self, stepper: Stepper) -> None:
        self._stepper, self._mechanics = stepper, stepper.mechanics
        self.dependent: DependentRows | None = None

    def with_multipliers(self, t: float, q: Array, v: Array, jacobian: Array, multipliers: Array) -> Array:
        """Return v' of M v' = -g - Bᵀλ."""
        m = self._mechanics
        force = self._stepper.force(t, q, v)
        return m.solver.solve_mass(m.mass(t, q), force - m.algebra.pull(jacobian, multipliers))

    def between(
        self,
        point: tuple[float, Array, Array, Array],
        following: tuple[float, Array, Array],
        known: Array,
        length: float,
        guess: Array | None,
    ) -> tuple[Array, Array]:
        """Return v' and λ at a point (t, q, v, B) whose v' satisfies the hidden constraints at the following point
        (t, q, B), where the velocity is known + length·v'."""
        (t, q, v, jacobian), (next_t, next_q, next_jacobian) = point, following
        m, force, mass = self._mechanics, self._stepper.force(t, q, v), self._mechanics.mass(t, q)

        def solution(left: Array, about: Array) -> tuple[Array, Array]:
            right = -self._residual(next_t, next_q, known, left, about) / length
            return m.along_reactions(
                t, q, v, jacobian, lambda columns: self._solution(mass, columns, left, force, right)
            )

        if guess is None:
            return solution(next_jacobian, known)
        # Constraints nonlinear in the velocities are linearised about the guess until they are satisfied.
        for _ in range(VELOCITY_STEPS):
            acceleration, multipliers = solution(next_jacobian, guess)
            change, guess = known + length * acceleration - guess, known + length * acceleration
            if is_settled(change, guess):
                return acceleration, multipliers
            next_jacobian = m.jacobian(next_t, next_q, guess)
        self._stepper.check("velocity", guess)
        raise NotConvergedError(
            f"Velocities that satisfy the nonlinear constraints of '{m.layout.name}' were not found"
        )

    def _residual(self, t: float, q: Array, v: Array, jacobian: Array, about: Array) -> Array:
        hidden, alpha = self._mechanics.hidden_residual(t, q, v, jacobian, about), self._stepper.control.baumgarte
        return hidden + alpha * self._mechanics.constraint(t, q) if alpha else hidden

    def _solution(self, mass: Array, jacobian: Array, left: Array, r: Array, c: Array) -> tuple[Array, Array]:
        m = self._mechanics
        try:
            return m.saddle(mass, jacobian, left, r, c, self.dependent)
        except SingularSystemError:
            if self.dependent is None:
                raise
        # The constraints are redundant from this stage on.
        self.dependent = m.dependent_rows(left)
        return m.saddle(mass, jacobian, left, r, c, self.dependent)
