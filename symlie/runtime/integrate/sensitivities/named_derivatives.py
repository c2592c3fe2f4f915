"""Derivatives by name: of scalar functions, of outputs, and those by outputs that a user states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.system.parameters import real_array
from symlie.utilities.number_checks import is_number
from symlie.utilities.showing import ListsPublicNames, line


@dataclass(frozen=True, eq=False, repr=False)
class ScalarDerivatives(ListsPublicNames, Mapping[str, float | Array]):
    """Value and derivatives of a scalar function; a mapping of variables to derivatives.

    Names of vectors, such as ``"lever"``, and of tables of inputs give arrays with the shape of their values; iteration
    yields the components.

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

    def __getitem__(self, name: str) -> float | Array:
        found = self.array[columns_of("gradient", self.variables, name)]
        return float(found) if not found.ndim else found

    def __contains__(self, name: object) -> bool:
        return any(name in (variable, _name_of(variable)) for variable in self.variables)

    def __iter__(self) -> Iterator[str]:
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    def __repr__(self) -> str:
        return line(type(self).__name__, self._summary())

    def _summary(self) -> list[str]:
        return [f"value {self.value:.6g}", f"{len(self.variables)} variables"]


class OutputDerivatives(ListsPublicNames, Mapping[str, Array]):
    """Derivatives of outputs by name, shape (..., components, variables).

    ``derivatives["tip", "lever"]`` are those by one variable, shape (..., components), or by all components of a vector
    or of the table of an input, with the shape of its values at the end.
    """

    variables: tuple[str, ...]
    _outputs: Mapping[str, Array]

    def __getitem__(self, name: str | tuple[str, str]) -> Array:
        output, variable = name if isinstance(name, tuple) else (name, None)
        if output not in self._outputs:
            known = ", ".join(self._outputs) or "none"
            raise UnknownNameError(f"This sensitivity has no output '{output}'; it has: {known}.")
        found = self._outputs[output]
        return found if variable is None else found[..., columns_of("sensitivity", self.variables, variable)]

    def __contains__(self, name: object) -> bool:
        return name in self._outputs

    def __iter__(self) -> Iterator[str]:
        return iter(self._outputs)

    def __len__(self) -> int:
        return len(self._outputs)


def columns_of(what: str, variables: Sequence[str], name: str) -> NDArray[np.intp]:
    """Return the index of a variable, shape (), or those of all components of a vector, shape (components,), or of a
    table, shape (knots, components); raise UnknownNameError. ``what`` contains the variables."""
    if name in variables:
        return np.array(variables.index(name))
    columns = np.flatnonzero([_name_of(variable) == name for variable in variables])
    if not len(columns):
        raise UnknownNameError(f"This {what} has no variable '{name}'; it has: {', '.join(variables)}.")
    knots = {variables[k].rpartition(",")[0] for k in columns.tolist()}
    is_table = "," in variables[int(columns[0])]
    return columns.reshape(len(knots), -1) if is_table else columns


def _name_of(variable: str) -> str:
    """Return the name of a variable without its component."""
    return variable.partition("[")[0]


def loss_weights(layout: Layout, count: int, returned: object) -> tuple[float, Array]:
    """Return the value of a loss and its derivatives by all output components at some times, shape (count,
    components); raise ModelError or UnknownNameError."""
    if not (isinstance(returned, tuple) and len(returned) in (2, 3) and isinstance(returned[1], Mapping)):
        raise ModelError(
            'The loss must return a number and a mapping of outputs to derivatives, such as (1.5, {"tip": array}).'
        )
    value = returned[0].item() if isinstance(returned[0], np.ndarray) and not returned[0].ndim else returned[0]
    if isinstance(value, np.ndarray):
        raise ModelError(
            f"The value of the loss must be a finite number, not an array of the shape {value.shape}; sum its entries."
        )
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
