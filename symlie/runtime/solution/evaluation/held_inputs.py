"""Parameters of kernels in which inputs have given values."""

from __future__ import annotations

import dataclasses
import math
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

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


_FLOAT = np.dtype(float)


class ConstantInputs:
    """Parameters with constant inputs, whose values change in place.

    Attributes
    ----------
    system
        Copy of the system with these parameters.
    prepared
        The parameters.
    places
        Views of the values by name, shape (2, size): both rows are the value.
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
        self.places = {n: _place(self.prepared.model, ends[n], table) for n, table in tables.items()}
        self._shapes = {name: place.shape[1:] for name, place in self.places.items()}

    def set(self, name: str, value: ArrayLike) -> None:
        """Set the value of an input."""
        self.places[name][...] = self.checked(name, value)

    def checked(self, name: str, value: object) -> Array:
        """Return the value of an input, shape (size,), which is not a copy; raise ModelError for unusable values."""
        shape = self._shapes[name]
        # Inputs are short, so that functions of Python are faster than those of NumPy.
        if isinstance(value, np.ndarray) and value.dtype is _FLOAT and value.shape == shape:
            given: Array = value
            if math.isfinite(sum(given.tolist())):
                return given
        number: Array = real_array(f"The value of input '{name}'", value).ravel()
        if number.shape != shape:
            raise ModelError(f"Input '{name}' of '{self.system.name}' needs {shape[0]} numbers, not {number.size}.")
        if not np.isfinite(number).all():
            raise ModelError(f"The value of input '{name}' of '{self.system.name}' is not finite.")
        return number

    def value(self, name: str) -> Array:
        """Return a copy of the value of an input, shape (size,)."""
        found: Array = self.places[name][0].copy()
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


def _place(model: Array, end: int, table: InputTable) -> Array:
    """Return a view of the constant coefficients of both polynomials, shape (2, size): before and after the point."""
    size, width = table.values.shape[1], abs(table.degree) + 1
    part: Array = model[end - 2 * size * width : end].reshape(size, 2, width)[:, :, 0].T
    return part
