"""Couplings of coordinates of two joints: gears, and a rack with its pinion."""

from __future__ import annotations

import numpy as np
from sympy import Expr

from symlie.elements.joints.motions import Sliding, Turning
from symlie.errors import ModelError
from symlie.modeling.model import Model
from symlie.utilities.showing import line


class Coupling:
    """One constraint equation between coordinates of two joints, the base of gears and racks."""

    def __init__(
        self, model: Model, name: str, first: Turning, second: Turning | Sliding, row: Expr, unit: str
    ) -> None:
        if first is second:
            raise ModelError(f"Coupling '{name}' couples joint '{first.name}' with itself.")
        if not first.model is second.model is model:
            raise ModelError(f"Coupling '{name}' needs two joints of '{model.name}'.")
        (multiplier,) = model.constraint(name, [row])
        model.output(f"{name}_effort", -multiplier, unit=unit)
        self.name: str = name
        self.effort: Expr = -multiplier
        """Torque or force on the coordinate of the second joint, in N m or N; reported as NAME_effort."""
        self._joints = (first.name, second.name)

    def __repr__(self) -> str:
        return line(type(self).__name__, [self.name, " and ".join(self._joints)])


class GearJoint(Coupling):
    """Gears on two joints: second.angle - ratio · first.angle remains at its initial value.

    Parameters
    ----------
    model
        The model.
    name
        Name of the gear.
    first, second
        Joints with an angle, usually hinges of both wheels on one carrier.
    ratio
        Rate of the second joint divided by the rate of the first: -(teeth of the first)/(teeth of the second) for
        external gears with equally directed axes.
    """

    def __init__(self, model: Model, name: str, first: Turning, second: Turning, ratio: float) -> None:
        if ratio == 0 or not np.isfinite(ratio):
            raise ModelError(f"The ratio of gear '{name}' is {ratio:g}; it must not be zero.")
        start = second.initial_coordinate("angle") - ratio * first.initial_coordinate("angle")
        super().__init__(model, name, first, second, second.angle - ratio * first.angle - start, "N m")


class RackJoint(Coupling):
    """A rack and its pinion: displacement - radius · angle, in m, remains at its initial value.

    Parameters
    ----------
    model
        The model.
    name
        Name of the coupling.
    pinion
        Joint with the angle.
    rack
        Joint with the displacement.
    radius
        Radius of the pinion, in m; negative if the displacement decreases with the angle.
    """

    def __init__(self, model: Model, name: str, pinion: Turning, rack: Sliding, radius: float) -> None:
        if radius == 0 or not np.isfinite(radius):
            raise ModelError(f"The radius of rack '{name}' is {radius:g} m; it must not be zero.")
        start = rack.initial_coordinate("displacement") - radius * pinion.initial_coordinate("angle")
        super().__init__(model, name, pinion, rack, rack.displacement - radius * pinion.angle - start, "N")
