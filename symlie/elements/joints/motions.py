"""Joints with free coordinates: coordinates as expressions of the model, torques, drives, locks and limits."""

from __future__ import annotations

import numpy as np
from sympy import Expr, Max

from symlie.contract.manifest import InitialCondition
from symlie.elements.joints.coordinates import Coordinate, Turn
from symlie.elements.joints.drives import Drive, Load
from symlie.elements.joints.friction import COEFFICIENT, RADIUS
from symlie.elements.joints.joint import ROUNDING, Joint
from symlie.elements.joints.placing import place_behind
from symlie.errors import ModelError, UnknownNameError
from symlie.modeling.contacts.friction import state_friction
from symlie.modeling.expressions import components, select


class MovingJoint(Joint):
    """Joint with free coordinates; their first expression makes the markers parameters of the model, such as
    NAME_point_a."""

    def place(self, **values: object) -> None:
        """Set initial coordinates and rates of the joint, like `Model.initial`.

        Coordinates move all outboard bodies, seen from the ground, as one rigid body; loops are closed by the assembly.
        Rates are conditions on the initial velocities, in any order and also for joints in closed loops; unspecified
        rates are zero if the constraints permit it.

        Parameters
        ----------
        **values
            Coordinates and rates by name, in rad, m, rad/s and m/s.

        Raises
        ------
        ModelError
            If a value is not a number, or if coordinates are given and the joint closes a loop or has outboard nodes
            that cannot be moved.
        UnknownNameError
            If the joint does not have this coordinate.
        """
        coordinates = self._rows.coordinates
        known = [label for c in coordinates for label in (c.name, c.rate)]
        unknown = [label for label in values if label not in known]
        if unknown:
            raise UnknownNameError(
                f"{self._subject} has no coordinate '{unknown[0]}' for an initial value; it has: {', '.join(known)}."
            )
        numbers = {}
        for label, value in values.items():
            if not isinstance(value, int | float | np.number) or not np.isfinite(value):
                raise ModelError(f"The initial {label} of {self._called} must be a finite number, not {value!r}.")
            numbers[label] = float(value)
        complete = self._completed(numbers)
        place_behind(self, coordinates, complete)
        for c in coordinates:
            if c.rate in complete:
                condition = InitialCondition(
                    f"{self.name}_{c.rate}", (complete[c.rate],), f"{c.rate} of {self._called}"
                )
                self.model.conditions[condition.output] = condition
        given = [c for c in coordinates if c.name in complete]
        self.placed_by = self.placed_by | {c: complete[c.name] for c in given}
        self.model.given_coordinates |= dict.fromkeys((self.name, c.name) for c in given)

    def check_placement(self) -> None:
        """Check that later initial values agree with the specified coordinates of the joint.

        Raises
        ------
        ModelError
            If they do not, or if the joint is on the mirrored branch.
        """
        super().check_placement()
        for coordinate, value in self.placed_by.items():
            found = float(coordinate.principal(*self._initial_frames()))
            off = found - value
            off = float(np.remainder(off + np.pi, 2 * np.pi) - np.pi) if isinstance(coordinate, Turn) else off
            if not abs(off) <= ROUNDING * (1 + abs(value)):
                raise ModelError(
                    f"{self._subject} was initialised with {coordinate.name} = {value:g} {coordinate.unit}, but poses "
                    f"of its bodies that were given later make it {found:g} {coordinate.unit}; give one of the two."
                )

    def _completed(self, values: dict[str, float]) -> dict[str, float]:
        """Return initial coordinates and rates, including those that others determine."""
        return values

    @property
    def coordinate_names(self) -> list[str]:
        """Names of the free coordinates."""
        return [c.name for c in self._rows.coordinates]

    def effort_unit(self, name: str) -> str:
        """Return the unit of a load on a coordinate: N m for an angle, N for a displacement.

        Parameters
        ----------
        name
            Name of the coordinate.
        """
        return self._coordinate(name).effort_unit

    def coordinate_unit(self, name: str) -> str:
        """Return the unit of a coordinate: rad for an angle, m for a displacement.

        Parameters
        ----------
        name
            Name of the coordinate.
        """
        return self._coordinate(name).unit

    def coordinate(self, name: str) -> Expr:
        """Return a free coordinate of the joint, in rad or m; angles are unwrapped.

        Parameters
        ----------
        name
            Name of the coordinate.
        """
        return self._coordinate(name).value(self.model, *self._frames())

    def coordinate_rate(self, name: str) -> Expr:
        """Return the rate of a free coordinate, in rad/s or m/s.

        Parameters
        ----------
        name
            Name of the coordinate.
        """
        return self._coordinate(name).rate_of(self.model, *self._frames())

    def initial_coordinate(self, name: str | None = None) -> float:
        """Return a free coordinate in the initial configuration, in rad (between -π and π) or m.

        Parameters
        ----------
        name
            Name of the coordinate; the first of the joint by default.
        """
        return float(self._coordinate(name).principal(*self._initial_frames()))

    def load(self, effort: object, name: str) -> None:
        """Apply a torque or force along a coordinate to the second body, and its opposite to the first.

        Parameters
        ----------
        effort
            In N m or N; an expression of the time, of coordinates and of rates.
        name
            Name of the coordinate.
        """
        (stated,) = components(effort)
        coordinate, first = self._coordinate(name), len(self.model.generalized_forces)
        coordinate.apply(self.model, *self._frames(), stated)
        self.loads.append(Load(coordinate, stated, range(first, len(self.model.generalized_forces))))

    def drive(self, motion: object, coordinate: str | None = None) -> Drive:
        """Constrain a coordinate to a function of time.

        Parameters
        ----------
        motion
            Expression of the time and of parameters, in rad or m; its rate and acceleration follow.
        coordinate
            Name of the coordinate; the first of the joint by default.

        Returns
        -------
        Drive
            Name of the constraint, and the effort that it requires.

        Raises
        ------
        ModelError
            If the coordinate is already driven or locked.
        """
        return self._hold(motion, coordinate, "drive")

    def lock(self, coordinate: str | None = None) -> Drive:
        """Fix a coordinate at its value in the initial configuration.

        Parameters
        ----------
        coordinate
            Name of the coordinate; the first of the joint by default.
        """
        return self._hold(self.initial_coordinate(coordinate), coordinate, "lock")

    def limit(
        self, lower: float, upper: float, stiffness: float, damping: float = 0.0, coordinate: str | None = None
    ) -> None:
        """Add elastic stops at the limits of a coordinate.

        All values are parameters of the model: NAME_lower, NAME_upper, NAME_stop_stiffness, NAME_stop_damping. For
        coordinates other than the first, NAME is followed by the coordinate, as in NAME_COORDINATE_lower.

        Parameters
        ----------
        lower, upper
            Limits, in rad or m.
        stiffness
            In N m/rad or N/m; the elastic force derives from a potential energy.
        damping
            In N m s/rad or N s/m, active while a stop is in contact; zero by default.
        coordinate
            Name of the coordinate; the first of the joint by default.
        """
        known = self._coordinate(coordinate)
        if not lower < upper:
            raise ModelError(
                f"The limits of {self._called} are {lower:g} and {upper:g}; the lower limit must be below the upper "
                "one."
            )
        if not (stiffness > 0 and damping >= 0):
            raise ModelError(f"The stops of {self._called} need a positive stiffness and non-negative damping.")
        name, turning = self._label(known), isinstance(known, Turn)
        unit = known.effort_unit if turning else "N/m"
        low = self.model.parameter(f"{name}_lower", lower, unit=known.unit)
        high = self.model.parameter(f"{name}_upper", upper, unit=known.unit)
        k = self.model.parameter(f"{name}_stop_stiffness", stiffness, unit=unit)
        d = self.model.parameter(f"{name}_stop_damping", damping, unit="N m s" if turning else "N s/m")
        value = self.coordinate(known.name)
        beyond = Max(low - value, 0) ** 2 + Max(value - high, 0) ** 2
        self.model.potential_energy(k * beyond / 2)
        if damping:
            rate = self.coordinate_rate(known.name)
            self.load(select(beyond, -d * rate, 0), known.name)

    def _add_friction(self, coefficient: object, limit: object, radius: object | None, coordinate: str | None) -> None:
        """Add friction on coordinates of the joint; see `Model.friction`.

        Raises
        ------
        ModelError
            If the joint has no force that friction follows, if it turns and ``radius`` is missing, if a coefficient
            and a limit are given, or if the joint has friction already.
        """
        (mu,), (bound,) = components(coefficient), components(limit)
        if mu == 0:
            known = self._coordinate(coordinate)
            state_friction(self.model, self._label(known), 0, bound, self.coordinate_rate(known.name), ())
            return
        turns = any(isinstance(c, Turn) for c in self._rows.coordinates)
        if not self._rows.forces:
            raise ModelError(
                f"{self._subject} has no friction that follows its reaction; give limit=…, or use a revolute, "
                "prismatic or cylindrical joint."
            )
        if bound != 0 or coordinate is not None:
            raise ModelError(
                f"Friction of {self._called} has a coefficient or a limit on one coordinate, not both; omit limit and "
                "coordinate."
            )
        if turns == (radius is None):
            word = "needs the radius of the pin, radius=…, in m" if turns else "has no radius, because it does not turn"
            raise ModelError(f"Friction of {self._called} {word}.")
        if self._friction:
            raise ModelError(f"{self._subject} has friction already; add the coefficients.")
        if any(e.constraint == self.name for e in self.model.engagements):
            raise ModelError(f"{self._subject} is released or engaged at events, and cannot have friction.")
        for what, value in (("coefficient", mu), ("radius", *components(0 if radius is None else radius))):
            if value.is_number and value < 0:
                raise ModelError(f"Friction of {self._called} needs a {what} that is not negative, not {value}.")
        self._friction = {COEFFICIENT: coefficient} | ({RADIUS: radius} if turns else {})
        self._restate()

    def _coordinate(self, name: str | None) -> Coordinate:
        known = {c.name: c for c in self._rows.coordinates}
        found = next(iter(known.values())) if name is None else known.get(name)
        if found is None:
            raise UnknownNameError(f"{self._subject} has no coordinate '{name}'; it has: {', '.join(known)}.")
        return found

    def _label(self, coordinate: Coordinate) -> str:
        first = self._rows.coordinates[0]
        return self.name if coordinate is first else f"{self.name}_{coordinate.name}"

    def _hold(self, motion: object, name: str | None, how: str) -> Drive:
        coordinate = self._coordinate(name)
        if coordinate.name in self._held:
            raise ModelError(
                f"The {coordinate.name} of {self._called} is already constrained by '{self._held[coordinate.name]}'; "
                f"it cannot also have a {how}."
            )
        (value,) = components(motion)
        label = f"{self._label(coordinate)}_{how}"
        row = coordinate.difference(*self._frames(), value)
        (multiplier,) = self.model.constraint(label, [row])
        self.model.output(f"{label}_effort", -multiplier, unit=coordinate.effort_unit)
        self._held[coordinate.name] = label
        return Drive(label, -multiplier)


class Turning(MovingJoint):
    """Joint with an angle."""

    @property
    def angle(self) -> Expr:
        """Unwrapped angle of the second body relative to the first, in rad."""
        return self.coordinate("angle")

    @property
    def rate(self) -> Expr:
        """Rate of the angle, in rad/s."""
        return self.coordinate_rate("angle")

    def torque(self, torque: object) -> None:
        """Apply a torque about the axis to the second body, and its opposite to the first.

        Parameters
        ----------
        torque
            In N m; an expression of the time, of coordinates and of rates.
        """
        self.load(torque, "angle")


class Sliding(MovingJoint):
    """Joint with a displacement."""

    @property
    def displacement(self) -> Expr:
        """Displacement of the second body along the axis of the first, in m."""
        return self.coordinate("displacement")

    @property
    def speed(self) -> Expr:
        """Rate of the displacement, in m/s."""
        return self.coordinate_rate("displacement")

    def thrust(self, thrust: object) -> None:
        """Apply a force along the axis to the second body, and its opposite to the first.

        Parameters
        ----------
        thrust
            In N; an expression of the time, of coordinates and of rates.
        """
        self.load(thrust, "displacement")
