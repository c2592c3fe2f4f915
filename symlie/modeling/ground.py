"""The ground, to which bodies are joined where nothing moves, and the acceleration of gravity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError
from symlie.modeling.declarations import Stated
from symlie.modeling.expressions import vector
from symlie.modeling.symbolic import SymbolicMatrix


class Placed(ABC):
    """What `Model.initial` places beside nodes: rigid bodies and joints."""

    name: str

    @abstractmethod
    def place(self, **values: object) -> None:
        """Place it in the initial configuration.

        Parameters
        ----------
        **values
            As of `Model.initial`.
        """


class PlacedByCoordinates(Placed):
    """A joint, as a model sees it: its coordinates place bodies, which its rows then hold."""

    @abstractmethod
    def placed_values(
        self, values: Mapping[tuple[str, str], NDArray[np.float64]], coordinates: Mapping[str, object]
    ) -> Mapping[tuple[str, str], NDArray[np.float64]]:
        """Initial values by node and field, changed by placing it; the model stays as it is.

        Parameters
        ----------
        values
            Initial values in place of those of the model, one row for each node.
        coordinates
            As `place` takes them.
        """

    @abstractmethod
    def check_branch(self) -> None:
        """Check that the initial configuration is in the branch that is meant.

        Raises
        ------
        ModelError
            It is in another one.
        """

    @abstractmethod
    def check_placement(self) -> None:
        """Check that it is where it was placed, when the whole model is stated.

        Raises
        ------
        ModelError
            Initial values that were given later moved it.
        """


class Ground:
    """The body that does not move; its axes are the inertial ones, its origin is theirs."""

    name = "ground"

    def __repr__(self) -> str:
        return "Ground"

    def point(self, r: object) -> SymbolicMatrix:
        """A point of the ground, as a body's: the column itself.

        Parameters
        ----------
        r
            Its coordinates, in m.
        """
        return vector(r)

    def axis(self, e: object) -> SymbolicMatrix:
        """A direction of the ground, as a body's: the column itself.

        Parameters
        ----------
        e
            Its components.
        """
        return vector(e)


def set_gravity(model: Stated, acceleration: Sequence[float]) -> None:
    """Set the default of the parameter ``gravity``, which is declared if there is none.

    Parameters
    ----------
    model
        The model.
    acceleration
        In m/s², as many components as bodies of the model have coordinates.
    """
    found = next((k for k, p in enumerate(model.parameters) if p.name == "gravity"), None)
    if found is None:
        model.parameter("gravity", acceleration, unit="m/s^2")
        return
    known = model.parameters[found]
    try:
        values = np.asarray(acceleration, dtype=float)
    except (TypeError, ValueError) as error:
        raise ModelError(f"The gravity of '{model.name}' is made of numbers, not {acceleration!r}.") from error
    if values.shape != known.shape:
        raise ModelError(
            f"The gravity of '{model.name}' has {len(known.default)} components, not {values.size}: its bodies move "
            f"in {'the plane' if len(known.default) == 2 else 'space'}."
        )
    model.parameters[found] = replace(known, default=tuple(map(float, values)))
