"""Recorder of implicit steps, and of arrays that a method carries from step to step."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import overload

from symlie.runtime.steps.calls import recorded
from symlie.runtime.steps.equations import Solve
from symlie.runtime.steps.expressions import Expression, Scalar, Terms, Value, Vector, expression
from symlie.runtime.steps.implicit_instructions import Formula, ImplicitEnd, RelativePoint
from symlie.runtime.steps.instructions import STATES, Carried, Carry, Result, Sum, Where
from symlie.runtime.steps.recording import Kind, VectorKind
from symlie.runtime.steps.values import (
    START_LAMBDA,
    Acceleration,
    Algebra,
    Configuration,
    ImplicitValues,
    Multiplier,
    UnknownEnd,
    Velocity,
)
from symlie.runtime.steps.vector_recorder import VectorRecorder, number_of

RESERVED = "matrix_"
"""Beginning of the names of arrays with the evaluation point of reused factors."""


class ImplicitRecorder(VectorRecorder):
    """Records implicit steps; parameters and attributes as for `StepRecorder`."""

    _zero = -1
    """Number of the vector that is zero for systems without constraints."""

    @functools.cached_property
    def _points(self) -> dict[int, tuple[tuple[RelativePoint, ...], tuple[Algebra, ...]]]:
        """Earlier configurations and their logarithms by the number of the unknown increment."""
        return {}

    @recorded
    def carried(self, name: str, kind: type[Kind]) -> Kind:
        """Return a vector or number from the previous step.

        Parameters
        ----------
        name
            Name of the array.
        kind
            Kind of the value.
        """
        return self._one(kind, Carried(name, kind))

    @recorded
    def carry(self, name: str, x: Vector | Multiplier | Configuration | Scalar | float) -> None:
        """Pass a value to the next step; vectors without components that numerical damping has made negligible.

        Parameters
        ----------
        name
            Name of the array.
        x
            The value.
        """
        if not name.isidentifier() or name.startswith(RESERVED):
            raise self._error(
                f"{name!r} is no name of a carried array; use letters, digits and '_', and no name that begins with "
                f"{RESERVED!r}"
            )
        self._carries.add(name)
        self._record(Carry(name, x if isinstance(x, Value) else float(x)))

    @overload
    def where(self, condition: Scalar, x: Scalar | float, y: Scalar | float) -> Scalar: ...

    @overload
    def where(self, condition: Scalar, x: Kind, y: Kind) -> Kind: ...

    def where(self, condition: Scalar, x: Value | float, y: Value | float) -> Value:
        """Return one of two numbers, or of two values of the same kind.

        Parameters
        ----------
        condition
            Number.
        x
            Result if the number is not 0; it may be infinite otherwise.
        y
            Result if the number is 0.
        """
        return self._where(condition, x, y)

    @recorded
    def _where(self, condition: Scalar, x: Value | float, y: Value | float) -> Value:
        """Return one of two numbers or values; see `where`."""
        x, y = (value if isinstance(value, Value) else float(value) for value in (x, y))
        kind = type(x) if isinstance(x, Value) else Scalar
        return self._one(kind, Where(kind, condition, x, y))

    @recorded
    def at_most(self, x: Scalar | float, y: Scalar | float) -> Scalar:
        """Return 1 if x ≤ y, otherwise 0.

        Parameters
        ----------
        x, y
            Numbers.
        """
        return self._arithmetic("<=", x, y)

    def with_states(self, x: Vector | Expression, of_states: Vector | Expression) -> Expression:
        """Return a linear combination with other components for first-order states.

        Parameters
        ----------
        x
            Linear combination for velocities.
        of_states
            Linear combination for first-order states.
        """
        states = expression(of_states)
        return Expression(expression(x).terms, states.terms if states.of_states is None else states.of_states)

    @recorded
    def evaluated(self, kind: type[VectorKind], x: Vector | Expression) -> VectorKind:
        """Return the value of a linear combination.

        Parameters
        ----------
        kind
            Kind of the value.
        x
            Linear combination.
        """
        terms = expression(x)
        of_velocities = self._combination(kind, terms.terms)
        if terms.of_states is None or not self._features.has_fields:
            return of_velocities
        return self._one(kind, Where(kind, STATES, self._combination(kind, terms.of_states), of_velocities))

    @recorded
    def multiplier_sum(self, weights: Sequence[Scalar | float], terms: Sequence[Multiplier]) -> Multiplier:
        """Return Σ weight·λ.

        Parameters
        ----------
        weights
            Weights.
        terms
            Multipliers.
        """
        return self._one(Multiplier, Sum(Multiplier, None, 1.0, tuple(map(number_of, weights)), tuple(terms)))

    def _combination(self, kind: type[VectorKind], terms: Terms) -> VectorKind:
        terms = self._without_zeros(terms)
        if len(terms) == 1 and terms[0][0] == 1.0:
            return kind(terms[0][1].number)
        return self._one(kind, Sum(kind, None, 1.0, tuple(w for w, _ in terms), tuple(x for _, x in terms)))

    def _without_zeros(self, terms: Terms) -> Terms:
        return tuple((weight, x) for weight, x in terms if x.number != self._zero)

    @recorded
    def hidden_violation(self, v: Vector | Expression, needed: Scalar | None = None) -> Velocity:
        """Return the part d = M⁻¹ Bᵀ μ of a velocity at the start of the step with B d = B v + b, for holonomic
        constraints.

        Parameters
        ----------
        v
            Velocity.
        needed
            If this number is 0 and the step has no error estimate, d is zero.
        """
        if not self._features.constrained:
            found = self._combination(Velocity, ())
            self._zero = found.number
            return found
        is_needed = 1.0 if needed is None else needed
        return self._one(Velocity, Solve("hidden_violation", (self.q, self.evaluated(Velocity, v), is_needed)))

    @recorded
    def known_acceleration(self, acceleration: Acceleration) -> None:
        """State v' at the start of the step, which no stage computes.

        Parameters
        ----------
        acceleration
            v' there.
        """
        self._record(Result("first_acceleration", acceleration))

    @recorded
    def unknown_increment(self) -> Algebra:
        """Return the increment w that determines v and v' at the end of an implicit step.

        Linear combinations may contain it; `implicit_end` determines it.
        """
        return Algebra(self._next_number())

    @recorded
    def unknown_end(
        self,
        elements: Sequence[Configuration],
        increments: Sequence[Algebra],
        needed: Sequence[Scalar] = (),
    ) -> UnknownEnd:
        """Return the unknowns of an implicit step in local coordinates at its end.

        Linear combinations may contain them; `implicit_end` determines them.

        Parameters
        ----------
        elements
            Earlier configurations as group elements relative to that at the start of the step.
        increments
            Their logarithms.
        needed
            For each element, a number that is 0 if v and v' do not depend on it. All are needed without numbers.
        """
        theta, correction, velocity, element = (self._next_number() for _ in range(4))
        relative = tuple(Algebra(self._next_number()) for _ in elements)
        stated: Sequence[Scalar | None] = needed or [None] * len(elements)
        points = tuple(map(RelativePoint, elements, stated))
        self._points[theta] = points, tuple(increments)
        vectors = Algebra(theta), Algebra(correction), Velocity(velocity)
        return UnknownEnd(*vectors, Configuration(element), relative)

    @recorded
    def implicit_end(
        self,
        unknown: Algebra | UnknownEnd,
        velocity: Expression,
        acceleration: Expression,
        guess: Vector | Expression,
        start_acceleration: Acceleration,
        multiplier: Multiplier | None = START_LAMBDA,
    ) -> ImplicitValues:
        """Return the end of the step by Newton's method.

        Parameters
        ----------
        unknown
            Result of `unknown_increment`: the increment θ of the configuration, or θ + B_nᵀ η in stabilised index-2
            form; or result of `unknown_end`.
        velocity, acceleration
            v and v' there as functions of the unknown; for first-order states v' is the rate of the increment.
        guess
            Initial guess of w.
        start_acceleration
            v' at the start of the step.
        multiplier
            Initial guess of λ; None for zero.
        """
        self.known_acceleration(start_acceleration)
        unknowns: tuple[Vector, ...] = (unknown,) if isinstance(unknown, Algebra) else (*unknown[:3], *unknown.relative)
        increment = unknown if isinstance(unknown, Algebra) else unknown.correction
        of_velocity, of_acceleration = (self._formula(x.terms, unknowns) for x in (velocity, acceleration))
        rate = acceleration.terms if acceleration.of_states is None else acceleration.of_states
        of_rate = self._formula(rate if self._features.has_fields else (), unknowns)
        slope, second, of_states = (self._slope(f, increment) for f in (of_velocity, of_acceleration, of_rate))
        points: tuple[RelativePoint, ...] = ()
        given: dict[int, Value] = {5: increment}
        offset = None
        if isinstance(unknown, UnknownEnd):
            second = self._arithmetic("*", slope, self._slope(of_acceleration, unknown.velocity))
            points, increments = self._points[unknown.theta.number]
            offset = self._offset(of_velocity, unknown, increments, slope)
            given = {1: unknown.velocity, 4: unknown.theta, 6: unknown.element, **dict(enumerate(unknown.relative, 7))}
        for name, number in {"velocity": slope, "acceleration": second}.items():
            if not isinstance(number, Scalar) and number == 0:
                raise self._error(f"the {name} at the end of an implicit step must depend on the unknown increment")
        formulas, slopes = (of_velocity, of_acceleration, of_rate), (slope, second, of_states)
        first = self.evaluated(Algebra, guess)
        end = ImplicitEnd(first, multiplier, *formulas, slopes, unknowns, points, offset)
        q, v, v_dot, found, theta, *_ = self._record(end, given)
        assert isinstance(q, Configuration) and isinstance(v, Velocity) and isinstance(v_dot, Acceleration)
        assert isinstance(found, Multiplier) and isinstance(theta, Algebra)
        return ImplicitValues(q, v, v_dot, found, theta)

    def _formula(self, terms: Terms, unknowns: Sequence[Vector]) -> Formula:
        """Return a linear combination as a function of unknowns, which are its first terms."""
        used = [
            *(x for x in terms if x[1] in unknowns),
            *(x for x in self._without_zeros(terms) if x[1] not in unknowns),
        ]
        return Formula(tuple(weight for weight, _ in used), tuple(x for _, x in used))

    def _slope(self, formula: Formula, unknown: Vector) -> float | Scalar:
        """Return the weight of an unknown."""
        return next((weight for weight, x in zip(*formula, strict=True) if x == unknown), 0.0)

    def _offset(
        self, velocity: Formula, unknown: UnknownEnd, increments: Sequence[Algebra], slope: float | Scalar
    ) -> Algebra:
        """Return Σ weight/γ'·increment over earlier configurations."""
        weights = [self._arithmetic("/", self._slope(velocity, x), slope) for x in unknown.relative]
        return self._combination(Algebra, tuple(zip(weights, increments, strict=True)))
