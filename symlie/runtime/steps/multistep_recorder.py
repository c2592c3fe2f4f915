"""Recorder of multi-step methods with group elements relative to the current configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from symlie.runtime.steps.calls import recorded
from symlie.runtime.steps.discrete_recorder import DiscreteRecorder
from symlie.runtime.steps.expressions import Scalar
from symlie.runtime.steps.instructions import ErrorNorm, Kernel, Result
from symlie.runtime.steps.multistep_instructions import OrderChoice, StartingStep
from symlie.runtime.steps.values import Acceleration, Algebra, Configuration, Velocity


class StartingValues(NamedTuple):
    """End of a starting step."""

    q: Configuration
    v: Velocity
    acceleration: Acceleration
    theta: Algebra
    """Increment of the step."""


class NextOrder(NamedTuple):
    """Order of the next step."""

    known: Scalar
    """Number of known points before the end of the step."""
    order: Scalar
    equal: Scalar
    """Number of steps since the last change of order or length."""
    is_omitted: Scalar
    """1 if the history omits the start of the step."""


class MultistepRecorder(DiscreteRecorder):
    """Records multi-step methods; parameters and attributes as for `StepRecorder`."""

    @recorded
    def exponential(self, theta: Algebra) -> Configuration:
        """Return the group element exp(θ).

        Parameters
        ----------
        theta
            Increment.
        """
        return self._one(Configuration, Kernel("exponential", (theta,)))

    @recorded
    def inverse(self, x: Configuration) -> Configuration:
        """Return x⁻¹.

        Parameters
        ----------
        x
            Group element.
        """
        return self._one(Configuration, Kernel("inverse", (x,)))

    @recorded
    def compose(self, x: Configuration, y: Configuration) -> Configuration:
        """Return x∘y.

        Parameters
        ----------
        x, y
            Group elements.
        """
        return self._one(Configuration, Kernel("compose", (x, y)))

    @recorded
    def relative(self, x: Configuration, y: Configuration) -> Algebra:
        """Return log(x⁻¹∘y).

        Parameters
        ----------
        x, y
            Group elements close to the identity.
        """
        return self._one(Algebra, Kernel("increment", (x, y)))

    @recorded
    def rotation(self, theta: Algebra, steps: int) -> Scalar:
        """Return (2 n ϑ)² for the rotation angle ϑ of an increment and n steps; the step fails if n ϑ reaches π.

        Beyond π, the logarithm of a group element over these steps is not unique.

        Parameters
        ----------
        theta
            Increment.
        steps
            Number n of steps.
        """
        squared = 4.0 * steps**2 * self._one(Scalar, Kernel("chart", (self.q, theta)))
        self._record(Result("angle", squared))
        return squared

    @recorded
    def first_steps(self, count: int) -> None:
        """State the number of first steps, which another method takes.

        Parameters
        ----------
        count
            Number of steps; the carried number ``count`` counts them.
        """
        self._first_steps = count

    @recorded
    def starting_step(self, acceleration: Acceleration) -> StartingValues:
        """Take the step by the starting method, in short substeps, and end it.

        Parameters
        ----------
        acceleration
            v' at the end, if the starting method does not compute it.
        """
        self._has_end = True
        q, v, v_dot, theta = self._record(StartingStep(acceleration))
        assert isinstance(q, Configuration) and isinstance(v, Velocity)
        assert isinstance(v_dot, Acceleration) and isinstance(theta, Algebra)
        return StartingValues(q, v, v_dot, theta)

    @recorded
    def error_norm(self, theta: Algebra, theta_hat: Algebra, v: Velocity, v_hat: Velocity) -> Scalar:
        """Return the norm of an error, relative to the tolerances.

        Parameters
        ----------
        theta, v
            Increment and velocity at the end of the step.
        theta_hat, v_hat
            The same with the error.
        """
        return self._one(Scalar, ErrorNorm(theta, theta_hat, self.v, v, v_hat))

    @recorded
    def choose_order(
        self,
        state: tuple[Scalar, Scalar, Scalar],
        lengths: Sequence[Scalar],
        norms: Sequence[Scalar],
        rotation: Scalar,
    ) -> NextOrder:
        """Set the error of the step, and choose order and length of the next one.

        Parameters
        ----------
        state
            Number of known points before the start of the step, order of the step, and number of steps since the last
            change of order or length.
        lengths
            Lengths of earlier steps, latest first.
        norms
            Norms of the divided differences for the orders one, two, ….
        rotation
            Result of `rotation` over all points.
        """
        found = self._record(OrderChoice(*state, tuple(lengths), tuple(norms), rotation))
        known, order, equal, is_omitted = (x for x in found if isinstance(x, Scalar))
        return NextOrder(known, order, equal, is_omitted)
