"""Parameters of kernels in which inputs have given values."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symlie.errors import ModelError, UnknownNameError
from symlie.runtime.kernels.protocol import Prepared
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.system.inputs import InputTable, tables_in_use
from symlie.runtime.system.parameters import real_array

if TYPE_CHECKING:
    from symlie.runtime.system.system import System


def prepared_with(system: System, inputs: Mapping[str, ArrayLike] | None) -> Prepared:
    """Return the parameters of a system, with inputs held at values; the next call in the thread overwrites them."""
    if not inputs:
        return system.prepared
    known = _known.setdefault(system, {})
    names = tuple(inputs)
    if names not in known:
        known[names] = HeldInputs(system, names)
    held = known[names]
    for name, value in inputs.items():
        held.set(name, value)
    return held.prepared


class ConstantInputs:
    """Parameters with constant inputs, whose values change in place.

    Attributes
    ----------
    system
        Copy of the system with these parameters.
    prepared
        The parameters.
    """

    def __init__(self, system: System, names: tuple[str, ...]) -> None:
        layout = system.layout
        zeros = {name: np.zeros((1, input_size(layout, name))) for name in names}
        # Tables of one point are constant, with all derivatives zero.
        tables = {
            name: InputTable(np.zeros(1), values, layout.input_interpolations[name] or "hold")
            for name, values in zeros.items()
        }
        self.system = dataclasses.replace(system, inputs={**system.inputs, **tables})
        self.prepared = self.system.prepared
        ends = _ends_of_tables(system, tables)
        self._places = {n: _places(ends[n], table) for n, table in tables.items()}

    def set(self, name: str, value: ArrayLike) -> None:
        """Set the value of an input."""
        number = real_array(f"The value of input '{name}'", value)
        places = self._places[name]
        if number.size != places.shape[1]:
            raise ModelError(
                f"Input '{name}' of '{self.system.name}' needs {places.shape[1]} numbers, not {number.size}."
            )
        if not np.isfinite(number).all():
            raise ModelError(f"The value of input '{name}' of '{self.system.name}' is not finite.")
        self.prepared.model[places] = number.ravel()

    def value(self, name: str) -> Array:
        """Return a copy of the value of an input, shape (size,)."""
        found: Array = self.prepared.model[self._places[name][0]]
        return found


class HeldInputs(ConstantInputs, threading.local):
    """Constant inputs with separate values for each thread."""


_known: WeakKeyDictionary[System, dict[tuple[str, ...], HeldInputs]] = WeakKeyDictionary()


def input_size(layout: Layout, name: str) -> int:
    """Return the number of components of an input; raise UnknownNameError."""
    if name not in layout.inputs:
        known = ", ".join(layout.inputs) or "none"
        raise UnknownNameError(f"Model '{layout.name}' has no input '{name}'; it has: {known}.")
    return layout.inputs[name][0]


def _ends_of_tables(system: System, tables: Mapping[str, InputTable]) -> dict[str, int]:
    """Return the position after each table among the prepared parameters."""
    end, found = system.layout.prepared_parameters, {}
    for name, table in tables_in_use(system.layout, {**system.inputs, **tables}).items():
        end += len(table.packed)
        found[name] = end
    return found


def _places(end: int, table: InputTable) -> NDArray[np.intp]:
    """Return the positions of the constant coefficients of both polynomials, shape (2, size): before and after the
    point."""
    size, width = table.values.shape[1], abs(table.degree) + 1
    first = end - 2 * size * width
    return np.array([[first + (2 * k + side) * width for k in range(size)] for side in (0, 1)], dtype=np.intp)
