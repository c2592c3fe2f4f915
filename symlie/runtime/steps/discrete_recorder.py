"""Recorder of variational and symplectic steps."""

from __future__ import annotations

from typing import NamedTuple

from symlie.runtime.steps.calls import recorded
from symlie.runtime.steps.equations import Solve
from symlie.runtime.steps.expressions import Expression, Scalar, Vector
from symlie.runtime.steps.implicit_recorder import ImplicitRecorder
from symlie.runtime.steps.instructions import CONTACTS, Where
from symlie.runtime.steps.values import Algebra, Configuration, Multiplier, Velocity
from symlie.runtime.steps.vector_recorder import number_of


class DiscreteStartValues(NamedTuple):
    """Solution of the discrete equations at the start of a step."""

    theta: Algebra
    """Increment of the step, including prescribed nodes."""
    increment: Algebra
    """Increment without prescribed nodes."""
    q: Configuration
    """Configuration at the end of the step."""
    mu: Multiplier
    rest: Algebra
    """Residual of the solution, divided by h."""


class DiscreteEndValues(NamedTuple):
    """Solution of the discrete equations at the end of a step."""

    is_damped: Scalar
    """Not 0 if the matrix needs derivatives of loads."""
    v: Velocity
    load: Algebra
    mu: Multiplier


class ContactEndValues(NamedTuple):
    """Solution of the discrete equations with contacts at the end of a step."""

    is_damped: Scalar
    """Not 0 if the matrix needs derivatives of loads."""
    v: Velocity
    load: Algebra
    mu: Multiplier
    q: Configuration
    """Configuration at the end of the step, with the modes of contacts."""
    forces: Multiplier
    """Multipliers of contacts: impulses in the step, divided by h."""


class ImpulseValues(NamedTuple):
    """Result of the impulses of a step."""

    v: Velocity
    q: Configuration
    """Configuration at which they act, with the modes of contacts."""
    multiplier: Multiplier
    """Impulses divided by h."""


class DiscreteRecorder(ImplicitRecorder):
    """Records variational and symplectic steps; parameters and attributes as for `StepRecorder`."""

    @property
    def is_constrained(self) -> bool:
        """True if the system has constraints."""
        return self._features.constrained

    @recorded
    def discrete_start(
        self,
        c: float,
        state: tuple[Configuration, Velocity],
        load: tuple[Vector, Scalar | float],
        guess: tuple[Vector | Expression, Multiplier],
        solution: tuple[Scalar | float, Vector],
        has_contacts: bool = False,
    ) -> DiscreteStartValues:
        """Return the solution of the discrete equations at the start of a step from t + c h to t + (c + 1) h.

        Parameters
        ----------
        c
            0 for this step, 1 for the next one.
        state
            q and v at the start.
        load
            Loads l there; they are evaluated if the number is 0.
        guess
            Initial guesses of θ and μ.
        solution
            A number that is not 0 if the guess is the solution, and its residual, divided by h.
        has_contacts
            True if contacts may close in the step.
        """
        (theta, mu), (is_solution, rest) = guess, solution
        at = *state, load[0], number_of(load[1])
        values = *at, self.evaluated(Algebra, theta), mu, number_of(is_solution), rest
        name = "contact_start" if has_contacts else "discrete_start"
        return DiscreteStartValues._make(self._record(Solve(name, values, float(c))))

    @recorded
    def discrete_end(self, start: DiscreteStartValues, is_damped: Scalar) -> DiscreteEndValues:
        """Return the solution of the discrete equations at the end of the step.

        Parameters
        ----------
        start
            Solution at its start.
        is_damped
            If it is not 0, the matrix contains derivatives of loads.
        """
        values = self.q, self.v, start.q, start.theta, start.rest, is_damped
        return DiscreteEndValues._make(self._record(Solve("discrete_end", values)))

    @property
    def has_contacts(self) -> bool:
        """True if the system has contacts."""
        return self._features.has_contacts

    @property
    def has_contacts_alone(self) -> bool:
        """True if all constraint equations belong to contacts."""
        return self._features.has_contacts_alone

    @recorded
    def contact_end(self, start: DiscreteStartValues, is_damped: Scalar) -> ContactEndValues:
        """Return the solution of the discrete equations at the end of a step with contacts.

        Parameters
        ----------
        start
            Solution at its start.
        is_damped
            If it is not 0, the matrix contains derivatives of loads.
        """
        values = self.q, self.v, start.q, start.theta, start.rest, start.mu, is_damped
        return ContactEndValues._make(self._record(Solve("contact_end", values)))

    @recorded
    def impulses(self, c: float, q: Configuration, v: Velocity) -> ImpulseValues:
        """Return the velocity after the impulses of the step, which act at a configuration within it.

        Parameters
        ----------
        c
            Its node, dimensionless.
        q
            The configuration.
        v
            Velocity at the start of the step.
        """
        return ImpulseValues._make(self._record(Solve("impulses", (q, v), float(c))))

    @recorded
    def of_contacts(self, contacts: Multiplier, others: Multiplier) -> Multiplier:
        """Return the multipliers of contacts, and those of all other equations.

        Parameters
        ----------
        contacts
            Multipliers of contacts.
        others
            Multipliers of other equations.
        """
        return self._one(Multiplier, Where(Multiplier, CONTACTS, contacts, others))

    @recorded
    def symplectic_stage(self, theta: float) -> tuple[Algebra, Configuration]:
        """Return the increment of the implicit stage of a Hamiltonian system, and the configuration at the end.

        Parameters
        ----------
        theta
            Node θ of the stage, dimensionless.
        """
        u, q = self._record(Solve("symplectic_stage", (self.q,), float(theta)))
        assert isinstance(u, Algebra) and isinstance(q, Configuration)
        return u, q
