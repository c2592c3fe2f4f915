"""Recorder of sums, operators and stages without constraints."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

from symlie.runtime.steps.calls import recorded
from symlie.runtime.steps.equations import Solve
from symlie.runtime.steps.expressions import Scalar, Value, Vector
from symlie.runtime.steps.instructions import (
    HISTORY,
    MOVING,
    At,
    Carried,
    Kernel,
    Sum,
    Where,
    described,
)
from symlie.runtime.steps.program import Features
from symlie.runtime.steps.recording import Kind, Recording
from symlie.runtime.steps.stage_instructions import Stage
from symlie.runtime.steps.values import (
    NO_JACOBIAN,
    START_Q,
    START_V,
    Acceleration,
    Algebra,
    Configuration,
    Jacobian,
    Multiplier,
    StageValues,
    StoredRate,
    Velocity,
)


class PreviousState:
    """State at the start of an earlier step."""

    def __init__(self, s: VectorRecorder, steps: int) -> None:
        self._s, self._steps = s, steps

    @property
    def q(self) -> Configuration:
        """Its configuration."""
        return self._part(Configuration, "configurations")

    @property
    def v(self) -> Velocity:
        """Its velocity."""
        return self._part(Velocity, "velocities")

    @property
    def acceleration(self) -> Acceleration:
        """Its v'."""
        return self._part(Acceleration, "accelerations")

    @property
    def h(self) -> Scalar:
        """Length of the step from it to the next state."""
        return self._part(Scalar, "lengths")

    def _part(self, kind: type[Kind], part: str) -> Kind:
        found = self._s._earlier(part, self._steps)
        assert isinstance(found, kind)
        return found


