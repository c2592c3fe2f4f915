"""Recorder of variational and symplectic steps."""

from __future__ import annotations

from typing import NamedTuple

from symlie.runtime.steps.calls import recorded
from symlie.runtime.steps.discrete_instructions import DiscreteEnd, DiscreteStart, Projects, SymplecticStage
from symlie.runtime.steps.expressions import Expression, Scalar, Vector
from symlie.runtime.steps.implicit_recorder import ImplicitRecorder
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

    v: Velocity
    load: Algebra
    mu: Multiplier
    is_damped: Scalar
    """Not 0 if the matrix needs derivatives of loads."""


class DiscreteRecorder(ImplicitRecorder):
    """Records variational and symplectic steps; parameters and attributes as for `StepRecorder`."""

    @property
    def is_constrained(self) -> bool:
        """True if the system has constraints."""
        return self._features.constrained

    @recorded
    def projects(self) -> Scalar:
        """Return 1 if the run projects the ends of steps onto the constraints, otherwise 0."""
        return self._one(Scalar, Projects())

    @recorded
    def discrete_start(
        self,
        c: float,
        state: tuple[Configuration, Velocity],
        load: tuple[Vector, Scalar | float],
        guess: tuple[Vector | Expression, Multiplier],
        solution: tuple[Scalar | float, Vector],
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
        """
        (theta, mu), (is_solution, rest) = guess, solution
        stage = DiscreteStart(
            float(c),
            *state,
            load[0],
            number_of(load[1]),
            self.evaluated(Algebra, theta),
            mu,
            number_of(is_solution),
            rest,
        )
        found = self._record(stage)
        return DiscreteStartValues._make(found)

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
        found = self._record(DiscreteEnd(self.q, self.v, start.q, start.theta, start.rest, is_damped))
        return DiscreteEndValues._make(found)

    @recorded
    def symplectic_stage(self, theta: float) -> tuple[Algebra, Configuration]:
        """Return the increment of the implicit stage of a Hamiltonian system, and the configuration at the end.

        Parameters
        ----------
        theta
            Node θ of the stage, dimensionless.
        """
        u, q = self._record(SymplecticStage(float(theta), self.q))
        assert isinstance(u, Algebra) and isinstance(q, Configuration)
        return u, q
