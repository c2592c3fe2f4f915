"""Derivatives of the equations of motion at many states at once.

    r = M a + g + Bᵀ λ,   c = B v + b,   z = B a + Z,   f (rates of first-order states),   y (outputs)

Derivatives are with respect to configurations (trivialised), velocities, and the sought parameters and inputs.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symlie.contract.sets import SENSITIVITIES, SETS, kernel_set, sensitivity_set
from symlie.runtime.integrate.sensitivities.node_operators import NodeOperators
from symlie.runtime.integrate.sensitivities.variables import Directions
from symlie.runtime.kernels.matrices import matrix_positions
from symlie.runtime.kernels.node_steps import StepKernels
from symlie.runtime.kernels.protocol import States
from symlie.runtime.layout.layout import Array
from symlie.runtime.layout.parameter_places import parameter_names
from symlie.runtime.linear.schur import Scattering
from symlie.runtime.system.system import System


class Points(NamedTuple):
    """States at which derivatives are evaluated, with their tangents.

    Attributes
    ----------
    t, q, v
        Times (n,), in s, configurations (n, storage), velocities (n, dimension).
    dq, dv
        Tangents of q in the Lie algebra and of v, shape (n, k, dimension).
    """

    t: Array
    q: Array
    v: Array
    dq: Array
    dv: Array


class PointDerivatives:
    """Directional derivatives at points of a system.

    Attributes
    ----------
    system
        The system.
    nodes
        Kernels in NumPy, which evaluate many states at once.
    operators
        Operators on the Lie algebras of nodes.
    directions
        Directions of parameters and inputs: the last columns of all tangents.
    """

    def __init__(self, system: System, directions: Directions) -> None:
        self.system, self.directions = system, directions
        self.layout, self._p = system.layout, system.prepared
        self.nodes = system.sets.in_numpy
        self.operators = NodeOperators(system.layout, self.nodes, lambda: self.slopes)
        self._scatterings: dict[str, list[Scattering]] = {}

    @cached_property
    def _set(self) -> str:
        """Name of the set of derivatives by the sought parameters."""
        if SENSITIVITIES in self.system.sets.present:
            return SENSITIVITIES
        return sensitivity_set(parameter_names(self.layout, np.asarray(self.directions.parameters.any(axis=1)))).name

    @cached_property
    def elements(self) -> StepKernels:
        """Kernels of group elements."""
        return self.system.sets.nodes("increments")

    @cached_property
    def slopes(self) -> StepKernels:
        """Kernels with the derivative of T⁻¹."""
        return self.system.sets.nodes("slopes")

    def observe(self, states: States, quantities: tuple[str, ...]) -> dict[str, Array]:
        """Return terms of the equations of motion; see `Kernels.observe`."""
        return self.system.kernels.observe(self._p, states, quantities)

    def terms(self, states: States, quantity: str) -> Array:
        """Return one term of the equations of motion."""
        return self.observe(states, (quantity,))[quantity]

    def accelerations(self, at: Points) -> tuple[Array, Array]:
        """Return v' (n, dimension) and λ (n, rows) of the acceleration-level system."""
        states = States(at.t, at.q, at.v, np.zeros((len(at.t), self.layout.rows)))
        a, multipliers, _ = self.system.mechanics.evaluator.accelerations(self._p, states)
        return a, multipliers

    def balance(self, at: Points, a: Array, multipliers: Array) -> Array:
        """Return the derivative of r without those of a and λ, shape (n, k, dimension)."""
        K, C, _ = self._matrices("newton", at, a, multipliers)
        found = along(K, at.dq) + along(C, at.dv)
        if self.layout.has_fields:
            by_states = self._matrices("fields", at, a, multipliers)[0]
            found += np.where(self.layout.has_velocity, along(by_states, at.dq), 0.0)
        if self.directions.count:
            found[:, -self.directions.count :] += self._by_parameter(at, a, multipliers, "force_by_parameter")
            found[:, -self.directions.count :] += self._by_input(at, a, multipliers, "ports", "force_by_input")
        return found

    def constraint(self, at: Points) -> Array:
        """Return the derivative of Φ without that of q, shape (n, k, rows)."""
        a, multipliers = np.zeros_like(at.v), np.zeros((len(at.t), self.layout.rows))
        found = np.zeros((*at.dq.shape[:2], self.layout.rows))
        if self.directions.count:
            found[:, -self.directions.count :] += self._by_parameter(at, a, multipliers, "constraint_by_parameter")
            found[:, -self.directions.count :] += self._by_input(at, a, multipliers, "ports", "constraint_by_input")
        return found

    def hidden(self, at: Points) -> Array:
        """Return the derivative of c without that of v, shape (n, k, rows)."""
        a, multipliers = np.zeros_like(at.v), np.zeros((len(at.t), self.layout.rows))
        H = self._matrices("newton", at, a, multipliers)[2]
        found = along(H, at.dq)
        if self.directions.count:
            found[:, -self.directions.count :] += self._by_parameter(at, a, multipliers, "hidden_by_parameter")
            found[:, -self.directions.count :] += self._by_input(at, a, multipliers, "ports", "hidden_by_input")
        return found

    def curvature(self, at: Points, a: Array) -> Array:
        """Return the derivative of z without that of a, shape (n, k, rows)."""
        multipliers = np.zeros((len(at.t), self.layout.rows))
        Zq, Zv = self._matrices("variations", at, a, multipliers)
        found = along(Zq, at.dq) + along(Zv, at.dv)
        if self.directions.count:
            found[:, -self.directions.count :] += self._by_parameter(at, a, multipliers, "curvature_by_parameter")
            found[:, -self.directions.count :] += self._by_input(
                at, a, multipliers, SENSITIVITIES, "curvature_by_input"
            )
        return found

    def field(self, at: Points, a: Array, multipliers: Array, da: Array, dl: Array) -> Array:
        """Return the derivative of the rates of first-order states, zero elsewhere, shape (n, k, dimension)."""
        Sq, Sv, Sa, Sl = self._matrices("fields", at, a, multipliers)
        found = along(Sq, at.dq) + along(Sv, at.dv) + along(Sa, da) + along(Sl, dl)
        if self.directions.count:
            found[:, -self.directions.count :] += self._by_parameter(at, a, multipliers, "field_by_parameter")
            found[:, -self.directions.count :] += self._by_input(at, a, multipliers, SENSITIVITIES, "field_by_input")
        return np.where(self.layout.has_velocity, 0.0, -found)

    def outputs(self, at: Points, multipliers: Array, dl: Array) -> Array:
        """Return the derivative of all outputs, shape (n, k, components)."""
        a = np.zeros_like(at.v)
        matrices = dict(zip(_names("ports"), self._matrices("ports", at, a, multipliers), strict=True))
        found = along(matrices["output_by_configuration"], at.dq) + along(matrices["output_by_velocity"], at.dv)
        found += along(matrices["output_by_multipliers"], dl)
        if self.layout.has_fields:
            states = self._matrices(SENSITIVITIES, at, a, multipliers)[_names(SENSITIVITIES).index("output_by_state")]
            found += along(states, at.dq)
        if self.directions.count:
            found[:, -self.directions.count :] += self._by_parameter(at, a, multipliers, "output_by_parameter")
            found[:, -self.directions.count :] += self._by_input(at, a, multipliers, "ports", "output_by_input")
        return found

    def _by_parameter(self, at: Points, a: Array, multipliers: Array, name: str) -> Array:
        """Return the derivative along the directions of parameters, shape (n, directions, rows)."""
        matrix = self._matrices(SENSITIVITIES, at, a, multipliers)[_names(SENSITIVITIES).index(name)]
        return np.asarray(np.swapaxes(matrix @ self.directions.parameters, 1, 2))

    def _by_input(self, at: Points, a: Array, multipliers: Array, kernels: str, name: str) -> Array | float:
        if not self.directions.has_inputs:
            return 0.0
        matrix = self._matrices(kernels, at, a, multipliers)[_names(kernels).index(name)]
        return np.asarray(np.swapaxes(matrix @ self.directions.inputs(at.t), 1, 2))

    def _matrices(self, name: str, at: Points, a: Array, multipliers: Array) -> list[Array]:
        """Return the matrices of a set at all points, shape (n, rows, columns)."""
        name = self._set if name == SENSITIVITIES else name
        if name not in self._scatterings:
            positions = matrix_positions(self.layout, kernel_set(name), self.system.sets.table(name))
            self._scatterings[name] = [_scattering(rows, columns, shape) for (rows, columns), shape in positions]
        kernels = self.system.sets.matrices(name).kernels
        values = kernels.of_states(self._p, States(at.t, at.q, at.v, multipliers), a)
        return [s.dense(x) for s, x in zip(self._scatterings[name], values, strict=True)]


def _names(name: str) -> list[str]:
    return [m.name for m in SETS[name].matrices]


def _scattering(rows: NDArray[np.intp], columns: NDArray[np.intp], shape: tuple[int, int]) -> Scattering:
    return Scattering(np.arange(len(rows)), rows * shape[1] + columns, shape)


def along(matrix: Array, tangents: Array) -> Array:
    """Return A x of matrices (n, rows, columns) and tangents (n, k, columns), shape (n, k, rows)."""
    return np.asarray(tangents @ np.swapaxes(matrix, 1, 2))
