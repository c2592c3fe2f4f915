"""Terms of the equations of motion at given states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from symlie.runtime.layout.layout import Array, Sparse
from symlie.runtime.solution.evaluation.held_inputs import prepared_with
from symlie.runtime.solution.evaluation.states import checked_state
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.state import State

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

LARGEST_DENSE = 200
"""Largest number of velocity components for which matrices of one state are dense."""

OF_KERNELS = {"mass": 1, "force": 2, "constraint": 1, "jacobian": 2}
"""Kernels that evaluate one state at once, with the number of vectors that they read."""

Inputs = Mapping[str, ArrayLike] | None
"""Values of inputs by name."""


def term(system: System, state: State | Solution, name: str, inputs: Inputs = None) -> Array:
    """Return a vector of the equations of motion, shape (..., size): ``"force"``, ``"constraint"`` or
    ``"hidden_residual"``."""
    state = checked_state(system, state)
    values = _values(system, state, name, inputs)
    return values.reshape((*state.shape, values.shape[-1]))


def matrix(system: System, state: State | Solution, name: str, inputs: Inputs = None) -> Array | Sparse:
    """Return ``"mass"`` or ``"jacobian"``, shape (..., size, dimension), sparse for one state of a large system."""
    state = checked_state(system, state)
    algebra, is_mass = system.algebra, name == "mass"
    values = _values(system, state, name, inputs)
    if values.ndim == 1 and system.layout.dimension > LARGEST_DENSE:
        return algebra.sparse_mass(values) if is_mass else algebra.sparse_jacobian(values)
    found = algebra.mass_matrix(values) if is_mass else algebra.jacobian_matrix(values)
    return found.reshape((*state.shape, *found.shape[-2:]))


def _values(system: System, state: State, name: str, inputs: Inputs) -> Array:
    """Return stored values of a kernel, shape (values,) for one state, otherwise (n, values)."""
    p, kernels = prepared_with(system, inputs), system.kernels
    if isinstance(state.t, float) and name in OF_KERNELS:
        vectors = (state.q, state.v)[: OF_KERNELS[name]]
        found: Array = getattr(kernels, name)(p, state.t, *vectors)
        return found
    observed = kernels.observe(p, state.rows, (name,))[name]
    return observed if state.shape else observed[0]
