"""Derivatives by name: of scalar functions, of outputs, and those by outputs that a user states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.system.parameters import real_array
from symlie.utilities.number_checks import is_number
from symlie.utilities.showing import ListsPublicNames, line


@dataclass(frozen=True, eq=False, repr=False)
class ScalarDerivatives(ListsPublicNames, Mapping[str, float]):
    """Value and derivatives of a scalar function; a mapping of variables to derivatives.

    Attributes
    ----------
    value
        Value of the function, in its unit.
    array
        Derivatives by all variables, in the unit of the value divided by that of the variable, shape (variables,).
    variables
        Names of the variables with their components.
    """

    value: float
    array: Array
    variables: tuple[str, ...]

    def __getitem__(self, name: str) -> float:
        if name not in self.variables:
            raise UnknownNameError(f"This gradient has no variable '{name}'; it has: {', '.join(self.variables)}.")
        return float(self.array[self.variables.index(name)])

    def __iter__(self) -> Iterator[str]:
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    def __repr__(self) -> str:
        return line(type(self).__name__, self._summary())

    def _summary(self) -> list[str]:
        return [f"value {self.value:.6g}", f"{len(self.variables)} variables"]


class OutputDerivatives(ListsPublicNames, Mapping[str, Array]):
    """Derivatives of outputs by name."""

    _outputs: Mapping[str, Array]

    def __getitem__(self, name: str) -> Array:
        if name not in self._outputs:
            known = ", ".join(self._outputs) or "none"
            raise UnknownNameError(f"This sensitivity has no output '{name}'; it has: {known}.")
        return self._outputs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._outputs)

    def __len__(self) -> int:
        return len(self._outputs)


def loss_weights(layout: Layout, count: int, returned: object) -> tuple[float, Array]:
    """Return the value of a loss and its derivatives by all output components at some times, shape (count,
    components); raise ModelError or UnknownNameError."""
    if not (isinstance(returned, tuple) and len(returned) in (2, 3) and isinstance(returned[1], Mapping)):
        raise ModelError(
            'The loss must return a number and a mapping of outputs to derivatives, such as (1.5, {"tip": array}).'
        )
    value = returned[0].item() if isinstance(returned[0], np.ndarray) and not returned[0].ndim else returned[0]
    if not is_number(value) or not np.isfinite(value):
        raise ModelError(f"The value of the loss must be a finite number, not {value!r}.")
    return float(value), weights_by_output(layout, count, returned[1], "derivative")


def weights_by_output(layout: Layout, count: int, stated: Mapping[str, object], what: str) -> Array:
    """Return derivatives of a loss by outputs, or their changes, as one array, shape (count, components); raise
    ModelError or UnknownNameError."""
    weights = np.zeros((count, layout.outputs_size))
    for name, values in stated.items():
        if name not in layout.outputs:
            raise UnknownNameError(
                f"The loss has a {what} by '{name}', which is no output of '{layout.name}'; it has: "
                f"{', '.join(layout.outputs) or 'none'}."
            )
        part, given = layout.outputs[name][0], real_array(f"The {what} of the loss by '{name}'", values)
        expected = (count, part.stop - part.start)
        if given.size != expected[0] * expected[1] or not np.isfinite(given).all():
            raise ModelError(
                f"The {what} of the loss by '{name}' must consist of {expected[0]} × {expected[1]} finite numbers."
            )
        weights[:, part] = given.reshape(expected)
    return weights
