"""Unwrapped angles for forces, energies, constraints, events and outputs."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr, Symbol

from symlie.errors import ModelError
from symlie.ir.primitives import NearestTurn
from symlie.ir.program import depends_on
from symlie.modeling.declarations import Stated
from symlie.modeling.expressions import components
from symlie.modeling.terms import UnwrappedAngle
from symlie.modeling.units import Certainty
from symlie.utilities.unit_names import NUMBER, Unit


class AngleStatement(Stated):
    """Unwrapped angles of a model or element type."""

    def unwrapped_angle(self, sine: object, cosine: object, start: object = 0.0) -> Expr:
        """Return an angle that counts full turns: φ + 2πn with φ = atan2(sine, cosine), in rad.

        The integer n makes the angle nearest to its value a₀ at the last accepted step: φ + 2π round((a₀ - φ)/2π). The
        angle is therefore continuous across ±π in forces, potential energies, constraints, events and outputs, and its
        derivatives equal those of φ. a₀ is part of the configuration, after the storage of the nodes, so a run that
        starts from the final state of another one continues the angle. A step that rotates by more than `LARGEST_TURN`
        = 3 rad is shortened by adaptive methods and is an error with fixed steps.

        Parameters
        ----------
        sine, cosine
            Expressions of (t, q) proportional to sine and cosine of the angle with the same positive factor, such as
            dot products of axes; not both zero. The nodes that they depend on must have a velocity.
        start
            Angle in rad, a number or an expression of parameters, that selects n at the initial configuration:
            φ + 2π round((start - φ)/2π).

        Returns
        -------
        Expr
            The angle.

        Raises
        ------
        ModelError
            If sine or cosine depends on velocities, multipliers or run-time inputs, or if the start depends on anything
            but parameters.
        """
        given = [components(part) for part in (sine, cosine, start)]
        for what, part in zip(("sine", "cosine", "start"), given, strict=True):
            if len(part) != 1:
                raise ModelError(
                    f"The {what} of an angle of '{self.name}' must be a scalar, not {len(part)} components."
                )
        (s,), (c,), (begin,) = given
        self._check_angle([s, c], begin)
        y, x = self.program.vector([s, c])
        principal = self.program.scalar(sympy.atan2(y, x))
        for known in self.angles:
            if (known.principal, known.start) == (principal, begin):
                return known.value
        (before,) = self.program.fresh("unwrapped", 1)
        value = self.program.scalar(principal + NearestTurn(before - principal))
        self.units.of(principal)
        self.units.skip()
        assert isinstance(value, Symbol)
        self.units.declare([before, value], [Unit(NUMBER)] * 2, Certainty.FIELD)
        self.angles.append(UnwrappedAngle(before, y, x, begin, principal, value))
        return value

    def _check_angle(self, parts: Sequence[Expr], start: Expr) -> None:
        what = f"An angle of '{self.name}'"
        if depends_on(self.program, parts, [*self._velocities, *self._accelerations]):
            raise ModelError(f"{what} depends on velocities; its sine and cosine must be expressions of t and q.")
        self._without_multipliers(what, parts)
        self._check_smooth(what, parts, 2)
        self._without_points(what, parts)
        configuration = [s for n in self.nodes for s in n.value.components]
        if not depends_on(self.program, parts, configuration):
            raise ModelError(f"{what} depends on none of its nodes.")
        moving = [*configuration, *self._velocities, *self._accelerations, *self.multipliers, self.time]
        if depends_on(self.program, [start], moving):
            raise ModelError(f"The start of an angle of '{self.name}' must be a number or an expression of parameters.")

    def _without_angles(self, what: str, expressions: Sequence[Expr]) -> None:
        if depends_on(self.program, expressions, [a.before for a in self.angles]):
            raise ModelError(
                f"{what} of '{self.name}' depends on an unwrapped angle; use its sine and cosine, which repeat after "
                "a full turn."
            )
