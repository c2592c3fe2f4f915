"""Joints with free coordinates: these as expressions of the model, with torques, drives, locks and limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sympy import Expr, Max

from symlie.contract.manifest import InitialCondition
from symlie.elements.joints.coordinates import Coordinate, Turn
from symlie.elements.joints.joint import ROUNDING, Joint
from symlie.elements.joints.placing import place_behind
from symlie.errors import ModelError, UnknownNameError
from symlie.modeling.expressions import components, select


@dataclass(frozen=True)
class Drive:
    """What keeps a coordinate of a joint at a function of time.

    Attributes
    ----------
    name
        Name of its constraint.
    effort
        Torque in N m, or force in N, that it takes: on the second body about or along the axis, for outputs and events;
        reported as NAME_effort.
    """

    name: str
    effort: Expr


@dataclass(frozen=True)
class Load:
    """What acts on a coordinate of a joint.

    Attributes
    ----------
    coordinate
        The coordinate.
    effort
        In N m or N.
    forces
        Where the model has it among its generalized forces; nowhere if it acts along an expression.
    """

    coordinate: Coordinate
    effort: Expr
    forces: range


class MovingJoint(Joint):
    """A joint with free coordinates.

    Expressions of coordinates are of the model's own statement. The first one that is asked for makes the joint's
    markers parameters of the model, NAME_point_a, NAME_axes_a, NAME_point_b and NAME_axes_b.
    """

    def place(self, **values: object) -> None:
        """Give coordinates and rates of the joint in the initial state, as `Model.initial` does.

        Coordinates move all bodies behind the joint, seen from the ground, as one; loops are left to the assembly.
        Rates are conditions on the initial velocities, in any order and also of joints in closed loops; rates that are
        not given are zero where the constraints permit it.

        Parameters
        ----------
        **values
            Coordinates and rates by name, in rad, m, rad/s and m/s.

        Raises
        ------
        ModelError
            The joint closes a loop, or there are nodes behind it that cannot be moved, where coordinates are given;
            values that are no numbers.
        UnknownNameError
            The joint has no such coordinate.
        """
        coordinates = self._rows.coordinates
        known = [label for c in coordinates for label in (c.name, c.rate)]
        unknown = [label for label in values if label not in known]
        if unknown:
            raise UnknownNameError(
                f"{self._subject} has no coordinate '{unknown[0]}' to start from; it has: {', '.join(known)}."
            )
        numbers = {}
        for label, value in values.items():
            if not isinstance(value, int | float | np.number) or not np.isfinite(value):
                raise ModelError(f"The initial {label} of {self._called} is a finite number, not {value!r}.")
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
        """Check that initial values given later agree with coordinates that the joint was placed by.

        Raises
        ------
        ModelError
            They do not, or the joint is in the mirrored branch.
        """
        super().check_placement()
        for coordinate, value in self.placed_by.items():
            found = float(coordinate.principal(*self._initial_frames()))
            off = found - value
            off = float(np.remainder(off + np.pi, 2 * np.pi) - np.pi) if isinstance(coordinate, Turn) else off
            if not abs(off) <= ROUNDING * (1 + abs(value)):
                raise ModelError(
                    f"{self._subject} was placed with {coordinate.name} = {value:g} {coordinate.unit}, but poses of "
                    f"its bodies that were given later make it {found:g} {coordinate.unit}; state one of the two."
                )

    def _completed(self, values: dict[str, float]) -> dict[str, float]:
        """Initial coordinates and rates with those that others determine."""
        return values

    @property
    def coordinate_names(self) -> list[str]:
        """Names of the free coordinates."""
        return [c.name for c in self._rows.coordinates]

    def effort_unit(self, name: str) -> str:
        """Unit of what acts on a coordinate: N m of an angle, N of a displacement.

        Parameters
        ----------
        name
            Name of the coordinate.
        """
        return self._coordinate(name).effort_unit

    def coordinate(self, name: str) -> Expr:
        """A free coordinate of the joint, in rad or m; angles count turns.

        Parameters
        ----------
        name
            Its name.
        """
        return self._coordinate(name).value(self.model, *self._frames())

    def coordinate_rate(self, name: str) -> Expr:
        """The rate of a free coordinate, in rad/s or m/s.

        Parameters
        ----------
        name
            Name of the coordinate.
        """
        return self._coordinate(name).rate_of(self.model, *self._frames())

    def initial_coordinate(self, name: str | None = None) -> float:
        """A free coordinate in the initial configuration, in rad or m; an angle between -π and π.

        Parameters
        ----------
        name
            Its name; the first of the joint by default.
        """
        return float(self._coordinate(name).principal(*self._initial_frames()))

    def load(self, effort: object, name: str) -> None:
        """Let a torque or a force act on a coordinate: on the second body as given, and against it on the first.

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
        """Keep a coordinate at a function of time.

        Parameters
        ----------
        motion
            Expression of the time and of parameters, in rad or m; its rate and acceleration follow.
        coordinate
            Name of the coordinate; the first of the joint by default.

        Returns
        -------
        Drive
            Its name, and the effort that it takes.

        Raises
        ------
        ModelError
            The coordinate is driven or locked already.
        """
        return self._hold(motion, coordinate, "drive")

    def lock(self, coordinate: str | None = None) -> Drive:
        """Keep a coordinate at what it is in the initial configuration.

        Parameters
        ----------
        coordinate
            Name of the coordinate; the first of the joint by default.
        """
        return self._hold(self.initial_coordinate(coordinate), coordinate, "lock")

    def limit(
        self, lower: float, upper: float, stiffness: float, damping: float = 0.0, coordinate: str | None = None
    ) -> None:
        """Let elastic stops act on a coordinate beyond its limits.

        All values are parameters of the model: NAME_lower, NAME_upper, NAME_stop_stiffness, NAME_stop_damping, with
        the coordinate behind NAME where it is not the first one.

        Parameters
        ----------
        lower, upper
            Limits, in rad or m.
        stiffness
            In N m/rad or N/m; it is a potential energy.
        damping
            In N m s/rad or N s/m, while a stop is touched; zero by default.
        coordinate
            Name of the coordinate; the first of the joint by default.
        """
        known = self._coordinate(coordinate)
        if not lower < upper:
            raise ModelError(f"The limits of {self._called} are {lower:g} and {upper:g}; the lower is not below.")
        if not (stiffness > 0 and damping >= 0):
            raise ModelError(f"The stops of {self._called} need a positive stiffness and no negative damping.")
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
                f"The {coordinate.name} of {self._called} is held by '{self._held[coordinate.name]}' already; it "
                f"can not have a {how} as well."
            )
        (value,) = components(motion)
        label = f"{self._label(coordinate)}_{how}"
        row = coordinate.difference(*self._frames(), value)
        (multiplier,) = self.model.constraint(label, [row])
        self.model.output(f"{label}_effort", -multiplier, unit=coordinate.effort_unit)
        self._held[coordinate.name] = label
        return Drive(label, -multiplier)


class Turning(MovingJoint):
    """A joint with an angle."""

    @property
    def angle(self) -> Expr:
        """Angle of the second body against the first, in rad; it counts turns."""
        return self.coordinate("angle")

    @property
    def rate(self) -> Expr:
        """Its rate, in rad/s."""
        return self.coordinate_rate("angle")

    def torque(self, torque: object) -> None:
        """Let a torque act about the axis, on the second body, and against it on the first.

        Parameters
        ----------
        torque
            In N m; an expression of the time, of coordinates and of rates.
        """
        self.load(torque, "angle")


class Sliding(MovingJoint):
    """A joint with a displacement."""

    @property
    def displacement(self) -> Expr:
        """Displacement of the second body along the axis of the first, in m."""
        return self.coordinate("displacement")

    @property
    def speed(self) -> Expr:
        """Its rate, in m/s."""
        return self.coordinate_rate("displacement")

    def thrust(self, thrust: object) -> None:
        """Let a force act along the axis, on the second body, and against it on the first.

        Parameters
        ----------
        thrust
            In N; an expression of the time, of coordinates and of rates.
        """
        self.load(thrust, "displacement")
