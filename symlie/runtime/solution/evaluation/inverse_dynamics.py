"""Inverse dynamics: the forces of given accelerations, or the actuators that produce them.

    M a + g(u) + Bᵀ λ = 0

is solved for λ, which contains the efforts of drives, and for the inputs u of actuators, on the components that forces
can accelerate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symlie.errors import ModelError, NotConvergedError, UnknownNameError
from symlie.runtime.kernels.matrices import rows_of
from symlie.runtime.kernels.protocol import Prepared, States
from symlie.runtime.layout.layout import Array
from symlie.runtime.solution.evaluation.held_inputs import input_size, prepared_with
from symlie.runtime.solution.evaluation.states import checked_state
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.state import State
from symlie.runtime.system.parameters import real_array
from symlie.runtime.system.solvability import check_rows

if TYPE_CHECKING:
    from symlie.runtime.system.system import System

MOST_ITERATIONS = 20
"""Largest number of Newton iterations for inputs on which forces depend nonlinearly."""

RANK = 1e-10
"""Singular values, relative to the largest one of scaled equations, below which unknowns are undetermined."""

VIOLATED = 1e-6
"""Largest |B a + Z| relative to its terms."""

UNBALANCED = 1e-9
"""Largest remaining force, relative to the forces that are balanced."""

EFFORT = "_effort"
"""End of the names of outputs that are efforts of drives."""


def inverse_dynamics(
    system: System,
    state: State | Solution,
    acceleration: ArrayLike,
    actuators: Sequence[str] | None,
    inputs: Mapping[str, ArrayLike] | None,
) -> Array | tuple[Array, Array]:
    """See `symlie.runtime.system.system.System.inverse_dynamics`."""
    state, layout = checked_state(system, state), system.layout
    given = real_array("The acceleration", acceleration)
    if given.shape != state.v.shape:
        raise ModelError(
            f"The acceleration of '{system.name}' has the shape {given.shape} instead of {state.v.shape}, that of the "
            "velocities."
        )
    if not np.isfinite(given).all():
        raise ModelError(f"The acceleration of '{system.name}' is not finite.")
    if actuators is None:
        return _forces(system, prepared_with(system, inputs), state, given)
    rows, a = state.rows, given.reshape(-1, layout.dimension)
    names = _checked_names(system, [actuators] if isinstance(actuators, str) else list(actuators))
    prepared_with(system, inputs)  # checks the values of inputs, also of actuators
    problem = _Actuation(system, names, dict(inputs or {}))
    efforts, multipliers = np.empty((len(a), problem.size)), np.empty((len(a), layout.rows))
    for k, row in enumerate(a):
        efforts[k], multipliers[k] = problem.solve(rows[k : k + 1], row[None])
    return efforts.reshape(*state.shape, problem.size), multipliers.reshape(*state.shape, layout.rows)


def _forces(system: System, p: Prepared, state: State, a: Array) -> Array:
    """Return M a + g, shape (..., dimension)."""
    kernels, layout, t = system.kernels, system.layout, state.t
    if not isinstance(t, float):
        found = kernels.inverse_dynamics_of(p, state.rows, a.reshape(-1, layout.dimension))
        return found.reshape(state.v.shape)
    if layout.has_inverse_dynamics:
        return np.asarray(kernels.inverse_dynamics(p, t, state.q, state.v, a))
    return system.algebra.apply_mass(kernels.mass(p, t, state.q), a) + kernels.force(p, t, state.q, state.v)


def _checked_names(system: System, names: list[str]) -> list[str]:
    layout = system.layout
    drives = [name.removesuffix(EFFORT) for name in layout.outputs if name.endswith(EFFORT)]
    drives = [name for name in drives if name in layout.constraints]
    for name in names:
        if name not in layout.inputs and name not in drives:
            known = ", ".join([*layout.inputs, *drives]) or "none"
            raise UnknownNameError(f"Model '{system.name}' has no input or drive '{name}'; it has: {known}.")
    return names


def check_redundancy(system: System, stored: Array) -> None:
    """Raise RedundantConstraintsError for redundant equations that the system does not permit."""
    if not system.mechanics.takes_redundant_rows:
        check_rows(system.algebra, stored, "or use with_redundant('minimal_norm')", "this state")


@dataclass(frozen=True, eq=False)
class _Actuation:
    """Balance of given accelerations by actuators and constraints."""

    system: System
    names: list[str]
    inputs: dict[str, ArrayLike]

    @property
    def size(self) -> int:
        """Number of components of all efforts."""
        layout = self.system.layout
        parts = [layout.outputs[f"{name}{EFFORT}"][0] for name in self.names if name not in layout.inputs]
        return len(self._columns) + sum(int(part.stop - part.start) for part in parts)

    @property
    def _columns(self) -> NDArray[np.intp]:
        """Components of the named inputs among those of all inputs."""
        position, found = 0, dict[str, NDArray[np.intp]]()
        for name, (size, _) in self.system.layout.inputs.items():
            found[name] = np.arange(position, position + size)
            position += size
        return np.concatenate([np.zeros(0, dtype=np.intp), *(found[n] for n in self._sought)])

    @property
    def _sought(self) -> list[str]:
        return [name for name in self.names if name in self.system.layout.inputs]

    @property
    def _start(self) -> Array:
        """Given values of the named inputs, zero by default."""
        layout = self.system.layout
        values = [np.ravel(self.inputs.get(name, np.zeros(layout.inputs[name][0]))) for name in self._sought]
        return np.concatenate([np.zeros(0), *values])

    def solve(self, state: States, a: Array) -> tuple[Array, Array]:
        """Return the efforts in the order of the names, and λ."""
        layout = self.system.layout
        u, multipliers = self._start, np.zeros(layout.rows)
        self._check_constraints(self._prepared(u), state, a[0])
        scale = 0.0
        for _ in range(MOST_ITERATIONS):
            p = self._prepared(u)
            force = self._balance(p, state, a)
            scale = max(scale, float(np.abs(force).max(initial=0.0)))
            slopes = self._slopes(p, state, a, multipliers)
            change, multipliers = self._step(slopes, self._stored_jacobian(p, state), force)
            u = u + change
            if not np.abs(change).max(initial=0.0) > RANK * np.abs(u).max(initial=0.0):
                break
        p = self._prepared(u)
        pull = self.system.algebra.pull(self._stored_jacobian(p, state), multipliers)
        rest = (self._balance(p, state, a) + pull) * layout.free
        largest = int(np.argmax(np.abs(rest))) if rest.size else 0
        if rest.size and not abs(rest[largest]) <= UNBALANCED * max(scale, np.finfo(float).tiny):
            named = ", ".join(self.names) or "none"
            raise NotConvergedError(
                f"The actuators of '{self.system.name}' ({named}) cannot produce this acceleration: a force of "
                f"{rest[largest]:.3g} along {layout.velocity_name(largest)} remains."
            )
        return self._efforts(p, state, u, multipliers), multipliers

    def _prepared(self, u: Array) -> Prepared:
        values, position = dict(self.inputs), 0
        for name in self._sought:
            size = input_size(self.system.layout, name)
            values[name] = u[position : position + size]
            position += size
        return prepared_with(self.system, values)

    def _balance(self, p: Prepared, state: States, a: Array) -> Array:
        found: Array = self.system.kernels.inverse_dynamics_of(p, state, a)[0]
        return found

    def _stored_jacobian(self, p: Prepared, state: States) -> Array:
        found: Array = self.system.kernels.jacobian(p, float(state.t[0]), state.q[0], state.v[0])
        return found

    def _check_constraints(self, p: Prepared, state: States, a: Array) -> None:
        """Raise ModelError unless B a + Z = 0."""
        algebra, stored = self.system.algebra, self._stored_jacobian(p, state)
        curvature = self.system.kernels.curvature(p, float(state.t[0]), state.q[0], state.v[0])
        off = np.abs(algebra.multiply(stored, a) + curvature)
        size = algebra.multiply(np.abs(stored), np.abs(a)) + np.abs(curvature)
        if not np.all(off <= VIOLATED * np.maximum(1.0, size)):
            row = int(np.argmax(off / np.maximum(1.0, size)))
            raise ModelError(
                f"The acceleration violates {self.system.layout.row_name(row)} of '{self.system.name}' by "
                f"{off[row]:.3g}; it must satisfy the constraints, B a + Z = 0."
            )

    def _slopes(self, p: Prepared, state: States, a: Array, multipliers: Array) -> Array:
        """∂(M a + g + Bᵀ λ)/∂u, shape (dimension, inputs)."""
        if not len(self._columns):
            return np.zeros((self.system.layout.dimension, 0))
        ports = self.system.sets.matrices("ports")
        values = ports.kernels.of_states(p, replace(state, multipliers=multipliers[None]), a)
        slopes = rows_of(ports, 0, np.arange(self.system.layout.dimension)).dense(values[0])
        return np.asarray(slopes[0][:, self._columns])

    def _step(self, slopes: Array, stored: Array, force: Array) -> tuple[Array, Array]:
        """Return the change of the inputs and λ, of minimal norm if redundant equations are permitted."""
        free, m = self.system.layout.free, slopes.shape[1]
        both = np.hstack([slopes[free], self.system.algebra.jacobian_matrix(stored).T[free]])
        lengths = np.linalg.norm(both, axis=0)
        lengths[lengths == 0] = 1.0
        directions = both / lengths
        U, sizes, V = np.linalg.svd(directions, full_matrices=False)
        rank = int(np.sum(sizes > RANK * sizes.max(initial=0.0)))
        known = V[:rank].T @ V[:rank]
        if np.abs(known[:m] - np.eye(len(lengths))[:m]).max(initial=0.0) > np.sqrt(RANK):
            raise ModelError(
                f"The acceleration of '{self.system.name}' does not determine the inputs {', '.join(self._sought)}: "
                "they can change without a change of the motion; name fewer inputs."
            )
        x = -(V[:rank].T @ ((U[:, :rank].T @ force[free]) / sizes[:rank])) / lengths
        multipliers = np.asarray(x[m:])
        if rank < len(lengths):
            check_redundancy(self.system, stored)
            dependent = self.system.mechanics.dependent_rows(stored)
            multipliers = multipliers if dependent is None else dependent.minimal(multipliers)
        return np.asarray(x[:m]), multipliers

    def _efforts(self, p: Prepared, state: States, u: Array, multipliers: Array) -> Array:
        kernels, layout, position, parts = self.system.kernels, self.system.layout, 0, [np.zeros(0)]
        with_reactions = States(state.t, state.q, state.v, multipliers[None])
        for name in self.names:
            if name in layout.inputs:
                size = input_size(layout, name)
                parts.append(u[position : position + size])
                position += size
            else:
                parts.append(kernels.observe(p, with_reactions, (), (f"{name}{EFFORT}",))["outputs"][0])
        return np.concatenate(parts)
