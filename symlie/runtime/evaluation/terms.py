"""Terms of the equations of motion at given states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symlie.runtime.evaluation.held_inputs import prepared_with
from symlie.runtime.evaluation.states import checked_state
from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.linear.schur import summed
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.state import State

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

LARGEST_DENSE = 200
"""Largest number of velocity components for which matrices of one state are dense."""

Inputs = Mapping[str, ArrayLike] | None
"""Values of inputs by name."""


def term(system: System, state: State | Solution, name: str, inputs: Inputs = None) -> Array:
    """Return a vector of the equations of motion, shape (..., size): ``"force"``, ``"constraint"`` or
    ``"hidden_residual"``."""
    state = checked_state(system, state)
    found = system.kernels.observe(prepared_with(system, inputs), state.rows, (name,))[name]
    return found.reshape(*state.shape, found.shape[1])


def matrix(system: System, state: State | Solution, name: str, inputs: Inputs = None) -> Array | Sparse:
    """Return ``"mass"`` or ``"jacobian"``, shape (..., size, dimension), sparse for one state of a large system."""
    state = checked_state(system, state)
    layout, algebra = system.layout, system.algebra
    values = system.kernels.observe(prepared_with(system, inputs), state.rows, (name,))[name]
    is_mass = name == "mass"
    if not state.shape and layout.dimension > LARGEST_DENSE:
        return algebra.sparse_mass(values[0]) if is_mass else algebra.sparse_jacobian(values[0])
    rows, columns = layout.assembled(name)
    size = layout.dimension if is_mass else layout.rows
    if is_mass:
        off = rows != columns
        values = np.concatenate([values, values[:, off]], axis=1)
        rows, columns = np.concatenate([rows, columns[off]]), np.concatenate([columns, rows[off]])
    return _dense(values, rows, columns, (size, layout.dimension)).reshape(*state.shape, size, layout.dimension)


def _dense(values: Array, rows: NDArray[np.intp], columns: NDArray[np.intp], shape: tuple[int, int]) -> Array:
    """Return the sums of stored values (n, m) as matrices, shape (n, *shape)."""
    size, places = shape[0] * shape[1], rows * shape[1] + columns
    if len(np.unique(places)) < len(places):
        return summed(places, values, size).reshape(len(values), *shape)
    found = np.zeros((len(values), size))
    found[:, places] = values
    return found.reshape(len(values), *shape)