class VectorRecorder(Recording):
    """Records vectors of a system; parameters and attributes as for `StepRecorder`."""

    def __init__(
        self,
        features: Features,
        coordinates: str = "exp",
        history: Mapping[str, int] | None = None,
        *,
        is_step: bool = True,
    ) -> None:
        super().__init__(Path(__file__).parent)
        self._is_step = is_step
        self.q, self.v = START_Q, START_V
        self._features, self._coordinates = features, coordinates
        self._at: dict[tuple[float, Configuration], Configuration] = {}
        self._first_jacobian = NO_JACOBIAN
        self._first_acceleration: Acceleration | None = None
        self._history = dict(history or {})
        self._carries: set[str] = set()
        self._has_end = False
        self._first_steps = 0

    @property
    def is_constrained(self) -> bool:
        """True for systems with constraints."""
        return self._features.constrained

    @recorded
    def stage(self, c: float, q: Configuration, v: Velocity) -> StageValues:
        """Return v' and λ at t + c h for the state (q, v).

        Those of the stage (0, s.q, s.v) may be known from the previous step.

        Parameters
        ----------
        c
            Node of the stage, dimensionless.
        q, v
            State of the stage.
        """
        is_first = self._is_step and (c, q, v) == (0, self.q, self.v)
        found = self._stage_values(float(c), q, v, self._record(Stage(float(c), q, v, is_first)))
        if is_first:
            self._first_acceleration = found.acceleration
        return found

    @recorded
    def slope(self, stage: StageValues, jacobian: Jacobian = NO_JACOBIAN) -> Algebra:
        """Return the rates of the local coordinates of all nodes at a stage.

        They are velocities, rates of first-order states, or rates of stored coordinates.

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
                given = multiplier, jacobian, self._first_jacobian, stage.q, stage.v
                multiplier = self._one(Multiplier, Solve("minimal_multipliers", given, stage.c))
            values = stage.q, stage.v, stage.acceleration, multiplier
            rate = self._one(Algebra, Kernel("field", values, stage.c))
        return self.rate(stage.q, rate)

    @recorded
    def rate(self, q: Configuration, velocities: Velocity | Algebra) -> Algebra:
        """Return the rates of local coordinates at q for velocities, without those of first-order states.

        Parameters
        ----------
        q
            Configuration.
        velocities
            Velocities.
        """
        rate = Algebra(velocities.number)
        return self._one(Algebra, Kernel("coordinate_rate", (q, rate))) if self._features.has_coordinate_rates else rate

    def previous(self, steps: int) -> PreviousState:
        """Return the state at the start of an earlier step.

        Parameters
        ----------
        steps
            Number of steps before the current one, at least 1.
        """
        return PreviousState(self, steps)

    @recorded
    def _earlier(self, part: str, steps: int) -> Configuration | Velocity | Acceleration | Scalar:
        """Return a part of the state at the start of an earlier step; see `previous`."""
        if self._has_end:
            raise self._error("earlier states are read before the end of a step")
        if part not in HISTORY or steps < 1:
            raise self._error(f"the state {steps} steps before has no part {part!r}")
        self._history[part] = max(steps, self._history.get(part, 0))
        (found,) = self._record(Carried(part, HISTORY[part], steps))
        assert isinstance(found, Configuration | Velocity | Acceleration | Scalar)
        return found

    @recorded
    def storage_rate(self, q: Configuration, slope: Algebra) -> StoredRate:
        """Return the rate of the stored components of q along a slope.

        Parameters
        ----------
        q
            Configuration.
        slope
            Slope.
        """
        return self._one(StoredRate, Kernel("storage_rate", (q, slope)))

    @recorded
    def stored(self, q: Configuration, weights: Sequence[float], rates: Sequence[StoredRate]) -> Configuration:
        """Return q + h Σ weight·rate in the stored components, off the group.

        Parameters
        ----------
        q
            Configuration.
        weights
            Dimensionless weights, at least as many as rates.
        rates
            Rates of the stored components.
        """
        return self._one(Configuration, self._sum(Configuration, q, weights, rates, StoredRate))

    @recorded
    def inverse_tangent(self, theta: Algebra | None, slope: Algebra, series: Sequence[float] | None = None) -> Algebra:
        """Return T⁻¹(θ) applied to a slope; zero for nodes that increments do not move.

        Parameters
        ----------
        theta
            Increment, or None for zero.
        slope
            Slope.
        series
            Weights of a truncated T⁻¹ in powers of ad, from the first power on; None: exact.
        """
        if theta is not None and series is None:
            return self._one(Algebra, Kernel("inverse_tangent_operator", (theta, slope)))
        total = nested = slope
        if self._features.has_resting_types:
            total = nested = self._one(Algebra, Where(Algebra, MOVING, slope, 0.0))
        if theta is not None:
            for weight in series or ():
                nested = self.bracket(theta, nested)
                total = self.add(total, weight, nested)
        return total

    @recorded
    def bracket(self, x: Vector, y: Vector) -> Algebra:
        """Return the commutator [x, y].

        Parameters
        ----------
        x, y
            Vectors of the Lie algebra.
        """
        return self._one(Algebra, Kernel("bracket", (x, y)))

    @recorded
    def increment(self, weights: Sequence[float | Scalar], slopes: Sequence[Algebra]) -> Algebra:
        """Return h Σ weight·slope.

        Parameters
        ----------
        weights
            Dimensionless weights, at least as many as slopes.
        slopes
            Slopes.
        """
        return self._one(Algebra, self._sum(Algebra, None, weights, slopes, Algebra))

    @recorded
    def velocity(
        self, base: Velocity, weights: Sequence[float | Scalar], accelerations: Sequence[Acceleration]
    ) -> Velocity:
        """Return base + h Σ weight·v'.

        Parameters
        ----------
        base
            Velocity.
        weights
            Dimensionless weights, at least as many as accelerations.
        accelerations
            Accelerations v'.
        """
        added = self._sum(Velocity, base, weights, accelerations, Acceleration)
        return self._one(Velocity, added) if self._features.integrates_velocities else base

    @recorded
    def add(self, base: Algebra, weight: float | Scalar, x: Algebra, power: int = 0) -> Algebra:
        """Return base + hⁿ weight·x.

        Parameters
        ----------
        base, x
            Vectors of the Lie algebra.
        weight
            Dimensionless weight.
        power
            Exponent n.
        """
        factor = self.h**power * weight if power else number_of(weight)
        return self._one(Algebra, Sum(Algebra, base, 1.0, (factor,), (x,)))

    @recorded
    def advance(self, q: Configuration, theta: Algebra) -> Configuration:
        """Return q∘exp(θ), or its counterpart in the local coordinates of the step.

        Parameters
        ----------
        q
            Configuration.
        theta
            Increment.
        """
        return self._one(Configuration, Kernel("advance", (q, theta)))

    @recorded
    def at(self, c: float, q: Configuration, v: Velocity) -> tuple[Configuration, Velocity]:
        """Return q and v with prescribed and dependent nodes at t + c h.

        Parameters
        ----------
        c
            Node, dimensionless.
        q, v
            State.
        """
        if not self._features.has_motions:
            return q, v
        if (c, q) in self._at:
            return self._at[c, q], self._velocity_at(c, self._at[c, q], v)
        placed, velocity = self._record(At(float(c), q, v))
        assert isinstance(placed, Configuration) and isinstance(velocity, Velocity)
        self._at[c, q] = self._at[c, placed] = placed
        return placed, velocity

    def _velocity_at(self, c: float, q: Configuration, v: Velocity) -> Velocity:
        return self._one(Velocity, At(float(c), q, v, is_placed=True)) if self._features.has_motions else v

    @recorded
    def difference(self, start: Configuration, end: Configuration) -> Algebra:
        """Return log(start⁻¹∘end).

        Parameters
        ----------
        start, end
            Configurations.
        """
        return self._one(Algebra, Kernel("difference", (start, end)))

    @recorded
    def total(self, increments: Sequence[Algebra]) -> Algebra:
        """Return the sum of the increments of a step.

        Systems that do not read it after the step get any of the increments.

        Parameters
        ----------
        increments
            Increments, at least one.
        """
        if not self._features.reads_increments:
            return increments[-1]
        return functools.reduce(lambda sum_, x: self.add(sum_, 1.0, x), increments)

    def _sum(
        self,
        kind: type[Value],
        base: Configuration | Velocity | None,
        weights: Sequence[float | Scalar],
        terms: Sequence[StoredRate | Algebra | Acceleration],
        kind_of_terms: type[Value],
    ) -> Sum:
        """Return base + h Σ weight·x without the terms of weight zero."""
        if len(weights) < len(terms):
            raise self._error(f"a sum has {len(terms)} terms, but {len(weights)} weights")
        for term in terms:
            if not isinstance(term, kind_of_terms):
                raise self._error(f"a sum has terms of the kind {kind_of_terms.kind}, not {described(term)}")
        used = [(w, x) for w, x in zip(map(number_of, weights), terms, strict=False) if w != 0]
        return Sum(kind, base, self.h, tuple(w for w, _ in used), tuple(x for _, x in used))

    def _stage_values(self, c: float, q: Configuration, v: Velocity, found: tuple[Value, ...]) -> StageValues:
        acceleration, multiplier = found
        assert isinstance(acceleration, Acceleration) and isinstance(multiplier, Multiplier)
        return StageValues(c, q, v, acceleration, multiplier)


def number_of(weight: float | Scalar) -> float | Scalar:
    """Return a constant as a float, or a number of the program."""
    return weight if isinstance(weight, Scalar) else float(weight)
