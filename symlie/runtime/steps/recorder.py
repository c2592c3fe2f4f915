"""Recorder of step programs: the object ``s`` to which a method writes its step.

Instructions that a system does not need are omitted, and an instruction with the inputs of an earlier one has its
results.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from symlie.errors import ModelError
from symlie.runtime.steps.instructions import (
    Add,
    Advance,
    At,
    Bracket,
    CoordinateRate,
    Difference,
    End,
    Estimate,
    Field,
    Instruction,
    InverseTangent,
    Moving,
    Multipliers,
    NextStage,
    Residuals,
    Stage,
    Sum,
    described,
)
from symlie.runtime.steps.program import Features, Line, Program
from symlie.runtime.steps.values import (
    START_Q,
    START_V,
    Acceleration,
    Algebra,
    Configuration,
    Multiplier,
    Value,
    Velocity,
)

Kind = TypeVar("Kind", bound=Value)


class StageValues(NamedTuple):
    """State of a stage, with its v' and λ."""

    c: float
    q: Configuration
    v: Velocity
    acceleration: Acceleration
    multiplier: Multiplier


class Recorder:
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
        self.q, self.v = START_Q, START_V
        self._features, self._coordinates = features, coordinates
        self._lines: list[Line] = []
        self._known: dict[Instruction, tuple[Value, ...]] = {}
        self._values: set[int] = {START_Q.number, START_V.number}
        self._has_end = self._for_estimate = False

    def program(self) -> Program:
        """Return the recorded program."""
        if not self._has_end:
            raise ModelError("A step has no end: record s.end(q, v, theta).")
        return Program(tuple(self._lines), self._features, self._coordinates)

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
        acceleration, multiplier = self._record(Stage(float(c), q, v, first))
        assert isinstance(acceleration, Acceleration) and isinstance(multiplier, Multiplier)
        return StageValues(float(c), q, v, acceleration, multiplier)

    def slope(self, stage: StageValues) -> Algebra:
        """Return the rates of the local coordinates of all nodes at a stage."""
        rate = Algebra(stage.v.number)
        if self._features.has_fields:
            rate = self._one(Algebra, Field(stage.c, stage.q, stage.acceleration, stage.multiplier, stage.v))
        if self._features.has_coordinate_rates:
            rate = self._one(Algebra, CoordinateRate(stage.q, rate))
        return rate

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
            return self._one(Algebra, InverseTangent(theta, slope))
        total = nested = self._one(Algebra, Moving(slope)) if self._features.has_resting_types else slope
        if theta is not None:
            for weight in series or ():
                nested = self.bracket(theta, nested)
                total = self.add(total, weight, nested)
        return total

    def bracket(self, x: Algebra, y: Algebra) -> Algebra:
        """Return the commutator [x, y]."""
        return self._one(Algebra, Bracket(x, y))

    def increment(self, weights: Sequence[float], slopes: Sequence[Algebra]) -> Algebra:
        """Return h Σ weight·slope."""
        return self._one(Algebra, self._sum(None, weights, slopes, Algebra))

    def velocity(self, base: Velocity, weights: Sequence[float], accelerations: Sequence[Acceleration]) -> Velocity:
        """Return base + h Σ weight·acceleration."""
        added = self._sum(base, weights, accelerations, Acceleration)
        return self._one(Velocity, added) if self._features.integrates_velocities else base

    def add(self, base: Algebra, weight: float, x: Algebra, power: int = 0) -> Algebra:
        """Return base + hⁿ weight·x with the given power n."""
        return self._one(Algebra, Add(base, power, float(weight), x))

    def advance(self, q: Configuration, theta: Algebra) -> Configuration:
        """Return q∘exp(θ), or its counterpart in the local coordinates of the step."""
        return self._one(Configuration, Advance(q, theta))

    def at(self, c: float, q: Configuration, v: Velocity) -> tuple[Configuration, Velocity]:
        """Return q and v with prescribed and dependent nodes at t + c h."""
        if not self._features.has_motions:
            return q, v
        found = self._record(At(float(c), q, v))
        assert isinstance(found[0], Configuration) and isinstance(found[1], Velocity)
        return found[0], found[1]

    def difference(self, start: Configuration, end: Configuration) -> Algebra:
        """Return log(start⁻¹∘end)."""
        return self._one(Algebra, Difference(start, end))

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
            raise self._error("a step has one end only")
        self._has_end = True
        return self._one(Configuration, End(q, v, theta))

    def end_multipliers(self, q: Configuration, v: Velocity) -> None:
        """Take λ from a stage at the end of the step, whose v' is the first stage of the next step, and measure the
        residuals of the constraints; without constraints do nothing."""
        if self._features.constrained:
            last = self.stage(1.0, q, v)
            self.next_stage(last)
            self._record(Multipliers(last.multiplier))
            self._record(Residuals(q, v))

    def next_stage(self, stage: StageValues) -> None:
        """Reuse v' of a stage at the end of the step as the first stage of the next step."""
        self._record(NextStage(stage.acceleration))

    def only_for_estimate(self) -> None:
        """Begin the last part of a step, which only steps with an error estimate execute."""
        if not self._has_end:
            raise self._error("the error is estimated after the end of a step")
        self._for_estimate = True

    def estimate(self, theta: Algebra, theta_hat: Algebra, v: Velocity, v_hat: Velocity) -> None:
        """Estimate the error by the embedded results ``theta_hat`` and ``v_hat``."""
        if not self._for_estimate:
            raise self._error("estimate belongs to the part only_for_estimate of a step")
        self._record(Estimate(theta, theta_hat, self.v, v, v_hat))

    def _sum(
        self,
        base: Velocity | None,
        weights: Sequence[float],
        terms: Sequence[Algebra | Acceleration],
        kind: type[Value],
    ) -> Sum:
        """Return a sum without the terms of weight zero."""
        if len(weights) < len(terms):
            raise self._error(f"a sum has {len(terms)} terms, but {len(weights)} weights")
        for term in terms:
            if not isinstance(term, kind):
                raise self._error(f"a sum has terms of the kind {kind.kind}, not {described(term)}")
        used = [(float(w), x) for w, x in zip(weights, terms, strict=False) if w != 0]
        return Sum(base, tuple(w for w, _ in used), tuple(x for _, x in used))

    def _one(self, kind: type[Kind], instruction: Instruction) -> Kind:
        """Record an instruction with one result."""
        (found,) = self._record(instruction)
        assert isinstance(found, kind)
        return found

    def _record(self, instruction: Instruction) -> tuple[Value, ...]:
        name = type(instruction).__name__
        for mistake in instruction.mistakes():
            raise self._error(f"{name}: {mistake}")
        if any(x.number not in self._values for x in instruction.inputs):
            raise self._error(f"{name}: an input is a value of another step")
        if instruction in self._known:
            return self._known[instruction]
        first = max(self._values) + 1
        results = tuple(kind(first + k) for k, kind in enumerate(instruction.results))
        self._values |= {x.number for x in results}
        self._known[instruction] = results
        self._lines.append(Line(instruction, results, self._for_estimate))
        return results

    def _error(self, sentence: str) -> ModelError:
        """Return an error at the line of the method that records the current instruction."""
        frame = sys._getframe()
        while frame.f_back is not None and Path(frame.f_code.co_filename).parent == Path(__file__).parent:
            frame = frame.f_back
        return ModelError(f"{Path(frame.f_code.co_filename).name}, line {frame.f_lineno}: {sentence}.")
