"""Recorder of step programs: the object ``s`` to which a method writes its step.

Instructions that a system does not need are omitted, and an instruction with the inputs of an earlier one has its
results.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from symlie.errors import ModelError
from symlie.runtime.steps.instructions import (
    Add,
    Advance,
    At,
    Bracket,
    CoordinateRate,
    DependentRows,
    Difference,
    End,
    Estimate,
    Field,
    InverseTangent,
    JacobianAt,
    MinimalMultipliers,
    Moving,
    Multipliers,
    MultiplierSum,
    NextStage,
    Residuals,
    Stage,
    StageBetween,
    StageWithMultipliers,
    Sum,
    VelocityAt,
    described,
)
from symlie.runtime.steps.program import Features, Program
from symlie.runtime.steps.recording import Recording
from symlie.runtime.steps.values import (
    NO_JACOBIAN,
    START_LAMBDA,
    START_Q,
    START_V,
    Acceleration,
    Algebra,
    Configuration,
    Jacobian,
    Multiplier,
    Value,
    Velocity,
)


class StageValues(NamedTuple):
    """State of a stage, with its v' and λ."""

    c: float
    q: Configuration
    v: Velocity
    acceleration: Acceleration
    multiplier: Multiplier


class Recorder(Recording):
    """Records the step of a method from t to t + h.

    Parameters
    ----------
    features
        Features of the system.
    coordinates
        Local coordinates of the step: ``exp``, ``cayley`` or ``second_kind``.

    Attributes
    ----------
    q, v
        Configuration and velocity at the start of the step.

    Raises
    ------
    ModelError
        A value is of the wrong kind, or instructions are out of order; the message names the line of the method.
    """

    def __init__(self, features: Features, coordinates: str = "exp") -> None:
        super().__init__(Path(__file__).parent)
        self.q, self.v = START_Q, START_V
        self._features, self._coordinates = features, coordinates
        self._at: dict[tuple[float, Configuration], Configuration] = {}
        self._first_jacobian = NO_JACOBIAN
        self._has_end = False

    def program(self) -> Program:
        """Return the recorded program."""
        if not self._has_end:
            raise ModelError("A step has no end: record s.end(q, v, theta).")
        return Program(self.needed_lines(), self._features, self._coordinates)

    def stage(self, c: float, q: Configuration, v: Velocity, *, first: bool = False) -> StageValues:
        """Return v' and λ at t + c h for the state (q, v).

        Parameters
        ----------
        c
            Node of the stage.
        q, v
            State of the stage.
        first
            True for the stage at the start of the step, which may be known from the previous step.
        """
        return self._stage_values(float(c), q, v, self.record(Stage(float(c), q, v, first)))

    def slope(self, stage: StageValues, jacobian: Jacobian = NO_JACOBIAN) -> Algebra:
        """Return the rates of the local coordinates of all nodes at a stage.

        Parameters
        ----------
        stage
            The stage.
        jacobian
            B there, for methods whose λ is not of minimal norm if constraints are redundant.
        """
        multiplier, rate = stage.multiplier, Algebra(stage.v.number)
        if self._features.has_fields:
            if self._features.has_redundant_rows and jacobian != NO_JACOBIAN:
                multiplier = self.one(Multiplier, MinimalMultipliers(multiplier, jacobian, self._first_jacobian))
            rate = self.one(Algebra, Field(stage.c, stage.q, stage.acceleration, multiplier, stage.v))
        return self.rate(stage.q, rate)

    def rate(self, q: Configuration, velocities: Velocity | Algebra) -> Algebra:
        """Return the rates of local coordinates at q for velocities."""
        rate = Algebra(velocities.number)
        return self.one(Algebra, CoordinateRate(q, rate)) if self._features.has_coordinate_rates else rate

    def first_jacobian(self) -> Jacobian:
        """Return B at the start of the step, which determines the redundant constraint equations of its stages."""
        self._first_jacobian = self.jacobian(0.0, self.q, self.v)
        if self._features.has_redundant_rows:
            self.record(DependentRows(self._first_jacobian))
        return self._first_jacobian

    def jacobian(self, c: float, q: Configuration, v: Velocity) -> Jacobian:
        """Return B at t + c h, which depends on v only if constraints are nonlinear in the velocities."""
        if not self._features.constrained:
            return NO_JACOBIAN
        return self.one(Jacobian, JacobianAt(float(c), q, v if self._features.has_nonlinear_rows else self.v))

    def first_stage(self, jacobian: Jacobian) -> StageValues:
        """Return v' at the start of the step for the λ there; if M is singular, solve for both."""
        if not (self._features.constrained and self._features.mass_is_regular):
            return self.stage(0.0, self.q, self.v, first=True)
        found = self.record(StageWithMultipliers(0.0, self.q, self.v, jacobian, START_LAMBDA))
        return self._stage_values(0.0, self.q, self.v, found)

    def stage_between(
        self,
        point: tuple[float, Configuration, Velocity, Jacobian],
        following: tuple[float, Configuration],
        weights: Sequence[float],
        accelerations: Sequence[Acceleration],
    ) -> StageValues:
        """Return a stage whose v' satisfies the hidden constraints at the following point.

        Parameters
        ----------
        point
            Node, state and B of the stage.
        following
            Node and configuration of the following point.
        weights
            Weights of v' in the velocity there; the last one belongs to this stage.
        accelerations
            v' of all earlier stages.
        """
        c, q, v, _ = point
        if not self._features.constrained:
            return self.stage(c, q, v)
        known, guess = self._known_velocity(following, weights, accelerations), None
        if self._features.has_nonlinear_rows:
            guess = self.one(Velocity, Add(known, 1, float(weights[-1]), accelerations[-1]))
            guess = self._velocity_at(*following, guess)
        return self._between(point, following, known, weights[-1], guess, keeps_mass=False)

    def repeated_velocity(
        self,
        point: tuple[float, Configuration, Velocity, Jacobian],
        following: tuple[float, Configuration],
        weights: Sequence[float],
        accelerations: Sequence[Acceleration],
        guess: Velocity,
    ) -> Velocity:
        """Return the velocity at another following point, with the last stage repeated so that it satisfies the hidden
        constraints.

        Parameters
        ----------
        point, following, weights
            As for `stage_between`.
        accelerations
            v' of all stages.
        guess
            The velocity approximately.
        """
        if not self._features.constrained:
            return self.velocity(self.v, weights, accelerations)
        known = self._known_velocity(following, weights, accelerations[:-1])
        guess = guess if self._features.has_nonlinear_rows else known
        stage = self._between(point, following, known, weights[-1], guess, keeps_mass=True)
        return self.one(Velocity, Add(known, 1, float(weights[-1]), stage.acceleration))

    def _known_velocity(
        self, following: tuple[float, Configuration], weights: Sequence[float], accelerations: Sequence[Acceleration]
    ) -> Velocity:
        """Return the part of a velocity from earlier stages."""
        return self._velocity_at(*following, self.velocity(self.v, weights[: len(accelerations)], accelerations))

    def _between(
        self,
        point: tuple[float, Configuration, Velocity, Jacobian],
        following: tuple[float, Configuration],
        known: Velocity,
        weight: float,
        guess: Velocity | None,
        *,
        keeps_mass: bool,
    ) -> StageValues:
        (c, q, v, jacobian), (next_c, next_q) = point, following
        next_jacobian = self.jacobian(next_c, next_q, known if guess is None else guess)
        guess = guess if self._features.has_nonlinear_rows else None
        numbers = float(weight), guess, keeps_mass
        stage = StageBetween(float(c), q, v, jacobian, float(next_c), next_q, next_jacobian, known, *numbers)
        return self._stage_values(float(c), q, v, self.record(stage))

    def inverse_tangent(self, theta: Algebra | None, slope: Algebra, series: Sequence[float] | None = None) -> Algebra:
        """Return T⁻¹(θ) applied to a slope; zero for nodes that increments do not move.

        Parameters
        ----------
        theta
            The increment, or None for zero.
        slope
            The slope.
        series
            Weights of a truncated T⁻¹ in powers of ad, from the first power on; None: exact.
        """
        if theta is not None and series is None:
            return self.one(Algebra, InverseTangent(theta, slope))
        total = nested = self.one(Algebra, Moving(slope)) if self._features.has_resting_types else slope
        if theta is not None:
            for weight in series or ():
                nested = self.bracket(theta, nested)
                total = self.add(total, weight, nested)
        return total

    def bracket(self, x: Algebra, y: Algebra) -> Algebra:
        """Return the commutator [x, y]."""
        return self.one(Algebra, Bracket(x, y))

    def increment(self, weights: Sequence[float], slopes: Sequence[Algebra]) -> Algebra:
        """Return h Σ weight·slope."""
        return self.one(Algebra, self._sum(None, weights, slopes, Algebra))

    def velocity(self, base: Velocity, weights: Sequence[float], accelerations: Sequence[Acceleration]) -> Velocity:
        """Return base + h Σ weight·acceleration."""
        added = self._sum(base, weights, accelerations, Acceleration)
        return self.one(Velocity, added) if self._features.integrates_velocities else base

    def add(self, base: Algebra, weight: float, x: Algebra, power: int = 0) -> Algebra:
        """Return base + hⁿ weight·x with the given power n."""
        return self.one(Algebra, Add(base, power, float(weight), x))

    def advance(self, q: Configuration, theta: Algebra) -> Configuration:
        """Return q∘exp(θ), or its counterpart in the local coordinates of the step."""
        return self.one(Configuration, Advance(q, theta))

    def at(self, c: float, q: Configuration, v: Velocity) -> tuple[Configuration, Velocity]:
        """Return q and v with prescribed and dependent nodes at t + c h."""
        if not self._features.has_motions:
            return q, v
        if (c, q) in self._at:
            return self._at[c, q], self._velocity_at(c, self._at[c, q], v)
        placed, velocity = self.record(At(float(c), q, v))
        assert isinstance(placed, Configuration) and isinstance(velocity, Velocity)
        self._at[c, q] = self._at[c, placed] = placed
        return placed, velocity

    def _velocity_at(self, c: float, q: Configuration, v: Velocity) -> Velocity:
        return self.one(Velocity, VelocityAt(float(c), q, v)) if self._features.has_motions else v

    def difference(self, start: Configuration, end: Configuration) -> Algebra:
        """Return log(start⁻¹∘end)."""
        return self.one(Algebra, Difference(start, end))

    def total(self, increments: Sequence[Algebra]) -> Algebra:
        """Return the sum of the increments of a step, which some systems read after it; otherwise any vector."""
        if not self._features.reads_increments:
            return increments[-1]
        return functools.reduce(lambda sum_, x: self.add(sum_, 1.0, x), increments)

    def end(self, q: Configuration, v: Velocity, theta: Algebra) -> Configuration:
        """End the step, and return its q after one step back to the group.

        Parameters
        ----------
        q, v
            State at the end.
        theta
            Increment of the step, or the sum of its increments.
        """
        if self._has_end:
            raise self.error("a step has one end only")
        self._has_end = True
        return self.one(Configuration, End(q, v, theta))

    def end_multipliers(self, q: Configuration, v: Velocity) -> None:
        """Take λ from a stage at the end of the step, whose v' is the first stage of the next step, and measure the
        residuals of the constraints; without constraints do nothing."""
        if self._features.constrained:
            last = self.stage(1.0, q, v)
            self.next_stage(last)
            self.record(Multipliers(last.multiplier))
            self.record(Residuals(q, v, None))

    def multipliers(self, weights: Sequence[float], terms: Sequence[Multiplier]) -> None:
        """Take Σ weight·λ as λ at the end of the step."""
        if self._features.constrained:
            used = [(float(w), x) for w, x in zip(weights, terms, strict=True) if w != 0]
            total = self.one(Multiplier, MultiplierSum(tuple(w for w, _ in used), tuple(x for _, x in used)))
            self.record(Multipliers(total))

    def residuals(self, q: Configuration, v: Velocity, jacobian: Jacobian) -> None:
        """Measure the residuals of the constraints at the end of the step, with B there."""
        if self._features.constrained:
            self.record(Residuals(q, v, jacobian))

    def next_stage(self, stage: StageValues) -> None:
        """Reuse v' of a stage at the end of the step as the first stage of the next step."""
        self.record(NextStage(stage.acceleration))

    def only_for_estimate(self) -> None:
        """Begin the last part of a step, which only steps with an error estimate execute."""
        if not self._has_end:
            raise self.error("the error is estimated after the end of a step")
        self.for_estimate = True

    def estimate(self, theta: Algebra, theta_hat: Algebra, v: Velocity, v_hat: Velocity) -> None:
        """Estimate the error by the embedded results ``theta_hat`` and ``v_hat``."""
        if not self.for_estimate:
            raise self.error("estimate belongs to the part only_for_estimate of a step")
        self.record(Estimate(theta, theta_hat, self.v, v, v_hat))

    def _sum(
        self,
        base: Velocity | None,
        weights: Sequence[float],
        terms: Sequence[Algebra | Acceleration],
        kind: type[Value],
    ) -> Sum:
        """Return a sum without the terms of weight zero."""
        if len(weights) < len(terms):
            raise self.error(f"a sum has {len(terms)} terms, but {len(weights)} weights")
        for term in terms:
            if not isinstance(term, kind):
                raise self.error(f"a sum has terms of the kind {kind.kind}, not {described(term)}")
        used = [(float(w), x) for w, x in zip(weights, terms, strict=False) if w != 0]
        return Sum(base, tuple(w for w, _ in used), tuple(x for _, x in used))

    def _stage_values(self, c: float, q: Configuration, v: Velocity, found: tuple[Value, ...]) -> StageValues:
        acceleration, multiplier = found
        assert isinstance(acceleration, Acceleration) and isinstance(multiplier, Multiplier)
        return StageValues(c, q, v, acceleration, multiplier)
