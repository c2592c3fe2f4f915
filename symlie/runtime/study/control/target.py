"""State and outputs that a run reaches at its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symlie.contract.manifest import COST, RUNNING_COST
from symlie.errors import ModelError
from symlie.runtime.integrate.sensitivities.sensitivity import output_names_of
from symlie.runtime.integrate.sensitivities.tangent_loop import StateTangents
from symlie.runtime.layout.layout import Array, Layout
from symlie.runtime.solution.evaluation.states import checked_state
from symlie.runtime.solution.solution import Solution
from symlie.runtime.solution.state import State
from symlie.runtime.system.parameters import real_array
from symlie.runtime.system.system import System

Cotangents = tuple[Array, tuple[Array, Array]]
"""Weights of all outputs at the end, and cotangents of q and v."""


@dataclass(frozen=True, eq=False)
class EndWeights:
    """Weights of the equations at the end of a run.

    Attributes
    ----------
    reference
        Configuration from which the end is measured, or None.
    q, v, outputs
        Weights of the differences of q and v, shape (dimension,), and of outputs, shape (components,).
    """

    reference: Array | None
    q: Array
    v: Array
    outputs: Array


@dataclass(frozen=True, eq=False)
class Target:
    """Equations that the end of a run satisfies: log(q_target⁻¹∘q) = 0, v = v_target, y = y_target.

    Attributes
    ----------
    system
        The system.
    state
        The state at the end, or None.
    outputs
        Values of outputs by name.
    """

    system: System
    state: State | None
    outputs: Mapping[str, Array]

    @property
    def size(self) -> int:
        """Number of equations."""
        return sum(map(len, self._components)) * (self.state is not None) + sum(map(len, self.outputs.values()))

    @cached_property
    def _components(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return state_components(self.system.layout)

    def deviation(self, solution: Solution) -> Array:
        """Return the left-hand sides minus the right-hand sides at the end of a run, shape (equations,)."""
        found = [np.zeros(0)]
        if self.state is not None:
            of_q, of_v = self._components
            found += [self._apart(solution)[of_q], (solution.v[-1] - self.state.v)[of_v]]
        for name, wanted in self.outputs.items():
            found.append(np.asarray(solution.outputs[name][-1], dtype=float).ravel() - wanted)
        return np.concatenate(found)

    def along(self, solution: Solution, tangents: StateTangents, columns: Mapping[str, slice]) -> Array:
        """Return the derivatives of the deviation, shape (equations, variables), from tangents of the states and of
        outputs in some columns by name."""
        found = [np.zeros((0, tangents.q.shape[2]))]
        if self.state is not None:
            of_q, of_v = self._components
            inverse = self.system.kernels.inverse_tangent_operator
            found += [images(inverse, self._apart(solution), tangents.q[-1])[of_q], tangents.v[-1][of_v]]
        found += [tangents.outputs[-1][columns[name]] for name in self.outputs]
        return np.vstack(found)

    def cotangents(self, solution: Solution) -> list[Cotangents]:
        """Return the transposes of the derivatives, one for each equation."""
        layout, found = self.system.layout, []
        nothing, at_rest = np.zeros(layout.outputs_size), np.zeros(layout.dimension)
        if self.state is not None:
            of_q, of_v = self._components
            units = np.eye(layout.dimension)
            matrix = images(self.system.kernels.inverse_tangent_operator, self._apart(solution), units)
            found += [(nothing, (matrix[k], at_rest)) for k in of_q]
            found += [(nothing, (at_rest, units[k])) for k in of_v]
        for name in self.outputs:
            part, _ = layout.outputs[name]
            found += [(unit, (at_rest, at_rest)) for unit in np.eye(layout.outputs_size)[part]]
        return found

    def weighted(self, multipliers: Array, loss: str | None, of_loss: float) -> EndWeights:
        """Return weights of the equations and of an output that is the loss."""
        layout = self.system.layout
        q, v, outputs = np.zeros(layout.dimension), np.zeros(layout.dimension), np.zeros(layout.outputs_size)
        of_q, of_v = self._components if self.state is not None else 2 * (np.zeros(0, dtype=np.intp),)
        ends = np.cumsum([len(of_q), len(of_v), *map(len, self.outputs.values())])
        q[of_q], v[of_v], *others, _ = np.split(multipliers, ends)
        for name, weights in zip(self.outputs, others, strict=True):
            outputs[layout.outputs[name][0]] += weights
        if loss is not None:
            outputs[layout.outputs[loss][0]] += of_loss
        return EndWeights(None if self.state is None else self.state.q, q, v, outputs)

    def _apart(self, solution: Solution) -> Array:
        """log(q_target⁻¹∘q) at the end of a run."""
        assert self.state is not None
        return difference(self.system, self.state.q, solution.q[-1])


def state_components(layout: Layout) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the components of q, in local coordinates, and of v that describe a state, without the running cost."""
    of_q = layout.sought.copy()
    if has_running_cost(layout):
        of_q[layout.node(RUNNING_COST).velocity] = False
    return np.flatnonzero(of_q), np.flatnonzero(layout.free)


def difference(system: System, p: Array, q: Array) -> Array:
    """Return log(p⁻¹∘q), which is q - p for first-order states."""
    found: Array = system.kernels.difference(p, q)
    for node in system.layout.nodes:
        if not node.type.velocities:
            found[node.velocity] = (q - p)[node.storage]
    return found


def has_curved_states(system: System) -> bool:
    """Return whether some first-order states are no vectors."""
    layout = system.layout
    theta = 0.1 * np.arange(1.0, layout.dimension + 1)
    is_flat = system.kernels.tangent_operator(theta, theta[::-1].copy()) == theta[::-1]
    return any(
        not (n.type.is_translated and n.type.storage == n.type.dimension and is_flat[n.velocity].all())
        for n in layout.nodes
        if not n.type.velocities
    )


def has_running_cost(layout: Layout) -> bool:
    """Return whether a model states a running cost."""
    return COST in layout.outputs and any(n.name == RUNNING_COST for n in layout.nodes)


def images(operator: Callable[[Array, Array], Array], at: Array, directions: Array) -> Array:
    """Return the images of directions under an operator at local coordinates, shape (dimension, directions)."""
    found = [operator(at, np.ascontiguousarray(x)) for x in directions.T]
    return np.array(found).reshape(-1, len(at)).T


def checked_target(system: System, state: State | None, outputs: Mapping[str, ArrayLike]) -> Target:
    """Return a target; raise UnknownNameError or ModelError."""
    if state is not None:
        if system.layout.rows:
            raise ModelError(
                f"The components of a state of '{system.name}' depend on each other by its constraints; give outputs "
                "at the end instead of a target state, or use minimal coordinates."
            )
        if has_curved_states(system):
            raise ModelError(
                f"First-order states of '{system.name}' are on manifolds, on which targets have no local coordinates; "
                "give outputs at the end instead of a target state."
            )
        state = checked_state(system, state)
        if state.shape:
            raise ModelError(f"The target must be one state, not an array of the shape {state.shape}.")
    found = {}
    for name in output_names_of(system, list(outputs)):
        part, value = system.layout.outputs[name][0], real_array(f"The value of output '{name}'", outputs[name]).ravel()
        if len(value) != part.stop - part.start or not np.isfinite(value).all():
            raise ModelError(f"Output '{name}' needs {part.stop - part.start} finite numbers, not {outputs[name]!r}.")
        found[name] = value
    return Target(system, state, found)
