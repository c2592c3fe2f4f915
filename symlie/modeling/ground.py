"""The ground, the acceleration of gravity, and objects other than nodes with initial values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symlie.errors import ModelError
from symlie.modeling.declarations import Stated
from symlie.modeling.expressions import vector
from symlie.modeling.symbolic import SymbolicMatrix


class Placed(ABC):
    """Objects other than nodes that `Model.initial` accepts: rigid bodies and joints."""

    name: str

    @abstractmethod
    def place(self, **values: object) -> None:
        """Set the initial configuration from values as in `Model.initial`."""


class PlacedByCoordinates(Placed):
    """Interface of joints to the model: the coordinates of a joint define initial poses of bodies."""

    @abstractmethod
    def placed_values(
        self, values: Mapping[tuple[str, str], NDArray[np.float64]], coordinates: Mapping[str, object]
    ) -> Mapping[tuple[str, str], NDArray[np.float64]]:
        """Return initial values by node and field, one row per node, changed by coordinates of the joint; do not change
        the model."""

    @abstractmethod
    def check_branch(self) -> None:
        """Raise `ModelError` if the initial configuration is on the wrong branch of the constraints."""

    @abstractmethod
    def check_placement(self) -> None:
        """Raise `ModelError` if later initial values contradict the coordinates of the joint."""

    def _add_friction(self, coefficient: object, limit: object, radius: object | None, coordinate: str | None) -> None:
        """Add friction on coordinates of the joint; see `Model.friction`."""
        raise ModelError(f"Joint '{self.name}' has no coordinate for friction; friction needs a joint such as a hinge.")


class Ground:
    """Fixed body whose axes and origin are inertial."""

    name = "ground"

    def __repr__(self) -> str:
        return "Ground"

    def point(self, r: object) -> SymbolicMatrix:
        """Return the coordinates of a point, in m, as a column."""
        return vector(r)

    def axis(self, e: object) -> SymbolicMatrix:
        """Return the components of a direction as a column."""
        return vector(e)


def set_gravity(model: Stated, acceleration: ArrayLike) -> None:
    """Set the default of the parameter ``gravity``, in m/s², and declare it if necessary."""
    found = next((k for k, p in enumerate(model.parameters) if p.name == "gravity"), None)
    if found is None:
        model.parameter("gravity", acceleration, unit="m/s^2")
        return
    known = model.parameters[found]
    try:
        values = np.asarray(acceleration, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"The gravity of '{model.name}' must consist of numbers, not {acceleration!r}.") from error
    if values.shape != known.shape:
        raise ModelError(
            f"The gravity of '{model.name}' has {len(known.default)} components, not {values.size}: its bodies move "
            f"in {'the plane' if len(known.default) == 2 else 'space'}."
        )
    model.parameters[found] = replace(known, default=tuple(map(float, values)))
